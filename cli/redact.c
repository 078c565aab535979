/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over the tree: what a string is called decides about it, then what it looks like. */
#include "cli/redact.h"

#include <strings.h>

#include "common/base/arena.h"

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

/* Words of flags and variables whose value is secret. */
static const char *const secret_words[] = { "password",    "passwd",      "passphrase",
                                            "token",       "secret",      "apikey",
                                            "api-key",     "api_key",     "access-key",
                                            "access_key",  "accesskey",   "credential",
                                            "private-key", "private_key", "auth" };

static bool has_word(struct jr_str s, const char *word)
{
    const size_t n = strlen(word);

    for (size_t i = 0; i + n <= s.n; i++) {
        if (strncasecmp(s.p + i, word, n) == 0)
            return true;
    }
    return false;
}

static bool names_secret(struct jr_str s)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(secret_words); i++) {
        if (has_word(s, secret_words[i]))
            return true;
    }
    return false;
}

static bool is_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '=' || c == '+' || c == '/' || c == '~';
}

static size_t token_end(struct jr_str s, size_t at)
{
    while (at < s.n && is_token_char(s.p[at]))
        at++;
    return at;
}

/** What is secret in s from `at` on: *start to *end. False: nothing is. */
static bool find_secret(struct jr_str s, size_t at, size_t *start, size_t *end)
{
    static const char bearer[] = "Bearer ", basic[] = "Basic ", jwt[] = "eyJ";

    for (; at < s.n; at++) {
        const struct jr_str rest = jr_str_from(s, at);

        if (jr_str_starts(rest, jr_str(bearer)) || jr_str_starts(rest, jr_str(basic))) {
            *start =
                at + (jr_str_starts(rest, jr_str(bearer)) ? sizeof(bearer) : sizeof(basic)) - 1;
            *end = token_end(s, *start);
            return true;
        }
        if (jr_str_starts(rest, jr_str(jwt)) && token_end(s, at) - at > 20) {
            *start = at;
            *end = token_end(s, at);
            return true;
        }
        if (jr_str_starts(rest, JR_S("://"))) {
            const struct jr_str host = jr_str_from(rest, 3);
            size_t i = 0, colon = 0;

            while (i < host.n && host.p[i] != '@' && host.p[i] != '/' && host.p[i] != ' ') {
                colon = host.p[i] == ':' && colon == 0 ? i + 1 : colon;
                i++;
            }
            if (i < host.n && host.p[i] == '@' && colon > 0) {
                *start = at + 3 + colon;
                *end = at + 3 + i;
                return true;
            }
        }
    }
    return false;
}

/** Replaces what looks secret in a string. */
static enum jr_status redact_text(struct jr_node *node)
{
    const struct jr_str s = jr_node_str(node);
    size_t at = 0, start, end;
    JR_BUF out = { 0 };

    if (!find_secret(s, 0, &start, &end))
        return JR_OK;
    jr_buf_init(&out, JR_BUF_BY_INPUT);
    do {
        (void)jr_buf_add(&out, jr_str_head(jr_str_from(s, at), start - at));
        (void)jr_buf_adds(&out, JR_REDACTED);
        at = end;
    } while (find_secret(s, at, &start, &end));
    (void)jr_buf_add(&out, jr_str_from(s, at));
    return out.failed != JR_OK ? out.failed : jr_node_assign_str(node, jr_buf_str(&out));
}

/** Redacts the words of a command: "--token=x", "--token", "x", "PASSWORD=x". */
static enum jr_status redact_words(struct jr_node *list)
{
    bool next = false;
    enum jr_status st = JR_OK;

    for (struct jr_node *w = jr_first(list); w != NULL && st == JR_OK; w = jr_next(w)) {
        const struct jr_str s = jr_node_str(w);
        const ptrdiff_t equals = jr_str_find(s, '=');
        const bool spaces = jr_str_find(s, ' ') >= 0 || jr_str_find(s, '\n') >= 0;

        if (next || (names_secret(s) && spaces)) {
            st = jr_node_assign_str(w, JR_S(JR_REDACTED));
            next = false;
        } else if (equals >= 0 && names_secret(jr_str_head(s, (size_t)equals))) {
            JR_BUF out = { 0 };

            jr_buf_init(&out, JR_BUF_BY_INPUT);
            (void)jr_buf_addf(&out, "%.*s" JR_REDACTED, JR_P(jr_str_head(s, (size_t)equals + 1)));
            st = out.failed != JR_OK ? out.failed : jr_node_assign_str(w, jr_buf_str(&out));
        } else {
            next = s.n > 0 && s.p[0] == '-' && names_secret(s);
            st = redact_text(w);
        }
    }
    return st;
}

/** Redacts the member `value` of each element. */
static enum jr_status redact_values(struct jr_node *list)
{
    enum jr_status st = JR_OK;

    for (struct jr_node *e = jr_first(list); e != NULL && st == JR_OK; e = jr_next(e)) {
        struct jr_node *value = jr_get(e, "value");

        if (value != NULL && jr_node_kind(value) == JR_STRING && jr_node_str(value).n > 0)
            st = jr_node_assign_str(value, JR_S(JR_REDACTED));
    }
    return st;
}

static enum jr_status redact_below(struct jr_node *node);

static enum jr_status redact_member(struct jr_node *n)
{
    const struct jr_str key = jr_key(n);

    if (jr_str_is(key, "env") || jr_str_is(key, "httpHeaders"))
        return redact_values(n);
    if (jr_str_is(key, "command") || jr_str_is(key, "args"))
        return redact_words(n);
    return redact_below(n);
}

static enum jr_status redact_below(struct jr_node *node)
{
    enum jr_status st = JR_OK;

    if (jr_node_kind(node) == JR_STRING)
        return redact_text(node);
    if (jr_node_kind(node) == JR_OBJECT) {
        jr_remove(node, JR_S("managedFields"), NULL);
        jr_remove(node, JR_S(LAST_APPLIED), NULL);
        jr_remove(node, JR_S("caBundle"), NULL);
    }
    for (struct jr_node *c = jr_first(node); c != NULL && st == JR_OK; c = jr_next(c))
        st = redact_member(c);
    return st;
}

enum jr_status jr_redact(struct jr_node *object)
{
    return redact_below(object);
}
