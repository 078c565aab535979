/* Names of the objects that gang scheduling makes, and the step that makes them. */
#ifndef JR_RECONCILE_GANG_H
#define JR_RECONCILE_GANG_H

#include "controller/reconcile/internal.h"

/** "<job>-<hash of the uid>", "<job>-pgt-0" and "<workload>-<template>-<hash of both>", cut to 253
 * bytes. In the arena; NULL without memory. */
const char *jr_gang_workload_name(struct jr_arena *a, const struct jr_job *job);
const char *jr_gang_template_name(struct jr_arena *a, const struct jr_job *job);
const char *jr_gang_pod_group_name(struct jr_arena *a, struct jr_str workload,
                                   struct jr_str template);

/** Step 8: finds or creates the Job's Workload and PodGroup, then goes on with its Pods. */
enum jr_status jr_gang(struct jr_sync *s);

#endif
