/* POST pods/NAME/binding: what a scheduler does. */
#include "common/json/write.h"
#include "devcluster/apiserver/op.h"

static enum jr_status set_scheduled(struct jr_dev_op *op, struct jr_node *root)
{
    struct jr_node *status, *conditions, *c;
    char when[JR_TIME_MAX];
    enum jr_status st = jr_ensure_object(root, "status", &status);

    if (st == JR_OK)
        st = jr_ensure_array(status, "conditions", &conditions);
    if (st != JR_OK)
        return st;
    for (c = jr_first(conditions); c != NULL; c = jr_next(c)) {
        if (jr_str_is(jr_get_str(c, "type"), "PodScheduled"))
            break;
    }
    if (c == NULL)
        st = jr_push_object(conditions, &c);
    if (st == JR_OK)
        st = jr_set_str(c, "type", JR_S("PodScheduled"));
    if (st == JR_OK)
        st = jr_set_str(c, "status", JR_S("True"));
    if (st == JR_OK)
        st = jr_set_null(c, "lastProbeTime");
    if (st == JR_OK)
        st = jr_set_str(c, "lastTransitionTime", jr_str(jr_time_format(op->now, when)));
    return st;
}

static enum jr_status merge_annotations(struct jr_node *root, const struct jr_node *binding)
{
    const struct jr_node *from = jr_path(binding, "metadata.annotations");
    struct jr_node *to;
    enum jr_status st = JR_OK;

    if (jr_node_kind(from) != JR_OBJECT || jr_size(from) == 0)
        return JR_OK;
    st = jr_ensure_object(jr_get(root, "metadata"), "annotations", &to);
    for (const struct jr_node *a = jr_first(from); a != NULL && st == JR_OK; a = jr_next(a))
        st = jr_set_copy(to, jr_key(a), a, NULL);
    return st;
}

static enum jr_status refuse(struct jr_dev_op *op, const char *fmt, struct jr_str arg)
{
    struct jr_api_status s = {
        .code = 409,
        .status = JR_S("Failure"),
        .reason = JR_S("Conflict"),
        .details = { .name = op->name, .kind = JR_S("pods/binding") },
    };
    const char *text =
        jr_arena_printf(&op->arena,
                        "Operation cannot be fulfilled on pods/binding \"%.*s\": "
                        "pod %.*s %s%.*s%s",
                        JR_P(op->name), JR_P(op->name), fmt, JR_P(arg), arg.n > 0 ? "\"" : "");

    s.message = jr_str(text);
    return text == NULL ? JR_NOMEM : jr_dev_refuse(op, &s);
}

static enum jr_status check(struct jr_dev_op *op, const struct jr_node *binding,
                            const struct jr_dev_object *pod)
{
    struct jr_str name = jr_get_str(jr_get(binding, "metadata"), "name");
    struct jr_str uid = jr_get_str(jr_get(binding, "metadata"), "uid");

    if (!jr_str_eq(name, op->name))
        return jr_dev_refusef(op, 400, "BadRequest",
                              "name in URL does not match name in Binding object");
    if (pod == NULL)
        return jr_dev_refuse_not_found(op, op->res, op->name);
    if (uid.n > 0 && !jr_str_eq(uid, pod->meta.uid))
        return jr_dev_refuse_conflict(op, op->name,
                                      "Precondition failed: UID in precondition: %.*s, UID in "
                                      "object meta: %.*s",
                                      JR_P(uid), JR_P(pod->meta.uid));
    if (jr_dev_object_dying(pod))
        return refuse(op, "is being deleted, cannot be assigned to a host", JR_S(""));
    return JR_OK;
}

static enum jr_status answer(struct jr_dev_op *op)
{
    const struct jr_api_status s = { .code = 201, .status = JR_S("Success") };

    op->answer.status = 201;
    op->answer.content_type = "application/json";
    return jr_api_status_write(&s, &op->answer.body) == JR_OK ? JR_OK : JR_NOMEM;
}

enum jr_status jr_dev_bind(struct jr_dev_op *op, struct jr_str body)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *binding = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_dev_object *pod = jr_dev_find(op->store, op->res, op->namespace, op->name);
    struct jr_node *spec;
    struct jr_str node, bound;
    enum jr_status st = jr_dev_body_parse(op, body, &binding);

    if (st == JR_OK)
        st = check(op, jr_doc_root(binding), pod);
    if (st != JR_OK)
        return st;
    if (jr_dev_object_open(pod, &doc) != JR_OK)
        return JR_NOMEM;
    node = jr_get_str(jr_get(jr_doc_root(binding), "target"), "name");
    spec = jr_get(jr_doc_root(doc), "spec");
    bound = jr_get_str(spec, "nodeName");
    if (bound.n > 0)
        return refuse(op, "is already assigned to node \"", bound);
    if (node.n == 0)
        return jr_dev_refuse_option(op, "Binding", "target.name", "FieldValueRequired",
                                    "Required value");
    st = jr_set_str(spec, "nodeName", node);
    if (st == JR_OK)
        st = set_scheduled(op, jr_doc_root(doc));
    if (st == JR_OK)
        st = merge_annotations(jr_doc_root(doc), jr_doc_root(binding));
    if (st == JR_OK && !op->dry_run)
        st = jr_dev_replace(op->store, pod, jr_doc_root(doc), op->now, NULL, NULL);
    if (st != JR_OK)
        return JR_NOMEM;
    op->wrote = !op->dry_run;
    return answer(op);
}
