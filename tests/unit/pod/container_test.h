/* SPDX-License-Identifier: Apache-2.0 */
/* Runs tables of PodSpecs and of what is wrong with them. */
#ifndef JR_TEST_POD_CONTAINER_H
#define JR_TEST_POD_CONTAINER_H

#include "tests/unit/pod/pod_test.h"

#define CONTAINERS(x) "\"containers\":[{\"name\":\"c\",\"image\":\"x\"," x "}]"
#define CONTAINER(x) "{" CONTAINERS(x) "}"
#define INIT(x) "{\"initContainers\":[{\"name\":\"i\",\"image\":\"x\"," x "}]}"

struct row {
    const char *patch; /* merge patch on the PodSpec below */
    const char
        *want; /* "field: message\n" of each error, without template.spec; objects as {...} */
};

/* What is the same on every cluster of 1.36. */
static const struct jr_pod_opts defaults = { .env_files = true,
                                             .container_restart_rules = true,
                                             .restart_all_containers = true };

/** A template with the patch applied to its small, valid PodSpec, and with the defaults. */
static inline struct jr_doc *spec_template_of(const char *patch)
{
    struct jr_doc *doc = must_parse_json(
        "{\"spec\":{\"restartPolicy\":\"Never\",\"volumes\":[{\"name\":\"v\","
        "\"emptyDir\":{}},{\"name\":\"b\",\"persistentVolumeClaim\":{\"claimName\":\"c\""
        "}},{\"name\":\"m\",\"configMap\":{\"name\":\"m\"}}],\"containers\":[{\"name\":"
        "\"c\",\"image\":\"x\"}]}}");
    DOC *p = must_parse_json(patch);
    struct jr_node *spec = jr_get(jr_doc_root(doc), "spec");
    const struct jr_profile profile = jr_profile_default();

    assert_int_equal(jr_merge_apply(spec, jr_doc_root(p)), JR_OK);
    assert_int_equal(jr_pod_spec_default(spec, &profile, NULL, NULL), JR_OK);
    return doc;
}

static inline void run_row(const struct row *r, const struct jr_pod_opts *opts)
{
    DOC *doc = spec_template_of(r->patch);
    JR_ARENA arena = { 0 };
    JR_BUF have = { 0 };
    struct jr_errlist errs;

    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    jr_buf_init(&have, (size_t)1 << 20);
    jr_pod_template_validate(jr_doc_root(doc), opts, &JR_FIELD(NULL, "template"), &errs);
    assert_int_equal(errs.failed, JR_OK);
    for (size_t i = 0; i < errs.n; i++) {
        if (strcmp(errs.v[i].rule, "ephemeral-containers") == 0)
            continue; /* said of every template that has some */
        write_error(&errs.v[i], JR_S("template.spec."), &have);
    }
    WANT_STR(r->patch, have.p == NULL ? "" : have.p, r->want);
}

static inline void run_rows(const struct row *rows, size_t n, const struct jr_pod_opts *opts)
{
    for (size_t i = 0; i < n; i++)
        run_row(&rows[i], opts);
}

#endif
