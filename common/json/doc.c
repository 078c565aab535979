/* SPDX-License-Identifier: Apache-2.0 */
/* Documents: their life, and how their trees are read. */
#include "common/json/doc.h"

#include "common/base/num.h"
#include "common/json/tree.h"
#include "common/json/walk.h"

static struct jr_doc *doc_alloc(void)
{
    struct jr_doc *doc = calloc(1, sizeof(*doc));

    if (doc != NULL)
        doc->root.type = cJSON_Object | NODE_FLAGS;
    return doc;
}

/* tape: is read instead of text, if it isn't NULL. */
static enum jr_status build(struct jr_str text, const struct jr_tape *tape,
                            const struct jr_reader_opts *opts, struct jr_doc **ret,
                            struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = doc_alloc();
    enum jr_status st;

    if (doc == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "JSON document");
    st = tape == NULL ? jr_walk(text, opts, doc, err) : jr_walk_tape(tape, opts, doc, err);
    if (st == JR_OK)
        *ret = jr_steal(&doc);
    return st;
}

enum jr_status jr_doc_parse(struct jr_str text, const struct jr_reader_opts *opts,
                            struct jr_doc **ret, struct jr_error *err)
{
    return build(text, NULL, opts, ret, err);
}

enum jr_status jr_doc_build(const struct jr_tape *tape, const struct jr_reader_opts *opts,
                            struct jr_doc **ret, struct jr_error *err)
{
    return build(tape->text, tape, opts, ret, err);
}

enum jr_status jr_doc_new(struct jr_doc **ret)
{
    struct jr_doc *doc = doc_alloc();

    if (doc == NULL)
        return JR_NOMEM;
    *ret = doc;
    return JR_OK;
}

enum jr_status jr_doc_of(const struct jr_node *node, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = doc_alloc();
    struct jr_tree_size size;
    cJSON *copy;

    if (doc == NULL)
        return JR_NOMEM;
    if (node == NULL) {
        doc->root.type = cJSON_NULL | NODE_FLAGS;
        *ret = jr_steal(&doc);
        return JR_OK;
    }
    size = jr_tree_measure(tree_of(node));
    if (!jr_pool_reserve(&doc->pool, size.nodes, size.text))
        return JR_NOMEM;
    copy = jr_tree_copy(&doc->pool, tree_of(node));
    if (copy == NULL)
        return JR_NOMEM;
    jr_tree_move(&doc->root, copy);
    *ret = jr_steal(&doc);
    return JR_OK;
}

void jr_doc_free(struct jr_doc *doc)
{
    if (doc == NULL)
        return;
    jr_tree_free(&doc->root); /* what was added later */
    jr_pool_done(&doc->pool);
    free(doc);
}

struct jr_node *jr_doc_root(struct jr_doc *doc)
{
    return node_of(&doc->root);
}

const struct jr_node *jr_doc_root_const(const struct jr_doc *doc)
{
    return node_of_const(&doc->root);
}

enum jr_kind jr_node_kind(const struct jr_node *n)
{
    if (n == NULL)
        return JR_NULL;
    switch (NODE_TYPE(tree_of(n))) {
    case cJSON_False:
        return JR_FALSE;
    case cJSON_True:
        return JR_TRUE;
    case cJSON_Raw:
        return JR_NUMBER;
    case cJSON_String:
        return JR_STRING;
    case cJSON_Array:
        return JR_ARRAY;
    case cJSON_Object:
        return JR_OBJECT;
    default:
        return JR_NULL;
    }
}

const char *jr_node_kind_name(const struct jr_node *n)
{
    static const char *const names[] = {
        [JR_NULL] = "null",     [JR_FALSE] = "bool",    [JR_TRUE] = "bool",
        [JR_NUMBER] = "number", [JR_STRING] = "string", [JR_ARRAY] = "array",
        [JR_OBJECT] = "object",
    };

    return names[jr_node_kind(n)];
}

struct jr_node *jr_getn(const struct jr_node *n, struct jr_str key)
{
    const cJSON *t = tree_of(n);

    return is_object(t) ? node_of(jr_tree_member(t, key)) : NULL;
}

struct jr_node *jr_get(const struct jr_node *n, const char *key)
{
    const cJSON *t = tree_of(n);

    return is_object(t) ? node_of(jr_tree_named(t, key)) : NULL;
}

struct jr_node *jr_path(const struct jr_node *n, const char *path)
{
    struct jr_str rest = jr_str(path), name;
    struct jr_node *found = NULL;

    while (jr_str_cut(&rest, '.', &name)) {
        found = jr_getn(n, name);
        if (found == NULL)
            return NULL;
        n = found;
    }
    return found;
}

struct jr_node *jr_at(const struct jr_node *n, size_t i)
{
    const cJSON *t = tree_of(n);

    return is_array(t) ? node_of(jr_tree_element(t, i)) : NULL;
}

size_t jr_size(const struct jr_node *n)
{
    const cJSON *t = tree_of(n);

    return is_array(t) || is_object(t) ? (size_t)t->valueint : 0;
}

struct jr_node *jr_first(const struct jr_node *n)
{
    return n == NULL ? NULL : node_of(tree_of(n)->child);
}

struct jr_node *jr_next(const struct jr_node *n)
{
    return n == NULL ? NULL : node_of(tree_of(n)->next);
}

struct jr_str jr_key(const struct jr_node *n)
{
    return n == NULL ? (struct jr_str){ 0 } : tree_key(tree_of(n));
}

bool jr_unset(const struct jr_node *n)
{
    return jr_node_kind(n) == JR_NULL;
}

struct jr_str jr_node_str(const struct jr_node *n)
{
    return jr_node_kind(n) == JR_STRING ? tree_text(tree_of(n)) : (struct jr_str){ 0 };
}

struct jr_str jr_get_str(const struct jr_node *n, const char *key)
{
    return jr_node_str(jr_get(n, key));
}

struct jr_str jr_node_number(const struct jr_node *n)
{
    return jr_node_kind(n) == JR_NUMBER ? tree_text(tree_of(n)) : (struct jr_str){ 0 };
}

enum jr_status jr_node_i64(const struct jr_node *n, int64_t *ret)
{
    enum jr_status st;

    if (jr_node_kind(n) != JR_NUMBER)
        return JR_TYPE;
    st = jr_parse_i64(tree_text(tree_of(n)), INT64_MIN, INT64_MAX, ret);
    return st == JR_SYNTAX ? JR_TYPE : st;
}

int64_t jr_node_i64_or(const struct jr_node *n, int64_t fallback)
{
    int64_t v;

    return jr_node_i64(n, &v) == JR_OK ? v : fallback;
}

bool jr_node_bool_or(const struct jr_node *n, bool fallback)
{
    enum jr_kind kind = jr_node_kind(n);

    return kind == JR_TRUE || (kind != JR_FALSE && fallback);
}
