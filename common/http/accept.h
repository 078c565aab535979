/* SPDX-License-Identifier: Apache-2.0 */
/* Takes connections, and gives those that have something to say to libmicrohttpd. */
#ifndef JR_HTTP_ACCEPT_H
#define JR_HTTP_ACCEPT_H

#include <microhttpd.h>

#include "common/base/log.h"
#include "common/base/loop.h"
#include "common/http/conns.h"
#include "common/http/hello.h"

struct jr_acceptor;

struct jr_acceptor_deps {
    struct jr_loop *loop;
    struct MHD_Daemon *daemon; /* without a listening socket of its own */
    /* The same for connections of addresses that have a trusted one; may be `daemon` itself. */
    struct MHD_Daemon *known_daemon;
    struct jr_conns *conns;
    /* For a daemon that runs on this thread, and conns that are fair: no more are accepted while so
     * many are there, those that are shut included. Else 0. */
    size_t descriptors_max;
    /* Says what has come, as jr_hello_look does; NULL: any byte will do. */
    enum jr_hello (*look)(const unsigned char *p, size_t n, size_t there, size_t *ret_need);
    /* Told of connections that are closed by us, "evicted", "refused" or "not-tls" (JR_HELLO_NONE);
     * may be NULL. */
    void (*on_closed)(void *ctx, const char *reason);
    /* Told when a daemon was given one; may be NULL. */
    void (*on_given)(void *ctx);
    void *ctx;          /* theirs */
    struct jr_log *log; /* may be NULL */
};

/** Takes what comes to fd (listening, non-blocking; closed by jr_acceptor_free, also where this
 * fails). A connection waits on the loop, where it costs next to nothing, until what it has said is
 * whole. deps is copied, what it names is borrowed. Errors: JR_IO, JR_NOMEM. */
enum jr_status jr_acceptor_new(const struct jr_acceptor_deps *deps, int fd,
                               struct jr_acceptor **ret, struct jr_error *err) JR_MUST_USE;
/** Takes no more connections, and ends those that wait. To be called while all that was borrowed is
 * there. NULL-safe. */
void jr_acceptor_free(struct jr_acceptor *a);

/** A record of `size` bytes, zeroed, of a connection that a daemon was given, and its descriptor.
 * NULL without memory: then it is shut down, since without a record it would have no deadline. */
void *jr_record_new(struct MHD_Connection *connection, size_t size, int *ret_fd);
/** The record that was kept as the connection's context; NULL: none. */
void *jr_record_of(struct MHD_Connection *connection);

#endif
