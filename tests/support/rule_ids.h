/* SPDX-License-Identifier: Apache-2.0 */
/* The ids of all rules, in the order of enum jr_rule. */
#ifndef JR_TEST_RULE_IDS_H
#define JR_TEST_RULE_IDS_H

#include "common/rules/rules.h"

static const char *const rule_ids[JR_RULE_COUNT] = {
#define X(name, id, type, detail) id,
    JR_RULE_MAP(X)
#undef X
};

#endif
