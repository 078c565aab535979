/* SPDX-License-Identifier: Apache-2.0 */
/* What is particular to a kind: its defaults, what a write may change, its rules. */
#ifndef JR_DEVCLUSTER_APISERVER_STRATEGY_H
#define JR_DEVCLUSTER_APISERVER_STRATEGY_H

#include "common/admission/admission.h"
#include "devcluster/apiserver/object.h"

/** All members may be NULL: then there is nothing particular. Roots are objects whose types were
 * checked. */
struct jr_dev_strategy {
    /* At decode, and again after a webhook's patch: these, then what no table says. */
    const struct jr_default_row *table;
    void (*defaults)(struct jr_node *root, const struct jr_profile *profile);
    /* On create, after uid and name; generation is there already. */
    void (*prepare_create)(struct jr_node *root);
    /* Instead of "status from old, generation + 1 if the spec differs". */
    void (*prepare_update)(struct jr_node *root, const struct jr_node *old);
    /* Instead of "all but metadata and status from old". */
    void (*prepare_status)(struct jr_node *root, const struct jr_node *old);
    /* Beside the rules of metadata. */
    void (*validate)(const struct jr_admission_request *r, struct jr_errlist *errs);
    /* Instead of all that: the admission pipeline prepares and validates, metadata too; */
    const struct jr_admission_kind *kind;
    bool validates_update; /* and of an update what is checked for every kind */
};

extern const struct jr_dev_strategy jr_dev_plain_strategy;
extern const struct jr_dev_strategy jr_dev_namespace_strategy;
extern const struct jr_dev_strategy jr_dev_node_strategy;
extern const struct jr_dev_strategy jr_dev_secret_strategy;
extern const struct jr_dev_strategy jr_dev_event_strategy;
extern const struct jr_dev_strategy jr_dev_webhook_strategy;
extern const struct jr_dev_strategy jr_dev_pod_strategy;
extern const struct jr_dev_strategy jr_dev_job_strategy;
extern const struct jr_dev_strategy jr_dev_cronjob_strategy;

void jr_dev_strategy_defaults(const struct jr_dev_resource *res, struct jr_node *root,
                              const struct jr_profile *profile);
void jr_dev_strategy_create(const struct jr_dev_resource *res, struct jr_node *root,
                            const struct jr_profile *profile);
void jr_dev_strategy_update(const struct jr_dev_resource *res, struct jr_node *root,
                            const struct jr_node *old, const struct jr_profile *profile);
void jr_dev_strategy_status(const struct jr_dev_resource *res, struct jr_node *root,
                            const struct jr_node *old);
/** Validates what is prepared; r->kind is filled in. meta, old: decoded from the trees, old NULL on
 * create. */
void jr_dev_strategy_validate(const struct jr_dev_resource *res, struct jr_admission_request *r,
                              const struct jr_meta *meta, const struct jr_meta *old,
                              struct jr_admission_result *ret);

/** Sets members of each of status.conditions that Go can't leave out to null, where they are
 * absent; names with commas between. */
void jr_dev_null_times(struct jr_node *root, const char *names);
/** Makes root's member that of old: a copy, or absent. */
void jr_dev_take_over(struct jr_node *root, const struct jr_node *old, const char *key);

#endif
