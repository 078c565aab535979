/* SPDX-License-Identifier: Apache-2.0 */
/* One HTTP request of the devcluster's server, from its head to its end. Internal to the shell. */
#ifndef JR_DEVCLUSTER_EXCHANGE_H
#define JR_DEVCLUSTER_EXCHANGE_H

#include <microhttpd.h>

#include "common/http/socket.h"
#include "devcluster/faults.h"
#include "devcluster/hooks.h"
#include "devcluster/server.h"

#define JR_DEV_MAX_BODY ((size_t)3 << 20)

enum jr_dev_exchange_state {
    JR_DEV_EX_READING, /* head or body still come */
    JR_DEV_EX_WAITING, /* suspended: a webhook, a delay */
    JR_DEV_EX_HELD,    /* suspended for good: the client is on hold */
    JR_DEV_EX_READY,   /* an answer can be queued */
    JR_DEV_EX_ABORT,   /* the connection is to be closed without one */
};

struct jr_dev_exchange {
    struct jr_dev_exchange *next, *prev;
    struct jr_dev_server *server;
    struct MHD_Connection *conn;
    enum jr_dev_exchange_state state;
    bool headed;    /* the access handler has seen the head */
    bool suspended; /* libmicrohttpd holds it */
    bool watching;  /* the answer is a stream */
    bool api;       /* answered by the store */
    char *path;     /* with query, as sent */
    char *method;
    char *user_agent;
    char *accept;
    char *content_type;
    struct jr_buf body;
    bool too_large;
    struct jr_dev_op *op;
    struct jr_dev_hook_call *hook;
    struct jr_timer *timer;
    struct jr_dev_fault fault;
    struct jr_buf frames; /* of a watch, not yet taken */
    uint64_t visible;     /* a lagging watch sees no further; 0: all */
    bool ended;           /* of a watch: nothing comes after the frames */
    /* An answer of the shell's own. */
    int status;
    struct jr_buf text;
};

struct jr_dev_server {
    struct jr_loop *loop;
    struct jr_dev_store *store;
    struct jr_log *log;
    struct jr_dev_faults *faults;
    struct jr_dev_hooks *hooks;
    struct MHD_Daemon *daemon;
    struct jr_pump *pump;
    struct jr_timer *tick;
    struct jr_dev_exchange *exchanges;
    char *token;
    char address[JR_LISTEN_ADDRESS_MAX];
};

/** Takes a request that is complete: leaves it READY, WAITING, HELD or ABORT. */
void jr_dev_exchange_dispatch(struct jr_dev_exchange *ex);
/** Queues the answer of a READY exchange. */
enum MHD_Result jr_dev_exchange_answer(struct jr_dev_exchange *ex);
/** The rule that took the exchange is gone: what it delayed goes on now, what it would lose is
 * answered. */
void jr_dev_exchange_end_fault(struct jr_dev_exchange *ex);
/** Wakes a suspended exchange. */
void jr_dev_exchange_wake(struct jr_dev_exchange *ex);
/** Puts it to sleep until it is woken. */
void jr_dev_exchange_suspend(struct jr_dev_exchange *ex);
void jr_dev_exchange_free(struct jr_dev_exchange *ex);
/** After the state changed: watches are told, garbage is collected. */
void jr_dev_server_changed(struct jr_dev_server *s);
/** A Status as the whole answer. */
void jr_dev_exchange_fail(struct jr_dev_exchange *ex, int status, const char *reason,
                          const char *message);
/** /devcluster/...: faults and the hold. */
void jr_dev_exchange_control(struct jr_dev_exchange *ex);

#endif
