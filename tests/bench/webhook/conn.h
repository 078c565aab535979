/* SPDX-License-Identifier: Apache-2.0 */
/* A client's connection to 127.0.0.1, plain or TLS 1.3, that never blocks. */
#ifndef JR_BENCH_CONN_H
#define JR_BENCH_CONN_H

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdint.h>

#include "common/base/error.h"

/** What came of trying: done (some), not now, or the connection is of no more use. */
enum conn_io { CONN_OK, CONN_AGAIN, CONN_GONE };

struct conn {
    int fd; /* -1: none */
    SSL *ssl;
};

/** Begins to connect. ctx NULL: without TLS. from: our own address, INADDR_ANY for the kernel's
 * choice; any other is one of 127.0.0.0/8. False: no socket; nothing is to be closed then. */
bool conn_open(struct conn *c, SSL_CTX *ctx, uint16_t port, in_addr_t from) JR_MUST_USE;
/** CONN_OK once the TCP connection stands and, with TLS, the handshake is over. */
enum conn_io conn_shake(struct conn *c) JR_MUST_USE;
enum conn_io conn_write(struct conn *c, const char *p, size_t n, size_t *ret_n) JR_MUST_USE;
enum conn_io conn_read(struct conn *c, char *p, size_t n, size_t *ret_n) JR_MUST_USE;
/** Reads below TLS for nothing; CONN_GONE when the other side has ended. */
enum conn_io conn_drain(const struct conn *c) JR_MUST_USE;
/** Reads nothing; CONN_GONE when the other side has ended. */
enum conn_io conn_look(const struct conn *c) JR_MUST_USE;
void conn_close(struct conn *c);

/** For clients of TLS 1.3 that trust the certificates of a PEM file, and show one of their own
 * where files for it are given; NULL after a message. */
SSL_CTX *conn_context(const char *ca_file, const char *cert_file, const char *key_file);
/** Writes what such a client says first, up to `max` bytes. Returns how many, 0 on an error. */
size_t conn_hello(SSL_CTX *ctx, unsigned char *out, size_t max);

#endif
