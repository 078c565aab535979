/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON Patch from one tree to another. */
#include "common/json/patch.h"

#include "common/json/members.h"
#include "common/json/scan.h"
#include "common/json/tree.h"

struct diff {
    struct jr_buf *out;
    struct jr_buf path;
    size_t ops;
    enum jr_status st; /* JR_LIMIT: more operations than a patch may have */
};

static void emit(struct diff *d, struct jr_str op, const cJSON *value)
{
    if (d->st == JR_OK && d->ops == JR_PATCH_MAX_OPS)
        d->st = JR_LIMIT;
    if (d->st != JR_OK)
        return;
    jr_buf_add(d->out, d->ops++ == 0 ? JR_S("{\"op\":\"") : JR_S(",{\"op\":\""));
    jr_buf_add(d->out, op);
    jr_buf_add(d->out, JR_S("\",\"path\":"));
    jr_put_quoted(jr_buf_str(&d->path), d->out);
    if (value != NULL) {
        jr_buf_add(d->out, JR_S(",\"value\":"));
        d->st = jr_node_print(node_of_const(value), d->out);
    }
    jr_buf_addc(d->out, '}');
    if (d->path.failed != JR_OK)
        d->st = d->path.failed;
}

static void replace(struct diff *d, const cJSON *to)
{
    emit(d, JR_S("replace"), to);
}

/* Goes down to a member or an element; gives what jr_up needs. */
static size_t enter_path(struct diff *d, struct jr_str token)
{
    size_t was = d->path.n;

    jr_buf_addc(&d->path, '/');
    if (jr_pointer_add(&d->path, token) != JR_OK)
        d->st = d->path.failed;
    return was;
}

static size_t down_at(struct diff *d, size_t i)
{
    size_t was = d->path.n;

    jr_buf_addc(&d->path, '/');
    if (jr_buf_add_i64(&d->path, (int64_t)i) != JR_OK)
        d->st = d->path.failed;
    return was;
}

static void leave_path(struct diff *d, size_t was)
{
    d->path.n = was;
    if (d->path.p != NULL)
        d->path.p[was] = '\0';
}

static void diff_tree(struct diff *d, const cJSON *from, const cJSON *to);

static void diff_objects(struct diff *d, const cJSON *from, const cJSON *to)
{
    JR_MEMBERS old;
    JR_MEMBERS new;
    size_t was;

    jr_members_init(&old, node_of_const(from), NULL, &d->st);
    jr_members_init(&new, node_of_const(to), NULL, &d->st);
    for (const cJSON *x = from->child; x != NULL && d->st == JR_OK; x = x->next) {
        const cJSON *y = tree_of(jr_members_get(&new, tree_key(x)));

        was = enter_path(d, tree_key(x));
        if (y == NULL)
            emit(d, JR_S("remove"), NULL);
        else
            diff_tree(d, x, y);
        leave_path(d, was);
    }
    for (const cJSON *y = to->child; y != NULL && d->st == JR_OK; y = y->next) {
        if (jr_members_get(&old, tree_key(y)) != NULL)
            continue;
        was = enter_path(d, tree_key(y));
        emit(d, JR_S("add"), y);
        leave_path(d, was);
    }
}

/* Two runs of elements, from index i on, that differ at both ends. */
static void diff_runs(struct diff *d, size_t i, const cJSON *x, size_t n, const cJSON *y, size_t m)
{
    size_t was;

    for (; n > 0 && m > 0 && x != NULL && y != NULL && d->st == JR_OK;
         n--, m--, i++, x = x->next, y = y->next) {
        was = down_at(d, i);
        diff_tree(d, x, y);
        leave_path(d, was);
    }
    for (; m > 0 && y != NULL && d->st == JR_OK; m--, i++, y = y->next) {
        was = down_at(d, i);
        emit(d, JR_S("add"), y);
        leave_path(d, was);
    }
    for (; n > 0 && d->st == JR_OK; n--) {
        was = down_at(d, i + n - 1);
        emit(d, JR_S("remove"), NULL);
        leave_path(d, was);
    }
}

static bool equal(const cJSON *a, const cJSON *b)
{
    return jr_node_equal(node_of_const(a), node_of_const(b));
}

static void diff_arrays(struct diff *d, const cJSON *from, const cJSON *to)
{
    size_t n = (size_t)from->valueint, m = (size_t)to->valueint, i = 0;
    const cJSON *x = from->child, *y = to->child;

    for (; x != NULL && y != NULL && equal(x, y); x = x->next, y = y->next, i++) {
        n--;
        m--;
    }
    if (x != NULL && y != NULL) {
        const cJSON *xe = from->child->prev, *ye = to->child->prev; /* the last ones */

        for (; n > 0 && m > 0 && equal(xe, ye); xe = xe->prev, ye = ye->prev) {
            n--;
            m--;
        }
    }
    diff_runs(d, i, x, n, y, m);
}

static void diff_tree(struct diff *d, const cJSON *from, const cJSON *to)
{
    const bool same_type = NODE_TYPE(from) == NODE_TYPE(to);

    if (same_type && is_object(from))
        diff_objects(d, from, to);
    else if (same_type && is_array(from))
        diff_arrays(d, from, to);
    else if (!equal(from, to))
        replace(d, to);
}

static void diff_done(struct diff *d)
{
    jr_buf_done(&d->path);
}

enum jr_status jr_patch_diff(const struct jr_node *from, const struct jr_node *to,
                             struct jr_buf *out)
{
    JR_CLEANUP(diff_done) struct diff d = { .out = out };
    size_t start;

    jr_buf_init(&d.path, JR_BUF_BY_INPUT);
    jr_buf_addc(out, '[');
    start = out->n;
    diff_tree(&d, tree_of(from), tree_of(to));
    if (d.st == JR_LIMIT && d.ops == JR_PATCH_MAX_OPS && out->failed == JR_OK) {
        /* No one would apply so many: one operation says it too. */
        out->n = start;
        d.ops = 0;
        d.st = JR_OK;
        leave_path(&d, 0);
        replace(&d, tree_of(to));
    }
    jr_buf_addc(out, ']');
    return d.st != JR_OK ? d.st : out->failed;
}
