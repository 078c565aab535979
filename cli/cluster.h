/* SPDX-License-Identifier: Apache-2.0 */
/* A command's connection to a cluster: by kubectl's rules, and with an end, in words, where waiting
 * can't help. */
#ifndef JR_CLI_CLUSTER_H
#define JR_CLI_CLUSTER_H

#include "common/base/flags.h"
#include "common/curl/login.h"

struct jr_cluster_flags {
    const char *kubeconfig; /* NULL: by kubectl's rules */
    const char *context;    /* NULL: the current one */
};

/** The rows of a flag table; `member` of `struct config` is a struct jr_cluster_flags. */
#define JR_CLUSTER_FLAG_ROWS(config, member)                                               \
    { .name = "kubeconfig",                                                                \
      .type = JR_FLAG_STR,                                                                 \
      .offset = offsetof(config, member) + offsetof(struct jr_cluster_flags, kubeconfig),  \
      .help = "The `file` that says where the cluster is; default: by kubectl's rules." }, \
    {                                                                                      \
        .name = "context", .type = JR_FLAG_STR,                                            \
        .offset = offsetof(config, member) + offsetof(struct jr_cluster_flags, context),   \
        .help = "The `name` of the kubeconfig's context; default: the current one."        \
    }

/** A connection. The commands use loop, kube and env; the rest is cluster.c's. */
struct jr_cluster {
    struct jr_loop *loop;
    struct jr_kube_config kube;
    struct jr_env env;
    struct jr_error err; /* why the command can't go on; JR_OK: it can */
    int signal;          /* SIGINT or SIGTERM, which has ended it; 0: none has */
    /* Whether the command can do without what is read there, if it is refused; NULL: never. */
    bool (*can_do_without)(void *ctx, const char *path);
    void *ctx;           /* of can_do_without */
    int64_t patience_ns; /* with a server that was there and isn't any more; 0: half a minute */
    const char *program;
    struct jr_curl *curl;
    struct jr_login *login;
    bool answered;           /* once, with something else than a refusal */
    struct jr_timer *lasts;  /* while there are refusals only; its end is the command's */
    struct jr_error refusal; /* the last of these */
    char *forbidden;         /* the path, less its query, of one that is a 403; NULL: it isn't */
    bool said;               /* that one is tried again */
};

/** Loads the configuration and makes the loop. program, "jobreeve audit", is put before what is
 * said meanwhile on standard error; borrowed. Errors: as jr_kube_config_load. c is to be zeroed
 * before, and closed whatever is returned. */
enum jr_status jr_cluster_open(struct jr_cluster *c, const struct jr_cluster_flags *flags,
                               const char *program, struct jr_error *err) JR_MUST_USE;
/** The namespace that a flag names, else the context's, else "default"; flag: NULL or "" where it
 * isn't given. Borrowed. */
const char *jr_cluster_namespace(const struct jr_cluster *c, const char *flag);
/** Runs the loop until jr_loop_stop, a signal, or until the connection can't be had: a credential,
 * a right, a certificate or a host that the kubeconfig names wrongly. That ends the first request
 * at once, and later ones where it lasts for half a minute, as an API server may be restarted.
 * Errors: why, err->path is the kubeconfig's file and field; JR_DENIED: a right is lacking. */
enum jr_status jr_cluster_run(struct jr_cluster *c, struct jr_error *err) JR_MUST_USE;
/** Ends all requests. Safe on a zeroed connection. */
void jr_cluster_close(struct jr_cluster *c);

#endif
