/* SPDX-License-Identifier: Apache-2.0 */
/* Scope cleanup: the owner of a resource is a variable, its end is the end of the scope. */
#ifndef JR_BASE_CLEANUP_H
#define JR_BASE_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

/** JR_CLEANUP(fn) calls fn(&variable) when the scope ends. fn must accept a NULL or unset value. */
#define JR_CLEANUP(fn) __attribute__((cleanup(fn)))
#define JR_MUST_USE __attribute__((warn_unused_result))
#define JR_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define JR_UNUSED __attribute__((unused))

/** Defines what JR_CLEANUP() needs for variables of `type`, a pointer that `end` takes and may be
 * NULL: the name is that of `end` with a p behind it, as in JR_CLEANUP(jr_loop_freep). */
#define JR_DEFINE_CLEANUP(type, end)                   \
    static inline void end##p(__typeof__(type) *owner) \
    {                                                  \
        (void)end(*owner);                             \
    }

/** Yields the value of *pp and leaves NULL: the result is stolen on the last line. */
#define jr_steal(pp)                          \
    __extension__({                           \
        __typeof__(*(pp)) jr_stolen_ = *(pp); \
        *(pp) = NULL;                         \
        jr_stolen_;                           \
    })

#define JR_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void jr_freep(void *p)
{
    free(*(void **)p);
}

static inline void jr_closep(const int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

#define JR_FREE JR_CLEANUP(jr_freep)
#define JR_CLOSE JR_CLEANUP(jr_closep)

#endif
