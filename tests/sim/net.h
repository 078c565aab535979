/* What the two sides of the network share. Not for others. */
#ifndef JR_TESTS_SIM_NET_H
#define JR_TESTS_SIM_NET_H

#include <sys/queue.h>

#include "tests/sim/known.h"
#include "tests/sim/transport.h"

/** A request on its way to the server or, a stream, open there. */
struct flight {
    LIST_ENTRY(flight) in_list;
    struct sim_net *net;
    struct jr_call *call;  /* NULL: its sender is gone */
    struct jr_arena arena; /* the request's texts */
    struct sim_request about;
    const char *accept;
    const char *content_type;
    struct sim_fate fate;
    struct jr_timer *timer; /* arrival; a stream's next read */
    /* Streams. */
    struct jr_dev_op *op;
    struct sim_dice dice;
    uint64_t target; /* read up to here when the timer is due; 0: nothing new was seen */
    uint64_t read;   /* up to there */
    uint64_t state;  /* its initial events tell of this one; 0: of the newest */
    uint64_t
        oldest; /* its sender may be told of this version, and of none before; 0: of the newest */
    struct jr_mono end_at;
    bool silent;
};
LIST_HEAD(flights, flight);

struct sim_net {
    struct sim_net_options o;
    struct flights flights;
    struct jr_timer *tick;
    uint64_t n_ticks;
    uint64_t seen; /* writes up to this revision were told */
    uint64_t
        gone[SIM_PROCESSES]; /* the newest version at which an object went by a process' write */
    bool calm;
};

/** What comes back on a call: a piece of a stream, or its end. */
struct delivery {
    TAILQ_ENTRY(delivery) in_list;
    struct jr_call *call;
    struct jr_timer *timer;
    bool end;
    enum jr_http_outcome outcome;
    int status;
    int retry_after_s;
    uint64_t revision; /* with this piece all writes up to here are told, of what is `told` */
    enum sim_told told;
    struct jr_buf body;
};

/* server.c */
enum jr_status sim_net_take(struct flight *f) JR_MUST_USE; /* on its way; owned by the net */
void sim_flight_free(struct flight *f);

/* behind.c */
/** The number after key, 0: there is none. */
uint64_t sim_number_at(const char *path, const char *key);
/** The version that a stream asks for; 0: none. */
uint64_t sim_version_asked(const struct flight *f);
/** The address as the server takes it: of a list that may be old, an older one. */
const char *sim_path_of(struct flight *f);
/** Up to which version a watch tells at first, and its initial events do; 0: to the newest. */
uint64_t sim_state_of(struct flight *f);

/* bodies.c */
/** Each event once more, right after itself. */
void sim_body_repeat(struct jr_buf *out);
/** Puts an object that can hardly be read before the events, or behind them, as of this version. */
void sim_body_poison_first(struct sim_dice *d, bool job, uint64_t version, struct jr_buf *out);
void sim_body_poison_last(struct sim_dice *d, bool job, uint64_t version, struct jr_buf *out);
/** Puts one before the items of a page. */
void sim_body_poison_list(struct sim_dice *d, bool job, uint64_t version, struct jr_buf *out);

/* transport.c */
/** Sends something back, after f's time and what was sent before. body may be NULL; it is copied.
 */
void sim_call_deliver(struct flight *f, const struct delivery *what, struct jr_str body);
/** What is sent next comes so much later than what was sent last, at least. */
void sim_call_pause(struct flight *f, int64_t ns);
/** Nothing will come back. */
void sim_call_forget(struct flight *f);

#endif
