/* SPDX-License-Identifier: Apache-2.0 */
/* How long our code takes over lists that somebody else has written: the same list of random
 * members and of such as are sorted, reversed, equal or made to collide. */
#ifndef JR_BENCH_LISTS_H
#define JR_BENCH_LISTS_H

#include "common/base/buf.h"
#include "common/schema/profiles.h"

#define MEMBER_BYTES 10

enum form { RANDOM, SORTED, REVERSED, EQUAL, COLLIDING, FORMS };
extern const char *const form_names[FORMS];

/** n texts of MEMBER_BYTES letters and digits each, valid as names and label keys. */
struct members {
    char (*v)[MEMBER_BYTES + 1];
    size_t n;
};
/** Ends the program without memory. Equal arguments give equal members. */
struct members members_make(enum form form, size_t n);
void members_free(struct members *m);

/** Fills v with n different texts whose FNV-1a (64 bits) ends in the same 18 bits: what fell into
 * one slot of every table of this code while its hash had no key. */
void collide(char (*v)[MEMBER_BYTES + 1], size_t n);

/** A kind of list: what is prepared of members is worked on as often as one likes. */
struct kind {
    const char *name;
    void *(*prepare)(const struct kind *k, const struct members *m);
    void (*work)(void *prepared);
    void (*done)(void *prepared);
    /* reviews.c's */
    const char *before, *item, *after; /* item: "%s" once or more, all the same member */
    const char *between, *second; /* what follows the items, and another list's item; or NULL */
    char brackets[3];
    bool numbers; /* members are numbers, 1 to n in the form's order */
};

extern const struct kind review_kinds[];
extern const size_t n_review_kinds;
extern const struct kind object_kinds[];
extern const size_t n_object_kinds;

/** The text of such a review, as a new Job is validated. The caller ends it. */
struct jr_buf review_text(const struct kind *k, const struct members *m);

/** The versions by which reviews are answered at present. */
const struct jr_profiles *lists_profiles(void);

/** Ends the program: what ought to work did not. */
void lists_die(const char *kind, const char *what) __attribute__((noreturn));

/** Comparisons of texts so far: calls of memcmp, strcmp, strncmp. */
size_t lists_comparisons(void);

#endif
