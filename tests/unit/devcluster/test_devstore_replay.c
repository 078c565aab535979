/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded operations: the store answers what a real API server has answered. */
#include <stdio.h>

#include "common/base/num.h"
#include "tests/unit/devcluster/api.h"

#define UIDS_MAX 256

struct replay {
    struct api *api;
    char uids[UIDS_MAX][40]; /* what each token stands for here */
    const char *where;       /* for failures */
    size_t line;
    size_t compared;
    char mark[32];
};

/* ---- texts with tokens ---- */

static bool is_time_char(char c)
{
    return (c >= '0' && c <= '9') || strchr("-:TZ.", c) != NULL;
}

static size_t span(struct jr_str s, bool (*in)(char c))
{
    size_t n = 0;

    while (n < s.n && in(s.p[n]))
        n++;
    return n;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_age_char(char c)
{
    return is_digit(c) || c == 's';
}

/* How much of got the token at the front of want stands for; SIZE_MAX: it doesn't fit, 0: no token.
 */
static size_t token(struct replay *r, struct jr_str want, struct jr_str got, size_t *ret_len)
{
    static const struct {
        const char *text;
        bool (*in)(char c);
    } tokens[] = { { "<time>", is_time_char }, { "<rv>", is_digit }, { "<age>", is_age_char } };
    ptrdiff_t close = jr_str_find(want, '>');
    int64_t id;

    if (want.n == 0 || want.p[0] != '<' || close < 0)
        return 0;
    struct jr_str name = jr_str_head(want, (size_t)close + 1);
    *ret_len = name.n;
    for (size_t i = 0; i < JR_ARRAY_SIZE(tokens); i++) {
        if (jr_str_is(name, tokens[i].text))
            return span(got, tokens[i].in) > 0 ? span(got, tokens[i].in) : SIZE_MAX;
    }
    if (!jr_str_starts(name, JR_S("<uid:")))
        return 0;
    assert_int_equal(
        jr_parse_i64(jr_str_head(jr_str_from(name, 5), name.n - 6), 0, UIDS_MAX - 1, &id), JR_OK);
    if (got.n < 36)
        return SIZE_MAX;
    if (r->uids[id][0] == '\0')
        (void)snprintf(r->uids[id], sizeof(r->uids[id]), "%.36s", got.p);
    return strncmp(r->uids[id], got.p, 36) == 0 ? 36 : SIZE_MAX;
}

static bool text_fits(struct replay *r, struct jr_str want, struct jr_str got)
{
    if (jr_str_is(want, "<any>"))
        return true;
    while (want.n > 0) {
        size_t len = 0;
        size_t n = token(r, want, got, &len);

        if (n == SIZE_MAX)
            return false;
        if (n == 0) {
            if (got.n == 0 || got.p[0] != want.p[0])
                return false;
            n = len = 1;
        }
        want = jr_str_from(want, len);
        got = jr_str_from(got, n);
    }
    return got.n == 0;
}

/* ---- values ---- */

static bool fits(struct replay *r, const struct jr_node *want, const struct jr_node *got,
                 const char **ret_where);

static bool left_out(struct jr_str key, const struct jr_node *object)
{
    return jr_str_is(key, "serverAddressByClientCIDRs") ||
           (jr_str_is(key, "description") && jr_get(object, "format") != NULL);
}

static bool object_fits(struct replay *r, const struct jr_node *want, const struct jr_node *got,
                        const char **ret_where)
{
    for (const struct jr_node *w = jr_first(want); w != NULL; w = jr_next(w)) {
        const struct jr_node *g = jr_getn(got, jr_key(w));

        *ret_where = jr_key(w).p;
        if (g == NULL || !fits(r, w, g, ret_where))
            return false;
    }
    for (const struct jr_node *g = jr_first(got); g != NULL; g = jr_next(g)) {
        *ret_where = jr_key(g).p;
        if (jr_getn(want, jr_key(g)) == NULL && !left_out(jr_key(g), got))
            return false;
    }
    return true;
}

static bool fits(struct replay *r, const struct jr_node *want, const struct jr_node *got,
                 const char **ret_where)
{
    if (jr_node_kind(want) != jr_node_kind(got))
        return false;
    switch (jr_node_kind(want)) {
    case JR_STRING:
        return text_fits(r, jr_node_str(want), jr_node_str(got));
    case JR_OBJECT:
        return object_fits(r, want, got, ret_where);
    case JR_ARRAY:
        if (jr_size(want) != jr_size(got))
            return false;
        for (const struct jr_node *w = jr_first(want), *g = jr_first(got); w != NULL;
             w = jr_next(w), g = jr_next(g)) {
            if (!fits(r, w, g, ret_where))
                return false;
        }
        return true;
    case JR_NULL:
    case JR_FALSE:
    case JR_TRUE:
    case JR_NUMBER:
        break;
    }
    return jr_node_equal(want, got);
}

static void expect(struct replay *r, const struct jr_node *want, const struct jr_node *got,
                   const char *text)
{
    const char *where = "";
    JR_BUF b = { 0 };

    if (fits(r, want, got, &where))
        return;
    jr_buf_init(&b, (size_t)1 << 20);
    assert_int_equal(jr_node_print(want, &b), JR_OK);
    fail_msg("%s:%zu at %s: %s\nnot\n%s", r->where, r->line, where, text, b.p);
}

/* ---- operations ---- */

static const char *text_of(const struct jr_node *row, const char *key, char *buf, size_t cap)
{
    struct jr_str v = jr_get_str(row, key);

    if (v.p == NULL)
        return NULL;
    assert_true(v.n < cap);
    memcpy(buf, v.p, v.n);
    buf[v.n] = '\0';
    return buf;
}

static void replay_stream(struct replay *r, const struct jr_node *row, const char *path)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *list = NULL;
    const struct jr_node *want = jr_get(row, "want");
    struct stream s;
    struct jr_str rest, line;
    JR_BUF all = { 0 };

    stream_open(&s, r->api, path);
    (void)stream_read(&s, 0, (size_t)1 << 24);
    jr_buf_init(&all, (size_t)1 << 24);
    rest = jr_buf_str(&s.frames);
    (void)jr_buf_addc(&all, '[');
    while (jr_str_cut(&rest, '\n', &line)) {
        if (all.n > 1)
            (void)jr_buf_addc(&all, ',');
        (void)jr_buf_add(&all, line);
    }
    (void)jr_buf_addc(&all, ']');
    stream_close(&s);
    assert_int_equal(jr_doc_parse(jr_buf_str(&all), &JR_READER_STRICT, &list, NULL), JR_OK);
    if (want == NULL)
        return;
    r->compared++;
    /* One frame was recorded as it is, several as a list. */
    if (jr_node_kind(want) == JR_OBJECT && jr_size(jr_doc_root(list)) == 1)
        expect(r, want, jr_first(jr_doc_root(list)), all.p);
    else
        expect(r, want, jr_doc_root(list), all.p);
}

/** Warnings, but those of what the devcluster hasn't and a real one has. */
static void check_warnings(struct replay *r, const struct jr_node *row)
{
    struct jr_str rest = jr_buf_str(&r->api->warnings), line;
    JR_BUF want = { 0 }, got = { 0 };

    jr_buf_init(&want, 65536);
    jr_buf_init(&got, 65536);
    while (jr_str_cut(&rest, '\n', &line)) {
        if (!jr_str_starts(line, JR_S("299 - \"the devcluster has no ")))
            (void)jr_buf_addf(&got, "%.*s\n", JR_P(line));
    }
    for (const struct jr_node *w = jr_first(jr_get(row, "warnings")); w != NULL; w = jr_next(w))
        (void)jr_buf_addf(&want, "%.*s\n", JR_P(jr_node_str(w)));
    if (!jr_str_eq(jr_buf_str(&want), jr_buf_str(&got)))
        fail_msg("%s:%zu: warnings %s", r->where, r->line, r->api->warnings.p);
}

static void set_mark(struct replay *r, char *path, size_t cap)
{
    char *at = strstr(path, "{mark}");
    char tail[512];

    if (at == NULL)
        return;
    (void)snprintf(tail, sizeof(tail), "%s%s", r->mark, at + 6);
    (void)snprintf(at, cap - (size_t)(at - path), "%s", tail);
}

static void replay_row(struct replay *r, const struct jr_node *row)
{
    static char path[4096], body[65536], type[128], accept[256], method[16];
    const struct jr_node *want = jr_get(row, "want");
    struct api *a = r->api;
    int64_t status = 0;

    assert_non_null(text_of(row, "path", path, sizeof(path)));
    set_mark(r, path, sizeof(path));
    assert_int_equal(jr_node_i64(jr_get(row, "status"), &status), JR_OK);
    a->accept = text_of(row, "accept", accept, sizeof(accept));
    if (strstr(path, "watch=1") != NULL && status == 200) {
        replay_stream(r, row, path);
        return;
    }
    (void)api_call(a, text_of(row, "method", method, sizeof(method)), path,
                   text_of(row, "body", body, sizeof(body)),
                   text_of(row, "type", type, sizeof(type)));
    if (a->status != status)
        fail_msg("%s:%zu: %d, not %d: %s", r->where, r->line, a->status, (int)status, a->text.p);
    if (jr_node_bool_or(jr_get(row, "mark"), false))
        (void)snprintf(r->mark, sizeof(r->mark), "%s", a->version);
    if (want == NULL)
        return;
    r->compared++;
    check_warnings(r, row);
    if (jr_node_kind(want) == JR_STRING) /* no JSON */
        assert_true(jr_str_eq(jr_node_str(want), jr_buf_str(&a->text)));
    else
        expect(r, want, a->doc == NULL ? NULL : jr_doc_root(a->doc), a->text.p);
}

static size_t replay_file(struct api *a, const char *path)
{
    struct replay r = { .api = a, .where = path };
    static char line[1 << 18];
    FILE *f = fopen(path, "r");

    if (f == NULL)
        fail_msg("%s can't be read", path);
    while (fgets(line, sizeof(line), f) != NULL) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

        r.line++;
        assert_int_equal(jr_doc_parse(jr_str(line), &JR_READER_STRICT, &doc, NULL), JR_OK);
        replay_row(&r, jr_doc_root(doc));
    }
    assert_int_equal(fclose(f), 0);
    a->accept = NULL;
    return r.compared;
}

static void test_recordings(void **state)
{
    static const char *const names[] = { "objects", "lists", "jobs" };
    struct api *a = *state;
    size_t compared = 0;

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        char path[128];

        api_end(a);
        api_begin(a, 0);
        (void)snprintf(path, sizeof(path), "tests/unit/devcluster/replay/%s.jsonl", names[i]);
        compared += replay_file(a, path);
    }
    print_message("%zu answers compared\n", compared);
    assert_true(compared >= 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_recordings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
