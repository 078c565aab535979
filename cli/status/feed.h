/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and their Pods as an API server tells of them, and the events beside them: one list and one
 * watch of each, and of events a list every ten seconds. */
#ifndef JR_CLI_STATUS_FEED_H
#define JR_CLI_STATUS_FEED_H

#include "common/diagnose/evidence.h"
#include "common/kube/transport.h"

struct jr_status_feed_options {
    const char *namespace; /* NULL: all */
    const char *selector;  /* of Jobs, by labels; NULL: all */
    struct jr_str name;    /* of the only Job; n = 0: all */
    /* Something is new. Comes for the first time when all was listed. */
    void (*changed)(void *ctx);
    void *ctx;
};

struct jr_status_feed;
/** Starts the lists. The strings of options are borrowed. */
struct jr_status_feed *jr_status_feed_new(const struct jr_env *env,
                                          const struct jr_status_feed_options *options);
/** NULL-safe. */
void jr_status_feed_free(struct jr_status_feed *feed);
JR_DEFINE_CLEANUP(struct jr_status_feed *, jr_status_feed_free)
/** A request for this path was answered 403. Returns whether the feed does without: it needs the
 * Jobs only. */
bool jr_status_feed_does_without(struct jr_status_feed *feed, const char *path);
/** What is known now, sealed; borrowed until the feed tells of something new or is asked again. */
struct jr_evidence *jr_status_feed_evidence(struct jr_status_feed *feed);

#endif
