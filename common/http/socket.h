/* SPDX-License-Identifier: Apache-2.0 */
/* A listening TCP socket. */
#ifndef JR_HTTP_SOCKET_H
#define JR_HTTP_SOCKET_H

#include "common/base/error.h"

#define JR_LISTEN_ADDRESS_MAX 64

/** Listens on host ("": all addresses, IPv4 and IPv6, or IPv4 alone where the machine has no IPv6;
 * else an IP address or a name, of which the first address will do) and port (0: a free one). In
 * `address` where that really is: "127.0.0.1:43211", "[::]:9443". shared: other processes of this
 * user may listen there too, if all say so; connections are shared out among those that live
 * (SO_REUSEPORT of socket(7)). backlog: as for listen(2). The caller closes *ret_fd. Errors: JR_IO.
 */
enum jr_status jr_listen(const char *host, uint16_t port, bool shared, int backlog, int *ret_fd,
                         char address[JR_LISTEN_ADDRESS_MAX], struct jr_error *err) JR_MUST_USE;

#endif
