/* SPDX-License-Identifier: Apache-2.0 */
/* The arena: blocks that double in size up to a bound, and a limit for all of them. */
#include "common/base/arena.h"

#include <stdint.h>
#include <stdio.h>

#define FIRST_ROOM 8 /* elements of an array that grows */
#define ALIGN _Alignof(max_align_t)
#define FIRST_BLOCK ((size_t)4 << 10)
#define KEPT_BLOCK ((size_t)512)
#define MAX_BLOCK ((size_t)256 << 10)

/* AddressSanitizer sees nothing inside a block unless it is told: poison what is not handed out,
 * and leave a gap behind each piece, so that running over the end of one is found as it would be
 * with malloc. */
#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#ifdef ASAN
/* Declared here: clang's own header is not always installed. */
void __asan_poison_memory_region(void *p, size_t n);
void __asan_unpoison_memory_region(void *p, size_t n);
#define GAP ((size_t)16)
#define TEXT_ALIGN ((size_t)8)
#define POISON(p, n) __asan_poison_memory_region(p, n)
#define UNPOISON(p, n) __asan_unpoison_memory_region(p, n)
#else
#define GAP ((size_t)0)
#define TEXT_ALIGN ((size_t)1)
#define POISON(p, n) ((void)0)
#define UNPOISON(p, n) ((void)0)
#endif

struct jr_arena_block {
    struct jr_arena_block *next;
    size_t cap;
    size_t used;
    _Alignas(max_align_t) char data[];
};

void jr_arena_init(struct jr_arena *a, size_t limit)
{
    *a = (struct jr_arena){ .limit = limit };
}

void jr_arena_init_kept(struct jr_arena *a, size_t limit, size_t first)
{
    *a = (struct jr_arena){ .limit = limit, .first = first + GAP };
}

static void free_blocks(struct jr_arena_block *b)
{
    while (b != NULL) {
        struct jr_arena_block *next = b->next;

        UNPOISON(b->data, b->cap);
        free(b);
        b = next;
    }
}

void jr_arena_done(struct jr_arena *a)
{
    free_blocks(a->head);
    a->head = NULL;
    a->used = 0;
}

void jr_arena_reset(struct jr_arena *a)
{
    struct jr_arena_block *keep = a->head;

    a->used = 0;
    if (keep == NULL)
        return;
    if (keep->cap > MAX_BLOCK) { /* one huge request must not pin its memory for ever */
        jr_arena_done(a);
        return;
    }
    free_blocks(keep->next);
    keep->next = NULL;
    keep->used = 0;
    POISON(keep->data, keep->cap);
}

void jr_arena_adopt(struct jr_arena *a, struct jr_arena *from)
{
    struct jr_arena_block **last = &a->head;

    while (*last != NULL)
        last = &(*last)->next;
    *last = from->head;
    a->used += from->used;
    from->head = NULL;
    from->used = 0;
}

static size_t round_up(size_t n, size_t align)
{
    return (n + (align - 1)) & ~(align - 1);
}

static size_t next_block(const struct jr_arena *a)
{
    size_t cap = a->head == NULL ? FIRST_BLOCK : a->head->cap * 2;

    if (a->first > 0)
        cap = a->head == NULL ? a->first : KEPT_BLOCK;
    return cap > MAX_BLOCK ? MAX_BLOCK : cap;
}

/** A block with at least n bytes of room, linked in. A request that would waste much of the current
 * block's successor gets a block of its own behind the head, which goes on to be filled. */
static struct jr_arena_block *add_block(struct jr_arena *a, size_t n)
{
    size_t cap = next_block(a);
    bool own;
    struct jr_arena_block *b;

    own = n > cap / 4;
    if (own && (a->head != NULL || n > cap))
        cap = n;
    else
        own = false;
    b = malloc(sizeof(*b) + cap);
    if (b == NULL)
        return NULL;
    b->cap = cap;
    b->used = 0;
    POISON(b->data, cap);
    if (own && a->head != NULL) {
        b->next = a->head->next;
        a->head->next = b;
    } else {
        b->next = a->head;
        a->head = b;
    }
    return b;
}

/** n bytes, not zeroed. The limit counts each piece rounded up to its alignment, apart from the
 * last one, so that exactly `limit` bytes can be had in one piece. */
static void *take_bytes(struct jr_arena *a, size_t n, size_t align, size_t count_align)
{
    struct jr_arena_block *b = a->head;
    size_t at;

    if (n == 0)
        n = 1;
    if (n > SIZE_MAX / 2 || a->used > SIZE_MAX / 2)
        return NULL;
    if (a->limit != 0 && (a->used >= a->limit || n > a->limit - a->used))
        return NULL;
    at = b == NULL ? 0 : round_up(b->used, align);
    if (b == NULL || at > b->cap || n + GAP > b->cap - at) {
        b = add_block(a, n + GAP);
        if (b == NULL)
            return NULL;
        at = 0;
    }
    b->used = at + n + GAP;
    a->used += round_up(n, count_align);
    UNPOISON(b->data + at, n);
    return b->data + at;
}

void *jr_arena_alloc(struct jr_arena *a, size_t n)
{
    void *p = take_bytes(a, n, ALIGN, ALIGN);

    return p == NULL ? NULL : memset(p, 0, n == 0 ? 1 : n);
}

void *jr_arena_calloc(struct jr_arena *a, size_t count, size_t size)
{
    size_t n;

    if (__builtin_mul_overflow(count, size, &n))
        return NULL;
    return jr_arena_alloc(a, n);
}

void *jr_arena_room(struct jr_arena *a, void *v, size_t n, size_t *cap, size_t size)
{
    const size_t more = *cap == 0 ? FIRST_ROOM : *cap * 2;
    void *bigger;

    if (n < *cap)
        return v;
    bigger = jr_arena_calloc(a, more, size);
    if (bigger == NULL)
        return NULL;
    if (n > 0)
        memcpy(bigger, v, n * size);
    *cap = more;
    return bigger;
}

bool jr_arena_str(struct jr_arena *a, struct jr_str s, struct jr_str *ret)
{
    char *p = s.n == SIZE_MAX ? NULL : take_bytes(a, s.n + 1, TEXT_ALIGN, 1);

    if (p == NULL)
        return false;
    if (s.n > 0)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    *ret = (struct jr_str){ p, s.n };
    return true;
}

const char *jr_arena_vprintf(struct jr_arena *a, const char *fmt, va_list ap)
{
    char small[256];
    va_list again;
    char *p;
    int n;

    va_copy(again, ap);
    n = vsnprintf(small, sizeof(small), fmt, again);
    va_end(again);
    p = n < 0 ? NULL : take_bytes(a, (size_t)n + 1, TEXT_ALIGN, 1);
    if (p == NULL)
        return NULL;
    if ((size_t)n < sizeof(small))
        return memcpy(p, small, (size_t)n + 1);
    (void)vsnprintf(p, (size_t)n + 1, fmt, ap);
    return p;
}

const char *jr_arena_printf(struct jr_arena *a, const char *fmt, ...)
{
    const char *text;
    va_list ap;

    va_start(ap, fmt);
    text = jr_arena_vprintf(a, fmt, ap);
    va_end(ap);
    return text;
}
