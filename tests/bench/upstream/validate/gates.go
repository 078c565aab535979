package validate

import (
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

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
