// SPDX-License-Identifier: Apache-2.0

// podsecurity reads cases as tests/podsecurity/cases.py writes them, and prints what Pod Security admission's own checks find in each
// template, a line each: [{"reason": R, "detail": D}, ...].
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

type fault struct {
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

type input struct {
	Level    string
	Version  string
	Template corev1.PodTemplateSpec
}

func answer(e policy.Evaluator, in *input) ([]fault, error) {
	version, err := api.ParseVersion(in.Version)
	if err != nil {
		return nil, err
	}
	lv := api.LevelVersion{Level: api.Level(in.Level), Version: version}
	faults := []fault{}
	for _, r := range e.EvaluatePod(lv, &in.Template.ObjectMeta, &in.Template.Spec) {
		if !r.Allowed {
			faults = append(faults, fault{r.ForbiddenReason, r.ForbiddenDetail})
		}
	}
	return faults, nil
}

func run() error {
	e, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	decoder := json.NewDecoder(bufio.NewReader(os.Stdin))
	for {
		in := input{}
		if err := decoder.Decode(&in); err == io.EOF {
			return out.Flush()
		} else if err != nil {
			return err
		}
		faults, err := answer(e, &in)
		if err != nil {
			return err
		}
		if err := encoder.Encode(faults); err != nil {
			return err
		}
	}
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "podsecurity:", err)
		os.Exit(1)
	}
}
