/* The TTL-after-finished controller: deletes Jobs when their time is over. */
#ifndef JR_CONTROLLER_EXPIRE_H
#define JR_CONTROLLER_EXPIRE_H

#include "common/base/log.h"
#include "common/kube/request.h"
#include "controller/state.h"

struct jr_expirer_sink {
    /** A worker is free again. */
    void (*over)(void *ctx);
    /** Asked before a request goes out: whether this process may still write. NULL: always. */
    bool (*may_write)(void *ctx);
    void *ctx;
};

struct jr_expirer;
/** Works off the queue state->expired. All borrowed, and outlive the expirer; log may be NULL.
 * timeout_ms: of a request. */
struct jr_expirer *jr_expirer_new(const struct jr_env *env, struct jr_state *state,
                                  const struct jr_expirer_sink *sink, int64_t timeout_ms,
                                  struct jr_log *log);
/** Breaks off what runs. */
void jr_expirer_free(struct jr_expirer *x);
static inline void jr_expirer_freep(struct jr_expirer **x)
{
    jr_expirer_free(*x);
}
/** Begins the work on a key just taken from the queue, to which it is given back when it is over,
 * perhaps at once: a Job that has expired in the cache is read anew, and deleted if it still has
 * (propagationPolicy Foreground, with its uid as precondition). */
void jr_expirer_start(struct jr_expirer *x, struct jr_str key);
size_t jr_expirer_active(const struct jr_expirer *x);

#endif
