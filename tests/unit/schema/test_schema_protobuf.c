/* SPDX-License-Identifier: Apache-2.0 */
/* Objects from protobuf: encoded here as Go's encoder does it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/schema/protobuf.h"

#define MAX ((size_t)1 << 16)

/* ---- an encoder ---- */

static void put_varint(struct jr_buf *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        (void)jr_buf_addc(b, (char)(v | 0x80));
    (void)jr_buf_addc(b, (char)v);
}

static void put_int(struct jr_buf *b, unsigned number, int64_t v)
{
    put_varint(b, number << 3);
    put_varint(b, (uint64_t)v);
}

static void put_bytes(struct jr_buf *b, unsigned number, struct jr_str s)
{
    put_varint(b, number << 3 | 2);
    put_varint(b, s.n);
    (void)jr_buf_add(b, s);
}

static void put_text(struct jr_buf *b, unsigned number, const char *s)
{
    put_bytes(b, number, jr_str(s));
}

/** Puts a message, which is emptied. */
static void put_message(struct jr_buf *b, unsigned number, struct jr_buf *message)
{
    put_bytes(b, number, jr_buf_str(message));
    jr_buf_reset(message);
}

/** Reads what k8s.io/apimachinery's encoder makes of an object: *raw is emptied. */
static enum jr_status read_object(struct jr_buf *raw, const char *version, const char *kind,
                                  const struct jr_schema_type *type, struct jr_buf *out,
                                  struct jr_error *err)
{
    JR_BUF text = { 0 }, meta = { 0 };

    jr_buf_init(&text, MAX);
    jr_buf_init(&meta, MAX);
    jr_buf_init(out, MAX);
    (void)jr_buf_add(&text, JR_S("k8s\0"));
    put_text(&meta, 1, version);
    put_text(&meta, 2, kind);
    put_message(&text, 1, &meta);
    put_message(&text, 2, raw);
    put_text(&text, 3, "");
    put_text(&text, 4, "");
    return jr_protobuf_read(jr_buf_str(&text), type, out, err);
}

static void put_entry(struct jr_buf *b, unsigned number, const char *key, const char *value)
{
    JR_BUF entry = { 0 };

    jr_buf_init(&entry, MAX);
    put_text(&entry, 1, key);
    put_text(&entry, 2, value);
    put_message(b, number, &entry);
}

/* ---- whole objects ---- */

static void add_metadata(struct jr_buf *b)
{
    JR_BUF meta = { 0 }, time = { 0 };

    jr_buf_init(&meta, MAX);
    jr_buf_init(&time, MAX);
    put_text(&meta, 1, "j");
    put_text(&meta, 2, ""); /* generateName: Go sends what is empty, too */
    put_text(&meta, 3, "d");
    put_int(&meta, 7, 0); /* generation */
    put_int(&time, 1, 1772366400);
    put_int(&time, 2, 0);
    put_message(&meta, 8, &time);
    put_entry(&meta, 11, "a", "b");
    put_entry(&meta, 11, "c", "");
    put_message(b, 1, &meta);
}

/** Puts a container with a probe of a port, which is embedded, and a limit. */
static void add_container(struct jr_buf *pod_spec)
{
    JR_BUF c = { 0 }, probe = { 0 }, handler = { 0 }, tcp = { 0 }, port = { 0 };
    JR_BUF resources = { 0 }, entry = { 0 }, quantity = { 0 };
    struct jr_buf *all[] = { &c, &probe, &handler, &tcp, &port, &resources, &entry, &quantity };

    for (size_t i = 0; i < JR_ARRAY_SIZE(all); i++)
        jr_buf_init(all[i], MAX);
    put_text(&c, 1, "main");
    put_text(&c, 3, "sh");
    put_text(&c, 3, "");
    put_text(&quantity, 1, "500m");
    put_text(&entry, 1, "cpu");
    put_message(&entry, 2, &quantity);
    put_message(&resources, 1, &entry);
    put_message(&c, 8, &resources);
    put_int(&port, 1, 0);
    put_int(&port, 2, -1);
    put_text(&port, 3, "");
    put_message(&tcp, 1, &port);
    put_text(&tcp, 2, "");
    put_message(&handler, 3, &tcp);
    put_message(&probe, 1, &handler);
    put_int(&probe, 2, 0);
    put_int(&probe, 3, 5);
    put_message(&c, 10, &probe);
    put_int(&c, 16, 0);
    put_int(&c, 18, 1);
    put_message(pod_spec, 2, &c);
}

static void test_job(void **state)
{
    struct jr_error err = { .status = JR_OK };
    JR_BUF job = { 0 }, spec = { 0 }, template = { 0 }, pod = { 0 }, out = { 0 };
    struct jr_buf *all[] = { &job, &spec, &template, &pod };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(all); i++)
        jr_buf_init(all[i], MAX);
    add_metadata(&job);
    put_int(&spec, 2, -2);
    put_int(&spec, 7, 0); /* backoffLimit: a pointer, so zero is a value */
    add_container(&pod);
    put_message(&template, 2, &pod);
    put_message(&spec, 6, &template);
    put_int(&spec, 10, 0); /* suspend: false is one, too */
    put_message(&job, 2, &spec);
    assert_int_equal(read_object(&job, "batch/v1", "Job", &jr_schema_job, &out, &err), JR_OK);
    assert_string_equal(
        out.p,
        "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\","
        "\"namespace\":\"d\",\"creationTimestamp\":\"2026-03-01T12:00:00Z\",\"labels\":{"
        "\"a\":\"b\",\"c\":\"\"}},\"spec\":{\"completions\":-2,\"backoffLimit\":0,"
        "\"template\":{\"spec\":{\"containers\":[{\"name\":\"main\",\"command\":[\"sh\",\"\"],"
        "\"resources\":{\"limits\":{\"cpu\":\"500m\"}},\"livenessProbe\":{\"tcpSocket\":{"
        "\"port\":-1},\"timeoutSeconds\":5},\"tty\":true}]}},\"suspend\":false}}");
}

static void test_secret(void **state)
{
    struct jr_error err = { .status = JR_OK };
    JR_BUF secret = { 0 }, out = { 0 };

    (void)state;
    jr_buf_init(&secret, MAX);
    put_entry(&secret, 2, "k", "b\x01");
    put_text(&secret, 3, "Opaque");
    put_entry(&secret, 4, "s", "t");
    put_int(&secret, 5, 1);
    assert_int_equal(read_object(&secret, "v1", "Secret", &jr_schema_secret, &out, &err), JR_OK);
    assert_string_equal(out.p, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"immutable\":true,"
                               "\"data\":{\"k\":\"YgE=\"},\"stringData\":{\"s\":\"t\"},\"type\":"
                               "\"Opaque\"}");
}

/* ---- what isn't taken ---- */

static void test_unknown_number(void **state)
{
    struct jr_error err = { .status = JR_OK };
    JR_BUF map = { 0 }, out = { 0 };

    (void)state;
    jr_buf_init(&map, MAX);
    put_text(&map, 99, "x");
    assert_int_equal(read_object(&map, "v1", "ConfigMap", &jr_schema_config_map, &out, &err),
                     JR_UNSUPPORTED);
    assert_string_equal(err.path, "ConfigMap");
    assert_string_equal(err.msg, "the field with number 99 isn't known");
}

static void test_not_looked_into(void **state)
{
    struct jr_error err = { .status = JR_OK };
    JR_BUF pod = { 0 }, status = { 0 }, container = { 0 }, out = { 0 };
    struct jr_buf *all[] = { &pod, &status, &container };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(all); i++)
        jr_buf_init(all[i], MAX);
    put_text(&container, 2, ""); /* state */
    put_message(&status, 8, &container);
    put_message(&pod, 3, &status);
    assert_int_equal(read_object(&pod, "v1", "Pod", &jr_schema_pod, &out, &err), JR_UNSUPPORTED);
    assert_string_equal(err.path, "state");
}

static void test_another_wire_type(void **state)
{
    struct jr_error err = { .status = JR_OK };
    JR_BUF secret = { 0 }, out = { 0 };

    (void)state;
    jr_buf_init(&secret, MAX);
    put_int(&secret, 3, 1); /* type is a text */
    assert_int_equal(read_object(&secret, "v1", "Secret", &jr_schema_secret, &out, &err),
                     JR_SYNTAX);
    assert_string_equal(err.path, "type");
}

/** Cut anywhere it is refused, but behind the magic; any byte may be changed. */
static void check_damaged(struct jr_buf *raw, const struct jr_schema_type *type)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, MAX);
    (void)jr_buf_add(&text, JR_S("k8s\0"));
    put_message(&text, 2, raw);
    for (size_t n = 0; n < text.n; n++) {
        struct jr_error err = { .status = JR_OK };
        const char was = text.p[n];
        JR_BUF cut = { 0 }, changed = { 0 };
        enum jr_status st;

        jr_buf_init(&cut, MAX);
        jr_buf_init(&changed, MAX);
        st = jr_protobuf_read(jr_str_head(jr_buf_str(&text), n), type, &cut, &err);
        assert_int_equal(st, n == strlen("k8s") + 1 ? JR_OK : JR_SYNTAX);
        text.p[n] = (char)(was ^ 0xff);
        (void)!jr_protobuf_read(jr_buf_str(&text), type, &changed, &err);
        text.p[n] = was;
    }
}

static void test_damaged(void **state)
{
    JR_BUF secret = { 0 };

    (void)state;
    jr_buf_init(&secret, MAX);
    put_entry(&secret, 2, "key", "value");
    put_text(&secret, 3, "Opaque");
    check_damaged(&secret, &jr_schema_secret);
}

/** Puts a pod template with such a message in the field of a container; it is emptied. */
static void put_in_container(struct jr_buf *job, unsigned number, struct jr_buf *message)
{
    JR_BUF container = { 0 }, pod = { 0 }, template = { 0 }, spec = { 0 };
    struct jr_buf *all[] = { &container, &pod, &template, &spec };

    for (size_t i = 0; i < JR_ARRAY_SIZE(all); i++)
        jr_buf_init(all[i], MAX);
    put_message(&container, number, message);
    put_message(&pod, 2, &container);
    put_message(&template, 2, &pod);
    put_message(&spec, 6, &template);
    jr_buf_reset(job);
    put_message(job, 2, &spec);
}

/** The small messages: each byte too few in one is seen, though the messages around it are whole.
 */
static void test_damaged_inside(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *path;
        unsigned of_meta;      /* in metadata */
        unsigned of_container; /* in a container */
    } rows[] = {
        { "\x08", 1, "creationTimestamp", 8, 0 },      /* seconds without a value */
        { "\x08\x80", 2, "creationTimestamp", 8, 0 },  /* a value without its end */
        { "\x0a\x01x", 3, "creationTimestamp", 8, 0 }, /* a text for seconds */
        { "\x18\x01", 2, "creationTimestamp", 8, 0 },  /* a third field */
        { "\x0a\x05\x61", 3, "labels", 11, 0 },        /* a key that is cut */
        { "\x08\x01", 2, "labels", 11, 0 },            /* a number for a key */
        { "\x0a\x05\x63", 3, "ResourceRequirements", 0, 8 },
        { "\x0a\x09\x0a\x03\x63pu\x12\x02\x0a\x09", 11, "limits", 0, 8 },
        { "\x1a\x06\x0a\x04\x0a\x02\x08", 7, "Probe", 0, 10 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_str bytes = { rows[i].bytes, rows[i].n };
        struct jr_error err = { .status = JR_OK };
        JR_BUF job = { 0 }, meta = { 0 }, message = { 0 }, out = { 0 };

        jr_buf_init(&job, MAX);
        jr_buf_init(&meta, MAX);
        jr_buf_init(&message, MAX);
        if (rows[i].of_meta != 0) {
            put_bytes(&meta, rows[i].of_meta, bytes);
            put_message(&job, 1, &meta);
        } else {
            (void)jr_buf_add(&message, bytes);
            put_in_container(&job, rows[i].of_container, &message);
        }
        if (read_object(&job, "batch/v1", "Job", &jr_schema_job, &out, &err) != JR_SYNTAX)
            fail_msg("row %zu (%s) was read: %s", i, rows[i].path, out.p);
        assert_string_equal(err.path, rows[i].path);
    }
}

/** Times beyond what 64 bits of nanoseconds hold, and those with six decimals. */
static void test_times(void **state)
{
    static const struct {
        int64_t s, ns;
        unsigned number;  /* of the Event's field */
        const char *want; /* NULL: refused */
    } rows[] = {
        { INT64_C(253402300799), 0, 6, "firstTimestamp\":\"9999-12-31T23:59:59Z" },
        { INT64_C(253402300800), 0, 6, NULL },
        { INT64_C(-62135596800), 0, 6, "firstTimestamp\":\"0001-01-01T00:00:00Z" },
        { INT64_C(-62135596801), 0, 6, NULL },
        { 0, 999999999, 6, "firstTimestamp\":\"1970-01-01T00:00:00Z" },
        { -1, 500000000, 10, "eventTime\":\"1969-12-31T23:59:59.500000Z" },
        { 1, 0, 10, "eventTime\":\"1970-01-01T00:00:01.000000Z" },
        { 1, 1000000000, 10, NULL },
        { 1, -1000, 10, NULL },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_error err = { .status = JR_OK };
        JR_BUF event = { 0 }, time = { 0 }, out = { 0 };
        enum jr_status st;

        jr_buf_init(&event, MAX);
        jr_buf_init(&time, MAX);
        put_int(&time, 1, rows[i].s);
        put_int(&time, 2, rows[i].ns);
        put_message(&event, rows[i].number, &time);
        st = read_object(&event, "v1", "Event", &jr_schema_event, &out, &err);
        assert_int_equal(st, rows[i].want == NULL ? JR_SYNTAX : JR_OK);
        if (rows[i].want != NULL)
            assert_non_null(strstr(out.p, rows[i].want));
    }
}

/** managedFields: what is JSON in a message's bytes is JSON. */
static void test_managed_fields(void **state)
{
    static const struct {
        const char *fields;
        enum jr_status status;
    } rows[] = {
        { "{\"f:spec\":{}}", JR_OK },
        { "{},\"name\":\"x\"", JR_SYNTAX },
        { "{", JR_SYNTAX },
        { "", JR_SYNTAX },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_error err = { .status = JR_OK };
        JR_BUF map = { 0 }, meta = { 0 }, entry = { 0 }, fields = { 0 }, out = { 0 };
        struct jr_buf *all[] = { &map, &meta, &entry, &fields };

        for (size_t k = 0; k < JR_ARRAY_SIZE(all); k++)
            jr_buf_init(all[k], MAX);
        put_text(&fields, 1, rows[i].fields);
        put_message(&entry, 7, &fields);
        put_message(&meta, 17, &entry);
        put_message(&map, 1, &meta);
        assert_int_equal(read_object(&map, "v1", "ConfigMap", &jr_schema_config_map, &out, &err),
                         rows[i].status);
        if (rows[i].status == JR_OK)
            assert_string_equal(out.p, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":"
                                       "{\"managedFields\":[{\"fieldsV1\":{\"f:spec\":{}}}]}}");
        else
            assert_string_equal(err.path, "fieldsV1");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job),
        cmocka_unit_test(test_secret),
        cmocka_unit_test(test_unknown_number),
        cmocka_unit_test(test_not_looked_into),
        cmocka_unit_test(test_another_wire_type),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_damaged_inside),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_managed_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
