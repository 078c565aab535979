/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/bench/webhook/ask.h"
#include "tests/bench/webhook/conn.h"
#include "tests/bench/webhook/load.h"

#define ANSWER_MAX ((size_t)65536)
/* Whoever gets no answer in this time never will. */
#define PATIENCE_NS (20 * JR_SEC)
#define AGAIN_NS (10 * JR_MSEC) /* from a connection that failed to the next */

enum state { CLOSED, SHAKING, IDLE, SENDING, READING };

struct client {
    enum state state;
    struct conn conn;
    struct jr_mono open_at; /* when to connect, while CLOSED */
    int64_t served;         /* requests on this connection */
    bool busy;              /* a request is to be answered: */
    bool retried;
    struct jr_mono due;
    const struct ask_body *body;
    char uid[ASK_UID_MAX];
    struct jr_buf out, in;
    size_t sent;
};

struct run {
    const struct load_options *o;
    SSL_CTX *ctx;
    int epoll;
    struct ask_body bodies[2];
    struct client *clients;
    size_t n_clients;
    struct jr_mono start;
    size_t begun, total;
    int64_t *latencies; /* of right answers, ns */
    size_t right, wrong, unanswered;
    size_t retried; /* requests that were sent twice */
    size_t renewed; /* connections given up by us */
    size_t lost;    /* and by the server */
    size_t refused; /* of these, before they were of any use */
    char why[200];  /* what the first wrong answer was */
};

static struct jr_mono now(void)
{
    return jr_clock_system.mono(jr_clock_system.self);
}

static struct jr_mono due_at(const struct run *r, size_t n)
{
    return (struct jr_mono){ r->start.ns + (int64_t)n * JR_SEC / r->o->rate };
}

/* ---- one connection ---- */

static void open_client(struct run *r, struct client *c)
{
    struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c };

    c->open_at = (struct jr_mono){ now().ns + AGAIN_NS };
    if (!conn_open(&c->conn, r->ctx, (uint16_t)r->o->port, INADDR_ANY))
        return;
    c->state = SHAKING;
    c->served = 0;
    if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, c->conn.fd, &e) != 0) {
        conn_close(&c->conn);
        c->state = CLOSED;
    }
}

static void close_client(struct client *c)
{
    conn_close(&c->conn);
    c->state = CLOSED;
}

static void send_again(struct client *c)
{
    c->sent = 0;
    jr_buf_reset(&c->in);
}

/** The server has ended the connection. A request that it may not have seen is sent once more; one
 * that never got out goes with the next connection in any case. */
static void on_gone(struct run *r, struct client *c)
{
    bool begun = c->state == SENDING || c->state == READING;

    r->lost++;
    r->refused += c->state == SHAKING ? 1 : 0;
    if (c->busy && begun) {
        if (c->served == 0 || c->retried || c->in.n > 0) {
            r->unanswered++;
            c->busy = false;
        } else {
            r->retried++;
            c->retried = true;
        }
    }
    send_again(c);
    close_client(c);
}

static void on_answer(struct run *r, struct client *c, struct jr_str body)
{
    bool ok = jr_str_starts(jr_buf_str(&c->in), JR_S("HTTP/1.1 200 "));

    if (ok && ask_right(c->body, c->uid, body))
        r->latencies[r->right++] = now().ns - c->due.ns;
    else if (r->wrong++ == 0)
        (void)snprintf(r->why, sizeof(r->why), "%.*s",
                       JR_P(jr_str_head(jr_buf_str(&c->in), sizeof(r->why) - 1)));
    c->busy = false;
    c->state = IDLE;
    c->served++;
    if (!ok || c->served >= r->o->renew) {
        r->renewed++;
        close_client(c);
    }
}

static enum conn_io send_some(struct client *c)
{
    size_t n = 0;
    enum conn_io io = CONN_OK;

    while (io == CONN_OK && c->sent < c->out.n) {
        io = conn_write(&c->conn, c->out.p + c->sent, c->out.n - c->sent, &n);
        if (io == CONN_OK)
            c->sent += n;
    }
    if (io == CONN_OK)
        c->state = READING;
    return io;
}

static enum conn_io read_some(struct run *r, struct client *c)
{
    struct jr_str body;
    size_t n = 0;
    enum conn_io io = conn_read(&c->conn, c->in.p + c->in.n, ANSWER_MAX - c->in.n, &n);

    if (io != CONN_OK)
        return io;
    c->in.n += n;
    if (c->state != READING || c->in.n == ANSWER_MAX)
        return CONN_GONE; /* nobody asked for that */
    if (ask_whole(&c->in, &body))
        on_answer(r, c, body);
    return CONN_OK;
}

/** Goes on as far as it can. */
static void advance(struct run *r, struct client *c)
{
    enum conn_io io = CONN_OK;

    while (io == CONN_OK && c->state != CLOSED) {
        switch (c->state) {
        case CLOSED:
            break;
        case SHAKING:
            io = conn_shake(&c->conn);
            if (io == CONN_OK)
                c->state = IDLE;
            break;
        case IDLE:
            if (c->busy) {
                send_again(c);
                c->state = SENDING;
            } else {
                io = read_some(r, c); /* session tickets; or the end */
            }
            break;
        case SENDING:
            io = send_some(c);
            break;
        case READING:
            io = read_some(r, c);
            break;
        }
    }
    if (io == CONN_GONE)
        on_gone(r, c);
}

/* ---- all of them ---- */

static struct client *free_client(struct run *r)
{
    struct client *closed = NULL;

    for (size_t i = 0; i < r->n_clients; i++) {
        struct client *c = &r->clients[i];

        if (!c->busy && c->state == IDLE)
            return c;
        if (!c->busy && closed == NULL)
            closed = c;
    }
    return closed;
}

/** Hands the requests that are due to connections that are free. */
static void begin_due(struct run *r)
{
    struct jr_mono t = now();
    struct client *c;

    while (r->begun < r->total && due_at(r, r->begun).ns <= t.ns && (c = free_client(r)) != NULL) {
        struct ask_body *b = &r->bodies[r->begun % 2];

        c->busy = true;
        c->retried = false;
        c->due = due_at(r, r->begun);
        c->body = b;
        jr_buf_reset(&c->out);
        (void)ask_write(b, r->begun++, &c->out, c->uid);
        advance(r, c);
    }
    for (size_t i = 0; i < r->n_clients; i++) {
        c = &r->clients[i];
        if (c->state == CLOSED && c->open_at.ns <= t.ns)
            open_client(r, c);
        if (c->busy && t.ns - c->due.ns > PATIENCE_NS) {
            r->unanswered++;
            c->busy = false;
            close_client(c);
        }
    }
}

static bool any_busy(const struct run *r)
{
    for (size_t i = 0; i < r->n_clients; i++) {
        if (r->clients[i].busy)
            return true;
    }
    return false;
}

static void wait_for(struct run *r)
{
    struct epoll_event events[64];
    int64_t ns = due_at(r, r->begun).ns - now().ns;
    struct timespec t = { 0 };
    int n;

    if (ns > AGAIN_NS || r->begun >= r->total)
        ns = AGAIN_NS;
    if (ns > 0)
        t.tv_nsec = ns;
    n = epoll_pwait2(r->epoll, events, 64, &t, NULL);
    for (int i = 0; i < n; i++)
        advance(r, events[i].data.ptr);
}

/* ---- the figures ---- */

static int by_size(const void *pa, const void *pb)
{
    const int64_t *a = pa, *b = pb;

    return *a < *b ? -1 : *a > *b;
}

static int64_t quantile_us(const struct run *r, double q)
{
    size_t i = (size_t)((double)r->right * q);

    if (r->right == 0)
        return 0;
    return r->latencies[i < r->right ? i : r->right - 1] / 1000;
}

static int report(struct run *r)
{
    qsort(r->latencies, r->right, sizeof(*r->latencies), by_size);
    (void)printf("valid sent %zu right %zu wrong %zu unanswered %zu retried %zu renewed %zu "
                 "lost %zu refused %zu p50_us %lld p99_us %lld max_us %lld\n",
                 r->begun, r->right, r->wrong, r->unanswered, r->retried, r->renewed, r->lost,
                 r->refused, (long long)quantile_us(r, 0.5), (long long)quantile_us(r, 0.99),
                 (long long)quantile_us(r, 1));
    if (r->wrong > 0)
        (void)fprintf(stderr, "bench-webhook: the first wrong answer was: %s\n", r->why);
    return r->right == r->total ? 0 : 1;
}

/* ---- begin and end ---- */

static bool begin(struct run *r)
{
    r->n_clients = (size_t)r->o->connections;
    r->total = (size_t)(r->o->rate * r->o->duration_ms / 1000);
    r->clients = calloc(r->n_clients, sizeof(*r->clients));
    r->latencies = calloc(r->total + 1, sizeof(*r->latencies));
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (r->clients == NULL || r->latencies == NULL || r->epoll < 0)
        return false;
    for (size_t i = 0; i < r->n_clients; i++) {
        r->clients[i].conn.fd = -1;
        jr_buf_init(&r->clients[i].out, SIZE_MAX / 2);
        jr_buf_init(&r->clients[i].in, SIZE_MAX / 2);
        if (jr_buf_reserve(&r->clients[i].in, ANSWER_MAX) != JR_OK)
            return false;
    }
    return ask_body_read(&r->bodies[0], r->o->mutate_file, "/mutate-batch-v1-job", true) &&
           ask_body_read(&r->bodies[1], r->o->validate_file, "/validate-batch-v1-job", false);
}

static void end(struct run *r)
{
    for (size_t i = 0; r->clients != NULL && i < r->n_clients; i++) {
        conn_close(&r->clients[i].conn);
        jr_buf_done(&r->clients[i].out);
        jr_buf_done(&r->clients[i].in);
    }
    free(r->clients);
    free(r->latencies);
    ask_body_done(&r->bodies[0]);
    ask_body_done(&r->bodies[1]);
    if (r->epoll >= 0)
        (void)close(r->epoll);
}

int load_valid(const struct load_options *o, SSL_CTX *ctx)
{
    JR_CLEANUP(end) struct run r = { .o = o, .ctx = ctx, .epoll = -1 };

    if (!begin(&r))
        return 2;
    r.start = now();
    while (r.begun < r.total || any_busy(&r)) {
        begin_due(&r);
        wait_for(&r);
    }
    return report(&r);
}
