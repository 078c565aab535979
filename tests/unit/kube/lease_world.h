/* SPDX-License-Identifier: Apache-2.0 */
/* An elector between a fake transport and a handler that counts. */
#ifndef JR_UNIT_KUBE_LEASE_WORLD_H
#define JR_UNIT_KUBE_LEASE_WORLD_H

#include "common/api/lease.h"
#include "common/kube/leader_election.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

#define PATH "/apis/coordination.k8s.io/v1/namespaces/ns/leases"
#define MS(x) ((x)*JR_MSEC)

struct world {
    struct fake f;
    struct jr_elector *e;
    int started, stopped;
    bool free_when_stopped;
    bool stop_when_started;
};

/** 15 s, 10 s, 2 s, released on stop. */
extern const struct jr_elector_options usual;
/** A started elector. */
void world_with(struct world *w, const struct jr_elector_options *o);
void world_init(struct world *w);
void world_done(struct world *w);

/** Answers with a Lease; rv is its version, and makes its renewTime. */
void answer_lease(struct jr_call *c, int status, const char *holder, int rv, int transitions,
                  int duration_s);
/** 200, four transitions, 15 s. */
void held_by(struct jr_call *c, const char *holder, int rv);
/** Decodes what is being written. */
struct jr_lease written(const struct jr_call *c, struct jr_arena *arena);
void assert_write(const struct jr_call *c, const char *holder, const char *rv, int transitions,
                  int duration_s);
/** Makes it lead: the Lease was not there, and has version 1 now. */
void lead(struct world *w);
/** Answers the next renewal with version rv. */
void renew(struct world *w, int rv);

#endif
