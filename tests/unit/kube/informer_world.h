/* SPDX-License-Identifier: Apache-2.0 */
/* An informer between a fake transport and a consumer that writes down what it is told. */
#ifndef JR_UNIT_KUBE_INFORMER_WORLD_H
#define JR_UNIT_KUBE_INFORMER_WORLD_H

#include "common/kube/informer.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

#define NOTES_MAX ((size_t)1 << 20)
#define LIST_PATH "/apis/batch/v1/jobs?limit="
#define STREAM_PATH                                                                      \
    "/apis/batch/v1/"                                                                    \
    "jobs?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=" \
    "NotOlderThan&timeoutSeconds="
#define WATCH_PATH "/apis/batch/v1/jobs?watch=1&allowWatchBookmarks=true&timeoutSeconds="

struct world {
    struct fake f;
    struct jr_informer *inf;
    struct jr_buf notes;    /* "begin item(a@1) end(7) ADDED(b@8) at(8) " */
    struct jr_buf progress; /* the last version told */
    struct jr_metrics *metrics;
    const char *relist_on; /* an object with this in its text asks for a relist */
};
/** options may be NULL: /apis/batch/v1/jobs, WatchList on. */
void world_init(struct world *w, const struct jr_informer_options *options);
void world_done(struct world *w);
/** Asserts the notes, and empties them. */
#define assert_notes(w, want) assert_notes_at(w, want, __FILE__, __LINE__)
void assert_notes_at(struct world *w, const char *want, const char *file, int line);

/** Brings an event about object `name` at version rv. */
bool event(struct jr_call *c, const char *type, const char *name, int rv);
bool bookmark(struct jr_call *c, int rv, bool end);
bool error_event(struct jr_call *c, int code, const char *reason);
/** Answers with a page of one object; token "" on the last page. */
void page(struct jr_call *c, const char *name, int rv, const char *token);
void refuse(struct jr_call *c, int status, const char *reason);
/** Asserts that the path goes on with &resourceVersion=rv behind timeoutSeconds. */
void assert_version(const struct jr_call *c, const char *rv);
/** Brings the informer to a watch from version 7, by a WatchList; returns the stream. The notes are
 * empty. */
struct jr_call *synced(struct world *w);

#endif
