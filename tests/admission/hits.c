/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/admission/hits.h"
#include "tests/support/rule_ids.h"

bool jr_rule_hit(struct jr_rule_hits *h, struct jr_str id)
{
    for (size_t i = 0; i < JR_RULE_COUNT; i++) {
        if (!jr_str_is(id, rule_ids[i]))
            continue;
        h->n[i]++;
        return true;
    }
    return false;
}

void jr_rule_hits_of_answer(struct jr_rule_hits *h, const struct jr_node *answer)
{
    for (const struct jr_node *e = jr_first(jr_get(answer, "errors")); e != NULL; e = jr_next(e))
        (void)jr_rule_hit(h, jr_get_str(e, "rule"));
}

size_t jr_rule_hits_zeros(const struct jr_rule_hits *h)
{
    size_t zeros = 0;

    for (size_t i = 0; i < JR_RULE_COUNT; i++)
        zeros += h->n[i] == 0 && jr_rule_exists((enum jr_rule)i, h->version);
    return zeros;
}

void jr_rule_hits_print(const struct jr_rule_hits *h, FILE *out)
{
    size_t rules = 0;

    for (size_t i = 0; i < JR_RULE_COUNT; i++) {
        if (!jr_rule_exists((enum jr_rule)i, h->version))
            continue;
        (void)fprintf(out, "%8zu %s\n", h->n[i], rule_ids[i]);
        rules++;
    }
    (void)fprintf(out, "%zu rules, %zu of them never hit\n", rules, jr_rule_hits_zeros(h));
}
