// SPDX-License-Identifier: Apache-2.0
// Package validate says what Kubernetes itself answers to a Job or a CronJob: defaulting, the strategy's preparation,
// validation and warnings, by upstream's own packages and in the order of the API server's generic registry.
package validate

import (
	"context"
	"encoding/json"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/capabilities"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
)

// Case is one question: the rows of the admission vectors, with an id and a kind beside.
type Case struct {
	ID    json.RawMessage `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Kind  string          `json:"kind,omitempty"`
	Op    string          `json:"op"`
	Gates map[string]bool `json:"gates,omitempty"`
	// Prepared: the objects are validated as they are, without defaults and the strategy's preparation.
	Prepared bool            `json:"prepared,omitempty"`
	Job      json.RawMessage `json:"job"`
	Old      json.RawMessage `json:"old,omitempty"`
}

// Error is one cause of a refusal. Message is the cause's: words, value, detail.
type Error struct {
	Type    string `json:"type"`
	Field   string `json:"field"`
	Detail  string `json:"detail"`
	Message string `json:"message"`
}

// Answer is what the API server would say. Metadata that only the server gives (uid, creationTimestamp,
// resourceVersion) stays as it was sent. Strict has the unknown and duplicate fields of the object.
type Answer struct {
	ID          json.RawMessage `json:"id,omitempty"`
	DecodeError string          `json:"decodeError,omitempty"`
	GateError   string          `json:"gateError,omitempty"`
	Panic       string          `json:"panic,omitempty"`
	Strict      []string        `json:"strict,omitempty"`
	Errors      []Error         `json:"errors"`
	Warnings    []string        `json:"warnings"`
	Defaulted   any             `json:"defaulted,omitempty"`
	Prepared    any             `json:"prepared,omitempty"`
}

type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

var decoder = kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, legacyscheme.Scheme, legacyscheme.Scheme,
	kjson.SerializerOptions{Strict: true})

// As kube-apiserver --allow-privileged, which nearly all clusters say.
func init() {
	capabilities.Setup(true, 0)
}

// Validate answers c. A panic of upstream's, in a real server a reset connection, is part of the answer.
func Validate(c *Case) (a *Answer) {
	a = &Answer{ID: c.ID, Errors: []Error{}, Warnings: []string{}}
	restore, err := setGates(c.Gates)
	defer restore()
	if err != nil {
		a.GateError = err.Error()
		return a
	}
	defer func() {
		if r := recover(); r != nil {
			a.Panic = fmt.Sprint(r)
		}
	}()
	if err := a.validate(c); err != nil {
		a.DecodeError = err.Error()
	}
	return a
}

func (a *Answer) validate(c *Case) error {
	kind := c.Kind
	if kind == "" {
		kind = "Job"
	}
	obj, strict, err := decode(c.Job, kind)
	if err != nil {
		return err
	}
	a.Strict = strict
	if !c.Prepared {
		legacyscheme.Scheme.Default(obj)
	}
	// A copy, since the defaulted labels and those of the template are one map.
	a.Defaulted = obj.DeepCopyObject()
	internal, err := toInternal(obj.DeepCopyObject())
	if err != nil {
		return err
	}
	s, ctx, err := strategyFor(kind, c.Op)
	if err != nil {
		return err
	}
	var errs field.ErrorList
	if c.Op == "create" {
		if !c.Prepared {
			s.PrepareForCreate(ctx, internal)
		}
		errs = create(ctx, s, internal, &a.Warnings)
	} else {
		var old runtime.Object
		if old, _, err = decode(c.Old, kind); err != nil {
			return fmt.Errorf("old: %w", err)
		}
		if !c.Prepared {
			legacyscheme.Scheme.Default(old)
		}
		if old, err = toInternal(old); err != nil {
			return err
		}
		if !c.Prepared {
			prepareUpdate(ctx, s, internal, old)
		}
		errs = update(ctx, s, internal, old, &a.Warnings)
	}
	for _, e := range errs {
		a.Errors = append(a.Errors, Error{string(e.Type), e.Field, e.Detail, e.ErrorBody()})
	}
	a.Prepared, err = legacyscheme.Scheme.ConvertToVersion(internal, batchv1.SchemeGroupVersion)
	return err
}

func decode(raw json.RawMessage, kind string) (runtime.Object, []string, error) {
	gvk := batchv1.SchemeGroupVersion.WithKind(kind)
	obj, got, err := decoder.Decode(raw, &gvk, nil)
	var strict []string
	if serr, ok := runtime.AsStrictDecodingError(err); ok && obj != nil {
		for _, e := range serr.Errors() {
			strict = append(strict, e.Error())
		}
		err = nil
	}
	if err == nil && *got != gvk {
		err = fmt.Errorf("the object provided is %s, not %s", got, gvk)
	}
	return obj, strict, err
}

func toInternal(obj runtime.Object) (runtime.Object, error) {
	return legacyscheme.Scheme.ConvertToVersion(obj, schema.GroupVersion{Group: batch.GroupName, Version: runtime.APIVersionInternal})
}

func strategyFor(kind, op string) (strategy, context.Context, error) {
	info := &genericapirequest.RequestInfo{IsResourceRequest: true, Verb: "create", APIGroup: batch.GroupName,
		APIVersion: "v1", Resource: "jobs"}
	if kind == "CronJob" {
		info.Resource = "cronjobs"
	}
	var s strategy
	switch kind + " " + op {
	case "Job create", "Job update":
		s = job.Strategy
	case "Job updateStatus":
		s = job.StatusStrategy
	case "CronJob create", "CronJob update":
		s = cronjob.Strategy
	case "CronJob updateStatus":
		s = cronjob.StatusStrategy
	default:
		return nil, nil, fmt.Errorf("unknown operation %q on kind %q", op, kind)
	}
	if op != "create" {
		info.Verb = "update"
	}
	if op == "updateStatus" {
		info.Subresource = "status"
	}
	return s, genericapirequest.WithRequestInfo(context.Background(), info), nil
}

// create is rest.BeforeCreate after the preparation, with its field errors kept. Name generation and the namespace of the request are
// the caller's matter.
func create(ctx context.Context, s strategy, obj runtime.Object, warnings *[]string) field.ErrorList {
	errs := createErrors(ctx, s, obj)
	if len(errs) == 0 {
		*warnings = append(*warnings, s.WarningsOnCreate(ctx, obj)...)
		s.Canonicalize(obj)
	}
	return errs
}

// prepareUpdate is the first half of rest.BeforeUpdate.
func prepareUpdate(ctx context.Context, s strategy, obj, old runtime.Object) {
	m, o := metaOf(obj), metaOf(old)
	m.SetGeneration(o.GetGeneration())
	s.PrepareForUpdate(ctx, obj, old)
	if m.GetUID() == "" {
		m.SetUID(o.GetUID())
	}
	if t := o.GetCreationTimestamp(); !t.IsZero() {
		m.SetCreationTimestamp(t)
	}
	if !o.GetDeletionTimestamp().IsZero() {
		m.SetDeletionTimestamp(o.GetDeletionTimestamp())
	}
	if o.GetDeletionGracePeriodSeconds() != nil && m.GetDeletionGracePeriodSeconds() == nil {
		m.SetDeletionGracePeriodSeconds(o.GetDeletionGracePeriodSeconds())
	}
}

// update is the second half of rest.BeforeUpdate, with its field errors kept.
func update(ctx context.Context, s strategy, obj, old runtime.Object, warnings *[]string) field.ErrorList {
	errs := updateErrors(ctx, s, obj, old)
	if len(errs) == 0 {
		*warnings = append(*warnings, s.WarningsOnUpdate(ctx, obj, old)...)
		s.Canonicalize(obj)
	}
	return errs
}

func metaOf(obj runtime.Object) metav1.Object {
	m, err := meta.Accessor(obj)
	if err != nil {
		panic(err)
	}
	return m
}
