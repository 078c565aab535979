/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/policy/audit_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/doc.h"

static void add_policy(struct scene *s, char name, const char *spec)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_warnings warnings = { .arena = &s->arena };
    struct jr_errlist errs;
    JR_BUF text = { 0 };

    jr_buf_init(&text, TEXT_MAX);
    (void)jr_buf_addf(&text, "{\"metadata\":{\"name\":\"%c\",\"generation\":1},\"spec\":{%s}}",
                      name, spec);
    doc = doc_of(jr_buf_str(&text));
    jr_errlist_init(&errs, &s->arena);
    assert_true(s->set.n < POLICIES_MAX);
    assert_int_equal(jr_job_policy_compile(jr_doc_root(doc), s->context.now, &errs, &warnings,
                                           &s->policies[s->set.n]),
                     JR_OK);
    s->set.n++;
}

void scene_init(struct scene *s, const char *const *specs, size_t n)
{
    *s = (struct scene){ .profile = jr_profile_default() };
    jr_arena_init(&s->arena, 0);
    s->set.v = s->policies;
    s->context = (struct jr_policy_context){ .set = &s->set,
                                             .namespace = JR_S("team-a"),
                                             .namespace_known = true,
                                             .controller = JR_S("jobreeve.dev/controller") };
    assert_int_equal(jr_time_parse(JR_S(NOW), &s->context.now), JR_OK);
    for (size_t i = 0; i < n; i++)
        add_policy(s, (char)('a' + i), specs[i]);
    assert_int_equal(jr_policy_audit_init(&s->audit, &s->set, true), JR_OK);
}

void scene_done(struct scene *s)
{
    jr_policy_audit_done(&s->audit);
    for (size_t i = 0; i < s->set.n; i++)
        jr_job_policy_free(s->policies[i]);
    jr_arena_done(&s->arena);
}

struct jr_doc *object_of(const struct subject *o)
{
    const char *pod = "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":["
                      "{\"name\":\"c\",\"image\":\"x:1\"}]}}";
    JR_BUF text = { 0 };

    jr_buf_init(&text, TEXT_MAX);
    if (o->cron_job)
        (void)jr_buf_addf(&text,
                          "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\"%s},\"spec\":{"
                          "\"schedule\":\"0 3 * * *\",\"jobTemplate\":{\"metadata\":{\"labels\":{"
                          "\"in\":\"template\"}},\"spec\":{%s%s}}}}",
                          o->namespace, o->name, o->meta, o->spec, pod);
    else
        (void)jr_buf_addf(&text,
                          "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\"%s},\"spec\":{%s%s}}",
                          o->namespace, o->name, o->meta, o->spec, pod);
    return doc_of(jr_buf_str(&text));
}

void add(struct scene *s, bool cron_job, struct jr_doc *doc, bool excluded)
{
    const struct jr_policy_audited object = {
        .kind = cron_job ? &jr_admission_cron_job : &jr_admission_job,
        .root = jr_doc_root(doc),
        .excluded = excluded,
    };

    assert_int_equal(jr_policy_audit_add(&s->audit, &object, &s->context, &s->profile), JR_OK);
    jr_doc_free(doc);
}

void add_job(struct scene *s, const char *spec)
{
    add(s, false, object_of(&(struct subject){ false, "team-a", "j", "", spec }), false);
}

void want_counts(const struct scene *s, const char *what, size_t i, const size_t *want)
{
    const struct jr_policy_tally *t = &s->audit.v[i];

    if (t->checked != want[0] || t->violating != want[1] || t->skipped != want[2])
        fail_msg("%s: policy %zu: checked %zu, violating %zu, skipped %zu", what, i, t->checked,
                 t->violating, t->skipped);
    assert_int_equal(t->n_worst,
                     t->violating < JR_POLICY_WORST_MAX ? t->violating : JR_POLICY_WORST_MAX);
}

void set_labels(struct scene *s, enum labels labels)
{
    static struct jr_label gpu = { { "pool", 4 }, { "gpu", 3 } };

    s->context.namespace_known = labels != UNKNOWN;
    s->context.namespace_labels =
        labels == GPU ? (struct jr_labels){ &gpu, 1 } : (struct jr_labels){ NULL, 0 };
}
