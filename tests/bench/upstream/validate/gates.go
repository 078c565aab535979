// SPDX-License-Identifier: Apache-2.0
package validate

import (
	"fmt"
	"slices"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

var stages = map[string]string{"ALPHA": "alpha", "BETA": "beta", "": "ga", "DEPRECATED": "deprecated"}

// Gates lists the gates of this version, sorted: Name on|off locked|unlocked alpha|beta|ga|deprecated [needs OTHER...].
func Gates() []string {
	var lines []string
	needs := dependencies()
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		state, lock := "off", "unlocked"
		if utilfeature.DefaultFeatureGate.Enabled(name) {
			state = "on"
		}
		if spec.LockToDefault {
			lock = "locked"
		}
		line := fmt.Sprintf("%s %s %s %s", name, state, lock, stages[string(spec.PreRelease)])
		if len(needs[name]) > 0 {
			line += " needs"
		}
		for _, other := range needs[name] {
			line += " " + string(other)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// dependencies has what each gate can't be on without, sorted. Before 1.35 there are none, nor a way to ask.
func dependencies() map[featuregate.Feature][]featuregate.Feature {
	asked, ok := any(utilfeature.DefaultMutableFeatureGate).(interface {
		Dependencies() map[featuregate.Feature][]featuregate.Feature
	})
	if !ok {
		return nil
	}
	out := asked.Dependencies()
	for name := range out {
		out[name] = slices.Sorted(slices.Values(out[name]))
	}
	return out
}

// Settable returns the gates without those that this version doesn't know or has locked to the other state.
func Settable(gates map[string]bool) map[string]bool {
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	out := map[string]bool{}
	for name, on := range gates {
		spec, ok := known[featuregate.Feature(name)]
		if ok && (!spec.LockToDefault || spec.Default == on) {
			out[name] = on
		}
	}
	return out
}

// setGates sets gates for one case and returns what puts them back. Gates locked to their state are refused.
func setGates(gates map[string]bool) (restore func(), err error) {
	if len(gates) == 0 {
		return func() {}, nil
	}
	all := utilfeature.DefaultMutableFeatureGate
	known := all.GetAll()
	before := map[string]bool{}
	for name := range gates {
		if _, ok := known[featuregate.Feature(name)]; !ok {
			return func() {}, fmt.Errorf("unknown feature gate %q", name)
		}
		before[name] = all.Enabled(featuregate.Feature(name))
	}
	// On a copy first: a set that was refused has left its traces.
	if err := all.DeepCopy().SetFromMap(gates); err != nil {
		return func() {}, err
	}
	if err := all.SetFromMap(gates); err != nil {
		return func() {}, err
	}
	return func() {
		if err := all.SetFromMap(before); err != nil {
			panic(err)
		}
	}, nil
}
