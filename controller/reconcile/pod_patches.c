/* SPDX-License-Identifier: Apache-2.0 */
/* Patches that adopt a Pod, release it, or take its finalizer off. */
#include "controller/reconcile/pod_patches.h"

#include "common/base/memory.h"

void jr_owner_write(const struct jr_job *job, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "apiVersion", JR_S("batch/v1"));
    jr_w_kstr(w, "kind", JR_S("Job"));
    jr_w_kstr(w, "name", job->meta.name);
    jr_w_kstr(w, "uid", job->meta.uid);
    jr_w_kbool(w, "controller", true);
    jr_w_kbool(w, "blockOwnerDeletion", true);
    jr_w_object_end(w);
}

static struct jr_writer begin_patch(struct jr_buf *b)
{
    struct jr_writer w = jr_writer_on(b);

    jr_w_object(&w);
    jr_w_kobject(&w, "metadata");
    return w;
}

/** Ends with the finalizer, in the list `key`. */
static struct jr_str end_patch(struct jr_arena *a, struct jr_writer *w, const char *key,
                               struct jr_str finalizer)
{
    jr_w_karray(w, key);
    jr_w_str(w, finalizer);
    jr_w_array_end(w);
    jr_w_object_end(w);
    jr_w_object_end(w);
    jr_must(w->out->failed);
    return jr_xarena_str(a, jr_buf_str(w->out));
}
#define ADD "finalizers"
#define TAKE_OFF "$deleteFromPrimitiveList/finalizers"

struct jr_str jr_adopt_patch(struct jr_arena *a, struct jr_str finalizer, const struct jr_job *job,
                             const struct jr_pod *pod)
{
    JR_BUF b = { .max = JR_BUF_BY_INPUT };
    struct jr_writer w = begin_patch(&b);

    jr_w_karray(&w, "ownerReferences");
    jr_owner_write(job, &w);
    jr_w_array_end(&w);
    jr_w_kstr(&w, "uid", pod->uid);
    return end_patch(a, &w, ADD, finalizer);
}

struct jr_str jr_release_patch(struct jr_arena *a, struct jr_str finalizer,
                               const struct jr_job *job, const struct jr_pod *pod)
{
    JR_BUF b = { .max = JR_BUF_BY_INPUT };
    struct jr_writer w = begin_patch(&b);

    jr_w_kstr(&w, "uid", pod->uid);
    jr_w_karray(&w, "ownerReferences");
    jr_w_object(&w);
    jr_w_kstr(&w, "$patch", JR_S("delete"));
    jr_w_kstr(&w, "uid", job->meta.uid);
    jr_w_object_end(&w);
    jr_w_array_end(&w);
    return end_patch(a, &w, TAKE_OFF, finalizer);
}

struct jr_str jr_unfinalize_patch(struct jr_arena *a, struct jr_str finalizer)
{
    JR_BUF b = { .max = JR_BUF_BY_INPUT };
    struct jr_writer w = begin_patch(&b);

    return end_patch(a, &w, TAKE_OFF, finalizer);
}

struct jr_str jr_unfinalize_unchanged_patch(struct jr_arena *a, struct jr_str finalizer,
                                            const struct jr_pod *pod)
{
    JR_BUF b = { .max = JR_BUF_BY_INPUT };
    struct jr_writer w = begin_patch(&b);

    jr_w_kstr(&w, "uid", pod->uid);
    jr_w_kstr(&w, "resourceVersion", jr_pod_str(pod, pod->resource_version));
    return end_patch(a, &w, TAKE_OFF, finalizer);
}
