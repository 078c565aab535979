/* SPDX-License-Identifier: Apache-2.0 */
/* A program of ours as a child process: what it says goes to a log, it ends with us. */
#ifndef JR_DEVCLUSTER_PROGRAM_H
#define JR_DEVCLUSTER_PROGRAM_H

#include <sys/types.h>

#include "common/base/loop.h"

struct jr_program {
    const char *name; /* jobreeve-webhook */
    char *log;        /* the path of its log; owned */
    struct jr_loop *loop;
    pid_t pid; /* 0: it doesn't run */
    int pidfd;
    struct jr_loop_fd *watch;
    void (*on_end)(void *ctx, struct jr_program *p, int how); /* how: as of waitpid */
    void *ctx;
};

/** Starts the program that lies beside ours, with these arguments (argv[0] is set here; ended by
 * NULL), and its log made anew. Set name, log, loop, on_end and ctx, zero the rest. */
enum jr_status jr_program_start(struct jr_program *p, const char **argv,
                                struct jr_error *err) JR_MUST_USE;
/** Reads from its log whether it has said msg, and the texts of the first line that has: the member
 * `key`, owned by the caller (NULL: there is no such member, or key is NULL). */
bool jr_program_has_said(const struct jr_program *p, const char *msg, const char *key,
                         char **ret_value);
/** Counts the lines of its log that say msg. */
size_t jr_program_count(const struct jr_program *p, const char *msg);
/** Tells it to end. */
void jr_program_terminate(const struct jr_program *p);
/** Ends it, by force after five seconds, and waits for that. Safe where it doesn't run. */
void jr_program_done(struct jr_program *p);

#endif
