/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the informer share. Not for others. */
#ifndef JR_KUBE_INFORMER_PARTS_H
#define JR_KUBE_INFORMER_PARTS_H

#include "common/kube/informer.h"
#include "common/kube/request.h"

/** What is under way. */
enum informer_phase {
    PHASE_NEW,        /* not started */
    PHASE_PAUSE,      /* the timer runs, then `next` */
    PHASE_LIST,       /* pages */
    PHASE_WATCH_LIST, /* a stream before its initial events' end */
    PHASE_WATCH,      /* a stream of changes since rv */
};
/** How to go on after a failure. */
enum informer_next {
    NEXT_LIST,
    NEXT_PAGE, /* the same one */
    NEXT_WATCH,
};

struct jr_informer {
    struct jr_env env;
    struct jr_informer_options opt;
    struct jr_informer_handler h;
    struct jr_arena arena; /* the strings of opt */
    struct jr_log *log;
    struct jr_metrics *metrics;

    enum informer_phase phase;
    bool synced;
    bool replacing;        /* on_replace_begin was called and its end is due */
    bool refused;          /* the server knows no WatchList */
    unsigned cut_short;    /* WatchLists in a row without an end of the initial events */
    unsigned went_back;    /* lists in a row that are older than rv */
    struct jr_buf rv;      /* how new the consumer's cache is */
    struct jr_buf token;   /* of the next page */
    struct jr_buf list_rv; /* the first page's version: what follows may be newer */
    int page_size;         /* to ask for */
    unsigned page_tries;   /* in a row, of one page */
    uint64_t lists;        /* begun */
    size_t items;          /* of this list */
    struct jr_mono list_began;
    int64_t list_took_ns;

    /* Failing. */
    struct jr_timer *timer;
    enum informer_next next;
    unsigned backoff_n;
    struct jr_mono backoff_at;
    unsigned fruitless; /* watches in a row that were answered and brought nothing */

    /* A relist that was asked for. It waits for its time, and for the end of a list. */
    bool relist;
    struct jr_timer *relist_timer; /* NULL: its time has come */
    struct jr_mono relist_at;
    unsigned relists; /* in a row, without a complete list between */

    /* What is in flight. */
    struct jr_call *stream;
    struct jr_kube_call *page;
    struct jr_watch_frames frames;
    struct jr_mono stream_began;
    bool got_event;
    bool got_change; /* behind the list: not only bookmarks */
    bool decided;    /* `next` and `error` say how to go on after the stream, whatever ended it */
    struct jr_error error;
};

/* informer.c */
/** The object of a list or of a WatchList's initial events. */
void jr_informer_item(struct jr_informer *inf, struct jr_str object);
/** How rv compares with the version that the consumer was told last: below 0 older, 0 the same,
 * above 0 newer, or one of them is no number. */
int jr_informer_compare(const struct jr_informer *inf, struct jr_str rv);
/** Tells that a list begins to come. */
void jr_informer_begin_replace(struct jr_informer *inf);
/** The list is complete at rv. JR_REMOTE: it is older than what was told before, and has to be had
 * again. */
enum jr_status jr_informer_listed(struct jr_informer *inf, struct jr_str rv, struct jr_error *err);
/** A list was answered 404. Tells the consumer that nothing is there, where that may be. */
void jr_informer_vanished(struct jr_informer *inf);
/** Waits, at least min_s, then goes on as `next` says. */
void jr_informer_pause(struct jr_informer *inf, enum informer_next next, int min_s,
                       const struct jr_error *why);
/** Watches from the last version, unless a relist is due. */
void jr_informer_start_watch(struct jr_informer *inf);
/** A list begins. */
void jr_informer_list_begins(struct jr_informer *inf);
/** Bytes come: the next failure is the first one. */
void jr_informer_reset_failures(struct jr_informer *inf);

/* informer_list.c */
void jr_informer_first_page(struct jr_informer *inf);
/** Asks for the page at the token. */
void jr_informer_next_page(struct jr_informer *inf);
/** What is accepted: lists of objects, or single ones. NULL: as they are. */
const char *jr_informer_accept(const struct jr_informer *inf, bool lists);
/** Appends &fieldSelector= and &labelSelector= where there are any. */
void jr_informer_add_selectors(const struct jr_informer *inf, struct jr_buf *url);

/* informer_watch.c */
/** Starts a stream: PHASE_WATCH_LIST or PHASE_WATCH. */
void jr_informer_stream(struct jr_informer *inf, enum informer_phase phase);

#endif
