/* SPDX-License-Identifier: Apache-2.0 */
/* Lists Jobs and CronJobs page by page, and adds each to the audit, no faster than allowed. */
#include "common/audit/audit_pass.h"

#include "common/audit/webhook_scope.h"
#include "common/base/memory.h"
#include "common/kube/framing.h"
#include "common/kube/requester.h"
#include "common/schema/profile.h"

#define PAGE 100
#define PAGE_BYTES ((size_t)8 << 20) /* of more than one object */
#define TIMEOUT_MS 60000
#define RETRIES 5 /* of one page in a row, or after pages that bring nothing */
#define RETRY_CAP_NS (30 * JR_SEC)

/** What is passed over, in this order. */
static const struct {
    const struct jr_admission_kind *kind;
    const char *name;
} resources[] = {
    { &jr_admission_job, "jobs" },
    { &jr_admission_cron_job, "cronjobs" },
};

struct item {
    size_t at, n; /* in page */
};

struct jr_audit_pass {
    struct jr_requester q;
    struct jr_audit_pass_options o;
    struct jr_audit_pass_handler h;
    struct jr_log *log;
    struct jr_profile profile;
    struct jr_webhook_scope scope;
    struct jr_policy_audit audit;
    size_t objects;
    size_t resource; /* of resources */
    unsigned failures;
    bool expired;        /* a list has: not again */
    size_t single;       /* so many pages to come are of one object: all of them were too long */
    struct jr_buf token; /* of the next page */
    struct jr_buf page;
    struct item *items; /* of the page */
    size_t n, cap, done;
    struct jr_mono page_began;
};

static void get_page(void *ctx);

static void fail(struct jr_audit_pass *p, const struct jr_error *why)
{
    p->h.on_failed(p->h.ctx, why);
}

/* ---- objects ---- */

static void audit_object(struct jr_audit_pass *p, struct jr_str text)
{
    const struct jr_admission_kind *kind = resources[p->resource].kind;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_CLEANUP(jr_namespace_unrefp) struct jr_namespace *namespace = NULL;
    struct jr_policy_context context = { .set = p->audit.set,
                                         .now = jr_loop_wall(p->q.env.loop),
                                         .controller = p->o.controller,
                                         .trusted = p->o.trusted };
    struct jr_policy_audited object = { .kind = kind };
    struct jr_error err = { .status = JR_OK };

    p->objects++;
    if (jr_need(jr_doc_parse(text, &JR_READER_LENIENT, &doc, &err)) != JR_OK) {
        jr_must(jr_policy_audit_skip(&p->audit, &object, err.msg));
        return;
    }
    object.root = jr_doc_root(doc);
    context.namespace = jr_get_str(jr_get(object.root, "metadata"), "namespace");
    namespace = jr_namespaces_get(p->o.namespaces, context.namespace);
    if (namespace != NULL) {
        context.namespace_known = true;
        context.namespace_labels = namespace->labels;
        object.excluded = jr_webhook_scope_excludes(&p->scope, kind->resource, &namespace->labels);
    }
    jr_must(jr_policy_audit_add(&p->audit, &object, &context, &p->profile));
}

/** How long to wait so that no more objects than allowed come in a second. */
static int64_t rest_ns(const struct jr_audit_pass *p)
{
    const int64_t took = jr_loop_mono(p->q.env.loop).ns - p->page_began.ns;
    const int64_t wanted =
        p->o.per_second == 0 ? 0 : (int64_t)p->n * JR_SEC / (int64_t)p->o.per_second;

    return wanted > took ? wanted - took : 0;
}

/** The page was seen: the next one, the next resource, or the end. */
static void go_on(struct jr_audit_pass *p)
{
    if (p->token.n == 0)
        p->resource++;
    if (p->resource == JR_ARRAY_SIZE(resources))
        p->h.on_done(p->h.ctx, &p->audit, p->objects);
    else
        jr_requester_after(&p->q, rest_ns(p), get_page);
}

/** As many as a turn of the loop has time for. */
static void audit_items(void *ctx)
{
    struct jr_audit_pass *p = ctx;
    struct jr_deadline turn = jr_loop_deadline(p->q.env.loop);

    while (p->done < p->n) {
        const struct item *i = &p->items[p->done++];

        audit_object(p, (struct jr_str){ p->page.p + i->at, i->n });
        if (p->done < p->n && jr_deadline_over(&turn)) {
            jr_requester_after(&p->q, 0, audit_items);
            return;
        }
    }
    go_on(p);
}

/* ---- pages ---- */

static void add_item(void *ctx, struct jr_str item)
{
    struct jr_audit_pass *p = ctx;

    p->items = jr_xvec_room(p->items, p->n, &p->cap, sizeof(*p->items));
    p->items[p->n++] = (struct item){ (size_t)(item.p - p->page.p), item.n };
}

static enum jr_status take_page(struct jr_audit_pass *p, struct jr_str body, bool *ret_stuck,
                                struct jr_error *err)
{
    struct jr_list_page list;
    enum jr_status st;

    jr_buf_reset(&p->page);
    jr_must(jr_buf_add(&p->page, body));
    p->n = p->done = 0;
    st = jr_need(jr_list_read(jr_buf_str(&p->page), add_item, p, &list, err));
    if (st != JR_OK)
        return st;
    *ret_stuck = jr_list_is_stuck(&list, p->n, jr_buf_str(&p->token));
    jr_buf_reset(&p->token);
    jr_must(jr_buf_add(&p->token, list.continue_token));
    return JR_OK;
}

/** A list that has expired begins anew: what was seen of it is counted again, so all is. */
static bool begin_anew(struct jr_audit_pass *p, const struct jr_kube_result *r)
{
    if (r->http != 410 || p->expired)
        return false;
    jr_policy_audit_done(&p->audit);
    jr_must(jr_policy_audit_init(&p->audit, &p->o.snapshot->set, p->o.keeps));
    p->expired = true;
    p->resource = 0;
    p->objects = 0;
    jr_buf_reset(&p->token);
    get_page(p);
    return true;
}

static void again_later(struct jr_audit_pass *p, const struct jr_error *why)
{
    if (p->failures == RETRIES)
        fail(p, why);
    else
        jr_requester_retry(&p->q, p->failures++, RETRY_CAP_NS, 0.5, get_page);
}

static void page_failed(struct jr_audit_pass *p, const struct jr_kube_result *r)
{
    if (r->error.status == JR_LIMIT && p->single == 0) {
        p->single = PAGE;
        get_page(p);
    } else if (!begin_anew(p, r)) {
        if (r->http == 403 || r->http == 404)
            fail(p, &r->error);
        else
            again_later(p, &r->error);
    }
}

static void on_page(void *ctx, const struct jr_kube_result *r)
{
    struct jr_audit_pass *p = ctx;
    struct jr_error err = { .status = JR_OK };
    bool stuck = false;

    if (r->kind != JR_RESULT_OK) {
        page_failed(p, r);
        return;
    }
    p->single -= p->single > 0;
    if (take_page(p, r->body, &stuck, &err) != JR_OK) {
        fail(p, &err);
    } else if (stuck) {
        (void)jr_fail(&err, JR_REMOTE, NULL, JR_LIST_STUCK);
        again_later(p, &err);
    } else {
        p->failures = 0;
        audit_items(p);
    }
}

static void get_page(void *ctx)
{
    struct jr_audit_pass *p = ctx;
    struct jr_http_request http = { .method = "GET",
                                    .timeout_ms = TIMEOUT_MS,
                                    .body_max = p->single > 0 ? 0 : PAGE_BYTES };
    JR_BUF url = { 0 };

    jr_buf_init(&url, JR_BUF_BY_INPUT);
    jr_resource_path("/apis/batch/v1", p->o.namespace, resources[p->resource].name, &url);
    (void)jr_buf_addf(&url, "?limit=%d", p->single > 0 ? 1 : PAGE);
    if (p->token.n > 0) {
        (void)jr_buf_adds(&url, "&continue=");
        (void)jr_url_escape(jr_buf_str(&p->token), &url);
    }
    jr_must(url.failed);
    http.path = url.p;
    p->page_began = jr_loop_mono(p->q.env.loop);
    jr_requester_send(&p->q, &http, on_page);
}

/* ---- the webhook's scope ---- */

static void on_configuration(void *ctx, const struct jr_kube_result *r)
{
    struct jr_audit_pass *p = ctx;
    struct jr_error err = { .status = JR_OK };
    struct jr_doc *doc = NULL;

    if (!jr_kube_is_gone(r) && jr_kube_object(r, &doc, &err) != JR_OK)
        jr_warn(p->log, "in which namespaces the webhook is asked is not known",
                JR_CSTR("configuration", p->o.webhook_configuration), JR_ERR(&err));
    jr_webhook_scope_init(&p->scope, doc);
    get_page(p);
}

static void get_configuration(void *ctx)
{
    struct jr_audit_pass *p = ctx;
    JR_FREE char *path = NULL;

    if (p->o.webhook_configuration == NULL) {
        jr_webhook_scope_init(&p->scope, NULL);
        get_page(p);
        return;
    }
    path = jr_xasprintf("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/%s",
                        p->o.webhook_configuration);
    jr_requester_get(&p->q, path, on_configuration);
}

struct jr_audit_pass *jr_audit_pass_start(const struct jr_env *env,
                                          const struct jr_audit_pass_options *options,
                                          const struct jr_audit_pass_handler *handler,
                                          struct jr_log *log)
{
    struct jr_audit_pass *p = jr_xcalloc(1, sizeof(*p));

    p->q = (struct jr_requester){ .env = *env, .ctx = p };
    p->o = *options;
    p->o.snapshot = jr_policy_snapshot_ref(options->snapshot);
    p->h = *handler;
    p->log = log;
    p->profile = options->profile == NULL ? jr_profile_default() : *options->profile;
    jr_must(jr_policy_audit_init(&p->audit, &p->o.snapshot->set, p->o.keeps));
    jr_buf_init(&p->token, JR_BUF_BY_INPUT);
    jr_buf_init(&p->page, JR_BUF_BY_INPUT);
    jr_requester_after(&p->q, 0, get_configuration);
    return p;
}

size_t jr_audit_pass_objects(const struct jr_audit_pass *p)
{
    return p->objects;
}

void jr_audit_pass_free(struct jr_audit_pass *p)
{
    if (p == NULL)
        return;
    jr_requester_done(&p->q);
    jr_policy_audit_done(&p->audit);
    jr_webhook_scope_done(&p->scope);
    jr_policy_snapshot_unref(p->o.snapshot);
    jr_buf_done(&p->token);
    jr_buf_done(&p->page);
    free(p->items);
    free(p);
}
