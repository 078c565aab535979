/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/devcluster/api.h"

#include <inttypes.h>
#include <stdio.h>

#define BODY_MAX ((size_t)64 << 20)

void api_begin(struct api *a, size_t history)
{
    memset(a, 0, sizeof(*a));
    a->now = jr_time_s(1800000000);
    const struct jr_dev_store_options options = {
        .rand = jr_rand_of_seed(&a->seed, 7),
        .profile = jr_profile_default(),
        .history = history,
    };
    jr_buf_init(&a->text, BODY_MAX);
    jr_buf_init(&a->warnings, BODY_MAX);
    a->store = jr_dev_store_new(&options, a->now);
}

void api_end(struct api *a)
{
    jr_dev_store_free(a->store);
    jr_doc_free(a->doc);
    jr_buf_done(&a->text);
    jr_buf_done(&a->warnings);
}

int api_setup(void **state)
{
    struct api *a = calloc(1, sizeof(*a));

    assert_non_null(a);
    api_begin(a, 0);
    *state = a;
    return 0;
}

int api_teardown(void **state)
{
    api_end(*state);
    free(*state);
    return 0;
}

static void fill_in(const struct api *a, const char *text, struct jr_buf *out)
{
    const struct {
        const char *name;
        const char *value;
    } names[] = { { "{uid}", a->uid }, { "{rv}", a->version }, { "{continue}", a->token } };

    jr_buf_init(out, BODY_MAX);
    while (text != NULL && *text != '\0') {
        size_t i = 0;

        while (i < JR_ARRAY_SIZE(names) && strncmp(text, names[i].name, strlen(names[i].name)) != 0)
            i++;
        if (i < JR_ARRAY_SIZE(names)) {
            (void)jr_buf_adds(out, names[i].value);
            text += strlen(names[i].name);
        } else {
            (void)jr_buf_addc(out, *text++);
        }
    }
    assert_int_equal(out->failed, JR_OK);
}

static void keep(char *to, size_t cap, struct jr_str from)
{
    if (from.n > 0 && from.n < cap) {
        memcpy(to, from.p, from.n);
        to[from.n] = '\0';
    }
}

static void take_answer(struct api *a, const struct jr_dev_op *op)
{
    const struct jr_dev_answer *answer = jr_dev_op_answer(op);
    const struct jr_node *meta;

    a->status = answer->status;
    a->wrote = jr_dev_op_wrote(op);
    jr_buf_reset(&a->text);
    jr_buf_reset(&a->warnings);
    assert_int_equal(jr_buf_add(&a->text, (struct jr_str){ answer->body.p, answer->body.n }),
                     JR_OK);
    for (size_t i = 0; i < answer->n_warnings; i++)
        (void)jr_buf_addf(&a->warnings, "%s\n", answer->warnings[i]);
    jr_doc_free(a->doc);
    a->doc = NULL;
    if (jr_doc_parse(jr_buf_str(&a->text), &JR_READER_STRICT, &a->doc, NULL) != JR_OK)
        return;
    meta = jr_get(jr_doc_root(a->doc), "metadata");
    keep(a->uid, sizeof(a->uid), jr_get_str(meta, "uid"));
    keep(a->version, sizeof(a->version), jr_get_str(meta, "resourceVersion"));
    if (jr_get(jr_doc_root(a->doc), "items") != NULL)
        a->token[0] = '\0';
    keep(a->token, sizeof(a->token), jr_get_str(meta, "continue"));
}

int api_call(struct api *a, const char *method, const char *path, const char *body,
             const char *type)
{
    JR_BUF full_path = { 0 };
    JR_BUF full_body = { 0 };
    struct jr_dev_op *op = NULL;

    fill_in(a, path, &full_path);
    fill_in(a, body, &full_body);
    const struct jr_dev_request req = {
        .method = method,
        .path = full_path.p,
        .accept = a->accept,
        .content_type = type,
        .body = jr_buf_str(&full_body),
        .user = "admin",
    };
    assert_int_equal(jr_dev_begin(a->store, &req, a->now, &op), JR_DEV_NEXT_ANSWER);
    take_answer(a, op);
    jr_dev_op_free(op);
    return a->status;
}

const char *api_get_in(const struct jr_node *root, const char *pointer)
{
    static char value[8192]; /* a test has one thread */
    struct jr_node *n = jr_pointer_get((struct jr_node *)(uintptr_t)root, jr_str(pointer));
    JR_BUF b = { 0 };

    jr_buf_init(&b, sizeof(value) - 1);
    if (n == NULL)
        return "-";
    if (jr_node_kind(n) == JR_STRING)
        (void)jr_buf_add(&b, jr_node_str(n));
    else
        assert_int_equal(jr_node_print(n, &b), JR_OK);
    (void)snprintf(value, sizeof(value), "%.*s", JR_P(jr_buf_str(&b)));
    return value;
}

const char *api_get(struct api *a, const char *pointer)
{
    return a->doc == NULL ? "-" : api_get_in(jr_doc_root(a->doc), pointer);
}

void api_tick(struct api *a)
{
    (void)jr_dev_tick(a->store, a->now);
}

void api_advance(struct api *a, int64_t seconds)
{
    a->now.ns += seconds * JR_SEC;
}

static void check_have(struct api *a, const char *name, size_t i, const char *have)
{
    struct jr_str rest = jr_str(have), part;

    while (have != NULL && jr_str_cut(&rest, ' ', &part)) {
        char pointer[256], want[1024];
        ptrdiff_t eq = jr_str_find(part, '=');

        if (part.n == 0)
            continue;
        assert_true(eq > 0);
        (void)snprintf(pointer, sizeof(pointer), "%.*s", (int)eq, part.p);
        (void)snprintf(want, sizeof(want), "%.*s", JR_P(jr_str_from(part, (size_t)eq + 1)));
        if (strcmp(api_get(a, pointer), want) != 0)
            fail_msg("%s, step %zu: %s is %s, not %s, in %s", name, i, pointer, api_get(a, pointer),
                     want, a->text.p);
    }
}

void api_steps(struct api *a, const char *name, const struct step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct step *s = &steps[i];

        if (strcmp(s->method, "tick") == 0) {
            api_tick(a);
            continue;
        }
        if (api_call(a, s->method, s->path, s->body, s->type) != s->want)
            fail_msg("%s, step %zu: %s %s: %d, not %d: %s", name, i, s->method, s->path, a->status,
                     s->want, a->text.p);
        check_have(a, name, i, s->have);
    }
}

/* ---- streams ---- */

void stream_open(struct stream *s, struct api *a, const char *path)
{
    JR_BUF full = { 0 };

    memset(s, 0, sizeof(*s));
    s->api = a;
    jr_buf_init(&s->frames, BODY_MAX);
    fill_in(a, path, &full);
    const struct jr_dev_request req = {
        .method = "GET", .path = full.p, .accept = a->accept, .user = "admin", .as_of = a->as_of
    };
    if (jr_dev_begin(a->store, &req, a->now, &s->op) != JR_DEV_NEXT_WATCH)
        fail_msg("%s: no stream but %s", full.p, jr_dev_op_answer(s->op)->body.p);
}

const char *stream_read(struct stream *s, uint64_t revision, size_t max_bytes)
{
    static char lines[65536];
    size_t n = 0;
    struct jr_str rest, line;

    lines[0] = '\0';
    jr_buf_reset(&s->frames);
    s->ended = jr_dev_watch_read(s->op, revision, max_bytes, s->api->now, &s->frames);
    rest = jr_buf_str(&s->frames);
    while (jr_str_cut(&rest, '\n', &line)) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

        assert_int_equal(jr_doc_parse(line, &JR_READER_STRICT, &doc, NULL), JR_OK);
        const struct jr_node *root = jr_doc_root(doc);
        const struct jr_node *meta = jr_path(root, "object.metadata");
        struct jr_str name = jr_get_str(meta, "name");
        n += (size_t)snprintf(lines + n, sizeof(lines) - n, "%.*s %.*s %.*s\n",
                              JR_P(jr_get_str(root, "type")), JR_P(name.n == 0 ? JR_S("-") : name),
                              JR_P(jr_get_str(meta, "resourceVersion")));
        assert_true(n < sizeof(lines));
    }
    return lines;
}

void stream_close(struct stream *s)
{
    jr_dev_op_free(s->op);
    jr_buf_done(&s->frames);
}

void read_wire(const char *name, struct jr_buf *out)
{
    char path[256], chunk[4096];
    size_t n;

    jr_buf_init(out, BODY_MAX);
    (void)snprintf(path, sizeof(path), "tests/vectors/wire/%s", name);
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        fail_msg("%s can't be read", path);
    while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
        assert_int_equal(jr_buf_add(out, (struct jr_str){ chunk, n }), JR_OK);
    assert_int_equal(fclose(f), 0);
}
