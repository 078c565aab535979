/* SPDX-License-Identifier: Apache-2.0 */
/* The members of lists, in their forms. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/lists/lists.h"

const char *const form_names[FORMS] = { "random", "sorted", "reversed", "equal", "colliding" };

/** All different: the step and the number of texts have no common divisor. */
static void fill_random(struct members *m)
{
    for (size_t i = 0; i < m->n; i++)
        (void)snprintf(m->v[i], sizeof(m->v[i]), "k%09llu",
                       (unsigned long long)i * 618033989 % 1000000000);
}

struct members members_make(enum form form, size_t n)
{
    struct members m = { calloc(n, sizeof(*m.v)), n };

    if (m.v == NULL)
        lists_die("members", "out of memory");
    switch (form) {
    case RANDOM:
        fill_random(&m);
        break;
    case COLLIDING:
        collide(m.v, n);
        break;
    case SORTED:
    case REVERSED:
    case EQUAL:
    case FORMS:
        for (size_t i = 0; i < n; i++) {
            size_t number = form == SORTED ? i : form == REVERSED ? n - 1 - i : 7;

            (void)snprintf(m.v[i], sizeof(m.v[i]), "k%09zu", number % 1000000000);
        }
        break;
    }
    return m;
}

void members_free(struct members *m)
{
    free(m->v);
    m->v = NULL;
}
