/* SPDX-License-Identifier: Apache-2.0 */
/* What the first bytes of a connection say (RFC 8446, 5.1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "common/base/str.h"
#include "common/http/hello.h"

static void test_rows(void **state)
{
    static const struct {
        const char *name;
        const char *bytes;
        size_t n, there;
        enum jr_hello want;
        size_t need;
    } rows[] = {
        { "nothing yet", "", 0, 0, JR_HELLO_PART, 1 },
        { "its type", "\x16", 1, 1, JR_HELLO_PART, 5 },
        { "all but its length", "\x16\x03\x01\x02", 4, 4, JR_HELLO_PART, 5 },
        { "its header", "\x16\x03\x01\x02\x05", 5, 5, JR_HELLO_PART, 522 },
        { "one byte short", "\x16\x03\x01\x02\x05", 5, 521, JR_HELLO_PART, 522 },
        { "whole", "\x16\x03\x01\x02\x05", 5, 522, JR_HELLO_WHOLE, 522 },
        { "whole, and more", "\x16\x03\x03\x00\x01", 5, 9000, JR_HELLO_WHOLE, 6 },
        { "the longest", "\x16\x03\x01\x40\x00", 5, 16389, JR_HELLO_WHOLE, 16389 },
        { "too long", "\x16\x03\x01\x40\x01", 5, 16390, JR_HELLO_NONE, 5 },
        { "empty", "\x16\x03\x01\x00\x00", 5, 5, JR_HELLO_NONE, 5 },
        { "an alert", "\x15", 1, 1, JR_HELLO_NONE, 5 },
        { "SSL 2", "\x80\x2e\x01", 3, 3, JR_HELLO_NONE, 5 },
        { "no version of TLS", "\x16\x02", 2, 2, JR_HELLO_NONE, 5 },
        { "HTTP", "GET /", 5, 18, JR_HELLO_NONE, 5 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        size_t need = 0;
        enum jr_hello got =
            jr_hello_look((const unsigned char *)rows[i].bytes, rows[i].n, rows[i].there, &need);

        if (got != rows[i].want || (got != JR_HELLO_NONE && need != rows[i].need))
            fail_msg("%s: %d, needs %zu", rows[i].name, (int)got, need);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
