/* SPDX-License-Identifier: Apache-2.0 */
/* Prints trees as YAML. */
#include "common/base/show.h"
#include "common/json/scan.h"
#include "common/json/tree.h"
#include "common/json/yaml.h"
#include "common/json/yaml_scalar.h"

/* Longer keys need the explicit form: a parser looks no more than 1024 characters ahead. */
#define SIMPLE_KEY_MAX 200

/* Nothing hidden; newlines counts '\n', which are allowed. */
static bool is_text(struct jr_str s, size_t *newlines)
{
    *newlines = 0;
    while (s.n > 0) {
        uint32_t c;
        bool bad;
        size_t n = jr_utf8_next(s, &c, &bad);

        if (c == '\n')
            (*newlines)++;
        else if (bad || jr_is_hidden(c))
            return false;
        s = jr_str_from(s, n);
    }
    return true;
}

static void put_quoted(struct jr_str s, struct jr_buf *out)
{
    jr_buf_addc(out, '"');
    while (s.n > 0) {
        uint32_t c;
        bool bad;
        size_t n = jr_utf8_next(s, &c, &bad);

        if (c == '"' || c == '\\')
            jr_buf_addf(out, "\\%c", (int)c);
        else if (c == '\n')
            jr_buf_add(out, JR_S("\\n"));
        else if (c == '\t')
            jr_buf_add(out, JR_S("\\t"));
        else if (!bad && !jr_is_hidden(c))
            jr_buf_add(out, jr_str_head(s, n));
        else
            jr_buf_addf(out, c > 0xffff ? "\\U%08X" : "\\u%04X", (unsigned)c);
        s = jr_str_from(s, n);
    }
    jr_buf_addc(out, '"');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What other readers of YAML take for a date or a number to base 60. */
static bool looks_like_time(struct jr_str s)
{
    size_t i = s.p[0] == '-' || s.p[0] == '+' ? 1 : 0, start = i;

    while (i < s.n && is_digit(s.p[i]))
        i++;
    return i > start && i + 1 < s.n && is_digit(s.p[i + 1]) &&
           (s.p[i] == ':' || (s.p[i] == '-' && i - start == 4));
}

static bool starts_plain(struct jr_str s)
{
    if (strchr("-?:", s.p[0]) != NULL)
        return s.n > 1 && s.p[1] != ' ' && !jr_str_starts(s, JR_S("---"));
    return strchr(",[]{}#&*!|>'\"%@`= ", s.p[0]) == NULL && !jr_str_starts(s, JR_S("...")) &&
           !jr_str_starts(s, JR_S("<<"));
}

/* A string that is read back as itself without quotes. */
static bool is_plain(struct jr_str s)
{
    struct jr_scalar scalar;
    size_t newlines;

    if (s.n == 0 || !is_text(s, &newlines) || newlines > 0 || !starts_plain(s))
        return false;
    if (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == ':')
        return false;
    for (size_t i = 1; i < s.n; i++) {
        if ((s.p[i] == ' ' && s.p[i - 1] == ':') || (s.p[i] == '#' && s.p[i - 1] == ' '))
            return false;
    }
    jr_scalar_resolve(s, &scalar);
    return scalar.kind == JR_SCALAR_STRING && !looks_like_time(s);
}

/* Lines that a literal block ("|") can hold. */
static bool is_block(struct jr_str s)
{
    size_t newlines;

    return s.n > 0 && s.p[0] != '\n' && s.p[0] != ' ' && is_text(s, &newlines) && newlines > 0;
}

static void put_spaces(size_t n, struct jr_buf *out)
{
    for (; n >= 8; n -= 8)
        jr_buf_add(out, JR_S("        "));
    jr_buf_add(out, jr_str_head(JR_S("        "), n));
}

static void put_block(struct jr_str s, size_t indent, struct jr_buf *out)
{
    size_t ends = 0, at = 0;

    while (ends < s.n && s.p[s.n - 1 - ends] == '\n')
        ends++;
    jr_buf_add(out, ends == 0 ? JR_S("|-\n") : ends == 1 ? JR_S("|\n") : JR_S("|+\n"));
    while (at < s.n) {
        struct jr_str rest = jr_str_from(s, at);
        ptrdiff_t nl = jr_str_find(rest, '\n');
        struct jr_str line = nl < 0 ? rest : jr_str_head(rest, (size_t)nl);

        if (line.n > 0)
            put_spaces(indent, out);
        jr_buf_add(out, line);
        jr_buf_addc(out, '\n');
        at += line.n + 1;
    }
}

/* A scalar or an empty collection, and the end of its line; indent is that of a block's lines. */
static void put_scalar(const cJSON *t, size_t indent, struct jr_buf *out)
{
    struct jr_str s = jr_node_str(node_of_const(t));

    if (NODE_TYPE(t) != cJSON_String)
        out->failed = jr_node_print(node_of_const(t), out);
    else if (is_plain(s))
        jr_buf_add(out, s);
    else if (is_block(s))
        put_block(s, indent, out);
    else
        put_quoted(s, out);
    if (NODE_TYPE(t) != cJSON_String || !is_block(s))
        jr_buf_addc(out, '\n');
}

static void put_members(const cJSON *obj, size_t indent, bool started, struct jr_buf *out);

/* started: the first item goes on in the line. */
static void put_items(const cJSON *arr, size_t indent, bool started, struct jr_buf *out)
{
    for (const cJSON *c = arr->child; c != NULL; c = c->next, started = false) {
        if (!started)
            put_spaces(indent, out);
        jr_buf_add(out, JR_S("- "));
        if (is_object(c) && c->child != NULL)
            put_members(c, indent + 2, true, out);
        else if (is_array(c) && c->child != NULL)
            put_items(c, indent + 2, true, out);
        else
            put_scalar(c, indent + 2, out);
    }
}

static void put_key(struct jr_str key, size_t indent, struct jr_buf *out)
{
    const bool simple = key.n <= SIMPLE_KEY_MAX;

    if (!simple)
        jr_buf_add(out, JR_S("? "));
    if (is_plain(key))
        jr_buf_add(out, key);
    else
        put_quoted(key, out);
    if (!simple) {
        jr_buf_addc(out, '\n');
        put_spaces(indent, out);
    }
    jr_buf_addc(out, ':');
}

static void put_members(const cJSON *obj, size_t indent, bool started, struct jr_buf *out)
{
    for (const cJSON *c = obj->child; c != NULL; c = c->next, started = false) {
        if (!started)
            put_spaces(indent, out);
        put_key(tree_key(c), indent, out);
        if (is_object(c) && c->child != NULL) {
            jr_buf_addc(out, '\n');
            put_members(c, indent + 2, false, out);
        } else if (is_array(c) && c->child != NULL) {
            jr_buf_addc(out, '\n');
            put_items(c, indent, false, out);
        } else {
            jr_buf_addc(out, ' ');
            put_scalar(c, indent + 2, out);
        }
    }
}

enum jr_status jr_yaml_print(const struct jr_node *node, struct jr_buf *out)
{
    const cJSON *t = tree_of(node);

    if (is_object(t) && t->child != NULL)
        put_members(t, 0, false, out);
    else if (is_array(t) && t->child != NULL)
        put_items(t, 0, false, out);
    else
        put_scalar(t, 2, out);
    return out->failed;
}
