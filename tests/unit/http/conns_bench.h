/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of a listener over socket pairs, with a clock that is moved by hand. */
#ifndef JR_TESTS_CONNS_BENCH_H
#define JR_TESTS_CONNS_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/http/conns.h"

#define SECOND JR_SEC

#define N_PAIRS 8
struct bench {
    struct jr_clock_virtual v;
    struct jr_clock clock;
    struct jr_conns conns;
    struct jr_conn conn[N_PAIRS];
    int fd[N_PAIRS][2]; /* ours, the client's */
};

/** With room for so many connections. */
void setup(struct bench *b, size_t max);
void teardown(struct bench *b);
/** From an address such as "10.0.0.1" or "2001:db8::1". A silent one that is evicted is removed, as
 * its owner does. */
enum jr_conns_full add_from(struct bench *b, size_t i, const char *address);
/** From 10.0.0.1. */
enum jr_conns_full add(struct bench *b, size_t i);
/** To its next owner. */
void shake(struct bench *b, size_t i);
/** Moves the clock. */
void forward(struct bench *b, int64_t s);
/** Whether the client sees the end. */
bool ended(const struct bench *b, size_t i);
/** Ends those whose time is over. Returns how many. */
size_t reap(struct bench *b);
/** Brings a connection to a stage, a second after what was before. */
void bring_from(struct bench *b, size_t i, enum jr_conn_stage stage, const char *address);
/** The same, from 10.0.0.1. */
void bring(struct bench *b, size_t i, enum jr_conn_stage stage);
/** The first of n that has ended; n: none. */
size_t first_ended(const struct bench *b, size_t n);

#endif
