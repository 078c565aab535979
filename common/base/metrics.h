/* SPDX-License-Identifier: Apache-2.0 */
/* Counters, gauges and histograms in Prometheus' text format (version 0.0.4). */
#ifndef JR_BASE_METRICS_H
#define JR_BASE_METRICS_H

#include "common/base/buf.h"

enum jr_metric_kind { JR_COUNTER, JR_GAUGE, JR_HISTOGRAM };

/** A family: name, help, label names, for histograms the upper bounds without +Inf. All borrowed
 * and constant: families are static tables of their module. */
struct jr_metric_desc {
    const char *name; /* whole name: job_controller_job_syncs_total */
    const char *help;
    enum jr_metric_kind kind;
    const char *const *labels; /* NULL-terminated, or NULL */
    const double *buckets;     /* histogram only */
    size_t n_buckets;
};

/** A counter or gauge as a constant: KIND, "name", "help", the labels, NULL. */
#define JR_METRIC(kind_, name_, help_, ...)                   \
    {                                                         \
        .name = (name_), .help = (help_), .kind = JR_##kind_, \
        .labels = (const char *const[]){ __VA_ARGS__ },       \
    }

/** The same of a histogram with these upper bounds of its buckets, an array. */
#define JR_METRIC_HISTOGRAM(bounds_, name_, help_, ...)                       \
    {                                                                         \
        .name = (name_), .help = (help_), .kind = JR_HISTOGRAM,               \
        .labels = (const char *const[]){ __VA_ARGS__ }, .buckets = (bounds_), \
        .n_buckets = JR_ARRAY_SIZE(bounds_),                                  \
    }

struct jr_metrics;
enum jr_status jr_metrics_new(struct jr_metrics **ret) JR_MUST_USE;
void jr_metrics_free(struct jr_metrics *m);

/** All are safe from several threads (one mutex inside), never fail loudly: without memory the
 * sample is dropped and counted in jobreeve_metrics_dropped_total. m may be NULL. values: as many
 * as the family has labels, in that order; NULL where there are none. The family shows up at its
 * first use or jr_metrics_declare. */
void jr_metrics_declare(struct jr_metrics *m, const struct jr_metric_desc *d,
                        const char *const *values);
void jr_metrics_add(struct jr_metrics *m, const struct jr_metric_desc *d, const char *const *values,
                    double by);
void jr_metrics_set(struct jr_metrics *m, const struct jr_metric_desc *d, const char *const *values,
                    double to);
void jr_metrics_observe(struct jr_metrics *m, const struct jr_metric_desc *d,
                        const char *const *values, double v);
/** Drops all series of a family: for labels that come and go, before they are set anew. */
void jr_metrics_clear(struct jr_metrics *m, const struct jr_metric_desc *d);
/** The value of a counter or gauge, the count of a histogram; 0 if never used. For tests. */
double jr_metrics_get(struct jr_metrics *m, const char *name, const char *const *values);
/** Appends the exposition text, families and series in sorted order. */
enum jr_status jr_metrics_render(struct jr_metrics *m, struct jr_buf *out) JR_MUST_USE;
/** The process_* families of Prometheus' own clients and jobreeve_build_info{version,revision} are
 * added to a rendering of m from now on. */
void jr_metrics_process(struct jr_metrics *m);

#endif
