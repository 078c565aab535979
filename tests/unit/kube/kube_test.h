/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of common/kube share. */
#ifndef JR_UNIT_KUBE_TEST_H
#define JR_UNIT_KUBE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/base/buf.h"

/** Fails with both texts where they differ. */
#define assert_str(got, want) assert_str_at(got, want, __FILE__, __LINE__)
static inline void assert_str_at(struct jr_str got, const char *want, const char *file, int line)
{
    if (got.p == NULL ? want[0] != '\0' : !jr_str_is(got, want)) {
        print_error("got  \"%.*s\"\nwant \"%s\"\n", JR_P(got), want);
        _fail(file, line);
    }
}

/** Fails with the whole text where it does not contain part. */
#define assert_has(text, part) assert_has_at(text, part, __FILE__, __LINE__)
static inline void assert_has_at(const char *text, const char *part, const char *file, int line)
{
    if (strstr(text, part) == NULL) {
        print_error("\"%s\"\nhas no \"%s\"\n", text, part);
        _fail(file, line);
    }
}

/** Sets an environment variable; NULL: unsets it. */
static inline void set_env(const char *name, const char *value)
{
    if (value == NULL)
        assert_int_equal(unsetenv(name), 0); /* NOLINT(concurrency-mt-unsafe): no threads yet */
    else
        assert_int_equal(setenv(name, value, 1), 0); /* NOLINT(concurrency-mt-unsafe) */
}

/** Fails with the error's words. */
#define assert_ok(st, err) assert_ok_at(st, err, __FILE__, __LINE__)
static inline void assert_ok_at(enum jr_status st, const struct jr_error *err, const char *file,
                                int line)
{
    char text[1024];

    if (st != JR_OK) {
        print_error("%s: %s\n", jr_status_text(st),
                    err == NULL ? "" : jr_error_text(err, text, sizeof(text)));
        _fail(file, line);
    }
}

/** A file of tests/vectors/wire, whole; the caller ends the buffer. */
static inline void read_vector(const char *name, struct jr_buf *out)
{
    char path[256];
    char part[4096];
    size_t n;
    FILE *f;

    (void)snprintf(path, sizeof(path), "tests/vectors/wire/%s", name);
    f = fopen(path, "re");
    if (f == NULL)
        fail_msg("%s is missing (run from the root of the repository)", path);
    jr_buf_init(out, (size_t)16 << 20);
    while ((n = fread(part, 1, sizeof(part), f)) > 0)
        assert_int_equal(jr_buf_add(out, (struct jr_str){ part, n }), JR_OK);
    (void)fclose(f);
}

#endif
