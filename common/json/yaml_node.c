/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a YAML document: scalars, anchors and aliases, and their limits. */
#include <stdarg.h>
#include <stdio.h>

#include "common/base/hash.h"

#include "common/base/vec.h"
#include "common/json/yaml_reader.h"

/* Each alias looks through them. */
#define MAX_ANCHORS 1000

enum jr_status jr_yaml_fail(struct jr_yaml_reader *r, yaml_mark_t mark, enum jr_status st,
                            const char *fmt, ...)
{
    char msg[400];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof(msg), fmt, ap);
    va_end(ap);
    return jr_error_at(r->err, jr_fail(r->err, st, NULL, "%s", msg), mark.line + 1,
                       mark.column + 1);
}

enum jr_status jr_yaml_no_memory(struct jr_yaml_reader *r)
{
    return jr_fail(r->err, JR_NOMEM, NULL, "YAML document");
}

void jr_yaml_keep(struct jr_yaml_reader *r, cJSON *t)
{
    t->next = r->kept;
    r->kept = t;
}

void jr_yaml_forget(struct jr_yaml_reader *r)
{
    while (r->kept != NULL) {
        cJSON *next = r->kept->next;

        jr_tree_free(r->kept);
        r->kept = next;
    }
    for (size_t i = 0; i < r->n_anchors; i++)
        free(r->anchors[i].name);
    r->n_anchors = 0;
    r->n_entries = 0;
}

enum jr_status jr_yaml_count(struct jr_yaml_reader *r, yaml_mark_t mark, size_t nodes)
{
    if (nodes > r->limits.max_nodes - r->nodes)
        return jr_yaml_fail(r, mark, JR_LIMIT, "more than %zu values", r->limits.max_nodes);
    r->nodes += nodes;
    return JR_OK;
}

/* Anchors. */

enum jr_status jr_yaml_add_anchor(struct jr_yaml_reader *r, yaml_mark_t mark,
                                  const yaml_char_t *name, size_t *ret)
{
    struct jr_yaml_anchor *a;

    *ret = SIZE_MAX;
    if (name == NULL)
        return JR_OK;
    if (r->n_anchors == MAX_ANCHORS)
        return jr_yaml_fail(r, mark, JR_LIMIT, "more than %d anchors", MAX_ANCHORS);
    a = jr_vec_room(r->anchors, r->n_anchors, &r->cap_anchors, sizeof(*a));
    if (a == NULL)
        return jr_yaml_no_memory(r);
    r->anchors = a;
    a = &r->anchors[r->n_anchors];
    *a = (struct jr_yaml_anchor){ .hash = jr_hash(jr_yaml_name(name)),
                                  .name = jr_str_dup(jr_yaml_name(name)) };
    if (a->name == NULL)
        return jr_yaml_no_memory(r);
    *ret = r->n_anchors++;
    return JR_OK;
}

void jr_yaml_set_anchor(struct jr_yaml_reader *r, size_t anchor, cJSON *t)
{
    if (anchor != SIZE_MAX)
        r->anchors[anchor].tree = t;
}

enum jr_status jr_yaml_find_anchor(struct jr_yaml_reader *r, const yaml_event_t *ev,
                                   const cJSON **ret)
{
    struct jr_str name = jr_yaml_name(ev->data.alias.anchor);
    uint64_t hash = jr_hash(name);

    for (size_t i = r->n_anchors; i-- > 0;) {
        const struct jr_yaml_anchor *a = &r->anchors[i];

        if (a->hash != hash || !jr_str_is(name, a->name))
            continue;
        if (a->tree == NULL)
            return jr_yaml_fail(r, ev->start_mark, JR_INVALID, "anchor '%s' contains itself",
                                a->name);
        *ret = a->tree;
        return JR_OK;
    }
    return jr_yaml_fail(r, ev->start_mark, JR_INVALID, "unknown anchor '%.*s'", JR_P(name));
}

enum jr_status jr_yaml_count_copy(struct jr_yaml_reader *r, yaml_mark_t mark,
                                  struct jr_tree_size size)
{
    const size_t max_bytes = 2 * r->limits.max_bytes;

    if (size.nodes > r->limits.max_nodes - r->copied_nodes)
        return jr_yaml_fail(r, mark, JR_LIMIT, "aliases add more than %zu values",
                            r->limits.max_nodes);
    if (size.text > max_bytes - r->copied)
        return jr_yaml_fail(r, mark, JR_LIMIT, "aliases expand to more than %zu bytes", max_bytes);
    r->copied_nodes += size.nodes;
    r->copied += size.text;
    return JR_OK;
}

/* Copies of what is there already are what makes a small text a large tree. */
enum jr_status jr_yaml_copy(struct jr_yaml_reader *r, yaml_mark_t mark, const cJSON *src,
                            unsigned depth, cJSON **ret)
{
    struct jr_tree_size size = jr_tree_measure(src);
    enum jr_status st = jr_yaml_count(r, mark, size.nodes);

    if (st == JR_OK)
        st = jr_yaml_count_copy(r, mark, size);
    if (st != JR_OK)
        return st;
    if (depth + size.depth > r->limits.max_depth + 1)
        return jr_yaml_fail(r, mark, JR_LIMIT, "nested too deeply");
    *ret = jr_tree_copy(NULL, src);
    return *ret == NULL ? jr_yaml_no_memory(r) : JR_OK;
}

enum jr_status jr_yaml_alias(struct jr_yaml_reader *r, const yaml_event_t *ev, unsigned depth,
                             cJSON **ret)
{
    const cJSON *src = NULL;
    enum jr_status st = jr_yaml_find_anchor(r, ev, &src);

    return st == JR_OK ? jr_yaml_copy(r, ev->start_mark, src, depth, ret) : st;
}

/* Scalars. */

enum jr_status jr_yaml_resolve(struct jr_yaml_reader *r, const yaml_event_t *ev,
                               struct jr_scalar *ret)
{
    struct jr_str value = jr_yaml_text(ev);
    struct jr_str tag = jr_yaml_name(ev->data.scalar.tag);
    enum jr_status st = jr_yaml_check_escapes(r, ev);

    *ret = (struct jr_scalar){ .kind = JR_SCALAR_STRING };
    if (st != JR_OK)
        return st;
    if (tag.n == 0) {
        if (ev->data.scalar.plain_implicit)
            jr_scalar_resolve(value, ret);
        return JR_OK;
    }
    st = jr_scalar_resolve_tag(value, tag, ret);
    if (st != JR_OK)
        return jr_yaml_fail(r, ev->start_mark, JR_INVALID, "can't read `%.*s` as %.*s",
                            (int)(value.n > 60 ? 60 : value.n), value.p, JR_P(tag));
    return JR_OK;
}

enum jr_status jr_yaml_new_scalar(struct jr_yaml_reader *r, const yaml_event_t *ev, cJSON **ret)
{
    static const int types[] = {
        [JR_SCALAR_NULL] = cJSON_NULL, [JR_SCALAR_FALSE] = cJSON_False,
        [JR_SCALAR_TRUE] = cJSON_True, [JR_SCALAR_INT] = cJSON_Raw,
        [JR_SCALAR_FLOAT] = cJSON_Raw, [JR_SCALAR_STRING] = cJSON_String,
    };
    struct jr_scalar s;
    struct jr_str text;
    cJSON *t;
    enum jr_status st = jr_yaml_resolve(r, ev, &s);

    if (st != JR_OK)
        return st;
    text = s.kind == JR_SCALAR_STRING ? jr_yaml_text(ev) : jr_str(s.text);
    if (s.kind == JR_SCALAR_FLOAT && s.text[0] == '\0')
        return jr_yaml_fail(r, ev->start_mark, JR_INVALID, "JSON has no number %.*s",
                            JR_P(jr_yaml_text(ev)));
    t = jr_tree_new(NULL, types[s.kind]);
    if (t != NULL && (types[s.kind] == cJSON_Raw || types[s.kind] == cJSON_String)) {
        t->valuestring = jr_tree_dup(NULL, text);
        t->valueint = (int)text.n;
        if (t->valuestring == NULL) {
            jr_tree_free(t);
            t = NULL;
        }
    }
    *ret = t;
    return t == NULL ? jr_yaml_no_memory(r) : JR_OK;
}

enum jr_status jr_yaml_scalar(struct jr_yaml_reader *r, const yaml_event_t *ev, cJSON **ret)
{
    size_t anchor;
    enum jr_status st = jr_yaml_add_anchor(r, ev->start_mark, ev->data.scalar.anchor, &anchor);

    if (st == JR_OK)
        st = jr_yaml_count(r, ev->start_mark, 1);
    if (st == JR_OK)
        st = jr_yaml_new_scalar(r, ev, ret);
    if (st == JR_OK)
        jr_yaml_set_anchor(r, anchor, *ret);
    return st;
}
