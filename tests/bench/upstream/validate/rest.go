// SPDX-License-Identifier: Apache-2.0
//go:build !kube37

package validate

import (
	"context"

	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// createErrors are rest.BeforeCreate's: the metadata is validated when nothing else was wrong.
func createErrors(ctx context.Context, s strategy, obj runtime.Object) field.ErrorList {
	errs := s.Validate(ctx, obj)
	if len(errs) == 0 {
		errs = validateMeta(s, obj)
	}
	return errs
}

// updateErrors are rest.BeforeUpdate's.
func updateErrors(ctx context.Context, s strategy, obj, old runtime.Object) field.ErrorList {
	errs := validateMeta(s, obj)
	errs = append(errs, genericvalidation.ValidateObjectMetaAccessorUpdate(metaOf(obj), metaOf(old), field.NewPath("metadata"))...)
	return append(errs, s.ValidateUpdate(ctx, obj, old)...)
}

func validateMeta(s strategy, obj runtime.Object) field.ErrorList {
	return genericvalidation.ValidateObjectMetaAccessor(metaOf(obj), s.NamespaceScoped(), path.ValidatePathSegmentName, field.NewPath("metadata"))
}
