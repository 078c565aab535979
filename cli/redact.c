/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over the tree: what a string is called decides about it, then what it looks like. */
#include "cli/redact.h"

#include <strings.h>

#include "common/base/arena.h"

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

/* Words of flags and variables whose value is secret. */
static const char *const secret_words[] = { "pass",        "pwd",       "token",      "secret",
                                            "apikey",      "api-key",   "api_key",    "access-key",
                                            "access_key",  "accesskey", "credential", "private-key",
                                            "private_key", "auth" };

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

/** A scheme behind which a credential stands: its length; 0: none begins here. */
static size_t scheme_at(struct jr_str rest)
{
    static const char *const schemes[] = { "Bearer ", "Basic ", "Authorization: Token " };

    for (size_t i = 0; i < JR_ARRAY_SIZE(schemes); i++) {
        if (jr_str_starts(rest, jr_str(schemes[i])))
            return strlen(schemes[i]);
    }
    return 0;
}

/** The credentials of a URL, at its "://": how long they are; 0: there are none. */
static size_t userinfo_at(struct jr_str rest)
{
    size_t n = 0;

    for (size_t i = 3; i < rest.n && rest.p[i] != ' ' && rest.p[i] != '"' && rest.p[i] != '?'; i++)
        n = rest.p[i] == '@' ? i - 3 : n;
    return n;
}

/** "password=", "X-Amz-Signature=", "\"token\":\"": its length; 0: none begins here. */
static size_t assignment_at(struct jr_str rest)
{
    static const char *const names[] = { "password", "passwd", "pwd",     "token",
                                         "secret",   "apikey", "api_key", "signature" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        const size_t n = strlen(names[i]);

        if (rest.n <= n + 1 || strncasecmp(rest.p, names[i], n) != 0)
            continue;
        if (rest.p[n] == '=' || (rest.p[n] == ':' && rest.p[n + 1] != ' '))
            return n + 1;
        if (rest.n > n + 3 && rest.p[n] == '"' && rest.p[n + 1] == ':' && rest.p[n + 2] == '"')
            return n + 3;
    }
    return 0;
}

static size_t value_end(struct jr_str s, size_t at)
{
    while (at < s.n && strchr(" &\"',;}\n", s.p[at]) == NULL)
        at++;
    return at;
}

/** Finds a secret in s from `at` on: *start to *end. False: there is none. */
static bool find_secret(struct jr_str s, size_t at, size_t *start, size_t *end)
{
    for (; at < s.n; at++) {
        const struct jr_str rest = jr_str_from(s, at);
        const size_t scheme = scheme_at(rest), assignment = assignment_at(rest);

        *start = at + scheme + assignment;
        if (scheme > 0)
            *end = token_end(s, *start);
        else if (assignment > 0)
            *end = value_end(s, *start);
        else if (jr_str_starts(rest, JR_S("eyJ")) && token_end(s, at) - at > 20)
            *end = token_end(s, at);
        else if (jr_str_starts(rest, JR_S("://")) && userinfo_at(rest) > 0) {
            *start = at + 3;
            *end = *start + userinfo_at(rest);
        } else
            continue;
        if (*end > *start)
            return true;
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

/** Whether a word of a command is a flag whose value is the next word. */
static bool is_secret_flag(struct jr_str s)
{
    return s.n > 0 && s.p[0] == '-' && jr_str_find(s, '=') < 0 &&
           (names_secret(s) || jr_str_is(s, "-u") || jr_str_is(s, "-p") || jr_str_is(s, "--user"));
}

/** Redacts the words of a command, or one that is a text: a word that names something secret goes
 * as a whole, but for a flag, whose value is the next one: "--token=x", "--token", "x". */
static enum jr_status redact_words(struct jr_node *list)
{
    bool next = false;
    enum jr_status st = JR_OK;

    if (jr_node_kind(list) == JR_STRING)
        return names_secret(jr_node_str(list)) ? jr_node_assign_str(list, JR_S(JR_REDACTED))
                                               : redact_text(list);
    for (struct jr_node *w = jr_first(list); w != NULL && st == JR_OK; w = jr_next(w)) {
        const struct jr_str s = jr_node_str(w);
        const bool flag = is_secret_flag(s);
        const bool joined = s.n > 2 && s.p[0] == '-' && s.p[1] == 'p' && !flag;

        if (next || joined || (!flag && names_secret(s)))
            st = jr_node_assign_str(w, JR_S(JR_REDACTED));
        else
            st = redact_text(w);
        next = flag;
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

/** Names of members that say where something secret is, not what it is. */
static bool is_reference(struct jr_str key)
{
    return jr_str_is(key, "secretName") || jr_str_is(key, "claimName") ||
           jr_str_ends(key, JR_S("Policy")) || jr_str_ends(key, JR_S("-id"));
}

static enum jr_status redact_member(struct jr_node *n)
{
    const struct jr_str key = jr_key(n);
    const bool text = jr_node_kind(n) == JR_STRING;

    if (jr_str_is(key, "env") || jr_str_is(key, "httpHeaders"))
        return redact_values(n);
    if (jr_str_is(key, "command") || jr_str_is(key, "args"))
        return redact_words(n);
    if (text && names_secret(key) && !is_reference(key))
        return jr_node_assign_str(n, JR_S(JR_REDACTED));
    /* An object in an annotation is one that a tool has applied. */
    if (text && jr_str_starts(jr_node_str(n), JR_S("{")) && jr_str_find(key, '/') >= 0)
        return jr_node_assign_str(n, JR_S(JR_REDACTED));
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
