/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of default values over a tree, and the record of what they did. */
#ifndef JR_RULES_DEFAULT_TABLE_H
#define JR_RULES_DEFAULT_TABLE_H

#include "common/api/field_error.h"
#include "common/json/doc.h"
#include "common/schema/profile.h"

/** What was defaulted, and by which rule: "spec.suspend=default-suspend,...", in the order in which
 * it was done. What finds no room is counted. */
struct jr_defaulting_log {
    struct jr_buf text;
    size_t omitted;
    size_t max; /* bytes */
};
/** Starts an empty log of at most max bytes. */
void jr_defaulting_log_init(struct jr_defaulting_log *log, size_t max);
void jr_defaulting_log_done(struct jr_defaulting_log *log);
/** Adds an entry: the member of the object at path (NULL: of the root) was set by the rule `id`.
 * name NULL: the object itself. log NULL: nothing is done. */
void jr_defaulting_note(struct jr_defaulting_log *log, const struct jr_field_path *path,
                        const char *name, const char *id);
/** Ends the text: with "...=N" where N entries found no room. It is borrowed. Errors: JR_NOMEM. */
enum jr_status jr_defaulting_log_text(struct jr_defaulting_log *log,
                                      struct jr_str *ret) JR_MUST_USE;

enum jr_default_how {
    JR_DEFAULT_TEXT,       /* a string, where it is absent, null or "" */
    JR_DEFAULT_TEXT_UNSET, /* a string, where it is absent or null */
    JR_DEFAULT_INT,        /* a number, where it is absent, null or 0 */
    JR_DEFAULT_INT_UNSET,  /* a number, where it is absent or null */
    JR_DEFAULT_FALSE,      /* false, where it is absent or null */
    JR_DEFAULT_OBJECT,     /* {}, where it is absent or null */
    JR_DEFAULT_IN,         /* another table, for the object that is there */
    JR_DEFAULT_EACH,       /* another table, for each object of the array that is there */
    JR_DEFAULT_CALL,       /* a function on the object that the table is for */
};

struct jr_default_row;
/** Sets what is no row of a table, and notes what it did under row->id. path: of the object. */
typedef enum jr_status jr_default_fn(struct jr_node *object, const struct jr_default_row *row,
                                     const struct jr_field_path *path,
                                     struct jr_defaulting_log *log);

/** One default; a table ends with a row that has neither a name nor a function. Rows are applied in
 * order. */
struct jr_default_row {
    const char *name;
    enum jr_default_how how;
    const char *text;
    int64_t number;
    const struct jr_default_row *table;
    jr_default_fn *fn;
    const char *id; /* of the rule, "default-dns-policy" */
    bool gated;     /* not applied while this gate is off: */
    enum jr_gate_id gate;
    bool changed; /* not applied by versions without this change: */
    enum jr_kube_change change;
};
#define JR_DEFAULT_SINCE(name_) .changed = true, .change = JR_CHANGE_##name_
#define JR_DEFAULT_BEHIND(name_) .gated = true, .gate = JR_GATE_##name_
#define JR_DEFAULT_END \
    {                  \
        .name = NULL   \
    }

/** Applies a table to the object at path (NULL: the root), as that Kubernetes does; anything else
 * is left alone, as are members of the wrong type. log may be NULL. Errors: JR_NOMEM. */
enum jr_status jr_defaults_apply(const struct jr_default_row *table, struct jr_node *object,
                                 const struct jr_profile *profile, const struct jr_field_path *path,
                                 struct jr_defaulting_log *log) JR_MUST_USE;

#endif
