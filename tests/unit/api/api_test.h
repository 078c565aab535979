/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this folder share. */
#ifndef JR_TEST_API_H
#define JR_TEST_API_H

#include <stdio.h>
#include <stdlib.h>

#include "common/json/doc.h"
#include "tests/unit/base/want.h"

#define DOC JR_CLEANUP(jr_doc_freep) struct jr_doc
#define WIRE "tests/vectors/wire/"

/** A whole file (tests run in the root of the repository); the caller ends the buffer. */
static inline void must_read(const char *path, struct jr_buf *out)
{
    FILE *f = fopen(path, "rbe");
    char chunk[16384];
    size_t n;

    if (f == NULL)
        fail_msg("cannot open %s", path);
    jr_buf_init(out, (size_t)16 << 20);
    while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
        assert_int_equal(jr_buf_add(out, (struct jr_str){ chunk, n }), JR_OK);
    assert_int_equal(fclose(f), 0);
}

static inline struct jr_doc *must_parse(const char *name, struct jr_str text)
{
    struct jr_doc *doc = NULL;
    struct jr_error err = { 0 };

    if (jr_doc_parse(text, &JR_READER_STRICT, &doc, &err) != JR_OK)
        fail_msg("%s: %s: %.*s", name, err.msg, JR_P(text));
    return doc;
}

static inline void must_print(const struct jr_node *node, struct jr_buf *out)
{
    jr_buf_init(out, (size_t)16 << 20);
    assert_int_equal(jr_node_print(node, out), JR_OK);
}

/** Both are the same JSON value. */
static inline void want_json(const char *name, struct jr_str have, struct jr_str want)
{
    DOC *h = must_parse(name, have);
    DOC *w = must_parse(name, want);

    if (!jr_node_equal(jr_doc_root(h), jr_doc_root(w)))
        fail_msg("%s: have\n  %.*s, want\n  %.*s", name, JR_P(have), JR_P(want));
}

/** An error of this kind, at this path. */
static inline void want_error(const char *name, enum jr_status have, const struct jr_error *err,
                              enum jr_status want, const char *path)
{
    if (have != want)
        fail_msg("%s: \"%s\" (%s: %s), want \"%s\"", name, jr_status_text(have), err->path,
                 err->msg, jr_status_text(want));
    WANT_STR(name, err->path, path);
}

#endif
