/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in which a connection can be a nuisance. */
#ifndef JR_BENCH_KINDS_H
#define JR_BENCH_KINDS_H

#include "common/base/str.h"

struct kind {
    const char *name;
    unsigned share;      /* of all connections, beside the others' shares; 0: only where named */
    bool tls;            /* shakes hands first */
    bool hello;          /* sends a good first record of TLS, and knows no TLS beyond it */
    bool review;         /* sends a good review, as the first thing and then every second */
    bool deaf;           /* reads nothing of what it is answered */
    const char *head;    /* is sent at once; may be NULL */
    size_t burst;        /* then so many bytes of filler */
    const char *drip;    /* and then this, every second; NULL: silence */
    bool half_closed;    /* and no more: our side is closed, theirs is left open */
    int64_t deadline_ms; /* by when the server must have ended it; 0: it needn't */
};
extern const struct kind kinds[];
extern const size_t n_kinds;

#endif
