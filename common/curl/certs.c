/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates and key of the curl transport, and the files that they are read from again: a CA is
 * replaced, and a client certificate renewed, while the process runs. */
#include "common/curl/config_parts.h"
#include "common/curl/curl_parts.h"

#define FILES_AGE_NS (60 * JR_SEC)
/* Two files are not replaced at one moment, and a failed connection wants to know soon. */
#define FILES_AGE_BAD_NS (2 * JR_SEC)

struct curl_certs *jr_curl_certs_ref(struct curl_certs *certs)
{
    certs->refs++;
    return certs;
}

void jr_curl_certs_unref(struct curl_certs *certs)
{
    if (certs == NULL || --certs->refs > 0)
        return;
    free(certs->ca);
    free(certs->cert);
    jr_config_wipe(&certs->key);
    free(certs);
}

JR_DEFINE_CLEANUP(struct curl_certs *, jr_curl_certs_unref)

static struct curl_certs *certs_new(void)
{
    struct curl_certs *certs = jr_xcalloc(1, sizeof(*certs));

    certs->refs = 1;
    return certs;
}

void jr_curl_certs_init(struct jr_curl *c, const struct jr_kube_config *config)
{
    c->certs = certs_new();
    c->certs->ca = jr_xstrdup(config->ca_pem);
    c->certs->cert = jr_xstrdup(config->client_cert_pem);
    c->certs->key = jr_xstrdup(config->client_key_pem);
    c->files = (struct curl_cert_files){ .ca = jr_xstrdup(config->ca_file),
                                         .cert = jr_xstrdup(config->client_cert_file),
                                         .key = jr_xstrdup(config->client_key_file),
                                         .read_at = jr_loop_mono(c->loop) };
}

void jr_curl_certs_done(struct jr_curl *c)
{
    jr_curl_certs_unref(c->certs);
    c->certs = NULL;
    free(c->files.ca);
    free(c->files.cert);
    free(c->files.key);
    c->files = (struct curl_cert_files){ 0 };
}

/** The text of a file, or, where there is none, what we have. */
static enum jr_status read_one(const char *file, const char *old, char **ret, struct jr_error *err)
{
    if (file != NULL)
        return jr_config_read_text(file, ret, err);
    *ret = jr_xstrdup(old);
    return JR_OK;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/** Reads all, and checks what has changed. *ret is NULL if nothing has. */
static enum jr_status read_all(const struct jr_curl *c, struct curl_certs **ret,
                               struct jr_error *err)
{
    JR_CLEANUP(jr_curl_certs_unrefp) struct curl_certs *now = certs_new();
    const struct curl_certs *old = c->certs;
    const struct curl_cert_files *f = &c->files;
    enum jr_status st;
    bool pair;

    st = read_one(f->ca, old->ca, &now->ca, err);
    if (st == JR_OK)
        st = read_one(f->cert, old->cert, &now->cert, err);
    if (st == JR_OK)
        st = read_one(f->key, old->key, &now->key, err);
    if (st != JR_OK)
        return st;
    pair = !same_text(now->cert, old->cert) || !same_text(now->key, old->key);
    if (!same_text(now->ca, old->ca))
        st = jr_config_check_ca(now->ca, f->ca, err);
    else if (!pair)
        return JR_OK;
    if (st == JR_OK && pair)
        st = jr_config_check_pair(now->cert, now->key, f->cert != NULL ? f->cert : f->key, err);
    if (st == JR_OK)
        *ret = jr_steal(&now);
    return st;
}

/** From now on by these. Connections that were made with the old ones get no new requests; those of
 * the pool of dedicated connections are told apart by libcurl, by these texts. */
static void replace_certs(struct jr_curl *c, struct curl_certs *certs)
{
    jr_curl_certs_unref(c->certs);
    c->certs = certs;
    jr_curl_calls_drop(c);
    jr_curl_retire_pool(c, &c->shared);
    jr_info(c->log, "certificates read again", JR_CSTR("server", c->target.server));
}

/** What is named once: a file that is bad in the same way as before is not. */
static void keep_old(struct jr_curl *c, const struct jr_error *err)
{
    struct curl_cert_files *f = &c->files;
    char text[sizeof(f->why)];

    (void)jr_error_text(err, text, sizeof(text));
    if (!f->bad || strcmp(f->why, text) != 0)
        jr_warn(c->log, "certificates not read again, the old ones stay",
                JR_CSTR("server", c->target.server), JR_ERR(err));
    memcpy(f->why, text, sizeof(f->why));
    f->bad = true;
}

void jr_curl_certs_refresh(struct jr_curl *c)
{
    struct curl_cert_files *f = &c->files;
    const int64_t age = jr_loop_mono(c->loop).ns - f->read_at.ns;
    struct curl_certs *now = NULL;
    struct jr_error err = { 0 };

    if ((f->ca == NULL && f->cert == NULL && f->key == NULL) ||
        age < (f->stale || f->bad ? FILES_AGE_BAD_NS : FILES_AGE_NS))
        return;
    f->read_at = jr_loop_mono(c->loop);
    f->stale = false;
    if (read_all(c, &now, &err) != JR_OK) {
        keep_old(c, &err);
        return;
    }
    f->bad = false;
    if (now != NULL)
        replace_certs(c, now);
}

void jr_curl_set_credential(struct jr_curl *c, const char *token, const char *cert_pem,
                            const char *key_pem)
{
    struct curl_certs *now;

    jr_config_wipe(&c->token.text);
    c->token.text = jr_xstrdup(token);
    if (same_text(cert_pem, c->certs->cert) && same_text(key_pem, c->certs->key))
        return;
    now = certs_new();
    now->ca = jr_xstrdup(c->certs->ca);
    now->cert = jr_xstrdup(cert_pem);
    now->key = jr_xstrdup(key_pem);
    replace_certs(c, now);
}
