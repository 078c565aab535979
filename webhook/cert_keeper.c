/* Each round is the same small conversation:
 *
 *   GET Secret --> GET and, where it lacks the bundle, PATCH each configuration --> plan
 *      --nothing--> wait          --a step--> PUT or POST Secret --> the next round at once
 *
 * and whatever is refused or lost on the way ends it; the next one sees what came of it. */
#include "webhook/cert_keeper.h"

#include "common/kube/request.h"
#include "webhook/ca_bundle.h"
#include "webhook/cert_secret.h"

#define TIMEOUT_MS 10000
#define RETRY_NS (500 * JR_MSEC)
#define SECRET_MAX ((size_t)4 << 20)
#define ARENA_MAX_BYTES ((size_t)4 << 10)

struct jr_cert_keeper {
    struct jr_env env;
    struct jr_cert_keeper_options opt;
    struct jr_cert_keeper_handler h;
    struct jr_log *log;
    struct jr_arena arena;
    const char *path;     /* of the Secret */
    const char *all_path; /* of its namespace's */
    struct jr_ca_bundle *ca_bundle;
    struct jr_kube_call *call;
    struct jr_timer *timer;
    unsigned failures; /* rounds in a row that broke off */
    struct jr_certs certs;
    struct jr_doc *secret; /* as read; NULL: there is none */
    char *bundle;          /* that callers have to trust */
    char *serving;         /* the certificate that was told of last */
    /* Of this round. */
    enum jr_certs_step step;
    bool patched;
    /* Since when every configuration has had the bundle; 0: it hasn't. */
    struct jr_mono trusted_since;
};

static void begin_round(struct jr_cert_keeper *k);

/* ---- rounds ---- */

static void on_timer(void *ctx)
{
    struct jr_cert_keeper *k = ctx;

    k->timer = NULL;
    begin_round(k);
}

static void again_in(struct jr_cert_keeper *k, int64_t ns)
{
    jr_timer_cancel(k->env.loop, &k->timer);
    if (jr_loop_after(k->env.loop, ns, on_timer, k, &k->timer) != JR_OK)
        jr_err(k->log, "out of memory, certificates are looked after no more", JR_NONE);
}

static void round_over(struct jr_cert_keeper *k, int64_t wait_ns)
{
    k->failures = 0;
    k->h.on_round(k->h.ctx, NULL);
    again_in(k, wait_ns);
}

/** What is wrong isn't the Secret: err says which server. */
static bool unanswered(const struct jr_kube_result *r)
{
    return r->kind != JR_RESULT_OK && r->kind != JR_RESULT_REFUSED;
}

/** Nothing is lost but time: what is served stays. */
static void broken_off(struct jr_cert_keeper *k, const char *what, const struct jr_error *err)
{
    const int64_t poll_ns = k->opt.poll_ms * JR_MSEC;

    jr_warn(k->log, what, JR_OBJECT("Secret", jr_str(k->opt.namespace), jr_str(k->opt.secret)),
            JR_ERR(err));
    k->h.on_round(k->h.ctx, err);
    again_in(k, jr_backoff_ns(k->failures++, RETRY_NS, poll_ns, 1.0, &k->env.rand));
}

static void send(struct jr_cert_keeper *k, const char *method, const char *path, struct jr_str body,
                 void (*on_done)(void *ctx, const struct jr_kube_result *r))
{
    const struct jr_kube_request req = {
        .http = { .method = method, .path = path, .body = body, .timeout_ms = TIMEOUT_MS },
    };
    struct jr_error err = { .status = JR_OK };

    if (jr_kube_send(&k->env, &req, on_done, k, &k->call, &err) != JR_OK)
        broken_off(k, "the Secret is not asked for", &err);
}

/* ---- writing the Secret ---- */

static void on_written(void *ctx, const struct jr_kube_result *r)
{
    struct jr_cert_keeper *k = ctx;

    k->call = NULL;
    if (r->kind == JR_RESULT_REFUSED && r->http == 409) {
        jr_debug(k->log, "another replica was first", JR_NONE);
        begin_round(k);
        return;
    }
    if (r->kind != JR_RESULT_OK) {
        broken_off(k,
                   unanswered(r) ? "the API server does not answer, the Secret is not written"
                                 : "the Secret is not written",
                   &r->error);
        return;
    }
    jr_info(k->log, "Secret written", JR_CSTR("why", jr_certs_step_text(k->step)),
            JR_OBJECT("Secret", jr_str(k->opt.namespace), jr_str(k->opt.secret)));
    begin_round(k);
}

/** Does the step to the Secret as it was read; where there was none, to what is known. The
 * certificates that are known stay as they are until the Secret is read again. */
static enum jr_status make(struct jr_cert_keeper *k, struct jr_buf *out, struct jr_error *err)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs next = { .old_ca_pem = NULL };
    enum jr_status st = JR_OK;

    if (k->secret == NULL) {
        st = jr_cert_secret_new(k->opt.namespace, k->opt.secret, &k->secret);
        if (st == JR_OK)
            st = jr_cert_secret_write(&k->certs, jr_doc_root(k->secret));
    }
    if (st == JR_OK)
        st = jr_cert_secret_read(jr_doc_root_const(k->secret), &next, err);
    if (st == JR_OK)
        st = jr_certs_apply(&next, k->step, &k->opt.certs, jr_loop_wall(k->env.loop), err);
    if (st == JR_OK)
        st = jr_cert_secret_write(&next, jr_doc_root(k->secret));
    return st == JR_OK ? jr_node_print(jr_doc_root_const(k->secret), out) : st;
}

static void write_secret(struct jr_cert_keeper *k)
{
    const bool there = k->secret != NULL;
    struct jr_error err = { .status = JR_OK };
    JR_BUF body = { 0 };

    jr_buf_init(&body, SECRET_MAX);
    if (make(k, &body, &err) != JR_OK)
        broken_off(k, "no certificate is made", &err);
    else
        send(k, there ? "PUT" : "POST", there ? k->path : k->all_path, jr_buf_str(&body),
             on_written);
    if (body.p != NULL)
        explicit_bzero(body.p, body.cap);
}

/* ---- what is to be done ---- */

/** All configurations have the bundle: how much longer until API servers know it; <= 0: they do. */
static int64_t settling_ns(const struct jr_cert_keeper *k)
{
    return k->trusted_since.ns + k->opt.settle_ms * JR_MSEC - jr_loop_mono(k->env.loop).ns;
}

static void conclude(struct jr_cert_keeper *k)
{
    const int64_t poll_ns = jr_ca_bundle_pace_ns(k->ca_bundle, k->opt.poll_ms * JR_MSEC);
    int64_t wait_ns, settling;

    if (k->patched)
        k->trusted_since.ns = 0;
    else if (k->trusted_since.ns == 0)
        k->trusted_since = jr_loop_mono(k->env.loop);
    settling = k->trusted_since.ns == 0 ? INT64_MAX : settling_ns(k);
    k->step =
        jr_certs_plan(&k->certs, &k->opt.certs, jr_loop_wall(k->env.loop), settling <= 0, &wait_ns);
    if (k->step != JR_CERTS_KEEP) {
        write_secret(k);
        return;
    }
    if (settling > 0 && settling < wait_ns)
        wait_ns = settling;
    round_over(k, wait_ns < poll_ns ? wait_ns : poll_ns);
}

static void on_looked(void *ctx, bool patched, const struct jr_error *err)
{
    struct jr_cert_keeper *k = ctx;

    k->patched = patched;
    if (err != NULL)
        broken_off(k, "webhook configurations not seen to", err);
    else
        conclude(k);
}

/* ---- the Secret ---- */

/** Takes over what was read, and tells of a serving certificate that is new. */
static enum jr_status take(struct jr_cert_keeper *k, struct jr_certs *certs)
{
    JR_FREE char *bundle = jr_certs_bundle(certs);
    JR_FREE char *serving =
        certs->serving.cert_pem == NULL ? NULL : jr_str_dup(jr_str(certs->serving.cert_pem));
    const bool is_new = serving != NULL && (k->serving == NULL || strcmp(serving, k->serving) != 0);

    if (bundle == NULL || (serving == NULL && certs->serving.cert_pem != NULL))
        return JR_NOMEM;
    if (k->bundle == NULL || strcmp(bundle, k->bundle) != 0)
        k->trusted_since.ns = 0;
    free(k->bundle);
    k->bundle = jr_steal(&bundle);
    jr_certs_done(&k->certs);
    k->certs = *certs;
    *certs = (struct jr_certs){ .old_ca_pem = NULL };
    if (!is_new)
        return JR_OK;
    free(k->serving);
    k->serving = jr_steal(&serving);
    k->h.on_serving(k->h.ctx, &k->certs.serving);
    return JR_OK;
}

static enum jr_status read_secret(struct jr_cert_keeper *k, struct jr_str body,
                                  struct jr_error *err)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs certs = { .old_ca_pem = NULL };
    enum jr_status st = jr_doc_parse(body, &JR_GATE_LENIENT, &k->secret, err);

    if (st == JR_OK)
        st = jr_cert_secret_read(jr_doc_root_const(k->secret), &certs, err);
    if (st == JR_OK)
        st = jr_certs_check(&certs, jr_loop_wall(k->env.loop), err);
    return st == JR_OK ? take(k, &certs) : st;
}

/** There is no Secret. If there was one, somebody wants new certificates: what is served stays
 * until a new CA is trusted. */
static void on_no_secret(struct jr_cert_keeper *k)
{
    k->step = k->serving == NULL                  ? JR_CERTS_MAKE_ALL
              : k->certs.next_ca.cert_pem == NULL ? JR_CERTS_MAKE_NEXT
                                                  : JR_CERTS_KEEP;
    write_secret(k);
}

static void on_secret(void *ctx, const struct jr_kube_result *r)
{
    struct jr_cert_keeper *k = ctx;
    struct jr_error err = { .status = JR_OK };

    k->call = NULL;
    if (r->kind != JR_RESULT_OK && !jr_kube_is_gone(r)) {
        broken_off(k,
                   unanswered(r) ? "the API server does not answer, the Secret is not read"
                                 : "the Secret is not read",
                   &r->error);
        return;
    }
    if (jr_kube_is_gone(r)) {
        on_no_secret(k);
        return;
    }
    if (read_secret(k, r->body, &err) != JR_OK) {
        broken_off(k, "the Secret's certificates are not fit for use, the last good ones stay",
                   &err);
        return;
    }
    if (k->bundle[0] == '\0') /* nothing to trust yet */
        conclude(k);
    else
        jr_ca_bundle_look(k->ca_bundle, k->bundle);
}

/** There are keys in it. */
static void drop_secret(struct jr_cert_keeper *k)
{
    if (k->secret != NULL)
        jr_node_wipe(jr_doc_root(k->secret));
    jr_doc_free(k->secret);
    k->secret = NULL;
}

static void begin_round(struct jr_cert_keeper *k)
{
    drop_secret(k);
    k->patched = false;
    send(k, "GET", k->path, (struct jr_str){ NULL, 0 }, on_secret);
}

/* ---- its life ---- */

/** What follows from the names. */
static enum jr_status make_paths(struct jr_cert_keeper *k)
{
    const struct jr_ca_bundle_handler handler = { on_looked, k };

    k->all_path = jr_arena_printf(&k->arena, "/api/v1/namespaces/%s/secrets", k->opt.namespace);
    k->path = k->all_path == NULL ? NULL
                                  : jr_arena_printf(&k->arena, "%s/%s", k->all_path, k->opt.secret);
    if (k->path == NULL)
        return JR_NOMEM;
    return jr_ca_bundle_new(&k->env, k->opt.configuration, &handler, k->log, &k->ca_bundle);
}

enum jr_status jr_cert_keeper_new(const struct jr_env *env,
                                  const struct jr_cert_keeper_options *options,
                                  const struct jr_cert_keeper_handler *handler, struct jr_log *log,
                                  struct jr_cert_keeper **ret)
{
    struct jr_cert_keeper *k = calloc(1, sizeof(*k));

    if (k == NULL)
        return JR_NOMEM;
    *k = (struct jr_cert_keeper){ .env = *env, .opt = *options, .h = *handler, .log = log };
    jr_arena_init(&k->arena, ARENA_MAX_BYTES);
    if (make_paths(k) != JR_OK) {
        jr_cert_keeper_free(k);
        return JR_NOMEM;
    }
    *ret = k;
    return JR_OK;
}

enum jr_status jr_cert_keeper_start(struct jr_cert_keeper *k)
{
    return jr_loop_after(k->env.loop, 0, on_timer, k, &k->timer);
}

void jr_cert_keeper_free(struct jr_cert_keeper *k)
{
    if (k == NULL)
        return;
    jr_kube_cancel(&k->call);
    jr_ca_bundle_free(k->ca_bundle);
    jr_timer_cancel(k->env.loop, &k->timer);
    jr_certs_done(&k->certs);
    drop_secret(k);
    free(k->bundle);
    free(k->serving);
    jr_arena_done(&k->arena);
    free(k);
}
