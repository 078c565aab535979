/* A hash map from texts to pointers or counts. */
#ifndef JR_DEVCLUSTER_APISERVER_MAP_H
#define JR_DEVCLUSTER_APISERVER_MAP_H

#include "common/base/map.h"

struct jr_dev_map_slot {
    struct jr_link link;
    void *value;
    size_t count;
    size_t blocking; /* of these */
    size_t key_n;
    char key[];
};
/** Zero-initialised is empty. */
struct jr_dev_map {
    struct jr_map slots;
};

void jr_dev_map_done(struct jr_dev_map *m);
/** NULL if it isn't there. Valid until it is dropped. */
struct jr_dev_map_slot *jr_dev_map_get(const struct jr_dev_map *m, struct jr_str key);
/** The slot of key, made if it isn't there. NULL without memory. */
struct jr_dev_map_slot *jr_dev_map_put(struct jr_dev_map *m, struct jr_str key) JR_MUST_USE;
/** Removes it; absent is fine. */
void jr_dev_map_drop(struct jr_dev_map *m, struct jr_str key);

#endif
