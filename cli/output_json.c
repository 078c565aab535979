/* SPDX-License-Identifier: Apache-2.0 */
/* A report as JSON. */
#include "cli/output.h"
#include "common/json/write.h"

/* Raised when a member changes its meaning or goes. */
#define FORMAT_VERSION 1

static void add_position(struct jr_writer *w, unsigned line, unsigned column)
{
    if (line == 0)
        return;
    jr_w_ki64(w, "line", line);
    jr_w_ki64(w, "column", column);
}

/** Some of the versions that were asked. */
static void add_versions(struct jr_writer *w, const struct jr_report *r, unsigned which)
{
    jr_w_key(w, "kubernetesVersions");
    jr_output_json_versions(w, &r->versions, which);
}

static void add_finding(struct jr_writer *w, const struct jr_report *r, const struct jr_finding *f)
{
    jr_w_object(w);
    jr_w_kstr(w, "level", jr_str(jr_level_name(f->level)));
    add_position(w, f->line, f->column);
    jr_w_kstr(w, "type", f->type);
    jr_w_kstr(w, "field", f->field);
    if (f->value.p != NULL)
        jr_w_kstr(w, "value", f->value);
    jr_w_kstr(w, "detail", f->detail);
    jr_w_kstr(w, "message", f->message);
    jr_w_kstr(w, "rule", f->rule);
    jr_w_opt_kstr(w, "hint", f->hint);
    if (f->only.n > 0)
        add_versions(w, r, f->versions);
    jr_w_object_end(w);
}

/** With code, reason and message; `some`: which versions answer so. */
static void add_answer(struct jr_writer *w, const struct jr_report *r,
                       const struct jr_answer *answer, bool some)
{
    jr_w_object(w);
    jr_w_ki64(w, "code", answer->code);
    jr_w_kstr(w, "reason", answer->reason);
    jr_w_kstr(w, "message", answer->message);
    if (some)
        add_versions(w, r, answer->versions);
    jr_w_object_end(w);
}

/** One answer, if all versions have the same one; else a list. */
static void add_answers(struct jr_writer *w, const struct jr_report *r, const struct jr_checked *o)
{
    const struct jr_answer *v = o->answers.v;

    if (o->answers.n == 0)
        return;
    if (v[0].versions == jr_versions_all(&r->versions)) {
        jr_w_key(w, "answer");
        add_answer(w, r, v, false);
        return;
    }
    jr_w_key(w, "answers");
    jr_w_array(w);
    for (size_t i = 0; i < o->answers.n; i++)
        add_answer(w, r, &v[i], true);
    jr_w_array_end(w);
}

static void add_object(struct jr_writer *w, const struct jr_report *r, const struct jr_checked *o)
{
    jr_w_object(w);
    jr_w_kstr(w, "file", o->file);
    jr_w_ki64(w, "document", (int64_t)o->document);
    jr_w_opt_kstr(w, "path", o->path);
    add_position(w, o->line, o->column);
    jr_w_kstr(w, "apiVersion", o->api_version);
    jr_w_kstr(w, "kind", o->kind);
    jr_w_kstr(w, "namespace", o->namespace);
    jr_w_kstr(w, "name", o->name);
    jr_w_opt_kstr(w, "generateName", o->generate_name);
    jr_w_kstr(w, "operation", jr_str(o->operation));
    add_answers(w, r, o);
    jr_w_key(w, "findings");
    jr_w_array(w);
    for (size_t i = 0; i < o->n; i++)
        add_finding(w, r, &o->v[i]);
    jr_w_array_end(w);
    jr_w_object_end(w);
}

static void add_unreadable(struct jr_writer *w, const struct jr_unreadable *u)
{
    jr_w_object(w);
    jr_w_kstr(w, "file", u->file);
    add_position(w, u->line, u->column);
    jr_w_kstr(w, "message", u->message);
    jr_w_object_end(w);
}

static void add_summary(struct jr_writer *w, const struct jr_report *r)
{
    jr_w_key(w, "summary");
    jr_w_object(w);
    jr_w_ki64(w, "files", (int64_t)r->files);
    jr_w_ki64(w, "objects", (int64_t)r->objects.n);
    jr_w_ki64(w, "others", (int64_t)r->others);
    jr_w_ki64(w, "policiesNotEvaluated", (int64_t)r->not_evaluated);
    jr_w_ki64(w, "excepted", (int64_t)r->excepted);
    jr_w_ki64(w, "unmatched", (int64_t)r->unmatched);
    jr_w_ki64(w, "errors", (int64_t)r->errors);
    jr_w_ki64(w, "warnings", (int64_t)r->warnings);
    jr_w_ki64(w, "unreadable", (int64_t)r->unreadable.n);
    jr_w_object_end(w);
}

void jr_output_json(const struct jr_report *r, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_ki64(&w, "version", FORMAT_VERSION);
    add_versions(&w, r, jr_versions_all(&r->versions));
    add_summary(&w, r);
    jr_w_key(&w, "objects");
    jr_w_array(&w);
    for (size_t i = 0; i < r->objects.n; i++)
        add_object(&w, r, &r->objects.v[i]);
    jr_w_array_end(&w);
    jr_w_key(&w, "unreadable");
    jr_w_array(&w);
    for (size_t i = 0; i < r->unreadable.n; i++)
        add_unreadable(&w, &r->unreadable.v[i]);
    jr_w_array_end(&w);
    jr_w_object_end(&w);
    (void)jr_buf_addc(out, '\n');
}
