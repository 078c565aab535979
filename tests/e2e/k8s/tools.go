// SPDX-License-Identifier: Apache-2.0
//go:build tools

// Package tools pins the commands of the test cluster; build.sh compiles them.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
