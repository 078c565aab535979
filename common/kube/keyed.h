/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept under a text (a uid, a namespace, a queue's key) or under a Job's names: objects
 * that begin with a struct jr_keyed, in maps that own them. */
#ifndef JR_KUBE_KEYED_H
#define JR_KUBE_KEYED_H

#include "common/base/memory.h"
#include "common/kube/object_key.h"

/** The first member of such an object. Its texts lie behind the object. */
struct jr_keyed {
    struct jr_link link;
    uint32_t at; /* where they begin, from the object's address */
    uint32_t namespace_n, name_n, uid_n;
};

/** Borrowed from the object. */
struct jr_object_key jr_keyed_key(const void *object);
/** An object of size bytes with a copy of the key, zeroed else; in no map. Freed by free(). */
void *jr_keyed_new(size_t size, const struct jr_object_key *key);
/** The object of this namespace and name, whatever the uid; NULL: there is none. */
void *jr_keyed_find(const struct jr_map *m, const struct jr_object_key *key);
/** The same, if it has the key's uid; else NULL. */
void *jr_keyed_find_uid(const struct jr_map *m, const struct jr_object_key *key);
/** As jr_keyed_find; where there is none it is made, of size bytes. */
void *jr_keyed_need(struct jr_map *m, size_t size, const struct jr_object_key *key);
/** Takes the object out of its map and frees it. */
void jr_keyed_drop(struct jr_map *m, void *object);
/** Frees all objects, each after done, which may be NULL, and the map. */
void jr_keyed_done(struct jr_map *m, void (*done)(void *object));

#endif
