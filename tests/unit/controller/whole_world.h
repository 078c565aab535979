/* SPDX-License-Identifier: Apache-2.0 */
/* The whole controller over a small API, on a virtual clock. */
#ifndef JR_TESTS_WHOLE_WORLD_H
#define JR_TESTS_WHOLE_WORLD_H

#include "controller/controller.h"
#include "tests/support/scripted_api.h"
#include "tests/unit/controller/controller_test.h"

#define JOBS "/apis/batch/v1/jobs"
#define PODS "/api/v1/pods"
#define JOBS_IN(ns) "/apis/batch/v1/namespaces/" ns "/jobs"
#define PODS_IN(ns) "/api/v1/namespaces/" ns "/pods"
#define LEASE "/apis/coordination.k8s.io/v1/namespaces/sys/leases/jobreeve"
#define JOB                                                                                   \
    "{\"apiVersion\":\"batch/"                                                                \
    "v1\",\"kind\":\"Job\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\","                \
    "\"uid\":\"u1\",\"resourceVersion\":\"5\",\"generation\":1},\"spec\":{\"parallelism\":2," \
    "\"completions\":2,\"backoffLimit\":6,\"completionMode\":\"NonIndexed\",\"selector\":{"   \
    "\"matchLabels\":{\"batch.kubernetes.io/"                                                 \
    "controller-uid\":\"u1\"}},\"template\":{\"metadata\":{"                                  \
    "\"labels\":{\"batch.kubernetes.io/"                                                      \
    "controller-uid\":\"u1\"}},\"spec\":{\"restartPolicy\":\"Never\","                        \
    "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}"

enum create { CREATE_OK, CREATE_LOST, CREATE_HANGS };

struct world {
    struct jr_clock_virtual clock;
    struct jr_rand_seeded seed;
    struct jr_loop *loop;
    struct jr_scripted_api *api;
    struct jr_metrics *metrics;
    struct jr_log *log; /* into log_fd */
    int log_fd;
    struct jr_controller *c;
    int ended; /* how often on_end was called */
    int code;
    const char *jobs; /* items of the lists */
    char pods[65536];
    enum create create;
    bool happens;       /* what is lost happens all the same */
    const char *holder; /* of the Lease; NULL: there is none */
    char taken[128];    /* by whom it was taken */
    bool lease_fails;
    unsigned lists_fail; /* so many, with 500 */
    int64_t put_delay_ns;
    bool puts_conflict;
    const char *live_job; /* what a GET of the Job shows */
    bool gets_hang;       /* of Jobs */
    int get_status;       /* 0: 200 */
    bool deletes_fail;
    unsigned patches_fail; /* so many, of Pods */
    int64_t patch_delay_ns;
    bool patches_hang;   /* of Pods */
    const char *refusal; /* of all patches of Pods: the message */
    size_t n_namespaces; /* of "ns" and "other" to watch; 0: all */
    const char *other_pods;
    bool gangs;         /* are served; there are none */
    bool streams_break; /* what is told need not be heard */
    unsigned version;
    char text[262144];
};

struct world_options {
    bool elect;          /* with a Lease */
    size_t n_namespaces; /* rights in the first so many of "ns" and "other" alone; 0: all */
    bool decommission;   /* counts what has ended, lets its Pods go, and stops */
    bool ttl;
    bool await_gates;
    size_t concurrent_syncs; /* 0: as many as without a word */
    size_t job_cache_bytes;  /* likewise */
};
/** The Job of the lists, and a controller. */
void world_init_by(struct world *w, const struct world_options *o);
void world_init(struct world *w, bool elect);
void world_start(struct world *w);
void world_done(struct world *w);
/** The controller's handler: ctx is the world. */
void world_on_end(void *ctx, int code);
/** Lets so much time pass. */
void pass(struct world *w, double s);

/** How often this stands in the log. */
size_t logged(const struct world *w, const char *text);
/** Calls whose method and path are these; path: its beginning, up to the query. */
size_t calls(const struct world *w, const char *method, const char *path);
size_t creates(const struct world *w);
size_t puts_seen(const struct world *w);

/** The text of a Pod of the Job. */
const char *pod_text(char *out, size_t cap, const char *name, const char *phase, bool finalizer,
                     unsigned version);
/** Tells of a Pod of the Job. */
void push_pod(struct world *w, const char *type, const char *name, const char *phase,
              bool finalizer);
/** Tells of the Job with this status, in a new version; type: the event's. */
void push_job(struct world *w, const char *type, const char *status);
/** MODIFIED. */
void push_status(struct world *w, const char *status);
/** The status of the last write, whole. */
const char *last_status(const struct world *w, char *out, size_t cap);

#endif
