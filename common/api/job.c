#include "common/api/job.h"

#include "common/api/parts.h"

#define AT(member) offsetof(struct jr_job, member)
/* A spec stands in a Job, and in a CronJob. */
#define SPEC(member) offsetof(struct jr_job_spec, member)

static const struct jr_array_desc i32s_desc = { sizeof(int32_t), jr_decode_i32, NULL, 0 };

static const struct jr_field exit_codes_fields[] = {
    { "containerName",
      offsetof(struct jr_failure_rule, on_exit_codes.container_name) -
          offsetof(struct jr_failure_rule, on_exit_codes),
      jr_decode_str, NULL },
    { "operator",
      offsetof(struct jr_failure_rule, on_exit_codes.op) -
          offsetof(struct jr_failure_rule, on_exit_codes),
      jr_decode_str, NULL },
    { "values",
      offsetof(struct jr_failure_rule, on_exit_codes.values) -
          offsetof(struct jr_failure_rule, on_exit_codes),
      jr_decode_array, &i32s_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc exit_codes_desc = { exit_codes_fields };

/* An element of onPodConditions: type and status, in this order, as job.h lays it out. */
struct pod_condition_pattern {
    struct jr_str type;
    struct jr_str status;
};
_Static_assert(sizeof(struct pod_condition_pattern) ==
                   sizeof(((struct jr_failure_rule *)NULL)->on_pod_conditions.v[0]),
               "onPodConditions' element");
static const struct jr_field pod_condition_fields[] = {
    { "type", offsetof(struct pod_condition_pattern, type), jr_decode_str, NULL },
    { "status", offsetof(struct pod_condition_pattern, status), jr_decode_str, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc pod_condition_desc = { pod_condition_fields };
static const struct jr_array_desc pod_conditions_desc = { sizeof(struct pod_condition_pattern),
                                                          jr_decode_object, &pod_condition_desc,
                                                          0 };

static const struct jr_field failure_rule_fields[] = {
    { "action", offsetof(struct jr_failure_rule, action), jr_decode_str, NULL },
    { "onExitCodes", offsetof(struct jr_failure_rule, on_exit_codes), jr_decode_present,
      &exit_codes_desc },
    { "onPodConditions", offsetof(struct jr_failure_rule, on_pod_conditions), jr_decode_array,
      &pod_conditions_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc failure_rule_desc = { failure_rule_fields };
static const struct jr_array_desc failure_rules_desc = { sizeof(struct jr_failure_rule),
                                                         jr_decode_object, &failure_rule_desc, 0 };
static const struct jr_field failure_policy_fields[] = {
    { "rules", SPEC(pod_failure_policy.rules) - SPEC(pod_failure_policy), jr_decode_array,
      &failure_rules_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc failure_policy_desc = { failure_policy_fields };

static const struct jr_field success_rule_fields[] = {
    { "succeededIndexes", offsetof(struct jr_success_rule, succeeded_indexes), jr_decode_str,
      NULL },
    { "succeededCount", offsetof(struct jr_success_rule, succeeded_count), jr_decode_opt_i32,
      NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc success_rule_desc = { success_rule_fields };
static const struct jr_array_desc success_rules_desc = { sizeof(struct jr_success_rule),
                                                         jr_decode_object, &success_rule_desc, 0 };
static const struct jr_field success_policy_fields[] = {
    { "rules", SPEC(success_policy.rules) - SPEC(success_policy), jr_decode_array,
      &success_rules_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc success_policy_desc = { success_policy_fields };

/* The template's tables write straight into the struct jr_job_spec. */
static const struct jr_field name_fields[] = {
    { "name", 0, jr_decode_text, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc name_desc = { name_fields };
static const struct jr_array_desc names_desc = { sizeof(struct jr_str), jr_decode_object,
                                                 &name_desc, 0 };

/** A bool that says whether the member is there and not null. */
static enum jr_status decode_is_set(struct jr_decoder *d, void *out, const void *arg,
                                    struct jr_error *err)
{
    enum jr_status st;
    bool null;

    (void)arg;
    st = jr_decode_peek_null(d, &null, err);
    if (st == JR_OK)
        st = jr_gate_skip(&d->gate, NULL, err);
    if (st == JR_OK)
        *(bool *)out = !null;
    return st;
}

static const struct jr_field template_meta_fields[] = {
    { "labels", SPEC(template.labels), jr_decode_labels, NULL },
    { "annotations", SPEC(template.annotations), jr_decode_labels, NULL },
    { "finalizers", SPEC(template.finalizers), jr_decode_strs, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc template_meta_desc = { template_meta_fields };
static const struct jr_field pod_spec_fields[] = {
    { "initContainers", SPEC(template.init_containers), jr_decode_array, &names_desc },
    { "containers", SPEC(template.containers), jr_decode_array, &names_desc },
    { "restartPolicy", SPEC(template.restart_policy), jr_decode_str, NULL },
    { "schedulingGroup", SPEC(template.scheduling_group), decode_is_set, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc pod_spec_desc = { pod_spec_fields };
static const struct jr_field template_fields[] = {
    { "metadata", 0, jr_decode_object, &template_meta_desc },
    { "spec", 0, jr_decode_object, &pod_spec_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc template_desc = { template_fields };

/** As text, and what the Job's rules want of it. */
static enum jr_status decode_template(struct jr_decoder *d, void *out, const void *arg,
                                      struct jr_error *err)
{
    struct jr_job_spec *spec = out;

    (void)arg;
    return jr_decode_with_raw(d, jr_decode_object, &template_desc, spec, &spec->template.raw, err);
}

static const struct jr_field spec_fields[] = {
    { "parallelism", SPEC(parallelism), jr_decode_opt_i32, NULL },
    { "completions", SPEC(completions), jr_decode_opt_i32, NULL },
    { "activeDeadlineSeconds", SPEC(active_deadline_s), jr_decode_opt_i64, NULL },
    { "podFailurePolicy", SPEC(pod_failure_policy), jr_decode_present, &failure_policy_desc },
    { "successPolicy", SPEC(success_policy), jr_decode_present, &success_policy_desc },
    { "backoffLimit", SPEC(backoff_limit), jr_decode_opt_i32, NULL },
    { "backoffLimitPerIndex", SPEC(backoff_limit_per_index), jr_decode_opt_i32, NULL },
    { "maxFailedIndexes", SPEC(max_failed_indexes), jr_decode_opt_i32, NULL },
    { "selector", SPEC(selector), jr_decode_selector, NULL },
    { "manualSelector", SPEC(manual_selector), jr_decode_opt_bool, NULL },
    { "template", 0, decode_template, NULL },
    { "ttlSecondsAfterFinished", SPEC(ttl_after_finished_s), jr_decode_opt_i32, NULL },
    { "completionMode", SPEC(completion_mode), jr_decode_str, NULL },
    { "suspend", SPEC(suspend), jr_decode_opt_bool, NULL },
    { "podReplacementPolicy", SPEC(pod_replacement_policy), jr_decode_str, NULL },
    { "managedBy", SPEC(managed_by), jr_decode_str, NULL },
    { NULL, 0, NULL, NULL },
};
const struct jr_object_desc jr_job_spec_desc = { spec_fields };

static const struct jr_field condition_fields[] = {
    { "type", offsetof(struct jr_job_condition, type), jr_decode_str, NULL },
    { "status", offsetof(struct jr_job_condition, status), jr_decode_str, NULL },
    { "lastProbeTime", offsetof(struct jr_job_condition, last_probe_time), jr_decode_time, NULL },
    { "lastTransitionTime", offsetof(struct jr_job_condition, last_transition_time), jr_decode_time,
      NULL },
    { "reason", offsetof(struct jr_job_condition, reason), jr_decode_str, NULL },
    { "message", offsetof(struct jr_job_condition, message), jr_decode_str, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc condition_desc = { condition_fields };
static const struct jr_array_desc conditions_desc = { sizeof(struct jr_job_condition),
                                                      jr_decode_object, &condition_desc, 0 };

static const struct jr_field uncounted_fields[] = {
    { "succeeded", AT(status.uncounted.succeeded) - AT(status.uncounted), jr_decode_strs, NULL },
    { "failed", AT(status.uncounted.failed) - AT(status.uncounted), jr_decode_strs, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc uncounted_desc = { uncounted_fields };

static const struct jr_field status_fields[] = {
    { "conditions", AT(status.conditions), jr_decode_array, &conditions_desc },
    { "startTime", AT(status.start_time), jr_decode_time, NULL },
    { "completionTime", AT(status.completion_time), jr_decode_time, NULL },
    { "active", AT(status.active), jr_decode_i32, NULL },
    { "succeeded", AT(status.succeeded), jr_decode_i32, NULL },
    { "failed", AT(status.failed), jr_decode_i32, NULL },
    { "terminating", AT(status.terminating), jr_decode_opt_i32, NULL },
    { "completedIndexes", AT(status.completed_indexes), jr_decode_str, NULL },
    { "failedIndexes", AT(status.failed_indexes), jr_decode_str, NULL },
    { "uncountedTerminatedPods", AT(status.uncounted), jr_decode_present, &uncounted_desc },
    { "ready", AT(status.ready), jr_decode_opt_i32, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc status_desc = { status_fields };

static const struct jr_field job_fields[] = {
    { "metadata", AT(meta), jr_decode_object, &jr_meta_desc },
    { "spec", AT(spec), jr_decode_object, &jr_job_spec_desc },
    { "status", 0, jr_decode_object, &status_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc job_desc = { job_fields };

/* ---- the source text without metadata.managedFields and needless escapes ---- */

struct strip {
    struct jr_gate gate;
    char *out; /* as large as the text */
    size_t n;
    size_t done; /* bytes of the source that are dealt with */
};

static void strip_put(struct strip *s, const char *p, size_t n)
{
    memcpy(s->out + s->n, p, n);
    s->n += n;
}

/* Copies the escape at p, of at most n bytes, or what it stands for; the bytes that it takes. API
 * servers escape five characters that need it only in HTML, six bytes for one: an object that etcd
 * takes would come back as more than the 3 MiB that they read (spec.template with a million "<").
 */
static size_t strip_escape(struct strip *s, const char *p, size_t n)
{
    static const struct {
        const char *escape, *text;
    } needless[] = {
        { "\\u003c", "<" },
        { "\\u003e", ">" },
        { "\\u0026", "&" },
        { "\\u2028", "\xe2\x80\xa8" },
        { "\\u2029", "\xe2\x80\xa9" },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(needless); i++) {
        if (jr_str_starts((struct jr_str){ p, n }, jr_str(needless[i].escape))) {
            strip_put(s, needless[i].text, strlen(needless[i].text));
            return strlen(needless[i].escape);
        }
    }
    n = n < 2 ? n : 2; /* so that a backslash that is escaped begins nothing */
    strip_put(s, p, n);
    return n;
}

static void strip_copy(struct strip *s, size_t from, size_t to)
{
    const char *p = s->gate.text.p + from, *end = s->gate.text.p + to;

    while (p < end) {
        const char *escape = memchr(p, '\\', (size_t)(end - p));
        const size_t run = (size_t)((escape == NULL ? end : escape) - p);

        strip_put(s, p, run);
        p += run;
        if (escape != NULL)
            p += strip_escape(s, p, (size_t)(end - p));
    }
}

/** Behind the '{' of metadata: copies its members, joined anew, less managedFields. */
static enum jr_status strip_metadata(struct strip *s, struct jr_error *err)
{
    bool first = true;

    strip_copy(s, s->done, s->gate.at);
    for (;;) {
        struct jr_tok key;
        struct jr_str value;
        enum jr_status st = jr_gate_next(&s->gate, &key, err);

        if (st != JR_OK)
            return st;
        if (key.kind == JR_TOK_OBJECT_END) {
            s->done = key.at;
            return JR_OK;
        }
        st = jr_gate_skip(&s->gate, &value, err);
        if (st != JR_OK)
            return st;
        if (jr_str_is(key.raw, "managedFields"))
            continue;
        if (!first)
            s->out[s->n++] = ',';
        first = false;
        strip_copy(s, key.at, (size_t)(value.p - s->gate.text.p) + value.n);
    }
}

static enum jr_status strip_object(struct strip *s, struct jr_error *err)
{
    struct jr_tok tok;
    enum jr_status st = jr_gate_next(&s->gate, &tok, err);

    if (st != JR_OK)
        return st;
    if (tok.kind != JR_TOK_OBJECT)
        return jr_fail(err, JR_TYPE, NULL, "expected an object");
    for (;;) {
        struct jr_gate ahead;
        struct jr_tok key;

        st = jr_gate_next(&s->gate, &key, err);
        if (st != JR_OK || key.kind == JR_TOK_OBJECT_END)
            return st;
        ahead = s->gate;
        if (jr_str_is(key.raw, "metadata") && jr_gate_next(&ahead, &tok, NULL) == JR_OK &&
            tok.kind == JR_TOK_OBJECT) {
            s->gate = ahead;
            st = strip_metadata(s, err);
        } else {
            st = jr_gate_skip(&s->gate, NULL, err);
        }
        if (st != JR_OK)
            return st;
    }
}

/** Copies text, less metadata.managedFields and needless escapes, to out, which has room for all of
 * it. */
/* NOLINTNEXTLINE(readability-non-const-parameter): it is written to, through the struct */
static enum jr_status strip_managed_fields(struct jr_str text, char *out, struct jr_str *ret,
                                           struct jr_error *err)
{
    struct strip s = { .out = out };
    struct jr_tok end;
    enum jr_status st;

    jr_gate_init(&s.gate, text, 0);
    s.gate.lenient = true;
    st = strip_object(&s, err);
    if (st == JR_OK)
        st = jr_gate_next(&s.gate, &end, err); /* nothing may follow */
    if (st != JR_OK)
        return st;
    strip_copy(&s, s.done, text.n);
    *ret = (struct jr_str){ out, s.n };
    return JR_OK;
}

/* ---- the object ---- */

#define ARRAYS_BYTES \
    ((size_t)320) /* about what an ordinary Job's labels, selector and conditions take */

/** Takes over the arena that job lies in, if it succeeds. */
static enum jr_status decode_raw_text(struct jr_job *job, struct jr_arena *arena,
                                      struct jr_job **ret, struct jr_error *err)
{
    enum jr_status st =
        jr_decode_lenient(job->raw, arena, false, jr_decode_object, &job_desc, job, err);

    if (st != JR_OK)
        return st;
    job->refs = 1;
    job->arena = *arena;
    *arena = (struct jr_arena){ 0 };
    *ret = job;
    return JR_OK;
}

enum jr_status jr_job_decode(struct jr_str text, struct jr_job **ret, struct jr_error *err)
{
    JR_FREE char *tmp = malloc(text.n + 1);
    JR_ARENA arena = { 0 };
    struct jr_job *job = NULL;
    struct jr_str raw;
    enum jr_status st;

    if (tmp == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "Job of %zu bytes", text.n);
    st = strip_managed_fields(text, tmp, &raw, err);
    if (st != JR_OK)
        return st;
    jr_arena_init_kept(&arena, 0, sizeof(*job) + raw.n + ARRAYS_BYTES);
    job = jr_arena_alloc(&arena, sizeof(*job));
    if (job == NULL || !jr_arena_str(&arena, raw, &job->raw))
        return jr_fail(err, JR_NOMEM, NULL, "Job of %zu bytes", text.n);
    return decode_raw_text(job, &arena, ret, err);
}

enum jr_status jr_job_decode_borrowed(struct jr_str text, struct jr_job **ret, struct jr_error *err)
{
    JR_ARENA arena = { 0 };
    struct jr_job *job;

    jr_arena_init_kept(&arena, 0, sizeof(*job) + ARRAYS_BYTES);
    job = jr_arena_alloc(&arena, sizeof(*job));
    if (job == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "Job of %zu bytes", text.n);
    job->raw = text;
    return decode_raw_text(job, &arena, ret, err);
}

struct jr_job *jr_job_ref(const struct jr_job *job)
{
    struct jr_job *mine = (struct jr_job *)(uintptr_t)job; /* only the count changes */

    if (mine != NULL)
        mine->refs++;
    return mine;
}

void jr_job_unref(struct jr_job *job)
{
    struct jr_arena arena;

    if (job == NULL || --job->refs > 0)
        return;
    arena = job->arena;
    jr_arena_done(&arena);
}

const struct jr_job_condition *jr_job_condition_get(const struct jr_job_conditions *c,
                                                    const char *type)
{
    for (size_t i = 0; i < c->n; i++) {
        if (jr_str_is(c->v[i].type, type))
            return &c->v[i];
    }
    return NULL;
}

bool jr_job_condition_true(const struct jr_job_conditions *c, const char *type)
{
    for (size_t i = 0; i < c->n; i++) {
        if (jr_str_is(c->v[i].type, type) && jr_str_is(c->v[i].status, "True"))
            return true;
    }
    return false;
}

bool jr_job_finished(const struct jr_job_status *st)
{
    return jr_job_condition_true(&st->conditions, "Complete") ||
           jr_job_condition_true(&st->conditions, "Failed");
}
