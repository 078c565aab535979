// SPDX-License-Identifier: Apache-2.0
// Prints the types of an OpenAPI document of Kubernetes (api/openapi-spec/swagger.json), a line a field:
// TYPE FIELD TYPE-OF-IT [LIST-TYPE[:KEYS]] [merge[:KEY]], in the words of tests/schema/dump.c.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
)

var kinds = []string{
	"io.k8s.api.batch.v1.Job", "io.k8s.api.batch.v1.CronJob", "io.k8s.api.core.v1.Pod", "io.k8s.api.core.v1.Namespace",
	"io.k8s.api.core.v1.Node", "io.k8s.api.core.v1.Event", "io.k8s.api.core.v1.ConfigMap", "io.k8s.api.core.v1.Secret",
	"io.k8s.api.core.v1.ServiceAccount", "io.k8s.api.core.v1.ResourceQuota", "io.k8s.api.coordination.v1.Lease",
	"io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration",
	"io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration",
	"io.k8s.api.scheduling.v1alpha2.Workload", "io.k8s.api.scheduling.v1alpha2.PodGroup",
	"io.k8s.api.scheduling.v1beta1.Workload", "io.k8s.api.scheduling.v1beta1.PodGroup",
}

type schema struct {
	Ref           string            `json:"$ref"`
	Type          string            `json:"type"`
	Format        string            `json:"format"`
	Items         *schema           `json:"items"`
	Additional    *schema           `json:"additionalProperties"`
	Properties    map[string]schema `json:"properties"`
	ListType      string            `json:"x-kubernetes-list-type"`
	ListKeys      []string          `json:"x-kubernetes-list-map-keys"`
	PatchStrategy string            `json:"x-kubernetes-patch-strategy"`
	PatchKey      string            `json:"x-kubernetes-patch-merge-key"`
}

// Definitions that are one value, not looked into.
var scalars = map[string]string{
	"v1.Time": "v1.Time", "v1.MicroTime": "v1.Time", "v1.FieldsV1": "v1.FieldsV1", "resource.Quantity": "resource.Quantity",
	"intstr.IntOrString": "intstr.IntOrString",
}

type walk struct {
	definitions map[string]schema
	seen        map[string]bool
	queue       []string
}

func (w *walk) reach(name string) {
	if !w.seen[name] {
		w.seen[name] = true
		w.queue = append(w.queue, name)
	}
}

// v1.JobSpec of io.k8s.api.batch.v1.JobSpec.
func short(name string) string {
	parts := strings.Split(name, ".")
	return strings.Join(parts[len(parts)-2:], ".")
}

func (w *walk) name(s *schema) string {
	if s.Ref != "" {
		full := strings.TrimPrefix(s.Ref, "#/definitions/")
		if scalar, ok := scalars[short(full)]; ok {
			return scalar
		}
		w.reach(full)
		return short(full)
	}
	switch {
	case s.Type == "array":
		return "[]" + w.name(s.Items)
	case s.Additional != nil:
		return "map[string]" + w.name(s.Additional)
	case s.Type == "integer":
		return s.Format
	case s.Type == "boolean":
		return "bool"
	}
	return s.Type
}

func list(s schema) string {
	text := ""
	if s.Type == "array" {
		if text = " " + s.ListType; s.ListType == "" {
			text = " atomic"
		}
		if s.ListType == "map" {
			text += ":" + strings.Join(s.ListKeys, ",")
		}
	}
	if strings.HasPrefix(s.PatchStrategy, "merge") && s.Type == "array" {
		text += strings.TrimSuffix(" merge:"+s.PatchKey, ":")
	}
	return text
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var document struct {
		Definitions map[string]schema `json:"definitions"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		log.Fatalf("%s: %v", os.Args[1], err)
	}
	w := walk{definitions: document.Definitions, seen: map[string]bool{}}
	for _, kind := range kinds {
		if _, ok := w.definitions[kind]; ok {
			w.reach(kind)
		}
	}
	for len(w.queue) > 0 {
		name := w.queue[0]
		w.queue = w.queue[1:]
		for field, s := range w.definitions[name].Properties {
			fmt.Println(short(name), field, w.name(&s)+list(s))
		}
	}
}
