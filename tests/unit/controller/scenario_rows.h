/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of rows that the runner knows. Each prints its differences and tells whether there were
 * none. */
#ifndef JR_TESTS_SCENARIO_ROWS_H
#define JR_TESTS_SCENARIO_ROWS_H

#include "common/json/doc.h"

bool scenario_sync(const struct jr_node *row);
bool scenario_handler(const struct jr_node *row);
bool scenario_orphan(const struct jr_node *row);
bool scenario_ttl(const struct jr_node *row);
bool scenario_unit(const struct jr_node *row);

#endif
