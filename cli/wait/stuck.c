/* SPDX-License-Identifier: Apache-2.0 */
/* The causes that no time heals, in the words of kubelets and admission plugins. */
#include "cli/wait/stuck.h"

/* Reasons of a waiting container. Source: pkg/kubelet/images and pkg/kubelet/kuberuntime. */
static const char *const reasons[] = { "ErrImagePull", "ImagePullBackOff", "InvalidImageName",
                                       "ErrImageNeverPull", "CreateContainerConfigError" };

/* Parts of refusals. Source: the admission plugins ResourceQuota, PodSecurity, ServiceAccount. */
static const char *const refusals[] = { "must specify", "violates PodSecurity",
                                        "error looking up service account" };

bool jr_wait_refusal_stays(struct jr_str message)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(refusals) && message.n > 0; i++) {
        if (memmem(message.p, message.n, refusals[i], strlen(refusals[i])) != NULL)
            return true;
    }
    return false;
}

/** The container that keeps the Pod from going on; NULL: none does. */
static const struct jr_container_view *stuck_of(const struct jr_container_views *list)
{
    for (size_t i = 0; i < list->n; i++) {
        for (size_t k = 0; k < JR_ARRAY_SIZE(reasons); k++) {
            if (jr_str_is(list->v[i].state.waiting.reason, reasons[k]))
                return &list->v[i];
        }
    }
    return NULL;
}

static const struct jr_container_view *stuck_container(const struct jr_pod_view *pod)
{
    const struct jr_container_view *c = stuck_of(&pod->init);

    return c != NULL ? c : stuck_of(&pod->containers);
}

static void write_cause(const struct jr_pod_view *pod, const struct jr_container_view *c,
                        size_t others, struct jr_buf *why)
{
    (void)jr_buf_addf(why, "Pod %.*s, container %.*s: %.*s", JR_P(pod->meta.name), JR_P(c->name),
                      JR_P(c->state.waiting.reason));
    if (c->state.waiting.message.n > 0)
        (void)jr_buf_addf(why, ": %.*s", JR_P(c->state.waiting.message));
    if (others > 0)
        (void)jr_buf_addf(why, " (and %zu more %s)", others, others == 1 ? "Pod" : "Pods");
}

bool jr_wait_is_stuck(const struct jr_job *job, const struct jr_pod_view *const *pods, size_t n,
                      struct jr_str refusal, struct jr_buf *why)
{
    const struct jr_pod_view *first = NULL;
    size_t stuck = 0;

    if (jr_job_finished(&job->status) || (job->spec.suspend.set && job->spec.suspend.v) ||
        jr_time_set(job->meta.deletion_timestamp))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (jr_pod_view_ended(pods[i]))
            continue;
        if (jr_time_set(pods[i]->meta.deletion_timestamp) || stuck_container(pods[i]) == NULL)
            return false;
        first = first == NULL ? pods[i] : first;
        stuck++;
    }
    if (stuck > 0) {
        write_cause(first, stuck_container(first), stuck - 1, why);
        return true;
    }
    if (job->status.active > 0 || !jr_wait_refusal_stays(refusal))
        return false;
    (void)jr_buf_addf(why, "Pods can't be created: %.*s", JR_P(refusal));
    return true;
}
