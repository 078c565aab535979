/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of CronJobs. */
#include "common/job/cron_job.h"
#include "common/job/schedule.h"
#include "common/job/validate_parts.h"

#define CRON_NAME_MAX 52 /* 63, less the suffix that a Job's name gets */
#define ZONE_PART_MAX 14

/* ---- schedule ---- */

static bool names_zone(struct jr_str schedule)
{
    return schedule.n > 1 && memmem(schedule.p, schedule.n, "TZ", 2) != NULL;
}

/** Says in the API server's words what a check found. */
static void report_check(enum jr_status found, const struct jr_buf *why, struct jr_str value,
                         enum jr_rule rule, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    if (found == JR_INVALID)
        jr_rule_violated_text(errs, rule, path, value, jr_buf_str(why));
    else if (found != JR_OK)
        errs->failed = found;
}

/** old is NULL on create. A zone in the schedule is let through where the old one names one, too.
 */
static void check_schedule(const struct jr_cron_job_spec *s, const struct jr_cron_job_spec *old,
                           const struct jr_field_path *spec, struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(spec, "schedule");
    const struct jr_str value = jr_errlist_quote(errs, s->schedule);
    bool zone_allowed = old != NULL && names_zone(old->schedule);
    struct jr_schedule parsed;
    JR_BUF why = jr_errlist_words(errs);

    if (s->schedule.n == 0) {
        if (!jr_kube_has(errs->version, JR_CHANGE_ERRORS_ONCE)) /* else it is a declarative rule */
            jr_violation(errs, JR_RULE_CRON_SCHEDULE_REQUIRED, &path);
        return;
    }
    report_check(jr_schedule_parse(s->schedule, &parsed, &why), &why, value, JR_RULE_CRON_SCHEDULE,
                 &path, errs);
    if (!names_zone(s->schedule))
        return;
    if (!zone_allowed)
        jr_rule_violated(errs, JR_RULE_CRON_SCHEDULE_ZONE, &path, value);
    else if (s->time_zone.p != NULL)
        jr_rule_violated(errs, JR_RULE_CRON_SCHEDULE_TWO_ZONES, &path, value);
}

/* ---- timeZone ---- */

static bool is_zone_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '+';
}

static bool is_zone_part(struct jr_str part)
{
    if (part.n == 0 || part.n > ZONE_PART_MAX || part.p[0] == '-' || jr_str_is(part, ".") ||
        jr_str_is(part, ".."))
        return false;
    for (size_t i = 0; i < part.n; i++) {
        if (!is_zone_char(part.p[i]))
            return false;
    }
    return true;
}

/** Whether the name is made as the IANA's names are: of parts between slashes. */
static bool is_zone_name(struct jr_str name)
{
    struct jr_str part;

    if (name.p[name.n - 1] == '/')
        return false;
    while (jr_str_cut(&name, '/', &part)) {
        if (!is_zone_part(part))
            return false;
    }
    return true;
}

static bool is_local(struct jr_str name)
{
    return name.n == 5 && strncasecmp(name.p, "Local", name.n) == 0;
}

static bool same_text(struct jr_str a, struct jr_str b)
{
    return (a.p == NULL) == (b.p == NULL) && jr_str_eq(a, b);
}

/** Upstream shows this value as JSON: it is a pointer there. */
static void check_time_zone(const struct jr_cron_job_spec *s, const struct jr_cron_job_spec *old,
                            const struct jr_field_path *spec, struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(spec, "timeZone");
    const struct jr_str name = s->time_zone;
    struct jr_str value;
    JR_BUF why = jr_errlist_words(errs);

    if (name.p == NULL || (old != NULL && same_text(name, old->time_zone)))
        return;
    value = jr_rule_json_str(errs, name);
    if (name.n == 0) {
        jr_rule_violated(errs, JR_RULE_CRON_TIME_ZONE_EMPTY, &path, value);
        return;
    }
    if (!is_zone_name(name)) {
        (void)jr_buf_adds(&why, "unknown time zone ");
        (void)jr_buf_add(&why, name);
        report_check(JR_INVALID, &why, value, JR_RULE_CRON_TIME_ZONE, &path, errs);
        return;
    }
    if (is_local(name))
        jr_rule_violated(errs, JR_RULE_CRON_TIME_ZONE_LOCAL, &path, value);
    report_check(jr_time_zone_check(name, &why), &why, value, JR_RULE_CRON_TIME_ZONE, &path, errs);
}

/* ---- the rest of the spec ---- */

static void check_concurrency(const struct jr_node *spec, const struct jr_field_path *path,
                              struct jr_errlist *errs)
{
    static const char *const policies[] = { "Allow", "Forbid", "Replace", NULL };
    static const struct jr_enum_rule rule = { policies, JR_RULE_CRON_CONCURRENCY_REQUIRED,
                                              JR_RULE_CRON_CONCURRENCY };

    jr_validate_enum(&rule, jr_get(spec, "concurrencyPolicy"), &JR_FIELD(path, "concurrencyPolicy"),
                     errs);
}

static void check_negative(bool set, int64_t v, enum jr_rule rule, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    if (set && v < 0)
        jr_violation_int(errs, rule, path, v);
}

/** The Jobs' selector will be generated: there can be none. old is NULL on create. */
static void check_job_template(const struct jr_object *cron_job, const struct jr_object *old,
                               const struct jr_pod_opts *pod, const struct jr_field_path *spec,
                               struct jr_errlist *errs)
{
    const struct jr_job_spec *s = &cron_job->cron_job->spec.job_template.spec;
    const struct jr_node *now = jr_object_node(cron_job, "spec.jobTemplate");
    const struct jr_node *was = old == NULL ? NULL : jr_object_node(old, "spec.jobTemplate");
    const struct jr_node *node = jr_get(now, "spec");
    const struct jr_field_path template = JR_FIELD(spec, "jobTemplate");
    const struct jr_field_path path = JR_FIELD(&template, "spec");

    jr_validate_spec(s, node, jr_get(was, "spec"), pod, &path, errs);
    jr_validate_delegation(now, was, &template, errs);
    if (s->selector.set)
        jr_violation_shown(errs, JR_RULE_CRON_SELECTOR, &JR_FIELD(&path, "selector"),
                           &jr_schema_job_spec, "selector", jr_get(node, "selector"));
    if (jr_bool_or(s->manual_selector, false))
        jr_rule_violated(errs, JR_RULE_CRON_MANUAL_SELECTOR, &JR_FIELD(&path, "manualSelector"),
                         JR_S("true"));
}

/** old is NULL on create. */
static void check_spec(const struct jr_object *cron_job, const struct jr_object *old,
                       const struct jr_profile *profile, struct jr_errlist *errs)
{
    const struct jr_cron_job_spec *s = &cron_job->cron_job->spec;
    const struct jr_cron_job_spec *was = old == NULL ? NULL : &old->cron_job->spec;
    const struct jr_pod_opts pod = jr_pod_opts_of(
        jr_object_node(cron_job, "spec.jobTemplate.spec.template"),
        old == NULL ? NULL : jr_object_node(old, "spec.jobTemplate.spec.template"), profile);
    const struct jr_field_path path = JR_FIELD(NULL, "spec");

    check_schedule(s, was, &path, errs);
    check_negative(s->starting_deadline_s.set, s->starting_deadline_s.v,
                   JR_RULE_CRON_STARTING_DEADLINE, &JR_FIELD(&path, "startingDeadlineSeconds"),
                   errs);
    check_time_zone(s, was, &path, errs);
    check_concurrency(jr_object_node(cron_job, "spec"), &path, errs);
    check_job_template(cron_job, old, &pod, &path, errs);
    check_negative(s->successful_history_limit.set, s->successful_history_limit.v,
                   JR_RULE_CRON_SUCCESSFUL_HISTORY, &JR_FIELD(&path, "successfulJobsHistoryLimit"),
                   errs);
    check_negative(s->failed_history_limit.set, s->failed_history_limit.v,
                   JR_RULE_CRON_FAILED_HISTORY, &JR_FIELD(&path, "failedJobsHistoryLimit"), errs);
}

/** What 1.37 finds by the tags of the types, behind all else. old is NULL on create. */
static void check_declarative(const struct jr_object *cron_job, const struct jr_object *old,
                              const struct jr_profile *profile, struct jr_errlist *errs)
{
    static const char in_template[] = "spec.jobTemplate.spec";
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    const struct jr_field_path template = JR_FIELD(&spec, "jobTemplate");
    const struct jr_field_path job = JR_FIELD(&template, "spec");
    size_t others;

    if (!jr_kube_has(errs->version, JR_CHANGE_ERRORS_ONCE))
        return;
    jr_errlist_once(errs);
    others = errs->n;
    jr_validate_declared_meta(cron_job, old, errs);
    if (cron_job->cron_job->spec.schedule.n == 0)
        jr_violation(errs, JR_RULE_CRON_SCHEDULE_REQUIRED, &JR_FIELD(&spec, "schedule"));
    jr_validate_spec_declared(jr_object_node(cron_job, in_template),
                              old == NULL ? NULL : jr_object_node(old, in_template), profile, &job,
                              errs);
    jr_errlist_supersede(errs, others);
}

/* ---- the whole ---- */

void jr_cron_job_validate_create(const struct jr_object *cron_job, const struct jr_profile *profile,
                                 struct jr_errlist *errs)
{
    const struct jr_field_path meta = JR_FIELD(NULL, "metadata");
    const struct jr_str name = cron_job->cron_job->meta.name;

    errs->version = profile->version;
    jr_validate_meta(&cron_job->cron_job->meta, errs);
    check_spec(cron_job, NULL, profile, errs);
    if (name.n > CRON_NAME_MAX)
        jr_violation_text(errs, JR_RULE_CRON_NAME_LENGTH, &JR_FIELD(&meta, "name"), name);
    check_declarative(cron_job, NULL, profile, errs);
}

void jr_cron_job_validate_update(const struct jr_object *cron_job, const struct jr_object *old,
                                 const struct jr_profile *profile, struct jr_errlist *errs)
{
    errs->version = profile->version;
    /* metadata twice, as upstream does: these causes come twice */
    jr_validate_meta_any_update(&cron_job->cron_job->meta, &old->cron_job->meta, errs);
    jr_validate_meta_update(&cron_job->cron_job->meta, &old->cron_job->meta, errs);
    check_spec(cron_job, old, profile, errs);
    check_declarative(cron_job, old, profile, errs);
}
