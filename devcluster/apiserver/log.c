/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a Pod, pods/log: no container runs, which is all that there is to say. */
#include "common/api/meta.h"
#include "devcluster/apiserver/op.h"

/** The status of the container that is asked for, or of the only one; NULL: there is none yet. */
static const struct jr_node *find_status(const struct jr_node *status, struct jr_str container)
{
    static const char *const lists[] = { "containerStatuses", "initContainerStatuses" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(lists); i++) {
        for (const struct jr_node *c = jr_first(jr_get(status, lists[i])); c != NULL;
             c = jr_next(c)) {
            if (container.n == 0 || jr_str_eq(jr_get_str(c, "name"), container))
                return c;
        }
    }
    return NULL;
}

/** When its last run began; unset: none has. */
static struct jr_time started(const struct jr_node *container)
{
    const struct jr_node *state = jr_get(container, "state");
    const struct jr_node *run = jr_get(state, "running");
    struct jr_time at = { 0 };

    run = run != NULL ? run : jr_get(state, "terminated");
    if (jr_time_parse(jr_get_str(run, "startedAt"), &at) != JR_OK)
        at.ns = 0;
    return at;
}

bool jr_dev_log(struct jr_dev_op *op)
{
    const struct jr_dev_object *o = jr_dev_find(op->store, op->res, op->namespace, op->name);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_str container = jr_dev_param(op, "container");
    const struct jr_node *status;
    struct jr_time at, since = { 0 };
    char stamp[JR_TIME_MAX];

    if (o == NULL)
        return jr_dev_refuse_not_found(op, op->res, op->name);
    doc = jr_dev_object_open(o);
    status = find_status(jr_get(jr_doc_root_const(doc), "status"), container);
    at = started(status);
    if (jr_dev_param_bool(op, "previous"))
        return jr_dev_refusef(op, 400, "BadRequest",
                              "the devcluster keeps no log of a previous container in pod \"%.*s\"",
                              JR_P(op->name));
    if (!jr_time_set(at))
        return jr_dev_refusef(op, 400, "BadRequest",
                              "container \"%.*s\" in pod \"%.*s\" is waiting to start: "
                              "ContainerCreating",
                              JR_P(container), JR_P(op->name));
    jr_dev_answer_json(op, 200);
    op->answer.content_type = "text/plain";
    if (jr_time_parse(jr_dev_param(op, "sinceTime"), &since) == JR_OK && jr_time_cmp(at, since) < 0)
        return true;
    (void)jr_buf_addf(&op->answer.body,
                      "%s%ssimulated: no container runs; it fares as the Pod's annotations say\n",
                      jr_dev_param_bool(op, "timestamps") ? jr_time_format(at, stamp) : "",
                      jr_dev_param_bool(op, "timestamps") ? " " : "");
    return true;
}
