/* SPDX-License-Identifier: Apache-2.0 */
/* The report of an audit, as text and as JSON, and its exit status. */
#include "cli/audit.h"

#include "common/json/write.h"

int jr_audit_exit_code(const struct jr_policy_audit *a)
{
    int code = 0;

    for (size_t i = 0; i < a->set->n; i++)
        code |= a->v[i].violating > 0;
    return a->unreadable > 0 ? 2 : code;
}

static int name_width(const struct jr_policy_audit *a)
{
    size_t width = sizeof("POLICY") - 1;

    for (size_t i = 0; i < a->set->n; i++)
        width = a->set->v[i]->name.n > width ? a->set->v[i]->name.n : width;
    return (int)width;
}

void jr_audit_write_text(const struct jr_policy_audit *a, size_t objects, struct jr_buf *out)
{
    const int width = name_width(a);

    (void)jr_buf_addf(out, "%-*s  %9s  %9s  %9s\n", width, "POLICY", "CHECKED", "VIOLATING",
                      "SKIPPED");
    for (size_t i = 0; i < a->set->n; i++) {
        const struct jr_policy_tally *t = &a->v[i];

        (void)jr_buf_addf(out, "%-*.*s  %9zu  %9zu  %9zu\n", width, JR_P(a->set->v[i]->name),
                          t->checked, t->violating, t->skipped);
        for (size_t k = 0; k < t->n_worst; k++) {
            const struct jr_policy_worst *w = t->worst[k];

            (void)jr_buf_addf(out, "  %.*s %.*s%s%.*s: %.*s\n", JR_P(w->kind), JR_P(w->namespace),
                              w->namespace.n > 0 ? "/" : "", JR_P(w->name), JR_P(w->message));
        }
        if (t->violating > t->n_worst)
            (void)jr_buf_addf(out, "  and %zu more\n", t->violating - t->n_worst);
    }
    (void)jr_buf_addf(out, "%zu Jobs and CronJobs\n", objects);
    if (a->unreadable > 0)
        (void)jr_buf_addf(out, "%zu of them can't be read\n", a->unreadable);
}

static void write_tally(const struct jr_policy_audit *a, size_t i, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "name", a->set->v[i]->name);
    jr_policy_tally_write(&a->v[i], SIZE_MAX, w);
    jr_w_object_end(w);
}

void jr_audit_write_json(const struct jr_policy_audit *a, size_t objects, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_ki64(&w, "objects", (int64_t)objects);
    jr_w_ki64(&w, "unreadable", (int64_t)a->unreadable);
    jr_w_karray(&w, "policies");
    for (size_t i = 0; i < a->set->n; i++)
        write_tally(a, i, &w);
    jr_w_array_end(&w);
    jr_w_object_end(&w);
    (void)jr_buf_addc(out, '\n');
}
