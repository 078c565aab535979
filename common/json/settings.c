/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file of settings into a program's flags. */
#include "common/json/settings.h"

#include <ctype.h>
#include <stdio.h>

#include "common/base/file.h"
#include "common/json/yaml.h"

#define FILE_BYTES_MAX ((size_t)1 << 20)

struct reading {
    const struct jr_flags *flags;
    const char *own;
    const struct jr_flags_given *given;
    void *config;
    struct jr_settings *settings;
    const struct jr_positions *pos;
    size_t docs;
};

/** Room for any flag's value. */
union value {
    const char *text;
    int64_t number;
    double real;
    bool flag;
    struct jr_flag_addr addr;
    struct jr_flag_list list;
    int word;
};

void jr_settings_done(struct jr_settings *s)
{
    jr_arena_done(&s->texts);
}

/* ---- what is wrong, and where ---- */

/** Puts "PATH:LINE: NAME" into the path of a failure. place: the value's, among the positions. */
static enum jr_status name_setting(const struct reading *r, size_t place, struct jr_str name,
                                   enum jr_status st, struct jr_error *err)
{
    unsigned line, column;

    if (st == JR_OK || err == NULL)
        return st;
    jr_positions_place(r->pos, place, &line, &column);
    (void)snprintf(err->path, sizeof(err->path), "%s:%u: %.*s", r->settings->path, line,
                   JR_P(name));
    return st;
}

/** Equal but for dashes and the size of letters: leaderElect is leader-elect. */
static bool alike(struct jr_str a, const char *b)
{
    size_t i = 0;

    for (; *b != 0; b++) {
        if (*b == '-')
            continue;
        while (i < a.n && (a.p[i] == '-' || a.p[i] == '_'))
            i++;
        if (i == a.n || tolower((unsigned char)a.p[i]) != tolower((unsigned char)*b))
            return false;
        i++;
    }
    return i == a.n;
}

static enum jr_status unknown_setting(const struct reading *r, struct jr_str name,
                                      struct jr_error *err)
{
    if (jr_str_is(name, r->own))
        return jr_fail(err, JR_USAGE, NULL, "has no place in a file");
    for (const struct jr_flag *f = r->flags->table; f->name != NULL; f++) {
        if (alike(name, f->name))
            return jr_fail(err, JR_USAGE, NULL, "no such setting, %s is meant?", f->name);
    }
    return jr_fail(err, JR_USAGE, NULL, "no such setting");
}

/* ---- one value ---- */

static enum jr_status wrong_type(const char *expected, struct jr_error *err)
{
    return jr_fail(err, JR_USAGE, NULL, "expected %s", expected);
}

/** The text of a scalar as it would stand on the command line; false: it isn't of the flag's type.
 */
static bool scalar(enum jr_flag_type type, const struct jr_node *n, struct jr_str *ret)
{
    static const bool by_number[] = {
        [JR_FLAG_INT] = true,   [JR_FLAG_REAL] = true, [JR_FLAG_DURATION] = true,
        [JR_FLAG_BYTES] = true, [JR_FLAG_ADDR] = true, [JR_FLAG_ENUM] = false,
    };
    enum jr_kind kind = jr_node_kind(n);

    if (type == JR_FLAG_BOOL) {
        *ret = kind == JR_TRUE ? JR_S("true") : JR_S("false");
        return kind == JR_TRUE || kind == JR_FALSE;
    }
    if (kind == JR_NUMBER && type < JR_ARRAY_SIZE(by_number) && by_number[type]) {
        *ret = jr_node_number(n);
        return true;
    }
    *ret = jr_node_str(n);
    return kind == JR_STRING && type != JR_FLAG_INT && type != JR_FLAG_REAL;
}

static enum jr_status set(const struct jr_flag *f, struct jr_settings *s, struct jr_str text,
                          bool first, void *config, struct jr_error *err)
{
    struct jr_str copy;

    if (text.n > 0 && memchr(text.p, 0, text.n) != NULL)
        return jr_fail(err, JR_USAGE, NULL, "has a NUL in it");
    if (!jr_arena_str(&s->texts, text, &copy))
        return jr_fail(err, JR_NOMEM, NULL, "settings");
    return jr_flag_set(f, copy.p, first, config, err);
}

/** An array of strings, or an object of booleans: its names with their values. */
static enum jr_status set_list(const struct jr_flag *f, struct jr_settings *s,
                               const struct jr_node *n, void *config, struct jr_error *err)
{
    bool names = jr_node_kind(n) == JR_OBJECT;
    enum jr_status st = set(f, s, JR_S(""), true, config, err);

    for (const struct jr_node *e = jr_first(n); st == JR_OK && e != NULL; e = jr_next(e)) {
        struct jr_str text, key = jr_key(e);
        const char *pair;

        if (!scalar(names ? JR_FLAG_BOOL : JR_FLAG_STR, e, &text))
            return wrong_type(names ? "true or false for each name" : "strings in the list", err);
        if (names) {
            pair = jr_arena_printf(&s->texts, "%.*s=%.*s", JR_P(key), JR_P(text));
            if (pair == NULL)
                return jr_fail(err, JR_NOMEM, NULL, "settings");
            text = jr_str(pair);
        }
        if (text.n == 0)
            return wrong_type("no empty strings in the list", err);
        st = set(f, s, text, false, config, err);
    }
    return st;
}

static enum jr_status set_node(const struct jr_flag *f, struct jr_settings *s,
                               const struct jr_node *n, void *config, struct jr_error *err)
{
    static const char *const words[] = {
        [JR_FLAG_STR] = "a string",
        [JR_FLAG_INT] = "a number",
        [JR_FLAG_REAL] = "a number",
        [JR_FLAG_BOOL] = "true or false",
        [JR_FLAG_DURATION] = "a string such as 10s",
        [JR_FLAG_BYTES] = "a number, or a string such as 7Mi",
        [JR_FLAG_ADDR] = "a string such as :8081, or 0",
        [JR_FLAG_LIST] = "a list of strings",
        [JR_FLAG_ENUM] = "a string",
    };
    enum jr_kind kind = jr_node_kind(n);
    struct jr_str text;

    if (f->type == JR_FLAG_LIST && (kind == JR_ARRAY || kind == JR_OBJECT))
        return set_list(f, s, n, config, err);
    return scalar(f->type, n, &text) ? set(f, s, text, true, config, err)
                                     : wrong_type(words[f->type], err);
}

/* ---- the document ---- */

static enum jr_status take_member(struct reading *r, const struct jr_node *n, struct jr_error *err)
{
    struct jr_str name = jr_key(n);
    const struct jr_flag *f = r->flags->table;
    union value overruled;
    struct jr_flag alone;
    unsigned column;
    const size_t place = jr_positions_find(r->pos, 0, &JR_FIELD_KEY(NULL, name));
    enum jr_status st;
    size_t row;

    while (f->name != NULL && !jr_str_is(name, f->name))
        f++;
    if (f->name == NULL || jr_str_is(name, r->own))
        return name_setting(r, place, name, unknown_setting(r, name, err), err);
    row = (size_t)(f - r->flags->table);
    if (jr_unset(n))
        return JR_OK;
    if (jr_flags_is_given(r->given, row)) { /* validated, and dropped */
        alone = *f;
        alone.offset = 0;
        memset(&overruled, 0, sizeof(overruled));
        return name_setting(r, place, name, set_node(&alone, r->settings, n, &overruled, err), err);
    }
    st = name_setting(r, place, name, set_node(f, r->settings, n, r->config, err), err);
    if (row < JR_FLAGS_MAX)
        jr_positions_place(r->pos, place, &r->settings->lines[row], &column);
    return st;
}

static enum jr_status on_doc(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                             struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *owned = doc;
    JR_CLEANUP(jr_positions_freep) struct jr_positions *places = pos;
    struct reading *r = ctx;
    const struct jr_node *root = jr_doc_root(owned);
    enum jr_status st = JR_OK;

    r->pos = places;
    if (r->docs++ > 0)
        return jr_fail(err, JR_USAGE, r->settings->path, "more than one document");
    if (jr_node_kind(root) != JR_OBJECT && !jr_unset(root))
        return jr_fail(err, JR_USAGE, r->settings->path, "expected names and values");
    for (const struct jr_node *n = jr_first(root); st == JR_OK && n != NULL; n = jr_next(n))
        st = take_member(r, n, err);
    r->pos = NULL;
    return st;
}

enum jr_status jr_settings_read(const struct jr_flags *f, const char *own, const char *path,
                                const struct jr_flags_given *given, void *config,
                                struct jr_settings *ret, struct jr_error *err)
{
    struct reading r = {
        .flags = f, .own = own, .given = given, .config = config, .settings = ret
    };
    JR_BUF text = { 0 };
    enum jr_status st;

    *ret = (struct jr_settings){ .path = path };
    jr_arena_init(&ret->texts, 0);
    jr_buf_init(&text, FILE_BYTES_MAX);
    st = jr_file_read(path, &text, err);
    if (st != JR_OK)
        return st;
    st = jr_yaml_read(jr_buf_str(&text), NULL, on_doc, &r, err);
    if (st != JR_OK && err != NULL && !jr_str_starts(jr_str(err->path), jr_str(path)))
        (void)snprintf(err->path, sizeof(err->path), "%s", path);
    return st;
}

void jr_settings_blame(const struct jr_settings *s, const struct jr_flags *f, struct jr_error *err)
{
    for (size_t row = 0; s->path != NULL && f->table[row].name != NULL; row++) {
        if (row >= JR_FLAGS_MAX || s->lines[row] == 0 || strncmp(err->path, "--", 2) != 0 ||
            strcmp(err->path + 2, f->table[row].name) != 0)
            continue;
        (void)snprintf(err->path, sizeof(err->path), "%s:%u: %s", s->path, s->lines[row],
                       f->table[row].name);
        return;
    }
}
