#include "common/json/patch.h"

#include "common/base/vec.h"
#include "common/json/pointer.h"
#include "common/json/tree.h"

/* Deeper trees come from no text of ours; without a bound a patch could dig until the stack ends.
 */
#define MAX_DEPTH JR_GATE_DEPTH_MAX
/* Of what copy and move may copy in all, in bytes of tree: each copy may double the document. */
#define MAX_COPY ((size_t)16 << 20)

/* A change, and how to take it back: what came in, what went out, where. */
struct change {
    cJSON *parent; /* NULL: the root, whose contents `in` holds since */
    cJSON *in;
    cJSON *out;
    cJSON *after; /* what `out` stood behind; NULL: it was the first */
};

struct apply {
    cJSON *root;
    struct change *log;
    size_t n;
    size_t cap;
    size_t copied;
    /* The operation at hand, for messages. */
    size_t at;
    struct jr_str op;
    struct jr_str path;
    struct jr_error *err;
};

static enum jr_status fail(const struct apply *a, enum jr_status st, const char *what)
{
    return jr_fail(a->err, st, NULL, "operation %zu (%.*s %.*s): %s", a->at,
                   (int)(a->op.n > 16 ? 16 : a->op.n), a->op.p == NULL ? "" : a->op.p,
                   (int)(a->path.n > 160 ? 160 : a->path.n), a->path.p == NULL ? "" : a->path.p,
                   what);
}

/* Room for one more change: what is recorded can always be taken back. */
static bool reserve(struct apply *a)
{
    struct change *log = jr_vec_room(a->log, a->n, &a->cap, sizeof(*log));

    if (log != NULL)
        a->log = log;
    return log != NULL;
}

static void roll_back(struct apply *a)
{
    while (a->n > 0) {
        const struct change *c = &a->log[--a->n];

        if (c->parent == NULL)
            jr_tree_swap(a->root, c->in);
        else if (c->in != NULL)
            jr_tree_unlink(c->parent, c->in);
        if (c->out != NULL)
            jr_tree_link(c->parent, c->after, c->out);
        jr_tree_free(c->in);
    }
}

static void commit(struct apply *a)
{
    for (size_t i = 0; i < a->n; i++)
        jr_tree_free(a->log[i].parent == NULL ? a->log[i].in : a->log[i].out);
    a->n = 0;
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
        return fail(a, JR_INVALID, "not a JSON pointer");
    while (jr_pointer_cut(&pointer, &ret->token)) {
        ret->parent = ret->now;
        if (!is_object(ret->parent) && !is_array(ret->parent))
            return fail(a, JR_NOTFOUND, "no such path");
        ret->now = jr_pointer_step(ret->parent, ret->token);
        ret->depth++;
    }
    return JR_OK;
}

static enum jr_status locate_value(const struct apply *a, struct jr_str pointer, struct place *ret)
{
    enum jr_status st = locate(a, pointer, ret);

    if (st == JR_OK && ret->now == NULL)
        return fail(a, JR_NOTFOUND, "no such path");
    return st;
}

static cJSON *before(const cJSON *parent, const cJSON *t)
{
    return parent->child == t ? NULL : t->prev;
}

/* t, which has no place, takes that of p->now. */
static enum jr_status exchange(struct apply *a, const struct place *p, cJSON *t)
{
    struct change c = { .parent = p->parent, .in = t };

    if (p->parent == NULL) {
        jr_tree_swap(a->root, t);
    } else {
        c.out = p->now;
        c.after = before(p->parent, p->now);
        if (is_object(p->parent) && !jr_tree_set_key(t, tree_key(p->now)))
            return fail(a, JR_NOMEM, "out of memory");
        jr_tree_replace(p->parent, p->now, t);
    }
    a->log[a->n++] = c;
    return JR_OK;
}

static enum jr_status add_member(struct apply *a, const struct place *p, cJSON *t)
{
    JR_FREE char *key = malloc(p->token.n + 1);
    size_t n;

    if (key == NULL)
        return fail(a, JR_NOMEM, "out of memory");
    n = jr_pointer_unescape(p->token, key);
    if (!jr_tree_set_key(t, (struct jr_str){ key, n }))
        return fail(a, JR_NOMEM, "out of memory");
    jr_tree_append(p->parent, t);
    a->log[a->n++] = (struct change){ .parent = p->parent, .in = t };
    return JR_OK;
}

static enum jr_status add_element(struct apply *a, const struct place *p, cJSON *t)
{
    cJSON *after = p->parent->child == NULL ? NULL : p->parent->child->prev;
    size_t i;

    if (!jr_str_eq(p->token, JR_S("-"))) {
        if (!jr_pointer_index(p->token, &i))
            return fail(a, JR_INVALID, "not an array index");
        if (i > (size_t)p->parent->valueint)
            return fail(a, JR_NOTFOUND, "index past the end of the array");
        if (p->now != NULL)
            after = before(p->parent, p->now);
    }
    jr_tree_link(p->parent, after, t);
    a->log[a->n++] = (struct change){ .parent = p->parent, .in = t };
    return JR_OK;
}

static enum jr_status place_value(struct apply *a, const struct place *p, bool add, cJSON *t)
{
    if (p->parent != NULL && p->parent->valueint == INT_MAX)
        return fail(a, JR_LIMIT, "too many members");
    if (add && is_array(p->parent))
        return add_element(a, p, t);
    if (p->now == NULL)
        return add_member(a, p, t);
    return exchange(a, p, t);
}

/* A copy of value gets to be at p; add: beside what is there in an array. */
static enum jr_status put(struct apply *a, const struct place *p, bool add, const cJSON *value)
{
    enum jr_status st;
    cJSON *t;

    if (p->depth + jr_tree_measure(value).depth > MAX_DEPTH)
        return fail(a, JR_LIMIT, "nested too deeply");
    t = jr_tree_copy(NULL, value);
    if (t == NULL || !reserve(a))
        st = fail(a, JR_NOMEM, "out of memory");
    else
        st = place_value(a, p, add, t);
    if (st != JR_OK)
        jr_tree_free(t);
    return st;
}

static enum jr_status take_out(struct apply *a, const struct place *p)
{
    if (p->parent == NULL)
        return fail(a, JR_INVALID, "the whole document can't be removed");
    if (!reserve(a))
        return fail(a, JR_NOMEM, "out of memory");
    a->log[a->n++] =
        (struct change){ .parent = p->parent, .out = p->now, .after = before(p->parent, p->now) };
    jr_tree_unlink(p->parent, p->now);
    return JR_OK;
}

static enum jr_status op_add(struct apply *a, const cJSON *value)
{
    struct place p;
    enum jr_status st = locate(a, a->path, &p);

    return st == JR_OK ? put(a, &p, true, value) : st;
}

static enum jr_status op_remove(struct apply *a)
{
    struct place p;
    enum jr_status st = locate_value(a, a->path, &p);

    return st == JR_OK ? take_out(a, &p) : st;
}

static enum jr_status op_replace(struct apply *a, const cJSON *value)
{
    struct place p;
    enum jr_status st = locate_value(a, a->path, &p);

    return st == JR_OK ? put(a, &p, false, value) : st;
}

static enum jr_status op_test(struct apply *a, const cJSON *value)
{
    struct place p;
    enum jr_status st = locate_value(a, a->path, &p);

    if (st == JR_OK && !jr_node_equal(node_of(p.now), node_of_const(value)))
        return fail(a, JR_CONFLICT, "the value is another one");
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
        return fail(a, JR_LIMIT, "the patch copies too much");
    return op_add(a, p.now);
}

static enum jr_status op_move(struct apply *a, struct jr_str from)
{
    struct place p;
    enum jr_status st = locate_value(a, from, &p);

    if (st != JR_OK || jr_str_eq(from, a->path))
        return st;
    if (jr_str_starts(a->path, from) && a->path.p[from.n] == '/')
        return fail(a, JR_INVALID, "a value can't move into itself");
    if (!count_copy(a, p.now))
        return fail(a, JR_LIMIT, "the patch copies too much");
    /* What is taken out lives on in the log: add a copy of it. */
    st = take_out(a, &p);
    return st == JR_OK ? op_add(a, p.now) : st;
}

static enum jr_status apply_from(struct apply *a, const cJSON *op)
{
    const cJSON *from = jr_tree_member(op, JR_S("from"));

    if (from == NULL || NODE_TYPE(from) != cJSON_String)
        return fail(a, JR_INVALID, "needs a \"from\"");
    return jr_str_eq(a->op, JR_S("copy")) ? op_copy(a, tree_text(from))
                                          : op_move(a, tree_text(from));
}

static enum jr_status apply_one(struct apply *a, const cJSON *op)
{
    const cJSON *value;
    struct jr_node *node;

    a->op = a->path = (struct jr_str){ 0 };
    if (!is_object(op))
        return fail(a, JR_INVALID, "not an object");
    a->op = jr_get_str(node_of_const(op), "op");
    if (a->op.p == NULL)
        return fail(a, JR_INVALID, "needs an \"op\"");
    node = jr_get(node_of_const(op), "path");
    if (jr_node_kind(node) != JR_STRING)
        return fail(a, JR_INVALID, "needs a \"path\"");
    a->path = jr_node_str(node);
    if (jr_str_eq(a->op, JR_S("remove")))
        return op_remove(a);
    if (jr_str_eq(a->op, JR_S("copy")) || jr_str_eq(a->op, JR_S("move")))
        return apply_from(a, op);
    if (!jr_str_eq(a->op, JR_S("add")) && !jr_str_eq(a->op, JR_S("replace")) &&
        !jr_str_eq(a->op, JR_S("test")))
        return fail(a, JR_INVALID, "unknown operation");
    value = jr_tree_member(op, JR_S("value"));
    if (value == NULL)
        return fail(a, JR_INVALID, "needs a \"value\"");
    if (jr_str_eq(a->op, JR_S("add")))
        return op_add(a, value);
    return jr_str_eq(a->op, JR_S("replace")) ? op_replace(a, value) : op_test(a, value);
}

enum jr_status jr_patch_apply(struct jr_doc *doc, const struct jr_node *patch, struct jr_error *err)
{
    struct apply a = { .root = &doc->root, .err = err };
    enum jr_status st = JR_OK;

    if (jr_node_kind(patch) != JR_ARRAY)
        return jr_fail(err, JR_INVALID, NULL, "a JSON patch is an array of operations");
    if (jr_size(patch) > JR_PATCH_MAX_OPS)
        return jr_fail(err, JR_LIMIT, NULL, "%zu operations, more than %d", jr_size(patch),
                       JR_PATCH_MAX_OPS);
    for (const cJSON *op = tree_of(patch)->child; op != NULL && st == JR_OK; op = op->next) {
        st = apply_one(&a, op);
        a.at++;
    }
    if (st == JR_OK)
        commit(&a);
    else
        roll_back(&a);
    free(a.log);
    return st;
}
