/* SPDX-License-Identifier: Apache-2.0 */
/* Pods from text, and looking into them. */
#include "common/api/pod.h"

#include "common/api/job.h"
#include "common/api/pod_draft.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

/* ---- reading: into a struct whose parts lie in a passing arena ---- */

#define DRAFT(member) AT(struct jr_pod_draft, member)

/* The three annotations that count. */
TYPE(kept_annotations, "Annotations",
    STRING(JR_COMPLETION_INDEX, DRAFT(completion_index)),
    STRING(JR_INDEX_FAILURE_COUNT, DRAFT(index_failure_count)),
    STRING(JR_INDEX_IGNORED_FAILURE_COUNT, DRAFT(index_ignored_failure_count)));

TYPE(kept_meta, "ObjectMeta",
    STRING("name", DRAFT(pod.name)),
    STRING("namespace", DRAFT(pod.namespace)),
    STRING("uid", DRAFT(pod.uid)),
    STRING("resourceVersion", DRAFT(resource_version)),
    TIME("creationTimestamp", DRAFT(pod.creation_timestamp)),
    TIME_PTR("deletionTimestamp", DRAFT(pod.deletion_timestamp)),
    INT64("deletionGracePeriodSeconds", DRAFT(pod.deletion_grace_period_s)),
    STRING_MAP("labels", DRAFT(labels)),
    STRUCT("annotations", kept_annotations, FLAT),
    LIST("ownerReferences", jr_schema_owner_reference, DRAFT(owner_refs)),
    STRINGS("finalizers", DRAFT(finalizers)));

TYPE_WITH(kept_container_spec, "Container", DECODED(struct jr_container_spec),
    STRING("name", AT(struct jr_container_spec, name)),
    STRING_PTR("restartPolicy", AT(struct jr_container_spec, restart_policy)));

TYPE(kept_spec, "PodSpec",
    LIST("initContainers", kept_container_spec, DRAFT(init_specs)),
    STRING("nodeName", DRAFT(node_name)));

TYPE(kept_terminated, "ContainerStateTerminated",
    INT32("exitCode", AT(struct jr_pod_terminated, exit_code)),
    TIME("finishedAt", AT(struct jr_pod_terminated, finished_at)));

TYPE(kept_state, "ContainerState",
    STRUCT_PTR("terminated", kept_terminated, AT(struct jr_container_draft, status.terminated)));

TYPE_WITH(kept_container_status, "ContainerStatus", DECODED(struct jr_container_draft),
    STRING("name", AT(struct jr_container_draft, name)),
    STRUCT("state", kept_state, FLAT),
    INT32("restartCount", AT(struct jr_container_draft, status.restart_count)));

TYPE_WITH(kept_condition, "PodCondition", DECODED(struct jr_condition_draft),
    STRING("type", AT(struct jr_condition_draft, type)),
    STRING("status", AT(struct jr_condition_draft, status)),
    TIME("lastTransitionTime", AT(struct jr_condition_draft, last_transition_time)));

TYPE(kept_status, "PodStatus",
    STRING("phase", DRAFT(phase)),
    LIST("conditions", kept_condition, DRAFT(conditions)),
    LIST("initContainerStatuses", kept_container_status, DRAFT(init_containers)),
    LIST("containerStatuses", kept_container_status, DRAFT(containers)));

TYPE(kept_pod, "Pod",
    STRUCT("metadata", kept_meta, FLAT),
    STRUCT("spec", kept_spec, FLAT),
    STRUCT("status", kept_status, FLAT));

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

static void pick_controller(struct jr_pod_draft *draft)
{
    const struct jr_meta meta = { .owner_refs = draft->owner_refs };

    draft->controller = jr_meta_controller(&meta);
    draft->pod.controller.set = draft->controller != NULL;
}

static bool is_sidecar(const struct jr_pod_draft *draft, struct jr_str name)
{
    for (size_t i = 0; i < draft->init_specs.n; i++) {
        if (jr_str_eq(draft->init_specs.v[i].name, name))
            return jr_str_is(draft->init_specs.v[i].restart_policy, "Always");
    }
    return false;
}

static void pick_ready(struct jr_pod_draft *draft)
{
    for (size_t i = draft->conditions.n; i-- > 0;) {
        if (jr_str_is(draft->conditions.v[i].type, "Ready"))
            draft->pod.ready_since = draft->conditions.v[i].last_transition_time;
    }
}

static void mark_init(struct jr_pod_draft *draft)
{
    for (size_t i = 0; i < draft->init_containers.n; i++) {
        struct jr_container_draft *c = &draft->init_containers.v[i];

        c->status.init = true;
        c->status.sidecar = is_sidecar(draft, c->name);
    }
}

/** By key, equal ones as they came. */
static int by_key(const void *a, const void *b)
{
    const struct jr_label *x = *(const struct jr_label *const *)a;
    const struct jr_label *y = *(const struct jr_label *const *)b;
    int c = jr_str_cmp(x->key, y->key);

    return c != 0 ? c : (x > y) - (x < y);
}

/** API servers write labels in the order of their keys. Of equal ones the last counts, as in Go. */
static bool sort_labels(struct jr_labels *l, struct jr_arena *arena)
{
    const struct jr_label **order;
    struct jr_label *v;
    size_t i = 1, n = 0;

    while (i < l->n && jr_str_cmp(l->v[i - 1].key, l->v[i].key) < 0)
        i++;
    if (i >= l->n)
        return true;
    order = jr_arena_calloc(arena, l->n, sizeof(const struct jr_label *));
    v = jr_arena_calloc(arena, l->n, sizeof(*v));
    if (order == NULL || v == NULL)
        return false;
    for (i = 0; i < l->n; i++)
        order[i] = &l->v[i];
    qsort(order, l->n, sizeof(const struct jr_label *), by_key);
    for (i = 0; i < l->n; i++) {
        if (i + 1 == l->n || !jr_str_eq(order[i]->key, order[i + 1]->key))
            v[n++] = *order[i];
    }
    *l = (struct jr_labels){ v, n };
    return true;
}

/* ---- the whole ---- */

enum jr_status jr_pod_decode(struct jr_str text, struct jr_pod **ret, struct jr_error *err)
{
    JR_ARENA arena = { 0 };
    struct jr_pod_draft draft = { 0 };
    enum jr_status st;

    jr_arena_init(&arena, 0);
    st = jr_decode_lenient(text, &arena, false, jr_schema_decode, &kept_pod, &draft, err);
    if (st != JR_OK)
        return st;
    draft.pod.phase = parse_phase(draft.phase);
    pick_controller(&draft);
    pick_ready(&draft);
    mark_init(&draft);
    if (!sort_labels(&draft.labels, &arena))
        return jr_fail(err, JR_NOMEM, NULL, "Pod");
    st = jr_pod_pack(&draft, &arena, ret);
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

struct jr_str jr_pod_label(const struct jr_pod *pod, struct jr_str key)
{
    size_t lo = 0, hi = pod->labels.n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = jr_str_cmp(jr_pod_str(pod, pod->labels.v[mid].key), key);

        if (c == 0)
            return jr_pod_str(pod, pod->labels.v[mid].value);
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (struct jr_str){ NULL, 0 };
}

static bool same_text(const struct jr_pod *a, struct jr_pod_text x, const struct jr_pod *b,
                      struct jr_pod_text y)
{
    return jr_str_eq(jr_pod_str(a, x), jr_pod_str(b, y));
}

bool jr_pod_same_labels(const struct jr_pod *a, const struct jr_pod *b)
{
    if (a->labels.n != b->labels.n)
        return false;
    for (size_t i = 0; i < a->labels.n; i++) {
        if (!same_text(a, a->labels.v[i].key, b, b->labels.v[i].key) ||
            !same_text(a, a->labels.v[i].value, b, b->labels.v[i].value))
            return false;
    }
    return true;
}

bool jr_pod_same_controller(const struct jr_pod *a, const struct jr_pod *b)
{
    if (a->controller.set != b->controller.set)
        return false;
    return !a->controller.set ||
           (same_text(a, a->controller.uid, b, b->controller.uid) &&
            same_text(a, a->controller.name, b, b->controller.name) &&
            same_text(a, a->controller.kind, b, b->controller.kind) &&
            same_text(a, a->controller.api_version, b, b->controller.api_version));
}

bool jr_pod_has_finalizer(const struct jr_pod *pod, struct jr_str finalizer)
{
    for (size_t i = 0; i < pod->finalizers.n; i++) {
        if (jr_str_eq(jr_pod_str(pod, pod->finalizers.v[i]), finalizer))
            return true;
    }
    return false;
}

const struct jr_pod_condition *jr_pod_condition_get(const struct jr_pod *pod, const char *type)
{
    for (size_t i = 0; i < pod->conditions.n; i++) {
        if (jr_str_is(jr_pod_str(pod, pod->conditions.v[i].type), type))
            return &pod->conditions.v[i];
    }
    return NULL;
}

bool jr_pod_ready(const struct jr_pod *pod)
{
    const struct jr_pod_condition *c = jr_pod_condition_get(pod, "Ready");

    return c != NULL && jr_str_is(jr_pod_str(pod, c->status), "True");
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
