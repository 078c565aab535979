/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds that are admitted, as a table: the flow is the same for all. */
#ifndef JR_ADMISSION_KIND_H
#define JR_ADMISSION_KIND_H

#include "common/api/field_error.h"
#include "common/job/object.h"
#include "common/pod/warnings.h"
#include "common/rules/default_table.h"

/** All functions are those of common/job, where they are described. Trees are roots. */
struct jr_admission_kind {
    const char *api_version;              /* batch/v1 */
    const char *kind;                     /* CronJob */
    const char *resource;                 /* cronjobs */
    const struct jr_field_path *job_spec; /* where the JobSpec is: spec.jobTemplate.spec */
    const struct jr_field_path *template; /* and its Pod template */
    const struct jr_schema_type *schema;

    /* As an API server defaults at decode. */
    enum jr_status (*set_defaults)(struct jr_node *object, const struct jr_profile *profile);
    /* What of it is done when it shows an object to a webhook. */
    enum jr_status (*default_sent)(struct jr_node *object, const struct jr_profile *profile);
    /* All that is to be written on create; log may be NULL. */
    enum jr_status (*complete)(struct jr_node *object, const struct jr_profile *profile,
                               struct jr_defaulting_log *log);
    /* The same for what an API server has sent to a webhook. */
    enum jr_status (*complete_sent)(struct jr_node *object, const struct jr_profile *profile,
                                    struct jr_defaulting_log *log);
    /* Labels and the like, given uid and name; NULL: there are none. */
    enum jr_status (*generate)(struct jr_node *object, struct jr_defaulting_log *log);

    /* What the strategy does before validation. The first is a part of the others. */
    void (*drop_gated)(struct jr_node *object, const struct jr_node *old,
                       const struct jr_profile *profile);
    enum jr_status (*prepare_create)(struct jr_node *object, const struct jr_profile *profile);
    enum jr_status (*prepare_update)(struct jr_node *object, const struct jr_node *old,
                                     const struct jr_profile *profile);
    enum jr_status (*prepare_status)(struct jr_node *object, const struct jr_node *old);

    void (*validate_create)(const struct jr_object *object, const struct jr_profile *profile,
                            struct jr_errlist *errs);
    void (*validate_update)(const struct jr_object *object, const struct jr_object *old,
                            const struct jr_profile *profile, struct jr_errlist *errs);
    /* NULL: upstream has no rules for the status. */
    void (*validate_status)(const struct jr_object *object, const struct jr_object *old,
                            const struct jr_profile *profile, struct jr_errlist *errs);
    /* old is NULL on create. */
    void (*warnings)(const struct jr_object *object, const struct jr_object *old,
                     const struct jr_profile *profile, struct jr_warnings *w);
};

extern const struct jr_admission_kind jr_admission_job;
extern const struct jr_admission_kind jr_admission_cron_job;

/** The kind of that apiVersion and name; NULL: it isn't admitted. */
const struct jr_admission_kind *jr_admission_kind_find(struct jr_str api_version,
                                                       struct jr_str kind);

#endif
