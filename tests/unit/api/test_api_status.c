/* SPDX-License-Identifier: Apache-2.0 */
/* Status, field errors, Leases and Events. */
#include "common/api/event.h"
#include "common/api/field_error.h"
#include "common/api/lease.h"
#include "tests/support/failalloc.h"
#include "tests/unit/api/api_test.h"

#define NONE ((struct jr_str){ NULL, 0 })

/* ---- Status ---- */

static void real_statuses(void **state)
{
    static const struct {
        const char *file;
        int code;
        const char *reason;
        const char *kind;
        const char *cause;
    } rows[] = {
        { "error-400-decode.json", 400, "BadRequest", "", NULL },
        { "error-403-forbidden.json", 403, "Forbidden", "pods", NULL },
        { "error-403-namespace-terminating.json", 403, "Forbidden", "pods",
          "NamespaceTerminating" },
        { "error-403-quota.json", 403, "Forbidden", "pods", NULL },
        { "error-404.json", 404, "NotFound", "jobs", NULL },
        { "error-409-conflict.json", 409, "Conflict", "jobs", NULL },
        { "error-409-exists.json", 409, "AlreadyExists", "jobs", NULL },
        { "error-422-invalid.json", 422, "Invalid", "Job", "FieldValueRequired" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char path[256];
        JR_ARENA arena = { 0 };
        JR_BUF body = { 0 }, out = { 0 };
        struct jr_api_status s;

        (void)snprintf(path, sizeof(path), WIRE "%s", rows[i].file);
        jr_arena_init(&arena, 0);
        must_read(path, &body);
        assert_int_equal(jr_api_status_decode(jr_buf_str(&body), &arena, &s, NULL), JR_OK);
        WANT_INT(path, s.code, rows[i].code);
        WANT_VIEW(path, s.status, JR_S("Failure"));
        WANT_VIEW(path, s.reason, jr_str(rows[i].reason));
        WANT_VIEW(path, s.details.kind, jr_str(rows[i].kind));
        if (rows[i].cause != NULL)
            assert_true(jr_api_status_has_cause(&s, jr_str(rows[i].cause)));
        assert_false(jr_api_status_has_cause(&s, JR_S("None")));
        jr_buf_init(&out, (size_t)1 << 16);
        assert_int_equal(jr_api_status_write(&s, &out), JR_OK);
        want_json(path, jr_buf_str(&out), jr_buf_str(&body));
    }
}

static void retry_after(void **state)
{
    JR_ARENA arena = { 0 };
    struct jr_api_status s;
    struct jr_error err = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    assert_int_equal(jr_api_status_decode(JR_S("{\"details\":{\"retryAfterSeconds\":3,\"uid\":\"u\""
                                               "}}"),
                                          &arena, &s, NULL),
                     JR_OK);
    WANT_INT("retry", s.details.retry_after_s, 3);
    want_error("details", jr_api_status_decode(JR_S("{\"details\":[]}"), &arena, &s, &err), &err,
               JR_TYPE, "details");
}

/* ---- field errors ---- */

static void paths(void **state)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    const struct jr_field_path labels = JR_FIELD(&spec, "labels");
    const struct jr_field_path keyed = JR_FIELD_KEY(&labels, JR_S("a.b/c"));
    const struct jr_field_path empty = JR_FIELD_KEY(&labels, JR_S(""));
    const struct jr_field_path list = JR_FIELD(&spec, "list");
    const struct jr_field_path at = JR_FIELD_AT(&list, 12);
    const struct jr_field_path name = JR_FIELD(&at, "name");
    const struct {
        const struct jr_field_path *path;
        const char *want;
    } rows[] = {
        { NULL, "" },
        { &spec, "spec" },
        { &keyed, "spec.labels[a.b/c]" },
        { &empty, "spec.labels[]" },
        { &at, "spec.list[12]" },
        { &name, "spec.list[12].name" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_BUF b = { 0 };

        jr_buf_init(&b, 256);
        assert_int_equal(jr_field_path_write(rows[i].path, &b), JR_OK);
        WANT_VIEW(rows[i].want, jr_buf_str(&b), jr_str(rows[i].want));
    }
}

static void quoted(void **state)
{
    static const struct {
        struct jr_str text;
        const char *want;
    } rows[] = {
        { { "", 0 }, "\"\"" },
        { { "a \"b\" \\c", 8 }, "\"a \\\"b\\\" \\\\c\"" },
        { { "\a\b\f\n\r\t\v", 7 }, "\"\\a\\b\\f\\n\\r\\t\\v\"" },
        { { "\0\x1b\x7f", 3 }, "\"\\x00\\x1b\\x7f\"" },
        { { "\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\x80", 9 },
          "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\x80\"" },
        { { "\xc2\x85\xe2\x80\x8b", 5 }, "\"\\u0085\\u200b\"" },
        { { "\xf3\xa0\x80\x81", 4 }, "\"\\U000e0001\"" },
        { { "a\xff\xc3", 3 }, "\"a\\xff\\xc3\"" },
        { { "\xed\xa0\x80", 3 }, "\"\\xed\\xa0\\x80\"" },
        { { "\xc0\x80", 2 }, "\"\\xc0\\x80\"" },
        { { "\xf4\x90\x80\x80", 4 }, "\"\\xf4\\x90\\x80\\x80\"" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_BUF b = { 0 };

        jr_buf_init(&b, 256);
        assert_int_equal(jr_field_quote(rows[i].text, &b), JR_OK);
        WANT_STR(rows[i].want, b.p, rows[i].want);
    }
}

/** The recorded 422, made by us. */
static void status_of_errors(void **state)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    const struct jr_field_path template = JR_FIELD(&spec, "template");
    const struct jr_field_path pod = JR_FIELD(&template, "spec");
    JR_ARENA arena = { 0 };
    JR_BUF want = { 0 }, have = { 0 };
    struct jr_api_status s;
    struct jr_errlist l;

    (void)state;
    jr_arena_init(&arena, 0);
    jr_errlist_init(&l, &arena);
    jr_errlist_add(&l, JR_FE_INVALID, &JR_FIELD(&spec, "parallelism"), jr_errlist_int(&l, -1),
                   "must be greater than or equal to %d", 0);
    jr_errlist_add(&l, JR_FE_REQUIRED, &JR_FIELD(&pod, "restartPolicy"), NONE,
                   "valid values: \"OnFailure\", \"Never\"");
    assert_int_equal(jr_errlist_status(&l, JR_S("batch"), JR_S("Job"), JR_S("bad"), &s), JR_OK);
    must_read(WIRE "error-422-invalid.json", &want);
    jr_buf_init(&have, (size_t)1 << 16);
    assert_int_equal(jr_api_status_write(&s, &have), JR_OK);
    want_json("422", jr_buf_str(&have), jr_buf_str(&want));
}

static void status_texts(void **state)
{
    const struct jr_field_path f = JR_FIELD(NULL, "f");
    const struct jr_field_path g = JR_FIELD(NULL, "g");
    JR_ARENA arena = { 0 };
    struct jr_api_status s;
    struct jr_errlist l;

    (void)state;
    jr_arena_init(&arena, 0);
    jr_errlist_init(&l, &arena);
    for (int i = 0; i < 3; i++) /* one text, three causes */
        jr_errlist_add(&l, JR_FE_DUPLICATE, &f, jr_errlist_quote(&l, JR_S("x")), "%s", "");
    assert_int_equal(jr_errlist_status(&l, NONE, JR_S("Pod"), JR_S(""), &s), JR_OK);
    WANT_VIEW("one", s.message, JR_S("Pod \"\" is invalid: f: Duplicate value: \"x\""));
    WANT_INT("causes", s.details.causes.n, 3);
    jr_errlist_add(&l, JR_FE_TOO_MANY, &g, jr_errlist_int(&l, 21), "must have at most 20 items");
    jr_errlist_add(&l, JR_FE_TOO_LONG, &g, JR_S("hidden"), "may not be more than 63 bytes");
    jr_errlist_add(&l, JR_FE_FORBIDDEN, &g, JR_S("hidden"), "no");
    jr_errlist_add(&l, JR_FE_INVALID, &g, NONE, "no value");
    jr_errlist_add(&l, JR_FE_NOT_SUPPORTED, &g, JR_S("\"y\""), "supported values: \"z\"");
    jr_errlist_add(&l, JR_FE_NOT_FOUND, &g, JR_S("\"y\""), "%s", "");
    assert_int_equal(jr_errlist_status(&l, JR_S("batch"), JR_S("Job"), JR_S("n"), &s), JR_OK);
    WANT_VIEW("all", s.message,
              JR_S("Job.batch \"n\" is invalid: [f: Duplicate value: \"x\", g: Too many: 21: must "
                   "have at most 20 items, g: Too long: may not be more than 63 bytes, g: "
                   "Forbidden: no, g: Invalid value: no value, g: Unsupported value: \"y\": "
                   "supported values: \"z\", g: Not found: \"y\"]"));
    WANT_VIEW("cause", s.details.causes.v[3].reason, JR_S("FieldValueTooMany"));
    WANT_VIEW("cause", s.details.causes.v[3].field, JR_S("g"));
    WANT_VIEW("cause", s.details.causes.v[3].message,
              JR_S("Too many: 21: must have at most 20 items"));
}

static void too_many_errors(void **state)
{
    const struct jr_field_path f = JR_FIELD(NULL, "f");
    JR_ARENA arena = { 0 };
    struct jr_errlist l;

    (void)state;
    jr_arena_init(&arena, 0);
    jr_errlist_init(&l, &arena);
    for (int i = 0; i < 20000; i++)
        jr_errlist_add(&l, JR_FE_INVALID, &JR_FIELD_AT(&f, (size_t)i), NONE, "no");
    assert_int_equal(l.failed, JR_LIMIT);
    assert_int_equal(l.n, 10000);
    jr_arena_done(&arena);
    jr_arena_init(&arena, 64);
    jr_errlist_init(&l, &arena);
    jr_errlist_add(&l, JR_FE_INVALID, &f, NONE, "words that are longer than the arena allows here");
    assert_int_equal(l.failed, JR_NOMEM);
    assert_int_equal(l.n, 0);
}

/** Errors of rules at fields; the detail says which one it is. */
static void add_of_rule(struct jr_errlist *l, const char *rule, const char *field, const char *id)
{
    jr_errlist_add(l, JR_FE_INVALID, &JR_FIELD(NULL, field), NONE, "%s", id);
    assert_true(l->n > 0);
    l->v[l->n - 1].rule = rule;
}

static void details(const struct jr_errlist *l, const char *want)
{
    JR_BUF got = { 0 };

    jr_buf_init(&got, 64);
    for (size_t i = 0; i < l->n; i++)
        assert_int_equal(jr_buf_addf(&got, "%.*s", JR_P(l->v[i].detail)), JR_OK);
    WANT_VIEW("details", jr_buf_str(&got), jr_str(want));
}

/* Only errors of the same rule at the same field go, and only for one behind them. */
static void superseded(void **state)
{
    JR_ARENA arena = { 0 };
    struct jr_errlist l;

    (void)state;
    jr_arena_init(&arena, 0);
    jr_errlist_init(&l, &arena);
    add_of_rule(&l, "r", "x", "1");
    add_of_rule(&l, "s", "x", "2");
    add_of_rule(&l, "r", "y", "3");
    add_of_rule(&l, "r", "x", "4");
    jr_errlist_supersede(&l, l.n);
    details(&l, "1234");
    add_of_rule(&l, "r", "x", "5");
    add_of_rule(&l, "r", "x", "6");
    add_of_rule(&l, "t", "z", "7");
    jr_errlist_supersede(&l, 4);
    assert_int_equal(l.failed, JR_OK);
    details(&l, "23567");
}

/* ---- Lease and Event ---- */

static void leases(void **state)
{
    static const char text[] =
        "{\"apiVersion\":\"coordination.k8s.io/"
        "v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"n\","
        "\"namespace\":\"ns\",\"resourceVersion\":\"9\"},\"spec\":{\"holderIdentity\":\"me\","
        "\"leaseDurationSeconds\":15,\"acquireTime\":\"2026-03-01T12:00:00.000001Z\",\"renewTime\":"
        "\"2026-03-01T12:00:01.500000Z\",\"leaseTransitions\":0}}";
    JR_ARENA arena = { 0 };
    JR_BUF out = { 0 };
    struct jr_lease l;
    struct jr_error err = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    assert_int_equal(jr_lease_decode(jr_str(text), &arena, &l, &err), JR_OK);
    WANT_VIEW("holder", l.holder_identity, JR_S("me"));
    WANT_INT("renewed", l.renew_time.ns % JR_SEC, 500 * JR_MSEC);
    assert_true(l.lease_transitions.set);
    jr_buf_init(&out, 4096);
    assert_int_equal(jr_lease_write(&l, &out), JR_OK);
    want_json("lease", jr_buf_str(&out), jr_str(text));
    jr_buf_reset(&out);
    l = (struct jr_lease){ .holder_identity = JR_S("") };
    assert_int_equal(jr_lease_write(&l, &out), JR_OK);
    WANT_STR("released", out.p,
             "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{},"
             "\"spec\":{\"holderIdentity\":\"\"}}");
    want_error(
        "duration",
        jr_lease_decode(JR_S("{\"spec\":{\"leaseDurationSeconds\":\"1\"}}"), &arena, &l, &err),
        &err, JR_TYPE, "spec.leaseDurationSeconds");
}

static void events(void **state)
{
    static char long_text[2001];
    struct jr_event e = {
        .name = JR_S("pi.18a"),
        .namespace = JR_S("ns"),
        .involved = { .api_version = JR_S("batch/v1"),
                      .kind = JR_S("Job"),
                      .namespace = JR_S("ns"),
                      .name = JR_S("pi"),
                      .uid = JR_S("u"),
                      .resource_version = JR_S("4") },
        .type = JR_S("Normal"),
        .reason = JR_S("Completed"),
        .message = JR_S("Job completed"),
        .component = JR_S("job-controller"),
        .first_timestamp = jr_time_s(1772366400),
        .last_timestamp = jr_time_s(1772366460),
        .count = 2,
    };
    JR_BUF out = { 0 };
    DOC *doc = NULL;

    (void)state;
    jr_buf_init(&out, 8192);
    assert_int_equal(jr_event_write(&e, &out), JR_OK);
    want_json("event", jr_buf_str(&out),
              JR_S("{\"kind\":\"Event\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"pi.18a\","
                   "\"namespace\":\"ns\"},\"involvedObject\":{\"kind\":\"Job\",\"namespace\":"
                   "\"ns\",\"name\":\"pi\",\"uid\":\"u\",\"apiVersion\":\"batch/v1\","
                   "\"resourceVersion\":\"4\"},\"reason\":\"Completed\",\"message\":"
                   "\"Job completed\",\"source\":{\"component\":\"job-controller\"},"
                   "\"firstTimestamp\":\"2026-03-01T12:00:00Z\",\"lastTimestamp\":"
                   "\"2026-03-01T12:01:00Z\",\"count\":2,\"type\":\"Normal\","
                   "\"reportingComponent\":\"job-controller\",\"reportingInstance\":\"\"}"));
    jr_buf_reset(&out);
    assert_int_equal(jr_event_write_repeat(&e, &out), JR_OK);
    WANT_STR("repeat", out.p,
             "{\"count\":2,\"lastTimestamp\":\"2026-03-01T12:01:00Z\",\"message\":"
             "\"Job completed\"}");
    long_text[0] = 'a'; /* so that the cut would go through a character */
    for (size_t i = 1; i + 1 < sizeof(long_text); i += 2) {
        long_text[i] = '\xc3';
        long_text[i + 1] = '\xa9';
    }
    e.message = (struct jr_str){ long_text, 2001 };
    jr_buf_reset(&out);
    assert_int_equal(jr_event_write_repeat(&e, &out), JR_OK);
    doc = must_parse("long", jr_buf_str(&out));
    WANT_INT("cut", jr_get_str(jr_doc_root(doc), "message").n, 1023);
}

static void without_memory(void **state)
{
    JR_BUF text = { 0 };

    (void)state;
    must_read(WIRE "error-422-invalid.json", &text);
    for (long n = 1;; n++) {
        const struct jr_field_path f = JR_FIELD(NULL, "f");
        JR_ARENA arena = { 0 };
        struct jr_api_status s;
        struct jr_error err = { 0 };
        struct jr_errlist l;
        struct jr_lease lease;
        enum jr_status st;

        jr_arena_init(&arena, 0);
        jr_errlist_init(&l, &arena);
        jr_failalloc_arm(n);
        st = jr_api_status_decode(jr_buf_str(&text), &arena, &s, &err);
        if (st == JR_OK)
            st = jr_lease_decode(JR_S("{\"metadata\":{\"name\":\"n\"},\"spec\":{}}"), &arena,
                                 &lease, &err);
        for (size_t i = 0; i < 50 && st == JR_OK; i++) {
            jr_errlist_add(&l, JR_FE_INVALID, &JR_FIELD_AT(&f, i),
                           jr_errlist_quote(&l, JR_S("some value or other")), "%s", "words");
            st = l.failed;
        }
        if (st == JR_OK)
            st = jr_errlist_status(&l, JR_S("batch"), JR_S("Job"), JR_S("n"), &s);
        if (jr_failalloc_over(st))
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_statuses),
        cmocka_unit_test(retry_after),
        cmocka_unit_test(paths),
        cmocka_unit_test(quoted),
        cmocka_unit_test(status_of_errors),
        cmocka_unit_test(status_texts),
        cmocka_unit_test(too_many_errors),
        cmocka_unit_test(superseded),
        cmocka_unit_test(leases),
        cmocka_unit_test(events),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
