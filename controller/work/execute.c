/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a stage's operations, in its mode, and collects their results. */
#include "controller/work/execute.h"

#include <sys/queue.h>

#include "common/base/memory.h"
#include "controller/work/op_request.h"

#define PATH_MAX_BYTES 2048
#define NO_OP SIZE_MAX
/* A body is copied for its request and for its repetition, and may come back as the answer. Small
 * ones don't count: they never wait for large ones. */
#define LARGE_BODY ((size_t)64 << 10)
#define LARGE_BODIES_MAX ((size_t)2 << 20) /* in flight; one may always be */

/** One operation under way. */
struct pending {
    struct jr_exec *exec;
    struct jr_kube_call *call;
    size_t next_dep;  /* the next one that waits for the same precursor */
    size_t first_dep; /* the first one that waits for this */
};

struct jr_exec {
    TAILQ_ENTRY(jr_exec) in_list;
    struct jr_executor *x;
    const struct jr_stage *stage;
    struct jr_str namespace;
    struct jr_str name;
    void (*on_done)(void *ctx, const struct jr_results *results);
    void *ctx;
    struct jr_arena arena; /* ops, results and their strings */
    struct pending *ops;
    struct jr_op_result *results;
    size_t *freed; /* a stack: operations whose precursor has let them go */
    size_t n_freed;
    size_t cursor; /* operations without a precursor: the next to look at */
    size_t batch_end;
    size_t batch;
    bool batch_failed;
    size_t inflight;
    size_t over; /* operations with a result */
};
TAILQ_HEAD(execs, jr_exec);

struct jr_executor {
    const struct jr_env *env;
    struct jr_executor_options options;
    struct execs running;
    struct jr_timer *deliver; /* set while a stage is over and its results wait to be handed out */
    size_t inflight;
    size_t large_bytes; /* of the large bodies among them */
};

static void send_ready_ops(struct jr_executor *x);

/* ---- making and ending ---- */

struct jr_executor *jr_executor_new(const struct jr_env *env,
                                    const struct jr_executor_options *options)
{
    struct jr_executor *x = jr_xcalloc(1, sizeof(*x));

    x->env = env;
    x->options = *options;
    TAILQ_INIT(&x->running);
    return x;
}

static size_t large_bytes_of(const struct jr_exec *e, size_t i)
{
    const size_t n = e->stage->ops[i].body.n;

    return n > LARGE_BODY ? n : 0;
}

static void exec_free(struct jr_exec *e)
{
    struct jr_executor *x = e->x;

    for (size_t i = 0; i < e->stage->n_ops; i++) {
        if (e->ops[i].call != NULL) {
            jr_kube_cancel(&e->ops[i].call);
            x->inflight--;
            x->large_bytes -= large_bytes_of(e, i);
        }
    }
    TAILQ_REMOVE(&x->running, e, in_list);
    jr_arena_done(&e->arena);
    free(e);
}

void jr_executor_free(struct jr_executor *x)
{
    struct jr_exec *e;

    if (x == NULL)
        return;
    while ((e = TAILQ_FIRST(&x->running)) != NULL)
        exec_free(e);
    jr_timer_cancel(x->env->loop, &x->deliver);
    free(x);
}

/* ---- results ---- */

static bool is_over(const struct jr_exec *e)
{
    return e->over == e->stage->n_ops;
}

/** Hands out results from a call of its own: a stage may end while it is being started. */
static void on_deliver(void *ctx)
{
    struct jr_executor *x = ctx;
    struct jr_exec *e, over;

    x->deliver = NULL;
    for (;;) {
        TAILQ_FOREACH(e, &x->running, in_list)
        {
            if (is_over(e))
                break;
        }
        if (e == NULL)
            return;
        /* The stage is the callback's to end, so it goes first; its results live until the callback
         * returns. */
        over = *e;
        TAILQ_REMOVE(&x->running, e, in_list);
        free(e);
        over.on_done(over.ctx, &(struct jr_results){ over.results, over.stage->n_ops });
        jr_arena_done(&over.arena);
    }
}

static void complete_op(struct jr_exec *e, size_t i, struct jr_op_result result);

/** What waited for operation i goes, or is not attempted. A Pod that is gone (404) needs no
 * deletion any more. */
static void complete_dependents(struct jr_exec *e, size_t i)
{
    bool go = e->results[i].outcome == JR_OP_OK;

    for (size_t d = e->ops[i].first_dep; d != NO_OP; d = e->ops[d].next_dep) {
        if (go)
            e->freed[e->n_freed++] = d;
        else
            complete_op(e, d, (struct jr_op_result){ .outcome = JR_OP_SKIPPED });
    }
}

static void complete_op(struct jr_exec *e, size_t i, struct jr_op_result result)
{
    e->results[i] = result;
    e->over++;
    if (result.outcome == JR_OP_AMBIGUOUS ||
        (result.outcome == JR_OP_REFUSED && !result.namespace_terminating))
        e->batch_failed = true;
    complete_dependents(e, i);
}

/** All of a batch is sent that isn't the last: opens the next one of a slow start once it is over,
 * or gives up what is left. */
static void next_batch(struct jr_exec *e)
{
    size_t n = e->stage->n_ops;

    if (e->inflight > 0)
        return;
    if (e->batch_failed) {
        e->batch_end = n;
        for (; e->cursor < n; e->cursor++) {
            if (e->stage->ops[e->cursor].after < 0)
                complete_op(e, e->cursor, (struct jr_op_result){ .outcome = JR_OP_SKIPPED });
        }
        return;
    }
    e->batch *= 2;
    e->batch_end = e->batch < n - e->batch_end ? e->batch_end + e->batch : n;
}

/* ---- sending ---- */

static bool waits(const struct jr_exec *e, size_t i)
{
    return e->stage->ops[i].after >= 0;
}

/** The operation to send next, NO_OP if none may go now. Those with a precursor go first: pairs are
 * finished before others are begun. */
static size_t next_op(struct jr_exec *e)
{
    if (e->stage->mode == JR_MODE_SEQUENCE && e->inflight > 0)
        return NO_OP;
    if (e->n_freed > 0)
        return e->freed[e->n_freed - 1];
    for (;;) {
        while (e->cursor < e->batch_end && waits(e, e->cursor))
            e->cursor++;
        if (e->cursor < e->batch_end)
            return e->cursor;
        if (e->stage->mode != JR_MODE_SLOW_START || e->batch_end == e->stage->n_ops)
            return NO_OP;
        next_batch(e);
        if (e->cursor >= e->batch_end)
            return NO_OP;
    }
}

/** Among the stages with something to send the one with the fewest requests in flight, in turn. */
static struct jr_exec *pick_stage(struct jr_executor *x, size_t *ret_op)
{
    struct jr_exec *e, *best = NULL;

    TAILQ_FOREACH(e, &x->running, in_list)
    {
        size_t i = next_op(e);
        const size_t large = i == NO_OP ? 0 : large_bytes_of(e, i);

        if (large > 0 && x->large_bytes > 0 && x->large_bytes + large > LARGE_BODIES_MAX)
            continue;
        if (i != NO_OP && (best == NULL || e->inflight < best->inflight)) {
            best = e;
            *ret_op = i;
        }
    }
    return best;
}

static void on_answer(void *ctx, const struct jr_kube_result *r)
{
    struct pending *p = ctx;
    struct jr_exec *e = p->exec;
    struct jr_executor *x = e->x;
    size_t i = (size_t)(p - e->ops);

    p->call = NULL;
    e->inflight--;
    x->inflight--;
    x->large_bytes -= large_bytes_of(e, i);
    complete_op(e, i, jr_op_result_of(&e->stage->ops[i], r, &e->arena));
    send_ready_ops(x);
}

static void send_op(struct jr_exec *e, size_t i)
{
    struct jr_executor *x = e->x;
    JR_BUF path = { 0 };
    struct jr_kube_request q = { .max_retries = x->options.max_retries };
    struct jr_error err = { 0 };
    enum jr_status st;

    jr_buf_init(&path, PATH_MAX_BYTES);
    st = jr_op_request(&e->stage->ops[i], e->namespace, e->name, &path, &q.http);
    if (st == JR_OK) {
        q.http.timeout_ms = x->options.timeout_ms;
        q.http.may_send = x->options.may_send;
        q.http.may_send_ctx = x->options.ctx;
        e->ops[i].call = jr_kube_send(x->env, &q, on_answer, &e->ops[i]);
    }
    if (st != JR_OK) {
        struct jr_kube_result r = { .kind = JR_RESULT_NOT_SENT, .error = err };

        complete_op(e, i, jr_op_result_of(&e->stage->ops[i], &r, &e->arena));
        return;
    }
    e->inflight++;
    x->inflight++;
    x->large_bytes += large_bytes_of(e, i);
}

/** Sends what may be sent, and sees to it that stages that are over get told. */
static void send_ready_ops(struct jr_executor *x)
{
    struct jr_exec *e;
    size_t i = NO_OP;

    while (x->inflight < x->options.max_inflight && (e = pick_stage(x, &i)) != NULL) {
        if (e->n_freed > 0)
            e->n_freed--;
        else
            e->cursor++;
        send_op(e, i);
        TAILQ_REMOVE(&x->running, e, in_list);
        TAILQ_INSERT_TAIL(&x->running, e, in_list);
    }
    TAILQ_FOREACH(e, &x->running, in_list)
    {
        if (is_over(e) && x->deliver == NULL)
            jr_xloop_after(x->env->loop, 0, on_deliver, x, &x->deliver);
    }
}

/* ---- stages ---- */

/** Links each operation to its precursor, in order. */
static void link_deps(struct jr_exec *e)
{
    size_t n = e->stage->n_ops;

    for (size_t i = 0; i < n; i++)
        e->ops[i] = (struct pending){ .exec = e, .next_dep = NO_OP, .first_dep = NO_OP };
    for (size_t i = n; i-- > 0;) {
        if (waits(e, i)) {
            struct pending *p = &e->ops[e->stage->ops[i].after];

            e->ops[i].next_dep = p->first_dep;
            p->first_dep = i;
        }
    }
}

void jr_execute(struct jr_executor *x, const struct jr_stage *stage, struct jr_str namespace,
                struct jr_str name, void (*on_done)(void *ctx, const struct jr_results *results),
                void *ctx, struct jr_exec **ret)
{
    struct jr_exec *e = jr_xcalloc(1, sizeof(*e));
    size_t n = stage->n_ops;

    *e = (struct jr_exec){
        .x = x, .stage = stage, .namespace = namespace, .name = name, .on_done = on_done, .ctx = ctx
    };
    jr_arena_init(&e->arena, 0);
    e->ops = jr_xarena_calloc(&e->arena, n, sizeof(*e->ops));
    e->results = jr_xarena_calloc(&e->arena, n, sizeof(*e->results));
    e->freed = jr_xarena_calloc(&e->arena, n, sizeof(*e->freed));
    link_deps(e);
    e->batch = 1;
    e->batch_end = stage->mode == JR_MODE_SLOW_START && n > 1 ? 1 : n;
    TAILQ_INSERT_TAIL(&x->running, e, in_list);
    *ret = e;
    send_ready_ops(x);
}

void jr_exec_look(const struct jr_exec *e, size_t *ret_inflight, size_t *ret_left)
{
    *ret_inflight = e->inflight;
    *ret_left = e->stage->n_ops - e->over;
}

void jr_exec_cancel(struct jr_exec **e)
{
    struct jr_executor *x;

    if (*e == NULL)
        return;
    x = (*e)->x;
    exec_free(*e);
    *e = NULL;
    send_ready_ops(x);
}
