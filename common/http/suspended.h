/* SPDX-License-Identifier: Apache-2.0 */
/* Where connections wait for the rest of their handshake: suspended, and watched here (epoll). */
#ifndef JR_HTTP_SUSPENDED_H
#define JR_HTTP_SUSPENDED_H

#include <microhttpd.h>
#include <pthread.h>
#include <sys/queue.h>

#include "common/base/loop.h"

/** A connection's place, a part of the owner's record of it, who sets `connection`; the rest is
 * zero at first. */
struct jr_suspended_conn {
    struct MHD_Connection *connection;
    LIST_ENTRY(jr_suspended_conn) link;
    bool waits;
    bool known; /* to the epoll descriptor */
};

/** Safe from several threads, but for init, close and done. */
struct jr_suspended {
    pthread_mutex_t lock;
    struct jr_loop *loop;
    struct jr_loop_fd *watch;
    /** Told when some were resumed: a daemon without threads of its own has to be run then. The
     * owner's to set; NULL: it has threads. */
    void (*on_resumed)(void *ctx);
    void *ctx;
    LIST_HEAD(, jr_suspended_conn) list;
    int epoll;
    bool closed;
};

/** loop: borrowed. Errors: JR_IO, JR_NOMEM; then jr_suspended_done is still to be called. */
enum jr_status jr_suspended_init(struct jr_suspended *p, struct jr_loop *loop,
                                 struct jr_error *err) JR_MUST_USE;
/** Suspends the connection until there is something to read, or its end. From its thread only.
 * Where it can't be suspended it goes on as it is. */
void jr_suspended_add(struct jr_suspended *p, struct jr_suspended_conn *c, int fd);
/** The connection is about to be closed. */
void jr_suspended_remove(struct jr_suspended *p, struct jr_suspended_conn *c, int fd);
/** Resumes all, and takes in no more: libmicrohttpd can't be stopped while one is suspended. */
void jr_suspended_close(struct jr_suspended *p);
/** To be called after jr_suspended_close, when libmicrohttpd has been stopped. */
void jr_suspended_done(struct jr_suspended *p);

#endif
