/* SPDX-License-Identifier: Apache-2.0 */
/* An intrusive hash map: the links live in the objects, so that an entry costs three words and no
 * allocation of its own. Many entries may have one key: adding and removing one costs the same all
 * the same. */
#ifndef JR_BASE_MAP_H
#define JR_BASE_MAP_H

#include "common/base/error.h"

/** A link, the member of what is in the map. */
struct jr_link {
    struct jr_link *next;  /* of the same bucket */
    struct jr_link **here; /* what points at it */
    uint32_t hash;         /* the low half of it */
    uint32_t seen;         /* for the owner of the object: room that would be lost otherwise */
};

/** Zero-initialised is empty. Equal hashes are told apart by the caller, who knows the keys. */
struct jr_map {
    struct jr_link **buckets;
    size_t n_buckets; /* a power of two, or 0 */
    size_t n;
};

/** The object that a link is the member of. */
#define jr_of(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

/** A hash of "a/b". */
uint64_t jr_map_hash2(struct jr_str a, struct jr_str b);

/** Puts link in under hash; the caller has seen that its key is not there. Errors: JR_NOMEM, only
 * while the map has no buckets at all: later a map that can't grow gets slower. */
enum jr_status jr_map_add(struct jr_map *m, struct jr_link *link, uint64_t hash) JR_MUST_USE;
/** Takes link out. */
void jr_map_remove(struct jr_map *m, struct jr_link *link);
/** The first link with this hash, and the next one after it; NULL: no more. */
struct jr_link *jr_map_first(const struct jr_map *m, uint64_t hash);
struct jr_link *jr_map_again(const struct jr_link *after);
/** Iteration over all: from NULL to NULL; the link in hand may be removed once the next is known.
 */
struct jr_link *jr_map_next(const struct jr_map *m, const struct jr_link *after);
/** Frees the buckets, not what was in them. */
void jr_map_done(struct jr_map *m);

#endif
