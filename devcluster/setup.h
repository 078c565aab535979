/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a cluster ready, by requests to its API server, one after the other. */
#ifndef JR_DEVCLUSTER_SETUP_H
#define JR_DEVCLUSTER_SETUP_H

#include "common/kube/requester.h"

/** A request. */
struct jr_setup_step {
    const char *method;
    const char *path;
    char *body;       /* JSON, owned */
    const char *from; /* where it comes from, for messages: a file; NULL: from us */
    int turn;         /* those of a lower one go first */
};

/** The requests, and the first that failed. Set q.env, over and ctx, zero the rest. */
struct jr_setup {
    struct jr_requester q;
    struct jr_setup_step *v;
    size_t n, cap, next;
    size_t n_policies;
    bool is_faulty;      /* the turn of the faults has come */
    struct jr_error err; /* why it failed; JR_OK: it did not */
    /* When all were answered whose turn has come, or one failed. */
    void (*over)(void *ctx);
    void *ctx;
};

/** Adds the registration of both webhooks, under the chart's names; address: "127.0.0.1:43211". */
void jr_setup_webhooks(struct jr_setup *s, const char *address, const char *ca_pem);
/** Adds the JobPolicies of a YAML or JSON file, which is borrowed. Errors: JR_IO, JR_SYNTAX,
 * JR_INVALID (one can't be used, or is of another kind; the words have its line and column). */
enum jr_status jr_setup_policies(struct jr_setup *s, const char *file,
                                 struct jr_error *err) JR_MUST_USE;
/** Adds the rules of faults of a file; of several documents the last one counts. Errors likewise;
 * err->path has the member, too. */
enum jr_status jr_setup_faults(struct jr_setup *s, const char *file,
                               struct jr_error *err) JR_MUST_USE;
/** Sends the next request, and after its answer those that follow; faults, which are for those who
 * come after us, once is_faulty says so. */
void jr_setup_run(struct jr_setup *s);
void jr_setup_done(struct jr_setup *s);

#endif
