/* Differences of texts by lines, as unified diffs. */
#ifndef JR_CLI_LINEDIFF_H
#define JR_CLI_LINEDIFF_H

#include "common/base/arena.h"
#include "common/base/buf.h"

struct jr_diff_line {
    char op;            /* ' ', '-', '+' */
    struct jr_str text; /* without its newline */
};

/** Two texts that are compared part by part: what is added together is compared together. Lines are
 * borrowed from the texts that were added. */
struct jr_linediff {
    struct jr_arena arena;
    struct jr_diff_line *v;
    size_t n;
    size_t cap;
};
void jr_linediff_init(struct jr_linediff *d);
void jr_linediff_done(struct jr_linediff *d);
/** Compares the next part of both texts (Myers' greedy algorithm; parts that differ in thousands of
 * lines are given as wholly replaced). Errors: JR_NOMEM. */
enum jr_status jr_linediff_add(struct jr_linediff *d, struct jr_str a, struct jr_str b) JR_MUST_USE;
/** Appends the unified diff with three lines of context; nothing if there is no difference. */
enum jr_status jr_linediff_write(const struct jr_linediff *d, const char *label_a,
                                 const char *label_b, struct jr_buf *out) JR_MUST_USE;

#endif
