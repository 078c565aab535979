/* SPDX-License-Identifier: Apache-2.0 */
/* A Pod's text as the simulated kubelet keeps it. */
#ifndef JR_DEVCLUSTER_KUBELET_POD_H
#define JR_DEVCLUSTER_KUBELET_POD_H

#include "common/base/log.h"
#include "common/json/doc.h"

/** Parses a Pod as an API server serves it, less metadata.managedFields and spec.volumes: what a
 * simulated run has no use for, and where a tenant may write keys and depths that no tree takes.
 * One that can't be read is logged, and gives NULL: it doesn't run, the others do. */
struct jr_doc *jr_dev_kubelet_pod_parse(struct jr_str object, struct jr_log *log);

#endif
