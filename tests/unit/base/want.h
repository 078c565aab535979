/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions for table tests: what fails says which row it was, and shows both values. */
#ifndef JR_TEST_BASE_WANT_H
#define JR_TEST_BASE_WANT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/str.h"

static inline void want_int_(const char *name, const char *what, long long got, long long want)
{
    if (got != want)
        fail_msg("%s: %s is %lld, want %lld", name, what, got, want);
}

static inline void want_str_(const char *name, const char *what, const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        fail_msg("%s: %s is\n  \"%s\", want\n  \"%s\"", name, what, got, want);
}

static inline void want_view_(const char *name, const char *what, struct jr_str got,
                              struct jr_str want)
{
    if (!jr_str_eq(got, want))
        fail_msg("%s: %s is\n  \"%.*s\", want\n  \"%.*s\"", name, what, JR_P(got), JR_P(want));
}

#define WANT_INT(name, got, want) want_int_(name, #got, (long long)(got), (long long)(want))
#define WANT_STR(name, got, want) want_str_(name, #got, got, want)
#define WANT_VIEW(name, got, want) want_view_(name, #got, got, want)

#endif
