/* SPDX-License-Identifier: Apache-2.0 */
/* A small listener on the event loop, for health probes and metrics, plain HTTP or TLS:
 * libmicrohttpd with an epoll descriptor of its own, no thread. */
#ifndef JR_HTTP_LISTENER_H
#define JR_HTTP_LISTENER_H

#include "common/base/buf.h"
#include "common/base/flags.h"
#include "common/base/log.h"
#include "common/base/loop.h"

/** Answers GET path (HEAD too): fills the body and returns the HTTP status (200, 404, 503, ...).
 * path without query; query as sent, may be empty. */
typedef int jr_listener_fn(void *ctx, struct jr_str path, struct jr_str query, struct jr_buf *body,
                           const char **ret_content_type);

struct jr_listener;
struct jr_tls_terms;
/** What a program serves at the address of one of its flags. All borrowed. */
struct jr_listener_service {
    struct jr_loop *loop;
    struct jr_log *log;
    const char *flag; /* "--metrics-bind-address": named in errors */
    const char *name; /* "metrics": named in the log */
    jr_listener_fn *fn;
    void *ctx;
    const struct jr_tls_terms *tls; /* common/http/tls_conn.h; NULL: plain HTTP */
};
/** Listens and serves from the loop; log, flag and name are not used. Other methods get 405.
 * Bounded: 128 connections, 4 KiB of headers; 2 s from accept(2), handshake included, to the end of
 * the first request, and for each later one, 10 s to take an answer, and between two requests. When
 * all places are taken, the address with the most connections loses one (jr_conns, fair). */
enum jr_status jr_listener_new(const struct jr_listener_service *s, const struct jr_flag_addr *at,
                               struct jr_listener **ret, struct jr_error *err) JR_MUST_USE;
/** jr_listener_new, with a log line that says where; nothing where the address is off. */
enum jr_status jr_listener_serve(const struct jr_listener_service *s, const struct jr_flag_addr *at,
                                 struct jr_listener **ret, struct jr_error *err) JR_MUST_USE;
/** "127.0.0.1:43211": where it really listens. */
const char *jr_listener_address(const struct jr_listener *l);
void jr_listener_free(struct jr_listener *l);
JR_DEFINE_CLEANUP(struct jr_listener *, jr_listener_free)
/** Appends the lines of libmicrohttpd and GnuTLS to what --version prints. */
void jr_http_about(struct jr_buf *out);

#endif
