/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded cluster on an event loop: API server, certificates, token, simulated kubelet. */
#ifndef JR_DEVCLUSTER_CLUSTER_H
#define JR_DEVCLUSTER_CLUSTER_H

#include "common/base/flags.h"
#include "common/curl/curl.h"
#include "common/schema/profiles.h"
#include "devcluster/kubelet/kubelet.h"
#include "devcluster/server.h"

/** The settings that serve and up share. */
struct jr_devcluster_flags {
    struct jr_flag_addr bind;
    const char *data_dir;
    const char *node; /* "": no kubelet */
    int64_t default_run_ms;
    int64_t history;
    const char *version;
    struct jr_flag_list gates;
};

/** The rows of a flag table; `member` of `struct config` is a struct jr_devcluster_flags. */
#define JR_DEVCLUSTER_FLAG_ROWS(config, member)                                                  \
    JR_DEVCLUSTER_ROW(config, member, bind, "bind-address", JR_FLAG_ADDR, "127.0.0.1:0",         \
                      "Where the API is served; port 0 takes a free one."),                      \
        JR_DEVCLUSTER_ROW(config, member, data_dir, "data-dir", JR_FLAG_STR, ".devcluster",      \
                          "The `folder` where kubeconfig and ca.crt are written."),              \
        JR_DEVCLUSTER_ROW(config, member, node, "node", JR_FLAG_STR, "sim-node",                 \
                          "The `name` of the simulated kubelet's Node; empty: no kubelet."),     \
        JR_DEVCLUSTER_ROW(config, member, default_run_ms, "default-run", JR_FLAG_DURATION, "1s", \
                          "How long a Pod runs that has no kubelet.jobreeve.dev/duration."),     \
        { .name = "history",                                                                     \
          .type = JR_FLAG_INT,                                                                   \
          .offset = offsetof(config, member) + offsetof(struct jr_devcluster_flags, history),    \
          .initial = "10000",                                                                    \
          .min = 10,                                                                             \
          .max = 10000000,                                                                       \
          .help = "How many changes are kept for watches; older versions answer 410." },         \
        JR_DEVCLUSTER_ROW(config, member, version, "kubernetes-version", JR_FLAG_STR, "1.36.0",  \
                          "The `version` of Kubernetes, 1.31 to 1.37 or the preview 1.38, "      \
                          "whose rules it has, and which it says it is."),                       \
        JR_DEVCLUSTER_ROW(config, member, gates, JR_GATES_FLAG, JR_FLAG_LIST, "",                \
                          "Gates that differ from their defaults in that version, as "           \
                          "`Name=true|false,...`.")
#define JR_DEVCLUSTER_ROW(config, member, field, name_, type_, initial_, help_)           \
    {                                                                                     \
        .name = (name_), .type = (type_),                                                 \
        .offset = offsetof(config, member) + offsetof(struct jr_devcluster_flags, field), \
        .initial = (initial_), .help = (help_)                                            \
    }

/** Reads the version and the gates. Errors: JR_USAGE, err->path is the flag. */
enum jr_status jr_devcluster_profile(const struct jr_devcluster_flags *flags,
                                     struct jr_profile *ret, struct jr_error *err) JR_MUST_USE;

/** A cluster that serves. All but the loop is its own. */
struct jr_devcluster {
    struct jr_loop *loop;
    struct jr_dev_store *store;
    struct jr_dev_server *server;
    struct jr_curl *curl; /* the kubelet's */
    struct jr_dev_kubelet *kubelet;
    struct jr_cert ca;
    struct jr_cert leaf;
    char token[33];
    char url[128]; /* https://127.0.0.1:43211 */
};

/** Starts it; nothing is written to disk. d is zeroed before, and ended whatever is returned. */
enum jr_status jr_devcluster_start(struct jr_devcluster *d, struct jr_loop *loop,
                                   const struct jr_devcluster_flags *flags,
                                   const struct jr_profile *profile, struct jr_log *log,
                                   struct jr_error *err) JR_MUST_USE;
/** Writes ca.crt, then the kubeconfig of that name, into the data folder, which is there. */
enum jr_status jr_devcluster_publish(const struct jr_devcluster *d, const char *dir,
                                     const char *kubeconfig, struct jr_error *err) JR_MUST_USE;
/** Safe on a zeroed cluster. */
void jr_devcluster_done(struct jr_devcluster *d);

#endif
