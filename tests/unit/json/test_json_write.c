/* SPDX-License-Identifier: Apache-2.0 */
#include "common/json/write.h"

#include "tests/unit/json/json_test.h"

static void writes(void **state)
{
    JR_BUF out = { 0 };
    struct jr_writer w = jr_writer_on(&out);
    const struct jr_time t = jr_time_s(1772366400);

    (void)state;
    jr_buf_init(&out, 10000);
    jr_w_object(&w);
    jr_w_kstr(&w, "s", JR_S("x"));
    jr_w_opt_kstr(&w, "none", (struct jr_str){ 0 });
    jr_w_opt_kstr(&w, "some", JR_S("y"));
    jr_w_ki64(&w, "min", INT64_MIN);
    jr_w_kbool(&w, "t", true);
    jr_w_opt_ki32(&w, "none", (struct jr_opt_i32){ 0 });
    jr_w_opt_ki32(&w, "zero", JR_I32(0));
    jr_w_opt_ktime(&w, "none", (struct jr_time){ 0 });
    jr_w_opt_ktime(&w, "at", t);
    jr_w_keyn(&w, JR_S("l\"k"));
    jr_w_array(&w);
    jr_w_i64(&w, 1);
    jr_w_null(&w);
    jr_w_bool(&w, false);
    jr_w_object(&w);
    jr_w_object_end(&w);
    jr_w_array(&w);
    jr_w_array_end(&w);
    jr_w_raw(&w, JR_S("{ \"verbatim\": 1.0 }"));
    jr_w_str(&w, JR_S("z"));
    jr_w_time(&w, t);
    jr_w_time(&w, (struct jr_time){ 0 });
    jr_w_array_end(&w);
    jr_w_kobject(&w, "o");
    jr_w_key(&w, "a");
    jr_w_null(&w);
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    assert_int_equal(out.failed, JR_OK);
    WANT_STR("written", out.p,
             "{\"s\":\"x\",\"some\":\"y\",\"min\":-9223372036854775808,\"t\":true,\"zero\":0,"
             "\"at\":\"2026-03-01T12:00:00Z\",\"l\\\"k\":[1,null,false,{},[],{ \"verbatim\": 1.0 },"
             "\"z\",\"2026-03-01T12:00:00Z\",null],\"o\":{\"a\":null}}");
}

static void quotes(void **state)
{
    static const struct {
        const char *name;
        struct jr_str s;
        const char *want;
    } rows[] = {
        { "empty", { "", 0 }, "\"\"" },
        { "absent", { NULL, 0 }, "\"\"" },
        { "plain", { "abc", 3 }, "\"abc\"" },
        { "escapes", { "\"\\/\b\f\n\r\t", 8 }, "\"\\\"\\\\/\\b\\f\\n\\r\\t\"" },
        { "control", { "\0\x1f\x7f", 3 }, "\"\\u0000\\u001f\x7f\"" },
        { "UTF-8", { "\u00e9\u20ac\U0001f600", 9 }, "\"\u00e9\u20ac\U0001f600\"" },
        { "bad byte",
          { "a\xff"
            "b",
            3 },
          "\"a\ufffd"
          "b\"" },
        { "cut sequence", { "\xe2\x82", 2 }, "\"\ufffd\ufffd\"" },
        { "surrogate", { "\xed\xa0\x80", 3 }, "\"\ufffd\ufffd\ufffd\"" },
        { "long",
          { "0123456789abcdef\"0123456789\n", 28 },
          "\"0123456789abcdef\\\"0123456789\\n\"" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_BUF out = { 0 };

        jr_buf_init(&out, 1000);
        assert_int_equal(jr_json_quote(rows[i].s, &out), JR_OK);
        WANT_STR(rows[i].name, out.p, rows[i].want);
    }
}

static void failures_stick(void **state)
{
    JR_BUF out = { 0 };
    struct jr_writer w = jr_writer_on(&out);

    (void)state;
    jr_buf_init(&out, 8);
    jr_w_array(&w);
    jr_w_str(&w, JR_S("much too long"));
    jr_w_array_end(&w);
    assert_int_equal(out.failed, JR_LIMIT);
    assert_int_equal(jr_json_quote(JR_S(""), &out), JR_LIMIT);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes),
        cmocka_unit_test(quotes),
        cmocka_unit_test(failures_stick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
