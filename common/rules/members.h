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
/** object may be NULL. False without memory. */
bool jr_members_init(struct jr_members *m, const struct jr_node *object,
                     struct jr_arena *arena) JR_MUST_USE;
/** The member, NULL if there is none. */
const struct jr_node *jr_members_get(const struct jr_members *m, struct jr_str key);

#endif
