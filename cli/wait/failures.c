/* SPDX-License-Identifier: Apache-2.0 */
/* Failures by the containers' states, and their logs' tails. */
#include "cli/wait/failures.h"

#define BYTES_MAX 16384
#define TIMEOUT_MS 5000
/* A kubelet answers so, with 200, in place of the log of a container that was removed. */
#define NODE_HAS_NONE "unable to retrieve container logs for "

static void read_next(struct jr_failure_reader *r);

/** The next one whose lines are to be read; *ret_job is its Job. */
static struct jr_wait_failure *next_unread(const struct jr_failure_reader *r,
                                           struct jr_wait_job **ret_job)
{
    for (size_t i = 0; i < r->jobs->n; i++) {
        struct jr_wait_failure *f;

        *ret_job = r->jobs->v[i];
        STAILQ_FOREACH(f, &r->jobs->v[i]->failures, link)
        {
            if (f->lines == NULL && f->no_lines == NULL)
                return f;
        }
    }
    return NULL;
}

static void on_answer(void *ctx, const struct jr_kube_result *a)
{
    struct jr_failure_reader *r = ctx;
    struct jr_wait_failure *f = r->reading;

    r->reading = NULL;
    if (a->kind == JR_RESULT_OK && !jr_str_starts(a->body, JR_S(NODE_HAS_NONE)))
        f->lines = jr_xstrndup(a->body);
    else if (r->followed)
        f->no_lines = jr_xstrdup("its lines are above");
    else if (a->kind == JR_RESULT_OK ||
             (jr_kube_is_gone(a) && jr_str_is(a->status.details.kind, "pods")))
        f->no_lines = jr_xstrdup("its log had gone before it was read");
    else
        f->no_lines = jr_xasprintf("its log can't be read: %s", a->error.msg);
    read_next(r);
}

static void read_next(struct jr_failure_reader *r)
{
    struct jr_wait_job *j = NULL;
    struct jr_wait_failure *f = r->reading == NULL ? next_unread(r, &j) : NULL;
    struct jr_http_request http = { .method = "GET",
                                    .accept = "*/*",
                                    .timeout_ms = TIMEOUT_MS,
                                    .body_max = (size_t)2 * BYTES_MAX };
    JR_BUF path = { 0 };

    if (f == NULL)
        return;
    jr_buf_init(&path, JR_BUF_BY_INPUT);
    jr_object_path("/api/v1", jr_keyed_key(j).namespace, "pods", jr_str(f->pod), &path);
    (void)jr_buf_addf(&path, "/log?tailLines=%s&limitBytes=%d%s&container=", JR_WAIT_LINES,
                      BYTES_MAX, f->previous ? "&previous=true" : "");
    (void)jr_url_escape(jr_str(f->container), &path);
    jr_must(path.failed);
    http.path = path.p;
    r->reading = f;
    r->q.ctx = r;
    jr_requester_send(&r->q, &http, on_answer);
}

/* ---- failures ---- */

static char *exit_words(const struct jr_container_exit *exit)
{
    if (exit->reason.n == 0)
        return jr_xasprintf("exit code %d", (int)exit->code);
    if (exit->message.n == 0)
        return jr_xasprintf("exit code %d (%.*s)", (int)exit->code, JR_P(exit->reason));
    return jr_xasprintf("exit code %d (%.*s): %.*s", (int)exit->code, JR_P(exit->reason),
                        JR_P(exit->message));
}

static char *pod_words(const struct jr_pod_view *pod)
{
    if (pod->reason.n == 0)
        return jr_xstrdup("failed");
    return jr_xasprintf("%.*s: %.*s", JR_P(pod->reason), JR_P(pod->message));
}

static bool is_noted(const struct jr_wait_job *j, struct jr_str uid, int32_t run)
{
    const struct jr_wait_failure *f;

    STAILQ_FOREACH(f, &j->failures, link)
    {
        if (f->run == run && jr_str_is(uid, f->uid))
            return true;
    }
    return false;
}

/** Makes room for one more: the oldest goes, but the one whose log is being read. */
static void make_room(struct jr_failure_reader *r, struct jr_wait_job *j)
{
    struct jr_wait_failure *f = STAILQ_FIRST(&j->failures);

    if (j->n_failures < JR_WAIT_FAILURES)
        return;
    if (f == r->reading)
        f = STAILQ_NEXT(f, link);
    STAILQ_REMOVE(&j->failures, f, jr_wait_failure, link);
    j->n_failures--;
    jr_wait_failure_free(f);
}

void jr_failures_take(struct jr_failure_reader *r, struct jr_wait_job *j,
                      const struct jr_pod_view *pod)
{
    const struct jr_container_view *c = jr_pod_view_failed(pod);
    const bool previous = c != NULL && !jr_container_last_run(c).ended;
    const int32_t run = c == NULL ? 0 : c->restarts - (previous ? 1 : 0);
    struct jr_wait_failure *f;

    if (jr_str_is(pod->phase, "Succeeded") || is_noted(j, pod->meta.uid, run) ||
        (c == NULL && !jr_str_is(pod->phase, "Failed")))
        return;
    make_room(r, j);
    f = jr_xcalloc(1, sizeof(*f));
    f->uid = jr_xstrndup(pod->meta.uid);
    f->pod = jr_xstrndup(pod->meta.name);
    f->run = run;
    f->previous = previous;
    f->what = c == NULL ? pod_words(pod) : exit_words(jr_container_last_exit(c));
    if (c != NULL)
        f->container = jr_xstrndup(c->name);
    else
        f->no_lines = jr_xstrdup("no container of it has failed");
    STAILQ_INSERT_TAIL(&j->failures, f, link);
    j->n_failures++;
    read_next(r);
}

bool jr_failures_idle(const struct jr_failure_reader *r)
{
    return r->reading == NULL;
}

void jr_failures_done(struct jr_failure_reader *r)
{
    if (r->q.env.loop != NULL)
        jr_requester_done(&r->q);
}
