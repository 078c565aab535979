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

/* The i-th of a list of integers, its last where there are fewer and `last_goes_on`. */
static bool pick_integer(struct jr_str list, uint64_t i, bool last_goes_on, int *ret)
{
    struct jr_str part;
    bool found = false;
    int64_t v = 0;

    for (uint64_t at = 0; jr_str_cut(&list, ',', &part) && at <= i; at++) {
        if (jr_parse_i64(jr_str_trim(part), 0, 255, &v) != JR_OK)
            return false;
        found = at == i || last_goes_on;
    }
    if (found)
        *ret = (int)v;
    return found;
}

static int exit_code(const struct jr_node *pod, unsigned attempt)
{
    struct jr_str by_index = annotation(pod, JR_DEV_KUBELET_PREFIX "exit-code-by-index");
    struct jr_str index = annotation(pod, "batch.kubernetes.io/job-completion-index");
    int64_t i;
    int code = 0;

    if (by_index.n > 0 && jr_parse_i64(index, 0, INT32_MAX, &i) == JR_OK &&
        pick_integer(by_index, (uint64_t)i, false, &code))
        return code;
    (void)pick_integer(annotation(pod, JR_DEV_KUBELET_PREFIX "exit-code"), attempt, true, &code);
    return code;
}

struct jr_dev_pod_plan jr_dev_pod_plan_of(const struct jr_node *pod, unsigned attempt,
                                          int64_t default_run_ns)
{
    struct jr_dev_pod_plan plan = { .ready = true };
    struct jr_str duration = annotation(pod, JR_DEV_KUBELET_PREFIX "duration");
    struct jr_str policy = jr_get_str(jr_get(pod, "spec"), "restartPolicy");

    plan.run_ns = jr_str_is(duration, "forever") ? -1 : duration_or(duration, default_run_ns);
    plan.exit_code = exit_code(pod, attempt);
    plan.ready = !jr_str_is(annotation(pod, JR_DEV_KUBELET_PREFIX "ready"), "false");
    plan.die_ns = duration_or(annotation(pod, JR_DEV_KUBELET_PREFIX "termination-delay"), 0);
    plan.restart_ns =
        duration_or(annotation(pod, JR_DEV_KUBELET_PREFIX "restart-delay"), RESTART_NS);
    plan.restart = jr_str_is(policy, "Always") || policy.n == 0 ||
                   (jr_str_is(policy, "OnFailure") && plan.exit_code != 0);
    return plan;
}
