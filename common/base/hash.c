/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash-1-3 under the key of the process. */
#include "common/base/hash.h"

#include <endian.h>
#include <errno.h>
#include <sys/auxv.h>
#include <sys/random.h>

#define WORD sizeof(uint64_t)

/* Written before main() and by jr_hash_replay() alone. */
static struct jr_hash_key process_key;

/** The kernel gives each process 16 random bytes on its way, which serve where it refuses to give
 * more (a seccomp filter). */
__attribute__((constructor)) static void draw_key(void)
{
    const void *given = (const void *)getauxval(AT_RANDOM); /* NOLINT(performance-no-int-to-ptr) */
    ssize_t n;

    do
        n = getrandom(&process_key, sizeof(process_key), 0);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof(process_key) && given != NULL)
        memcpy(&process_key, given, sizeof(process_key));
}

void jr_hash_replay(struct jr_hash_key key)
{
    process_key = key;
}

static inline uint64_t rotl(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

struct state {
    uint64_t v0, v1, v2, v3;
};

static inline void mix(struct state *s)
{
    s->v0 += s->v1;
    s->v1 = rotl(s->v1, 13) ^ s->v0;
    s->v0 = rotl(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotl(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotl(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotl(s->v1, 17) ^ s->v2;
    s->v2 = rotl(s->v2, 32);
}

static inline void take_word(struct state *s, uint64_t word)
{
    s->v3 ^= word;
    mix(s);
    s->v0 ^= word;
}

/** Eight bytes, the first one lowest. */
static inline uint64_t word_at(const char *p)
{
    uint64_t w;

    memcpy(&w, p, sizeof(w));
    return le64toh(w);
}

/** The less than eight bytes that are left. */
static inline uint64_t rest_at(const char *p, size_t n)
{
    uint64_t w = 0;

    while (n-- > 0)
        w = w << 8 | (unsigned char)p[n];
    return w;
}

uint64_t jr_siphash(struct jr_hash_key key, struct jr_str s)
{
    struct state v = { key.k0 ^ UINT64_C(0x736f6d6570736575), key.k1 ^ UINT64_C(0x646f72616e646f6d),
                       key.k0 ^ UINT64_C(0x6c7967656e657261),
                       key.k1 ^ UINT64_C(0x7465646279746573) };
    size_t i = 0;

    for (; i + WORD <= s.n; i += WORD)
        take_word(&v, word_at(s.p + i));
    take_word(&v, (uint64_t)s.n << 56 | (i < s.n ? rest_at(s.p + i, s.n - i) : 0));
    v.v2 ^= 0xff;
    for (unsigned k = 0; k < 3; k++)
        mix(&v);
    return v.v0 ^ v.v1 ^ v.v2 ^ v.v3;
}

uint64_t jr_hash(struct jr_str s)
{
    return jr_siphash(process_key, s);
}

uint64_t jr_hash_more(uint64_t h, struct jr_str s)
{
    return jr_siphash((struct jr_hash_key){ process_key.k0 ^ h, process_key.k1 }, s);
}
