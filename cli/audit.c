/* SPDX-License-Identifier: Apache-2.0 */
/* The report of an audit, as text and as JSON, and its exit status. */
#include "cli/audit.h"

#include "common/json/write.h"

int jr_audit_exit_code(const struct jr_policy_audit *a)
{
    bool violating = false, skipped = a->unreadable > 0;

    for (size_t i = 0; i < a->set->n; i++) {
        violating |= a->v[i].violating > 0;
        skipped |= a->v[i].skipped > 0;
    }
    return skipped ? 2 : violating;
}

/* ---- text ---- */

static int name_width(const struct jr_policy_audit *a)
{
    size_t width = sizeof("POLICY") - 1;

    for (size_t i = 0; i < a->set->n; i++)
        width = a->set->v[i]->name.n > width ? a->set->v[i]->name.n : width;
    return (int)width;
}

static void write_line(const struct jr_policy_audit_entry *e, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "  %.*s%s%.*s %.*s/%.*s%s: %s%.*s\n", JR_P(e->where),
                      e->where.n > 0 ? ": " : "", JR_P(e->kind), JR_P(e->namespace), JR_P(e->name),
                      e->finished ? " (finished)" : "", e->skipped ? "skipped: " : "",
                      JR_P(e->message));
}

static void write_lines(const struct jr_policy_audit *a, size_t policy, struct jr_buf *out)
{
    for (const struct jr_policy_audit_entry *e = a->first; e != NULL; e = e->next) {
        if (e->policy == policy)
            write_line(e, out);
    }
}

void jr_audit_write_text(const struct jr_policy_audit *a, size_t objects, struct jr_buf *out)
{
    const int width = name_width(a);

    (void)jr_buf_addf(out, "%-*s  %9s  %9s  %9s  %9s\n", width, "POLICY", "CHECKED", "VIOLATING",
                      "FINISHED", "SKIPPED");
    for (size_t i = 0; i < a->set->n; i++) {
        const struct jr_policy_tally *t = &a->v[i];

        (void)jr_buf_addf(out, "%-*.*s  %9zu  %9zu  %9zu  %9zu\n", width, JR_P(a->set->v[i]->name),
                          t->checked, t->violating, t->finished_violating, t->skipped);
        write_lines(a, i, out);
    }
    (void)jr_buf_addf(out, "%zu Jobs and CronJobs\n", objects);
    if (a->unreadable > 0)
        (void)jr_buf_addf(out, "%zu of them can't be read\n", a->unreadable);
    write_lines(a, JR_POLICY_ALL, out);
}

/* ---- JSON ---- */

/** The violations by a policy, or what is skipped, as an array. */
static void write_entries(const struct jr_policy_audit *a, const char *key, size_t policy,
                          bool skipped, struct jr_writer *w)
{
    jr_w_karray(w, key);
    for (const struct jr_policy_audit_entry *e = a->first; e != NULL; e = e->next) {
        if (e->policy != policy || e->skipped != skipped)
            continue;
        jr_w_object(w);
        jr_w_opt_kstr(w, "where", e->where);
        jr_w_kstr(w, "kind", e->kind);
        jr_w_kstr(w, "namespace", e->namespace);
        jr_w_kstr(w, "name", e->name);
        jr_w_kbool(w, "finished", e->finished);
        jr_w_opt_kstr(w, "rule", e->rule);
        jr_w_kstr(w, "message", e->message);
        jr_w_object_end(w);
    }
    jr_w_array_end(w);
}

static void write_tally(const struct jr_policy_audit *a, size_t i, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "name", a->set->v[i]->name);
    jr_policy_tally_write(&a->v[i], SIZE_MAX, w);
    write_entries(a, "violations", i, false, w);
    write_entries(a, "undecided", i, true, w);
    jr_w_object_end(w);
}

void jr_audit_write_json(const struct jr_policy_audit *a, size_t objects, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_ki64(&w, "objects", (int64_t)objects);
    jr_w_ki64(&w, "unreadable", (int64_t)a->unreadable);
    write_entries(a, "unreadableObjects", JR_POLICY_ALL, true, &w);
    jr_w_karray(&w, "policies");
    for (size_t i = 0; i < a->set->n; i++)
        write_tally(a, i, &w);
    jr_w_array_end(&w);
    jr_w_object_end(&w);
    (void)jr_buf_addc(out, '\n');
}
