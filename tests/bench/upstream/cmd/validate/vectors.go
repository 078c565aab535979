// SPDX-License-Identifier: Apache-2.0
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"jobreeve.dev/tests/bench/upstream/validate"
	"k8s.io/apimachinery/pkg/util/version"
)

type expectation struct {
	Defaulted any `json:"defaulted"`
	Prepared  any `json:"prepared"`
	Errors    []struct{ Type, Field, Detail string }
	Warnings  []string
}

type vector struct {
	validate.Case
	Expect expectation `json:"expect"`
}

// compare prints each difference between the vectors' expectations and upstream's answers. versions may be "".
func compare(file, versions string) error {
	var vectors []vector
	if err := read(file, &vectors); err != nil {
		return err
	}
	if versions != "" {
		if err := replace(vectors, versions); err != nil {
			return err
		}
	}
	differ := 0
	for i := range vectors {
		diffs := differences(&vectors[i])
		for _, d := range diffs {
			fmt.Printf("%s: %s\n", vectors[i].Name, d)
		}
		if len(diffs) > 0 {
			differ++
		}
	}
	fmt.Printf("%d agree, %d differ\n", len(vectors)-differ, differ)
	if differ > 0 {
		return fmt.Errorf("%s: %d vectors differ", file, differ)
	}
	return nil
}

// replace puts what the file says of this version in place of the vectors' expectations: all errors and warnings, and the
// defaulted object where it says one.
func replace(vectors []vector, file string) error {
	var rows []struct {
		Name, Version string
		Expect        expectation
	}
	if err := read(file, &rows); err != nil {
		return err
	}
	ours, err := kubernetes()
	if err != nil {
		return err
	}
	replaced := 0
	for _, r := range rows {
		of, err := version.ParseGeneric(r.Version)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", file, r.Name, err)
		}
		i := slices.IndexFunc(vectors, func(v vector) bool { return v.Name == r.Name })
		if i < 0 {
			return fmt.Errorf("%s: there is no vector %s", file, r.Name)
		}
		if !holds(of, ours) {
			continue
		}
		e := &vectors[i].Expect
		e.Errors, e.Warnings = r.Expect.Errors, r.Expect.Warnings
		if r.Expect.Defaulted != nil {
			e.Defaulted = r.Expect.Defaulted
		}
		replaced++
	}
	fmt.Printf("Kubernetes %s: %d rows of %s\n", ours, replaced, file)
	return nil
}

// holds: a row of X.Y is of all its patches, one of X.Y.Z of Z and later ones.
func holds(row, ours *version.Version) bool {
	return row.Major() == ours.Major() && row.Minor() == ours.Minor() && ours.AtLeast(row)
}

// kubernetes is the version that this program was built with.
func kubernetes() (*version.Version, error) {
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if m.Path == "k8s.io/kubernetes" {
			return version.ParseGeneric(m.Version)
		}
	}
	return nil, errors.New("this program doesn't say what version of k8s.io/kubernetes it was built with")
}

func differences(v *vector) []string {
	a := answer(&v.Case)
	var diffs, want, have []string
	if a.DecodeError+a.GateError+a.Panic != "" {
		return []string{"no answer: " + a.DecodeError + a.GateError + a.Panic}
	}
	for _, e := range v.Expect.Errors {
		want = append(want, e.Type+" "+e.Field+": "+e.Detail)
	}
	for _, e := range a.Errors {
		have = append(have, strings.TrimPrefix(e.Type, "FieldValue")+" "+e.Field+": "+e.Detail)
	}
	have = once(have)
	if !reflect.DeepEqual(want, have) {
		diffs = append(diffs, fmt.Sprintf("errors\n  want %q\n  have %q", want, have))
	}
	if strings.Join(v.Expect.Warnings, "\n") != strings.Join(a.Warnings, "\n") {
		diffs = append(diffs, fmt.Sprintf("warnings\n  want %q\n  have %q", v.Expect.Warnings, a.Warnings))
	}
	diffs = append(diffs, objectDifference("defaulted", v.Job, v.Expect.Defaulted, a.Defaulted)...)
	return append(diffs, objectDifference("prepared", v.Job, v.Expect.Prepared, a.Prepared)...)
}

func once(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			out = append(out, s)
		}
		seen[s] = true
	}
	return out
}

// objectDifference compares an object with the merge patch on the job as sent.
func objectDifference(what string, job json.RawMessage, patch, have any) []string {
	if patch == nil {
		return nil
	}
	var want, got any
	text, err := json.Marshal(have)
	if err == nil {
		err = decode(text, &got)
	}
	if err == nil {
		err = decode(job, &want)
	}
	if err != nil {
		return []string{what + ": " + err.Error()}
	}
	want = merge(want, patch)
	dropEmpty(want)
	dropEmpty(got)
	if reflect.DeepEqual(want, got) {
		return nil
	}
	w, _ := json.Marshal(want)
	g, _ := json.Marshal(got)
	return []string{fmt.Sprintf("%s\n  want %s\n  have %s", what, w, g)}
}

// dropEmpty drops what Go's encoder writes when there is nothing, up to 1.33 null times, too: the vectors have none of it.
func dropEmpty(o any) {
	switch v := o.(type) {
	case map[string]any:
		for _, k := range []string{"metadata", "status"} {
			m, ok := v[k].(map[string]any)
			if t, found := m["creationTimestamp"]; found && t == nil {
				delete(m, "creationTimestamp")
			}
			if ok && len(m) == 0 {
				delete(v, k)
			}
		}
		for _, m := range v {
			dropEmpty(m)
		}
	case []any:
		for _, m := range v {
			dropEmpty(m)
		}
	}
}

// merge is RFC 7386.
func merge(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	t, ok := target.(map[string]any)
	if !ok {
		t = map[string]any{}
	}
	for k, v := range p {
		if v == nil {
			delete(t, k)
		} else {
			t[k] = merge(t[k], v)
		}
	}
	return t
}

func read(file string, ret any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := decode(text, ret); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func decode(text []byte, ret any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(ret)
}
