/* SPDX-License-Identifier: Apache-2.0 */
/* Prints trees as JSON. */
#include "common/json/doc.h"

#include "common/json/scan.h"
#include "common/json/tree.h"

#define COMPACT (-1)

static void print(const cJSON *t, int indent, struct jr_buf *out);

static void new_line(int indent, struct jr_buf *out)
{
    if (indent == COMPACT)
        return;
    jr_buf_addc(out, '\n');
    for (int i = 0; i < indent; i++)
        jr_buf_add(out, JR_S("  "));
}

static void print_children(const cJSON *t, bool object, int indent, struct jr_buf *out)
{
    const int inner = indent == COMPACT ? COMPACT : indent + 1;

    jr_buf_addc(out, object ? '{' : '[');
    for (const cJSON *c = t->child; c != NULL; c = c->next) {
        if (c != t->child)
            jr_buf_addc(out, ',');
        new_line(inner, out);
        if (object) {
            jr_put_quoted(tree_key(c), out);
            jr_buf_add(out, indent == COMPACT ? JR_S(":") : JR_S(": "));
        }
        print(c, inner, out);
    }
    if (t->child != NULL)
        new_line(indent, out);
    jr_buf_addc(out, object ? '}' : ']');
}

static void print(const cJSON *t, int indent, struct jr_buf *out)
{
    switch (jr_node_kind(node_of_const(t))) {
    case JR_NULL:
        jr_buf_add(out, JR_S("null"));
        break;
    case JR_FALSE:
        jr_buf_add(out, JR_S("false"));
        break;
    case JR_TRUE:
        jr_buf_add(out, JR_S("true"));
        break;
    case JR_NUMBER:
        jr_buf_add(out, tree_text(t));
        break;
    case JR_STRING:
        jr_put_quoted(tree_text(t), out);
        break;
    case JR_ARRAY:
        print_children(t, false, indent, out);
        break;
    case JR_OBJECT:
        print_children(t, true, indent, out);
        break;
    }
}

enum jr_status jr_node_print(const struct jr_node *node, struct jr_buf *out)
{
    print(tree_of(node), COMPACT, out);
    return out->failed;
}

enum jr_status jr_node_print_pretty(const struct jr_node *node, struct jr_buf *out)
{
    print(tree_of(node), 0, out);
    jr_buf_addc(out, '\n');
    return out->failed;
}
