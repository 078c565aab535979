/* What is particular to a kind: its defaults, what a write may change, its rules. */
#ifndef JR_DEVCLUSTER_APISERVER_STRATEGY_H
#define JR_DEVCLUSTER_APISERVER_STRATEGY_H

#include "common/api/field_error.h"
#include "common/schema/profile.h"
#include "devcluster/apiserver/object.h"

enum jr_dev_change { JR_DEV_CHANGE_CREATE, JR_DEV_CHANGE_UPDATE, JR_DEV_CHANGE_STATUS };

/** An object to be proved. */
struct jr_dev_proof {
    enum jr_dev_change change;
    const struct jr_dev_resource *res;
    const struct jr_profile *profile;
    const struct jr_node *root;
    const struct jr_meta *meta;      /* decoded from it */
    const struct jr_dev_object *old; /* NULL on create */
    const struct jr_node *old_root;  /* the same as a tree */
    struct jr_errlist *errs;
    struct jr_strs warnings; /* filled; texts in the list's arena */
};

/** All members may be NULL: then there is nothing particular. Errors: JR_NOMEM. Roots are objects
 * that went through jr_dev_clean. */
struct jr_dev_strategy {
    /* At decode, and again after a webhook's patch. */
    enum jr_status (*defaults)(struct jr_node *root, const struct jr_profile *profile);
    /* On create, after uid and name; generation is there already. */
    enum jr_status (*prepare_create)(struct jr_node *root, const struct jr_profile *profile);
    /* Instead of "status from old, generation + 1 if the spec differs". */
    enum jr_status (*prepare_update)(struct jr_node *root, const struct jr_node *old,
                                     const struct jr_profile *profile);
    /* Instead of "all but metadata and status from old". */
    enum jr_status (*prepare_status)(struct jr_node *root, const struct jr_node *old);
    /* Beside or instead of the rules of metadata. */
    enum jr_status (*validate)(struct jr_dev_proof *proof);
    bool validates_meta;   /* it does that too */
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

enum jr_status jr_dev_strategy_defaults(const struct jr_dev_resource *res, struct jr_node *root,
                                        const struct jr_profile *profile) JR_MUST_USE;
enum jr_status jr_dev_strategy_create(const struct jr_dev_resource *res, struct jr_node *root,
                                      const struct jr_profile *profile) JR_MUST_USE;
enum jr_status jr_dev_strategy_update(const struct jr_dev_resource *res, struct jr_node *root,
                                      const struct jr_node *old,
                                      const struct jr_profile *profile) JR_MUST_USE;
enum jr_status jr_dev_strategy_status(const struct jr_dev_resource *res, struct jr_node *root,
                                      const struct jr_node *old) JR_MUST_USE;
enum jr_status jr_dev_strategy_validate(struct jr_dev_proof *proof) JR_MUST_USE;

/** Sets members that Go can't leave out to null, where they are absent. */
enum jr_status jr_dev_set_nulls(struct jr_node *object, const char *const *names,
                                size_t n) JR_MUST_USE;
/** The same for each of status.conditions. */
enum jr_status jr_dev_null_times(struct jr_node *root, const char *const *names,
                                 size_t n) JR_MUST_USE;
/** Makes root's member that of old: a copy, or absent. */
enum jr_status jr_dev_take_over(struct jr_node *root, const struct jr_node *old,
                                const char *key) JR_MUST_USE;

#endif
