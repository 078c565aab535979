/* SPDX-License-Identifier: Apache-2.0 */
/* A reporter on virtual time, between an API server that holds policies, Jobs and CronJobs, and a
 * test that looks at what was asked and written. */
#ifndef JR_UNIT_CONTROLLER_REPORTER_WORLD_H
#define JR_UNIT_CONTROLLER_REPORTER_WORLD_H

#include "common/base/log.h"
#include "common/base/metrics.h"
#include "common/json/doc.h"
#include "controller/policy/reporter.h"
#include "tests/support/scripted_api.h"

#define POLICIES "/apis/policy.jobreeve.dev/v1alpha1/jobpolicies"
#define JOBS "/apis/batch/v1/jobs?"
#define CRON_JOBS "/apis/batch/v1/cronjobs?"
#define CONFIGURATION "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hook"
#define MAX_10 "\"limits\":{\"parallelism\":{\"max\":10}}"

#define WORLD_POLICIES 3
#define WORLD_FAULTS 4
#define WORLD_PAGES 2000

struct world_policy {
    char name[8];
    const char *spec;
    int uid;
    int64_t generation;
    int version;
    struct jr_doc *status;
    bool gone;
};

/** Instead of what there is: the next `times` requests whose path begins so, after `skip` others,
 * are answered with a status. */
struct world_fault {
    const char *method;
    const char *path;
    int status;
    size_t times;
    size_t skip;
};

struct world {
    /* Set before world_start(). */
    int64_t audit_interval_ms;
    const char *configuration; /* the webhook's, as text; NULL: none is named */
    size_t jobs, cron_jobs;    /* how many there are */
    size_t violating_each;     /* every so many-th violates; 0: none */
    size_t padding;            /* bytes more of each object */
    const char *items;         /* all Jobs there are, as text, instead */
    size_t empty_pages;        /* so many of Jobs bring nothing but a token */

    bool leads;
    const char *lose_at; /* leadership is lost once a request is under way whose path begins so */
    struct world_policy policies[WORLD_POLICIES];
    size_t n_policies;
    struct world_fault faults[WORLD_FAULTS];

    struct jr_clock_virtual clock;
    struct jr_rand_seeded seed;
    struct jr_env env;
    struct jr_scripted_api *api;
    struct jr_policy_reporter *reporter;
    struct jr_profile profile;
    struct jr_metrics *metrics;
    struct jr_log *log;
    int log_fd;
    struct {
        int64_t at_ns;
        size_t n;
    } pages[WORLD_PAGES]; /* of Jobs and CronJobs, as they were served */
    size_t n_pages;
    size_t served; /* objects of these */
    char *body;    /* of the last answer */
};

/** It leads; a policy p0 with MAX_10; no interval. */
void world_init(struct world *w);
void world_add_policy(struct world *w, const char *spec);
void world_start(struct world *w);
void world_done(struct world *w);

/** Lets so many seconds pass. */
void world_run(struct world *w, int64_t seconds);
/** One turn of the loop. */
void world_turn(struct world *w);

/** Tells the reporter of a policy as it is now. */
void world_tell(struct world *w, const char *event, size_t policy);
/** Another spec, with a generation of its own. */
void world_change(struct world *w, size_t policy, const char *spec);
/** Answers with a status; the first empty row is used. */
void world_fault(struct world *w, struct world_fault f);

/** How many requests there were so far whose path begins so. */
size_t world_asked(const struct world *w, const char *method, const char *path);
/** How many times the status of that policy was to be written. */
size_t world_patches(const struct world *w, size_t policy);
/** status.audit.KEY of a policy; -1: there is none. */
int64_t world_audit(const struct world *w, size_t policy, const char *key);
/** Of a policy's condition Accepted its status: "True", "False", "" where there is none. */
struct jr_str world_accepted(const struct world *w, size_t policy);
/** How often these words have been logged. */
size_t world_logged(const struct world *w, const char *words);

#endif
