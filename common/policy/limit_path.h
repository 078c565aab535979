/* SPDX-License-Identifier: Apache-2.0 */
/* Paths to what a limit is about, by the tables of common/schema:
 * "template.spec.containers[*].image". Pure. */
#ifndef JR_POLICY_LIMIT_PATH_H
#define JR_POLICY_LIMIT_PATH_H

#include "common/json/field_path.h"
#include "common/schema/schema.h"

/** Where a path begins. */
enum jr_limit_root {
    JR_LIMIT_OF_SPEC,     /* the Job's spec */
    JR_LIMIT_OF_METADATA, /* the Job's metadata, or that of a CronJob's jobTemplate */
    JR_LIMIT_OF_CRON_JOB, /* a CronJob's spec */
};

enum jr_limit_step_kind {
    JR_STEP_FIELD, /* a field of a struct */
    JR_STEP_KEY,   /* an entry of a map, or the element of a list that has the key */
    JR_STEP_KEYS,  /* all of these whose key a glob matches */
    JR_STEP_EACH,  /* each element of a list, or entry of a map */
};
struct jr_limit_step {
    enum jr_limit_step_kind kind;
    struct jr_str name;      /* the field, the key or the glob */
    struct jr_str merge_key; /* of a list: the field that tells its elements apart; n = 0: none */
};
#define JR_LIMIT_STEPS_MAX 16

/** A path; all of it lies in an arena. */
struct jr_limit_path {
    enum jr_limit_root root;
    struct jr_str text;
    struct jr_limit_step *steps;
    size_t n;
    size_t n_head; /* the first steps, as far as there is one node only */
    /* The value: a STRING also of a map's entries and a list's elements, an INT64 likewise. */
    enum jr_schema_kind kind;
    const struct jr_schema_field *field; /* the last step's; NULL: that is no field */
};

/** Parses a path: names of fields with '.' between, "[*]" behind a list or a map, "[KEY]" behind a
 * map or a list whose elements have a key; '*' and '?' in KEY make a glob of it. text is copied
 * into the arena. A path that leads nowhere makes *ret_why say so, with what was meant; else that
 * is NULL. Errors: JR_NOMEM. */
enum jr_status jr_limit_path_parse(enum jr_limit_root root, struct jr_str text,
                                   struct jr_arena *arena, struct jr_limit_path *ret,
                                   const char **ret_why) JR_MUST_USE;
/** Appends the path of one entry to that of a map. The key is borrowed. Errors: JR_NOMEM. */
enum jr_status jr_limit_path_add_key(struct jr_limit_path *p, struct jr_str key,
                                     struct jr_arena *arena) JR_MUST_USE;

/** A walk over all values that a path leads to. */
struct jr_limit_walk {
    const struct jr_limit_path *path;
    /* at[i] is what step i starts from, at[path->n] the value, NULL where it is absent; from n_head
     * on. What lies before isn't set: to clear all of it for each limit would be much. */
    const struct jr_node *at[JR_LIMIT_STEPS_MAX + 1];
    size_t index[JR_LIMIT_STEPS_MAX]; /* of list elements */
    bool begun;
};
/** Begins a walk below the root, which may be NULL. */
void jr_limit_walk_begin(struct jr_limit_walk *w, const struct jr_limit_path *p,
                         const struct jr_node *root);
/** Goes to the next value; false: there is none. A field that is absent is a value, an element that
 * isn't there is none. */
bool jr_limit_walk_next(struct jr_limit_walk *w);
/** Returns the value's path below root's; room holds what lies between. */
const struct jr_field_path *jr_limit_walk_path(const struct jr_limit_walk *w,
                                               const struct jr_field_path *root,
                                               struct jr_field_path room[JR_LIMIT_STEPS_MAX]);
/** Whether two walks of one path, in two objects, are at what a client takes for the same: elements
 * by their key, entries by theirs; elements without a key are not told apart. */
bool jr_limit_walk_same(const struct jr_limit_walk *a, const struct jr_limit_walk *b);

#endif
