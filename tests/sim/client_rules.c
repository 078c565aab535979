/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/client_rules.h"

#include <stdio.h>

#include "tests/sim/known.h"

#define EVENTS_MAX 20 /* of an object; of more some are left out: at most 25 at once (7) */

static bool has(struct jr_str text, const char *part)
{
    return text.n > 0 && memmem(text.p, text.n, part, strlen(part)) != NULL;
}

/** The Job whose uid the text names as `"uid":"..."`. */
static struct sim_seen_job *named_in(const struct sim_book *b, struct jr_str text)
{
    char part[80];

    for (size_t i = b->n_jobs; i-- > 0;) {
        (void)snprintf(part, sizeof(part), "\"uid\":\"%.*s\"", JR_P(b->jobs[i]->thing.life.uid));
        if (has(text, part))
            return b->jobs[i];
    }
    return NULL;
}

static bool is_creation(const struct sim_request *q)
{
    return q->verb == SIM_VERB_POST && sim_told_by(q->path) == SIM_TOLD_PODS;
}

/** Batches of 1, 2, 4, ...: a batch of n goes out when the n - 1 before it have succeeded. */
static void check_slow_start(struct sim_report *r, struct sim_seen_job *j,
                             const struct sim_request *q)
{
    if (j->slow.of != sim_life_of(q))
        j->slow = (struct sim_slow_start){ .of = sim_life_of(q) };
    if (!sim_arrives(q->fault))
        return;
    j->slow.sent++;
    if (j->slow.sent > 2 * j->slow.made + 1)
        sim_fail(r, "a slow start", "%.*s: %zu creations are sent, and %zu have succeeded",
                 JR_P(j->thing.name), j->slow.sent, j->slow.made);
}

static bool is_adoption(const struct sim_request *q)
{
    return q->verb == SIM_VERB_PATCH && has(q->body, "\"ownerReferences\"") &&
           !has(q->body, "\"$patch\"");
}

void sim_client_rules_sent(struct sim_report *r, const struct sim_book *b,
                           const struct sim_request *q)
{
    struct sim_seen_job *j = NULL;

    if (is_creation(q) && (j = named_in(b, q->body)) != NULL)
        check_slow_start(r, j, q);
    if (is_adoption(q) && (j = named_in(b, q->body)) != NULL && j->read_in[q->process] != q->life)
        sim_fail(r, "the live Job is read", "%.*s: %s, and the Job was not read, or is another",
                 JR_P(j->thing.name), q->path);
    if (q->verb == SIM_VERB_PUT && (j = sim_book_at(b, q->path)) != NULL) {
        j->slow = (struct sim_slow_start){ .of = sim_life_of(
                                               q) }; /* the next creation is another sync's */
        j->read_in[q->process] = 0;
    }
}

void sim_client_rules_answered(const struct sim_book *b, const struct sim_request *q, int status,
                               struct jr_str body)
{
    struct sim_seen_job *j = NULL;

    if (is_creation(q) && (j = named_in(b, q->body)) != NULL && j->slow.of == sim_life_of(q)) {
        /* One that a namespace that goes has refused ends no batch: "Creating Pods". */
        bool well = status == 201 || (status == 403 && has(body, "\"NamespaceTerminating\""));

        j->slow.made += well;
        j->slow.sent -= !well && j->slow.sent > 0;
    }
    if (q->verb == SIM_VERB_GET && status == 200 && (j = sim_book_at(b, q->path)) != NULL) {
        struct sim_seen_job *live = named_in(b, body);

        if (live != NULL && !q->forsaken && !has(body, "\"deletionTimestamp\""))
            live->read_in[q->process] = q->life;
    }
}

void sim_client_rules_given_up(const struct sim_book *b, const struct sim_request *q)
{
    struct sim_seen_job *j = is_creation(q) && sim_arrives(q->fault) ? named_in(b, q->body) : NULL;

    if (j != NULL && j->slow.of == sim_life_of(q))
        j->slow.sent -= j->slow.sent > 0;
}

void sim_client_rules_event(const struct sim_book *b, struct jr_str text)
{
    struct sim_seen_job *j = NULL;

    for (size_t i = b->n_jobs; i-- > 0 && j == NULL;) {
        if (has(text, "\"kind\":\"Job\"") &&
            memmem(text.p, text.n, b->jobs[i]->thing.life.uid.p, b->jobs[i]->thing.life.uid.n))
            j = b->jobs[i];
    }
    if (j == NULL)
        return;
    j->n_events++;
    j->end_told = j->end_told || has(text, "\"reason\":\"Completed\"") ||
                  has(text, "\"reason\":\"PodFailurePolicy\"") ||
                  has(text, "\"reason\":\"BackoffLimitExceeded\"") ||
                  has(text, "\"reason\":\"DeadlineExceeded\"") ||
                  has(text, "\"reason\":\"MaxFailedIndexesExceeded\"") ||
                  has(text, "\"reason\":\"FailedIndexes\"");
}

void sim_client_rules_at_rest(struct sim_report *r, const struct sim_book *b)
{
    for (size_t i = 0; i < b->n_jobs; i++) {
        const struct sim_seen_job *j = b->jobs[i];

        if (jr_job_finished(&j->now->status) && sim_thing_stands(&j->thing) && !j->end_told &&
            j->n_events < EVENTS_MAX)
            sim_fail(r, "events", "%.*s has ended, and no event says so", JR_P(j->thing.name));
    }
}
