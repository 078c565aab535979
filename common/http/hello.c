/* SPDX-License-Identifier: Apache-2.0 */
/* What a client's first bytes say of TLS. */
#include "common/http/hello.h"

#define HANDSHAKE 22
#define MAJOR_VERSION 3 /* of SSL 3.0 and everything after it */
#define RECORD_MAX ((size_t)1 << 14)

enum jr_hello jr_hello_look(const unsigned char *p, size_t n, size_t there, size_t *ret_need)
{
    size_t length;

    *ret_need = n == 0 ? 1 : JR_HELLO_HEAD;
    if ((n > 0 && p[0] != HANDSHAKE) || (n > 1 && p[1] != MAJOR_VERSION))
        return JR_HELLO_NONE;
    if (n < JR_HELLO_HEAD)
        return JR_HELLO_PART;
    length = ((size_t)p[3] << 8) | p[4];
    if (length == 0 || length > RECORD_MAX)
        return JR_HELLO_NONE;
    *ret_need = JR_HELLO_HEAD + length;
    return there >= *ret_need ? JR_HELLO_WHOLE : JR_HELLO_PART;
}
