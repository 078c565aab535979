/* The orphan worker: takes the tracking finalizer off Pods that no Job will see to. */
#ifndef JR_CONTROLLER_RELEASE_H
#define JR_CONTROLLER_RELEASE_H

#include "common/base/log.h"
#include "controller/execute.h"
#include "controller/orphans.h"

struct jr_release_sink {
    void (*over)(void *ctx);
    void *ctx;
};

struct jr_releaser;
/** All borrowed, and outlive the releaser; log may be NULL. */
struct jr_releaser *jr_releaser_new(const struct jr_env *env, struct jr_state *state,
                                    struct jr_executor *x, const struct jr_release_sink *sink,
                                    struct jr_log *log);
/** Breaks off what runs. */
void jr_releaser_free(struct jr_releaser *r);
static inline void jr_releaser_freep(struct jr_releaser **r)
{
    jr_releaser_free(*r);
}
/** Begins the work on an entry just taken from the queue, to which it is given back when it is
 * over, perhaps at once. */
void jr_releaser_start(struct jr_releaser *r, const struct jr_orphan *orphan);
size_t jr_releaser_active(const struct jr_releaser *r);

#endif
