/* SPDX-License-Identifier: Apache-2.0 */
/* The API of a scenario row: "api" says which calls fail, and how. */
#ifndef JR_TESTS_SCENARIO_API_H
#define JR_TESTS_SCENARIO_API_H

#include "tests/unit/controller/scenario_world.h"

/** The answer to a call, for jr_scripted_api_new; ctx is the world. */
struct jr_scripted_answer scenario_answer(void *ctx, size_t n, const struct jr_scripted_call *call);
/** A key of the row's "api" that nobody reads here; empty: there is none. */
struct jr_str scenario_api_unknown(const struct jr_node *row);

#endif
