/* SPDX-License-Identifier: Apache-2.0 */
/* Work on expired Jobs: each is read anew, then deleted. */
#include "controller/work/ttl_controller.h"

#include <sys/queue.h>

#include "common/json/write.h"
#include "common/kube/keyed.h"
#include "controller/work/run.h"
#include "controller/work/ttl.h"

#define TEXT_MAX 2048
#define RETRIES_MAX 3

struct work {
    struct jr_keyed keyed; /* by the queue's key; in no map */
    TAILQ_ENTRY(work) in_list;
    struct jr_ttl_controller *x;
    struct jr_kube_call *call;
    struct jr_job *live;  /* as it was read anew, once it is being deleted */
    struct jr_time until; /* when it had expired */
};
TAILQ_HEAD(works, work);

struct jr_ttl_controller {
    const struct jr_env *env;
    struct jr_state *state;
    struct jr_ttl_controller_sink sink;
    int64_t timeout_ms;
    struct jr_log *log;
    struct works works;
    size_t n;
};

/* 0.1 x 2^i, as upstream. */
static const double buckets[] = { 0.1,  0.2,  0.4,  0.8,   1.6,   3.2,   6.4,
                                  12.8, 25.6, 51.2, 102.4, 204.8, 409.6, 819.2 };
static const struct jr_metric_desc deletion_duration = JR_METRIC_HISTOGRAM(
    buckets, "ttl_after_finished_controller_job_deletion_duration_seconds",
    "The time it took to delete the job since it became eligible for deletion", NULL);

struct jr_ttl_controller *jr_ttl_controller_new(const struct jr_env *env, struct jr_state *state,
                                                const struct jr_ttl_controller_sink *sink,
                                                int64_t timeout_ms, struct jr_log *log)
{
    struct jr_ttl_controller *x = jr_xcalloc(1, sizeof(*x));

    *x = (struct jr_ttl_controller){
        .env = env, .state = state, .sink = *sink, .timeout_ms = timeout_ms, .log = log
    };
    TAILQ_INIT(&x->works);
    return x;
}

static void work_free(struct work *w)
{
    TAILQ_REMOVE(&w->x->works, w, in_list);
    w->x->n--;
    jr_kube_cancel(&w->call);
    jr_job_unref(w->live);
    free(w);
}

void jr_ttl_controller_free(struct jr_ttl_controller *x)
{
    struct work *w;

    if (x == NULL)
        return;
    while ((w = TAILQ_FIRST(&x->works)) != NULL)
        work_free(w);
    free(x);
}

size_t jr_ttl_controller_active(const struct jr_ttl_controller *x)
{
    return x->n;
}

static struct jr_str key_of(const struct work *w)
{
    return jr_keyed_key(w).name;
}

/* ---- how a key's work ends ---- */

static void end_work(struct work *w)
{
    struct jr_ttl_controller *x = w->x;

    jr_queue_done(x->state->expired, key_of(w), jr_loop_mono(x->env->loop));
    work_free(w);
    x->sink.over(x->sink.ctx);
}

/** Nothing to do, or it is done. */
static void finish_well(struct work *w)
{
    jr_queue_forget(w->x->state->expired, key_of(w));
    end_work(w);
}

static void finish_later(struct work *w, int64_t left_ns)
{
    struct jr_ttl_controller *x = w->x;

    jr_queue_forget(x->state->expired, key_of(w));
    jr_queue_add_after(x->state->expired, key_of(w), left_ns, jr_loop_mono(x->env->loop));
    end_work(w);
}

static void finish_badly(struct work *w, const char *what, const struct jr_error *why)
{
    struct jr_ttl_controller *x = w->x;

    jr_warn(x->log, what, JR_JOB(key_of(w)), JR_ERR(why));
    jr_queue_add_limited(x->state->expired, key_of(w), jr_str(why->msg),
                         jr_loop_mono(x->env->loop));
    end_work(w);
}

/** Goes on only with a Job that has expired; the work on others ends here. */
static bool has_expired(struct work *w, const struct jr_job *job)
{
    const struct jr_now now = jr_now_of(w->x->env->loop);
    struct jr_error err = { .status = JR_OK };
    int64_t left;

    if (job == NULL || !jr_ttl_applies(job)) {
        finish_well(w);
        return false;
    }
    if (jr_ttl_left(job, now.wall, &left, &err) != JR_OK) {
        finish_badly(w, "job without a time of its end", &err);
        return false;
    }
    if (left > 0) {
        finish_later(w, left);
        return false;
    }
    w->until = jr_time_later(now.wall, left);
    return true;
}

/* ---- requests ---- */

static enum jr_status send_request(struct work *w, const char *method, struct jr_str body,
                                   void (*on_done)(void *ctx, const struct jr_kube_result *r),
                                   struct jr_error *err)
{
    struct jr_ttl_controller *x = w->x;
    const struct jr_object_key job = jr_object_key_parse(key_of(w));
    JR_BUF path = { 0 };
    struct jr_kube_request req = { .http = { .method = method,
                                             .body = body,
                                             .timeout_ms = x->timeout_ms,
                                             .may_send = x->sink.may_write,
                                             .may_send_ctx = x->sink.ctx },
                                   .max_retries = RETRIES_MAX };

    jr_buf_init(&path, TEXT_MAX);
    jr_object_path("/apis/batch/v1", job.namespace, "jobs", job.name, &path);
    if (path.failed != JR_OK)
        return jr_fail(err, path.failed, NULL, "path of a job");
    req.http.path = path.p;
    w->call = jr_kube_send(x->env, &req, on_done, w);
    return JR_OK;
}

static void on_deleted(void *ctx, const struct jr_kube_result *r)
{
    struct work *w = ctx;
    struct jr_ttl_controller *x = w->x;
    int64_t took_ns = jr_time_diff(jr_loop_wall(x->env->loop), w->until);

    w->call = NULL;
    if (r->kind != JR_RESULT_OK) {
        finish_badly(w, "expired job not deleted", &r->error);
        return;
    }
    jr_metrics_observe(x->state->metrics, &deletion_duration, NULL,
                       (double)took_ns / (double)JR_SEC);
    jr_info(x->log, "expired job deleted", JR_JOB(key_of(w)));
    finish_well(w);
}

/** A Job of the same name made anew is not meant: hence the uid. */
static enum jr_status write_delete(const struct jr_job *job, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S("DeleteOptions"));
    jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_w_kstr(&w, "propagationPolicy", JR_S("Foreground"));
    jr_w_key(&w, "preconditions");
    jr_w_object(&w);
    jr_w_kstr(&w, "uid", job->meta.uid);
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    return out->failed;
}

/** The cache may be old: what counts is the Job as it is now. */
static void on_live(void *ctx, const struct jr_kube_result *r)
{
    struct work *w = ctx;
    struct jr_error err = { .status = JR_OK };
    JR_BUF body = { 0 };
    enum jr_status st;

    w->call = NULL;
    if (r->kind == JR_RESULT_REFUSED && r->http == 404) {
        finish_well(w);
        return;
    }
    if (r->kind != JR_RESULT_OK) {
        finish_badly(w, "expired job not read", &r->error);
        return;
    }
    if (jr_need(jr_job_decode(r->body, &w->live, &err)) != JR_OK) {
        finish_badly(w, "expired job not read", &err);
        return;
    }
    if (!has_expired(w, w->live))
        return;
    jr_buf_init(&body, TEXT_MAX);
    st = write_delete(w->live, &body);
    if (st != JR_OK)
        (void)jr_fail(&err, st, NULL, "DeleteOptions of a job");
    else
        st = send_request(w, "DELETE", jr_buf_str(&body), on_deleted, &err);
    if (st != JR_OK)
        finish_badly(w, "expired job not deleted", &err);
}

void jr_ttl_controller_start(struct jr_ttl_controller *x, struct jr_str key)
{
    const struct jr_object_key its = jr_object_key_of_text(key), job = jr_object_key_parse(key);
    struct work *w = jr_keyed_new(sizeof(*w), &its);
    struct jr_error err = { 0 };

    w->x = x;
    TAILQ_INSERT_TAIL(&x->works, w, in_list);
    x->n++;
    if (!has_expired(w, jr_store_job(x->state->store, job.namespace, job.name)))
        return;
    if (send_request(w, "GET", (struct jr_str){ NULL, 0 }, on_live, &err) != JR_OK)
        finish_badly(w, "expired job not read", &err);
}
