/* SPDX-License-Identifier: Apache-2.0 */
/* The two kinds of clients. Each run ends by itself and prints its figures as lines of words. */
#ifndef JR_BENCH_LOAD_H
#define JR_BENCH_LOAD_H

#include <openssl/ssl.h>

#include "common/base/flags.h"

struct load_options {
    const char *ca_file;
    const char *cert_file; /* NULL: none */
    const char *key_file;
    const char *mutate_file; /* recorded reviews */
    const char *validate_file;
    int64_t port;
    int64_t rate; /* requests a second */
    int64_t duration_ms;
    int64_t connections;
    int64_t renew;             /* a connection is given up after so many requests */
    struct jr_flag_list kinds; /* of hostile connections; none: those that have a share */
    int64_t addresses;         /* that they come from; 0: the kernel's choice */
    int64_t again_ms;          /* from a connection's end to its next beginning */
    int64_t drain_ms;          /* at the end: for how long they are left to be ended */
};

/** Sends reviews at a fixed rate, mutations and validations in turn, each with a uid of its own,
 * and checks every answer. A request's time counts from when it was due, so that a server that
 * stalls can't hide it. Where a connection that was in use before ends without a byte of the
 * answer, the request is sent once more on another, as the API server's HTTP client does. Returns
 * the exit code. */
int load_valid(const struct load_options *o, SSL_CTX *ctx) JR_MUST_USE;

/** Holds hostile connections of the kinds that were named: each that ends is replaced again_ms
 * later, until duration_ms are over; then waits for the last ones to be ended by the server, where
 * drain_ms are given. Returns the exit code. */
int load_hostile(const struct load_options *o, SSL_CTX *ctx) JR_MUST_USE;

#endif
