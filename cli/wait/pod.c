/* SPDX-License-Identifier: Apache-2.0 */
/* Pods from text, by a table of what people ask about. */
#include "cli/wait/pod.h"

#include <stdlib.h>

#include "common/schema/decode.h"
#include "common/schema/macros.h"

TYPE(waiting, "ContainerStateWaiting",
    STRING("reason", AT(struct jr_wait_waiting, reason)),
    STRING("message", AT(struct jr_wait_waiting, message)));

TYPE(running, "ContainerStateRunning", TIME("startedAt"));

TYPE(terminated, "ContainerStateTerminated",
    INT32("exitCode", AT(struct jr_wait_exit, code)),
    STRING("reason", AT(struct jr_wait_exit, reason)),
    STRING("message", AT(struct jr_wait_exit, message)),
    TIME("finishedAt", AT(struct jr_wait_exit, finished)));

TYPE(state, "ContainerState",
    STRUCT_PTR("waiting", waiting, AT(struct jr_wait_state, waiting)),
    STRUCT_PTR("running", running, AT(struct jr_wait_state, running)),
    STRUCT_PTR("terminated", terminated, AT(struct jr_wait_state, terminated)));

TYPE_WITH(container, "ContainerStatus", DECODED(struct jr_wait_container),
    STRING("name", AT(struct jr_wait_container, name)),
    STRUCT("state", state, AT(struct jr_wait_container, state)),
    STRUCT("lastState", state, AT(struct jr_wait_container, before)),
    INT32("restartCount", AT(struct jr_wait_container, restarts)));

TYPE(pod_status, "PodStatus",
    STRING("phase", AT(struct jr_wait_pod, phase)),
    STRING("message", AT(struct jr_wait_pod, message)),
    STRING("reason", AT(struct jr_wait_pod, reason)),
    LIST("initContainerStatuses", container, AT(struct jr_wait_pod, init)),
    LIST("containerStatuses", container, AT(struct jr_wait_pod, containers)));

TYPE(pod_type, "Pod",
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_wait_pod, meta)),
    STRUCT("status", pod_status, FLAT));

enum jr_status jr_wait_pod_decode(struct jr_str text, struct jr_wait_pod **ret,
                                  struct jr_error *err)
{
    JR_CLEANUP(jr_wait_pod_unrefp) struct jr_wait_pod *pod = calloc(1, sizeof(*pod));
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

struct jr_wait_pod *jr_wait_pod_ref(const struct jr_wait_pod *pod)
{
    struct jr_wait_pod *mine = (struct jr_wait_pod *)(uintptr_t)pod; /* only the count changes */

    mine->refs++;
    return mine;
}

void jr_wait_pod_unref(struct jr_wait_pod *pod)
{
    if (pod == NULL || --pod->refs > 0)
        return;
    jr_arena_done(&pod->arena);
    free(pod);
}

bool jr_wait_pod_over(const struct jr_wait_pod *pod)
{
    return jr_str_is(pod->phase, "Succeeded") || jr_str_is(pod->phase, "Failed");
}

/* A kubelet counts a restart when it makes the next container: while a container waits for that,
 * lastState is the run that restartCount counts. */
struct jr_wait_run jr_wait_last_run(const struct jr_wait_container *c)
{
    const struct jr_wait_exit *before = c->before.terminated.set ? &c->before.terminated : NULL;
    struct jr_wait_run run = { .number = c->restarts };

    if (c->state.terminated.set) {
        run.exit = &c->state.terminated;
        run.previous = before;
    } else if (c->state.running) {
        run.previous = before;
    } else {
        run.exit = before;
    }
    run.ended = run.exit != NULL;
    run.any = run.ended || c->state.running;
    return run;
}

const struct jr_wait_exit *jr_wait_last_exit(const struct jr_wait_container *c)
{
    const struct jr_wait_run run = jr_wait_last_run(c);

    return run.exit != NULL ? run.exit : run.previous;
}

static const struct jr_wait_container *failed_of(const struct jr_wait_containers *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct jr_wait_exit *exit = jr_wait_last_exit(&list->v[i]);

        if (exit != NULL && exit->code != 0)
            return &list->v[i];
    }
    return NULL;
}

const struct jr_wait_container *jr_wait_pod_failed(const struct jr_wait_pod *pod)
{
    const struct jr_wait_container *c = failed_of(&pod->containers);

    return c != NULL ? c : failed_of(&pod->init);
}
