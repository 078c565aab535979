/* SPDX-License-Identifier: Apache-2.0 */
/* Custom resources. */
#include "devcluster/apiserver/strategy.h"

static void without_status(struct jr_node *root)
{
    jr_remove(root, JR_S("status"), NULL);
}

/* All but the status stays, metadata too: of other kinds such a write may change labels. */
static void status_alone(struct jr_node *root, const struct jr_node *old)
{
    jr_dev_take_over(root, old, "metadata");
    jr_dev_take_over(root, old, "spec");
}

/* An API server has no Go types of it: generation counts what is another JSON value, such as 1000m
 * in the place of 1. */
static void custom_update(struct jr_node *root, const struct jr_node *old)
{
    int64_t was = jr_node_i64_or(jr_path(old, "metadata.generation"), 0);
    bool same = jr_node_equal(jr_get(root, "spec"), jr_get(old, "spec"));

    jr_dev_take_over(root, old, "status");
    jr_must(jr_set_i64(jr_get(root, "metadata"), "generation", was + (same ? 0 : 1)));
}

const struct jr_dev_strategy jr_dev_custom_strategy = {
    .prepare_create = without_status,
    .prepare_update = custom_update,
    .prepare_status = status_alone,
};
