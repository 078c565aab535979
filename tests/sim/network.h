/* SPDX-License-Identifier: Apache-2.0 */
/* The network of a simulation: the devcluster's network in process, with every delay and fault
 * drawn from the seed, and with what is known of each request for those who check them. */
#ifndef JR_TESTS_SIM_NETWORK_H
#define JR_TESTS_SIM_NETWORK_H

#include "tests/sim/model.h"
#include "tests/sim/report.h"
#include "tests/support/inprocess/network.h"

#define SIM_PROCESSES 4 /* the kubelet, controllers, decommission */
#define SIM_USER 99u    /* as a process: who isn't one */

/** A request, as those who watch the server see it. */
struct sim_request {
    const char *client; /* who sent it */
    unsigned process;
    unsigned life; /* of that process */
    uint64_t number;
    enum sim_verb verb;
    const char *method;
    const char *path;
    struct jr_str body;
    enum sim_fault fault;
    bool forsaken; /* its sender doesn't wait for it any more */
    struct sim_hand hand;
    int64_t skew_ns; /* of its sender's clock, the most in this life until it was made */
};
/** A life of a process; 0: nobody's. */
static inline uint64_t sim_life_of(const struct sim_request *r)
{
    return (uint64_t)r->life * SIM_PROCESSES + r->process;
}

struct sim_net_hooks {
    /** A request was made; it goes out in a later turn of its sender's loop. */
    void (*handed)(void *ctx, const struct sim_request *r);
    /** A request goes out: its sender still was allowed to. */
    void (*sent)(void *ctx, const struct sim_request *r);
    /** Its sender waits no more, and it has not arrived yet. */
    void (*given_up)(void *ctx, const struct sim_request *r);
    /** An object was written. by NULL: the server's own doing. */
    void (*written)(void *ctx, const struct jr_dev_event *e, const struct sim_request *by);
    /** A request was carried out, or refused for its own sake. */
    void (*answered)(void *ctx, const struct sim_request *r, const struct jr_dev_answer *a,
                     bool wrote);
    void *ctx;
};

struct sim_net_options {
    struct jr_dev_store *store; /* borrowed, as all of these */
    struct jr_loop *loop;       /* the server's */
    const struct sim_climate *climate;
    const struct sim_choice *choice;
    struct sim_report *report;
    struct sim_net_hooks hooks;
};

struct sim_net;
/** Never NULL. */
struct sim_net *sim_net_new(const struct sim_net_options *options);
void sim_net_free(struct sim_net *net);
/** From now on nothing goes wrong any more, and streams are quick. */
void sim_net_calm(struct sim_net *net);
/** From now on, or no more: no controller may patch a Pod, so that each keeps its finalizer. */
void sim_net_block(struct sim_net *net, bool on);
/** A request that takes no time and meets no fault, as users make them. Gives the status; answer
 * (may be NULL) gets the body. */
int sim_net_ask(struct sim_net *net, const char *user, const char *method, const char *path,
                const char *content_type, struct jr_str body, struct jr_buf *answer);

/** A process as a client. */
struct sim_client_options {
    const char *name;
    unsigned process;
    unsigned life;
    struct jr_loop *loop; /* the process' */
    uint64_t *n_requests; /* of all its lives */
    const int64_t *skew_ns;
    bool mild;            /* no faults, little latency */
    bool queued;          /* requests wait before they come here */
    bool decommissioning; /* struct sim_hand */
};
struct sim_client;
/** Never NULL. */
struct sim_client *sim_client_new(struct sim_net *net, const struct sim_client_options *options);
/** As the end of a process: no handler runs any more, what has gone out goes on. NULL-safe. */
void sim_client_free(struct sim_client *c);
struct jr_transport sim_client_transport(struct sim_client *c);
/** From now on all connections that it has open swallow what is sent, in both directions. */
void sim_client_swallow(struct sim_client *c);
/** Its process was stopped all the while. */
void sim_client_stood(struct sim_client *c, int64_t from_ns, int64_t until_ns);
/** What its process must know at this moment. */
struct sim_hand sim_client_knows(const struct sim_client *c);

#endif
