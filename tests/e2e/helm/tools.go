// SPDX-License-Identifier: Apache-2.0
//go:build tools

// Package tools pins the helm that the chart is tested with; build.sh compiles it.
package tools

import _ "helm.sh/helm/v4/cmd/helm"
