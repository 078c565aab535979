/* SPDX-License-Identifier: Apache-2.0 */
/* Applies JSON Patches, to a copy. */
#include "common/json/patch.h"

#include "common/json/pointer.h"
#include "common/json/tree.h"

/* Deeper trees come from no text of ours; without a bound a patch could dig until the stack ends.
 */
#define MAX_DEPTH JR_READER_DEPTH_MAX
/* Of what copy and move may copy in all, in bytes of tree: each copy may double the document. */
#define MAX_COPY ((size_t)16 << 20)

struct apply {
    cJSON *root;
    size_t copied;
    /* The operation at hand, for messages. */
    size_t at;
    struct jr_str op;
    struct jr_str path;
    struct jr_error *err;
};

static enum jr_status fail_operation(const struct apply *a, enum jr_status st, const char *what)
{
    return jr_fail(a->err, st, NULL, "operation %zu (%.*s %.*s): %s", a->at,
                   (int)(a->op.n > 16 ? 16 : a->op.n), a->op.p == NULL ? "" : a->op.p,
                   (int)(a->path.n > 160 ? 160 : a->path.n), a->path.p == NULL ? "" : a->path.p,
                   what);
}

/* Where a pointer leads: `parent` and the token in it (NULL: the root), and what is there now. */
struct place {
    cJSON *parent;
    struct jr_str token;
    cJSON *now;
    unsigned depth;
};

static enum jr_status locate(const struct apply *a, struct jr_str pointer, struct place *ret)
{
    *ret = (struct place){ .now = a->root };
    if (!jr_pointer_valid(pointer))
        return fail_operation(a, JR_INVALID, "not a JSON pointer");
    while (jr_pointer_cut(&pointer, &ret->token)) {
        ret->parent = ret->now;
        if (!is_object(ret->parent) && !is_array(ret->parent))
            return fail_operation(a, JR_NOTFOUND, "no such path");
        ret->now = jr_pointer_step(ret->parent, ret->token);
        ret->depth++;
    }
    return JR_OK;
}

static enum jr_status locate_value(const struct apply *a, struct jr_str pointer, struct place *ret)
{
    enum jr_status st = locate(a, pointer, ret);

    if (st == JR_OK && ret->now == NULL)
        return fail_operation(a, JR_NOTFOUND, "no such path");
    return st;
}

static enum jr_status add_element(const struct apply *a, const struct place *p, cJSON *t)
{
    size_t i = (size_t)p->parent->valueint;

    if (!jr_str_eq(p->token, JR_S("-")) && !jr_pointer_index(p->token, &i))
        return fail_operation(a, JR_INVALID, "not an array index");
    if (i > (size_t)p->parent->valueint)
        return fail_operation(a, JR_NOTFOUND, "index past the end of the array");
    if (p->now == NULL)
        jr_tree_append(p->parent, t);
    else
        jr_tree_insert(p->parent, p->now, t);
    return JR_OK;
}

/* t becomes the member or element that p names, or the root; if there is a value it gets t's
 * contents. */
static enum jr_status set_value(const struct apply *a, const struct place *p, cJSON *t)
{
    JR_FREE char *key = NULL;

    if (p->now != NULL) {
        jr_tree_move(p->now, t);
        jr_tree_free(t);
        return JR_OK;
    }
    key = malloc(p->token.n + 1);
    if (key == NULL ||
        !jr_tree_set_key(t, (struct jr_str){ key, jr_pointer_unescape(p->token, key) }))
        return fail_operation(a, JR_NOMEM, "out of memory");
    jr_tree_append(p->parent, t);
    return JR_OK;
}

/* A copy of value gets to be at p; add: beside what is there in an array. */
static enum jr_status put_copy(const struct apply *a, const struct place *p, bool add,
                               const cJSON *value)
{
    enum jr_status st;
    cJSON *t;

    if (p->depth + jr_tree_measure(value).depth > MAX_DEPTH)
        return fail_operation(a, JR_LIMIT, "nested too deeply");
    if (p->parent != NULL && p->parent->valueint == INT_MAX)
        return fail_operation(a, JR_LIMIT, "too many members");
    t = jr_tree_copy(NULL, value);
    if (t == NULL)
        return fail_operation(a, JR_NOMEM, "out of memory");
    st = add && is_array(p->parent) ? add_element(a, p, t) : set_value(a, p, t);
    if (st != JR_OK)
        jr_tree_free(t);
    return st;
}

/* Takes out the value at p, which is the caller's then. */
static enum jr_status take_out(const struct apply *a, const struct place *p)
{
    if (p->parent == NULL)
        return fail_operation(a, JR_INVALID, "the whole document can't be removed");
    jr_tree_unlink(p->parent, p->now);
    return JR_OK;
}

static enum jr_status op_add(struct apply *a, const cJSON *value)
{
    struct place p;
    enum jr_status st = locate(a, a->path, &p);

    return st == JR_OK ? put_copy(a, &p, true, value) : st;
}

static enum jr_status op_remove(struct apply *a)
{
    struct place p;
    enum jr_status st = locate_value(a, a->path, &p);

    if (st == JR_OK)
        st = take_out(a, &p);
    if (st == JR_OK)
        jr_tree_free(p.now);
    return st;
}

static enum jr_status op_replace(struct apply *a, const cJSON *value)
{
    struct place p;
    enum jr_status st = locate_value(a, a->path, &p);

    return st == JR_OK ? put_copy(a, &p, false, value) : st;
}

static enum jr_status op_test(struct apply *a, const cJSON *value)
{
    struct place p;
    enum jr_status st = locate_value(a, a->path, &p);

    if (st == JR_OK && !jr_node_equal(node_of(p.now), node_of_const(value)))
        return fail_operation(a, JR_CONFLICT, "the value is another one");
    return st;
}

static bool count_copy(struct apply *a, const cJSON *t)
{
    struct jr_tree_size size = jr_tree_measure(t);

    a->copied += size.nodes * sizeof(*t) + size.text;
    return a->copied <= MAX_COPY;
}

static enum jr_status op_copy(struct apply *a, struct jr_str from)
{
    struct place p;
    enum jr_status st = locate_value(a, from, &p);

    if (st != JR_OK)
        return st;
    if (!count_copy(a, p.now))
        return fail_operation(a, JR_LIMIT, "the patch copies too much");
    return op_add(a, p.now);
}

static enum jr_status op_move(struct apply *a, struct jr_str from)
{
    struct place p;
    enum jr_status st = locate_value(a, from, &p);

    if (st != JR_OK || jr_str_eq(from, a->path))
        return st;
    if (jr_str_starts(a->path, from) && a->path.p[from.n] == '/')
        return fail_operation(a, JR_INVALID, "a value can't move into itself");
    if (!count_copy(a, p.now))
        return fail_operation(a, JR_LIMIT, "the patch copies too much");
    st = take_out(a, &p);
    if (st != JR_OK)
        return st;
    st = op_add(a, p.now);
    jr_tree_free(p.now);
    return st;
}

static enum jr_status apply_from(struct apply *a, const cJSON *op)
{
    const cJSON *from = jr_tree_member(op, JR_S("from"));

    if (from == NULL || NODE_TYPE(from) != cJSON_String)
        return fail_operation(a, JR_INVALID, "needs a \"from\"");
    return jr_str_eq(a->op, JR_S("copy")) ? op_copy(a, tree_text(from))
                                          : op_move(a, tree_text(from));
}

static enum jr_status apply_one(struct apply *a, const cJSON *op)
{
    const cJSON *value;
    struct jr_node *node;

    a->op = a->path = (struct jr_str){ 0 };
    if (!is_object(op))
        return fail_operation(a, JR_INVALID, "not an object");
    a->op = jr_get_str(node_of_const(op), "op");
    if (a->op.p == NULL)
        return fail_operation(a, JR_INVALID, "needs an \"op\"");
    node = jr_get(node_of_const(op), "path");
    if (jr_node_kind(node) != JR_STRING)
        return fail_operation(a, JR_INVALID, "needs a \"path\"");
    a->path = jr_node_str(node);
    if (jr_str_eq(a->op, JR_S("remove")))
        return op_remove(a);
    if (jr_str_eq(a->op, JR_S("copy")) || jr_str_eq(a->op, JR_S("move")))
        return apply_from(a, op);
    if (!jr_str_eq(a->op, JR_S("add")) && !jr_str_eq(a->op, JR_S("replace")) &&
        !jr_str_eq(a->op, JR_S("test")))
        return fail_operation(a, JR_INVALID, "unknown operation");
    value = jr_tree_member(op, JR_S("value"));
    if (value == NULL)
        return fail_operation(a, JR_INVALID, "needs a \"value\"");
    if (jr_str_eq(a->op, JR_S("add")))
        return op_add(a, value);
    return jr_str_eq(a->op, JR_S("replace")) ? op_replace(a, value) : op_test(a, value);
}

enum jr_status jr_patch_apply(struct jr_doc *doc, const struct jr_node *patch, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *next = NULL;
    struct apply a = { .err = err };
    enum jr_status st;
    struct jr_doc was;

    if (jr_node_kind(patch) != JR_ARRAY)
        return jr_fail(err, JR_INVALID, NULL, "a JSON patch is an array of operations");
    if (jr_size(patch) > JR_PATCH_MAX_OPS)
        return jr_fail(err, JR_LIMIT, NULL, "%zu operations, more than %d", jr_size(patch),
                       JR_PATCH_MAX_OPS);
    st = jr_doc_of(jr_doc_root_const(doc), &next);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "a copy of the document");
    a.root = &next->root;
    for (const cJSON *op = tree_of(patch)->child; op != NULL && st == JR_OK; op = op->next) {
        st = apply_one(&a, op);
        a.at++;
    }
    if (st != JR_OK)
        return st;
    was = *doc;
    *doc = *next;
    *next = was;
    return JR_OK;
}
