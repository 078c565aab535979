/* SPDX-License-Identifier: Apache-2.0 */
/* One request after the other: what it is asked for follows from what is there already. */
#include "cli/fetch.h"

#include "common/api/job.h"
#include "common/base/memory.h"
#include "common/kube/framing.h"
#include "common/kube/requester.h"

#define PAGE "500"
#define PAGE_MAX ((size_t)64 << 20)
#define TIMEOUT_MS 60000

/** A kind that can be read. */
struct kind {
    const char *kind;
    const char *api; /* its path */
    const char *version;
    const char *resource;
    bool cluster; /* it has no namespace */
};

static const struct kind job_kind = { "Job", "/apis/batch/v1", "batch/v1", "jobs", false };
static const struct kind cron_kind = { "CronJob", "/apis/batch/v1", "batch/v1", "cronjobs", false };
static const struct kind pod_kind = { "Pod", "/api/v1", "v1", "pods", false };
static const struct kind event_kind = { "Event", "/api/v1", "v1", "events", false };

/* Those that a diagnosis may ask for. A kind that has several versions is asked for by each, in
 * this order, until an API server has it. */
static const struct kind others[] = {
    { "Node", "/api/v1", "v1", "nodes", true },
    { "PersistentVolumeClaim", "/api/v1", "v1", "persistentvolumeclaims", false },
    { "Workload", "/apis/kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta1", "workloads", false },
    { "Workload", "/apis/kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta2", "workloads", false },
    { "PodGroup", "/apis/scheduling.k8s.io/v1alpha2", "scheduling.k8s.io/v1alpha2", "podgroups",
      false },
    { "PodGroup", "/apis/scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1beta1", "podgroups",
      false },
    { "ValidatingWebhookConfiguration", "/apis/admissionregistration.k8s.io/v1",
      "admissionregistration.k8s.io/v1", "validatingwebhookconfigurations", true },
    { "MutatingWebhookConfiguration", "/apis/admissionregistration.k8s.io/v1",
      "admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", true },
};

struct fetch {
    const struct jr_fetch_options *o;
    struct jr_cluster *cluster;
    struct jr_evidence *evidence;
    struct jr_requester q;
    struct jr_buf path;      /* of the list or get, without the page */
    const struct kind *kind; /* of what is under way */
    bool is_list;
    char *token;      /* of the next page; NULL: none */
    size_t n_objects; /* of the list under way */
    size_t n_requests;
    void (*then)(struct fetch *f);
    bool read[JR_ARRAY_SIZE(others)];
    struct jr_diagnosis *diagnosis;
    struct jr_error err;
};

static void fetch_done(struct fetch *f)
{
    if (f->q.env.loop != NULL)
        jr_requester_done(&f->q);
    jr_buf_done(&f->path);
    free(f->token);
    jr_diagnosis_free(f->diagnosis);
}

static const char *namespace_of(const struct fetch *f)
{
    return jr_cluster_namespace(f->cluster, f->o->namespace);
}

static void end(struct fetch *f)
{
    jr_loop_stop(f->cluster->loop);
}

/* ---- answers ---- */

static void take(void *ctx, struct jr_str text)
{
    struct fetch *f = ctx;
    struct jr_error err;

    f->n_objects++;
    if (f->o->object != NULL)
        f->o->object(f->o->ctx, f->kind->version, f->kind->kind, text);
    /* An object that can't be decoded is no evidence. */
    (void)jr_need(jr_evidence_add(f->evidence, f->kind->kind, text, &err));
}

static void ask_page(struct fetch *f);

/** Notes that the kind can't be read, and goes on without; another version is only asked for where
 * there is none of this one. */
static void go_without(struct fetch *f, const struct jr_kube_result *a)
{
    for (size_t k = 0; k < JR_ARRAY_SIZE(others) && !jr_kube_is_gone(a); k++)
        f->read[k] |= strcmp(others[k].kind, f->kind->kind) == 0;
    jr_evidence_note_unseen(f->evidence, f->kind->kind, jr_str(a->error.msg));
    f->then(f);
}

static bool is_asked(const struct fetch *f)
{
    return strcmp(f->kind->kind, f->o->asked->kind) == 0 && !f->is_list;
}

static void take_refusal(struct fetch *f, const struct jr_kube_result *a)
{
    if (!is_asked(f) && f->kind != &pod_kind && (f->kind != &job_kind || f->is_list) &&
        a->kind == JR_RESULT_REFUSED) {
        go_without(f, a);
        return;
    }
    if (jr_kube_is_gone(a))
        (void)jr_fail(&f->err, JR_NOTFOUND, NULL, "there is no %s %.*s in namespace %s",
                      f->kind->kind, JR_P(f->o->asked->name), namespace_of(f));
    else if (a->http == 403)
        (void)jr_fail(&f->err, JR_DENIED, NULL, "%s %s in namespace %s is needed, and refused: %s",
                      f->is_list ? "list" : "get", f->kind->resource, namespace_of(f),
                      a->error.msg);
    else
        f->err = a->error;
    if (f->err.status == JR_OK)
        (void)jr_fail(&f->err, JR_REMOTE, NULL, "%s can't be read", f->kind->resource);
    end(f);
}

/** Goes on with the next step: all of the kind under way is read. */
static void go_on(struct fetch *f)
{
    if (f->o->read != NULL && f->is_list)
        f->o->read(f->o->ctx, f->kind->kind);
    f->then(f);
}

static void set_token(struct fetch *f, struct jr_str token)
{
    free(f->token);
    f->token = token.n > 0 ? jr_xstrndup(token) : NULL;
}

static void on_answer(void *ctx, const struct jr_kube_result *a)
{
    struct fetch *f = ctx;
    struct jr_list_page page = { .remaining = 0 };

    if (a->http == 410 && a->status.continue_token.n > 0) { /* its page was compacted away */
        set_token(f, a->status.continue_token);
        ask_page(f);
        return;
    }
    if (a->kind != JR_RESULT_OK) {
        take_refusal(f, a);
        return;
    }
    if (!f->is_list) {
        take(f, a->body);
        go_on(f);
        return;
    }
    if (jr_list_read(a->body, take, f, &page, &f->err) != JR_OK) {
        end(f);
        return;
    }
    set_token(f, page.continue_token);
    if (f->token != NULL && f->kind == &event_kind && f->n_objects >= JR_FETCH_EVENTS_MAX) {
        jr_evidence_note_unseen(f->evidence, "Event",
                                JR_S("reading stopped at 5,000 events of the namespace"));
        f->then(f);
    } else if (f->token != NULL) {
        ask_page(f);
    } else {
        go_on(f);
    }
}

static void ask_page(struct fetch *f)
{
    struct jr_http_request http = { .method = "GET",
                                    .timeout_ms = TIMEOUT_MS,
                                    .body_max = PAGE_MAX };
    JR_BUF path = { 0 };

    jr_buf_init(&path, JR_BUF_BY_INPUT);
    (void)jr_buf_add(&path, jr_buf_str(&f->path));
    if (f->token != NULL) {
        (void)jr_buf_adds(&path, "&continue=");
        (void)jr_url_escape(jr_str(f->token), &path);
    }
    jr_must(path.failed);
    http.path = path.p;
    jr_requester_send(&f->q, &http, on_answer);
}

static void ask(struct fetch *f, const struct kind *kind, void (*then)(struct fetch *f))
{
    f->kind = kind;
    f->then = then;
    f->n_objects = 0;
    f->n_requests++;
    set_token(f, (struct jr_str){ NULL, 0 });
    jr_must(f->path.failed);
    ask_page(f);
}

static void get(struct fetch *f, const struct kind *kind, struct jr_str name,
                void (*then)(struct fetch *f))
{
    f->is_list = false;
    jr_buf_reset(&f->path);
    jr_object_path(kind->api, jr_str(namespace_of(f)), kind->resource, name, &f->path);
    ask(f, kind, then);
}

static void list(struct fetch *f, const struct kind *kind, const char *selector,
                 void (*then)(struct fetch *f))
{
    f->is_list = true;
    jr_buf_reset(&f->path);
    jr_resource_path(kind->api,
                     kind->cluster ? (struct jr_str){ NULL, 0 } : jr_str(namespace_of(f)),
                     kind->resource, &f->path);
    (void)jr_buf_adds(&f->path, "?limit=" PAGE);
    if (selector != NULL) {
        (void)jr_buf_adds(&f->path, "&labelSelector=");
        (void)jr_url_escape(jr_str(selector), &f->path);
    }
    ask(f, kind, then);
}

/* ---- steps ---- */

static void look_at_evidence(struct fetch *f);

/** Reads a kind that the diagnosis would go by. False: it wants none that wasn't tried. */
static bool ask_for_more(struct fetch *f)
{
    for (size_t i = 0; i < f->diagnosis->n_unseen && f->n_requests < JR_FETCH_MAX; i++) {
        for (size_t k = 0; k < JR_ARRAY_SIZE(others); k++) {
            if (f->read[k] || !jr_str_is(f->diagnosis->unseen[i].kind, others[k].kind))
                continue;
            f->read[k] = true;
            jr_diagnosis_free(f->diagnosis);
            f->diagnosis = NULL;
            jr_evidence_forget_unseen(f->evidence, others[k].kind);
            list(f, &others[k], NULL, look_at_evidence);
            return true;
        }
    }
    return false;
}

static void look_at_evidence(struct fetch *f)
{
    const struct jr_time now = jr_time_set(f->o->now) ? f->o->now : jr_loop_wall(f->cluster->loop);

    jr_evidence_seal(f->evidence);
    f->diagnosis = jr_diagnose(f->evidence, f->o->asked->kind, jr_str(namespace_of(f)),
                               f->o->asked->name, now);
    if (f->diagnosis == NULL)
        (void)jr_fail(&f->err, JR_NOTFOUND, NULL, "there is no Job of %s %.*s in namespace %s",
                      f->o->asked->kind, JR_P(f->o->asked->name), namespace_of(f));
    else if (ask_for_more(f))
        return;
    end(f);
}

static void after_events(struct fetch *f)
{
    for (size_t k = 0; k < JR_ARRAY_SIZE(others); k++)
        jr_evidence_note_unseen(f->evidence, others[k].kind, JR_S("not asked for"));
    look_at_evidence(f);
}

static void ask_events(struct fetch *f)
{
    list(f, &event_kind, NULL, after_events);
}

static void ask_pods(struct fetch *f, const struct jr_job *job)
{
    JR_FREE char *selector = NULL;

    if (job == NULL) {
        ask_events(f);
        return;
    }
    selector = jr_xasprintf(JR_LABEL_CONTROLLER_UID "=%.*s", JR_P(job->meta.uid));
    list(f, &pod_kind, selector, ask_events);
}

static void after_job(struct fetch *f)
{
    size_t at = 0;

    ask_pods(f, jr_evidence_each_job(f->evidence, &at));
}

static void after_pod(struct fetch *f)
{
    const struct jr_pod_view *pod =
        jr_evidence_pod(f->evidence, jr_str(namespace_of(f)), f->o->asked->name);
    const struct jr_owner_ref *ref = pod != NULL ? jr_meta_controller(&pod->meta) : NULL;
    JR_FREE char *job = NULL;

    if (ref == NULL || !jr_str_is(ref->kind, "Job")) {
        (void)jr_fail(&f->err, JR_NOTFOUND, NULL, "no Job controls the Pod %.*s",
                      JR_P(f->o->asked->name));
        end(f);
        return;
    }
    job = jr_xstrndup(ref->name);
    jr_evidence_forget_pods(f->evidence);
    get(f, &job_kind, jr_str(job), after_job);
}

/** The Job of a CronJob that counts as active: its Pods are read. */
static void after_jobs(struct fetch *f)
{
    const struct jr_object_view *cron;
    const struct jr_node *active;

    jr_evidence_seal(f->evidence);
    cron = jr_evidence_object(f->evidence, "CronJob", jr_str(namespace_of(f)), f->o->asked->name);
    active = jr_at(jr_path(cron != NULL ? cron->root : NULL, "status.active"), 0);
    ask_pods(f, jr_evidence_job(f->evidence, jr_str(namespace_of(f)), jr_get_str(active, "name")));
}

static void after_cron_job(struct fetch *f)
{
    list(f, &job_kind, NULL, after_jobs);
}

static bool can_do_without(void *ctx, const char *path)
{
    (void)ctx;
    (void)path;
    return true; /* refusals are told by take_refusal */
}

enum jr_status jr_fetch_diagnosis(struct jr_cluster *cluster,
                                  const struct jr_fetch_options *options,
                                  struct jr_evidence *evidence, struct jr_diagnosis **ret,
                                  struct jr_error *err)
{
    JR_CLEANUP(fetch_done)
    struct fetch f = { .o = options, .cluster = cluster, .evidence = evidence };
    const struct jr_str name = options->asked->name;
    enum jr_status st = jr_cluster_open(cluster, options->flags, options->program, err);

    if (st != JR_OK)
        return st;
    cluster->can_do_without = can_do_without;
    f.q.env = cluster->env;
    f.q.ctx = &f;
    jr_buf_init(&f.path, JR_BUF_BY_INPUT);
    if (strcmp(options->asked->kind, "CronJob") == 0)
        get(&f, &cron_kind, name, after_cron_job);
    else if (strcmp(options->asked->kind, "Pod") == 0)
        get(&f, &pod_kind, name, after_pod);
    else
        get(&f, &job_kind, name, after_job);
    st = jr_cluster_run(cluster, err);
    if (st != JR_OK)
        return st;
    if (f.err.status != JR_OK) {
        *err = f.err;
        return err->status;
    }
    if (f.diagnosis == NULL)
        return jr_fail(err, JR_CANCELLED, NULL, "interrupted");
    *ret = jr_steal(&f.diagnosis);
    return JR_OK;
}
