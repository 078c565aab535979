/* SPDX-License-Identifier: Apache-2.0 */
/* Applies tables of defaults, and writes the log of defaulting. */
#include "common/rules/default_table.h"

/* ---- the log ---- */

#define REST_MAX 32 /* of "...=N" */

void jr_defaulting_log_init(struct jr_defaulting_log *log, size_t max)
{
    *log = (struct jr_defaulting_log){ .max = max };
    jr_buf_init(&log->text, max);
}

void jr_defaulting_log_done(struct jr_defaulting_log *log)
{
    jr_buf_done(&log->text);
}

/** Whether the entry found room; else the text is as it was. */
static bool add_entry(struct jr_defaulting_log *log, const struct jr_field_path *path,
                      const char *id)
{
    const size_t before = log->text.n;

    (void)jr_buf_adds(&log->text, before > 0 ? "," : "");
    if (jr_field_path_write(path, &log->text) == JR_OK)
        (void)jr_buf_addf(&log->text, "=%s", id);
    if (log->text.failed == JR_NOMEM ||
        (log->text.failed == JR_OK && log->text.n + REST_MAX <= log->max))
        return true;
    log->text.failed = JR_OK;
    log->text.n = before;
    if (log->text.p != NULL)
        log->text.p[before] = '\0';
    return false;
}

void jr_defaulting_note(struct jr_defaulting_log *log, const struct jr_field_path *path,
                        const char *name, const char *id)
{
    const struct jr_field_path member = JR_FIELD(path, name);

    if (log == NULL)
        return;
    if (log->omitted > 0 || !add_entry(log, name == NULL ? path : &member, id))
        log->omitted++;
}

enum jr_status jr_defaulting_log_text(struct jr_defaulting_log *log, struct jr_str *ret)
{
    if (log->omitted > 0)
        (void)jr_buf_addf(&log->text, "%s...=%zu", log->text.n > 0 ? "," : "", log->omitted);
    if (log->text.failed == JR_OK)
        *ret = jr_buf_str(&log->text);
    return log->text.failed;
}

/* ---- the tables ---- */

/** One row at work. */
struct at {
    const struct jr_default_row *row;
    const struct jr_profile *profile;
    const struct jr_field_path *path; /* of the object */
    struct jr_defaulting_log *log;
};

static enum jr_status noted(const struct at *at, enum jr_status st)
{
    if (st == JR_OK)
        jr_defaulting_note(at->log, at->path, at->row->name, at->row->id);
    return st;
}

static enum jr_status set_text(const struct at *at, struct jr_node *object,
                               const struct jr_node *have)
{
    bool empty = jr_node_kind(have) == JR_STRING && jr_node_str(have).n == 0;

    if (!jr_unset(have) && (at->row->how != JR_DEFAULT_TEXT || !empty))
        return JR_OK;
    return noted(at, jr_set_str(object, at->row->name, jr_str(at->row->text)));
}

static enum jr_status set_int(const struct at *at, struct jr_node *object,
                              const struct jr_node *have)
{
    bool zero = jr_node_kind(have) == JR_NUMBER && jr_node_i64_or(have, 1) == 0;

    if (!jr_unset(have) && (at->row->how != JR_DEFAULT_INT || !zero))
        return JR_OK;
    return noted(at, jr_set_i64(object, at->row->name, at->row->number));
}

/** A null among structs is an empty one in Go. */
static enum jr_status make_object(struct jr_node *element)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *empty = NULL;
    enum jr_status st = jr_doc_new(&empty);

    return st == JR_OK ? jr_node_assign(element, jr_doc_root_const(empty)) : st;
}

static enum jr_status apply_each(const struct at *at, struct jr_node *array)
{
    const struct jr_field_path path = JR_FIELD(at->path, at->row->name);
    enum jr_status st = JR_OK;
    size_t i = 0;

    if (jr_node_kind(array) != JR_ARRAY)
        return JR_OK;
    for (struct jr_node *c = jr_first(array); c != NULL && st == JR_OK; c = jr_next(c), i++) {
        const struct jr_field_path element = JR_FIELD_AT(&path, i);

        if (jr_node_kind(c) == JR_NULL) {
            st = make_object(c);
            jr_defaulting_note(at->log, &element, NULL, "default-null-element");
        }
        if (st == JR_OK)
            st = jr_defaults_apply(at->row->table, c, at->profile, &element, at->log);
    }
    return st;
}

static enum jr_status apply_row(const struct at *at, struct jr_node *object)
{
    const struct jr_default_row *d = at->row;
    struct jr_node *have = d->name == NULL ? NULL : jr_get(object, d->name);

    switch (d->how) {
    case JR_DEFAULT_TEXT:
    case JR_DEFAULT_TEXT_UNSET:
        return set_text(at, object, have);
    case JR_DEFAULT_INT:
    case JR_DEFAULT_INT_UNSET:
        return set_int(at, object, have);
    case JR_DEFAULT_FALSE:
        return jr_unset(have) ? noted(at, jr_set_bool(object, d->name, false)) : JR_OK;
    case JR_DEFAULT_OBJECT:
        return jr_unset(have) ? noted(at, jr_set_object(object, d->name, NULL)) : JR_OK;
    case JR_DEFAULT_IN:
        return jr_defaults_apply(d->table, have, at->profile, &JR_FIELD(at->path, d->name),
                                 at->log);
    case JR_DEFAULT_EACH:
        return apply_each(at, have);
    case JR_DEFAULT_CALL:
        return d->fn(object, d, at->path, at->log);
    }
    return JR_OK;
}

static bool is_known(const struct jr_default_row *d, const struct jr_profile *profile)
{
    return !(d->gated && !profile->gates[d->gate]) &&
           !(d->changed && !jr_kube_has(profile->version, d->change));
}

enum jr_status jr_defaults_apply(const struct jr_default_row *table, struct jr_node *object,
                                 const struct jr_profile *profile, const struct jr_field_path *path,
                                 struct jr_defaulting_log *log)
{
    struct at at = { table, profile, path, log };
    enum jr_status st = JR_OK;

    if (jr_node_kind(object) != JR_OBJECT)
        return JR_OK;
    for (; (at.row->name != NULL || at.row->fn != NULL) && st == JR_OK; at.row++)
        st = is_known(at.row, profile) ? apply_row(&at, object) : JR_OK;
    return st;
}
