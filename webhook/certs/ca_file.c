#include "webhook/certs/ca_file.h"

#include "certs/check.h"
#include "common/kube/request.h"
#include "webhook/certs/pem_file.h"

#define FLAG "--tls-ca-file"
#define RETRY_NS (500 * JR_MSEC)

struct jr_ca_file {
    struct jr_env env;
    struct jr_log *log;
    const char *name; /* NULL: there is none */
    int64_t poll_ns;
    struct jr_registration *registration;
    struct jr_timer *timer;
    unsigned failures; /* in a row */
    char *pem;         /* what the file says; "": nothing */
    char *looked_for;  /* what is being looked for; NULL: nothing is */
};

/* ---- the file ---- */

/** What is in it gets known to everybody who may read webhook configurations. */
static enum jr_status check(const char *pem, struct jr_error *err)
{
    struct jr_cert_life life;

    if (strstr(pem, "PRIVATE KEY-----") != NULL)
        return jr_fail(err, JR_INVALID, NULL,
                       "expected CA certificates alone, and there is a private key in it");
    return jr_cert_check_bundle(pem, &life, err);
}

static enum jr_status read_file(const struct jr_ca_file *f, char **ret, struct jr_error *err)
{
    JR_CLEANUP(jr_pem_wipe) struct jr_buf text = { 0 };
    enum jr_status st = JR_OK;

    if (f->name == NULL) {
        *ret = jr_str_dup(JR_S(""));
        return *ret == NULL ? jr_fail(err, JR_NOMEM, NULL, "CA certificates") : JR_OK;
    }
    st = jr_pem_file_read(f->name, &text, err);
    if (st == JR_OK)
        st = check(text.p, err);
    if (st != JR_OK)
        return jr_pem_file_blame(err, st, FLAG, f->name);
    *ret = jr_str_dup(jr_str(text.p));
    return *ret == NULL ? jr_fail(err, JR_NOMEM, NULL, "CA certificates") : JR_OK;
}

/* ---- the configurations ---- */

static void look(void *ctx);

static void again_in(struct jr_ca_file *f, int64_t ns)
{
    jr_timer_cancel(f->env.loop, &f->timer);
    if (jr_loop_after(f->env.loop, ns, look, f, &f->timer) != JR_OK)
        jr_err(f->log, "out of memory, caBundles are looked after no more", JR_NONE);
}

static void look(void *ctx)
{
    struct jr_ca_file *f = ctx;

    f->timer = NULL;
    f->looked_for = jr_str_dup(jr_str(f->pem));
    if (f->looked_for != NULL)
        jr_registration_look(f->registration, f->name == NULL ? NULL : f->looked_for);
    else
        again_in(f, f->poll_ns);
}

static void on_looked(void *ctx, const struct jr_registration_seen *seen,
                      const struct jr_error *err)
{
    struct jr_ca_file *f = ctx;
    const bool old = strcmp(f->looked_for, f->pem) != 0;

    (void)seen;
    free(f->looked_for);
    f->looked_for = NULL;
    if (err == NULL) {
        f->failures = 0;
        again_in(f, old ? 0 : jr_registration_pace_ns(f->registration, f->poll_ns));
        return;
    }
    jr_warn(f->log, "webhook configurations not seen to", JR_ERR(err));
    again_in(f, jr_backoff_ns(f->failures++, RETRY_NS, f->poll_ns, 1.0, &f->env.rand));
}

enum jr_status jr_ca_file_reload(struct jr_ca_file *f, bool *ret_changed, struct jr_error *err)
{
    JR_FREE char *pem = NULL;
    enum jr_status st = read_file(f, &pem, err);

    if (st != JR_OK)
        return st;
    *ret_changed = strcmp(pem, f->pem) != 0;
    if (!*ret_changed)
        return JR_OK;
    free(f->pem);
    f->pem = jr_steal(&pem);
    if (f->looked_for == NULL) /* else when that has come to its end */
        again_in(f, 0);
    return JR_OK;
}

/* ---- its life ---- */

enum jr_status jr_ca_file_start(const struct jr_env *env, const char *file,
                                const struct jr_registration_options *registration, int64_t poll_ms,
                                struct jr_log *log, struct jr_ca_file **ret, struct jr_error *err)
{
    struct jr_ca_file *f = calloc(1, sizeof(*f));
    const struct jr_registration_handler handler = { on_looked, f };
    enum jr_status st;

    if (f == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "CA certificates");
    *f = (struct jr_ca_file){ .env = *env, .log = log, .name = file, .poll_ns = poll_ms * JR_MSEC };
    st = read_file(f, &f->pem, err);
    if (st == JR_OK &&
        (jr_registration_new(env, registration, &handler, log, &f->registration) != JR_OK ||
         jr_loop_after(env->loop, 0, look, f, &f->timer) != JR_OK))
        st = jr_fail(err, JR_NOMEM, NULL, "CA certificates");
    if (st == JR_OK) {
        *ret = f;
    } else {
        jr_ca_file_free(f);
    }
    return st;
}

void jr_ca_file_free(struct jr_ca_file *f)
{
    if (f == NULL)
        return;
    jr_timer_cancel(f->env.loop, &f->timer);
    jr_registration_free(f->registration);
    free(f->pem);
    free(f->looked_for);
    free(f);
}
