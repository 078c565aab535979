/* SPDX-License-Identifier: Apache-2.0 */
/* Requests whose Namespace isn't known yet: their connections are suspended until the loop has read
 * it. */
#ifndef JR_WEBHOOK_NET_NAMESPACE_WAIT_H
#define JR_WEBHOOK_NET_NAMESPACE_WAIT_H

#include <microhttpd.h>
#include <pthread.h>
#include <sys/queue.h>

#include "common/base/loop.h"
#include "common/policy/watch/lookup.h"

/** A request's place, a part of the owner's record of it; zero at first. */
struct jr_namespace_waiter {
    TAILQ_ENTRY(jr_namespace_waiter) link;
    struct jr_namespace_wait *wait;
    struct MHD_Connection *connection;
    struct jr_str name; /* borrowed from the owner until it is resumed */
};
TAILQ_HEAD(jr_namespace_waiters, jr_namespace_waiter);

/** Safe from several threads, but for init, close and done. */
struct jr_namespace_wait {
    pthread_mutex_t lock;
    struct jr_loop *loop;
    struct jr_namespace_lookups *lookups;
    struct jr_loop_fd *watch;
    struct jr_namespace_waiters fresh;   /* the loop hasn't seen them yet */
    struct jr_namespace_waiters waiting; /* the loop's alone */
    int wake;                            /* an eventfd */
    bool closed;
};

/** loop and lookups: borrowed; NULL: nobody waits. Errors: JR_IO, JR_NOMEM; then done is still to
 * be called. */
enum jr_status jr_namespace_wait_init(struct jr_namespace_wait *w, struct jr_loop *loop,
                                      struct jr_namespace_lookups *lookups,
                                      struct jr_error *err) JR_MUST_USE;
/** Suspends the connection; when the Namespace was read, or couldn't be, libmicrohttpd calls the
 * request's handler again. From the connection's thread only. False: nobody reads it, go on. */
bool jr_namespace_wait_add(struct jr_namespace_wait *w, struct jr_namespace_waiter *r,
                           struct MHD_Connection *connection, struct jr_str name) JR_MUST_USE;
/* Both do nothing where it was never initialised. */

/** Resumes all, and takes in no more: libmicrohttpd can't be stopped while one is suspended. The
 * lookups must not call any more. */
void jr_namespace_wait_close(struct jr_namespace_wait *w);
/** To be called after close, when libmicrohttpd has been stopped. */
void jr_namespace_wait_done(struct jr_namespace_wait *w);

#endif
