/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one sync of the machine against scripted answers, and writes down what it did in the form of
 * the scenario file. */
#ifndef JR_TEST_RECONCILE_DRIVER_H
#define JR_TEST_RECONCILE_DRIVER_H

#include "common/json/doc.h"
#include "controller/reconcile/sync.h"

/** A scenario made ready: owned by the caller, filled by scenario_open. */
struct scenario {
    const struct jr_node *row;
    struct jr_job *job;
    struct jr_pod **pods;
    size_t n_pods;
    struct jr_time now;
    struct jr_reconcile_options options;
};
void scenario_open(struct scenario *sc, const struct jr_node *row);
void scenario_close(struct scenario *sc);

/** Runs it; the result is an object with the members of `expect`, as far as something happened. */
struct jr_doc *scenario_run(struct scenario *sc);

/** The row's expectation, with expectFixed put over it. */
struct jr_doc *scenario_expect(const struct jr_node *row);
/** Compares; prints each difference after the row's name. Returns how many there are. */
unsigned scenario_compare(const struct jr_node *row, const struct jr_node *expect,
                          const struct jr_node *got);

/** The scenario file; fails the test if it can't be read. */
struct jr_doc *scenarios_load(void);
/** A time of the file; unset where there is none. */
struct jr_time scenario_time(const struct jr_node *node);
/** The text of a node, NUL-terminated, from malloc. */
char *node_text(const struct jr_node *node);

#endif
