/* SPDX-License-Identifier: Apache-2.0 */
/* Looking up many members of one object. */
#ifndef JR_JSON_MEMBERS_H
#define JR_JSON_MEMBERS_H

#include "common/base/arena.h"
#include "common/json/doc.h"

/** The members of an object, sorted by key where there are many. They must stay while it is used.
 */
struct jr_members {
    const struct jr_node *object;
    struct jr_node **sorted; /* NULL: few, or no memory */
    size_t n;
    bool owned; /* sorted is */
};
/** object may be NULL. arena NULL: ended by jr_members_done(). Without memory *failed becomes
 * JR_NOMEM, and members are found all the same, but slowly; failed may be NULL. */
void jr_members_init(struct jr_members *m, const struct jr_node *object, struct jr_arena *arena,
                     enum jr_status *failed);
void jr_members_done(struct jr_members *m);
/** The member, NULL if there is none. */
struct jr_node *jr_members_get(const struct jr_members *m, struct jr_str key);

/** All members of an object, jr_size(object) of them, sorted by key; the caller frees the array.
 * NULL: no memory. object may be NULL. */
const struct jr_node **jr_members_sorted(const struct jr_node *object);

#define JR_MEMBERS JR_CLEANUP(jr_members_done) struct jr_members

#endif
