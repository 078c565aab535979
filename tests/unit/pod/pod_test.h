/* SPDX-License-Identifier: Apache-2.0 */
/* Pod templates in tables, as JSON with ' for ". */
#ifndef JR_TEST_POD_H
#define JR_TEST_POD_H

#include <stdio.h>

#include "common/json/patch.h"
#include "common/pod/defaults.h"
#include "common/pod/prepare.h"
#include "common/pod/validate.h"
#include "tests/unit/base/want.h"
#include "tests/unit/pod/name_rules.h"

#define DOC JR_CLEANUP(jr_doc_freep) struct jr_doc

static inline struct jr_doc *must_parse_json(const char *text)
{
    struct jr_doc *doc = NULL;
    struct jr_error err = { 0 };

    if (jr_doc_parse(jr_str(text), &JR_READER_STRICT, &doc, &err) != JR_OK)
        fail_msg("%s: %s", text, err.msg);
    return doc;
}

/** Takes JSON with ' for ". */
static inline struct jr_doc *must_parse(const char *loose)
{
    struct jr_doc *doc;
    char *text = jr_str_dup(jr_str(loose));

    assert_non_null(text);
    for (char *p = text; *p != '\0'; p++) {
        if (*p == '\'')
            *p = '"';
    }
    doc = must_parse_json(text);
    free(text);
    return doc;
}

/** A small valid template with the merge patch applied, and with the defaults. */
static inline struct jr_doc *template_of(const char *patch)
{
    struct jr_doc *doc = must_parse("{'spec':{'restartPolicy':'Never','containers':"
                                    "[{'name':'c','image':'x'}]}}");
    DOC *p = must_parse(patch);
    const struct jr_profile profile = jr_profile_default();

    assert_int_equal(jr_merge_apply(jr_doc_root(doc), jr_doc_root(p)), JR_OK);
    assert_int_equal(jr_pod_spec_default(jr_get(jr_doc_root(doc), "spec"), &profile, NULL, NULL),
                     JR_OK);
    return doc;
}

/** "NAME NAME=off": of a feature gate, on unless it says otherwise. */
static inline struct jr_profile profile_of(const char *gates)
{
    struct jr_profile p = jr_profile_default();
    struct jr_str rest = jr_str(gates), one;

    while (jr_str_cut(&rest, ' ', &one)) {
        bool off = jr_str_ends(one, JR_S("=off"));

        if (off)
            one.n -= strlen("=off");
        assert_int_equal(jr_profile_set(&p, one, !off, false, NULL), JR_OK);
    }
    return p;
}

/** Appends "field: message\n", with the field without what it is below, and objects as {...}. */
static inline void write_error(const struct jr_field_error *e, struct jr_str below,
                               struct jr_buf *out)
{
    struct jr_field_error shown = *e;

    if (jr_str_starts(shown.value, JR_S("{")))
        shown.value = JR_S("{...}");
    (void)jr_buf_add(out, jr_str_from(shown.field, below.n));
    (void)jr_buf_adds(out, ": ");
    assert_int_equal(jr_field_error_write(&shown, out), JR_OK);
    (void)jr_buf_addc(out, '\n');
}

/** What is wrong with the patched template; old is NULL on create. */
static inline void want_errors_by(const char *patch, const char *old,
                                  const struct jr_profile *profile, const char *want)
{
    DOC *doc = template_of(patch);
    DOC *was = old == NULL ? NULL : template_of(old);
    struct jr_node *before = old == NULL ? NULL : jr_doc_root(was);
    JR_ARENA arena = { 0 };
    JR_BUF have = { 0 };
    struct jr_errlist errs;
    struct jr_pod_opts opts;

    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    errs.version = profile->version;
    jr_buf_init(&have, (size_t)1 << 20);
    assert_int_equal(jr_pod_template_prepare(jr_doc_root(doc), before, profile), JR_OK);
    opts = jr_pod_opts_of(jr_doc_root(doc), before, profile);
    jr_pod_template_validate(jr_doc_root(doc), &opts, &JR_FIELD(NULL, "template"), &errs);
    assert_int_equal(errs.failed, JR_OK);
    for (size_t i = 0; i < errs.n; i++)
        write_error(&errs.v[i], JR_S("template."), &have);
    WANT_STR(patch, have.p == NULL ? "" : have.p, want);
}

/** The same by Kubernetes 1.36.0, with these gates. */
static inline void want_errors(const char *patch, const char *old, const char *gates,
                               const char *want)
{
    const struct jr_profile profile = profile_of(gates);

    want_errors_by(patch, old, &profile, want);
}

#endif
