/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the objects that gang scheduling makes. */
#ifndef JR_RECONCILE_GANG_H
#define JR_RECONCILE_GANG_H

#include "common/api/job.h"

/** "<job>-<hash of the uid>", "<job>-pgt-0" and "<workload>-<template>-<hash of both>", cut to 253
 * bytes. In the arena. */
struct jr_str jr_gang_workload_name(struct jr_arena *a, const struct jr_job *job);
struct jr_str jr_gang_template_name(struct jr_arena *a, const struct jr_job *job);
struct jr_str jr_gang_pod_group_name(struct jr_arena *a, struct jr_str workload,
                                     struct jr_str template);

#endif
