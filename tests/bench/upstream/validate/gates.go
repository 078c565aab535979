package validate

import (
	"fmt"
	"slices"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

var stages = map[string]string{"ALPHA": "alpha", "BETA": "beta", "": "ga", "DEPRECATED": "deprecated"}

// Gates lists the gates of this version, sorted: Name on|off locked|unlocked alpha|beta|ga|deprecated.
func Gates() []string {
	var lines []string
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		state, lock := "off", "unlocked"
		if utilfeature.DefaultFeatureGate.Enabled(name) {
			state = "on"
		}
		if spec.LockToDefault {
			lock = "locked"
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %s", name, state, lock, stages[string(spec.PreRelease)]))
	}
	slices.Sort(lines)
	return lines
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
