/* SPDX-License-Identifier: Apache-2.0 */
/* What the sources of this folder know of a tree: a node is a cJSON, used as follows.
 *
 *   kind      type                     valuestring, valueint
 *   number    cJSON_Raw                source text and its length: nothing passes through a double
 *   string    cJSON_String             text and its length: it may hold NUL bytes
 *   array     cJSON_Array              number of elements in valueint
 *   object    cJSON_Object             number of members in valueint; keys are unique
 *
 * A member's key may hold NUL bytes, too: its length is in valuedouble, which nothing else uses.
 * child->prev is the last child, as in cJSON. The texts of a parsed or copied document lie in one
 * piece of memory and its nodes in a few; cJSON's flags say that a node's texts are not its own,
 * and NODE_POOLED that it isn't either. Nodes that are added later are allocated one by one.
 *
 * cJSON makes, attaches and detaches nodes; here their number is kept. The rest is ours, since
 * cJSON's own
 *   parser    takes what RFC 8259 forbids, rounds numbers to doubles, cuts texts at U+0000, keeps
 *             the first of equal keys, and makes an allocation of each node and text;
 *   printer   ends texts at a NUL, passes bytes on that are no UTF-8;
 *   copies    are made of texts by strlen(), and of nodes one by one;
 *   deletion  frees nodes that lie in a pool;
 *   insertion counts elements from the first one, and in Debian 12's 1.7.15 adds none between two;
 *   look-up and comparison go by strcmp(), and are quadratic in the members of an object. */
#ifndef JR_JSON_TREE_H
#define JR_JSON_TREE_H

#include <cjson/cJSON.h>
#include <limits.h>

#include "common/json/doc.h"

#define NODE_POOLED (1 << 10)
#define NODE_FLAGS (cJSON_IsReference | cJSON_StringIsConst | NODE_POOLED)
#define NODE_TYPE(n) ((n)->type & 0xff)

/* valueint holds lengths, so no text may be longer. */
#define TEXT_MAX ((size_t)INT_MAX - 1)

struct jr_block;
/* Where a document's nodes and texts lie. Zeroed, it is empty. */
struct jr_pool {
    struct jr_block *blocks;
    char *text;
    size_t text_n;
    size_t text_cap;
};

struct jr_doc {
    cJSON root;
    struct jr_pool pool;
};

static inline const cJSON *tree_of(const struct jr_node *n)
{
    return (const cJSON *)n;
}
static inline cJSON *tree_mut(struct jr_node *n)
{
    return (cJSON *)n;
}
static inline struct jr_node *node_of(cJSON *t)
{
    return (struct jr_node *)t;
}
static inline const struct jr_node *node_of_const(const cJSON *t)
{
    return (const struct jr_node *)t;
}
static inline bool is_object(const cJSON *t)
{
    return t != NULL && NODE_TYPE(t) == cJSON_Object;
}
static inline bool is_array(const cJSON *t)
{
    return t != NULL && NODE_TYPE(t) == cJSON_Array;
}
static inline struct jr_str tree_text(const cJSON *t)
{
    return (struct jr_str){ t->valuestring, (size_t)t->valueint };
}
static inline struct jr_str tree_key(const cJSON *t)
{
    return (struct jr_str){ t->string, (size_t)t->valuedouble };
}
/* The key that t has from now on; who owns its bytes is said by the flags. */
static inline void tree_set_key(cJSON *t, char *key, size_t n)
{
    t->string = key;
    t->valuedouble = (double)n;
}

/** Room for n more nodes and text bytes, in one piece each. */
bool jr_pool_reserve(struct jr_pool *p, size_t nodes, size_t text);
void jr_pool_done(struct jr_pool *p);
/** A new node without children, key or text; pool NULL: allocated by itself. NULL without memory.
 */
cJSON *jr_tree_new(struct jr_pool *pool, int type);
/** A copy of s with a NUL behind it, in pool (which must have the room) or by itself. */
char *jr_tree_dup(struct jr_pool *pool, struct jr_str s);
/** A deep copy of src without its key, in pool (which must have the room for its texts) or by
 * itself. NULL without memory. */
cJSON *jr_tree_copy(struct jr_pool *pool, const cJSON *src);
/** What a copy of src takes: nodes, and bytes of text with a NUL behind each. */
struct jr_tree_size {
    size_t nodes;
    size_t text;
    unsigned depth; /* 1 for a value without children */
};
struct jr_tree_size jr_tree_measure(const cJSON *src);
/** Frees t and all below it; NULL is fine. t is linked nowhere. */
void jr_tree_free(cJSON *t);
/** Frees what t holds but not t: children and text; not its key. */
void jr_tree_clear(cJSON *t);
/** Gives t the type, children and text of from, which is left a null; t keeps its key and place. */
void jr_tree_move(cJSON *t, cJSON *from);

/** Puts t, which has no place, behind the last one, or before another one. */
void jr_tree_append(cJSON *parent, cJSON *t);
void jr_tree_insert(cJSON *parent, cJSON *before, cJSON *t);
/** Takes t out of its parent; it is the caller's then. */
void jr_tree_unlink(cJSON *parent, cJSON *t);
/** Gives t a key of its own. False without memory. */
bool jr_tree_set_key(cJSON *t, struct jr_str key);
/** NULL if there is none. */
cJSON *jr_tree_member(const cJSON *obj, struct jr_str key);
/** The same by a name without NUL bytes. */
cJSON *jr_tree_named(const cJSON *obj, const char *name);
/** Element i, from the nearer end; NULL past the end. */
cJSON *jr_tree_element(const cJSON *arr, size_t i);

#endif
