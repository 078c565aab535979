/* SPDX-License-Identifier: Apache-2.0 */
/* The curl transport on a real loop, with a server on loopback. */
#ifndef JR_UNIT_KUBE_CURL_WORLD_H
#define JR_UNIT_KUBE_CURL_WORLD_H

#include "common/curl/curl.h"
#include "tests/unit/kube/https_server.h"
#include "tests/unit/kube/kube_test.h"

#define AGENT "jobreeve-test/1"

struct world {
    struct https_server *server;
    struct jr_loop *loop;
    struct jr_kube_config config;
    struct jr_curl *curl;
    struct jr_transport t;
    struct jr_clock clock; /* system's, moved by ahead_ns */
    int64_t ahead_ns;
};

/** How a call went. */
struct outcome {
    struct world *w;
    struct jr_call *call;
    int n;
    struct jr_http_answer a;
    char body[2048];
    size_t body_n;
    char chunks[256];
    int n_chunks;          /* calls that brought them */
    enum jr_status refuse; /* what on_chunk returns */
    bool cancel_on_chunk;
    struct outcome *then; /* what on_done sends next */
};

/** A server, a loop and a configuration; the transport is made by world_connect. */
void world_new(struct world *w, bool named_only, bool client_certs);
void world_connect(struct world *w);
void world_init(struct world *w);
void world_done(struct world *w);
/** Replaces a text of the configuration. */
void set(char **field, const char *value);

/** Sends, and returns at once. */
void start(struct world *w, const struct jr_http_request *req, struct outcome *o);
void send_with(struct world *w, const struct jr_http_request *req, struct outcome *o, bool stream);
/** Sends and waits for the end. */
struct outcome ask(struct world *w, const char *method, const char *path, const char *body);
/** Turns the loop until *n is at least want; fails when that takes very long. */
void until(struct world *w, const int *n, int want);
/** As until, for bytes of a stream, and for requests that the server has read. */
void until_chunks(struct world *w, const struct outcome *o, const char *want);
void until_requests(struct world *w, int want);

#define assert_outcome(o, want, status) assert_outcome_at(o, want, status, __FILE__, __LINE__)
void assert_outcome_at(const struct outcome *o, enum jr_http_outcome want, int status,
                       const char *file, int line);

#endif
