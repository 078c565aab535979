/* SPDX-License-Identifier: Apache-2.0 */
/* What every program has that runs until it is told to stop: a log, an event loop, signals,
 * metrics, and the listeners by which others see how it does. */
#ifndef JR_HTTP_SERVICE_H
#define JR_HTTP_SERVICE_H

#include "common/base/metrics.h"
#include "common/http/listener.h"

struct jr_service {
    struct jr_log *log; /* borrowed; the rest is owned */
    struct jr_loop *loop;
    struct jr_metrics *metrics;
    struct jr_listener *health;
    struct jr_listener *metrics_listener;
    const struct jr_tls_terms *metrics_tls; /* borrowed; NULL: metrics go by plain HTTP */
    enum jr_status failed;                  /* why the loop was stopped; JR_OK: as it should be */
};

/** The process's log, to standard error. Ends the process without memory. From now on a peer that
 * is gone is an error of the write, no signal. */
struct jr_log *jr_service_log(int level, int format, const char *component) JR_MUST_USE;
/** Begins: tells the C library to give memory back early, makes the loop and the metrics. SIGTERM
 * and SIGINT call on_terminate; NULL: they stop the loop. Threads are made afterwards, and inherit
 * which signals are blocked. */
enum jr_status jr_service_open(struct jr_service *s, struct jr_log *log,
                               void (*on_terminate)(void *ctx, int signo), void *ctx,
                               struct jr_error *err) JR_MUST_USE;
/** Serves at the addresses of --health-probe-bind-address and --metrics-bind-address. */
enum jr_status jr_service_listen(struct jr_service *s, const struct jr_flag_addr *health,
                                 jr_listener_fn *on_probe, const struct jr_flag_addr *metrics,
                                 jr_listener_fn *on_metrics, void *ctx,
                                 struct jr_error *err) JR_MUST_USE;
/** What a jr_listener_fn answers for /metrics. */
int jr_service_metrics(const struct jr_service *s, struct jr_buf *body,
                       const char **ret_content_type);
/** Appends the settings that are not the defaults, for the log line "starting". */
void jr_service_settings(const struct jr_flags *flags, const void *config, struct jr_buf *out);
/** Writes that line, with the version. */
void jr_service_starting(struct jr_log *log, const struct jr_flags *flags, const void *config);
/** Runs until the loop is stopped. started: how starting went, with err. Returns the exit code: 0;
 * 1 after a failure; 2 where a setting is wrong. What went wrong is in the log. */
int jr_service_run(struct jr_service *s, enum jr_status started, struct jr_error *err);
/** Stops the loop, for a failure. */
void jr_service_fail(struct jr_service *s, enum jr_status why);
/** For JR_CLEANUP; whatever uses the loop must be gone before. */
void jr_service_done(struct jr_service *s);

#endif
