// SPDX-License-Identifier: Apache-2.0
//go:build tools

// Package tools pins the module that has the schema; build.sh takes it from its sources.
package tools

import _ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
