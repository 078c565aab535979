// SPDX-License-Identifier: Apache-2.0
// Prints Kubernetes' Go types, a line a field: TYPE FIELD GO-TYPE [merge[:KEY]] [always] [number:N], and TYPE inline number:N, in the words of tests/schema/dump.c.
package main

import (
	"fmt"
	"reflect"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var kinds = []any{
	batchv1.Job{}, batchv1.CronJob{}, corev1.Pod{}, corev1.Namespace{}, corev1.Node{}, corev1.Event{}, corev1.ConfigMap{},
	corev1.Secret{}, corev1.ServiceAccount{}, corev1.ResourceQuota{}, coordinationv1.Lease{}, admissionregistrationv1.MutatingWebhookConfiguration{},
	admissionregistrationv1.ValidatingWebhookConfiguration{}, schedulingv1alpha2.Workload{}, schedulingv1alpha2.PodGroup{},
}

// Structs with a decoder of their own: one value, not looked into.
var scalars = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():         "v1.Time",
	reflect.TypeFor[metav1.MicroTime]():    "v1.MicroTime",
	reflect.TypeFor[metav1.FieldsV1]():     "v1.FieldsV1",
	reflect.TypeFor[resource.Quantity]():   "resource.Quantity",
	reflect.TypeFor[intstr.IntOrString]():  "intstr.IntOrString",
	reflect.TypeFor[corev1.ResourceList](): "v1.ResourceList",
}

type walk struct {
	seen  map[reflect.Type]bool
	queue []reflect.Type
}

func (w *walk) reach(t reflect.Type) {
	if !w.seen[t] {
		w.seen[t] = true
		w.queue = append(w.queue, t)
	}
}

func (w *walk) name(t reflect.Type) string {
	if text, ok := scalars[t]; ok {
		return text
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + w.name(t.Elem())
	case reflect.Slice:
		return "[]" + w.name(t.Elem())
	case reflect.Struct:
		w.reach(t)
	}
	return t.String()
}

// always says that the encoder writes the field where it is zero, too. Of structs without a pointer it does so anyway, but for times that are left out.
func always(t reflect.Type, options string) string {
	time := t == reflect.TypeFor[metav1.Time]() || t == reflect.TypeFor[metav1.MicroTime]()
	if t.Kind() == reflect.Struct && !time || strings.Contains(options, "omitzero") || !time && strings.Contains(options, "omitempty") {
		return ""
	}
	return " always"
}

// number is the field's in protobuf: protobuf:"bytes,1,opt,name=metadata".
func number(f reflect.StructField) string {
	parts := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return ""
	}
	return " number:" + parts[1]
}

// fields prints those of a type; numbered: they are in protobuf, which has no TypeMeta.
func (w *walk) fields(of string, t reflect.Type, numbered bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && strings.Contains(options, "inline") {
			inline := number(f)
			if inline != "" {
				fmt.Println(of, "inline"+inline)
			}
			w.fields(of, f.Type, inline != "")
			continue
		}
		merge := ""
		if strings.HasPrefix(f.Tag.Get("patchStrategy"), "merge") {
			merge = strings.TrimSuffix(" merge:"+f.Tag.Get("patchMergeKey"), ":")
		}
		n := ""
		if numbered {
			n = number(f)
		}
		fmt.Println(of, name, w.name(f.Type)+merge+always(f.Type, options)+n)
	}
}

func main() {
	w := walk{seen: map[reflect.Type]bool{}}
	for _, kind := range kinds {
		w.reach(reflect.TypeOf(kind))
	}
	for len(w.queue) > 0 {
		t := w.queue[0]
		w.queue = w.queue[1:]
		w.fields(t.String(), t, true)
	}
}
