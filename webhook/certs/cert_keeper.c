/* SPDX-License-Identifier: Apache-2.0 */
/* Each reconciliation makes these requests:
 *
 *   GET Secret --> GET and, where it lacks the bundle, PATCH each configuration
 *      --> an old CA is trusted? ask the replicas --> plan
 *      --nothing--> wait          --a step--> PUT or POST Secret --> the next one at once
 *
 * Where the Secret doesn't stay as it is written a step is due each time; after some of them there
 * is a pause before the next. Whatever is refused or lost on the way ends a reconciliation; the
 * next one sees what came of it. All that a keeper has to know is in the Secret and the
 * configurations, so it may end at any point. */
#include "webhook/certs/cert_keeper.h"

#include <stdio.h>

#include "certs/check.h"
#include "common/base/memory.h"
#include "common/kube/requester.h"
#include "webhook/certs/cert_secret.h"

#define SECRET_MAX ((size_t)4 << 20)
/* Two processes may share a replica's port: of so many connections all go to one of them once in
 * 30,000 times. */
#define TRIES 16
/* So many writes follow one another at once: more than there are steps from nothing to the end. */
#define WRITES_AT_ONCE 8

struct jr_cert_keeper {
    struct jr_requester q;
    struct jr_cert_keeper_options opt;
    struct jr_cert_keeper_handler h;
    struct jr_log *log;
    struct jr_arena arena;
    const char *path;     /* of the Secret */
    const char *all_path; /* of its namespace's */
    struct jr_registration *registration;
    unsigned failures; /* rounds in a row that broke off */
    unsigned writes;   /* of the Secret, in a row without a round that had none to do */
    struct jr_certs certs;
    struct jr_doc *secret; /* as read; NULL: there is none */
    char *bundle;          /* that callers have to trust */
    char *serving;         /* the certificate that is in the Secret */
    struct jr_cert_keeper_seen seen;
    bool skewed; /* and it was said */
    /* Of this reconciliation. */
    enum jr_certs_step step;
    bool all_by_ca; /* so the replicas have answered */
    /* Since when every configuration has had the bundle; 0: it hasn't. */
    struct jr_mono trusted_since;
    struct jr_mono serving_since; /* in the Secret */
    char waits_for[80];           /* the replica for which an old CA was last said to stay */
};

static void begin_reconciliation(void *ctx);

/* ---- rounds ---- */

static void round_over(struct jr_cert_keeper *k, int64_t wait_ns)
{
    k->failures = k->writes = 0;
    k->h.on_reconciled(k->h.ctx, &k->seen, NULL);
    jr_requester_after(&k->q, wait_ns, begin_reconciliation);
}

/** What is wrong isn't the Secret: err says which server. */
static bool unanswered(const struct jr_kube_result *r)
{
    return r->kind != JR_RESULT_OK && r->kind != JR_RESULT_REFUSED;
}

/** Nothing is lost but time: what is served stays. */
static void gave_up(struct jr_cert_keeper *k, const char *what, const struct jr_error *err)
{
    const int64_t poll_ns = k->opt.poll_ms * JR_MSEC;

    jr_warn(k->log, what, JR_OBJECT("Secret", jr_str(k->opt.namespace), jr_str(k->opt.secret)),
            JR_ERR(err));
    k->h.on_reconciled(k->h.ctx, &k->seen, err);
    jr_requester_retry(&k->q, k->failures++, poll_ns, 1.0, begin_reconciliation);
}

/* ---- writing the Secret ---- */

/** What was written is read back, and the next step planned. */
static void begin_next(struct jr_cert_keeper *k)
{
    struct jr_error err = { .status = JR_OK };

    if (++k->writes < WRITES_AT_ONCE) {
        begin_reconciliation(k);
        return;
    }
    (void)jr_fail(&err, JR_CONFLICT, NULL, "after %u writes in a row there is still to do: %s",
                  k->writes, jr_certs_step_text(k->step));
    gave_up(k, "the Secret does not stay as it is written", &err);
}

static void on_written(void *ctx, const struct jr_kube_result *r)
{
    struct jr_cert_keeper *k = ctx;

    if (r->kind == JR_RESULT_REFUSED && r->http == 409) {
        jr_debug(k->log, "another keeper was first", JR_NONE);
        begin_next(k);
        return;
    }
    if (r->kind != JR_RESULT_OK) {
        gave_up(k,
                unanswered(r) ? "the API server does not answer, the Secret is not written"
                              : "the Secret is not written",
                &r->error);
        return;
    }
    jr_info(k->log, "Secret written", JR_CSTR("why", jr_certs_step_text(k->step)),
            JR_OBJECT("Secret", jr_str(k->opt.namespace), jr_str(k->opt.secret)));
    begin_next(k);
}

/** Does the step to the Secret as it was read. Of one that is gone nothing is written back but the
 * CAs that are trusted still. */
static enum jr_status make_step(struct jr_cert_keeper *k, struct jr_buf *out, struct jr_error *err)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs next = { .old_ca_pem = NULL };
    enum jr_status st;

    if (k->secret == NULL)
        k->secret = jr_cert_secret_new(k->opt.namespace, k->opt.secret);
    st = jr_cert_secret_read(jr_doc_root_const(k->secret), &next, err);
    if (st == JR_OK && next.old_ca_pem == NULL)
        next.old_ca_pem = jr_xstrdup(k->certs.old_ca_pem);
    if (st == JR_OK)
        st = jr_certs_apply(&next, k->step, &k->opt.certs, jr_loop_wall(k->q.env.loop), err);
    if (st == JR_OK)
        st = jr_cert_secret_write(&next, jr_doc_root(k->secret));
    return st == JR_OK ? jr_need(jr_node_print(jr_doc_root_const(k->secret), out)) : st;
}

static void write_secret(struct jr_cert_keeper *k)
{
    const bool there = k->secret != NULL;
    struct jr_http_request req = { .method = there ? "PUT" : "POST",
                                   .path = there ? k->path : k->all_path };
    struct jr_error err = { .status = JR_OK };
    JR_SECRET_BUF body = { 0 };

    jr_buf_init(&body, SECRET_MAX);
    if (make_step(k, &body, &err) == JR_OK) {
        req.body = jr_buf_str(&body);
        jr_requester_send(&k->q, &req, on_written);
    } else {
        gave_up(k, "no certificate is made", &err);
    }
}

/* ---- what is to be done ---- */

/** How much longer until so much time has passed; <= 0: it has. */
static int64_t propagating_ns(const struct jr_cert_keeper *k, struct jr_mono since)
{
    return since.ns == 0
               ? INT64_MAX
               : since.ns + k->opt.propagation_ms * JR_MSEC - jr_loop_mono(k->q.env.loop).ns;
}

/** What a wrong clock would make, nobody could use. */
static void refuse_to_write(struct jr_cert_keeper *k)
{
    struct jr_error err = { .status = JR_OK };

    (void)jr_fail(
        &err, JR_INVALID, NULL,
        "our clock is %lld s ahead of the API server's, and one of them is wrong: expected "
        "an hour at most",
        (long long)(k->seen.skew_ns / JR_SEC));
    gave_up(k, "no certificate is made while clocks differ", &err);
}

/** The Secret has been read, and all else is known: the next step. */
static void plan_step(struct jr_cert_keeper *k)
{
    const int64_t poll_ns = jr_registration_pace_ns(k->registration, k->opt.poll_ms * JR_MSEC);
    const int64_t propagating = propagating_ns(k, k->trusted_since);
    const struct jr_certs_view view = { jr_loop_wall(k->q.env.loop), propagating <= 0,
                                        k->all_by_ca };
    int64_t wait_ns;

    k->step = jr_certs_plan(&k->certs, &k->opt.certs, &view, &wait_ns);
    if (k->step != JR_CERTS_KEEP) {
        if (k->skewed)
            refuse_to_write(k);
        else
            write_secret(k);
        return;
    }
    if (propagating > 0 && propagating < wait_ns)
        wait_ns = propagating;
    round_over(k, wait_ns < poll_ns ? wait_ns : poll_ns);
}

/* ---- does anybody serve what an old CA has signed? ---- */

static bool is_by_ca(void *ctx, const char *chain_pem)
{
    const struct jr_cert_keeper *k = ctx;

    return jr_cert_signed_by(chain_pem, k->certs.ca.cert_pem);
}

/** Says once for each reason why an old CA stays. */
static void log_waiting(struct jr_cert_keeper *k, const char *who, const struct jr_error *err)
{
    static const char text[] =
        "an old CA stays trusted until all replicas serve the new certificate";

    if (strcmp(who, k->waits_for) == 0)
        return;
    (void)snprintf(k->waits_for, sizeof(k->waits_for), "%s", who);
    if (err != NULL)
        jr_info(k->log, text, JR_ERR(err));
    else
        jr_info(k->log, text, JR_CSTR("waitsFor", who));
}

static void on_asked(void *ctx, const struct jr_replicas_seen *seen, const struct jr_error *err)
{
    struct jr_cert_keeper *k = ctx;

    k->all_by_ca = err == NULL && seen->n_good > 0 && seen->n_bad == 0 && seen->n_silent == 0;
    if (!k->all_by_ca)
        log_waiting(k,
                    err != NULL          ? "the API server"
                    : seen->n_ready == 0 ? "any"
                                         : seen->who,
                    err);
    plan_step(k);
}

static void check_old_ca(struct jr_cert_keeper *k)
{
    const struct jr_replicas_question q = { TRIES, is_by_ca, on_asked, k };

    if (k->certs.old_ca_pem != NULL && k->certs.ca.cert_pem != NULL &&
        propagating_ns(k, k->serving_since) <= 0)
        jr_replicas_ask(k->opt.registration.replicas, &q);
    else
        plan_step(k);
}

static void on_reconciled(void *ctx, const struct jr_registration_seen *seen,
                          const struct jr_error *err)
{
    struct jr_cert_keeper *k = ctx;

    if (err != NULL) {
        gave_up(k, "webhook configurations not seen to", err);
        return;
    }
    /* Nothing is in the Secret: what callers trust may be served still. */
    if (jr_certs_none(&k->certs) && k->certs.old_ca_pem == NULL)
        k->certs.old_ca_pem = jr_xstrdup(seen->trusted);
    if (seen->patched)
        k->trusted_since.ns = 0;
    else if (k->trusted_since.ns == 0)
        k->trusted_since = jr_loop_mono(k->q.env.loop);
    check_old_ca(k);
}

/* ---- the Secret ---- */

static struct jr_time end_of(const char *pem)
{
    const struct jr_cert cert = { .cert_pem = (char *)(uintptr_t)pem };
    struct jr_cert_life life;

    return pem != NULL && jr_cert_check(&cert, &life, NULL) == JR_OK ? life.until
                                                                     : (struct jr_time){ 0 };
}

/** Takes over what was read. */
static void keep_certs(struct jr_cert_keeper *k, struct jr_certs *certs)
{
    JR_FREE char *bundle = jr_certs_bundle(certs);
    JR_FREE char *serving = jr_xstrndup(jr_str(certs->serving.cert_pem));

    if (k->bundle == NULL || strcmp(bundle, k->bundle) != 0)
        k->trusted_since.ns = 0;
    if (k->serving == NULL || strcmp(serving, k->serving) != 0)
        k->serving_since = jr_loop_mono(k->q.env.loop);
    free(k->bundle);
    k->bundle = jr_steal(&bundle);
    free(k->serving);
    k->serving = jr_steal(&serving);
    jr_certs_done(&k->certs);
    k->certs = *certs;
    *certs = (struct jr_certs){ .old_ca_pem = NULL };
    k->seen.serving_until = end_of(k->certs.serving.cert_pem);
    k->seen.ca_until = end_of(k->certs.ca.cert_pem);
    k->seen.old_trusted = k->certs.old_ca_pem != NULL;
}

/** body: the Secret; NULL: there is none. */
static enum jr_status read_secret(struct jr_cert_keeper *k, const struct jr_str *body,
                                  struct jr_error *err)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs certs = { .old_ca_pem = NULL };
    enum jr_status st = JR_OK;

    if (body != NULL) {
        st = jr_need(jr_doc_parse(*body, &JR_READER_LENIENT, &k->secret, err));
        if (st == JR_OK)
            st = jr_cert_secret_read(jr_doc_root_const(k->secret), &certs, err);
        if (st == JR_OK)
            st = jr_certs_check(&certs, err);
    }
    if (st == JR_OK)
        keep_certs(k, &certs);
    return st;
}

/** Compares our clock with the API server's, and says so when that changes. */
static void note_clock(struct jr_cert_keeper *k, struct jr_time date)
{
    bool skewed;

    if (!jr_time_set(date)) /* no answer */
        return;
    k->seen.skew_ns = jr_loop_wall(k->q.env.loop).ns - date.ns;
    skewed = k->seen.skew_ns > JR_CERTS_SKEW_NS || k->seen.skew_ns < -JR_CERTS_SKEW_NS;
    if (skewed && !k->skewed)
        jr_err(k->log, "our clock and the API server's differ: no certificate is made or renewed",
               JR_INT("aheadSeconds", k->seen.skew_ns / JR_SEC));
    else if (!skewed && k->skewed)
        jr_info(k->log, "our clock and the API server's agree again", JR_NONE);
    k->skewed = skewed;
}

static void on_secret(void *ctx, const struct jr_kube_result *r)
{
    struct jr_cert_keeper *k = ctx;
    struct jr_error err = { .status = JR_OK };

    note_clock(k, r->date);
    if (r->kind != JR_RESULT_OK && !jr_kube_is_gone(r)) {
        gave_up(k,
                unanswered(r) ? "the API server does not answer, the Secret is not read"
                              : "the Secret is not read",
                &r->error);
        return;
    }
    if (read_secret(k, jr_kube_is_gone(r) ? NULL : &r->body, &err) != JR_OK) {
        gave_up(k, "the Secret's certificates are not fit for use, nothing is written over them",
                &err);
        return;
    }
    jr_registration_reconcile(k->registration, k->bundle[0] == '\0' ? NULL : k->bundle);
}

/** There are keys in it. */
static void drop_secret(struct jr_cert_keeper *k)
{
    if (k->secret != NULL)
        jr_node_wipe(jr_doc_root(k->secret));
    jr_doc_free(k->secret);
    k->secret = NULL;
}

static void begin_reconciliation(void *ctx)
{
    struct jr_cert_keeper *k = ctx;

    drop_secret(k);
    k->all_by_ca = false;
    jr_requester_get(&k->q, k->path, on_secret);
}

/* ---- its life ---- */

struct jr_cert_keeper *jr_cert_keeper_start(const struct jr_env *env,
                                            const struct jr_cert_keeper_options *options,
                                            const struct jr_cert_keeper_handler *handler,
                                            struct jr_log *log)
{
    struct jr_cert_keeper *k = jr_xcalloc(1, sizeof(*k));
    const struct jr_registration_handler reconciled = { on_reconciled, k };

    jr_arena_init(&k->arena, 0);
    k->q = (struct jr_requester){ .env = *env, .ctx = k };
    k->opt = *options;
    k->h = *handler;
    k->log = log;
    k->all_path = jr_xarena_text(&k->arena, "/api/v1/namespaces/%s/secrets", options->namespace).p;
    k->path = jr_xarena_text(&k->arena, "%s/%s", k->all_path, options->secret).p;
    k->registration = jr_registration_new(env, &options->registration, &reconciled, log);
    jr_requester_after(&k->q, 0, begin_reconciliation);
    return k;
}

void jr_cert_keeper_free(struct jr_cert_keeper *k)
{
    if (k == NULL)
        return;
    jr_requester_done(&k->q);
    jr_registration_free(k->registration);
    jr_certs_done(&k->certs);
    drop_secret(k);
    free(k->bundle);
    free(k->serving);
    jr_arena_done(&k->arena);
    free(k);
}
