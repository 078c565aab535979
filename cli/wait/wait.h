/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for Jobs: one list and one watch of them, and of their Pods, in each namespace. */
#ifndef JR_CLI_WAIT_WAIT_H
#define JR_CLI_WAIT_WAIT_H

#include "cli/wait/jobs.h"
#include "cli/wait/logs.h"

struct jr_wait_options {
    struct jr_wait_jobs *jobs;  /* borrowed; by name they are there already */
    const char *selector;       /* NULL: by name; else all that match at first */
    const char *namespace;      /* of the selector */
    bool any;                   /* the first one will do */
    bool follow;                /* logs are told */
    int64_t stuck_ns;           /* 0: no Job is ever stuck */
    int64_t timeout_ns;         /* 0: none */
    struct jr_logs_handler out; /* of logs */
    /* Once: the waiting is over, or there is nothing to wait for (why; NULL: it was over). */
    void (*over)(void *ctx, const struct jr_error *why);
    void *ctx; /* of over */
};

struct jr_wait;
/** Starts. The strings of options are borrowed. */
struct jr_wait *jr_wait_new(const struct jr_env *env, const struct jr_wait_options *options);
/** NULL-safe. */
void jr_wait_free(struct jr_wait *w);
/** A request for this path was answered 403. Returns whether the waiting goes on without: it needs
 * the Jobs only. */
bool jr_wait_can_do_without(struct jr_wait *w, const char *path);

#endif
