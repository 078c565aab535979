/* The kinds that the webhook judges, as tables of functions: the flow is the same for all. */
#ifndef JR_WEBHOOK_KIND_H
#define JR_WEBHOOK_KIND_H

#include "common/job/cron_job.h"
#include "common/job/defaults.h"
#include "common/job/validate.h"

struct jr_review_kind;

/** An object opened for judging. */
struct jr_subject {
    const struct jr_node *root; /* NULL: not opened */
    struct jr_judged job;
    struct jr_judged_cron cron_job;
};

struct jr_review_kind {
    const char *kind;     /* CronJob */
    const char *resource; /* cronjobs */
    const char *job_spec; /* path of the JobSpec, "spec.jobTemplate.spec" */
    /* Whether every member that counts has its type: defaulting passes over those that don't. */
    enum jr_status (*check_types)(const struct jr_node *object, struct jr_error *why);
    /* What is to be written on create. */
    enum jr_status (*complete)(struct jr_node *object, const struct jr_profile *profile,
                               struct jr_dflt_log *log);
    /* What an API server has defaulted when it shows an object to a validating webhook. */
    enum jr_status (*default_sent)(struct jr_node *object, const struct jr_profile *profile);
    /* Takes doc over in any case. */
    enum jr_status (*open)(struct jr_doc *doc, struct jr_subject *ret, struct jr_error *why);
    void (*validate_create)(const struct jr_subject *s, const struct jr_profile *profile,
                            struct jr_errlist *errs);
    void (*validate_update)(const struct jr_subject *s, const struct jr_subject *old,
                            const struct jr_profile *profile, struct jr_errlist *errs);
    /* NULL: there are no rules for the status. */
    void (*validate_status)(const struct jr_subject *s, const struct jr_subject *old,
                            const struct jr_profile *profile, struct jr_errlist *errs);
    /* old is NULL on create. */
    enum jr_status (*warnings)(const struct jr_subject *s, const struct jr_subject *old,
                               struct jr_arena *arena, struct jr_strs *ret);
};

extern const struct jr_review_kind jr_review_kind_job;
extern const struct jr_review_kind jr_review_kind_cron_job;

/** Closes whatever is open. */
void jr_subject_done(struct jr_subject *s);

#define JR_SUBJECT JR_CLEANUP(jr_subject_done) struct jr_subject

#endif
