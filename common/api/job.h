/* batch/v1 Job as a struct. The Pod template stays text but for what the Job's own rules read of
 * it: it is spliced into Pods verbatim, and judged as a tree. */
#ifndef JR_API_JOB_H
#define JR_API_JOB_H

#include "common/api/meta.h"

#define JR_LABEL_CONTROLLER_UID "batch.kubernetes.io/controller-uid"
#define JR_LABEL_JOB_NAME "batch.kubernetes.io/job-name"
#define JR_LABEL_CONTROLLER_UID_LEGACY "controller-uid"
#define JR_LABEL_JOB_NAME_LEGACY "job-name"
#define JR_JOB_TRACKING_FINALIZER "batch.kubernetes.io/job-tracking"
#define JR_COMPLETION_INDEX "batch.kubernetes.io/job-completion-index"
#define JR_INDEX_FAILURE_COUNT "batch.kubernetes.io/job-index-failure-count"
#define JR_INDEX_IGNORED_FAILURE_COUNT "batch.kubernetes.io/job-index-ignored-failure-count"
#define JR_MANAGED_BY_BUILTIN "kubernetes.io/job-controller"

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

struct jr_i32s {
    int32_t *v;
    size_t n;
};

/** podFailurePolicy.rules[*]. */
struct jr_failure_rule {
    struct jr_str action;
    struct {
        bool set;
        struct jr_str container_name; /* {NULL, 0} = any */
        struct jr_str op;
        struct jr_i32s values;
    } on_exit_codes;
    struct {
        struct {
            struct jr_str type;
            struct jr_str status;
        } * v;
        size_t n;
    } on_pod_conditions;
};
/** successPolicy.rules[*]. */
struct jr_success_rule {
    struct jr_str succeeded_indexes; /* {NULL, 0} = absent */
    struct jr_opt_i32 succeeded_count;
};

struct jr_job_spec {
    struct jr_opt_i32 parallelism;
    struct jr_opt_i32 completions;
    struct jr_opt_i64 active_deadline_s;
    struct {
        bool set;
        struct {
            struct jr_failure_rule *v;
            size_t n;
        } rules;
    } pod_failure_policy;
    struct {
        bool set;
        struct {
            struct jr_success_rule *v;
            size_t n;
        } rules;
    } success_policy;
    struct jr_opt_i32 backoff_limit;
    struct jr_opt_i32 backoff_limit_per_index;
    struct jr_opt_i32 max_failed_indexes;
    struct jr_selector selector;
    struct jr_opt_bool manual_selector;
    struct jr_opt_i32 ttl_after_finished_s;
    struct jr_str completion_mode; /* {NULL, 0} = absent */
    struct jr_opt_bool suspend;
    struct jr_str pod_replacement_policy; /* {NULL, 0} = absent */
    struct jr_str managed_by;             /* {NULL, 0} = absent; "" is a value */
    struct {
        struct jr_str raw; /* the PodTemplateSpec's source text, {NULL, 0} = absent */
        struct jr_labels labels;
        struct jr_labels annotations;
        struct jr_strs finalizers;
        struct jr_str restart_policy;
        struct jr_strs containers;      /* names, in order */
        struct jr_strs init_containers; /* names, in order */
        bool scheduling_group;          /* spec.schedulingGroup is set */
    } template;
};

struct jr_job_status {
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
    struct {
        bool set;
        struct jr_strs succeeded;
        struct jr_strs failed;
    } uncounted;
};

/** An immutable, counted Job. All of it lives in one arena with it. Not thread-safe. */
struct jr_job {
    unsigned refs;
    struct jr_arena arena;
    /* The object's source text, owned by the arena (but see jr_job_decode_borrowed); less
     * metadata.managedFields, and with "<", ">", "&", U+2028 and U+2029 as they are where the API
     * server escaped them. */
    struct jr_str raw;
    struct jr_meta meta;
    struct jr_job_spec spec;
    struct jr_job_status status;
};

/** Decodes one object (a review's, a list's item, a watch event's). text may go away afterwards.
 * What isn't decoded is only looked at for its end (jr_decode_lenient): a text whose whole matters
 * has to pass the gate first. Errors: JR_SYNTAX, JR_TYPE and JR_RANGE with the field path,
 * JR_NOMEM. The caller owns one reference. */
enum jr_status jr_job_decode(struct jr_str text, struct jr_job **ret,
                             struct jr_error *err) JR_MUST_USE;
/** The same for who looks at it once: raw is text itself, strings lie in it, and it has to outlive
 * the Job. */
enum jr_status jr_job_decode_borrowed(struct jr_str text, struct jr_job **ret,
                                      struct jr_error *err) JR_MUST_USE;
struct jr_job *jr_job_ref(const struct jr_job *job);
void jr_job_unref(struct jr_job *job);
static inline void jr_job_unrefp(struct jr_job **job)
{
    jr_job_unref(*job);
}

/** Appends job->raw with the known members of status replaced by *st; metadata, spec and status
 * members that we don't know stay as they were: what a PUT omits is erased. resource_version (n =
 * 0: as in raw) replaces the object's. apiVersion and kind are added where a list left them out. */
enum jr_status jr_job_write_with_status(const struct jr_job *job, const struct jr_job_status *st,
                                        struct jr_str resource_version,
                                        struct jr_buf *out) JR_MUST_USE;
/** Appends just the status object, members in the API server's order; zero counters and absent
 * members left out. */
enum jr_status jr_job_status_write(const struct jr_job_status *st, struct jr_buf *out) JR_MUST_USE;

/** The condition of this type, NULL if there is none. */
const struct jr_job_condition *jr_job_condition_get(const struct jr_job_conditions *c,
                                                    const char *type);
bool jr_job_condition_true(const struct jr_job_conditions *c, const char *type);
/** Complete or Failed is True. */
bool jr_job_finished(const struct jr_job_status *st);

#endif
