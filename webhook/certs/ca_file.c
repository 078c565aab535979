/* SPDX-License-Identifier: Apache-2.0 */
/* Reconciles the webhook configurations with the CAs of the file. */
#include "webhook/certs/ca_file.h"

#include "certs/check.h"
#include "common/base/memory.h"
#include "common/base/pem_file.h"
#include "common/kube/requester.h"

#define FLAG "--tls-ca-file"

struct jr_ca_file {
    struct jr_requester q; /* for its timer */
    struct jr_log *log;
    const char *name; /* NULL: there is none */
    int64_t poll_ns;
    struct jr_registration *registration;
    unsigned failures;    /* in a row */
    char *pem;            /* what the file says; "": nothing */
    char *reconciled_pem; /* of the reconciliation under way; NULL: none is */
};

/* ---- the file ---- */

/** What is in it gets known to everybody who may read webhook configurations. */
static enum jr_status check_cas(const char *pem, struct jr_error *err)
{
    struct jr_cert_life life;

    if (strstr(pem, "PRIVATE KEY-----") != NULL)
        return jr_fail(err, JR_INVALID, NULL,
                       "expected CA certificates alone, and there is a private key in it");
    return jr_cert_check_bundle(pem, &life, err);
}

static enum jr_status read_file(const struct jr_ca_file *f, char **ret, struct jr_error *err)
{
    JR_SECRET_BUF text = { 0 };
    enum jr_status st = JR_OK;

    if (f->name != NULL) {
        st = jr_need(jr_pem_file_read(f->name, &text, err));
        if (st == JR_OK)
            st = check_cas(text.p, err);
    }
    if (st != JR_OK)
        return jr_pem_file_blame(err, st, FLAG, f->name);
    *ret = jr_xstrndup(jr_str(text.p));
    return JR_OK;
}

/* ---- the configurations ---- */

static void reconcile_configurations(void *ctx)
{
    struct jr_ca_file *f = ctx;

    f->reconciled_pem = jr_xstrdup(f->pem);
    jr_registration_reconcile(f->registration, f->name == NULL ? NULL : f->reconciled_pem);
}

static void on_reconciled(void *ctx, const struct jr_registration_seen *seen,
                          const struct jr_error *err)
{
    struct jr_ca_file *f = ctx;
    const bool old = strcmp(f->reconciled_pem, f->pem) != 0;

    (void)seen;
    free(f->reconciled_pem);
    f->reconciled_pem = NULL;
    if (err == NULL) {
        f->failures = 0;
        jr_requester_after(&f->q, old ? 0 : jr_registration_pace_ns(f->registration, f->poll_ns),
                           reconcile_configurations);
        return;
    }
    jr_warn(f->log, "webhook configurations not seen to", JR_ERR(err));
    jr_requester_retry(&f->q, f->failures++, f->poll_ns, 1.0, reconcile_configurations);
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
    if (f->reconciled_pem == NULL) /* else when that has come to its end */
        jr_requester_after(&f->q, 0, reconcile_configurations);
    return JR_OK;
}

/* ---- its life ---- */

JR_DEFINE_CLEANUP(struct jr_ca_file *, jr_ca_file_free)

enum jr_status jr_ca_file_start(const struct jr_env *env, const char *file,
                                const struct jr_registration_options *registration, int64_t poll_ms,
                                struct jr_log *log, struct jr_ca_file **ret, struct jr_error *err)
{
    JR_CLEANUP(jr_ca_file_freep) struct jr_ca_file *f = jr_xcalloc(1, sizeof(*f));
    const struct jr_registration_handler handler = { on_reconciled, f };
    enum jr_status st;

    *f = (struct jr_ca_file){
        .q = { .env = *env, .ctx = f }, .log = log, .name = file, .poll_ns = poll_ms * JR_MSEC
    };
    st = read_file(f, &f->pem, err);
    if (st != JR_OK)
        return st;
    f->registration = jr_registration_new(env, registration, &handler, log);
    jr_requester_after(&f->q, 0, reconcile_configurations);
    *ret = jr_steal(&f);
    return JR_OK;
}

void jr_ca_file_free(struct jr_ca_file *f)
{
    if (f == NULL)
        return;
    jr_requester_done(&f->q);
    jr_registration_free(f->registration);
    free(f->pem);
    free(f->reconciled_pem);
    free(f);
}
