/* SPDX-License-Identifier: Apache-2.0 */
/* batch/v1 Job and CronJob as structs. The Pod template stays text but for what the Job's own rules
 * read of it: it is spliced into Pods verbatim, and validated as a tree. */
#ifndef JR_SCHEMA_JOB_H
#define JR_SCHEMA_JOB_H

#include "common/base/arena.h"
#include "common/schema/meta.h"

/** One of status.conditions. */
struct jr_job_condition {
    struct jr_str type;
    struct jr_str status; /* True, False, Unknown */
    struct jr_time last_probe_time;
    struct jr_time last_transition_time;
    struct jr_str reason;
    struct jr_str message;
};
struct jr_job_conditions {
    struct jr_job_condition *v;
    size_t n;
};

/** podFailurePolicy.rules[*]. */
struct jr_failure_rule {
    struct jr_str action;
    struct jr_failure_on_exit_codes {
        bool set;
        struct jr_str container_name; /* {NULL, 0} = any */
        struct jr_str op;
        struct jr_i32s values;
    } on_exit_codes;
    struct {
        struct jr_failure_on_condition {
            struct jr_str type;
            struct jr_str status;
        } * v;
        size_t n;
    } on_pod_conditions;
};
struct jr_failure_policy {
    bool set;
    struct {
        struct jr_failure_rule *v;
        size_t n;
    } rules;
};
/** successPolicy.rules[*]. */
struct jr_success_rule {
    struct jr_str succeeded_indexes; /* {NULL, 0} = absent */
    struct jr_opt_i32 succeeded_count;
};
struct jr_success_policy {
    bool set;
    struct {
        struct jr_success_rule *v;
        size_t n;
    } rules;
};

/** What is kept of the PodTemplateSpec. */
struct jr_pod_template {
    struct jr_str raw; /* its source text; {NULL, 0} = absent, or decoded from a tree */
    struct jr_labels labels;
    struct jr_labels annotations;
    struct jr_strs finalizers;
    struct jr_str restart_policy;
    struct jr_strs containers;      /* names, in order */
    struct jr_strs init_containers; /* names, in order */
    bool scheduling_group;          /* spec.schedulingGroup is set */
};

struct jr_job_spec {
    struct jr_opt_i32 parallelism;
    struct jr_opt_i32 completions;
    struct jr_opt_i64 active_deadline_s;
    struct jr_failure_policy pod_failure_policy;
    struct jr_success_policy success_policy;
    struct jr_opt_i32 backoff_limit;
    struct jr_opt_i32 backoff_limit_per_index;
    struct jr_opt_i32 max_failed_indexes;
    struct jr_selector selector;
    struct jr_opt_bool manual_selector;
    struct jr_opt_i32 ttl_after_finished_s;
    struct jr_str completion_mode; /* {NULL, 0} = absent */
    struct jr_opt_bool suspend;
    bool scheduling;                      /* is set; what it says is in the Job's text */
    struct jr_str pod_replacement_policy; /* {NULL, 0} = absent */
    struct jr_str managed_by;             /* {NULL, 0} = absent; "" is a value */
    struct jr_pod_template template;
};

/** status.uncountedTerminatedPods. */
struct jr_uncounted_pods {
    bool set;
    struct jr_strs succeeded;
    struct jr_strs failed;
};

struct jr_job_status {
    struct jr_str raw; /* its source text; {NULL, 0} = absent, or decoded from a tree */
    struct jr_job_conditions conditions;
    struct jr_time start_time;
    struct jr_time completion_time;
    int32_t active;
    int32_t succeeded;
    int32_t failed;
    struct jr_opt_i32 ready;
    struct jr_opt_i32 terminating;
    struct jr_str completed_indexes; /* {NULL, 0} = absent */
    struct jr_str failed_indexes;    /* {NULL, 0} = absent, "" is a value */
    struct jr_uncounted_pods uncounted;
};

/** An immutable, counted Job. All of it lives in one arena with it. Not thread-safe. */
struct jr_job {
    unsigned refs;
    struct jr_arena arena;
    /* The object's source text, owned by the arena; less metadata.managedFields, and with "<", ">",
     * "&", U+2028 and U+2029 as they are where the API server escaped them. {NULL, 0} = decoded
     * from a tree. */
    struct jr_str raw;
    bool template_dropped; /* made by jr_job_slim: without raw, spec.template and more */
    bool policies_dropped; /* the same, of a Job that nobody was to sync, or with a long selector */
    bool selector_dropped; /* the same: what it matches is not known */
    struct jr_meta meta;
    struct jr_job_spec spec;
    struct jr_job_status status;
};

/** spec.jobTemplate. */
struct jr_job_template {
    struct jr_meta meta;
    struct jr_job_spec spec;
};
struct jr_cron_job_spec {
    struct jr_str schedule;
    struct jr_str time_zone; /* {NULL, 0} = absent; "" is a value */
    struct jr_opt_i64 starting_deadline_s;
    struct jr_str concurrency_policy; /* {NULL, 0} = absent */
    struct jr_opt_bool suspend;
    struct jr_job_template job_template;
    struct jr_opt_i32 successful_history_limit;
    struct jr_opt_i32 failed_history_limit;
};

/** A CronJob, as far as its rules read it. */
struct jr_cron_job {
    struct jr_meta meta;
    struct jr_cron_job_spec spec;
};

#endif
