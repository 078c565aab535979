/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a TLS connection, looked at before anything is spent on it. */
#ifndef JR_HTTP_HELLO_H
#define JR_HTTP_HELLO_H

#include <stddef.h>

/* A TLS record's header (RFC 8446, 5.1): type, version, length. */
#define JR_HELLO_HEAD ((size_t)5)

enum jr_hello {
    JR_HELLO_WHOLE, /* the first record is there: a handshake can begin */
    JR_HELLO_PART,  /* so far so good; *ret_need bytes are worth the next look */
    JR_HELLO_NONE   /* this is no TLS */
};

/** Says what the first n bytes (at most JR_HELLO_HEAD are read, more needn't be given) are of a
 * connection on which `there` bytes have come. */
enum jr_hello jr_hello_look(const unsigned char *p, size_t n, size_t there, size_t *ret_need);

#endif
