/* SPDX-License-Identifier: Apache-2.0 */
/* Go's JSON of its internal types. */
#include "common/schema/show.h"

#include <ctype.h>
#include <stdio.h>

#include "common/json/members.h"
#include "common/json/write.h"

static void show_value(const struct jr_schema_field *f, const struct jr_node *node, unsigned minor,
                       struct jr_writer *w);

/** Go's name of a field: with a capital, or an abbreviation in front. */
static void show_key(const char *name, struct jr_writer *w)
{
    static const struct {
        const char *json, *go;
    } abbreviations[] = { { "seLinux", "SELinux" }, { "gmsa", "GMSA" }, { "oci", "OCI" } };
    char text[64];

    (void)snprintf(text, sizeof(text), "%s", name);
    text[0] = (char)toupper((unsigned char)text[0]);
    for (size_t i = 0; i < JR_ARRAY_SIZE(abbreviations); i++) {
        const size_t n = strlen(abbreviations[i].json);

        if (strncmp(name, abbreviations[i].json, n) == 0)
            memcpy(text, abbreviations[i].go, n);
    }
    jr_w_key(w, text);
}

/** omitempty, which texts are not but where they are pointers. */
static bool is_omitted(const struct jr_schema_field *f, const struct jr_node *value)
{
    return f->kind == JR_SCHEMA_STRING ? f->pointer && jr_unset(value) : jr_size(value) == 0;
}

static void show_struct(const struct jr_schema_type *type, const struct jr_node *node,
                        unsigned minor, struct jr_writer *w)
{
    jr_w_object(w);
    for (const struct jr_schema_field *f = type->fields; f->name != NULL; f++) {
        const struct jr_node *value = jr_get(node, f->name);

        if (!jr_schema_known(f, minor) || (type->as_json && is_omitted(f, value)))
            continue;
        if (type->as_json)
            jr_w_key(w, f->name);
        else
            show_key(f->name, w);
        show_value(f, value, minor, w);
    }
    jr_w_object_end(w);
}

static void show_list(const struct jr_schema_field *f, const struct jr_node *node, unsigned minor,
                      struct jr_writer *w)
{
    jr_w_array(w);
    for (const struct jr_node *e = jr_first(node); e != NULL; e = jr_next(e))
        show_struct(f->of, e, minor, w);
    jr_w_array_end(w);
}

static void show_plain(const struct jr_node *node, struct jr_writer *w)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    if (jr_node_print(node, &text) != JR_OK)
        w->out->failed = text.failed;
    else
        jr_w_raw(w, jr_buf_str(&text));
}

static void show_map(const struct jr_node *node, struct jr_writer *w)
{
    const size_t n = jr_size(node);
    JR_FREE const struct jr_node **sorted = jr_members_sorted(node);

    if (sorted == NULL) {
        w->out->failed = JR_NOMEM;
        return;
    }
    jr_w_object(w);
    for (size_t i = 0; i < n; i++) {
        jr_w_keyn(w, jr_key(sorted[i]));
        show_plain(sorted[i], w);
    }
    jr_w_object_end(w);
}

/** What a member that isn't set is in Go: of pointers, lists and maps null. */
static void show_zero(const struct jr_schema_field *f, unsigned minor, struct jr_writer *w)
{
    if (!f->pointer && f->kind == JR_SCHEMA_STRING)
        jr_w_str(w, JR_S(""));
    else if (!f->pointer && (f->kind == JR_SCHEMA_INT32 || f->kind == JR_SCHEMA_INT64))
        jr_w_i64(w, 0);
    else if (!f->pointer && f->kind == JR_SCHEMA_BOOL)
        jr_w_bool(w, false);
    else if (!f->pointer && f->kind == JR_SCHEMA_STRUCT)
        show_struct(f->of, NULL, minor, w);
    else
        jr_w_null(w);
}

static void show_value(const struct jr_schema_field *f, const struct jr_node *node, unsigned minor,
                       struct jr_writer *w)
{
    if (jr_unset(node))
        show_zero(f, minor, w);
    else if (f->kind == JR_SCHEMA_LIST && jr_node_kind(node) == JR_ARRAY)
        show_list(f, node, minor, w);
    else if (f->of != NULL && jr_node_kind(node) == JR_OBJECT)
        show_struct(f->of, node, minor, w);
    else if (jr_node_kind(node) == JR_OBJECT)
        show_map(node, w);
    else
        show_plain(node, w);
}

void jr_schema_show(const struct jr_schema_type *type, const char *name, const struct jr_node *node,
                    unsigned minor, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    show_value(jr_schema_find(type, jr_str(name), NULL), node, minor, &w);
}
