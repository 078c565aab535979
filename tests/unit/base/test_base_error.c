/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "common/base/error.h"
#include "tests/unit/base/want.h"

static void status_texts(void **state)
{
    (void)state;
    assert_string_equal(jr_status_text(JR_OK), "ok");
    assert_string_equal(jr_status_text(JR_NOMEM), "out of memory");
    assert_string_equal(jr_status_text(JR_UNSUPPORTED), "unsupported");
}

static void fail_fills_the_record(void **state)
{
    struct jr_error err = { .http = 409 };

    (void)state;
    assert_int_equal(jr_fail(&err, JR_RANGE, "spec.parallelism", "%d is too much", 7), JR_RANGE);
    assert_int_equal(err.status, JR_RANGE);
    assert_int_equal(err.http, 0);
    assert_string_equal(err.path, "spec.parallelism");
    assert_string_equal(err.msg, "7 is too much");
    assert_int_equal(jr_fail_http(&err, JR_REMOTE, 422, "no"), JR_REMOTE);
    assert_int_equal(err.http, 422);
    assert_string_equal(err.path, "");
    assert_int_equal(jr_fail_errno(&err, ENOENT, "a.crt", "opening"), JR_IO);
    assert_string_equal(err.msg, "opening: No such file or directory");
    assert_string_equal(err.path, "a.crt");
    assert_int_equal(jr_fail_errno(&err, 123456, NULL, "opening"), JR_IO);
    assert_string_equal(err.msg, "opening: unknown error");
}

static void null_record_returns_the_status(void **state)
{
    (void)state;
    assert_int_equal(jr_fail(NULL, JR_TYPE, "p", "x"), JR_TYPE);
    assert_int_equal(jr_fail_http(NULL, JR_DENIED, 403, "x"), JR_DENIED);
    assert_int_equal(jr_fail_errno(NULL, EIO, NULL, "x"), JR_IO);
    assert_int_equal(jr_wrap(NULL, JR_LIMIT, "x"), JR_LIMIT);
    jr_error_in(NULL, "spec");
}

static void arguments_may_be_the_record_itself(void **state)
{
    struct jr_error err;

    (void)state;
    (void)jr_fail(&err, JR_INVALID, "metadata.name", "bad");
    (void)jr_fail(&err, JR_SYNTAX, err.path, "again %s", err.msg);
    assert_string_equal(err.path, "metadata.name");
    assert_string_equal(err.msg, "again bad");
}

static void wrap_puts_context_in_front(void **state)
{
    struct jr_error err;

    (void)state;
    (void)jr_fail_http(&err, JR_CONFLICT, 409, "changed");
    assert_int_equal(jr_wrap(&err, JR_IO, "updating %s", "a/b"), JR_CONFLICT);
    assert_string_equal(err.msg, "updating a/b: changed");
    assert_int_equal(err.http, 409);
    err = (struct jr_error){ .status = JR_NOMEM };
    assert_int_equal(jr_wrap(&err, JR_NOMEM, "reading"), JR_NOMEM);
    assert_string_equal(err.msg, "reading: out of memory");
}

static void path_prefix(void **state)
{
    static const struct {
        const char *name, *path, *prefix, *want;
    } rows[] = {
        { "member", "containers", "spec", "spec.containers" },
        { "index", "[0].name", "containers", "containers[0].name" },
        { "empty path", "", "spec", "spec" },
        { "empty prefix", "name", "", "name" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_error err;

        (void)jr_fail(&err, JR_INVALID, rows[i].path, "x");
        jr_error_in(&err, rows[i].prefix);
        WANT_STR(rows[i].name, err.path, rows[i].want);
    }
}

static void text_of_a_record(void **state)
{
    struct jr_error err = { .status = JR_TIMEOUT };
    char buf[64];

    (void)state;
    assert_string_equal(jr_error_text(&err, buf, sizeof(buf)), "timed out");
    (void)jr_fail(&err, JR_INVALID, NULL, "bad");
    assert_string_equal(jr_error_text(&err, buf, sizeof(buf)), "bad");
    (void)jr_fail(&err, JR_INVALID, "spec", "bad");
    assert_string_equal(jr_error_text(&err, buf, sizeof(buf)), "spec: bad");
    assert_string_equal(jr_error_text(&err, buf, 8), "spec...");
    assert_string_equal(jr_error_text(&err, buf, 3), "sp");
    assert_ptr_equal(jr_error_text(&err, buf, 0), buf);
}

static void long_text_is_cut(void **state)
{
    struct jr_error err;
    char text[600];

    (void)state;
    memset(text, 'x', sizeof(text));
    text[511] = '\0'; /* fits exactly */
    (void)jr_fail(&err, JR_INVALID, text, "%s", text);
    assert_string_equal(err.msg, text);
    assert_int_equal(strlen(err.path), 255);
    assert_string_equal(err.path + 252, "...");
    text[511] = 'x';
    text[512] = '\0';
    (void)jr_fail(&err, JR_INVALID, NULL, "%s", text);
    assert_int_equal(strlen(err.msg), 511);
    assert_string_equal(err.msg + 508, "...");
    (void)jr_wrap(&err, JR_INVALID, "context");
    assert_memory_equal(err.msg, "context: xxx", 12);
    assert_string_equal(err.msg + 508, "...");
}

static void a_cut_leaves_no_half_character(void **state)
{
    struct jr_error err;
    char text[600];

    (void)state;
    for (size_t i = 0; i < 594; i += 3)
        memcpy(text + i, "\xe2\x82\xac", 4);
    for (size_t shift = 0; shift < 3; shift++) {
        size_t n;

        (void)jr_fail(&err, JR_INVALID, NULL, "%.*s%s", (int)shift, "ab", text);
        n = strlen(err.msg);
        assert_string_equal(err.msg + n - 3, "...");
        assert_int_equal((n - 3 - (shift > 2 ? 2 : shift)) % 3, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_texts),
        cmocka_unit_test(fail_fills_the_record),
        cmocka_unit_test(null_record_returns_the_status),
        cmocka_unit_test(arguments_may_be_the_record_itself),
        cmocka_unit_test(wrap_puts_context_in_front),
        cmocka_unit_test(path_prefix),
        cmocka_unit_test(text_of_a_record),
        cmocka_unit_test(long_text_is_cut),
        cmocka_unit_test(a_cut_leaves_no_half_character),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
