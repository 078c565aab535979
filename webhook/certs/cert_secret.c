/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the Secret's data, and what each of them holds. */
#include "webhook/certs/cert_secret.h"

#include <stdio.h>

#include "common/base/base64.h"
#include "common/base/memory.h"

#define VALUE_MAX ((size_t)1 << 20) /* a Secret holds no more */

static const struct {
    const char *key;
    size_t offset; /* of a char * in struct jr_certs */
} parts[] = {
    { "ca.crt", offsetof(struct jr_certs, ca.cert_pem) },
    { "ca.key", offsetof(struct jr_certs, ca.key_pem) },
    { "tls.crt", offsetof(struct jr_certs, serving.cert_pem) },
    { "tls.key", offsetof(struct jr_certs, serving.key_pem) },
    { "next-ca.crt", offsetof(struct jr_certs, next_ca.cert_pem) },
    { "next-ca.key", offsetof(struct jr_certs, next_ca.key_pem) },
    { "old-ca.crt", offsetof(struct jr_certs, old_ca_pem) },
};

#define OLD_UNTIL "old-ca-until"

static char **part_of(struct jr_certs *c, size_t i)
{
    return (char **)((char *)c + parts[i].offset);
}

/* ---- reading ---- */

/** A value of the data from malloc, NULL where there is none. A NUL inside would hide what follows.
 */
static enum jr_status read_value(const struct jr_node *data, const char *key, char **ret,
                                 struct jr_error *err)
{
    const struct jr_str b64 = jr_get_str(data, key);
    JR_SECRET_BUF text = { 0 };
    size_t n;
    enum jr_status st;

    *ret = NULL;
    if (b64.n == 0)
        return JR_OK;
    jr_buf_init(&text, VALUE_MAX);
    st = jr_base64_decode(b64, &text);
    if (st == JR_OK && text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
        st = JR_SYNTAX;
    if (st == JR_OK && text.n > 0)
        st = jr_buf_take(&text, ret, &n);
    if (st == JR_OK)
        return JR_OK;
    (void)jr_need(st);
    return jr_fail(err, JR_INVALID, key, "expected text in base64");
}

static enum jr_status read_until(const struct jr_node *data, struct jr_time *ret,
                                 struct jr_error *err)
{
    JR_FREE char *text = NULL;
    enum jr_status st = read_value(data, OLD_UNTIL, &text, err);

    if (st != JR_OK || text == NULL)
        return st;
    if (jr_time_parse(jr_str(text), ret) != JR_OK)
        return jr_fail(err, JR_INVALID, OLD_UNTIL, "expected a time as RFC 3339 has it");
    return JR_OK;
}

enum jr_status jr_cert_secret_read(const struct jr_node *secret, struct jr_certs *ret,
                                   struct jr_error *err)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };
    const struct jr_node *data = jr_get(secret, "data");
    enum jr_status st = read_until(data, &c.old_until, err);

    for (size_t i = 0; i < JR_ARRAY_SIZE(parts) && st == JR_OK; i++)
        st = read_value(data, parts[i].key, part_of(&c, i), err);
    if (st != JR_OK)
        return st;
    *ret = c;
    c = (struct jr_certs){ .old_ca_pem = NULL };
    return JR_OK;
}

/* ---- writing ---- */

/** A Secret of this type has to have these keys, if without a value. */
static bool is_required(const char *key)
{
    return strcmp(key, "tls.crt") == 0 || strcmp(key, "tls.key") == 0;
}

/** Sets a value, or takes it out where there is none. */
static void write_value(struct jr_node *data, const char *key, const char *text)
{
    JR_SECRET_BUF b64 = { 0 };

    jr_node_wipe(jr_get(data, key));
    if (text == NULL && !is_required(key)) {
        jr_remove(data, jr_str(key), NULL);
        return;
    }
    jr_buf_init(&b64, 2 * VALUE_MAX);
    jr_must(jr_base64_encode(jr_str(text), &b64));
    jr_must(jr_set_str(data, key, b64.n == 0 ? JR_S("") : jr_buf_str(&b64)));
}

enum jr_status jr_cert_secret_write(const struct jr_certs *c, struct jr_node *secret)
{
    char until[JR_TIME_MAX];
    struct jr_certs view = *c;
    struct jr_node *data;
    enum jr_status st = jr_need(jr_ensure_object(secret, "data", &data));

    if (st != JR_OK)
        return st;
    for (size_t i = 0; i < JR_ARRAY_SIZE(parts); i++)
        write_value(data, parts[i].key, *part_of(&view, i));
    write_value(data, OLD_UNTIL,
                jr_time_set(c->old_until) ? jr_time_format(c->old_until, until) : NULL);
    return JR_OK;
}

struct jr_doc *jr_cert_secret_new(const char *namespace, const char *name)
{
    JR_FREE char *text = jr_xasprintf("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":"
                                      "\"kubernetes.io/tls\",\"metadata\":{\"namespace\":\"%s\","
                                      "\"name\":\"%s\"}}",
                                      namespace, name);
    struct jr_doc *doc = NULL;

    jr_must(jr_doc_parse(jr_str(text), &JR_READER_LENIENT, &doc, NULL));
    return doc;
}
