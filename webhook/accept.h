/* Takes connections, and gives those that say hello to libmicrohttpd's threads. */
#ifndef JR_WEBHOOK_ACCEPT_H
#define JR_WEBHOOK_ACCEPT_H

#include <microhttpd.h>

#include "common/base/log.h"
#include "common/base/loop.h"
#include "webhook/limits.h"
#include "webhook/metrics.h"

struct jr_acceptor;

struct jr_acceptor_deps {
    struct jr_loop *loop;
    struct MHD_Daemon *daemon; /* without a listening socket of its own */
    struct jr_conns *conns;
    struct jr_metrics *metrics;
    struct jr_log *log;
};

/** Takes what comes to fd (listening, non-blocking; closed by jr_acceptor_free, also where this
 * fails). A connection waits on the loop, where it costs next to nothing, until its first TLS
 * record is there. deps is copied, what it names is borrowed. Errors: JR_IO, JR_NOMEM. */
enum jr_status jr_acceptor_new(const struct jr_acceptor_deps *deps, int fd,
                               struct jr_acceptor **ret, struct jr_error *err) JR_MUST_USE;
/** Takes no more connections, and ends those that wait. To be called while all that was borrowed is
 * there. NULL-safe. */
void jr_acceptor_free(struct jr_acceptor *a);

#endif
