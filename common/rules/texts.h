/* A set of texts that lives in an arena. */
#ifndef JR_RULES_TEXTS_H
#define JR_RULES_TEXTS_H

#include "common/base/arena.h"

/** Open addressing. Zero-initialised but for the arena. The texts are borrowed. */
struct jr_texts {
    struct jr_arena *arena;
    struct jr_str *slots; /* p = NULL: free */
    size_t cap;           /* a power of two, 0 at first */
    size_t n;
    bool failed; /* no memory */
};

/** Adds s; false if it was there (or without memory). {NULL, 0} is taken for "". */
bool jr_texts_add(struct jr_texts *t, struct jr_str s);
bool jr_texts_has(const struct jr_texts *t, struct jr_str s);

#endif
