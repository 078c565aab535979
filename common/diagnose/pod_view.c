/* SPDX-License-Identifier: Apache-2.0 */
/* Pods from text, by a table of what people ask about. */
#include "common/diagnose/pod_view.h"

#include <stdlib.h>

#include "common/schema/decode.h"
#include "common/schema/macros.h"

TYPE(waiting, "ContainerStateWaiting",
    STRING("reason", AT(struct jr_container_waiting, reason)),
    STRING("message", AT(struct jr_container_waiting, message)));

TYPE(running, "ContainerStateRunning", TIME("startedAt", AT(struct jr_container_running, started)));

TYPE(terminated, "ContainerStateTerminated",
    INT32("exitCode", AT(struct jr_container_exit, code)),
    STRING("reason", AT(struct jr_container_exit, reason)),
    STRING("message", AT(struct jr_container_exit, message)),
    TIME("startedAt", AT(struct jr_container_exit, started)),
    TIME("finishedAt", AT(struct jr_container_exit, finished)));

TYPE(state, "ContainerState",
    STRUCT_PTR("waiting", waiting, AT(struct jr_container_state, waiting)),
    STRUCT_PTR("running", running, AT(struct jr_container_state, running)),
    STRUCT_PTR("terminated", terminated, AT(struct jr_container_state, terminated)));

TYPE_WITH(container, "ContainerStatus", DECODED(struct jr_container_view),
    STRING("name", AT(struct jr_container_view, name)),
    STRUCT("state", state, AT(struct jr_container_view, state)),
    STRUCT("lastState", state, AT(struct jr_container_view, before)),
    STRING("image", AT(struct jr_container_view, image)),
    INT32("restartCount", AT(struct jr_container_view, restarts)));

TYPE_WITH(condition, "PodCondition", DECODED(struct jr_pod_view_condition),
    STRING("type", AT(struct jr_pod_view_condition, type)),
    STRING("status", AT(struct jr_pod_view_condition, status)),
    TIME("lastTransitionTime", AT(struct jr_pod_view_condition, since)),
    STRING("reason", AT(struct jr_pod_view_condition, reason)),
    STRING("message", AT(struct jr_pod_view_condition, message)));

TYPE_WITH(gate, "PodSchedulingGate", DECODED(struct jr_str),
    STRING("name", ALONE(struct jr_str)));

TYPE(group, "PodSchedulingGroup",
    STRING("podGroupName", AT(struct jr_pod_view, group)));

TYPE_WITH(init_container, "Container", DECODED(struct jr_init_container),
    STRING("name", AT(struct jr_init_container, name)),
    STRING("restartPolicy", AT(struct jr_init_container, restart_policy)));

TYPE(pod_spec, "PodSpec",
    LIST("initContainers", init_container, AT(struct jr_pod_view, init_specs)),
    STRING("nodeName", AT(struct jr_pod_view, node)),
    STRING("schedulerName", AT(struct jr_pod_view, scheduler)),
    LIST("schedulingGates", gate, AT(struct jr_pod_view, gates)),
    STRUCT("schedulingGroup", group, FLAT));

TYPE(pod_status, "PodStatus",
    STRING("phase", AT(struct jr_pod_view, phase)),
    LIST("conditions", condition, AT(struct jr_pod_view, conditions)),
     STRING("nominatedNodeName", AT(struct jr_pod_view, nominated)),
    STRING("message", AT(struct jr_pod_view, message)),
    STRING("reason", AT(struct jr_pod_view, reason)),
    LIST("initContainerStatuses", container, AT(struct jr_pod_view, init)),
    LIST("containerStatuses", container, AT(struct jr_pod_view, containers)));

TYPE(pod_type, "Pod",
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_pod_view, meta)),
    STRUCT("spec", pod_spec, FLAT),
    STRUCT("status", pod_status, FLAT));

enum jr_status jr_pod_view_decode(struct jr_str text, struct jr_pod_view **ret,
                                  struct jr_error *err)
{
    JR_CLEANUP(jr_pod_view_unrefp) struct jr_pod_view *pod = calloc(1, sizeof(*pod));
    enum jr_status st;

    if (pod == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "Pod");
    pod->refs = 1;
    jr_arena_init_kept(&pod->arena, 0, 1024);
    st = jr_decode_lenient(text, &pod->arena, true, jr_schema_decode, &pod_type, pod, err);
    if (st == JR_OK)
        *ret = jr_steal(&pod);
    return st;
}

struct jr_pod_view *jr_pod_view_ref(const struct jr_pod_view *pod)
{
    struct jr_pod_view *mine = (struct jr_pod_view *)(uintptr_t)pod; /* only the count changes */

    mine->refs++;
    return mine;
}

void jr_pod_view_unref(struct jr_pod_view *pod)
{
    if (pod == NULL || --pod->refs > 0)
        return;
    jr_arena_done(&pod->arena);
    free(pod);
}

bool jr_pod_view_ended(const struct jr_pod_view *pod)
{
    return jr_str_is(pod->phase, "Succeeded") || jr_str_is(pod->phase, "Failed");
}

const struct jr_pod_view_condition *jr_pod_view_condition(const struct jr_pod_view *pod,
                                                          const char *type)
{
    for (size_t i = 0; i < pod->conditions.n; i++) {
        if (jr_str_is(pod->conditions.v[i].type, type))
            return &pod->conditions.v[i];
    }
    return NULL;
}

bool jr_pod_view_is_sidecar(const struct jr_pod_view *pod, struct jr_str name)
{
    for (size_t i = 0; i < pod->init_specs.n; i++) {
        const struct jr_init_container *c = &pod->init_specs.v[i];

        if (jr_str_eq(c->name, name) && jr_str_is(c->restart_policy, "Always"))
            return true;
    }
    return false;
}

/* ---- ends ---- */

/** Raises *latest to the container's end. False: it shows none. */
static bool note_end(const struct jr_container_view *c, struct jr_time *latest)
{
    const struct jr_time end = c->state.terminated.finished;

    if (!c->state.terminated.set || !jr_time_set(end))
        return false;
    if (!jr_time_set(*latest) || jr_time_cmp(end, *latest) > 0)
        *latest = end;
    return true;
}

struct jr_time jr_pod_view_finished(const struct jr_pod_view *pod)
{
    const struct jr_pod_view_condition *ready = jr_pod_view_condition(pod, "Ready");
    struct jr_time latest = { 0 };
    bool all = true;

    for (size_t i = 0; i < pod->containers.n; i++)
        all = note_end(&pod->containers.v[i], &latest) && all;
    for (size_t i = 0; i < pod->init.n; i++) {
        if (jr_pod_view_is_sidecar(pod, pod->init.v[i].name))
            all = note_end(&pod->init.v[i], &latest) && all;
    }
    if (all && jr_time_set(latest))
        return latest;
    if (ready != NULL && jr_str_is(ready->status, "False") && jr_time_set(ready->since))
        return ready->since;
    if (!jr_time_set(pod->meta.deletion_timestamp))
        return pod->meta.creation_timestamp;
    return jr_deletion_asked(pod->meta.deletion_timestamp,
                             jr_i64_or(pod->meta.deletion_grace_period_s, 0));
}

/* A kubelet counts a restart when it makes the next container: while a container waits for that,
 * lastState is the run that restartCount counts. */
struct jr_container_run jr_container_last_run(const struct jr_container_view *c)
{
    const struct jr_container_exit *before =
        c->before.terminated.set ? &c->before.terminated : NULL;
    struct jr_container_run run = { .number = c->restarts };

    if (c->state.terminated.set) {
        run.exit = &c->state.terminated;
        run.previous = before;
    } else if (c->state.running.set) {
        run.previous = before;
    } else {
        run.exit = before;
    }
    run.ended = run.exit != NULL;
    run.any = run.ended || c->state.running.set;
    return run;
}

const struct jr_container_exit *jr_container_last_exit(const struct jr_container_view *c)
{
    const struct jr_container_run run = jr_container_last_run(c);

    return run.exit != NULL ? run.exit : run.previous;
}

static const struct jr_container_view *failed_of(const struct jr_container_views *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct jr_container_exit *exit = jr_container_last_exit(&list->v[i]);

        if (exit != NULL && exit->code != 0)
            return &list->v[i];
    }
    return NULL;
}

const struct jr_container_view *jr_pod_view_failed(const struct jr_pod_view *pod)
{
    const struct jr_container_view *c = failed_of(&pod->containers);

    return c != NULL ? c : failed_of(&pod->init);
}
