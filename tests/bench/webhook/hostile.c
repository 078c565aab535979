/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/bench/webhook/ask.h"
#include "tests/bench/webhook/conn.h"
#include "tests/bench/webhook/kinds.h"
#include "tests/bench/webhook/load.h"

#define TICK_MS 20
#define DRIP_NS JR_SEC
/* What a deadline may be late by: the server looks once a second, and the machine is busy. */
#define SLACK_NS (2 * JR_SEC)
/* They come in the course of this time, not at once; of a short run in a fifth of it. */
#define RAMP_NS (5 * JR_SEC)
#define FILLER_MAX ((size_t)1 << 20)
#define HELLO_MAX 2048
#define FIRST_ADDRESS 0x7f000101 /* 127.0.1.1 */

enum state { CLOSED, SHAKING, TALKING };

struct foe {
    enum state state;
    size_t kind;
    struct conn conn;
    struct jr_mono opened;
    struct jr_mono next; /* while CLOSED when to connect, while TALKING when to drip */
    struct jr_str left;  /* of what is being said */
    size_t burst;        /* and of the filler behind */
    in_addr_t from;
};

struct tally {
    size_t opened, ended, late;
    int64_t longest_ns;
};

struct run {
    const struct load_options *o;
    SSL_CTX *ctx;
    int epoll;
    struct foe *foes;
    size_t n_foes, n_open, most_open;
    char *filler;
    char hello[HELLO_MAX];
    size_t hello_n;
    struct ask_body review;
    struct jr_buf request; /* that review, as it is sent */
    struct tally *tallies; /* one for each kind */
    bool stopping;
};

static struct jr_mono now(void)
{
    return jr_clock_system.mono(jr_clock_system.self);
}

static const struct kind *kind_of(const struct foe *f)
{
    return &kinds[f->kind];
}

/* ---- one of them ---- */

static void on_gone(struct run *r, struct foe *f)
{
    struct tally *t = &r->tallies[f->kind];
    int64_t life = now().ns - f->opened.ns;

    t->ended++;
    if (life > t->longest_ns)
        t->longest_ns = life;
    if (kind_of(f)->deadline_ms > 0 && life > kind_of(f)->deadline_ms * JR_MSEC + SLACK_NS)
        t->late++;
    conn_close(&f->conn);
    f->state = CLOSED;
    f->next = (struct jr_mono){ now().ns + r->o->again_ms * JR_MSEC };
    r->n_open--;
}

/** What it says first, or again. */
static struct jr_str words(const struct run *r, const struct foe *f, const char *text)
{
    if (kind_of(f)->review)
        return jr_buf_str(&r->request);
    return text == NULL && kind_of(f)->hello ? (struct jr_str){ r->hello, r->hello_n }
                                             : jr_str(text);
}

static void connect_foe(struct run *r, struct foe *f)
{
    struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = f };

    f->opened = now();
    f->next = (struct jr_mono){ f->opened.ns + JR_SEC };
    if (!conn_open(&f->conn, kind_of(f)->tls ? r->ctx : NULL, (uint16_t)r->o->port, f->from))
        return;
    if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, f->conn.fd, &e) != 0) {
        conn_close(&f->conn);
        return;
    }
    f->state = SHAKING;
    f->left = words(r, f, kind_of(f)->head);
    f->burst = kind_of(f)->burst;
    r->tallies[f->kind].opened++;
    r->n_open++;
    if (r->n_open > r->most_open)
        r->most_open = r->n_open;
}

/** Says what there is left to say, as far as the other side takes it. */
static enum conn_io talk(struct run *r, struct foe *f)
{
    enum conn_io io = CONN_OK;
    size_t n = 0;

    while (io == CONN_OK && (f->left.n > 0 || f->burst > 0)) {
        if (f->left.n == 0) {
            f->left = (struct jr_str){ r->filler, f->burst < FILLER_MAX ? f->burst : FILLER_MAX };
            f->burst -= f->left.n;
        }
        io = conn_write(&f->conn, f->left.p, f->left.n, &n);
        if (io == CONN_OK)
            f->left = jr_str_from(f->left, n);
    }
    return io;
}

static void advance(struct run *r, struct foe *f)
{
    enum conn_io io = CONN_OK;

    if (f->state == SHAKING) {
        io = conn_shake(&f->conn);
        if (io == CONN_OK) {
            f->state = TALKING;
            f->next = (struct jr_mono){ now().ns + DRIP_NS };
            io = talk(r, f);
            if (io == CONN_OK && kind_of(f)->half_closed)
                (void)shutdown(f->conn.fd, SHUT_WR);
        }
    } else if (f->state == TALKING) {
        io = talk(r, f);
    }
    /* A handshake reads for itself, and sees the end. */
    if (io != CONN_GONE && f->state == TALKING)
        io = kind_of(f)->deaf ? conn_look(&f->conn) : conn_drain(&f->conn);
    if (io == CONN_GONE && f->state != CLOSED)
        on_gone(r, f);
}

/** At the end what has no deadline while it talks falls silent, and so has one. */
static bool is_let_go(const struct run *r, const struct foe *f)
{
    return r->stopping && kind_of(f)->deadline_ms == 0;
}

static void tick(struct run *r, struct foe *f, struct jr_mono t)
{
    if (f->next.ns > t.ns)
        return;
    if (f->state == CLOSED && !r->stopping) {
        connect_foe(r, f);
    } else if (f->state == TALKING) {
        f->next.ns += DRIP_NS;
        if (f->left.n == 0 && f->burst == 0 && !kind_of(f)->half_closed && !is_let_go(r, f))
            f->left = kind_of(f)->hello ? JR_S("") : words(r, f, kind_of(f)->drip);
        advance(r, f);
    }
}

/* ---- all of them ---- */

static void turn(struct run *r)
{
    struct epoll_event events[256];
    int n = epoll_wait(r->epoll, events, 256, TICK_MS);
    struct jr_mono t;

    for (int i = 0; i < n; i++)
        advance(r, events[i].data.ptr);
    t = now();
    for (size_t i = 0; i < r->n_foes; i++)
        tick(r, &r->foes[i], t);
}

static int report(const struct run *r)
{
    struct tally sum = { 0 };

    for (size_t k = 0; k < n_kinds; k++) {
        const struct tally *t = &r->tallies[k];

        (void)printf("kind %s opened %zu ended %zu late %zu longest_ms %lld deadline_ms %lld\n",
                     kinds[k].name, t->opened, t->ended, t->late,
                     (long long)(t->longest_ns / JR_MSEC), (long long)kinds[k].deadline_ms);
        sum.opened += t->opened;
        sum.ended += t->ended;
        sum.late += t->late;
    }
    (void)printf("hostile opened %zu at_once %zu ended %zu late %zu left %zu\n", sum.opened,
                 r->most_open, sum.ended, sum.late, r->n_open);
    return sum.late == 0 && (r->n_open == 0 || r->o->drain_ms == 0) ? 0 : 1;
}

/** How many seats a kind has: its share, or one where kinds are named. */
static unsigned seats(const struct run *r, size_t kind)
{
    for (size_t i = 0; i < r->o->kinds.n; i++) {
        if (jr_str_is(r->o->kinds.v[i], kinds[kind].name))
            return 1;
    }
    return r->o->kinds.n > 0 ? 0 : kinds[kind].share;
}

/** Shares the kinds out among the connections, well mixed. */
static void deal(struct run *r, struct jr_mono t)
{
    const int64_t fifth_ns = r->o->duration_ms * JR_MSEC / 5;
    const int64_t ramp_ns = fifth_ns < RAMP_NS ? fifth_ns : RAMP_NS;
    unsigned shares = 0;

    for (size_t k = 0; k < n_kinds; k++)
        shares += seats(r, k);
    for (size_t i = 0; shares > 0 && i < r->n_foes; i++) {
        struct foe *f = &r->foes[i];
        unsigned seat = shares == 0 ? 0 : (unsigned)(i * 7 % shares);

        for (f->kind = 0; seat >= seats(r, f->kind); f->kind++)
            seat -= seats(r, f->kind);
        f->conn.fd = -1;
        f->next.ns = t.ns + ramp_ns * (int64_t)i / (int64_t)r->n_foes;
        if (r->o->addresses > 0)
            f->from = FIRST_ADDRESS + (in_addr_t)(i % (size_t)r->o->addresses);
    }
}

static bool know_the_words(struct run *r)
{
    char uid[ASK_UID_MAX];

    r->hello_n = conn_hello(r->ctx, (unsigned char *)r->hello, HELLO_MAX);
    jr_buf_init(&r->request, SIZE_MAX / 2);
    if (r->o->validate_file == NULL)
        return r->hello_n > 0;
    return r->hello_n > 0 &&
           ask_body_read(&r->review, r->o->validate_file, "/validate-batch-v1-job", false) &&
           ask_write(&r->review, 0, &r->request, uid) == JR_OK;
}

static bool begin(struct run *r)
{
    r->n_foes = (size_t)r->o->connections;
    r->foes = calloc(r->n_foes, sizeof(*r->foes));
    r->tallies = calloc(n_kinds, sizeof(*r->tallies));
    r->filler = malloc(FILLER_MAX);
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (r->foes == NULL || r->tallies == NULL || r->filler == NULL || r->epoll < 0 ||
        !know_the_words(r))
        return false;
    memset(r->filler, ' ', FILLER_MAX);
    deal(r, now());
    return true;
}

static void end(struct run *r)
{
    for (size_t i = 0; r->foes != NULL && i < r->n_foes; i++)
        conn_close(&r->foes[i].conn);
    free(r->foes);
    free(r->tallies);
    free(r->filler);
    ask_body_done(&r->review);
    jr_buf_done(&r->request);
    if (r->epoll >= 0)
        (void)close(r->epoll);
}

int load_hostile(const struct load_options *o, SSL_CTX *ctx)
{
    JR_CLEANUP(end) struct run r = { .o = o, .ctx = ctx, .epoll = -1 };
    int64_t stop, give_up;

    if (!begin(&r))
        return 2;
    stop = now().ns + o->duration_ms * JR_MSEC;
    give_up = stop + o->drain_ms * JR_MSEC;
    while (!r.stopping || (r.n_open > 0 && now().ns < give_up)) {
        turn(&r);
        r.stopping = now().ns >= stop;
    }
    return report(&r);
}
