/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out whether the API server serves Workloads and PodGroups, and of which version. */
#ifndef JR_CONTROLLER_GANG_DISCOVERY_H
#define JR_CONTROLLER_GANG_DISCOVERY_H

#include "common/api/workload.h"
#include "common/base/log.h"
#include "common/kube/transport.h"

struct jr_gang_discovery;
/** Asks the server for the newest version of the API that we know; a server that doesn't answer is
 * asked again. on_known is called once, from the loop; JR_SCHEDULING_NONE: it serves none. env is
 * borrowed; log may be NULL. */
struct jr_gang_discovery *jr_gang_discovery_start(const struct jr_env *env,
                                                  void (*on_known)(void *ctx,
                                                                   enum jr_scheduling_api api),
                                                  void *ctx, struct jr_log *log);
void jr_gang_discovery_free(struct jr_gang_discovery *d);

#endif
