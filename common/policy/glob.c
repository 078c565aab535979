/* SPDX-License-Identifier: Apache-2.0 */
/* Globs with * and ?, matched in at most the product of both lengths. */
#include "common/policy/policy.h"

/* Going back to the last '*' is enough, so that it takes the product of the lengths at most. */
bool jr_glob_matches(struct jr_str glob, struct jr_str s)
{
    size_t g = 0, i = 0, star = SIZE_MAX, from = 0;

    while (i < s.n) {
        if (g < glob.n && glob.p[g] == '*') {
            star = g++;
            from = i;
        } else if (g < glob.n && (glob.p[g] == '?' || glob.p[g] == s.p[i])) {
            g++;
            i++;
        } else if (star != SIZE_MAX) {
            g = star + 1;
            i = ++from;
        } else {
            return false;
        }
    }
    while (g < glob.n && glob.p[g] == '*')
        g++;
    return g == glob.n;
}

bool jr_globs_match(const struct jr_strs *globs, struct jr_str s)
{
    for (size_t i = 0; i < globs->n; i++) {
        if (jr_glob_matches(globs->v[i], s))
            return true;
    }
    return false;
}
