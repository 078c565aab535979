/* SPDX-License-Identifier: Apache-2.0 */
/* What a row expects beside what was seen, as documents of one shape. */
#ifndef JR_TESTS_SCENARIO_DIFF_H
#define JR_TESTS_SCENARIO_DIFF_H

#include "tests/unit/controller/scenario_world.h"

/** The row's "expect" with "expectFixed" laid over it (null takes a member away). */
enum jr_status scenario_want(const struct jr_node *row, struct jr_doc **ret) JR_MUST_USE;

/** Sorts an array of strings, and an array of objects by what they print as. */
enum jr_status scenario_sort(struct jr_node *array) JR_MUST_USE;
/** Brings a status into the file's form: counters of 0 left out, uncounted uids sorted. NULL-safe.
 */
enum jr_status scenario_status(struct jr_node *status) JR_MUST_USE;
/** Where want gives only how many (`keyCount`), puts that in the place of the list. */
enum jr_status scenario_count(struct jr_node *got, const struct jr_node *want,
                              const char *key) JR_MUST_USE;

/** The controller's counters since the start, as the file names them. */
enum jr_status scenario_metrics(struct world *w, struct jr_node *got) JR_MUST_USE;
/** expectationsAfter and finalizerExpectationsAfter. */
enum jr_status scenario_expectations(struct world *w, const struct jr_object_key *key,
                                     struct jr_node *got) JR_MUST_USE;

/** Prints each member that differs, under the row's name; true: none does. An absent member equals
 * an empty one, but for the backoff record. */
bool scenario_equal(const char *name, const struct jr_node *want, const struct jr_node *got);

#endif
