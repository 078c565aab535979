/* SPDX-License-Identifier: Apache-2.0 */
/* Notes about fields of a manifest that the API server drops, as a feature gate is off. */
#include "cli/findings.h"
#include "cli/report.h"
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

/** f NULL: elements of the list at path. */
static void add_dropped(struct dropping *d, const struct jr_schema_field *f,
                        const struct jr_field_path *path)
{
    struct jr_arena *arena = &d->c->report->arena;
    const struct jr_str field = jr_field_path_text(path, arena);
    const char *text =
        jr_arena_printf(arena, "%s dropped: %s%s is off", f == NULL ? "elements are" : "is",
                        f != NULL && f->gated ? "the feature gate " : "a feature gate",
                        f != NULL && f->gated ? jr_gate_name(f->gate) : "");

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
        add_dropped(d, NULL, at);
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
