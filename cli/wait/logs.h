/* SPDX-License-Identifier: Apache-2.0 */
/* The logs of many Pods as they are written: every line of every container's runs once, a
 * container's in their order, those of init containers before the others'. */
#ifndef JR_CLI_WAIT_LOGS_H
#define JR_CLI_WAIT_LOGS_H

#include "common/diagnose/pod_view.h"
#include "common/kube/transport.h"

struct jr_logs_handler {
    /* A line of the Pod's; container NULL: it has only one. All borrowed. */
    void (*line)(void *ctx, struct jr_str pod, const char *container, struct jr_str text);
    /* Lines are missing: why, in words. */
    void (*missing)(void *ctx, struct jr_str pod, const char *container, struct jr_str words);
    void *ctx;
};

struct jr_logs;
struct jr_logs *jr_logs_new(const struct jr_env *env, const struct jr_logs_handler *handler);
/** Ends all readings. NULL-safe. */
void jr_logs_free(struct jr_logs *logs);
/** The Pod is there, or has changed. */
void jr_logs_take(struct jr_logs *logs, const struct jr_pod_view *pod);
/** The Pod was deleted: what is under way goes on to its end. */
void jr_logs_gone(struct jr_logs *logs, const struct jr_pod_view *pod);
/** Whether all that is known to be written was told. */
bool jr_logs_idle(const struct jr_logs *logs);
/** Tells which logs weren't read to their end. */
void jr_logs_give_up(struct jr_logs *logs);

#endif
