/* SPDX-License-Identifier: Apache-2.0 */
/* The controller's library around one row of the scenario file: a virtual clock, the real store,
 * queue, runner and executor, and an API that answers as the row says. */
#ifndef JR_TESTS_SCENARIO_WORLD_H
#define JR_TESTS_SCENARIO_WORLD_H

#include "common/json/doc.h"
#include "controller/cache/store.h"
#include "controller/work/orphan_worker.h"
#include "controller/intake/handlers.h"
#include "controller/work/run.h"
#include "tests/support/scripted_api.h"

/** An event, folded with its equals. */
struct world_event {
    struct jr_str type, reason, message;
    int64_t count;
};

/** One PUT of a status that the API took. */
struct world_put {
    struct jr_str sent;
    struct jr_str before; /* the Job that it replaced */
};

#define WORLD_PUTS_MAX 8

struct world {
    const struct jr_node *row;
    struct jr_arena arena;
    struct jr_clock_virtual clock;
    struct jr_rand_seeded seed;
    struct jr_loop *loop;
    struct jr_scripted_api *api;
    struct jr_env env;
    struct jr_metrics *metrics;
    struct jr_state state;
    struct jr_executor *executor;
    struct jr_runner *runner;
    struct jr_orphan_worker *orphan_worker;
    struct jr_object_key key; /* of the row's Job */
    struct jr_now now;        /* the row's moment */
    struct jr_str cached;     /* the Job as the API has it */
    bool broken;
    bool slim;    /* the Job is cached without its template */
    bool fetched; /* then the first call reads it, which the row knows nothing of */

    /* What was seen. */
    struct world_event *events;
    size_t n_events, cap_events;
    struct world_put puts[WORLD_PUTS_MAX];
    size_t n_puts;
    size_t put_attempts, creates, create_attempts;
    bool over, failed, requeue;
    int64_t requeue_ns;
    struct jr_str error;
};

/** Makes it; false if something could not be made, which is printed. */
bool world_init(struct world *w, const struct jr_node *row, bool slim);
void world_done(struct world *w);

/** Fills the store with a row's objects, without calling a handler. */
bool world_put_job(struct world *w, const struct jr_node *job);
bool world_put_pods(struct world *w, const struct jr_node *pods);
/** The row's state: expectations, records, versions. */
void world_set_state(struct world *w);
/** Runs the loop until nothing is left to do. */
void world_run(struct world *w);

/** The Kubernetes that a row is of: its `kubernetes` and `features`, 1.36.0 by default. */
struct jr_profile scenario_profile(const struct jr_node *row);

/** The text of a node, compact; in the world's arena. */
struct jr_str world_text(struct world *w, const struct jr_node *n);
struct jr_job *world_job(struct world *w, const struct jr_node *n);
struct jr_pod *world_pod(struct world *w, const struct jr_node *n);
/** A wall time as the file writes it. */
struct jr_time world_time(struct jr_str s);

/** What a call was: the last segment of its path, and its class. */
enum world_call {
    CALL_GET_JOB,
    CALL_ADOPT,
    CALL_RELEASE,
    CALL_UNFINALIZE,
    CALL_DELETE,
    CALL_CREATE,
    CALL_PUT_STATUS,
    CALL_WORKLOAD,
    CALL_POD_GROUP,
    CALL_UNKNOWN,
};
enum world_call world_classify(const struct jr_scripted_call *call, struct jr_str *ret_name);

#endif
