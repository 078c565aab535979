/* SPDX-License-Identifier: Apache-2.0 */
/* Strategic merge patches. */
#include "common/apply/strategic.h"

#include "common/apply/elements.h"
#include "common/apply/go_print.h"
#include "common/base/memory.h"

#define DELETE_FROM "$deleteFromPrimitiveList/"
#define SET_ORDER "$setElementOrder/"

/* The list of that name, if patches merge it; NULL if they replace it. type may be NULL. */
static const struct jr_schema_field *merged_list(const struct jr_schema_type *type,
                                                 struct jr_str name)
{
    const struct jr_schema_field *f = jr_schema_find(type, name, NULL);

    return f != NULL && f->merge ? f : NULL;
}

static bool is_directive(struct jr_str key)
{
    return key.n > 0 && key.p[0] == '$';
}

/* type may be NULL: its lists are replaced. */
static enum jr_status merge_object(struct jr_node *to, const struct jr_node *patch,
                                   const struct jr_schema_type *type, struct jr_error *err);

/* ---- values ---- */

/* Takes the directives out of the copy of a patch's value. */
static void strip(struct jr_node *n)
{
    struct jr_node *next;

    for (struct jr_node *c = jr_first(n); c != NULL; c = next) {
        next = jr_next(c);
        if (jr_node_kind(n) == JR_OBJECT ? is_directive(jr_key(c)) || jr_node_kind(c) == JR_NULL
                                         : jr_str_is(jr_get_str(c, "$patch"), "delete"))
            jr_remove_child(n, c);
        else
            strip(c);
    }
}

static void set_stripped(struct jr_node *to, struct jr_str key, const struct jr_node *v)
{
    struct jr_node *copy;

    jr_must(jr_set_copy(to, key, v, &copy));
    strip(copy);
}

static struct jr_node *append_copy(struct jr_node *list, const struct jr_node *v)
{
    struct jr_node *copy;

    jr_must(jr_insert_copy(list, jr_size(list), v, &copy));
    return copy;
}

/* ---- lists ---- */

static enum jr_status no_key(const struct jr_schema_field *rule, const struct jr_node *patch,
                             struct jr_error *err)
{
    JR_ARENA arena = { 0 };
    JR_BUF text = { 0 };

    jr_arena_init(&arena, 0);
    jr_buf_init(&text, (size_t)1 << 20);
    jr_print_go(patch, &arena, &text);
    jr_must(text.failed);
    return jr_fail(err, JR_INVALID, NULL, "map: %s does not contain declared merge key: %.*s",
                   text.p, JR_P(jr_schema_merge_key(rule)));
}

static enum jr_status merge_element(struct jr_node *list, struct jr_elements *elements,
                                    const struct jr_node *patch, struct jr_error *err)
{
    const struct jr_schema_field *rule = elements->rule;
    struct jr_str directive = jr_get_str(patch, "$patch");
    struct jr_keyed_element *there;
    struct jr_node *added;

    if (jr_str_is(directive, "replace"))
        return JR_OK; /* of the whole list: done before */
    if (jr_unset(jr_getn(patch, jr_schema_merge_key(rule))))
        return no_key(rule, patch, err);
    there = jr_elements_find(elements, patch);
    if (jr_str_is(directive, "delete")) {
        if (there != NULL) {
            jr_elements_remove(elements, there);
            jr_remove_child(list, there->node);
        }
        return JR_OK;
    }
    if (there != NULL)
        return merge_object(there->node, patch, rule->of, err);
    added = append_copy(list, patch);
    strip(added);
    jr_elements_add(elements, added);
    return JR_OK;
}

static enum jr_status merge_by_key(struct jr_node *list, const struct jr_schema_field *rule,
                                   const struct jr_node *patch, struct jr_error *err)
{
    JR_ELEMENTS elements = { 0 };
    enum jr_status st = JR_OK;

    for (const struct jr_node *p = jr_first(patch); p != NULL; p = jr_next(p)) {
        if (!jr_str_is(jr_get_str(p, "$patch"), "replace"))
            continue;
        while (jr_first(list) != NULL)
            jr_remove_child(list, jr_first(list));
    }
    jr_elements_init(&elements, rule, list);
    for (const struct jr_node *p = jr_first(patch); p != NULL && st == JR_OK; p = jr_next(p))
        st = merge_element(list, &elements, p, err);
    return st;
}

static void merge_set(struct jr_node *list, const struct jr_schema_field *rule,
                      const struct jr_node *patch)
{
    JR_ELEMENTS elements = { 0 };

    jr_elements_init(&elements, rule, list);
    for (const struct jr_node *p = jr_first(patch); p != NULL; p = jr_next(p)) {
        if (jr_elements_find(&elements, p) == NULL)
            jr_elements_add(&elements, append_copy(list, p));
    }
}

/* ---- the order of a merged list ---- */

/* Whether a was before b in the list as it was. */
static bool was_before(const struct jr_elements *was, const struct jr_node *a,
                       const struct jr_node *b)
{
    const struct jr_keyed_element *at_a = jr_elements_find(was, a),
                                  *at_b = jr_elements_find(was, b);

    return at_a != NULL && at_b != NULL && at_a->at < at_b->at;
}

/* The next of a list from n on (n included) that isn't among those of `order`. */
static const struct jr_node *next_other(const struct jr_elements *order, const struct jr_node *n)
{
    while (n != NULL && jr_elements_find(order, n) != NULL)
        n = jr_next(n);
    return n;
}

/* The elements that `order` names come in its order; the others are put between them, where they
 * were before in the list as it `was`. */
static void order_list(struct jr_node *list, const struct jr_schema_field *rule,
                       const struct jr_node *order, const struct jr_node *was)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_ELEMENTS in_list = { 0 };
    JR_ELEMENTS in_order = { 0 };
    JR_ELEMENTS in_was = { 0 };
    struct jr_node *sorted;
    const struct jr_node *other, *named = jr_first(order);

    jr_elements_init(&in_list, rule, list);
    jr_elements_init(&in_order, rule, order);
    jr_elements_init(&in_was, rule, was);
    jr_must(jr_doc_new(&doc));
    jr_must(jr_set_array(jr_doc_root(doc), "list", &sorted));
    other = next_other(&in_order, jr_first(list));
    while (other != NULL || named != NULL) {
        struct jr_keyed_element *next = named == NULL ? NULL : jr_elements_find(&in_list, named);

        if (named != NULL && next == NULL) { /* it isn't there */
            named = jr_next(named);
        } else if (named == NULL || (other != NULL && was_before(&in_was, other, next->node))) {
            (void)append_copy(sorted, other);
            other = next_other(&in_order, jr_next(other));
        } else {
            if (!next->taken)
                (void)append_copy(sorted, next->node);
            next->taken = true;
            named = jr_next(named);
        }
    }
    jr_must(jr_node_assign(list, sorted));
}

static enum jr_status merge_list(struct jr_node *to, const struct jr_node *patch,
                                 const struct jr_schema_type *type, struct jr_error *err)
{
    const struct jr_schema_field *rule = merged_list(type, jr_key(patch));
    struct jr_node *list = jr_getn(to, jr_key(patch));
    JR_CLEANUP(jr_doc_freep) struct jr_doc *was = NULL;
    enum jr_status st = JR_OK;

    if (rule == NULL) {
        set_stripped(to, jr_key(patch), patch);
        return JR_OK;
    }
    if (jr_node_kind(list) != JR_ARRAY)
        jr_must(jr_set_array(to, rule->name, &list));
    jr_must(jr_doc_of(list, &was));
    if (rule->keys == NULL)
        merge_set(list, rule, patch);
    else
        st = merge_by_key(list, rule, patch, err);
    if (st == JR_OK)
        order_list(list, rule, patch, jr_doc_root(was));
    return st;
}

/* ---- objects ---- */

static const struct jr_schema_field any_set = { .kind = JR_SCHEMA_STRINGS, .merge = true };

static void delete_from_set(struct jr_node *to, struct jr_str name, const struct jr_node *values)
{
    struct jr_node *list = jr_getn(to, name), *next;
    JR_ELEMENTS elements = { 0 };

    jr_elements_init(&elements, &any_set, values);
    for (struct jr_node *n = jr_first(list); n != NULL; n = next) {
        next = jr_next(n);
        if (jr_elements_find(&elements, n) != NULL)
            jr_remove_child(list, n);
    }
}

static enum jr_status merge_member(struct jr_node *to, const struct jr_node *m,
                                   const struct jr_schema_type *type, struct jr_error *err)
{
    struct jr_node *there = jr_getn(to, jr_key(m));
    const struct jr_schema_field *f;

    switch (jr_node_kind(m)) {
    case JR_NULL:
        jr_remove(to, jr_key(m), NULL);
        return JR_OK;
    case JR_ARRAY:
        return merge_list(to, m, type, err);
    case JR_OBJECT:
        f = jr_schema_find(type, jr_key(m), NULL);
        if (jr_node_kind(there) == JR_OBJECT)
            return merge_object(there, m, f == NULL ? NULL : f->of, err);
        if (jr_get(m, "$patch") != NULL)
            return JR_OK; /* there is nothing to delete or replace */
        set_stripped(to, jr_key(m), m);
        return JR_OK;
    case JR_FALSE:
    case JR_TRUE:
    case JR_NUMBER:
    case JR_STRING:
        break;
    }
    jr_must(jr_set_copy(to, jr_key(m), m, NULL));
    return JR_OK;
}

/* $patch of an object; *ret_done: there is nothing left to merge. */
static enum jr_status object_directive(struct jr_node *to, const struct jr_node *patch,
                                       bool *ret_done, struct jr_error *err)
{
    struct jr_str directive = jr_get_str(patch, "$patch");

    *ret_done = false;
    if (jr_get(patch, "$patch") == NULL || jr_str_is(directive, "merge"))
        return JR_OK;
    *ret_done = true;
    if (jr_str_is(directive, "delete")) {
        while (jr_first(to) != NULL)
            jr_remove_child(to, jr_first(to));
        return JR_OK;
    }
    if (jr_str_is(directive, "replace")) {
        jr_must(jr_node_assign(to, patch));
        strip(to);
        return JR_OK;
    }
    return jr_fail(err, JR_INVALID, NULL, "unrecognized $patch type: %.*s", JR_P(directive));
}

/* The members of a union that a patch doesn't retain go. */
static void retain_keys(struct jr_node *to, const struct jr_node *keys)
{
    struct jr_node *next;

    if (jr_node_kind(keys) != JR_ARRAY)
        return;
    for (struct jr_node *n = jr_first(to); n != NULL; n = next) {
        bool retained = false;

        next = jr_next(n);
        for (const struct jr_node *k = jr_first(keys); k != NULL; k = jr_next(k))
            retained = retained || jr_str_eq(jr_node_str(k), jr_key(n));
        if (!retained)
            jr_remove_child(to, n);
    }
}

/* After the merge: what is said about lists as wholes. */
static void list_directives(struct jr_node *to, const struct jr_node *patch,
                            const struct jr_schema_type *type, const struct jr_node *was)
{
    static const struct jr_str delete_from = { DELETE_FROM, sizeof(DELETE_FROM) - 1 };
    static const struct jr_str set_order = { SET_ORDER, sizeof(SET_ORDER) - 1 };

    for (const struct jr_node *m = jr_first(patch); m != NULL; m = jr_next(m)) {
        if (jr_str_starts(jr_key(m), delete_from))
            delete_from_set(to, jr_str_from(jr_key(m), delete_from.n), m);
    }
    for (const struct jr_node *m = jr_first(patch); m != NULL; m = jr_next(m)) {
        struct jr_str list = jr_str_from(jr_key(m), set_order.n);
        const struct jr_schema_field *rule = merged_list(type, list);

        if (jr_str_starts(jr_key(m), set_order) && rule != NULL &&
            jr_node_kind(jr_getn(to, list)) == JR_ARRAY)
            order_list(jr_getn(to, list), rule, m, jr_getn(was, list));
    }
}

static enum jr_status merge_object(struct jr_node *to, const struct jr_node *patch,
                                   const struct jr_schema_type *type, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *was = NULL;
    bool done;
    enum jr_status st = object_directive(to, patch, &done, err);

    if (st != JR_OK || done)
        return st;
    jr_must(jr_doc_of(to, &was));
    for (const struct jr_node *m = jr_first(patch); m != NULL && st == JR_OK; m = jr_next(m)) {
        if (!is_directive(jr_key(m)))
            st = merge_member(to, m, type, err);
    }
    if (st != JR_OK)
        return st;
    list_directives(to, patch, type, jr_doc_root(was));
    retain_keys(to, jr_get(patch, "$retainKeys"));
    return JR_OK;
}

enum jr_status jr_strategic_apply(const struct jr_schema_type *type, struct jr_node *root,
                                  const struct jr_node *patch, struct jr_error *err)
{
    return merge_object(root, patch, type, err);
}

/* ---- what is no longer applied ---- */

/* Whether a patch of an element names all members that stay (patchStrategy retainKeys). */
static bool retains_keys(const struct jr_schema_field *rule)
{
    return rule->of == &jr_schema_volume || strcmp(rule->name, "resourceClaims") == 0;
}

/* retain: also what last doesn't have. Where kinds differ, now replaces the value anyway. */
static void forget(const struct jr_schema_type *type, struct jr_node *live,
                   const struct jr_node *last, const struct jr_node *now, bool retain);

static void forget_elements(const struct jr_schema_field *rule, struct jr_node *live,
                            const struct jr_node *last, const struct jr_node *now)
{
    JR_ELEMENTS in_last = { 0 };
    JR_ELEMENTS in_now = { 0 };

    jr_elements_init(&in_last, rule, last);
    jr_elements_init(&in_now, rule, now);
    for (struct jr_node *n = jr_first(live), *next; n != NULL; n = next) {
        const struct jr_keyed_element *applied = jr_elements_find(&in_last, n);
        const struct jr_keyed_element *said = jr_elements_find(&in_now, n);

        next = jr_next(n);
        if (said != NULL)
            forget(rule->of, n, applied == NULL ? NULL : applied->node, said->node,
                   retains_keys(rule) && jr_size(said->node) > 1);
        else if (applied != NULL)
            jr_remove_child(live, n);
    }
}

static void forget(const struct jr_schema_type *type, struct jr_node *live,
                   const struct jr_node *last, const struct jr_node *now, bool retain)
{
    for (struct jr_node *n = jr_first(live), *next; n != NULL; n = next) {
        const struct jr_node *applied = jr_getn(last, jr_key(n)), *said = jr_getn(now, jr_key(n));
        const struct jr_schema_field *f = jr_schema_find(type, jr_key(n), NULL);

        next = jr_next(n);
        if (said == NULL && (applied != NULL || retain))
            jr_remove_child(live, n);
        else if (said != NULL && f != NULL && f->merge)
            forget_elements(f, n, applied, said);
        else if (said != NULL && jr_node_kind(n) == JR_OBJECT)
            forget(f == NULL ? NULL : f->of, n, applied, said, false);
    }
}

void jr_strategic_forget(const struct jr_schema_type *type, struct jr_node *live,
                         const struct jr_node *last, const struct jr_node *now)
{
    forget(type, live, last, now, false);
}

/* ---- what is applied as it is ---- */

static bool has_all(const struct jr_schema_type *type, const struct jr_node *live,
                    const struct jr_node *now);

/* Whether the list has these elements, in their order, beside others. */
static bool has_elements(const struct jr_schema_field *rule, const struct jr_node *live,
                         const struct jr_node *now)
{
    const struct jr_node *l = jr_first(live);

    for (const struct jr_node *n = jr_first(now); n != NULL; n = jr_next(n), l = jr_next(l)) {
        while (l != NULL && !has_all(rule->of, l, n))
            l = jr_next(l);
        if (l == NULL || jr_unset(jr_getn(n, jr_schema_merge_key(rule))))
            return false;
    }
    return true;
}

static bool has_all(const struct jr_schema_type *type, const struct jr_node *live,
                    const struct jr_node *now)
{
    if (jr_node_kind(live) != JR_OBJECT || jr_node_kind(now) != JR_OBJECT)
        return jr_node_equal(live, now);
    for (const struct jr_node *n = jr_first(now); n != NULL; n = jr_next(n)) {
        const struct jr_schema_field *f = jr_schema_find(type, jr_key(n), NULL);
        const struct jr_node *l = jr_getn(live, jr_key(n));
        const bool list = f != NULL && f->merge && f->keys != NULL;

        if (jr_unset(n) ? !jr_unset(l)
            : list      ? !has_elements(f, l, n)
                        : !has_all(f == NULL ? NULL : f->of, l, n))
            return false;
    }
    return true;
}

static void prune_elements(const struct jr_schema_field *rule, const struct jr_node *live,
                           struct jr_node *now)
{
    JR_ELEMENTS elements = { 0 };

    jr_elements_init(&elements, rule, live);
    for (struct jr_node *n = jr_first(now); n != NULL; n = jr_next(n)) {
        const struct jr_keyed_element *l = jr_elements_find(&elements, n);

        jr_strategic_prune(rule->of, l == NULL ? NULL : l->node, n);
    }
}

void jr_strategic_prune(const struct jr_schema_type *type, const struct jr_node *live,
                        struct jr_node *now)
{
    for (struct jr_node *n = jr_first(now), *next; n != NULL; n = next) {
        const struct jr_schema_field *f = jr_schema_find(type, jr_key(n), NULL);
        const struct jr_node *l = jr_getn(live, jr_key(n));
        const bool list = f != NULL && f->merge && f->keys != NULL && jr_node_kind(n) == JR_ARRAY;

        next = jr_next(n);
        if (!list && f != NULL && jr_node_kind(n) == JR_OBJECT)
            jr_strategic_prune(f->of, l, n);
        if (!list)
            continue;
        if (has_elements(f, l, n))
            jr_remove_child(now, n);
        else
            prune_elements(f, l, n);
    }
}
