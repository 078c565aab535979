/* SPDX-License-Identifier: Apache-2.0 */
/* What may go wrong with a request, and what a request's fate is. */
#ifndef JR_TESTS_SIM_FAULTS_H
#define JR_TESTS_SIM_FAULTS_H

#include "tests/sim/choice.h"
#include "tests/sim/dice.h"

#define SIM_VERB_MAP(X) X(GET) X(LIST) X(WATCH) X(POST) X(PUT) X(PATCH) X(DELETE)

enum sim_verb {
#define X(name) SIM_VERB_##name,
    SIM_VERB_MAP(X)
#undef X
        SIM_N_VERBS
};
const char *sim_verb_word(enum sim_verb v);
enum sim_verb sim_verb_of(const char *method, const char *path);

#define SIM_READS (1u << SIM_VERB_GET | 1u << SIM_VERB_LIST)
#define SIM_WRITES \
    (1u << SIM_VERB_POST | 1u << SIM_VERB_PUT | 1u << SIM_VERB_PATCH | 1u << SIM_VERB_DELETE)
#define SIM_WATCHES (1u << SIM_VERB_WATCH)

/* name, words, verbs that it may affect, weight */
#define SIM_FAULT_MAP(X)                                                                       \
    X(CONFLICT, "409 conflict", SIM_WRITES, 3)                                                 \
    X(TOO_MANY, "429 with Retry-After", SIM_READS | SIM_WRITES | SIM_WATCHES, 2)               \
    X(INTERNAL, "500", SIM_READS | SIM_WRITES | SIM_WATCHES, 2)                                \
    X(UNAVAILABLE, "503", SIM_READS | SIM_WRITES | SIM_WATCHES, 1)                             \
    X(REFUSED, "connection refused", SIM_READS | SIM_WRITES | SIM_WATCHES, 2)                  \
    X(LOST_DONE, "no answer, done", SIM_WRITES, 8)                                             \
    X(LOST_UNDONE, "no answer, not done", SIM_READS | SIM_WRITES | SIM_WATCHES, 3)             \
    X(GATEWAY_DONE, "504, done", SIM_WRITES, 2)                                                \
    X(HANG_DONE, "never an answer, done", SIM_WRITES, 1)                                       \
    X(SLOW, "a slow answer", SIM_READS | SIM_WRITES | SIM_WATCHES, 3)                          \
    X(COMPACT, "410: the history is forgotten", 1u << SIM_VERB_PUT | SIM_WATCHES, 2)           \
    X(GONE, "410 as an answer", 1u << SIM_VERB_LIST | SIM_WATCHES, 1)                          \
    X(STREAM_END, "the stream ends", SIM_WATCHES, 3)                                           \
    X(STREAM_CUT, "the stream is cut", SIM_WATCHES, 4)                                         \
    X(STREAM_SILENT, "the stream goes silent", SIM_WATCHES, 2)                                 \
    X(STREAM_LAG, "the stream lags by seconds", SIM_WATCHES, 4)                                \
    X(UNAUTHORIZED, "401", SIM_READS | SIM_WRITES | SIM_WATCHES, 1)                            \
    X(FORBIDDEN, "403", SIM_READS | SIM_WRITES | SIM_WATCHES, 1)                               \
    X(QUOTA, "403: over quota", 1u << SIM_VERB_POST, 2)                                        \
    X(DENIED, "403: a webhook denies it", SIM_WRITES, 1)                                       \
    /* as long as BLOCK_PODS lasts */                                                          \
    X(BLOCKED, "403: no Pod may be patched", 1u << SIM_VERB_PATCH, 0)                          \
    X(BUSY, "503 with Retry-After", SIM_READS | SIM_WRITES | SIM_WATCHES, 1)                   \
    X(BEHIND, "504: another server is behind", 1u << SIM_VERB_LIST | SIM_WATCHES, 1)           \
    X(BODY_CUT, "the body is cut", 1u << SIM_VERB_LIST | SIM_WATCHES, 2)                       \
    X(STREAM_TWICE, "events come twice", SIM_WATCHES, 3)                                       \
    X(STREAM_BACK, "the stream goes back some versions", SIM_WATCHES, 3)                       \
    X(POISON, "an object that can't be read, or hardly", 1u << SIM_VERB_LIST | SIM_WATCHES, 3) \
    X(OLD_STATE, "initial events of an older state", SIM_WATCHES, 3)

enum sim_fault {
    SIM_FAULT_NONE,
#define X(name, words, verbs, weight) SIM_FAULT_##name,
    SIM_FAULT_MAP(X)
#undef X
        SIM_N_FAULTS
};
const char *sim_fault_words(enum sim_fault f);
/** Whether it may affect such a request. */
bool sim_fault_fits(enum sim_fault f, enum sim_verb v);

/** A request with this fault is carried out by the server, or refused for its own sake. */
static inline bool sim_arrives(enum sim_fault f)
{
    return f == SIM_FAULT_NONE || f == SIM_FAULT_SLOW || f == SIM_FAULT_LOST_DONE ||
           f == SIM_FAULT_GATEWAY_DONE || f == SIM_FAULT_HANG_DONE;
}

/** How a seed treats its controllers: which faults there are, and how many. */
struct sim_climate {
    uint64_t seed;
    unsigned percent;   /* of requests that have a fault */
    unsigned ambiguous; /* percent of creations without an answer, and lists are slow to tell */
    uint32_t faults;    /* 1u << enum sim_fault */
    int64_t latency_ns; /* most of one way */
    int64_t lag_ns;     /* most of a stream without a fault */
    bool chunks;        /* streams arrive in pieces cut anywhere */
    unsigned page;      /* most items of a page of a list, 0: as asked for */
    bool poisoned;      /* a Job and a Pod that can hardly be read stand all the time */
};
struct sim_climate sim_climate_of(uint64_t seed);

struct sim_fate {
    enum sim_fault fault;
    int64_t hold_ns;  /* until it goes out, and whether it may is asked */
    int64_t there_ns; /* until the server has it */
    int64_t back_ns;  /* until the answer is here */
    int64_t life_ns;  /* a stream's, under a fault that ends it */
    int64_t lag_ns;   /* a stream's, most */
    int retry_after_s;
};
/** What is known of a request before its fate. */
struct sim_about {
    unsigned process;
    uint64_t n; /* the process' n-th */
    enum sim_verb verb;
    bool relist; /* a WatchList, and not the first one in the process' life: these are few */
    bool calm;   /* nothing goes wrong any more */
};
struct sim_fate sim_fate_draw(const struct sim_climate *c, const struct sim_choice *choice,
                              const struct sim_about *a);
/** The number of a request for --keep fault:N. */
static inline uint64_t sim_fault_number(unsigned process, uint64_t n)
{
    return n * 4 + process;
}

#endif
