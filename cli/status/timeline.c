/* SPDX-License-Identifier: Apache-2.0 */
/* What Pods did when, which line each is in, and which lines are folded. */
#include "cli/status/timeline.h"

#include "common/base/utf8.h"
#include "common/job/indexes.h"

#define NAME_BYTES 253 /* of a name that an API server takes */
#define MARK_BYTES 64
#define LINES_LEAST 3
#define STATES (JR_TRY_FAILED + 1)

/* ---- a Pod ---- */

static struct jr_time within(struct jr_time t, struct jr_time from, struct jr_time to)
{
    if (jr_time_cmp(t, from) < 0)
        return from;
    return jr_time_cmp(t, to) > 0 ? to : t;
}

/** Makes *first the earliest start. An unknown one is `otherwise`; the start of 1970, which
 * kubelets write of a container that couldn't be started, is none. */
static void note_start(bool set, struct jr_time at, struct jr_time otherwise, struct jr_time *first)
{
    if (!set || (jr_time_set(at) && at.ns <= JR_SEC))
        return;
    at = jr_time_set(at) ? at : otherwise;
    if (!jr_time_set(*first) || jr_time_cmp(at, *first) < 0)
        *first = at;
}

/** Returns when the first ordinary container started; unset: none has. */
static struct jr_time first_start(const struct jr_pod_view *pod, struct jr_time otherwise)
{
    struct jr_time first = { 0 };

    for (size_t i = 0; i < pod->containers.n; i++) {
        const struct jr_container_state *now = &pod->containers.v[i].state;
        const struct jr_container_exit *before = &pod->containers.v[i].before.terminated;

        note_start(now->running.set, now->running.started, otherwise, &first);
        note_start(now->terminated.set, now->terminated.started, otherwise, &first);
        note_start(before->set, before->started, otherwise, &first);
    }
    return first;
}

/** Returns when the Pod's deletion began, `otherwise` if it hasn't. */
static struct jr_time deletion_of(const struct jr_pod_view *pod, struct jr_time otherwise)
{
    const int64_t grace = jr_i64_or(pod->meta.deletion_grace_period_s, 0);

    if (!jr_time_set(pod->meta.deletion_timestamp))
        return otherwise;
    return jr_time_later_s(pod->meta.deletion_timestamp, grace > 0 ? -grace : 0);
}

/** Returns when the Pod ended. Where its containers don't tell that, its conditions changed last as
 * it did. */
static struct jr_time finish_of(const struct jr_pod_view *pod)
{
    const struct jr_time told = jr_pod_view_finished(pod);
    struct jr_time last = told;

    if (jr_time_cmp(told, pod->meta.creation_timestamp) > 0)
        return told;
    for (size_t i = 0; i < pod->conditions.n; i++) {
        if (jr_time_cmp(pod->conditions.v[i].since, last) > 0)
            last = pod->conditions.v[i].since;
    }
    return last;
}

static void add_span(struct jr_try *try, enum jr_span_kind kind, struct jr_time from,
                     struct jr_time to)
{
    if (jr_time_cmp(from, to) < 0)
        try->spans[try->n_spans++] = (struct jr_span){ kind, from, to };
}

/** Sets the spans: at least one, which has no length where the Pod ended as it was made. */
static void set_spans(const struct jr_timeline *t, const struct jr_pod_view *pod,
                      struct jr_try *try)
{
    const struct jr_pod_view_condition *c = jr_pod_view_condition(pod, "PodScheduled");
    const bool scheduled = c != NULL && jr_str_is(c->status, "True");
    const struct jr_time from = within(pod->meta.creation_timestamp, t->from, t->to);
    const struct jr_time to = jr_pod_view_ended(pod) ? within(finish_of(pod), from, t->to) : t->to;
    const struct jr_time deleted = within(deletion_of(pod, to), from, to);
    struct jr_time node = scheduled && jr_time_set(c->since) ? c->since : from, start;

    start = first_start(pod, node);
    if (!scheduled && pod->node.n == 0)
        node = jr_time_set(start) ? start : to; /* what runs has a node */
    node = within(node, from, deleted);
    start = jr_time_set(start) ? within(start, node, deleted) : deleted;
    add_span(try, JR_SPAN_WAITS, from, node);
    add_span(try, JR_SPAN_STARTS, node, start);
    add_span(try, JR_SPAN_RUNS, start, deleted);
    add_span(try, JR_SPAN_ENDS, deleted, to);
    if (try->n_spans == 0)
        try->spans[try->n_spans++] = (struct jr_span){ JR_SPAN_STARTS, from, from };
}

static enum jr_try_state state_of(const struct jr_pod_view *pod)
{
    if (jr_pod_view_ended(pod))
        return jr_str_is(pod->phase, "Succeeded") ? JR_TRY_SUCCEEDED : JR_TRY_FAILED;
    for (size_t i = 0; i < pod->containers.n; i++) {
        if (pod->containers.v[i].state.running.set)
            return JR_TRY_RUNS;
    }
    return JR_TRY_WAITS;
}

static int64_t restarts_in(const struct jr_container_views *list)
{
    int64_t n = 0;

    for (size_t i = 0; i < list->n; i++)
        n += list->v[i].restarts > 0 ? list->v[i].restarts : 0;
    return n;
}

static int64_t restarts_of(const struct jr_pod_view *pod)
{
    return restarts_in(&pod->containers) + restarts_in(&pod->init);
}

static struct jr_str mark_of(const struct jr_pod_view *pod, struct jr_arena *arena)
{
    const struct jr_container_view *c = jr_pod_view_failed(pod);

    if (state_of(pod) != JR_TRY_FAILED)
        return JR_S("");
    if (c != NULL)
        return jr_xarena_text(arena, "%d", (int)jr_container_last_exit(c)->code);
    return jr_xarena_str(arena, jr_utf8_head(pod->reason, MARK_BYTES));
}

static void set_try(struct jr_timeline *t, const struct jr_pod_view *pod, struct jr_try *try)
{
    try->pod = jr_xarena_str(&t->arena, jr_utf8_head(pod->meta.name, NAME_BYTES));
    try->state = state_of(pod);
    try->mark = mark_of(pod, &t->arena);
    try->restarts = restarts_of(pod);
    set_spans(t, pod, try);
}

/* ---- parts: what will be a line, and indexes without Pods as ranges ---- */

struct entry {
    int64_t index; /* -1: none */
    const struct jr_pod_view *pod;
};

/** From which fold on it may be together with its neighbours. */
enum fold { FOLD_NOTHING, FOLD_DONE, FOLD_UNMADE, FOLD_STATES };

struct part {
    int64_t first, last;         /* indexes; -1: none */
    const struct entry *entries; /* its Pods */
    size_t n;                    /* 0: none, or those of several lines */
    size_t count;                /* indexes or Pods that it stands for */
    enum jr_try_state state;
    enum fold fold;
    bool kept; /* by fold_middle() */
};

struct parts {
    struct part *v;
    size_t n, cap;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int by;

    if (x->index != y->index) /* -1 comes last */
        return (uint64_t)x->index < (uint64_t)y->index ? -1 : 1;
    by = jr_time_cmp(x->pod->meta.creation_timestamp, y->pod->meta.creation_timestamp);
    return by != 0 ? by : jr_str_cmp(x->pod->meta.name, y->pod->meta.name);
}

/** Returns the Pod's index as the Job controller reads it; -1: it has none of the Job's. */
static int64_t index_of(const struct jr_pod_view *pod, int64_t completions)
{
    const struct jr_str text = jr_labels_get(&pod->meta.annotations, JR_S(JR_COMPLETION_INDEX));
    int64_t v;

    return jr_parse_go_int(text, &v) == JR_OK && v >= 0 && v < completions ? v : -1;
}

static void add_part(struct parts *p, struct part part)
{
    p->v = jr_xvec_room(p->v, p->n, &p->cap, sizeof(*p->v));
    p->v[p->n++] = part;
}

/** Adds a line of the tries, which are in their order. */
static void add_tries(struct parts *p, const struct entry *tries, size_t n)
{
    const struct jr_pod_view *last = tries[n - 1].pod;
    const enum jr_try_state state = state_of(last);
    const bool plain = state == JR_TRY_SUCCEEDED && n == 1 && restarts_of(last) == 0;

    add_part(p, (struct part){ .first = tries[0].index,
                               .last = tries[0].index,
                               .entries = tries,
                               .n = n,
                               .count = 1,
                               .state = state,
                               .fold = plain ? FOLD_DONE : FOLD_STATES });
}

static void add_range(struct parts *p, int64_t first, int64_t last, enum jr_try_state state)
{
    static const enum fold folds[] = { [JR_TRY_WAITS] = FOLD_UNMADE,
                                       [JR_TRY_RUNS] = FOLD_STATES,
                                       [JR_TRY_SUCCEEDED] = FOLD_DONE,
                                       [JR_TRY_FAILED] = FOLD_STATES };

    add_part(p, (struct part){ .first = first,
                               .last = last,
                               .count = (size_t)(last - first + 1),
                               .state = state,
                               .fold = folds[state] });
}

/** Indexes that the status names, asked for in ascending order. */
struct named {
    struct jr_indexes set;
    size_t at;
};

/** Returns whether i is in it. *last is lowered to where that changes. */
static bool is_named(struct named *n, int64_t i, int64_t *last)
{
    int64_t until;
    bool in;

    while (n->at < n->set.n && n->set.v[n->at].last < i)
        n->at++;
    if (n->at == n->set.n)
        return false;
    in = n->set.v[n->at].first <= i;
    until = in ? n->set.v[n->at].last : (int64_t)n->set.v[n->at].first - 1;
    if (until < *last)
        *last = until;
    return in;
}

struct ends {
    struct named completed, failed;
};

/** Adds the indexes of first to last, which have no Pods. */
static void add_gap(struct parts *p, struct ends *ends, int64_t first, int64_t last)
{
    while (first <= last) {
        int64_t until = last;
        enum jr_try_state state = JR_TRY_WAITS;

        if (is_named(&ends->completed, first, &until))
            state = JR_TRY_SUCCEEDED;
        else if (is_named(&ends->failed, first, &until))
            state = JR_TRY_FAILED;
        add_range(p, first, until, state);
        first = until + 1;
    }
}

/** Adds a line for each index, and one for each Pod that has none. */
static void add_parts(struct parts *p, const struct jr_job *job, int32_t completions,
                      const struct entry *entries, size_t n)
{
    struct ends ends = { .completed = { .at = 0 } };
    int64_t next = 0;
    size_t at = 0;

    jr_must(jr_indexes_read(job->status.completed_indexes, completions, &ends.completed.set));
    jr_must(jr_indexes_read(job->status.failed_indexes, completions, &ends.failed.set));
    while (at < n && entries[at].index >= 0) {
        const int64_t index = entries[at].index;
        size_t tries = 1;

        while (at + tries < n && entries[at + tries].index == index)
            tries++;
        add_gap(p, &ends, next, index - 1);
        add_tries(p, &entries[at], tries);
        at += tries;
        next = index + 1;
    }
    add_gap(p, &ends, next, (int64_t)completions - 1);
    for (; at < n; at++)
        add_tries(p, &entries[at], 1);
    jr_indexes_done(&ends.completed.set);
    jr_indexes_done(&ends.failed.set);
}

/* ---- folding ---- */

/** Returns how many lines a part takes. */
static size_t lines_of(const struct part *part, enum fold level)
{
    return part->fold > level ? part->count : 1;
}

static size_t all_lines(const struct parts *p, enum fold level)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        n += lines_of(&p->v[i], level);
    return n;
}

static void join(struct part *into, const struct part *part)
{
    if (part->last > into->last)
        into->last = part->last;
    if (into->first < 0)
        into->first = part->first;
    into->n = 0;
    into->count += part->count;
}

static bool alike(const struct part *a, const struct part *b, enum fold level)
{
    return a->state == b->state && (a->first < 0) == (b->first < 0) && a->fold <= level &&
           b->fold <= level && (level == FOLD_STATES || a->fold == b->fold);
}

/** Folds what is alike beside each other. */
static void fold_runs(struct parts *p, enum fold level)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        if (n > 0 && alike(&p->v[n - 1], &p->v[i], level))
            join(&p->v[n - 1], &p->v[i]);
        else
            p->v[n++] = p->v[i];
    }
    p->n = n;
}

/** Marks `room` parts that stay: those that failed, then as many at each end. */
static void keep(struct parts *p, size_t room)
{
    size_t low = 0, high = p->n;

    for (size_t i = 0; i < p->n && room > 0; i++) {
        if (p->v[i].state == JR_TRY_FAILED) {
            p->v[i].kept = true;
            room--;
        }
    }
    while (low < high && room > 0) {
        struct part *part = room % 2 == 0 ? &p->v[low++] : &p->v[--high];

        if (!part->kept) {
            part->kept = true;
            room--;
        }
    }
}

/** Folds all but a few into a line for each state, which stands where the first of them did. */
static void fold_middle(struct parts *p, size_t lines_max)
{
    size_t folded[STATES] = { 0 }; /* where they are, and one */
    size_t n = 0;

    keep(p, lines_max > STATES ? lines_max - STATES : 0);
    for (size_t i = 0; i < p->n; i++) {
        const struct part part = p->v[i];
        /* Three lines have no room for what runs: it isn't over, as what waits. */
        const bool runs = lines_max < STATES && part.state == JR_TRY_RUNS;
        const enum jr_try_state state = runs ? JR_TRY_WAITS : part.state;
        size_t *at = &folded[state];

        if (!part.kept && *at > 0) {
            join(&p->v[*at - 1], &part);
            continue;
        }
        p->v[n] = part;
        p->v[n++].state = state;
        *at = part.kept ? *at : n;
    }
    p->n = n;
}

/** Folds as much as is needed, and returns how far. */
static enum fold fold(struct parts *p, size_t lines_max)
{
    enum fold level = FOLD_NOTHING;

    while (level < FOLD_STATES && all_lines(p, level) > lines_max)
        fold_runs(p, ++level);
    if (p->n > lines_max)
        fold_middle(p, lines_max);
    return level;
}

/* ---- lines ---- */

static void set_line(struct jr_timeline *t, const struct part *part, struct jr_timeline_line *line)
{
    *line = (struct jr_timeline_line){ .first = part->first,
                                       .last = part->last,
                                       .n_tries = part->n,
                                       .folded = part->count > 1 ? part->count : 0,
                                       .state = part->state };
    line->tries = jr_xarena_calloc(&t->arena, part->n, sizeof(*line->tries));
    for (size_t i = 0; i < part->n; i++)
        set_try(t, part->entries[i].pod, &line->tries[i]);
}

static void set_lines(struct jr_timeline *t, const struct parts *p, enum fold level)
{
    t->lines = jr_xarena_calloc(&t->arena, all_lines(p, level), sizeof(*t->lines));
    for (size_t i = 0; i < p->n; i++) {
        const size_t lines = lines_of(&p->v[i], level);
        struct part one = p->v[i];

        one.count = lines > 1 ? 1 : one.count;
        for (size_t k = 0; k < lines; k++) {
            if (lines > 1)
                one.last = one.first = p->v[i].first + (int64_t)k;
            set_line(t, &one, &t->lines[t->n++]);
        }
    }
}

/** Returns when the Job ended, unset if that isn't told. */
static struct jr_time end_of(const struct jr_job_status *st)
{
    const bool complete = jr_job_condition_true(&st->conditions, "Complete");
    const struct jr_job_condition *c =
        jr_job_condition_get(&st->conditions, complete ? "Complete" : "Failed");

    if (jr_time_set(st->completion_time) || c == NULL)
        return st->completion_time;
    return c->last_transition_time;
}

static void set_times(struct jr_timeline *t, const struct jr_job *job, const struct entry *entries,
                      size_t n, struct jr_time now)
{
    const struct jr_time end = end_of(&job->status);
    struct jr_time from = job->status.start_time;

    if (!jr_time_set(from))
        from = job->meta.creation_timestamp;
    for (size_t i = 0; i < n; i++) {
        const struct jr_time made = entries[i].pod->meta.creation_timestamp;

        if (jr_time_set(made) && (!jr_time_set(from) || jr_time_cmp(made, from) < 0))
            from = made;
    }
    t->ended = jr_job_finished(&job->status);
    t->to = t->ended && jr_time_set(end) ? end : now;
    t->from = jr_time_set(from) ? from : t->to;
    if (jr_time_cmp(t->to, t->from) < 0)
        t->to = t->from;
}

struct jr_timeline *jr_timeline_new(const struct jr_job *job, const struct jr_pod_view *const *pods,
                                    size_t n, struct jr_time now, size_t lines_max)
{
    struct jr_timeline *t = jr_xcalloc(1, sizeof(*t));
    JR_FREE struct entry *entries = jr_xcalloc(n, sizeof(*entries));
    struct parts parts = { .n = 0 };
    int32_t completions = 0;

    jr_arena_init(&t->arena, 0);
    t->namespace = jr_xarena_str(&t->arena, jr_utf8_head(job->meta.namespace, NAME_BYTES));
    t->name = jr_xarena_str(&t->arena, jr_utf8_head(job->meta.name, NAME_BYTES));
    t->indexed = jr_str_is(job->spec.completion_mode, "Indexed");
    if (t->indexed && job->spec.completions.set && job->spec.completions.v > 0)
        completions = job->spec.completions.v;
    for (size_t i = 0; i < n; i++)
        entries[i] = (struct entry){ index_of(pods[i], completions), pods[i] };
    qsort(entries, n, sizeof(*entries), compare_entries);
    add_parts(&parts, job, completions, entries, n);
    set_times(t, job, entries, n, now);
    set_lines(t, &parts, fold(&parts, lines_max > LINES_LEAST ? lines_max : LINES_LEAST));
    free(parts.v);
    return t;
}

void jr_timeline_free(struct jr_timeline *t)
{
    if (t != NULL)
        jr_arena_done(&t->arena);
    free(t);
}
