/* A listening TCP socket. */
#ifndef JR_WEBHOOK_LISTEN_H
#define JR_WEBHOOK_LISTEN_H

#include "common/base/error.h"

#define JR_LISTEN_ADDRESS_MAX 64

/** Listens on ip ("": all addresses, IPv4 and IPv6, or IPv4 alone where the machine has no IPv6)
 * and port (0: a free one). In `address` where that really is: "127.0.0.1:43211", "[::]:9443". The
 * caller closes *ret_fd. Errors: JR_IO. */
enum jr_status jr_listen(const char *ip, uint16_t port, int *ret_fd,
                         char address[JR_LISTEN_ADDRESS_MAX], struct jr_error *err) JR_MUST_USE;

#endif
