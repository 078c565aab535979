/* Looking up many members of one object. */
#ifndef JR_RULES_MEMBERS_H
#define JR_RULES_MEMBERS_H

#include "common/json/doc.h"

/** The members of an object, sorted by key where there are many. Borrowed from arena and tree. */
struct jr_members {
    const struct jr_node *object;
    const struct jr_node **sorted; /* NULL: few */
    size_t n;
};
/** object may be NULL. Without memory *failed becomes JR_NOMEM, and members are found all the same.
 */
void jr_members_init(struct jr_members *m, const struct jr_node *object, struct jr_arena *arena,
                     enum jr_status *failed);
/** The member, NULL if there is none. */
const struct jr_node *jr_members_get(const struct jr_members *m, struct jr_str key);

#endif
