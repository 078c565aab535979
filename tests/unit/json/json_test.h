/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this folder share. */
#ifndef JR_TEST_JSON_H
#define JR_TEST_JSON_H

#include "common/json/doc.h"
#include "tests/unit/base/want.h"

#define MAX_TEXT ((size_t)256 << 20)

/** Parses text, which is right. */
static inline struct jr_doc *must_parse(const char *name, struct jr_str text)
{
    struct jr_reader_opts opts = { .max_depth = JR_READER_DEPTH_MAX };
    struct jr_doc *doc = NULL;
    struct jr_error err = { 0 };

    if (jr_doc_parse(text, &opts, &doc, &err) != JR_OK)
        fail_msg("%s: %.*s: %s", name, JR_P(text), err.msg);
    return doc;
}

static inline void want_status_(const char *name, const char *what, enum jr_status got,
                                enum jr_status want)
{
    if (got != want)
        fail_msg("%s: %s is \"%s\", want \"%s\"", name, what, jr_status_text(got),
                 jr_status_text(want));
}
#define WANT_STATUS(name, got, want) want_status_(name, #got, got, want)

/** node prints as want. */
static inline void want_json(const char *name, const struct jr_node *node, const char *want)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, MAX_TEXT);
    assert_int_equal(jr_node_print(node, &out), JR_OK);
    WANT_VIEW(name, jr_buf_str(&out), jr_str(want));
}

#define DOC JR_CLEANUP(jr_doc_freep) struct jr_doc

#endif
