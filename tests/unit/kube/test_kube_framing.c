/* SPDX-License-Identifier: Apache-2.0 */
/* Framing: watch streams cut at every byte, lists, versions. */
#include "common/base/hash.h"
#include "common/kube/framing.h"
#include "common/kube/object_id.h"
#include "tests/support/without_memory.h"
#include "tests/unit/kube/kube_test.h"

/** Remembers events as lines: "ADDED 1543 bytes 9a3f...". */
static enum jr_status remember(void *ctx, enum jr_event_type type, struct jr_str object,
                               struct jr_error *err)
{
    (void)err;
    return jr_buf_addf(ctx, "%d %zu %016llx\n", (int)type, object.n,
                       (unsigned long long)jr_hash(object));
}

#define UNREAD 9

/** What is passed over: "9 43 JR...". */
static void remember_unread(void *ctx, struct jr_str line, const struct jr_error *why)
{
    (void)jr_buf_addf(ctx, "%d %zu %d\n", UNREAD, line.n, (int)why->status);
}

static void feed(struct jr_watch_frames *f, struct jr_str chunk, struct jr_buf *out)
{
    struct jr_error error = { 0 };

    assert_ok(jr_watch_frames_feed(f, chunk, remember, out, &error), &error);
}

/** The stream in chunks of `step` bytes. */
static void collect(struct jr_str stream, size_t step, struct jr_buf *out)
{
    struct jr_watch_frames f;

    jr_buf_init(out, (size_t)1 << 20);
    jr_watch_frames_init(&f);
    for (size_t at = 0; at < stream.n; at += step)
        feed(&f, jr_str_head(jr_str_from(stream, at), step), out);
    jr_watch_frames_done(&f);
}

static void test_any_chunking_gives_the_same_events(void **state)
{
    static const char *const names[] = { "watchlist-jobs.stream", "watchlist-pods.stream",
                                         "watch-from-1.stream" };
    static const size_t steps[] = { 1, 2, 3, 7, 64, 1000, 1460, 4096, 65536 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        JR_BUF stream = { 0 };
        JR_BUF whole = { 0 };
        size_t lines = 0;

        read_vector(names[i], &stream);
        collect(jr_buf_str(&stream), stream.n, &whole);
        for (size_t k = 0; k < stream.n; k++)
            lines += stream.p[k] == '\n';
        for (size_t k = 0; k < whole.n; k++)
            lines -= whole.p[k] == '\n';
        assert_int_equal(lines, 0);
        for (size_t k = 0; k < JR_ARRAY_SIZE(steps); k++) {
            JR_BUF parts = { 0 };

            collect(jr_buf_str(&stream), steps[k], &parts);
            assert_str(jr_buf_str(&parts), whole.p);
        }
    }
}

static void test_two_chunks_cut_at_every_byte(void **state)
{
    JR_BUF stream = { 0 };
    JR_BUF whole = { 0 };

    (void)state;
    read_vector("watchlist-jobs.stream", &stream);
    stream.n = 3000; /* two lines and the start of a third */
    collect(jr_buf_str(&stream), stream.n, &whole);
    for (size_t cut = 0; cut <= stream.n; cut++) {
        struct jr_watch_frames f;
        JR_BUF parts = { 0 };

        jr_buf_init(&parts, (size_t)1 << 20);
        jr_watch_frames_init(&f);
        feed(&f, jr_str_head(jr_buf_str(&stream), cut), &parts);
        feed(&f, jr_str_from(jr_buf_str(&stream), cut), &parts);
        jr_watch_frames_done(&f);
        assert_str(jr_buf_str(&parts), whole.p == NULL ? "" : whole.p);
    }
}

static void test_lines(void **state)
{
    static const struct {
        const char *name, *line;
        enum jr_status st;
        int type;
    } rows[] = {
        { "plain", "{\"type\":\"ADDED\",\"object\":{}}", JR_OK, JR_EV_ADDED },
        { "other order", "{\"object\":{\"a\":[1]},\"type\":\"DELETED\"}", JR_OK, JR_EV_DELETED },
        { "spaces", " { \"type\" : \"MODIFIED\" , \"object\" : { } } \r", JR_OK, JR_EV_MODIFIED },
        { "unknown member", "{\"x\":[{}],\"type\":\"BOOKMARK\",\"object\":{}}", JR_OK,
          JR_EV_BOOKMARK },
        { "last type wins", "{\"type\":\"ADDED\",\"object\":{},\"type\":\"ERROR\"}", JR_OK,
          JR_EV_ERROR },
        { "empty line", "", JR_OK, -1 },
        { "blank line", " \t\r", JR_OK, -1 },
        { "no object", "{\"type\":\"ADDED\"}", JR_OK, UNREAD },
        { "object is null", "{\"type\":\"ADDED\",\"object\":null}", JR_OK, JR_EV_ADDED },
        { "object is a list", "{\"type\":\"ADDED\",\"object\":[]}", JR_OK, JR_EV_ADDED },
        { "no type", "{\"object\":{}}", JR_OK, UNREAD },
        { "strange type", "{\"type\":\"RENAMED\",\"object\":{}}", JR_OK, UNREAD },
        { "type is a number", "{\"type\":1,\"object\":{}}", JR_OK, UNREAD },
        { "escaped type", "{\"type\":\"ADDE\\u0044\",\"object\":{}}", JR_OK, UNREAD },
        { "no JSON", "<html>", JR_SYNTAX, -1 },
        { "cut", "{\"type\":\"ADDED\",\"object\":{", JR_SYNTAX, -1 },
        { "two values", "{\"type\":\"ADDED\",\"object\":{}}{}", JR_SYNTAX, -1 },
        { "an array", "[]", JR_SYNTAX, -1 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_watch_frames f;
        JR_BUF in = { 0 };
        JR_BUF out = { 0 };
        enum jr_status st;

        jr_buf_init(&in, 1000);
        jr_buf_init(&out, 1000);
        (void)jr_buf_addf(&in, "%s\n", rows[i].line);
        jr_watch_frames_init(&f);
        f.on_unread = remember_unread;
        st = jr_watch_frames_feed(&f, jr_buf_str(&in), remember, &out, NULL);
        jr_watch_frames_done(&f);
        if (st != rows[i].st)
            fail_msg("%s: %s", rows[i].name, jr_status_text(st));
        if (rows[i].type < 0 ? out.n != 0 : out.n == 0 || out.p[0] - '0' != rows[i].type)
            fail_msg("%s: events: %.*s", rows[i].name, JR_P(jr_buf_str(&out)));
    }
}

/** It costs only itself, at whatever byte the chunks break. */
static void test_a_long_line_is_passed_over(void **state)
{
    const struct jr_str part = JR_S("{\"type\":\"ADDED\",\"object\":{\"a\":\"0123456789\"}}\n");
    const struct jr_str two = JR_S("{\"type\":\"ADDED\",\"object\":{\"a\":\"0123456789\"}}\n"
                                   "{\"type\":\"DELETED\",\"object\":{}}\n");
    struct jr_watch_frames f;
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, 1000);
    jr_watch_frames_init(&f);
    f.on_unread = remember_unread;
    f.max_event_bytes = part.n - 1; /* less the line's end: just enough */
    feed(&f, part, &out);
    feed(&f, jr_str_head(part, 10), &out);
    feed(&f, jr_str_from(part, 10), &out);
    assert_true(out.n > 0 && memmem(out.p, out.n, "9 ", 2) == NULL);
    f.max_event_bytes = part.n - 2;
    for (size_t cut = 0; cut <= two.n; cut++) {
        char want[80];

        jr_buf_reset(&out);
        feed(&f, jr_str_head(two, cut), &out);
        feed(&f, jr_str_from(two, cut), &out);
        (void)snprintf(want, sizeof(want), "9 %zu %d\n2 2 %016llx\n", part.n - 2, (int)JR_LIMIT,
                       (unsigned long long)jr_hash(JR_S("{}")));
        assert_str(jr_buf_str(&out), want);
    }
    jr_watch_frames_done(&f);
}

/* ---- poison: what an API server may serve, and a strict reader refuses ---- */

static const char deep[] = "{\"metadata\":{\"name\":\"p\",\"resourceVersion\":\"5\",\"x\":";

/** The rows; the last one is made: an object 5,000 levels deep. */
static const struct {
    const char *name, *object;
} poison[] = {
    { "U+0000 in a key",
      "{\"metadata\":{\"name\":\"p\",\"resourceVersion\":\"5\"},\"a\":{\"b\\u0000c\":1}}" },
    { "U+0000 in a key of metadata",
      "{\"metadata\":{\"a\\u0000b\":{},\"name\":\"p\",\"resourceVersion\":\"5\"}}" },
    { "bytes that are no UTF-8", "{\"metadata\":{\"x\":{\"f:a\xff\xc0"
                                 "b\":\"\xfe\"},\"name\":\"p\",\"resourceVersion\":\"5\"}}" },
    { "half a character, half a pair", "{\"metadata\":{\"name\":\"p\",\"resourceVersion\":\"5\"},"
                                       "\"a\":[\"\xe2\x82\",\"\\ud800\"]}" },
    { "brackets in strings",
      "{\"a\":\"}]\\\"}\",\"metadata\":{\"name\":\"p\",\"resourceVersion\":\"5\"},\"}\":\"{\"}" },
    { "equal keys",
      "{\"metadata\":{\"name\":\"q\",\"name\":\"p\",\"resourceVersion\":\"5\"},\"a\":1,\"a\":2}" },
    { "deep", NULL },
};

static void poison_text(size_t i, struct jr_buf *out)
{
    jr_buf_init(out, (size_t)1 << 20);
    if (poison[i].object != NULL) {
        (void)jr_buf_adds(out, poison[i].object);
        return;
    }
    (void)jr_buf_adds(out, deep);
    for (int k = 0; k < 5000; k++)
        (void)jr_buf_adds(out, "{\"f:a\":[");
    for (int k = 0; k < 5000; k++)
        (void)jr_buf_adds(out, "]}");
    (void)jr_buf_adds(out, "}}");
    assert_int_equal(out->failed, JR_OK);
}

static enum jr_status keep_text(void *ctx, enum jr_event_type type, struct jr_str object,
                                struct jr_error *err)
{
    (void)type;
    (void)err;
    return jr_buf_addf(ctx, "%.*s;", JR_P(object));
}

/** All events of a stream are delivered, byte by byte what was sent, and all have their version. */
static void test_poison_among_events(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(poison); i++) {
        struct jr_watch_frames f;
        struct jr_error error = { 0 };
        struct jr_str rv;
        bool end;
        JR_BUF bad = { 0 };
        JR_BUF in = { 0 };
        JR_BUF out = { 0 };
        JR_BUF want = { 0 };

        poison_text(i, &bad);
        jr_buf_init(&in, (size_t)1 << 20);
        jr_buf_init(&out, (size_t)1 << 20);
        jr_buf_init(&want, (size_t)1 << 20);
        (void)jr_buf_addf(&in, "{\"type\":\"ADDED\",\"object\":{\"a\":1}}\n");
        (void)jr_buf_addf(&in, "{\"type\":\"MODIFIED\",\"object\":%.*s}\n", JR_P(jr_buf_str(&bad)));
        (void)jr_buf_addf(&in, "{\"object\":{\"a\":2},\"type\":\"ADDED\"}\n");
        (void)jr_buf_addf(&want, "{\"a\":1};%.*s;{\"a\":2};", JR_P(jr_buf_str(&bad)));
        jr_watch_frames_init(&f);
        if (jr_watch_frames_feed(&f, jr_buf_str(&in), keep_text, &out, &error) != JR_OK)
            fail_msg("%s: %s", poison[i].name, error.msg);
        jr_watch_frames_done(&f);
        assert_true(jr_str_eq(jr_buf_str(&out), jr_buf_str(&want)));
        if (jr_object_version(jr_buf_str(&bad), &rv, NULL, &error) != JR_OK ||
            !jr_str_is(rv, "5") || jr_object_version(jr_buf_str(&bad), &rv, &end, &error) != JR_OK)
            fail_msg("%s: version: %s", poison[i].name, error.msg);
    }
}

/* ---- names ---- */

static void want_id(const char *name, struct jr_object_id id, const char *want)
{
    char have[400];

    (void)snprintf(have, sizeof(have), "%.*s/%.*s %.*s@%.*s of %.*s %.*s", JR_P(id.namespace),
                   JR_P(id.name), JR_P(id.uid), JR_P(id.resource_version), JR_P(id.controller_name),
                   JR_P(id.controller_uid));
    if (strcmp(have, want) != 0)
        fail_msg("%s: have \"%s\", want \"%s\"", name, have, want);
}

#define OWNERS                                                                                \
    "\"ownerReferences\":[{\"name\":\"x\",\"uid\":\"1\"},{\"controller\":true,\"uid\":\"j\"," \
    "\"name\":\"job\"}]"

static void test_identifies(void **state)
{
    static const struct {
        const char *name, *object, *want;
    } rows[] = {
        { "all",
          "{\"spec\":1,\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\",\"uid\":\"u-1\","
          "\"resourceVersion\":\"5\"," OWNERS "}}",
          "ns/p u-1@5 of job j" },
        { "cut behind the owners", "{\"metadata\":{\"name\":\"p\"," OWNERS ",\"a\":\"",
          "/p @ of job j" },
        { "cut in the owners", "{\"metadata\":{\"name\":\"p\",\"ownerReferences\":[{\"contr",
          "/p @ of  " },
        { "cut in the uid", "{\"metadata\":{\"name\":\"p\",\"uid\":\"u-", "/p @ of  " },
        { "wrong types",
          "{\"metadata\":{\"name\":[1],\"namespace\":null,\"uid\":7,\"ownerReferences\":{},"
          "\"resourceVersion\":\"5\"}}",
          "/ @5 of  " },
        { "an owner that is none", "{\"metadata\":{\"ownerReferences\":[1],\"name\":\"p\"}}",
          "/ @ of  " },
        { "an escaped name", "{\"metadata\":{\"name\":\"p\\u0000\",\"uid\":\"u\"}}", "/ u@ of  " },
        { "a name of strange bytes", "{\"metadata\":{\"name\":\"p\xff\",\"uid\":\"u\"}}",
          "/ u@ of  " },
        { "no metadata", "{\"a\":{\"metadata\":{\"name\":\"p\"}}}", "/ @ of  " },
        { "metadata null", "{\"metadata\":null}", "/ @ of  " },
        { "no object", "[{\"metadata\":{\"name\":\"p\"}}]", "/ @ of  " },
        { "no JSON", "<html>", "/ @ of  " },
        { "nothing", "", "/ @ of  " },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        want_id(rows[i].name, jr_object_identify(jr_str(rows[i].object)), rows[i].want);
    for (size_t i = 0; i < JR_ARRAY_SIZE(poison); i++) {
        JR_BUF bad = { 0 };

        poison_text(i, &bad);
        want_id(poison[i].name, jr_object_identify(jr_buf_str(&bad)), "/p @5 of  ");
    }
    want_id("an event",
            jr_event_identify(JR_S("{\"type\":\"NEW\",\"object\":{\"metadata\":{\"name\":\"p\"")),
            "/p @ of  ");
    want_id("no event", jr_event_identify(JR_S("{\"metadata\":{\"name\":\"p\"}}")), "/ @ of  ");
}

static enum jr_status refuse(void *ctx, enum jr_event_type type, struct jr_str object,
                             struct jr_error *err)
{
    (void)type;
    (void)object;
    ++*(int *)ctx;
    return jr_fail(err, JR_CONFLICT, NULL, "no more");
}

static void test_the_consumer_may_end_it(void **state)
{
    const struct jr_str two =
        JR_S("{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"ADDED\",\"object\":{}}\n");
    struct jr_watch_frames f;
    struct jr_error error = { 0 };
    int n = 0;

    (void)state;
    jr_watch_frames_init(&f);
    assert_int_equal(jr_watch_frames_feed(&f, two, refuse, &n, &error), JR_CONFLICT);
    assert_int_equal(n, 1);
    assert_string_equal(error.msg, "no more");
    jr_watch_frames_done(&f);
}

static enum jr_status count_bytes(void *ctx, enum jr_event_type type, struct jr_str object,
                                  struct jr_error *err)
{
    (void)type;
    (void)err;
    *(size_t *)ctx += object.n;
    return JR_OK;
}

static void feed_in_two(void *ctx)
{
    const struct jr_str line = JR_S("{\"type\":\"ADDED\",\"object\":{}}\n");
    struct jr_watch_frames f;

    jr_watch_frames_init(&f);
    assert_int_equal(jr_watch_frames_feed(&f, jr_str_head(line, 5), count_bytes, ctx, NULL), JR_OK);
    assert_int_equal(jr_watch_frames_feed(&f, jr_str_from(line, 5), count_bytes, ctx, NULL), JR_OK);
    jr_watch_frames_done(&f);
}

static void test_without_memory(void **state)
{
    size_t bytes = 0;

    (void)state;
    assert_true(jr_each_without_memory(feed_in_two, &bytes) > 0);
    feed_in_two(&bytes);
    assert_int_equal(bytes, 2);
}

/* ---- versions ---- */

static void test_versions(void **state)
{
    static const struct {
        const char *name, *object, *want; /* NULL: JR_SYNTAX */
        bool end;
    } rows[] = {
        { "usual",
          "{\"kind\":\"Job\",\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"12\"},\"spec\":{}}",
          "12", false },
        { "end",
          "{\"metadata\":{\"resourceVersion\":\"340\",\"annotations\":{\"k8s.io/"
          "initial-events-end\":\"true\"}}}",
          "340", true },
        { "annotations first",
          "{\"metadata\":{\"annotations\":{\"a\":\"b\",\"k8s.io/"
          "initial-events-end\":\"true\"},\"resourceVersion\":\"7\"}}",
          "7", true },
        { "not the end",
          "{\"metadata\":{\"annotations\":{\"k8s.io/"
          "initial-events-end\":\"false\"},\"resourceVersion\":\"7\"}}",
          "7", false },
        { "annotations null", "{\"metadata\":{\"annotations\":null,\"resourceVersion\":\"7\"}}",
          "7", false },
        { "deeper ones don't count",
          "{\"spec\":{\"metadata\":{\"resourceVersion\":\"1\"}},\"metadata\":{\"x\":{"
          "\"resourceVersion\":\"2\"},\"resourceVersion\":\"3\"}}",
          "3", false },
        { "none", "{\"metadata\":{\"name\":\"a\"}}", NULL, false },
        { "no metadata", "{\"kind\":\"Status\"}", NULL, false },
        { "a number", "{\"metadata\":{\"resourceVersion\":12}}", NULL, false },
        { "metadata null", "{\"metadata\":null}", NULL, false },
        { "annotations a list", "{\"metadata\":{\"annotations\":[],\"resourceVersion\":\"7\"}}",
          NULL, false },
        { "cut", "{\"metadata\":{", NULL, false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_str rv = { 0 };
        bool end = false;
        enum jr_status st = jr_object_version(jr_str(rows[i].object), &rv, &end, NULL);

        if (rows[i].want == NULL ? st != JR_SYNTAX : st != JR_OK || !jr_str_is(rv, rows[i].want))
            fail_msg("%s: %s, \"%.*s\"", rows[i].name, jr_status_text(st), JR_P(rv));
        if (end != rows[i].end)
            fail_msg("%s: end %d", rows[i].name, end);
    }
}

static enum jr_status check_version(void *ctx, enum jr_event_type type, struct jr_str object,
                                    struct jr_error *err)
{
    struct jr_str quick, full;
    bool end = false;

    assert_ok(jr_object_version(object, &quick, NULL, err), err);
    assert_ok(jr_object_version(object, &full, &end, err), err);
    assert_true(jr_str_eq(quick, full));
    assert_true(!end || type == JR_EV_BOOKMARK);
    *(int *)ctx += end;
    return JR_OK;
}

static void test_versions_on_the_wire(void **state)
{
    struct jr_watch_frames f;
    struct jr_error error = { 0 };
    JR_BUF stream = { 0 };
    int ends = 0;

    (void)state;
    read_vector("watchlist-pods.stream", &stream);
    jr_watch_frames_init(&f);
    assert_ok(jr_watch_frames_feed(&f, jr_buf_str(&stream), check_version, &ends, &error), &error);
    jr_watch_frames_done(&f);
    assert_int_equal(ends, 1);
}

/* ---- lists ---- */

static void add_item(void *ctx, struct jr_str item)
{
    (void)jr_buf_addf(ctx, "%.*s;", JR_P(item));
}

static void count_item(void *ctx, struct jr_str item)
{
    assert_int_equal(item.p[0], '{');
    ++*(int *)ctx;
}

/** All items of a list are delivered. */
static void test_poison_among_items(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(poison); i++) {
        struct jr_list_page page = { 0 };
        struct jr_error error = { 0 };
        JR_BUF bad = { 0 };
        JR_BUF in = { 0 };
        JR_BUF out = { 0 };
        JR_BUF want = { 0 };

        poison_text(i, &bad);
        jr_buf_init(&in, (size_t)1 << 20);
        jr_buf_init(&out, (size_t)1 << 20);
        jr_buf_init(&want, (size_t)1 << 20);
        (void)jr_buf_addf(&in,
                          "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"a\":1}, %.*s ,"
                          "null,{\"a\":2}]}",
                          JR_P(jr_buf_str(&bad)));
        (void)jr_buf_addf(&want, "{\"a\":1};%.*s;null;{\"a\":2};", JR_P(jr_buf_str(&bad)));
        if (jr_list_read(jr_buf_str(&in), add_item, &out, &page, &error) != JR_OK)
            fail_msg("%s: %s", poison[i].name, error.msg);
        assert_true(jr_str_eq(jr_buf_str(&out), jr_buf_str(&want)));
        assert_str(page.resource_version, "7");
    }
}

static void test_lists_on_the_wire(void **state)
{
    struct jr_list_page page;
    struct jr_error error = { 0 };
    JR_BUF text = { 0 };
    int n = 0;

    (void)state;
    read_vector("list-pods-page1.json", &text);
    assert_ok(jr_list_read(jr_buf_str(&text), count_item, &n, &page, &error), &error);
    assert_int_equal(n, 2);
    assert_str(page.resource_version, "354");
    assert_true(jr_str_starts(page.continue_token, JR_S("eyJ2Ijoi")));
    assert_int_equal(page.remaining, 8);
    jr_buf_done(&text);
    read_vector("list-jobs.json", &text);
    n = 0;
    assert_ok(jr_list_read(jr_buf_str(&text), count_item, &n, &page, &error), &error);
    assert_true(n > 0);
    assert_int_equal(page.continue_token.n, 0);
    jr_buf_done(&text);
    read_vector("list-bad-continue.json", &text);
    assert_int_equal(jr_list_read(jr_buf_str(&text), count_item, &n, &page, &error), JR_SYNTAX);
}

static void test_lists(void **state)
{
    static const struct {
        const char *name, *text;
        enum jr_status st;
        const char *items, *rv, *token;
    } rows[] = {
        { "empty", "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}", JR_OK, "", "1", "" },
        { "null", "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":null}", JR_OK, "", "1", "" },
        { "items first",
          "{\"items\":[{},{\"a\":1}],\"metadata\":{\"continue\":\"t\",\"resourceVersion\":\"1\"}}",
          JR_OK, "{};{\"a\":1};", "1", "t" },
        { "unknown members",
          "{\"x\":{},\"metadata\":{\"shardInfo\":{\"a\":[1]},\"selfLink\":\"\",\"resourceVersion\":"
          "\"1\"},\"items\":[]}",
          JR_OK, "", "1", "" },
        { "strange remaining",
          "{\"metadata\":{\"resourceVersion\":\"1\",\"remainingItemCount\":null},\"items\":[]}",
          JR_OK, "", "1", "" },
        { "no version", "{\"metadata\":{},\"items\":[]}", JR_SYNTAX, "", "", "" },
        { "no items", "{\"metadata\":{\"resourceVersion\":\"1\"}}", JR_SYNTAX, "", "", "" },
        { "items an object", "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":{}}", JR_SYNTAX,
          "", "", "" },
        { "an item of text", "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[{},\"a\"]}",
          JR_OK, "{};\"a\";", "1", "" },
        { "items twice", "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[],\"items\":[{}]}",
          JR_SYNTAX, "", "", "" },
        { "cut", "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[{}", JR_SYNTAX, "{};", "",
          "" },
        { "more behind", "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]} {}", JR_SYNTAX,
          "", "", "" },
        { "no JSON", "upstream connect error", JR_SYNTAX, "", "", "" },
        { "nothing", "", JR_SYNTAX, "", "", "" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_list_page page = { 0 };
        JR_BUF items = { 0 };
        enum jr_status st;

        jr_buf_init(&items, 1000);
        st = jr_list_read(jr_str(rows[i].text), add_item, &items, &page, NULL);
        if (st != rows[i].st || !jr_str_is(jr_buf_str(&items), rows[i].items) ||
            !jr_str_is(page.resource_version, rows[i].rv) ||
            !jr_str_is(page.continue_token, rows[i].token))
            fail_msg("%s: %s, items %.*s, version %.*s, token %.*s", rows[i].name,
                     jr_status_text(st), JR_P(jr_buf_str(&items)), JR_P(page.resource_version),
                     JR_P(page.continue_token));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_chunking_gives_the_same_events),
        cmocka_unit_test(test_two_chunks_cut_at_every_byte),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_a_long_line_is_passed_over),
        cmocka_unit_test(test_poison_among_events),
        cmocka_unit_test(test_poison_among_items),
        cmocka_unit_test(test_identifies),
        cmocka_unit_test(test_the_consumer_may_end_it),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_versions_on_the_wire),
        cmocka_unit_test(test_lists_on_the_wire),
        cmocka_unit_test(test_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
