/* SPDX-License-Identifier: Apache-2.0 */
/* What `./dev bench controller` runs besides the controllers: see main.c. */
#ifndef JR_BENCH_CONTROLLER_H
#define JR_BENCH_CONTROLLER_H

#include "common/base/flags.h"

struct bench_options {
    const char *kubeconfig;
    const char *namespace;
    const char *pod_file; /* texts with places to fill */
    const char *job_file;
    const char *cert_file; /* PEM */
    const char *key_file;
    int64_t port;
    int64_t jobs;
    int64_t pods_each;
    int64_t events;
    int64_t timeout_ms;
    int64_t template_bytes;
    bool paged;
};

/* All return the exit code, and print their figures as one line of words. */

/** Keeps a cluster's Jobs and Pods in the controller's cache, in this process: allocator bytes a
 * Pod, CPU for each list item and each event. */
int bench_cache(const struct bench_options *o) JR_MUST_USE;
/** Serves a cluster of running Pods to a controller over TLS, and events as asked for on standard
 * input: "events N". Ends with its input. */
int bench_serve(const struct bench_options *o) JR_MUST_USE;
/** Creates Jobs on a real API server, ends their Pods as they come, and waits for the Jobs' ends.
 */
int bench_load(const struct bench_options *o) JR_MUST_USE;

#endif
