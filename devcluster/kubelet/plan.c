/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of simulated Pods, out of their annotations. */
#include "devcluster/kubelet/plan.h"

#include <limits.h>

#include "common/base/num.h"
#include "common/base/time.h"

#define RESTART_NS (1 * JR_SEC)

static struct jr_str annotation(const struct jr_node *pod, const char *key)
{
    return jr_get_str(jr_path(pod, "metadata.annotations"), key);
}

static int64_t duration_or(struct jr_str text, int64_t fallback)
{
    int64_t ms;

    if (text.n == 0 || jr_parse_duration_ms(text, &ms) != JR_OK || ms < 0)
        return fallback;
    return ms > INT64_MAX / JR_MSEC ? INT64_MAX : ms * JR_MSEC;
}

static int64_t integer_or(struct jr_str text, int64_t max, int64_t fallback)
{
    int64_t v;

    return jr_parse_i64(text, 0, max, &v) == JR_OK ? v : fallback;
}

/* The i-th of a list, its last where there are fewer and `last_goes_on`. */
static struct jr_str pick(struct jr_str list, int64_t i, bool last_goes_on)
{
    struct jr_str part, found = { NULL, 0 };

    for (int64_t at = 0; at <= i && jr_str_cut(&list, ',', &part); at++) {
        if (at == i || last_goes_on)
            found = jr_str_trim(part);
    }
    return found;
}

/* The same of an annotation by the Pod's completion index. */
static struct jr_str pick_by_index(const struct jr_node *pod, const char *key)
{
    const struct jr_str index = annotation(pod, "batch.kubernetes.io/job-completion-index");

    return pick(annotation(pod, key), integer_or(index, INT32_MAX, -1), false);
}

struct jr_dev_pod_plan jr_dev_pod_plan_of(const struct jr_node *pod, unsigned attempt,
                                          int64_t default_run_ns)
{
    struct jr_dev_pod_plan plan = { .ready = true };
    struct jr_str duration = pick_by_index(pod, JR_DEV_KUBELET_PREFIX "duration-by-index");
    struct jr_str policy = jr_get_str(jr_get(pod, "spec"), "restartPolicy");

    if (duration.n == 0)
        duration = annotation(pod, JR_DEV_KUBELET_PREFIX "duration");
    plan.run_ns = jr_str_is(duration, "forever") ? -1 : duration_or(duration, default_run_ns);
    plan.exit_code = (int)integer_or(
        pick(annotation(pod, JR_DEV_KUBELET_PREFIX "exit-code"), attempt, true), 255, 0);
    plan.exit_code = (int)integer_or(pick_by_index(pod, JR_DEV_KUBELET_PREFIX "exit-code-by-index"),
                                     255, plan.exit_code);
    plan.disrupted =
        attempt < integer_or(annotation(pod, JR_DEV_KUBELET_PREFIX "disruptions"), INT32_MAX, 0);
    if (plan.disrupted)
        plan.exit_code = 143;
    plan.ready = !jr_str_is(annotation(pod, JR_DEV_KUBELET_PREFIX "ready"), "false");
    plan.die_ns = duration_or(annotation(pod, JR_DEV_KUBELET_PREFIX "termination-delay"), 0);
    plan.restart_ns =
        duration_or(annotation(pod, JR_DEV_KUBELET_PREFIX "restart-delay"), RESTART_NS);
    plan.restart = jr_str_is(policy, "Always") || policy.n == 0 ||
                   (jr_str_is(policy, "OnFailure") && plan.exit_code != 0);
    plan.restart = plan.restart && !plan.disrupted;
    return plan;
}
