// SPDX-License-Identifier: Apache-2.0
//go:build tools

// Package tools pins krew's own check of plugin manifests; build.sh compiles it.
package tools

import _ "sigs.k8s.io/krew/cmd/validate-krew-manifest"
