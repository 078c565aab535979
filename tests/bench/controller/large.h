/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster of Jobs with large templates, which serve.c serves: as many running, suspended and
 * foreign ones. It takes what the controller writes, and keeps it. */
#ifndef JR_BENCH_LARGE_H
#define JR_BENCH_LARGE_H

#include <openssl/ssl.h>

#include "common/base/buf.h"
#include "tests/bench/controller/bench.h"

struct server;
/** One connection, with a thread of its own. */
struct connection {
    struct server *server;
    int fd;
    SSL *ssl;
    struct jr_buf in, out; /* a request; what is to be sent */
};
/** Sends what is in out. False: the connection is of no use any more. */
bool connection_flush(struct connection *c) JR_MUST_USE;
/** Answers with a Status. */
bool connection_refuse(struct connection *c, int code, const char *reason) JR_MUST_USE;

struct large;
/** NULL: no memory. Lives as long as the process. */
struct large *large_new(const struct bench_options *o);
/** Answers the request whose head and body are in c->in. */
bool large_serve(struct large *l, struct connection *c, struct jr_str method,
                 struct jr_str path) JR_MUST_USE;
/** Obeys an order: "touch N" (so many status updates by others), "relist" (410 on the Jobs'
 * stream), "finish" (all Pods succeed, also those to come), "state" (a line of figures). */
void large_obey(struct large *l, const char *order);

#endif
