/* SPDX-License-Identifier: Apache-2.0 */
/* Repeated lines of a log: so many of one message within a period are written, the rest is counted
 * and the objects that it was about are kept by name. Bounded in memory and in what is written. */
#ifndef JR_BASE_LOG_FOLD_H
#define JR_BASE_LOG_FOLD_H

#include "common/base/log.h"

#define JR_FOLD_AFTER 20
#define JR_FOLD_PERIOD_NS (10 * JR_SEC)
#define JR_FOLD_ENTRIES 64
#define JR_FOLD_NAMES_BYTES 3500 /* of one line that names them */
#define JR_FOLD_LINES_MAX 16     /* of those in a period; what is more is only counted */

/** One message in its current period. */
struct jr_fold {
    uint64_t hash; /* of level and text; 0 = free entry */
    int64_t start_ns;
    int64_t seen;
    int64_t folded; /* since the last report */
    unsigned reports;
    size_t names_n;
    enum jr_log_level level;
    char msg[96]; /* to report when no further line comes */
};

/** Zeroed is empty. */
struct jr_folds {
    size_t pending; /* entries that have something to report */
    struct jr_fold v[JR_FOLD_ENTRIES];
    char names[JR_FOLD_ENTRIES][JR_FOLD_NAMES_BYTES]; /* apart: touched where something is folded */
};

/** What was not written. objects: "NAMESPACE/NAME NAMESPACE/NAME ...", each once; empty where the
 * lines named none, or the room was used up. Both texts end with the call. */
struct jr_fold_report {
    enum jr_log_level level;
    const char *msg;
    int64_t folded;
    struct jr_str objects;
};
typedef void jr_fold_report_fn(void *ctx, const struct jr_fold_report *r);

/** Whether this line is to be written; else it is counted, with the object that the pairs
 * "namespace" and "name" say. Reports what is due before. */
bool jr_folds_admit(struct jr_folds *f, int64_t now_ns, enum jr_log_level level, const char *msg,
                    const struct jr_kv *kv, size_t n, jr_fold_report_fn *report, void *ctx);
/** Reports of periods that are over at that time (INT64_MAX: of all). */
void jr_folds_due(struct jr_folds *f, int64_t now_ns, jr_fold_report_fn *report, void *ctx);

#endif
