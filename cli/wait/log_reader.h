/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the log of a container's run, each line once: also where the connection breaks between. */
#ifndef JR_CLI_WAIT_LOG_READER_H
#define JR_CLI_WAIT_LOG_READER_H

#include "common/kube/transport.h"

/** How a reading ended. */
enum jr_log_end {
    JR_LOG_READ,      /* to the end: of the run, or of what there was */
    JR_LOG_OTHER,     /* it is the log of a later run: none of it was told */
    JR_LOG_NOT_YET,   /* the container hasn't been started */
    JR_LOG_GONE,      /* the Pod is gone, or the container's log */
    JR_LOG_FORBIDDEN, /* to us */
    JR_LOG_BROKEN,    /* anything else: it may be tried again */
};

struct jr_log_handler {
    /* A line without its end and its time, borrowed. One of more than a MiB comes in parts. */
    void (*line)(void *ctx, struct jr_str text);
    /* Lines may be missing before the next one: the log was rotated while nobody read it. */
    void (*rotated)(void *ctx);
    /* Once for each opening. The reader may be opened again from here. why: in words; borrowed. */
    void (*end)(void *ctx, enum jr_log_end end, struct jr_str why);
    void *ctx;
};

/** A reader. Set env, h and path, zero the rest. */
struct jr_log_reader {
    struct jr_env env;
    struct jr_log_handler h;
    const char *path; /* of the Pod; borrowed */
    const char *container;
    struct jr_call *call; /* NULL: it is closed */
    struct jr_time until; /* lines of that time are another run's; 0: none is */
    struct jr_buf line;   /* what has come of one */
    bool inside;          /* the beginning of the line was told */
    bool other;
    bool came; /* a line, since it was opened */
    /* The run's lines so far: their times, and how many of the last second were told, as a server
     * gives that second again: it knows no smaller unit. */
    struct jr_time first, last, second;
    uint64_t in_second;
    uint64_t skip;       /* so many lines come again */
    struct jr_buf words; /* of a node instead of lines */
};

/** A log, and how it is read. */
struct jr_log_what {
    bool previous;        /* the run before the last one */
    bool follow;          /* until it ends */
    bool resume;          /* behind the last line that was told */
    struct jr_time until; /* when the run ended, to the second; 0: unknown */
};
/** Opens the reader, which is closed. */
void jr_log_reader_open(struct jr_log_reader *r, const struct jr_log_what *what);
/** Closes it without a call, and frees what it has. */
void jr_log_reader_done(struct jr_log_reader *r);

#endif
