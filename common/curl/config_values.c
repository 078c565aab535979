/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a kubeconfig: texts, paths, and PEM given in place or by a file. */
#include <stdio.h>

#include "common/base/base64.h"
#include "common/base/memory.h"
#include "common/curl/config_parts.h"

enum jr_status jr_config_text_of(const struct jr_node *obj, const char *key, const char *where,
                                 struct jr_str *ret, struct jr_error *err)
{
    const struct jr_node *n = jr_get(obj, key);

    *ret = (struct jr_str){ 0 };
    if (jr_unset(n))
        return JR_OK;
    if (jr_node_kind(n) != JR_STRING)
        return jr_fail(err, JR_TYPE, where, "%s: must be a string", key);
    *ret = jr_node_str(n);
    if (memchr(ret->p, '\0', ret->n) != NULL)
        return jr_fail(err, JR_INVALID, where, "%s: has a NUL in it", key);
    return JR_OK;
}

enum jr_status jr_config_take_text(const struct jr_config_entry *e, const char *key, char **ret,
                                   struct jr_error *err)
{
    struct jr_str s;
    enum jr_status st = jr_config_text_of(e->node, key, e->where, &s, err);

    if (st != JR_OK || s.n == 0)
        return st;
    *ret = jr_xstrndup(s);
    return JR_OK;
}

enum jr_status jr_config_take_bool(const struct jr_config_entry *e, const char *key, bool *ret,
                                   struct jr_error *err)
{
    const struct jr_node *n = jr_get(e->node, key);

    if (!jr_unset(n) && jr_node_kind(n) != JR_TRUE && jr_node_kind(n) != JR_FALSE)
        return jr_fail(err, JR_TYPE, e->where, "%s: must be true or false", key);
    *ret = jr_node_bool_or(n, false);
    return JR_OK;
}

enum jr_status jr_config_take_path(const struct jr_config_entry *e, const char *key, char **ret,
                                   struct jr_error *err)
{
    struct jr_str s, dir = jr_str(e->path);
    ptrdiff_t slash = jr_str_rfind(dir, '/');
    enum jr_status st = jr_config_text_of(e->node, key, e->where, &s, err);

    if (st != JR_OK || s.n == 0)
        return st;
    if (s.p[0] == '/' || slash < 0)
        *ret = jr_xstrndup(s);
    else
        *ret = jr_xasprintf("%.*s/%.*s", (int)slash, dir.p, JR_P(s));
    return JR_OK;
}

/** Decodes base64; line ends inside are passed over, as in Go. */
static enum jr_status decode_base64(const struct jr_config_entry *e, const char *key,
                                    struct jr_str in, char **ret, struct jr_error *err)
{
    JR_SECRET_BUF plain = { 0 };
    JR_SECRET_BUF out = { 0 };
    size_t n;
    enum jr_status st;

    jr_buf_init(&plain, JR_CONFIG_FILE_MAX);
    jr_buf_init(&out, JR_CONFIG_FILE_MAX);
    for (size_t i = 0; i < in.n; i++) {
        if (in.p[i] != '\n' && in.p[i] != '\r')
            (void)jr_buf_addc(&plain, in.p[i]);
    }
    st = plain.failed != JR_OK ? plain.failed : jr_base64_decode(jr_buf_str(&plain), &out);
    if (st == JR_OK && out.n > 0 && memchr(out.p, '\0', out.n) != NULL)
        st = JR_SYNTAX;
    if (st == JR_OK)
        st = jr_buf_take(&out, ret, &n);
    if (st == JR_SYNTAX)
        (void)jr_fail(err, st, e->where, "%s: not base64 of a text", key);
    else if (jr_need(st) != JR_OK)
        (void)jr_fail(err, st, e->where, "%s: too long", key);
    return st;
}

enum jr_status jr_config_take_pem(const struct jr_config_entry *e, const char *key,
                                  const char *key_data, char **ret, char **ret_file,
                                  struct jr_error *err)
{
    JR_FREE char *path = NULL;
    struct jr_str data = { 0 };
    enum jr_status st = jr_config_take_path(e, key, &path, err);

    if (st == JR_OK)
        st = jr_config_text_of(e->node, key_data, e->where, &data, err);
    if (st != JR_OK)
        return st;
    if (path != NULL && data.n > 0)
        return jr_fail(err, JR_INVALID, e->where, "%s: there is a %s, too", key, key_data);
    if (data.n > 0)
        return decode_base64(e, key_data, data, ret, err);
    if (path == NULL)
        return JR_OK;
    st = jr_config_read_text(path, ret, err);
    if (st != JR_OK && err != NULL) {
        (void)snprintf(err->path, sizeof(err->path), "%s", e->where);
        (void)jr_wrap(err, st, "%s: %s", key, path);
    }
    if (st == JR_OK)
        *ret_file = jr_steal(&path);
    return st;
}
