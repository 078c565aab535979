/* SPDX-License-Identifier: Apache-2.0 */
/* A Job's Pods over time: a line a Pod, or, of an Indexed Job, an index with its tries one behind
 * the other. Pure. Ends the process without memory. */
#ifndef JR_CLI_STATUS_TIMELINE_H
#define JR_CLI_STATUS_TIMELINE_H

#include "cli/status/page.h"
#include "common/api/job.h"
#include "common/base/memory.h"
#include "common/diagnose/pod_view.h"

/** What a Pod does for a while. */
enum jr_span_kind {
    JR_SPAN_WAITS,  /* it has no node */
    JR_SPAN_STARTS, /* images are pulled, volumes mounted, init containers run */
    JR_SPAN_RUNS,
    JR_SPAN_ENDS, /* it is being deleted */
    JR_SPAN_COUNT
};

/** One such while; what lasts still goes to the timeline's end. */
struct jr_span {
    enum jr_span_kind kind;
    struct jr_time from;
    struct jr_time to;
};

/** How a try, or a line, stands. */
enum jr_try_state { JR_TRY_WAITS, JR_TRY_RUNS, JR_TRY_SUCCEEDED, JR_TRY_FAILED };

/** A Pod. */
struct jr_try {
    struct jr_str pod;
    struct jr_span spans[JR_SPAN_COUNT]; /* in their order, without gaps */
    size_t n_spans;
    enum jr_try_state state;
    struct jr_str mark; /* of a failed one: its exit code "137", else its reason "Evicted"; "" */
    int64_t restarts;   /* of its containers */
};

/** A line: an index's tries in their order, a Pod, or indexes that are folded into one. */
struct jr_timeline_line {
    int64_t first, last; /* indexes; -1: the Job isn't Indexed */
    struct jr_try *tries;
    size_t n_tries; /* 0: the line is folded, or the index has no Pod */
    size_t folded;  /* so many indexes or Pods are folded into the line; 0: it isn't */
    enum jr_try_state state;
};

/** All of it lies in one arena. */
struct jr_timeline {
    struct jr_arena arena;
    struct jr_str namespace;
    struct jr_str name;
    struct jr_time from; /* the Job's start, or the first Pod's, if that is earlier */
    struct jr_time to;   /* the Job's end, else now */
    bool ended;          /* the Job has */
    bool indexed;
    struct jr_timeline_line *lines;
    size_t n;
};

/** Makes the timeline of a Job and its Pods, which may be in any order; all else that is borrowed
 * may go away afterwards. At most lines_max lines: where there would be more, those of indexes or
 * Pods that stand alike beside each other are folded, first what succeeded without a retry, then
 * what has no Pod yet, then the rest. Indexes whose Pods are gone are known by
 * status.completedIndexes and status.failedIndexes. The timeline is the caller's. */
struct jr_timeline *jr_timeline_new(const struct jr_job *job, const struct jr_pod_view *const *pods,
                                    size_t n, struct jr_time now, size_t lines_max);
/** NULL-safe. */
void jr_timeline_free(struct jr_timeline *t);
JR_DEFINE_CLEANUP(struct jr_timeline *, jr_timeline_free)

/** Appends the timeline as text: an axis of time, the lines, a legend. */
void jr_timeline_text(const struct jr_timeline *t, const struct jr_page *page, struct jr_buf *out);
/** Appends it as one static page of HTML that loads nothing: the same picture as SVG, light and
 * dark, readable without colors. `why` is the diagnosis in text, which stands above it. */
void jr_timeline_html(const struct jr_timeline *t, struct jr_str why, struct jr_buf *out);

#endif
