/* SPDX-License-Identifier: Apache-2.0 */
/* Notes about fields of a manifest that the API server drops, as a feature gate is off, and about
 * elements that `kubectl apply` merges into one. */
#include "cli/findings.h"
#include "cli/report.h"
#include "common/apply/elements.h"
#include "common/schema/unknown_fields.h"

/** A manifest beside what was made of it. */
struct dropping {
    struct jr_checking *c;
    unsigned minor;
    size_t n; /* notes */
};

/** Returns whether an encoder writes the value whatever the field: zeroes may go without a gate. */
static bool is_set(const struct jr_node *n)
{
    switch (jr_node_kind(n)) {
    case JR_NULL:
    case JR_FALSE:
        return false;
    case JR_STRING:
        return jr_node_str(n).n > 0;
    case JR_NUMBER:
        return jr_node_i64_or(n, 1) != 0;
    case JR_ARRAY:
    case JR_OBJECT:
        return jr_size(n) > 0;
    case JR_TRUE:
        break;
    }
    return true;
}

/** Adds a note. text NULL: no memory. */
static void add_note(struct dropping *d, const struct jr_field_path *path, const char *text)
{
    const struct jr_str field = jr_field_path_text(path, &d->c->report->arena);

    d->n++;
    if (field.p == NULL || text == NULL) {
        jr_report_full(d->c->report);
        return;
    }
    jr_finding_add(d->c, jr_manifest_place(d->c->object, path),
                   (struct jr_finding){
                       .level = JR_LEVEL_NOTE,
                       .type = JR_S("DroppedField"),
                       .field = field,
                       .detail = jr_str(text),
                       .message = jr_str(text),
                       .rule = JR_S("dropped-field"),
                   });
}

static void add_dropped(struct dropping *d, const struct jr_schema_field *f,
                        const struct jr_field_path *path)
{
    add_note(d, path,
             f->gated
                 ? jr_arena_printf(&d->c->report->arena, "is dropped: the feature gate %s is off",
                                   jr_gate_name(f->gate))
                 : "is dropped: a feature gate is off");
}

/** Whether a merge makes one of some of the elements. */
static bool has_equal_keys(const struct jr_schema_field *f, const struct jr_node *list)
{
    JR_ELEMENTS elements = { 0 };
    bool found = false;

    if (!f->merge || f->keys == NULL)
        return false;
    jr_elements_init(&elements, f, list);
    for (const struct jr_node *n = jr_first(list); n != NULL && !found; n = jr_next(n))
        found = jr_elements_find(&elements, n)->node != n;
    return found;
}

static void add_dropped_elements(struct dropping *d, const struct jr_schema_field *f,
                                 const struct jr_node *written, const struct jr_field_path *path)
{
    const struct jr_str key = jr_schema_merge_key(f);

    add_note(d, path,
             has_equal_keys(f, written)
                 ? jr_arena_printf(&d->c->report->arena,
                                   "elements of one %.*s become one in an update, and kubectl may "
                                   "merge them in another order than here",
                                   JR_P(key))
                 : "elements are dropped: a feature gate is off");
}

static void find_dropped(struct dropping *d, const struct jr_schema_type *type,
                         const struct jr_node *written, const struct jr_node *made,
                         const struct jr_field_path *at);

static void find_in_lists(struct dropping *d, const struct jr_schema_field *f,
                          const struct jr_node *written, const struct jr_node *made,
                          const struct jr_field_path *at)
{
    struct jr_field_path element = { .parent = at };
    const struct jr_node *m = jr_first(made);

    if (jr_size(made) < jr_size(written)) {
        add_dropped_elements(d, f, written, at);
        return;
    }
    for (const struct jr_node *w = jr_first(written); w != NULL && m != NULL;
         w = jr_next(w), m = jr_next(m), element.index++)
        find_dropped(d, f->of, w, m, &element);
}

static void find_dropped(struct dropping *d, const struct jr_schema_type *type,
                         const struct jr_node *written, const struct jr_node *made,
                         const struct jr_field_path *at)
{
    if (jr_node_kind(written) != JR_OBJECT)
        return;
    for (const struct jr_node *w = jr_first(written); w != NULL && d->n < JR_STRICT_MAX;
         w = jr_next(w)) {
        const struct jr_schema_field *f = jr_schema_find(type, jr_key(w), NULL);
        const struct jr_field_path here = { .parent = at, .name = jr_key(w) };
        const struct jr_node *m = f == NULL ? NULL : jr_get(made, f->name);

        if (f == NULL || !jr_schema_known(f, d->minor) || jr_unset(w))
            continue;
        if (m == NULL && (f->gated || is_set(w)))
            add_dropped(d, f, &here);
        else if (f->kind == JR_SCHEMA_STRUCT)
            find_dropped(d, f->of, w, m, &here);
        else if (f->kind == JR_SCHEMA_LIST && jr_node_kind(w) == JR_ARRAY)
            find_in_lists(d, f, w, m, &here);
    }
}

void jr_findings_dropped(struct jr_checking *c, const struct jr_schema_type *schema,
                         const struct jr_node *made)
{
    const struct jr_schema_field *spec = jr_schema_find(schema, JR_S("spec"), NULL);
    struct dropping d = { .c = c, .minor = c->profile->version.minor };

    if (spec != NULL)
        find_dropped(&d, spec->of, jr_get(c->object->node, "spec"), jr_get(made, "spec"),
                     &JR_FIELD(NULL, "spec"));
}
