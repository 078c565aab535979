/* SPDX-License-Identifier: Apache-2.0 */
/* An API server, asked over one connection. */
#ifndef JR_TEST_ADMISSION_CLIENT_H
#define JR_TEST_ADMISSION_CLIENT_H

#include "common/base/buf.h"

/** Where the server is; all borrowed. */
struct jr_client_options {
    const char *server; /* https://127.0.0.1:6443 */
    const char *ca;     /* file */
    const char *cert;   /* file */
    const char *key;    /* file */
};

/** An answer, until the next request. */
struct jr_reply {
    long code;
    struct jr_buf body;
    struct jr_buf warnings; /* texts of the Warning headers, each ended by a newline */
};

struct jr_client;
/** Errors: JR_NOMEM. */
enum jr_status jr_client_new(const struct jr_client_options *opts,
                             struct jr_client **ret) JR_MUST_USE;
void jr_client_free(struct jr_client *c);
static inline void jr_client_freep(struct jr_client **c)
{
    jr_client_free(*c);
}
/** Sends a request and waits, at most a minute. *ret is the client's. Errors: JR_REMOTE where the
 * server cut the connection without an answer, JR_IO, JR_NOMEM. */
enum jr_status jr_client_ask(struct jr_client *c, const char *method, const char *path,
                             struct jr_str body, const struct jr_reply **ret,
                             struct jr_error *err) JR_MUST_USE;

#endif
