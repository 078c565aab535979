/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from a cluster what a diagnosis goes by: the object, its Pods, the namespace's events, and
 * then only the kinds that the diagnosis asks for. At most JR_FETCH_MAX lists or gets, pages not
 * counted; none over all namespaces. */
#ifndef JR_CLI_FETCH_H
#define JR_CLI_FETCH_H

#include "cli/asked.h"
#include "cli/cluster.h"
#include "common/diagnose/diagnosis.h"

#define JR_FETCH_MAX 8
/* The events of a namespace that are read; the diagnosis says so where there are more. */
#define JR_FETCH_EVENTS_MAX 5000

struct jr_fetch_options {
    const struct jr_cluster_flags *flags;
    const char *program;   /* "jobreeve why" */
    const char *namespace; /* NULL: the context's */
    const struct jr_asked *asked;
    struct jr_time now; /* unset: the machine's */
    /* Each object that was read; may be NULL. Lists leave kind and apiVersion out of texts. */
    void (*object)(void *ctx, const char *api_version, const char *kind, struct jr_str text);
    /* Each kind that was read as a whole; may be NULL. */
    void (*read)(void *ctx, const char *kind);
    void *ctx;
};

/** Diagnoses what is asked for on a cluster. cluster is zeroed before, and closed by the caller,
 * whatever is returned; evidence is new, and sealed afterwards. Errors: JR_NOTFOUND, JR_DENIED (the
 * verb and resource that is lacking), those of the connection. */
enum jr_status jr_fetch_diagnosis(struct jr_cluster *cluster,
                                  const struct jr_fetch_options *options,
                                  struct jr_evidence *evidence, struct jr_diagnosis **ret,
                                  struct jr_error *err) JR_MUST_USE;

#endif
