/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens noted down and read again. */
#include "common/json/tape.h"

#define FIRST_BLOCK 62
#define MAX_BLOCK 2046

/* A token, where it begins in the value's text and how long its raw text is. */
struct mark {
    unsigned kind : 4;
    unsigned at : 28;
    unsigned escaped : 1;
    unsigned n : 31;
};

struct jr_tape_block {
    const struct jr_tape_block *next;
    size_t n, cap;
    struct mark v[];
};

/* A tape that is being written. */
struct writing {
    struct jr_arena *arena;
    struct jr_tape_block *first, *last;
};

static bool add_block(struct writing *w)
{
    const size_t twice = w->last == NULL ? FIRST_BLOCK : w->last->cap * 2 + 2;
    const size_t cap = twice > MAX_BLOCK ? MAX_BLOCK : twice;
    struct jr_tape_block *b = jr_arena_alloc(w->arena, sizeof(*b) + cap * sizeof(b->v[0]));

    if (b == NULL)
        return false;
    b->cap = cap;
    if (w->last == NULL)
        w->first = b;
    else
        w->last->next = b;
    w->last = b;
    return true;
}

static inline bool add_mark(struct writing *w, const struct jr_tok *tok, size_t start)
{
    if ((w->last == NULL || w->last->n == w->last->cap) && !add_block(w))
        return false;
    w->last->v[w->last->n++] = (struct mark){ .kind = (unsigned)tok->kind & 0xf,
                                              .at = (unsigned)(tok->at - start) & 0xfffffff,
                                              .escaped = tok->escaped,
                                              .n = (unsigned)tok->raw.n & 0x7fffffff };
    return true;
}

static size_t count_of(const struct jr_reader *g)
{
    return g->counts.values + g->counts.members + g->counts.elements;
}

/** A list of containers that is being read. */
struct containers {
    bool next;      /* the last token was the key of such a list */
    unsigned depth; /* in the list; 0: in none. A list inside of another one doesn't count */
    size_t n;
};

/** Whether it is containers, initContainers or ephemeralContainers; an escaped key may be. */
static bool is_containers(const struct jr_tok *key)
{
    const size_t n = sizeof("ontainers") - 1;

    return key->escaped ||
           (key->raw.n > n && memcmp(key->raw.p + key->raw.n - n, "ontainers", n) == 0);
}

static void count_containers(struct containers *c, const struct jr_tok *tok, unsigned depth)
{
    const bool opens = c->next && c->depth == 0 && tok->kind == JR_TOK_ARRAY;

    c->next = tok->kind == JR_TOK_KEY && is_containers(tok);
    if (opens)
        c->depth = depth;
    else if (depth < c->depth)
        c->depth = 0;
    else if (c->depth > 0 && depth == c->depth + 1 && tok->kind == JR_TOK_OBJECT)
        c->n++;
}

enum jr_status jr_tape_read(struct jr_reader *g, struct jr_arena *arena, struct jr_tape *ret,
                            struct jr_error *err)
{
    const unsigned depth = g->depth;
    const size_t before = count_of(g);
    struct containers containers = { .depth = 0 };
    struct writing w = { .arena = arena };
    enum jr_tok_kind kind = JR_TOK_END;
    size_t start = 0;

    if (g->text.n > JR_TAPE_TEXT_MAX)
        return jr_fail(err, JR_LIMIT, NULL, "%zu bytes, more than %zu", g->text.n,
                       JR_TAPE_TEXT_MAX);
    do {
        struct jr_tok tok;
        enum jr_status st = jr_reader_next(g, &tok, err);

        if (st != JR_OK)
            return st;
        if (w.first == NULL) {
            start = tok.at;
            kind = tok.kind;
        }
        if (!add_mark(&w, &tok, start))
            return jr_fail(err, JR_NOMEM, NULL, "a value's tokens");
        count_containers(&containers, &tok, g->depth);
    } while (g->depth > depth);
    if (kind != JR_TOK_NULL)
        *ret = (struct jr_tape){ .text = { g->text.p + start, g->at - start },
                                 .values = count_of(g) - before,
                                 .containers = containers.n,
                                 .blocks = w.first };
    return JR_OK;
}

struct jr_tape_reader jr_tape_begin(const struct jr_tape *tape)
{
    return (struct jr_tape_reader){ .text = tape->text.p, .block = tape->blocks };
}

void jr_tape_next(struct jr_tape_reader *r, struct jr_tok *ret)
{
    const struct mark *m;
    bool quoted;

    if (r->block != NULL && r->at == r->block->n) {
        r->block = r->block->next;
        r->at = 0;
    }
    if (r->block == NULL) {
        *ret = (struct jr_tok){ .kind = JR_TOK_END };
        return;
    }
    m = &r->block->v[r->at++];
    quoted = m->kind == JR_TOK_KEY || m->kind == JR_TOK_STRING;
    ret->kind = (enum jr_tok_kind)m->kind;
    ret->at = m->at;
    ret->escaped = m->escaped;
    ret->raw = (struct jr_str){ r->text + m->at + (quoted ? 1 : 0), m->n };
}
