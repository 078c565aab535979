/* SPDX-License-Identifier: Apache-2.0 */
/* The machinery of job_gen: chances, texts and objects with their members in any order. */
#ifndef JR_SUPPORT_JOB_GEN_MAKE_H
#define JR_SUPPORT_JOB_GEN_MAKE_H

#include "common/base/arena.h"
#include "tests/support/job_gen.h"

#define JR_MAKE_MEMBERS_MAX 64

/** One Job while it is made. Without memory `failed` sticks; texts are then "null". */
struct jr_making {
    struct jr_job_gen *g;
    struct jr_rand r;
    struct jr_arena arena;
    bool failed;
};

/** An object while it is made. */
struct jr_made {
    struct {
        const char *key; /* quoted */
        const char *value;
    } v[JR_MAKE_MEMBERS_MAX];
    size_t n;
};

uint64_t jr_make_below(struct jr_making *m, uint64_t n);
bool jr_make_percent(struct jr_making *m, unsigned p);
/** Something wrong, in a Job that may have it. */
bool jr_make_wrong(struct jr_making *m);

/** text, or "null" and a failure without memory. */
const char *jr_make_check(struct jr_making *m, const char *text);
#define TEXT(m, ...) jr_make_check(m, jr_arena_printf(&(m)->arena, __VA_ARGS__))
#define PICK(m, list) (list)[jr_make_below(m, JR_ARRAY_SIZE(list))]
const char *jr_make_quoted(struct jr_making *m, const char *s);
/** Any value that JSON has. */
const char *jr_make_any(struct jr_making *m, unsigned depth);

void jr_make_put(struct jr_making *m, struct jr_made *o, const char *key, const char *value);
void jr_make_put_str(struct jr_making *m, struct jr_made *o, const char *key, const char *value);
/** The object's text, members in any order. map: keys are the user's, nothing may be added. */
const char *jr_make_text(struct jr_making *m, struct jr_made *o, bool map);
/** "[A,B]" of n values. */
const char *jr_make_list(struct jr_making *m, size_t n,
                         const char *(*fn)(struct jr_making *m, size_t i));

#endif
