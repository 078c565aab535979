// SPDX-License-Identifier: Apache-2.0
package main

import (
	"context"
	"encoding/json"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	jobstrategy "k8s.io/kubernetes/pkg/registry/batch/job"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var decoder = admission.NewDecoder(legacyscheme.Scheme)

// defaulted reads a Job as the API server does: decoded, then defaulted.
func defaulted(raw []byte) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	if err := decoder.DecodeRaw(runtime.RawExtension{Raw: raw}, job); err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(job)
	return job, nil
}

func internal(raw []byte) (*batch.Job, error) {
	job, err := defaulted(raw)
	if err != nil {
		return nil, err
	}
	out := &batch.Job{}
	return out, legacyscheme.Scheme.Convert(job, out, nil)
}

// label adds what is known of the generated labels before the Job has its uid.
func label(job *batchv1.Job) {
	if job.Name == "" || job.Spec.ManualSelector != nil && *job.Spec.ManualSelector {
		return
	}
	labels := job.Spec.Template.Labels
	if labels == nil {
		labels = map[string]string{}
		job.Spec.Template.Labels = labels
	}
	for _, key := range []string{batch.LegacyJobNameLabel, batch.JobNameLabel} {
		if _, found := labels[key]; !found {
			labels[key] = job.Name
		}
	}
}

func mutate(_ context.Context, req admission.Request) admission.Response {
	if req.Operation != admissionv1.Create || req.SubResource != "" {
		return admission.Allowed("")
	}
	job, err := defaulted(req.Object.Raw)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	label(job)
	legacyscheme.Scheme.Default(job)
	out, err := json.Marshal(job)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(req.Object.Raw, out)
}

func validate(ctx context.Context, req admission.Request) admission.Response {
	var errs field.ErrorList
	var warnings []string

	if req.Operation != admissionv1.Create && req.Operation != admissionv1.Update {
		return admission.Allowed("")
	}
	job, err := internal(req.Object.Raw)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if req.Operation == admissionv1.Create {
		errs = jobstrategy.Strategy.Validate(ctx, job)
		warnings = jobstrategy.Strategy.WarningsOnCreate(ctx, job)
	} else {
		old, err := internal(req.OldObject.Raw)
		if err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		if req.SubResource == "status" {
			errs = jobstrategy.StatusStrategy.ValidateUpdate(ctx, job, old)
		} else {
			errs = jobstrategy.Strategy.ValidateUpdate(ctx, job, old)
			warnings = jobstrategy.Strategy.WarningsOnUpdate(ctx, job, old)
		}
	}
	if len(errs) == 0 {
		return admission.Allowed("").WithWarnings(warnings...)
	}
	status := apierrors.NewInvalid(batch.Kind("Job"), job.Name, errs).Status()
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{Result: &status}}
}
