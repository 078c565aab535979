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

static void add_finding(struct jr_writer *w, const struct jr_finding *f)
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
    jr_w_object_end(w);
}

static void add_object(struct jr_writer *w, const struct jr_checked *o)
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
    if (o->code != 0) {
        jr_w_key(w, "answer");
        jr_w_object(w);
        jr_w_ki64(w, "code", o->code);
        jr_w_kstr(w, "reason", o->reason);
        jr_w_kstr(w, "message", o->message);
        jr_w_object_end(w);
    }
    jr_w_key(w, "findings");
    jr_w_array(w);
    for (size_t i = 0; i < o->n; i++)
        add_finding(w, &o->v[i]);
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
    add_summary(&w, r);
    jr_w_key(&w, "objects");
    jr_w_array(&w);
    for (size_t i = 0; i < r->objects.n; i++)
        add_object(&w, &r->objects.v[i]);
    jr_w_array_end(&w);
    jr_w_key(&w, "unreadable");
    jr_w_array(&w);
    for (size_t i = 0; i < r->unreadable.n; i++)
        add_unreadable(&w, &r->unreadable.v[i]);
    jr_w_array_end(&w);
    jr_w_object_end(&w);
    (void)jr_buf_addc(out, '\n');
}
