/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this folder share. */
#ifndef JR_TEST_JOB_H
#define JR_TEST_JOB_H

#include <stdio.h>
#include <stdlib.h>

#include "common/job/defaults.h"
#include "common/job/generate.h"
#include "common/job/prepare.h"
#include "common/job/validate.h"
#include "common/json/patch.h"
#include "common/rules/rules.h"
#include "tests/support/object.h"
#include "tests/unit/base/want.h"

#define DOC JR_CLEANUP(jr_doc_freep) struct jr_doc

/* The smallest Job that is accepted. */
#define SMALL_JOB                                                                                \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\",\"namespace\":" \
    "\"ns\",\"uid\":\"u-1\",\"resourceVersion\":\"7\"},\"spec\":{\"template\":{\"spec\":{"       \
    "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"x:1\"}]}}}}"

/* A merge patch of the spec. */
#define SPEC(s) "{\"spec\":{" s "}}"

static inline struct jr_doc *must_parse(const char *name, const char *text)
{
    struct jr_doc *doc = NULL;
    struct jr_error err = { 0 };

    if (jr_doc_parse(jr_str(text), &JR_READER_STRICT, &doc, &err) != JR_OK)
        fail_msg("%s: %s: %s", name, text, err.msg);
    return doc;
}

/** base with merge patches (may be NULL) applied. */
static inline struct jr_doc *must_patch(const char *name, const char *base, const char *patch,
                                        const char *patch2)
{
    struct jr_doc *doc = must_parse(name, base);
    const char *const patches[] = { patch, patch2 };

    for (size_t i = 0; i < 2; i++) {
        DOC *p = patches[i] == NULL ? NULL : must_parse(name, patches[i]);

        if (p != NULL)
            assert_int_equal(jr_merge_apply(jr_doc_root(doc), jr_doc_root(p)), JR_OK);
    }
    return doc;
}

/** Opens what is of this type, as admission does. */
static inline void must_open(const char *name, const struct jr_schema_type *type,
                             struct jr_doc *doc, struct jr_object *ret)
{
    struct jr_error err = { 0 };

    if (open_tree(type, doc, ret, &err) != JR_OK)
        fail_msg("%s: %s: %s", name, err.path, err.msg);
}

static inline void must_decode(const char *name, struct jr_doc *doc, struct jr_object *ret)
{
    must_open(name, &jr_schema_job, doc, ret);
}

/* A merge patch on the smallest object, and the rules that it breaks, in order. */
struct create_row {
    const char *patch;
    const char *want; /* "rule rule", or "field=rule field=rule" */
};

/** Fails unless these are the rules of the errors; with_fields: and the fields. */
static inline void want_errlist(const char *name, const struct jr_errlist *errs, bool with_fields,
                                const char *want)
{
    JR_BUF have = { 0 };

    jr_buf_init(&have, (size_t)1 << 20);
    for (size_t i = 0; i < errs->n; i++) {
        if (i > 0)
            (void)jr_buf_addc(&have, ' ');
        if (with_fields)
            (void)jr_buf_addf(&have, "%.*s=", JR_P(errs->v[i].field));
        (void)jr_buf_adds(&have, errs->v[i].rule == NULL ? "?" : errs->v[i].rule);
    }
    assert_int_equal(errs->failed, JR_OK);
    WANT_STR(name, have.p == NULL ? "" : have.p, want);
}

static inline void want_json(const char *name, const struct jr_node *have, const char *want)
{
    DOC *w = must_parse(name, want);
    JR_BUF b = { 0 };

    if (jr_node_equal(have, jr_doc_root(w)))
        return;
    jr_buf_init(&b, (size_t)1 << 24);
    assert_int_equal(jr_node_print(have, &b), JR_OK);
    fail_msg("%s: have\n  %s, want\n  %s", name, b.p, want);
}

/** The patch that makes once of before does so, which changes before; one that makes twice of once
 * is empty. */
static inline void want_patches(const char *name, struct jr_doc *before, struct jr_doc *once,
                                struct jr_doc *twice)
{
    DOC *patch = NULL;
    JR_BUF first = { 0 }, second = { 0 };
    struct jr_error err = { 0 };

    jr_buf_init(&first, (size_t)1 << 24);
    jr_buf_init(&second, (size_t)1 << 24);
    assert_int_equal(jr_patch_diff(jr_doc_root(once), jr_doc_root(twice), &second), JR_OK);
    WANT_STR(name, second.p, "[]");
    assert_int_equal(jr_patch_diff(jr_doc_root(before), jr_doc_root(once), &first), JR_OK);
    if (jr_doc_parse(jr_buf_str(&first), &JR_READER_STRICT, &patch, &err) != JR_OK ||
        jr_patch_apply(before, jr_doc_root(patch), &err) != JR_OK)
        fail_msg("%s: %s: %s", name, err.msg, first.p);
    if (!jr_node_equal(jr_doc_root(before), jr_doc_root(once)))
        fail_msg("%s: the patch applied is not the Job mutated: %s", name, first.p);
}

#endif
