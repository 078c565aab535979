/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of trees: made, copied, moved, linked, freed. */
#include "common/json/tree.h"

#define FIRST_NODES 32
#define MAX_NODES 2048

struct jr_block {
    struct jr_block *next;
    size_t n;
    size_t cap;
    cJSON nodes[];
};

static bool add_block(struct jr_pool *p, size_t cap)
{
    struct jr_block *b = malloc(sizeof(*b) + cap * sizeof(b->nodes[0]));

    if (b == NULL)
        return false;
    b->next = p->blocks;
    b->n = 0;
    b->cap = cap;
    p->blocks = b;
    return true;
}

bool jr_pool_reserve(struct jr_pool *p, size_t nodes, size_t text)
{
    if (text > p->text_cap - p->text_n) {
        if (p->text != NULL)
            return false; /* texts must not move */
        p->text = malloc(text);
        if (p->text == NULL)
            return false;
        p->text_cap = text;
    }
    return nodes == 0 || add_block(p, nodes);
}

void jr_pool_done(struct jr_pool *p)
{
    while (p->blocks != NULL) {
        struct jr_block *next = p->blocks->next;

        free(p->blocks);
        p->blocks = next;
    }
    free(p->text);
    *p = (struct jr_pool){ 0 };
}

static cJSON *pool_node(struct jr_pool *p)
{
    struct jr_block *b = p->blocks;

    if (b == NULL || b->n == b->cap) {
        size_t cap = b == NULL ? FIRST_NODES : b->cap * 2;

        if (!add_block(p, cap > MAX_NODES ? MAX_NODES : cap))
            return NULL;
        b = p->blocks;
    }
    return &b->nodes[b->n++];
}

cJSON *jr_tree_new(struct jr_pool *pool, int type)
{
    cJSON *t = pool == NULL ? cJSON_CreateNull() : pool_node(pool);

    if (t != NULL)
        *t = (cJSON){ .type = pool == NULL ? type : type | NODE_FLAGS };
    return t;
}

char *jr_tree_dup(struct jr_pool *pool, struct jr_str s)
{
    char *p;

    if (pool == NULL) {
        p = s.n > TEXT_MAX ? NULL : malloc(s.n + 1);
    } else {
        p = pool->text + pool->text_n;
        pool->text_n += s.n + 1;
    }
    if (p == NULL)
        return NULL;
    if (s.n > 0)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return p;
}

static bool copy_key(struct jr_pool *pool, cJSON *t, const cJSON *src)
{
    if (src->string == NULL)
        return true;
    if (pool == NULL)
        return jr_tree_set_key(t, tree_key(src));
    tree_set_key(t, jr_tree_dup(pool, tree_key(src)), tree_key(src).n);
    return true;
}

/* A copy of src alone: its text, no children, no key. */
static cJSON *copy_one(struct jr_pool *pool, const cJSON *src)
{
    cJSON *t = jr_tree_new(pool, NODE_TYPE(src));

    if (t == NULL || src->valuestring == NULL)
        return t;
    t->valuestring = jr_tree_dup(pool, tree_text(src));
    t->valueint = src->valueint;
    if (t->valuestring == NULL) {
        jr_tree_free(t);
        return NULL;
    }
    return t;
}

cJSON *jr_tree_copy(struct jr_pool *pool, const cJSON *src)
{
    cJSON *t = copy_one(pool, src);

    if (t == NULL)
        return NULL;
    for (const cJSON *c = src->child; c != NULL; c = c->next) {
        cJSON *copy = jr_tree_copy(pool, c);

        if (copy == NULL || !copy_key(pool, copy, c)) {
            jr_tree_free(copy);
            jr_tree_free(t);
            return NULL;
        }
        jr_tree_append(t, copy);
    }
    return t;
}

struct jr_tree_size jr_tree_measure(const cJSON *src)
{
    struct jr_tree_size sum = { .nodes = 1 };

    if (src->valuestring != NULL)
        sum.text = (size_t)src->valueint + 1;
    for (const cJSON *c = src->child; c != NULL; c = c->next) {
        struct jr_tree_size s = jr_tree_measure(c);

        sum.nodes += s.nodes;
        sum.text += s.text + (c->string == NULL ? 0 : tree_key(c).n + 1);
        sum.depth = s.depth > sum.depth ? s.depth : sum.depth;
    }
    sum.depth++;
    return sum;
}

void jr_tree_clear(cJSON *t)
{
    cJSON *c = t->child;

    while (c != NULL) {
        cJSON *next = c->next;

        jr_tree_free(c);
        c = next;
    }
    if ((t->type & cJSON_IsReference) == 0)
        free(t->valuestring);
    t->child = NULL;
    t->valuestring = NULL;
    t->valueint = 0;
    t->type = cJSON_NULL | (t->type & (cJSON_StringIsConst | NODE_POOLED));
}

void jr_node_wipe(struct jr_node *node)
{
    if (node == NULL)
        return;
    if (tree_of(node)->valuestring != NULL)
        explicit_bzero(tree_mut(node)->valuestring, (size_t)tree_of(node)->valueint);
    for (struct jr_node *c = jr_first(node); c != NULL; c = jr_next(c))
        jr_node_wipe(c);
}

void jr_tree_free(cJSON *t)
{
    if (t == NULL)
        return;
    jr_tree_clear(t);
    if ((t->type & cJSON_StringIsConst) == 0)
        free(t->string);
    if ((t->type & NODE_POOLED) == 0)
        cJSON_free(t);
}

/** Exchanges types, children and texts of two nodes; keys and places stay. */
static void swap(cJSON *a, cJSON *b)
{
    const int own = cJSON_StringIsConst | NODE_POOLED;
    const cJSON was = *a;

    a->type = (b->type & ~own) | (was.type & own);
    a->child = b->child;
    a->valuestring = b->valuestring;
    a->valueint = b->valueint;
    b->type = (was.type & ~own) | (b->type & own);
    b->child = was.child;
    b->valuestring = was.valuestring;
    b->valueint = was.valueint;
}

void jr_tree_move(cJSON *t, cJSON *from)
{
    jr_tree_clear(t);
    swap(t, from);
}

void jr_tree_append(cJSON *parent, cJSON *t)
{
    (void)cJSON_AddItemToArray(parent, t); /* fails only without one of them */
    parent->valueint++;
}

void jr_tree_insert(cJSON *parent, cJSON *before, cJSON *t)
{
    t->next = before;
    t->prev = before->prev;
    before->prev = t;
    *(parent->child == before ? &parent->child : &t->prev->next) = t;
    parent->valueint++;
}

void jr_tree_unlink(cJSON *parent, cJSON *t)
{
    (void)cJSON_DetachItemViaPointer(parent, t);
    parent->valueint--;
}

bool jr_tree_set_key(cJSON *t, struct jr_str key)
{
    char *copy = jr_tree_dup(NULL, key);

    if (copy == NULL)
        return false;
    if ((t->type & cJSON_StringIsConst) == 0)
        free(t->string);
    tree_set_key(t, copy, key.n);
    t->type &= ~cJSON_StringIsConst;
    return true;
}

cJSON *jr_tree_member(const cJSON *obj, struct jr_str key)
{
    char first = '\0'; /* a key's length costs more than its first byte */

    if (key.n > 0)
        first = key.p[0];
    for (cJSON *c = obj->child; c != NULL; c = c->next) {
        if (c->string[0] == first && jr_str_eq(tree_key(c), key))
            return c;
    }
    return NULL;
}

cJSON *jr_tree_named(const cJSON *obj, const char *name)
{
    for (cJSON *c = obj->child; c != NULL; c = c->next) {
        if (c->string[0] == name[0] && strcmp(c->string, name) == 0 &&
            tree_key(c).n == strlen(name)) /* a key may go on behind a NUL */
            return c;
    }
    return NULL;
}

cJSON *jr_tree_element(const cJSON *arr, size_t i)
{
    size_t n = (size_t)arr->valueint;
    cJSON *c = arr->child;

    if (i >= n)
        return NULL;
    if (i < n / 2) {
        while (i-- > 0)
            c = c->next;
    } else {
        for (c = c->prev; i + 1 < n; i++)
            c = c->prev;
    }
    return c;
}
