// SPDX-License-Identifier: Apache-2.0
//go:build kube37

package validate

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

// From 1.37 on the declarative rules come after the strategy's and the metadata's, and replace some of their errors.

func createErrors(ctx context.Context, s strategy, obj runtime.Object) field.ErrorList {
	return rest.ValidateCreate(ctx, obj, s)
}

func updateErrors(ctx context.Context, s strategy, obj, old runtime.Object) field.ErrorList {
	return rest.ValidateUpdate(ctx, obj, old, s)
}
