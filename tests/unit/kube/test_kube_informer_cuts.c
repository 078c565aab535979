/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded WatchList stream, broken wherever a stream can break: what the consumer knows in the
 * end is always the same. */
#include "common/kube/framing.h"
#include "common/kube/informer.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

#include "common/base/num.h"

#define OBJECTS_MAX 64
#define NAME_MAX_BYTES 80

/** The consumer: a store of versions by name. */
struct store {
    struct {
        char name[NAME_MAX_BYTES];
        int64_t rv;
        bool seen;
    } v[OBJECTS_MAX];
    size_t n;
    int64_t rv;
};

static struct jr_str name_of(struct jr_str object)
{
    const char *at = memmem(object.p, object.n, "\"name\":\"", 8);
    struct jr_str s;

    assert_non_null(at);
    s = jr_str_from(object, (size_t)(at - object.p) + 8);
    return jr_str_head(s, (size_t)jr_str_find(s, '"'));
}

static int64_t version_of(struct jr_str object, bool *ret_end)
{
    struct jr_str rv;
    int64_t v;

    assert_int_equal(jr_object_version(object, &rv, ret_end, NULL), JR_OK);
    assert_int_equal(jr_parse_i64(rv, 0, INT64_MAX, &v), JR_OK);
    return v;
}

static size_t find(const struct store *s, struct jr_str name)
{
    size_t i = 0;

    while (i < s->n && !jr_str_is(name, s->v[i].name))
        i++;
    return i;
}

static void put(struct store *s, struct jr_str object)
{
    struct jr_str name = name_of(object);
    size_t i = find(s, name);
    int64_t rv = version_of(object, NULL);

    assert_true(i < OBJECTS_MAX && name.n < NAME_MAX_BYTES);
    if (i == s->n)
        s->n++;
    else
        assert_true(rv >= s->v[i].rv); /* never back in time */
    memcpy(s->v[i].name, name.p, name.n);
    s->v[i].name[name.n] = '\0';
    s->v[i].rv = rv;
    s->v[i].seen = true;
}

static void drop(struct store *s, size_t i)
{
    s->v[i] = s->v[--s->n];
}

static void on_replace_begin(void *ctx)
{
    struct store *s = ctx;

    for (size_t i = 0; i < s->n; i++)
        s->v[i].seen = false;
}

static void on_replace_item(void *ctx, struct jr_str object)
{
    put(ctx, object);
}

static void on_replace_end(void *ctx, struct jr_str rv)
{
    struct store *s = ctx;

    for (size_t i = s->n; i-- > 0;) {
        if (!s->v[i].seen)
            drop(s, i);
    }
    assert_int_equal(jr_parse_i64(rv, 0, INT64_MAX, &s->rv), JR_OK);
}

static void on_event(void *ctx, enum jr_event_type type, struct jr_str object)
{
    struct store *s = ctx;

    if (type != JR_EV_DELETED)
        put(s, object);
    else if (find(s, name_of(object)) < s->n)
        drop(s, find(s, name_of(object)));
}

static void on_progress(void *ctx, struct jr_str rv)
{
    struct store *s = ctx;
    int64_t v;

    assert_int_equal(jr_parse_i64(rv, 0, INT64_MAX, &v), JR_OK);
    assert_true(v >= s->rv);
    s->rv = v;
}

/** The server: what it sends to a WatchList (everything) or to a watch from a version. */
struct server {
    struct jr_buf all;
    struct {
        size_t at; /* of the line behind */
        int64_t rv;
        bool initial;
    } lines[OBJECTS_MAX];
    size_t n;
    bool initial;
};

static enum jr_status index_line(void *ctx, enum jr_event_type type, struct jr_str object,
                                 struct jr_error *err)
{
    struct server *sv = ctx;
    bool end = false;

    (void)type;
    (void)err;
    assert_true(sv->n < OBJECTS_MAX);
    sv->lines[sv->n].rv = version_of(object, &end);
    sv->lines[sv->n].initial = sv->initial;
    sv->n++;
    sv->initial &= !end;
    return JR_OK;
}

static void server_index(struct server *sv)
{
    struct jr_watch_frames f;
    size_t line = 0;

    sv->initial = true;
    jr_watch_frames_init(&f);
    assert_int_equal(jr_watch_frames_feed(&f, jr_buf_str(&sv->all), index_line, sv, NULL), JR_OK);
    jr_watch_frames_done(&f);
    for (size_t i = 0; i < sv->all.n; i++) {
        if (sv->all.p[i] == '\n')
            sv->lines[line++].at = i + 1;
    }
    assert_int_equal(line, sv->n);
}

/** Answers a request with all that belongs to it. */
static void serve(const struct server *sv, struct jr_call *c)
{
    const char *from = strstr(c->path, "&resourceVersion=");
    size_t start = 0;
    int64_t rv = 0;

    if (from != NULL)
        assert_int_equal(jr_parse_i64(jr_str(from + 17), 0, INT64_MAX, &rv), JR_OK);
    for (size_t i = 0; from != NULL && i < sv->n; i++) {
        if (sv->lines[i].initial || sv->lines[i].rv <= rv)
            start = sv->lines[i].at;
    }
    if (start < sv->all.n)
        assert_true(fake_chunk(c, jr_str_from(jr_buf_str(&sv->all), start)));
}

/** A run whose first stream breaks behind `cut` bytes. */
static void run(const struct server *sv, size_t cut, struct store *ret)
{
    const struct jr_informer_options o = { .path = "/p", .name = "n", .watch_list = true };
    const struct jr_informer_handler h = { .on_replace_begin = on_replace_begin,
                                           .on_replace_item = on_replace_item,
                                           .on_replace_end = on_replace_end,
                                           .on_event = on_event,
                                           .on_progress = on_progress,
                                           .ctx = ret };
    struct jr_informer *inf;
    struct jr_call *c;
    struct fake f;

    *ret = (struct store){ 0 };
    fake_init(&f);
    inf = jr_informer_new(&f.env, &o, &h, NULL, NULL);
    jr_informer_start(inf);
    c = fake_next(&f);
    assert_true(fake_chunk(c, jr_str_head(jr_buf_str(&sv->all), cut)));
    fake_fail(c, JR_HTTP_AMBIGUOUS);
    serve(sv, fake_next(&f));
    jr_informer_free(inf);
    fake_done(&f);
}

static void check(const struct server *sv, size_t cut, const struct store *want)
{
    struct store got;

    run(sv, cut, &got);
    if (got.n != want->n || got.rv != want->rv)
        fail_msg("cut at %zu: %zu objects at %lld", cut, got.n, (long long)got.rv);
    for (size_t i = 0; i < got.n; i++) {
        size_t k = find(want, jr_str(got.v[i].name));

        if (k == want->n || want->v[k].rv != got.v[i].rv)
            fail_msg("cut at %zu: %s at %lld", cut, got.v[i].name, (long long)got.v[i].rv);
    }
}

/** The same stream with objects of just their metadata, so that each byte can have its turn. */
static enum jr_status slim_line(void *ctx, enum jr_event_type type, struct jr_str object,
                                struct jr_error *err)
{
    static const char *const names[] = { "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR" };
    bool end = false;
    int64_t rv = version_of(object, &end);

    (void)err;
    return jr_buf_addf(ctx,
                       "{\"type\":\"%s\",\"object\":{\"metadata\":{\"name\":\"%.*s\","
                       "\"resourceVersion\":\"%lld\"%s}}}\n",
                       names[type], JR_P(type == JR_EV_BOOKMARK ? JR_S("") : name_of(object)),
                       (long long)rv,
                       end ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "");
}

static void slim(const struct jr_buf *stream, struct jr_buf *ret)
{
    struct jr_watch_frames f;

    jr_buf_init(ret, (size_t)1 << 20);
    jr_watch_frames_init(&f);
    assert_int_equal(jr_watch_frames_feed(&f, jr_buf_str(stream), slim_line, ret, NULL), JR_OK);
    jr_watch_frames_done(&f);
}

static void test_every_byte(void **state)
{
    static const char *const names[] = { "watchlist-jobs.stream", "watchlist-pods.stream" };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        struct server sv = { 0 };
        struct store want;
        JR_BUF stream = { 0 };

        read_vector(names[i], &stream);
        slim(&stream, &sv.all);
        server_index(&sv);
        run(&sv, 0, &want);
        assert_true(want.n > 0);
        for (size_t cut = 1; cut <= sv.all.n; cut++)
            check(&sv, cut, &want);
        jr_buf_done(&sv.all);
    }
}

static void test_the_stream_as_it_was(void **state)
{
    struct server sv = { 0 };
    struct store want;

    (void)state;
    read_vector("watchlist-pods.stream", &sv.all);
    server_index(&sv);
    run(&sv, 0, &want);
    for (size_t i = 0; i < sv.n; i++) {
        for (size_t k = 0; k < 4; k++) /* around the ends of lines */
            check(&sv, sv.lines[i].at - k, &want);
    }
    for (size_t cut = 499; cut < sv.all.n; cut += 1499)
        check(&sv, cut, &want);
    jr_buf_done(&sv.all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_the_stream_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
