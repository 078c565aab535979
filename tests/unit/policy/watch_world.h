/* SPDX-License-Identifier: Apache-2.0 */
/* A policy watch beside an API server that a test makes up, on a virtual loop. */
#ifndef JR_UNIT_POLICY_WATCH_WORLD_H
#define JR_UNIT_POLICY_WATCH_WORLD_H

#include "common/policy/watch/watch.h"
#include "tests/support/scripted_api.h"
#include "tests/unit/policy/policy_test.h"

#define POLICIES "/apis/policy.jobreeve.dev/v1alpha1/jobpolicies"
#define NAMESPACES "/api/v1/namespaces"

/** What the API server says from now on. */
struct watch_world {
    struct jr_clock_virtual clock;
    struct jr_rand_seeded seed;
    struct jr_env env;
    struct jr_scripted_api *api;
    struct jr_metrics *metrics;
    struct jr_policy_store *store;
    struct jr_namespaces *namespaces;
    struct jr_policy_watch *watch;
    struct jr_buf policies, spaces; /* what lists show: watch events, a line each */
    int version;                    /* of what is told next */
    int list_status;                /* of lists and watches of policies; 200 */
    bool pages;                     /* there is no WatchList */
    bool away;                      /* nothing is answered but by a refused connection */
    bool silent;                    /* no answer, until the request's time is over */
    bool list_open;                 /* a WatchList doesn't end by itself: tell_end */
    unsigned asked;                 /* for policies */
    unsigned listed;                /* how often we were told that all is */
};
void world_init(struct watch_world *w);
/** policies: JobPolicies are watched. */
void world_start(struct watch_world *w, bool policies);
void world_done(struct watch_world *w);
/** jobreeve_policies, as it is shown; NULL: it isn't. */
void want_gauge(struct watch_world *w, const char *value);
/** Turns the loop for so many seconds. */
void world_wait(struct watch_world *w, int seconds);
/** world_init and world_start, until all is listed. */
void world_synced(struct watch_world *w);

/** A policy's event, as a line. */
const char *policy(struct watch_world *w, const char *type, const char *name, const char *uid,
                   int generation);
/** Lists show so from now on; ended by NULL. */
void set_list(struct jr_buf *list, const char *const *lines);
#define list_policies(w, ...) set_list(&(w)->policies, (const char *const[]){ __VA_ARGS__, NULL })
#define list_spaces(w, ...) set_list(&(w)->spaces, (const char *const[]){ __VA_ARGS__, NULL })
/** Brings a line to the open watches of the path; there must be one. */
void tell(struct watch_world *w, const char *path, const char *line);
/** Tells of a change of a policy. */
void tell_policy(struct watch_world *w, const char *type, const char *name, const char *uid,
                 int generation);
void tell_bookmark(struct watch_world *w, const char *path);
/** The end of an open WatchList of policies. */
void tell_end(struct watch_world *w);
/** The watch of the policies has expired: they are listed anew. Turns the loop until they are. */
void expire(struct watch_world *w);

#endif
