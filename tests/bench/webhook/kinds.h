/* The ways in which a connection can be a nuisance. */
#ifndef JR_BENCH_KINDS_H
#define JR_BENCH_KINDS_H

#include "common/base/str.h"

struct kind {
    const char *name;
    unsigned share;      /* of all connections, beside the others' shares */
    bool tls;            /* shakes hands first */
    const char *head;    /* is sent at once; may be NULL */
    size_t burst;        /* then so many bytes of filler */
    const char *drip;    /* and then this, every second; NULL: silence */
    bool half_closed;    /* and no more: our side is closed, theirs is left open */
    int64_t deadline_ms; /* by when the server must have ended it */
};
extern const struct kind kinds[];
extern const size_t n_kinds;

#endif
