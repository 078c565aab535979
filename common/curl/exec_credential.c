/* SPDX-License-Identifier: Apache-2.0 */
/* ExecCredential, written and read. */
#include "common/curl/exec_credential.h"

#include "common/base/memory.h"
#include "common/curl/config_parts.h"
#include "common/json/write.h"
#include "common/json/yaml.h"

#define KIND "ExecCredential"

void jr_exec_credential_done(struct jr_exec_credential *c)
{
    jr_config_wipe(&c->token);
    free(c->cert_pem);
    jr_config_wipe(&c->key_pem);
    *c = (struct jr_exec_credential){ 0 };
}

void jr_exec_request_write(const struct jr_exec_plugin *plugin, bool interactive,
                           struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S(KIND));
    jr_w_kstr(&w, "apiVersion", jr_str(plugin->api_version));
    jr_w_kobject(&w, "spec");
    if (plugin->cluster != NULL) {
        jr_w_key(&w, "cluster");
        jr_w_raw(&w, jr_str(plugin->cluster));
    }
    jr_w_kbool(&w, "interactive", interactive);
    jr_w_object_end(&w);
    jr_w_object_end(&w);
}

/** Keeps the first document. */
static enum jr_status on_doc(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                             struct jr_error *err)
{
    struct jr_doc **first = ctx;

    (void)err;
    jr_positions_free(pos);
    if (*first == NULL) {
        *first = doc;
        return JR_OK;
    }
    jr_doc_free(doc);
    return JR_OK;
}

static enum jr_status take(const struct jr_node *status, const char *key, char **ret,
                           struct jr_error *err)
{
    struct jr_str s;
    enum jr_status st = jr_config_text_of(status, key, "status", &s, err);

    if (st == JR_OK && s.n > 0)
        *ret = jr_xstrndup(s);
    return st;
}

static enum jr_status take_expiry(const struct jr_node *status, struct jr_time *ret,
                                  struct jr_error *err)
{
    struct jr_str s;
    enum jr_status st = jr_config_text_of(status, "expirationTimestamp", "status", &s, err);

    if (st == JR_OK && s.n > 0 && jr_time_parse_served(s, ret) != JR_OK)
        st = jr_fail(err, JR_INVALID, "status", "expirationTimestamp: expected a time of RFC 3339");
    return st;
}

static enum jr_status check(const struct jr_exec_credential *c, struct jr_error *err)
{
    if (c->token == NULL && c->cert_pem == NULL && c->key_pem == NULL)
        return jr_fail(err, JR_INVALID, "status",
                       "there is no token and no clientCertificateData in it");
    if ((c->cert_pem == NULL) != (c->key_pem == NULL))
        return jr_fail(err, JR_INVALID, "status",
                       "of clientCertificateData and clientKeyData only one is there");
    if (c->token != NULL && !jr_config_is_token(c->token))
        return jr_fail(err, JR_INVALID, "status", "token: has characters that no token has");
    return c->cert_pem == NULL ? JR_OK
                               : jr_config_check_pair(c->cert_pem, c->key_pem, "status", err);
}

static enum jr_status take_credential(const struct jr_node *root, const char *api_version,
                                      struct jr_exec_credential *c, struct jr_error *err)
{
    const struct jr_node *status = jr_get(root, "status");
    const struct jr_str version = jr_get_str(root, "apiVersion");
    enum jr_status st;

    if (!jr_str_is(jr_get_str(root, "kind"), KIND))
        return jr_fail(err, JR_INVALID, NULL, "kind: expected " KIND);
    if (!jr_str_is(version, api_version))
        return jr_fail(err, JR_INVALID, NULL,
                       "apiVersion: the kubeconfig asks for %s, and this is %.*s", api_version,
                       JR_P(jr_str_head(version, 60)));
    if (jr_node_kind(status) != JR_OBJECT)
        return jr_fail(err, JR_INVALID, NULL, "status: not there");
    st = take(status, "token", &c->token, err);
    if (st == JR_OK)
        st = take(status, "clientCertificateData", &c->cert_pem, err);
    if (st == JR_OK)
        st = take(status, "clientKeyData", &c->key_pem, err);
    if (st == JR_OK)
        st = take_expiry(status, &c->expires, err);
    return st == JR_OK ? check(c, err) : st;
}

enum jr_status jr_exec_credential_read(struct jr_str printed, const char *api_version,
                                       struct jr_exec_credential *ret, struct jr_error *err)
{
    JR_CLEANUP(jr_exec_credential_done) struct jr_exec_credential c = { 0 };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st = jr_need(jr_yaml_read(printed, NULL, on_doc, &doc, err));

    if (st == JR_OK && (doc == NULL || jr_node_kind(jr_doc_root(doc)) != JR_OBJECT))
        st = jr_fail(err, JR_SYNTAX, NULL, "no object of JSON or YAML");
    if (st == JR_OK)
        st = take_credential(jr_doc_root(doc), api_version, &c, err);
    if (doc != NULL)
        jr_node_wipe(jr_doc_root(doc));
    if (st == JR_OK) {
        *ret = c;
        c = (struct jr_exec_credential){ 0 };
    }
    return st;
}
