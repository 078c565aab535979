/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that collide under FNV-1a: the halves meet in the middle. */
#include <string.h>

#include "tests/bench/lists/lists.h"

#define BITS 18
#define STATES ((size_t)1 << BITS)
#define MASK (STATES - 1)
#define PRIME UINT64_C(1099511628211)
#define START UINT64_C(14695981039346656037)
#define TAIL 4
#define HEAD (MEMBER_BYTES - TAIL)

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
#define N_LETTERS (sizeof(letters) - 1)

/** The number i as `n` letters. */
static void spell(size_t i, size_t n, char *out)
{
    while (n-- > 0) {
        out[n] = letters[i % N_LETTERS];
        i /= N_LETTERS;
    }
}

/** The multiplicative inverse of the prime, modulo 2^64: Newton's steps. */
static uint64_t inverse(void)
{
    uint64_t x = PRIME;

    for (int i = 0; i < 6; i++)
        x *= 2 - PRIME * x;
    return x;
}

/** The state before the tail from which the tail leads to zero. */
static size_t before(const char *tail, uint64_t inv)
{
    uint64_t h = 0;

    for (size_t i = TAIL; i-- > 0;)
        h = h * inv ^ (unsigned char)tail[i];
    return (size_t)h & MASK;
}

static size_t after(const char *head)
{
    uint64_t h = START;

    for (size_t i = 0; i < HEAD; i++)
        h = (h ^ (unsigned char)head[i]) * PRIME;
    return (size_t)h & MASK;
}

void collide(char (*v)[MEMBER_BYTES + 1], size_t n)
{
    static char tails[STATES][TAIL]; /* by the state that they begin from; the first one found */
    const uint64_t inv = inverse();
    size_t found = 0;

    for (size_t i = 0; i < N_LETTERS * N_LETTERS * N_LETTERS * N_LETTERS; i++) {
        char tail[TAIL];

        spell(i, TAIL, tail);
        memcpy(tails[before(tail, inv)], tail, TAIL);
    }
    for (size_t i = 0; found < n; i++) {
        const char *tail;

        spell(i, HEAD, v[found]);
        v[found][0] = 'k';
        tail = tails[after(v[found])];
        if (tail[0] == '\0')
            continue;
        memcpy(v[found] + HEAD, tail, TAIL);
        v[found++][MEMBER_BYTES] = '\0';
    }
}
