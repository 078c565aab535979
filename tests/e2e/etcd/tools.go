// SPDX-License-Identifier: Apache-2.0
//go:build tools

// Package tools pins the etcd of the test cluster; build.sh compiles it.
package tools

import _ "go.etcd.io/etcd/server/v3"
