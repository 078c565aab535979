#include "common/api/pod.h"

#include "common/api/job.h"
#include "common/api/parts.h"

/* ---- reading: into a struct whose parts lie in a passing arena ---- */

struct container_spec {
    struct jr_str name;
    struct jr_str restart_policy;
};
struct containers {
    struct jr_container_status *v;
    size_t n;
};
struct draft {
    struct jr_pod pod;
    struct jr_str phase;
    struct jr_owner_refs owner_refs;
    struct containers containers;
    struct containers init_containers;
    struct {
        struct container_spec *v;
        size_t n;
    } init_specs;
};
#define AT(member) offsetof(struct draft, member)

/** The three annotations that count; the others are passed over unread. */
static enum jr_status decode_annotations(struct jr_decoder *d, void *out, const void *arg,
                                         struct jr_error *err)
{
    struct jr_pod *pod = out;
    enum jr_status st;
    bool more;

    st = jr_decode_object_begin(d, &more, err);
    while (st == JR_OK && more) {
        struct jr_str *to = NULL;
        struct jr_str key;

        st = jr_decode_object_next(d, &key, &more, err);
        if (st != JR_OK || !more)
            break;
        if (jr_str_is(key, JR_COMPLETION_INDEX))
            to = &pod->completion_index;
        else if (jr_str_is(key, JR_INDEX_FAILURE_COUNT))
            to = &pod->index_failure_count;
        else if (jr_str_is(key, JR_INDEX_IGNORED_FAILURE_COUNT))
            to = &pod->index_ignored_failure_count;
        st = to == NULL ? jr_gate_skip(&d->gate, NULL, err) : jr_decode_text(d, to, arg, err);
    }
    return st;
}

static const struct jr_field meta_fields[] = {
    { "name", AT(pod.name), jr_decode_str, NULL },
    { "namespace", AT(pod.namespace), jr_decode_str, NULL },
    { "uid", AT(pod.uid), jr_decode_str, NULL },
    { "resourceVersion", AT(pod.resource_version), jr_decode_str, NULL },
    { "creationTimestamp", AT(pod.creation_timestamp), jr_decode_time, NULL },
    { "deletionTimestamp", AT(pod.deletion_timestamp), jr_decode_time, NULL },
    { "deletionGracePeriodSeconds", AT(pod.deletion_grace_period_s), jr_decode_opt_i64, NULL },
    { "labels", AT(pod.labels), jr_decode_labels, NULL },
    { "annotations", AT(pod), decode_annotations, NULL },
    { "ownerReferences", AT(owner_refs), jr_decode_array, &jr_owner_refs_desc },
    { "finalizers", AT(pod.finalizers), jr_decode_strs, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc meta_desc = { meta_fields };

static const struct jr_field container_spec_fields[] = {
    { "name", offsetof(struct container_spec, name), jr_decode_str, NULL },
    { "restartPolicy", offsetof(struct container_spec, restart_policy), jr_decode_str, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc container_spec_desc = { container_spec_fields };
static const struct jr_array_desc container_specs_desc = { sizeof(struct container_spec),
                                                           jr_decode_object, &container_spec_desc,
                                                           0 };
static const struct jr_field spec_fields[] = {
    { "initContainers", AT(init_specs), jr_decode_array, &container_specs_desc },
    { "nodeName", AT(pod.node_name), jr_decode_str, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc spec_desc = { spec_fields };

#define IN_TERMINATED(member)                                  \
    (offsetof(struct jr_container_status, terminated.member) - \
     offsetof(struct jr_container_status, terminated))
static const struct jr_field terminated_fields[] = {
    { "exitCode", IN_TERMINATED(exit_code), jr_decode_i32, NULL },
    { "finishedAt", IN_TERMINATED(finished_at), jr_decode_time, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc terminated_desc = { terminated_fields };
static const struct jr_field state_fields[] = {
    { "terminated", offsetof(struct jr_container_status, terminated), jr_decode_present,
      &terminated_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc state_desc = { state_fields };
static const struct jr_field container_fields[] = {
    { "name", offsetof(struct jr_container_status, name), jr_decode_str, NULL },
    { "state", 0, jr_decode_object, &state_desc },
    { "restartCount", offsetof(struct jr_container_status, restart_count), jr_decode_i32, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc container_desc = { container_fields };
static const struct jr_array_desc containers_desc = { sizeof(struct jr_container_status),
                                                      jr_decode_object, &container_desc, 0 };

static const struct jr_field condition_fields[] = {
    { "type", offsetof(struct jr_pod_condition, type), jr_decode_str, NULL },
    { "status", offsetof(struct jr_pod_condition, status), jr_decode_str, NULL },
    { "lastTransitionTime", offsetof(struct jr_pod_condition, last_transition_time), jr_decode_time,
      NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc condition_desc = { condition_fields };
static const struct jr_array_desc conditions_desc = { sizeof(struct jr_pod_condition),
                                                      jr_decode_object, &condition_desc, 0 };
static const struct jr_field status_fields[] = {
    { "phase", AT(phase), jr_decode_str, NULL },
    { "conditions", AT(pod.conditions), jr_decode_array, &conditions_desc },
    { "initContainerStatuses", AT(init_containers), jr_decode_array, &containers_desc },
    { "containerStatuses", AT(containers), jr_decode_array, &containers_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc status_desc = { status_fields };
static const struct jr_field pod_fields[] = {
    { "metadata", 0, jr_decode_object, &meta_desc },
    { "spec", 0, jr_decode_object, &spec_desc },
    { "status", 0, jr_decode_object, &status_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc pod_desc = { pod_fields };

static enum jr_pod_phase parse_phase(struct jr_str s)
{
    static const char *const names[] = { "Pending", "Running", "Succeeded", "Failed" };
    static const enum jr_pod_phase phases[] = { JR_POD_PENDING, JR_POD_RUNNING, JR_POD_SUCCEEDED,
                                                JR_POD_FAILED };

    if (s.n == 0)
        return JR_POD_PENDING;
    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (jr_str_is(s, names[i]))
            return phases[i];
    }
    return JR_POD_UNKNOWN;
}

static void pick_controller(struct draft *draft)
{
    const struct jr_meta meta = { .owner_refs = draft->owner_refs };
    const struct jr_owner_ref *ref = jr_meta_controller(&meta);

    if (ref == NULL)
        return;
    draft->pod.controller.set = true;
    draft->pod.controller.api_version = ref->api_version;
    draft->pod.controller.kind = ref->kind;
    draft->pod.controller.name = ref->name;
    draft->pod.controller.uid = ref->uid;
}

static bool is_sidecar(const struct draft *draft, struct jr_str name)
{
    for (size_t i = 0; i < draft->init_specs.n; i++) {
        if (jr_str_eq(draft->init_specs.v[i].name, name))
            return jr_str_is(draft->init_specs.v[i].restart_policy, "Always");
    }
    return false;
}

/** containerStatuses, then initContainerStatuses, in one array. */
static bool join_containers(struct draft *draft, struct jr_arena *arena)
{
    const struct containers *c = &draft->containers, *ic = &draft->init_containers;
    struct jr_container_status *v = jr_arena_calloc(arena, c->n + ic->n, sizeof(*v));

    if (v == NULL)
        return false;
    if (c->n > 0)
        memcpy(v, c->v, c->n * sizeof(*v));
    if (ic->n > 0)
        memcpy(v + c->n, ic->v, ic->n * sizeof(*v));
    for (size_t i = c->n; i < c->n + ic->n; i++) {
        v[i].init = true;
        v[i].sidecar = is_sidecar(draft, v[i].name);
    }
    draft->pod.containers.v = v;
    draft->pod.containers.n = c->n + ic->n;
    return true;
}

/* ---- packing: into one allocation ---- */

/* Strings that most Pods of Jobs carry: they cost nothing. */
static const char *const well_known[] = {
    JR_LABEL_CONTROLLER_UID,
    JR_LABEL_JOB_NAME,
    JR_LABEL_CONTROLLER_UID_LEGACY,
    JR_LABEL_JOB_NAME_LEGACY,
    JR_COMPLETION_INDEX,
    JR_JOB_TRACKING_FINALIZER,
    "batch/v1",
    "Job",
    "default",
    "True",
    "False",
    "Unknown",
    "PodReadyToStartContainers",
    "PodScheduled",
    "Initialized",
    "ContainersReady",
    "Ready",
    "DisruptionTarget",
    "0",
    "",
};

/** The text of a Pod's strings, equal ones once. */
struct strings {
    char *p; /* room for all of them */
    size_t n;
    struct jr_str seen[32]; /* the last ones, for reuse; a ring */
    size_t seen_n;
};

static bool find_known(struct jr_str *s)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(well_known); i++) {
        if (jr_str_is(*s, well_known[i])) {
            s->p = well_known[i];
            return true;
        }
    }
    return false;
}

/** Moves *s to a well-known text, to an equal one of before, or to the end of the strings. */
static void intern(struct strings *strings, struct jr_str *s)
{
    size_t have = strings->seen_n;

    if (s->p == NULL || find_known(s))
        return;
    if (have > JR_ARRAY_SIZE(strings->seen))
        have = JR_ARRAY_SIZE(strings->seen);
    for (size_t i = 0; i < have; i++) {
        if (jr_str_eq(*s, strings->seen[i])) {
            s->p = strings->seen[i].p;
            return;
        }
    }
    memcpy(strings->p + strings->n, s->p, s->n);
    s->p = strings->p + strings->n;
    strings->n += s->n;
    strings->seen[strings->seen_n++ % JR_ARRAY_SIZE(strings->seen)] = *s;
}

/** Calls fn for each string of the Pod. */
static void each_string(struct jr_pod *pod, void (*fn)(void *ctx, struct jr_str *s), void *ctx)
{
    struct jr_str *const plain[] = {
        &pod->namespace,
        &pod->name,
        &pod->uid,
        &pod->resource_version,
        &pod->controller.uid,
        &pod->controller.name,
        &pod->controller.kind,
        &pod->controller.api_version,
        &pod->completion_index,
        &pod->index_failure_count,
        &pod->node_name,
        &pod->index_ignored_failure_count,
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(plain); i++)
        fn(ctx, plain[i]);
    for (size_t i = 0; i < pod->labels.n; i++) {
        fn(ctx, &pod->labels.v[i].key);
        fn(ctx, &pod->labels.v[i].value);
    }
    for (size_t i = 0; i < pod->finalizers.n; i++)
        fn(ctx, &pod->finalizers.v[i]);
    for (size_t i = 0; i < pod->conditions.n; i++) {
        fn(ctx, &pod->conditions.v[i].type);
        fn(ctx, &pod->conditions.v[i].status);
    }
    for (size_t i = 0; i < pod->containers.n; i++)
        fn(ctx, &pod->containers.v[i].name);
}

static void add_length(void *ctx, struct jr_str *s)
{
    *(size_t *)ctx += s->n;
}

static void intern_one(void *ctx, struct jr_str *s)
{
    intern(ctx, s);
}

struct move {
    const char *from;
    size_t n;
    const char *to;
};

static void move_one(void *ctx, struct jr_str *s)
{
    const struct move *m = ctx;
    uintptr_t at = (uintptr_t)s->p, from = (uintptr_t)m->from;

    if (at >= from && at - from < m->n)
        s->p = m->to + (at - from);
}

/** Copies an array behind what is there; at stays aligned, since all elements hold pointers. */
static void *put_array(char *base, size_t *at, const void *v, size_t n)
{
    void *to = base + *at;

    if (n == 0)
        return NULL;
    memcpy(to, v, n);
    *at += n;
    return to;
}

static enum jr_status pack(struct jr_pod *draft, struct jr_arena *arena, struct jr_pod **ret)
{
    const size_t labels = draft->labels.n * sizeof(*draft->labels.v);
    const size_t finalizers = draft->finalizers.n * sizeof(*draft->finalizers.v);
    const size_t conditions = draft->conditions.n * sizeof(*draft->conditions.v);
    const size_t containers = draft->containers.n * sizeof(*draft->containers.v);
    const size_t fixed = sizeof(*draft) + labels + finalizers + conditions + containers;
    struct strings strings = { 0 };
    struct jr_pod *pod;
    size_t at = sizeof(*pod), text = 0;

    each_string(draft, add_length, &text);
    strings.p = jr_arena_alloc(arena, text);
    if (strings.p == NULL)
        return JR_NOMEM;
    each_string(draft, intern_one, &strings);
    if (fixed + strings.n > UINT32_MAX)
        return JR_LIMIT;
    pod = malloc(fixed + strings.n);
    if (pod == NULL)
        return JR_NOMEM;
    *pod = *draft;
    pod->refs = 1;
    pod->size_bytes = (uint32_t)(fixed + strings.n);
    pod->labels.v = put_array((char *)pod, &at, draft->labels.v, labels);
    pod->finalizers.v = put_array((char *)pod, &at, draft->finalizers.v, finalizers);
    pod->conditions.v = put_array((char *)pod, &at, draft->conditions.v, conditions);
    pod->containers.v = put_array((char *)pod, &at, draft->containers.v, containers);
    memcpy((char *)pod + at, strings.p, strings.n);
    each_string(pod, move_one, &(struct move){ strings.p, strings.n, (char *)pod + at });
    *ret = pod;
    return JR_OK;
}

enum jr_status jr_pod_decode(struct jr_str text, struct jr_pod **ret, struct jr_error *err)
{
    JR_ARENA arena = { 0 };
    struct draft draft = { 0 };
    enum jr_status st;

    jr_arena_init(&arena, 0);
    st = jr_decode(text, &arena, false, jr_decode_object, &pod_desc, &draft, err);
    if (st != JR_OK)
        return st;
    draft.pod.phase = parse_phase(draft.phase);
    pick_controller(&draft);
    if (!join_containers(&draft, &arena))
        return jr_fail(err, JR_NOMEM, NULL, "Pod");
    st = pack(&draft.pod, &arena, ret);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "Pod");
}

struct jr_pod *jr_pod_ref(const struct jr_pod *pod)
{
    struct jr_pod *mine = (struct jr_pod *)(uintptr_t)pod; /* only the count changes */

    if (mine != NULL)
        mine->refs++;
    return mine;
}

void jr_pod_unref(struct jr_pod *pod)
{
    if (pod != NULL && --pod->refs == 0)
        free(pod);
}

bool jr_pod_has_finalizer(const struct jr_pod *pod, struct jr_str finalizer)
{
    return jr_strs_has(&pod->finalizers, finalizer);
}

const struct jr_pod_condition *jr_pod_condition_get(const struct jr_pod *pod, const char *type)
{
    for (size_t i = 0; i < pod->conditions.n; i++) {
        if (jr_str_is(pod->conditions.v[i].type, type))
            return &pod->conditions.v[i];
    }
    return NULL;
}

bool jr_pod_ready(const struct jr_pod *pod)
{
    const struct jr_pod_condition *c = jr_pod_condition_get(pod, "Ready");

    return c != NULL && jr_str_is(c->status, "True");
}

bool jr_pod_terminal(const struct jr_pod *pod)
{
    return pod->phase == JR_POD_SUCCEEDED || pod->phase == JR_POD_FAILED;
}

bool jr_pod_active(const struct jr_pod *pod)
{
    return !jr_pod_terminal(pod) && !jr_time_set(pod->deletion_timestamp);
}

bool jr_pod_terminating(const struct jr_pod *pod)
{
    return !jr_pod_terminal(pod) && jr_time_set(pod->deletion_timestamp);
}
