/* SPDX-License-Identifier: Apache-2.0 */
/* POST pods/NAME/binding: what a scheduler does. */
#include "common/json/write.h"
#include "devcluster/apiserver/op.h"

static void set_scheduled(struct jr_dev_op *op, struct jr_node *root)
{
    struct jr_node *status, *conditions, *c;
    char when[JR_TIME_MAX];

    jr_must(jr_ensure_object(root, "status", &status));
    jr_must(jr_ensure_array(status, "conditions", &conditions));
    for (c = jr_first(conditions); c != NULL; c = jr_next(c)) {
        if (jr_str_is(jr_get_str(c, "type"), "PodScheduled"))
            break;
    }
    if (c == NULL)
        jr_must(jr_push_object(conditions, &c));
    jr_must(jr_set_str(c, "type", JR_S("PodScheduled")));
    jr_must(jr_set_str(c, "status", JR_S("True")));
    jr_must(jr_set_null(c, "lastProbeTime"));
    jr_must(jr_set_str(c, "lastTransitionTime", jr_str(jr_time_format(op->now, when))));
}

static void merge_annotations(struct jr_node *root, const struct jr_node *from)
{
    struct jr_node *to;

    if (jr_first(from) == NULL)
        return;
    jr_must(jr_ensure_object(jr_get(root, "metadata"), "annotations", &to));
    for (const struct jr_node *a = jr_first(from); a != NULL; a = jr_next(a))
        jr_must(jr_set_strn(to, jr_key(a), jr_node_str(a)));
}

/* Texts by names, or nothing. */
static bool is_string_map(const struct jr_node *map)
{
    if (!jr_unset(map) && jr_node_kind(map) != JR_OBJECT)
        return false;
    for (const struct jr_node *n = jr_first(map); n != NULL; n = jr_next(n)) {
        if (jr_node_kind(n) != JR_STRING)
            return false;
    }
    return true;
}

static bool refuse_bound(struct jr_dev_op *op, const char *fmt, struct jr_str arg)
{
    const struct jr_api_status s = {
        .code = 409,
        .reason = JR_S("Conflict"),
        .details = { .name = op->name, .kind = JR_S("pods/binding") },
    };

    return jr_dev_refuse(op, s,
                         "Operation cannot be fulfilled on pods/binding \"%.*s\": "
                         "pod %.*s %s%.*s%s",
                         JR_P(op->name), JR_P(op->name), fmt, JR_P(arg), arg.n > 0 ? "\"" : "");
}

static bool check_binding(struct jr_dev_op *op, const struct jr_node *binding,
                          const struct jr_dev_object *pod)
{
    struct jr_str name = jr_get_str(jr_get(binding, "metadata"), "name");
    struct jr_str uid = jr_get_str(jr_get(binding, "metadata"), "uid");

    if (!jr_str_eq(name, op->name))
        return jr_dev_refusef(op, 400, "BadRequest",
                              "name in URL does not match name in Binding object");
    if (!is_string_map(jr_path(binding, "metadata.annotations")))
        return jr_dev_refusef(op, 400, "BadRequest",
                              "Binding in version \"v1\" cannot be handled as a Binding: "
                              "metadata.annotations is no map of strings");
    if (pod == NULL)
        return jr_dev_refuse_not_found(op, op->res, op->name);
    if (uid.n > 0 && !jr_str_eq(uid, pod->meta.uid))
        return jr_dev_refuse_conflict(
            op, op->name,
            jr_dev_printf(op,
                          "Precondition failed: UID in precondition: %.*s, UID in "
                          "object meta: %.*s",
                          JR_P(uid), JR_P(pod->meta.uid)));
    if (jr_dev_object_dying(pod))
        return refuse_bound(op, "is being deleted, cannot be assigned to a host", JR_S(""));
    return true;
}

bool jr_dev_bind(struct jr_dev_op *op, struct jr_str body)
{
    const struct jr_api_status success = { .code = 201, .status = JR_S("Success") };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *binding = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_dev_object *pod = jr_dev_find(op->store, op->res, op->namespace, op->name);
    struct jr_node *spec;
    struct jr_str node, bound;

    if (!jr_dev_body_parse(op, body, NULL, &binding) ||
        !check_binding(op, jr_doc_root(binding), pod))
        return false;
    doc = jr_dev_object_open(pod);
    node = jr_get_str(jr_get(jr_doc_root(binding), "target"), "name");
    spec = jr_get(jr_doc_root(doc), "spec");
    bound = jr_get_str(spec, "nodeName");
    if (bound.n > 0)
        return refuse_bound(op, "is already assigned to node \"", bound);
    if (jr_size(jr_get(spec, "schedulingGates")) > 0)
        return refuse_bound(op, "has non-empty .spec.schedulingGates", JR_S(""));
    if (node.n == 0)
        return jr_dev_refuse_option(op, "Binding", "target.name", "FieldValueRequired",
                                    "Required value");
    jr_must(jr_set_str(spec, "nodeName", node));
    set_scheduled(op, jr_doc_root(doc));
    merge_annotations(jr_doc_root(doc), jr_path(jr_doc_root(binding), "metadata.annotations"));
    if (!op->dry_run)
        (void)jr_dev_replace(op->store, pod, jr_doc_root(doc), op->now);
    op->wrote = !op->dry_run;
    jr_dev_answer_status(op, 201, &success);
    return true;
}
