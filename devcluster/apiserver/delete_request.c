/* DELETE and deletecollection. */
#include "common/json/write.h"
#include "devcluster/apiserver/delete.h"
#include "devcluster/apiserver/page.h"
#include "devcluster/apiserver/snapshot.h"

/* ---- DeleteOptions ---- */

static enum jr_status copy_text(struct jr_dev_op *op, struct jr_str text, struct jr_str *ret)
{
    if (text.n == 0)
        return JR_OK;
    return jr_arena_str(&op->arena, text, ret) ? JR_OK : JR_NOMEM;
}

static enum jr_status options_of_body(struct jr_dev_op *op, const struct jr_node *root)
{
    struct jr_dev_delete_options *d = &op->del;
    const struct jr_node *pre = jr_get(root, "preconditions");
    const struct jr_node *grace = jr_get(root, "gracePeriodSeconds");
    const struct jr_node *orphan = jr_get(root, "orphanDependents");

    if (!jr_unset(grace)) {
        d->grace_s.set = true;
        if (jr_node_i64(grace, &d->grace_s.v) != JR_OK)
            return jr_dev_refusef(op, 400, "BadRequest",
                                  "DeleteOptions in version \"v1\" cannot be handled as a "
                                  "DeleteOptions: gracePeriodSeconds is no int64");
    }
    if (!jr_unset(orphan))
        d->orphan = JR_BOOL(jr_node_kind(orphan) == JR_TRUE);
    for (const struct jr_node *n = jr_first(jr_get(root, "dryRun")); n != NULL; n = jr_next(n))
        op->dry_run = op->dry_run || jr_str_is(jr_node_str(n), "All");
    if (copy_text(op, jr_get_str(root, "propagationPolicy"), &d->policy) != JR_OK ||
        copy_text(op, jr_get_str(pre, "uid"), &d->uid) != JR_OK ||
        copy_text(op, jr_get_str(pre, "resourceVersion"), &d->resource_version) != JR_OK)
        return JR_NOMEM;
    return JR_OK;
}

static enum jr_status options_of_query(struct jr_dev_op *op)
{
    struct jr_str grace = jr_dev_param(op, "gracePeriodSeconds");
    struct jr_str orphan = jr_dev_param(op, "orphanDependents");

    op->del.policy = jr_dev_param(op, "propagationPolicy");
    if (orphan.n > 0)
        op->del.orphan = JR_BOOL(jr_dev_param_bool(op, "orphanDependents"));
    if (grace.n == 0)
        return JR_OK;
    op->del.grace_s.set = true;
    if (jr_parse_i64(grace, INT64_MIN, INT64_MAX, &op->del.grace_s.v) != JR_OK)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "strconv.ParseInt: parsing \"%.*s\": invalid syntax", JR_P(grace));
    return JR_OK;
}

static enum jr_status check_options(struct jr_dev_op *op)
{
    const struct jr_str policy = op->del.policy;
    const char *text;

    if (policy.n == 0)
        return JR_OK;
    if (op->del.orphan.set) {
        text = jr_arena_printf(&op->arena,
                               "Invalid value: \"%.*s\": orphanDependents and "
                               "deletionPropagation cannot be both set",
                               JR_P(policy));
        return text == NULL ? JR_NOMEM
                            : jr_dev_refuse_option(op, "DeleteOptions", "propagationPolicy",
                                                   "FieldValueInvalid", text);
    }
    if (jr_str_is(policy, "Orphan") || jr_str_is(policy, "Background") ||
        jr_str_is(policy, "Foreground"))
        return JR_OK;
    text = jr_arena_printf(&op->arena,
                           "Unsupported value: \"%.*s\": supported values: "
                           "\"Foreground\", \"Background\", \"Orphan\", \"nil\"",
                           JR_P(policy));
    return text == NULL ? JR_NOMEM
                        : jr_dev_refuse_option(op, "DeleteOptions", "propagationPolicy",
                                               "FieldValueNotSupported", text);
}

static enum jr_status parse_options(struct jr_dev_op *op, struct jr_str body)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st;

    if (jr_str_trim(body).n == 0) {
        st = options_of_query(op);
    } else {
        st = jr_dev_body_parse(op, body, &doc);
        if (st == JR_OK)
            st = options_of_body(op, jr_doc_root(doc));
    }
    if (st == JR_OK)
        st = check_options(op);
    if (st == JR_OK && op->res->orphans && op->del.policy.n == 0 && !op->del.orphan.set)
        st = jr_dev_warn(op, JR_S("child pods are preserved by default when jobs are deleted; set "
                                  "propagationPolicy=Background to remove them or set "
                                  "propagationPolicy=Orphan to suppress this warning"));
    return st;
}

/* ---- one object ---- */

static enum jr_status check_preconditions(struct jr_dev_op *op, const struct jr_dev_object *o)
{
    const struct jr_dev_delete_options *d = &op->del;
    struct jr_api_status s = {
        .code = 409,
        .status = JR_S("Failure"),
        .reason = JR_S("Conflict"),
        .details = { .name = op->name,
                     .group = jr_str(op->res->group),
                     .kind = jr_str(op->res->kind) },
    };
    const char *dot = op->res->group[0] == '\0' ? "" : ".";
    const char *text = NULL;

    if (d->uid.n > 0 && !jr_str_eq(d->uid, o->meta.uid))
        text = jr_arena_printf(&op->arena,
                               "Operation cannot be fulfilled on %s%s%s \"%.*s\": the UID in the "
                               "precondition (%.*s) does not match the UID in record (%.*s). The "
                               "object might have been deleted and then recreated",
                               op->res->kind, dot, op->res->group, JR_P(op->name), JR_P(d->uid),
                               JR_P(o->meta.uid));
    else if (d->resource_version.n > 0 && !jr_str_eq(d->resource_version, o->meta.resource_version))
        text = jr_arena_printf(&op->arena,
                               "Operation cannot be fulfilled on %s%s%s \"%.*s\": the "
                               "ResourceVersion in the precondition (%.*s) does not match the "
                               "ResourceVersion in record (%.*s). The object might have been "
                               "modified",
                               op->res->kind, dot, op->res->group, JR_P(op->name),
                               JR_P(d->resource_version), JR_P(o->meta.resource_version));
    else
        return JR_OK;
    s.message = jr_str(text);
    return text == NULL ? JR_NOMEM : jr_dev_refuse(op, &s);
}

static enum jr_status check_immortal(struct jr_dev_op *op)
{
    static const char *const immortal[] = { "default", "kube-system", "kube-public" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(immortal) && op->res->id == JR_DEV_NAMESPACES; i++) {
        if (jr_str_is(op->name, immortal[i]))
            return jr_dev_refuse_object(op, 403, "Forbidden", op->res, op->name,
                                        "namespaces \"%s\" is forbidden: this namespace may not "
                                        "be deleted",
                                        immortal[i]);
    }
    return JR_OK;
}

static enum jr_status start(struct jr_dev_op *op)
{
    struct jr_dev_object *o = jr_dev_find(op->store, op->res, op->namespace, op->name);
    enum jr_status st = check_immortal(op);

    if (st != JR_OK)
        return st;
    jr_dev_object_unref(op->old);
    op->old = jr_dev_object_ref(o);
    if (o == NULL)
        return jr_dev_refuse_not_found(op, op->res, op->name);
    return check_preconditions(op, o);
}

static enum jr_status prove(struct jr_dev_op *op)
{
    (void)op;
    return JR_OK;
}

static enum jr_status answer_success(struct jr_dev_op *op, const struct jr_dev_object *o)
{
    struct jr_api_status s = {
        .status = JR_S("Success"),
        .details = { .name = o->meta.name,
                     .group = jr_str(op->res->group),
                     .kind = jr_str(op->res->plural),
                     .uid = o->meta.uid },
    };

    jr_buf_reset(&op->answer.body);
    op->answer.status = 200;
    op->answer.content_type = "application/json";
    return jr_api_status_write(&s, &op->answer.body) == JR_OK ? JR_OK : JR_NOMEM;
}

static enum jr_status commit(struct jr_dev_op *op, bool *ret_again)
{
    JR_CLEANUP(jr_dev_deleted_done) struct jr_dev_deleted d = { .removed = false };
    struct jr_dev_object *o = jr_dev_find(op->store, op->res, op->namespace, op->name);
    enum jr_status st;

    *ret_again = o != op->old;
    if (*ret_again)
        return JR_OK;
    st = jr_dev_delete_object(op->store, o, &op->del, op->dry_run, op->now, &d);
    if (st != JR_OK)
        return st;
    op->wrote = d.wrote;
    if (d.removed && !op->res->returns_deleted)
        return answer_success(op, d.object);
    return jr_dev_answer_object(op, 200, d.object, d.revision);
}

static const struct jr_dev_write delete_write = {
    .operation = "DELETE",
    .start = start,
    .prove = prove,
    .commit = commit,
};

enum jr_status jr_dev_delete_begin(struct jr_dev_op *op, struct jr_str body)
{
    op->write = &delete_write;
    return parse_options(op, body);
}

/* ---- many ---- */

enum jr_status jr_dev_delete_collection(struct jr_dev_op *op, struct jr_str body)
{
    JR_CLEANUP(jr_dev_snapshot_done) struct jr_dev_snapshot snap = { NULL, 0 };
    struct jr_dev_selector sel;
    struct jr_dev_page page = { .answered = op->store->revision };
    enum jr_status st = parse_options(op, body);

    if (st == JR_OK)
        st = jr_dev_selector_parse(op, &sel);
    if (st == JR_OK)
        st = jr_dev_snapshot_take(op, &sel, 0, &snap);
    for (size_t i = 0; i < snap.n && st == JR_OK; i++) {
        JR_CLEANUP(jr_dev_deleted_done) struct jr_dev_deleted d = { .removed = false };

        st = jr_dev_delete_object(op->store, snap.v[i], &op->del, op->dry_run, op->now, &d);
        op->wrote = op->wrote || d.wrote;
    }
    return st == JR_OK ? jr_dev_list_answer(op, &page, snap.v, snap.n) : st;
}
