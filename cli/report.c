/* SPDX-License-Identifier: Apache-2.0 */
/* What check has found, while it grows. */
#include "cli/report.h"

#include "common/base/memory.h"

void jr_report_init(struct jr_report *r, size_t max_bytes)
{
    *r = (struct jr_report){ .command = "jobreeve check", .failed = JR_OK };
    jr_arena_init(&r->arena, max_bytes);
}

void jr_report_done(struct jr_report *r)
{
    jr_arena_done(&r->arena);
}

void jr_report_full(struct jr_report *r)
{
    /* The arena doesn't tell why it gives nothing; its bound is nowhere near what a machine has. */
    if (r->arena.limit == 0 || r->arena.used < r->arena.limit / 4)
        jr_out_of_memory();
    r->failed = JR_LIMIT;
}

struct jr_str jr_report_keep(struct jr_report *r, struct jr_str s)
{
    struct jr_str copy = { NULL, 0 };

    if (s.p != NULL && r->failed == JR_OK && !jr_arena_str(&r->arena, s, &copy))
        jr_report_full(r);
    return copy;
}

/** The list with room for one more. NULL without room. */
static void *grow_list(struct jr_report *r, void *v, size_t n, size_t *cap, size_t size)
{
    void *bigger = r->failed != JR_OK ? NULL : jr_arena_room(&r->arena, v, n, cap, size);

    if (r->failed == JR_OK && bigger == NULL)
        jr_report_full(r);
    return bigger;
}

struct jr_checked *jr_report_object(struct jr_report *r, const struct jr_checked *like)
{
    struct jr_checked *v =
        grow_list(r, r->objects.v, r->objects.n, &r->objects.cap, sizeof(*r->objects.v));
    struct jr_checked *o;

    if (v == NULL)
        return NULL;
    r->objects.v = v;
    o = &v[r->objects.n];
    *o = *like;
    o->file = jr_report_keep(r, like->file);
    o->path = jr_report_keep(r, like->path);
    o->api_version = jr_report_keep(r, like->api_version);
    o->kind = jr_report_keep(r, like->kind);
    o->namespace = jr_report_keep(r, like->namespace);
    o->name = jr_report_keep(r, like->name);
    o->generate_name = jr_report_keep(r, like->generate_name);
    if (r->failed != JR_OK)
        return NULL;
    r->objects.n++;
    return o;
}

void jr_report_find(struct jr_report *r, const struct jr_finding *f)
{
    struct jr_checked *o = r->objects.n == 0 ? NULL : &r->objects.v[r->objects.n - 1];
    struct jr_finding *v = o == NULL ? NULL : grow_list(r, o->v, o->n, &o->cap, sizeof(*o->v));

    if (v == NULL)
        return;
    o->v = v;
    o->v[o->n++] = *f;
    r->errors += f->level == JR_LEVEL_ERROR;
    r->warnings += f->level == JR_LEVEL_WARNING;
}

void jr_report_answer(struct jr_report *r, const struct jr_answer *answer)
{
    struct jr_checked *o = &r->objects.v[r->objects.n - 1];
    struct jr_answer *v = o->answers.v;

    for (size_t i = 0; i < o->answers.n; i++) {
        if (v[i].code == answer->code && jr_str_eq(v[i].message, answer->message)) {
            v[i].versions |= answer->versions;
            return;
        }
    }
    v = grow_list(r, v, o->answers.n, &o->answers.cap, sizeof(*v));
    if (v == NULL)
        return;
    o->answers.v = v;
    v[o->answers.n++] = *answer;
}

void jr_report_unreadable(struct jr_report *r, struct jr_str file, unsigned line, unsigned column,
                          struct jr_str message)
{
    struct jr_unreadable *v = grow_list(r, r->unreadable.v, r->unreadable.n, &r->unreadable.cap,
                                        sizeof(*r->unreadable.v));

    if (v == NULL)
        return;
    r->unreadable.v = v;
    v[r->unreadable.n++] = (struct jr_unreadable){
        .file = jr_report_keep(r, file),
        .line = line,
        .column = column,
        .message = jr_report_keep(r, message),
    };
}

bool jr_finding_says_field(const struct jr_finding *f)
{
    const size_t n = f->field.n;

    return n == 0 || jr_str_is(f->type, JR_POLICY_VIOLATION) ||
           (jr_str_starts(f->message, f->field) && f->message.n > n + 1 && f->message.p[n] == ':' &&
            f->message.p[n + 1] == ' ');
}

void jr_finding_write_versions(const struct jr_finding *f, struct jr_buf *out)
{
    if (f->only.n > 0)
        (void)jr_buf_addf(out, "%s %.*s: ", f->refuses ? "would be refused by" : "in",
                          JR_P(f->only));
}

void jr_finding_write(const struct jr_finding *f, struct jr_buf *out)
{
    jr_finding_write_versions(f, out);
    if (!jr_finding_says_field(f)) {
        (void)jr_buf_add(out, f->field);
        (void)jr_buf_adds(out, ": ");
    }
    (void)jr_buf_add(out, f->message);
    if (f->hint.n > 0)
        (void)jr_buf_addf(out, " (%.*s)", JR_P(f->hint));
    (void)jr_need(out->failed);
}

const char *jr_level_name(enum jr_level level)
{
    static const char *const names[] = {
        [JR_LEVEL_ERROR] = "error", [JR_LEVEL_WARNING] = "warning", [JR_LEVEL_NOTE] = "note"
    };

    return names[level];
}

int jr_report_exit_code(const struct jr_report *r)
{
    if (r->unreadable.n > 0 || r->failed != JR_OK)
        return 2;
    return r->errors > 0;
}
