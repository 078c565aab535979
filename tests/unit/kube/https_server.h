/* SPDX-License-Identifier: Apache-2.0 */
/* A small HTTPS server on loopback that misbehaves as asked, in threads of its own. What it does is
 * in the path:
 *
 *   /ok           200, and in JSON what it saw of the request
 *   /code/429     that status, with Retry-After: 7 and a Status
 *   /redirect     302 to /ok
 *   /auth         401 unless the token is the one of server_token
 *   /stream       200 in chunks: "one\n", and, each after a server_go, "two\n" and the end
 *   /trickle      200 in 60 chunks of "a\n", a millisecond between them
 *   /head         a head that grows by a line every 10 ms, a thousand lines long
 *   /cut          the request is read, and the connection closed
 *   /half         a head that promises more than what comes before the end
 *   /silent       no answer ever
 *   /hang         a head and the start of a body, and no more ever
 *   /big          20 MiB
 */
#ifndef JR_UNIT_KUBE_HTTPS_SERVER_H
#define JR_UNIT_KUBE_HTTPS_SERVER_H

#include <stdbool.h>

struct https_server;

/** Starts it on a free port of 127.0.0.1. Its certificate is for "api.test", and, unless
 * `named_only`, for 127.0.0.1. client_certs: only clients with a certificate of its CA get through
 * the handshake. */
struct https_server *server_start(bool named_only, bool client_certs);
/** Binds a socket to an address of loopback and a port (0: a free one) without listening, so that
 * connections are refused. -1: the port is taken there. */
int server_bind(const char *address, int port, int *ret_port);
/** As server_start, but on a socket from server_bind, which becomes the server's. */
struct https_server *server_start_on(int fd, bool named_only, bool client_certs);
/** Its listening socket, for a server that takes its place: server_start_on. */
int server_socket(const struct https_server *s);
void server_stop(struct https_server *s);
int server_port(const struct https_server *s);
/** PEM texts: the CA, and a client's certificate and key. */
const char *server_ca(const struct https_server *s);
const char *server_client_cert(const struct https_server *s);
const char *server_client_key(const struct https_server *s);
/** Lets one waiting stream go on. */
void server_go(struct https_server *s);
void server_token(struct https_server *s, const char *token);
/** Connections accepted, and requests read, so far. */
int server_connections(struct https_server *s);
int server_requests(struct https_server *s);

#endif
