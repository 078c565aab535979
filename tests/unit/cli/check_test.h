/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of check share: a text in, a report and its output out. */
#ifndef JR_TESTS_CHECK_TEST_H
#define JR_TESTS_CHECK_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/check.h"
#include "cli/output.h"

#define REPORT JR_CLEANUP(jr_report_done) struct jr_report

/** The report on a text that came from "f"; by 1.36.0 unless the options name versions. */
static inline void check_text(struct jr_report *r, const char *text,
                              struct jr_check_options options)
{
    if (options.profiles.n == 0)
        options.profiles = jr_cli_profiles_of_one(jr_profile_default());
    jr_report_init(r, (size_t)64 << 20);
    jr_check_text(r, JR_S("f"), jr_str(text), &options);
    assert_int_equal(r->failed, JR_OK);
}

/** The report in a format; text without colors and sources. */
static inline struct jr_buf written(const struct jr_report *r, enum jr_output_format format)
{
    const struct jr_output_style style = { .color = false };
    struct jr_buf out;

    jr_buf_init(&out, (size_t)64 << 20);
    assert_int_equal(jr_output_write(r, format, &style, &out), JR_OK);
    return out;
}

#endif
