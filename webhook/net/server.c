/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTPS server: libmicrohttpd with its threads, what it calls for connections and handshakes,
 * its limits. */
#include "webhook/net/server.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/http/accept.h"
#include "common/http/socket.h"
#include "webhook/net/request.h"

/* As many as the system allows (net.core.somaxconn): who finds no room there tries again after a
 * second. */
#define BACKLOG 4096
#define HELD_MAX ((size_t)32 << 20)

/* Descriptors for everything but the webhook's connections: those of the two listeners for probes
 * and metrics, files, API servers; and an epoll and an event descriptor for each thread of both
 * daemons. */
#define OTHER_FDS 384
#define FDS_A_THREAD 4

/* A tenth of the weight of a thread that isn't nice (sched(7)). */
#define STRANGERS_NICE 10

struct jr_server {
    struct jr_serving serving;
    struct MHD_Daemon *strangers; /* these begin here */
    struct MHD_Daemon *known;     /* connections of addresses that have a trusted one */
    struct jr_acceptor *acceptor; /* NULL: no longer */
    size_t peak;                  /* of connections, since memory was last given back */
    bool crowded;
    char address[JR_LISTEN_ADDRESS_MAX];
};

/* ---- connections ---- */

/** Whoever has shown a good certificate is known from here on, since API servers open connections
 * ahead of need. */
static void on_open(struct jr_tls_conn *tls, gnutls_session_t session)
{
    struct jr_http_conn *c = (struct jr_http_conn *)tls;

    if (c->serving->clients != NULL)
        (void)!jr_http_conn_check(c, session);
}

static void conn_begin(struct jr_serving *s, struct MHD_Connection *connection, void **ctx)
{
    struct jr_http_conn *c = jr_tls_conn_new(&s->tls, connection, sizeof(*c));

    *ctx = c;
    if (c != NULL)
        c->serving = s;
}

/** libmicrohttpd calls with CLOSED before it closes the descriptor: the reaper can't hit another
 * one. */
static void on_connection(void *cls, struct MHD_Connection *connection, void **ctx,
                          enum MHD_ConnectionNotificationCode code)
{
    switch (code) {
    case MHD_CONNECTION_NOTIFY_STARTED:
        conn_begin(cls, connection, ctx);
        break;
    case MHD_CONNECTION_NOTIFY_CLOSED:
        jr_tls_conn_free(*ctx);
        *ctx = NULL;
        break;
    }
}

static void JR_PRINTF(2, 0) on_log(void *cls, const char *fmt, va_list ap)
{
    const struct jr_serving *s = cls;
    char text[512];
    struct jr_str t;

    /* Clients that go away in the middle of a handshake are daily bread: nothing above debug. */
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    t = jr_str_trim(jr_str(text));
    jr_debug(s->log, "http server", JR_STR("text", t));
}

/* ---- starting ---- */

static rlim_t other_fds(const struct jr_webhook_options *o)
{
    return OTHER_FDS + FDS_A_THREAD * (rlim_t)o->threads;
}

/** What --max-connections may be with so many descriptors; at least 1, for the message's sake. */
static long long most_connections(const struct jr_webhook_options *o, rlim_t fds)
{
    const rlim_t others = other_fds(o) + (rlim_t)jr_conns_shut_max(0);

    return fds > others + 2 ? (long long)((fds - others) * 8 / 9) : 1LL;
}

/** Makes room for all connections' descriptors, or says that there is none. */
static enum jr_status raise_fd_limit(const struct jr_webhook_options *o, struct jr_error *err)
{
    const rlim_t need = (rlim_t)o->max_connections +
                        (rlim_t)jr_conns_shut_max((size_t)o->max_connections) + other_fds(o);
    struct rlimit lim;

    if (getrlimit(RLIMIT_NOFILE, &lim) != 0 || lim.rlim_cur >= need)
        return JR_OK;
    if (lim.rlim_max < need)
        return jr_fail(err, JR_USAGE, "--max-connections",
                       "expected %lld or less: this process may open %llu files",
                       most_connections(o, lim.rlim_max), (unsigned long long)lim.rlim_max);
    lim.rlim_cur = need;
    if (setrlimit(RLIMIT_NOFILE, &lim) != 0)
        return jr_fail_errno(err, errno, "--max-connections", "raising the limit of open files");
    return JR_OK;
}

static struct MHD_Daemon *start_daemon(struct jr_serving *s)
{
    const struct jr_webhook_options *o = s->options;
    const unsigned threads = (unsigned)o->threads;
    /* Our own count is the limit (jr_conns), of all that is not closed. libmicrohttpd's, which is
     * shared out per thread, must never be reached: up to 0.9.77 a thread that does keeps a lock
     * for good. Twice what all may have together is out of reach for any of them. */
    const unsigned most =
        (unsigned)o->max_connections + (unsigned)jr_conns_shut_max((size_t)o->max_connections);
    const unsigned pool_limit = 2 * most * threads;
    /* The inactivity timeout is only a net below the reaper. */
    const unsigned inactive_s =
        (unsigned)((o->idle_timeout_ms > o->request_timeout_ms ? o->idle_timeout_ms
                                                               : o->request_timeout_ms) /
                   1000) +
        10;
    /* Asks for a client's certificate, and says of whom; it is validated by us, request by request.
     */
    const struct MHD_OptionItem trust[] = {
        { s->clients == NULL ? MHD_OPTION_END : MHD_OPTION_HTTPS_MEM_TRUST, 0,
          s->clients == NULL ? NULL : (void *)(uintptr_t)jr_client_auth_pem(s->clients) },
        { MHD_OPTION_END, 0, NULL },
    };
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_TLS |
            MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
        0, NULL, NULL, jr_request_handle, s, MHD_OPTION_EXTERNAL_LOGGER, on_log, s,
        MHD_OPTION_THREAD_POOL_SIZE, threads, MHD_OPTION_CONNECTION_LIMIT, pool_limit,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)o->max_header_bytes,
        MHD_OPTION_CONNECTION_TIMEOUT, inactive_s, MHD_OPTION_HTTPS_PRIORITIES,
        jr_tls_priorities(&s->tls.terms), MHD_OPTION_ARRAY, trust, MHD_OPTION_HTTPS_CERT_CALLBACK,
        jr_tls_conn_certificate, MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
        MHD_OPTION_NOTIFY_COMPLETED, jr_request_done, s, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
}

struct starting {
    struct jr_serving *serving;
    struct MHD_Daemon *daemon;
};

static void *start_behind(void *ctx)
{
    struct starting *at = ctx;

    (void)!nice(STRANGERS_NICE);
    at->daemon = start_daemon(at->serving);
    return NULL;
}

/** Starts a daemon whose threads let the others go first: a burst of handshakes takes what valid
 * requests leave of the processors. Linux has a niceness for each thread, which those that it
 * starts inherit, and which nobody without privileges takes back: hence a thread that ends here. */
static struct MHD_Daemon *start_daemon_behind(struct jr_serving *s)
{
    struct starting at = { .serving = s };
    pthread_t thread;

    if (pthread_create(&thread, NULL, start_behind, &at) != 0)
        return NULL;
    (void)pthread_join(thread, NULL);
    return at.daemon;
}

static void on_closed(void *ctx, const char *reason)
{
    const struct jr_serving *s = ctx;

    jr_webhook_metrics_closed(s->metrics, reason, 1);
}

static enum jr_status accept_on(struct jr_server *s, struct jr_loop *loop, int fd,
                                struct jr_error *err)
{
    const struct jr_acceptor_deps deps = {
        .loop = loop,
        .daemon = s->strangers,
        .known_daemon = s->known,
        .conns = &s->serving.conns,
        .look = jr_hello_look,
        .on_closed = on_closed,
        .ctx = &s->serving,
        .log = s->serving.log,
    };

    return jr_acceptor_new(&deps, fd, &s->acceptor, err);
}

/** What bodies and answers on their way may hold: the rest is for validation, and for what arrives
 * while the evicted go. */
static size_t held_max(const struct jr_webhook_options *o)
{
    const size_t half = (size_t)o->max_request_memory_bytes / 2;

    return half < HELD_MAX ? half : HELD_MAX;
}

static struct jr_conns_limits limits_of(const struct jr_webhook_options *o, bool certificates)
{
    const size_t max = (size_t)o->max_connections;

    return (struct jr_conns_limits){
        .max = max,
        .silent_max = (max + 3) / 4,
        .address_max = (max * (size_t)o->address_share + 99) / 100,
        .trusted_stay = certificates,
        .held_max = held_max(o),
        .header_ms = o->header_timeout_ms,
        .request_ms = o->request_timeout_ms,
        .idle_ms = o->idle_timeout_ms,
    };
}

static void serve_by(struct jr_serving *s, const struct jr_webhook_options *options,
                     const struct jr_server_deps *deps)
{
    s->options = options;
    s->log = deps->log;
    s->metrics = deps->metrics;
    s->clients = deps->clients;
    s->policies = deps->policies;
    s->versions = deps->versions;
    s->budget.limit = (size_t)options->max_request_memory_bytes;
}

/** What suspended connections wait by. */
static enum jr_status begin_waiting(struct jr_serving *s, struct jr_loop *loop,
                                    const struct jr_tls_terms *terms, struct jr_error *err)
{
    enum jr_status st = jr_tls_server_init(&s->tls, loop, &s->conns, terms, err);

    s->tls.on_open = on_open;
    if (st == JR_OK)
        st = jr_namespace_wait_init(&s->wait, loop, s->policies.lookups, err);
    return st;
}

enum jr_status jr_server_start(struct jr_loop *loop, const struct jr_webhook_options *options,
                               const struct jr_server_deps *deps, struct jr_server **ret,
                               struct jr_error *err)
{
    const struct jr_clock *clock = jr_loop_clock(loop);
    JR_CLEANUP(jr_server_freep) struct jr_server *s = NULL;
    const struct jr_conns_limits limits = limits_of(options, deps->clients != NULL);
    enum jr_status st = raise_fd_limit(options, err);
    int fd = -1;

    if (st != JR_OK)
        return st;
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "server");
    serve_by(&s->serving, options, deps);
    s->serving.clock = clock;
    jr_conns_init(&s->serving.conns, &limits, clock);
    st = begin_waiting(&s->serving, loop, deps->tls, err);
    if (st != JR_OK)
        return st;
    st = jr_listen(options->bind_address, (uint16_t)options->port, options->reuse_port, BACKLOG,
                   &fd, s->address, err);
    if (st != JR_OK)
        return jr_wrap(err, st, "--bind-address, --port");
    s->strangers = start_daemon_behind(&s->serving);
    s->known = start_daemon(&s->serving);
    if (s->strangers == NULL || s->known == NULL) {
        (void)close(fd);
        return jr_fail(err, JR_IO, NULL, "the HTTPS server could not be started");
    }
    st = accept_on(s, loop, fd, err);
    if (st == JR_OK)
        *ret = jr_steal(&s);
    return st;
}

const char *jr_server_address(const struct jr_server *s)
{
    return s->address;
}

/* Memory is given back only after this many connections, once next to none are left. */
#define CROWD 16
#define NO_CROWD 4

/** Gives the memory of a crowd of connections back as it goes: the C library keeps what is free
 * below anything in use. */
static void trim_memory(struct jr_server *s)
{
    size_t n = jr_conns_count(&s->serving.conns);

    if (n > s->peak)
        s->peak = n;
    if (n >= CROWD)
        s->crowded = true;
    if (!s->crowded || n > s->peak / 2)
        return;
    (void)malloc_trim(0);
    s->peak = n;
    s->crowded = n > NO_CROWD;
}

void jr_server_reap(struct jr_server *s, int64_t *ret_wait_ns)
{
    size_t n;

    trim_memory(s); /* first: those that were shut the last time have been closed by now */
    n = jr_conns_reap(&s->serving.conns, ret_wait_ns);
    if (n == 0)
        return;
    jr_webhook_metrics_closed(s->serving.metrics, "deadline", n);
    jr_debug(s->serving.log, "connections past their deadline closed", JR_INT("connections", n));
}

void jr_server_distrust(struct jr_server *s)
{
    jr_conns_distrust_all(&s->serving.conns);
}

void jr_server_gauges(struct jr_server *s, struct jr_webhook_gauges *ret)
{
    JR_CLEANUP(jr_tls_cred_unrefp)
    struct jr_tls_cred *c = jr_tls_store_get(s->serving.tls.terms.store);

    ret->connections = jr_conns_count(&s->serving.conns);
    ret->memory_bytes = jr_budget_used(&s->serving.budget);
    ret->cert_not_after_s = (double)jr_tls_cred_not_after(c).ns / (double)JR_SEC;
}

/* ---- ending ---- */

void jr_server_close_after_answers(struct jr_server *s)
{
    atomic_store(&s->serving.closing, true);
}

void jr_server_stop_accepting(struct jr_server *s)
{
    jr_acceptor_free(s->acceptor);
    s->acceptor = NULL;
}

size_t jr_server_in_flight(const struct jr_server *s)
{
    return atomic_load(&s->serving.in_flight);
}

static void stop_daemon(struct MHD_Daemon *d)
{
    if (d != NULL)
        MHD_stop_daemon(d);
}

void jr_server_free(struct jr_server *s)
{
    if (s == NULL)
        return;
    jr_acceptor_free(s->acceptor);
    jr_tls_server_close(&s->serving.tls);
    jr_namespace_wait_close(&s->serving.wait);
    stop_daemon(s->strangers);
    stop_daemon(s->known);
    jr_tls_server_done(&s->serving.tls);
    jr_namespace_wait_done(&s->serving.wait);
    jr_conns_done(&s->serving.conns);
    free(s);
}
