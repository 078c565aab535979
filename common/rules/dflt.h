/* Tables of default values over a tree. */
#ifndef JR_RULES_DFLT_H
#define JR_RULES_DFLT_H

#include "common/json/doc.h"

enum jr_dflt_how {
    JR_DFLT_TEXT,       /* a string, where it is absent, null or "" */
    JR_DFLT_TEXT_UNSET, /* a string, where it is absent or null */
    JR_DFLT_INT,        /* a number, where it is absent, null or 0 */
    JR_DFLT_INT_UNSET,  /* a number, where it is absent or null */
    JR_DFLT_FALSE,      /* false, where it is absent or null */
    JR_DFLT_OBJECT,     /* {}, where it is absent or null */
    JR_DFLT_IN,         /* another table, for the object that is there */
    JR_DFLT_EACH,       /* another table, for each object of the array that is there */
    JR_DFLT_CALL,       /* a function on the object that the table is for */
};

/** One default; a table ends with a row that has neither a name nor a function. Rows are applied in
 * order. */
struct jr_dflt {
    const char *name;
    enum jr_dflt_how how;
    const char *text;
    int64_t number;
    const struct jr_dflt *table;
    enum jr_status (*fn)(struct jr_node *object);
};
#define JR_DFLT_END  \
    {                \
        .name = NULL \
    }

/** Applies a table to an object; anything else is left alone, as are members of the wrong type.
 * Errors: JR_NOMEM. */
enum jr_status jr_dflt_apply(const struct jr_dflt *table, struct jr_node *object) JR_MUST_USE;

#endif
