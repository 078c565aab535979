/* SPDX-License-Identifier: Apache-2.0 */
/* DELETE and deletecollection. */
#include "common/schema/decode_tree.h"
#include "common/schema/macros.h"
#include "devcluster/apiserver/delete.h"
#include "devcluster/apiserver/page.h"
#include "devcluster/apiserver/snapshot.h"

/* ---- DeleteOptions ---- */

/* clang-format off */
TYPE_WITH(preconditions, "Preconditions", DECODED(struct jr_dev_delete_options),
    STRING_PTR_OF("uid", "types.UID", AT(struct jr_dev_delete_options, uid), NO(1)),
    STRING_PTR("resourceVersion", AT(struct jr_dev_delete_options, resource_version), NO(2)));
TYPE_WITH(delete_options, "DeleteOptions", DECODED(struct jr_dev_delete_options),
    STRING("kind", AT(struct jr_dev_delete_options, kind)),
    STRING("apiVersion"),
    INT64_PTR("gracePeriodSeconds", AT(struct jr_dev_delete_options, grace_s), NO(1)),
    STRUCT_PTR("preconditions", preconditions, FLAT, NO(2)),
    BOOL_PTR("orphanDependents", AT(struct jr_dev_delete_options, orphan), NO(3)),
    STRING_PTR_OF("propagationPolicy", "v1.DeletionPropagation",
                  AT(struct jr_dev_delete_options, policy), NO(4)),
    STRINGS("dryRun", AT(struct jr_dev_delete_options, dry_run), NO(5)));
/* clang-format on */

static bool options_of_body(struct jr_dev_op *op, struct jr_str body)
{
    struct jr_type_error wrong = { .why = NULL };

    if (!jr_dev_body_parse(op, body, &delete_options, &op->input))
        return false;
    jr_must(jr_schema_decode_tree(&delete_options, jr_doc_root(op->input),
                                  op->store->profile.version.minor, &op->arena, &op->del, &wrong));
    if (wrong.why != NULL)
        return jr_dev_refusef(op, 400, "BadRequest", "%s", wrong.why);
    if (op->del.kind.n > 0 && !jr_str_is(op->del.kind, "DeleteOptions"))
        return jr_dev_refusef(op, 400, "BadRequest", "no kind \"%.*s\" is registered",
                              JR_P(op->del.kind));
    for (size_t i = 0; i < op->del.dry_run.n; i++) {
        if (!jr_dev_dry_run(op, op->del.dry_run.v[i]))
            return false;
    }
    return true;
}

static bool options_of_query(struct jr_dev_op *op)
{
    op->del.policy = jr_dev_param(op, "propagationPolicy");
    if (jr_dev_param(op, "orphanDependents").p != NULL)
        op->del.orphan = JR_BOOL(jr_dev_param_bool(op, "orphanDependents"));
    op->del.grace_s.set = jr_dev_param(op, "gracePeriodSeconds").p != NULL;
    return jr_dev_param_i64(op, "gracePeriodSeconds", INT64_MIN, INT64_MAX, &op->del.grace_s.v);
}

static bool check_options(struct jr_dev_op *op)
{
    const struct jr_str policy = op->del.policy;

    if (policy.p == NULL)
        return true;
    if (op->del.orphan.set)
        return jr_dev_refuse_option(op, "DeleteOptions", "propagationPolicy", "FieldValueInvalid",
                                    "Invalid value: \"%.*s\": orphanDependents and "
                                    "deletionPropagation cannot be both set",
                                    JR_P(policy));
    if (jr_str_is(policy, "Orphan") || jr_str_is(policy, "Background") ||
        jr_str_is(policy, "Foreground"))
        return true;
    return jr_dev_refuse_option(op, "DeleteOptions", "propagationPolicy", "FieldValueNotSupported",
                                "Unsupported value: \"%.*s\": supported values: "
                                "\"Foreground\", \"Background\", \"Orphan\", \"nil\"",
                                JR_P(policy));
}

static bool parse_options(struct jr_dev_op *op, struct jr_str body)
{
    if (!(jr_str_trim(body).n == 0 ? options_of_query(op) : options_of_body(op, body)) ||
        !check_options(op))
        return false;
    if (op->res->orphans && op->del.policy.p == NULL && !op->del.orphan.set)
        jr_dev_warn(op, JR_S("child pods are preserved by default when jobs are deleted; set "
                             "propagationPolicy=Background to remove them or set "
                             "propagationPolicy=Orphan to suppress this warning"));
    return true;
}

/* ---- one object ---- */

static bool check_preconditions(struct jr_dev_op *op, const struct jr_dev_object *o)
{
    const struct jr_dev_delete_options *d = &op->del;
    const struct jr_api_status s = {
        .code = 409,
        .reason = JR_S("Conflict"),
        .details = { .name = op->name,
                     .group = jr_str(op->res->group),
                     .kind = jr_str(op->res->kind) },
    };
    const char *dot = op->res->group[0] == '\0' ? "" : ".";

    if (d->uid.p != NULL && !jr_str_eq(d->uid, o->meta.uid))
        return jr_dev_refuse(op, s,
                             "Operation cannot be fulfilled on %s%s%s \"%.*s\": the UID in the "
                             "precondition (%.*s) does not match the UID in record (%.*s). The "
                             "object might have been deleted and then recreated",
                             op->res->kind, dot, op->res->group, JR_P(op->name), JR_P(d->uid),
                             JR_P(o->meta.uid));
    if (d->resource_version.p != NULL && !jr_str_eq(d->resource_version, o->meta.resource_version))
        return jr_dev_refuse(op, s,
                             "Operation cannot be fulfilled on %s%s%s \"%.*s\": the "
                             "ResourceVersion in the precondition (%.*s) does not match the "
                             "ResourceVersion in record (%.*s). The object might have been "
                             "modified",
                             op->res->kind, dot, op->res->group, JR_P(op->name),
                             JR_P(d->resource_version), JR_P(o->meta.resource_version));
    return true;
}

static bool check_immortal(struct jr_dev_op *op)
{
    static const char *const immortal[] = { "default", "kube-system", "kube-public" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(immortal) && op->res->id == JR_DEV_NAMESPACES; i++) {
        if (jr_str_is(op->name, immortal[i]))
            return jr_dev_refuse_object(
                op, 403, "Forbidden", op->res, op->name,
                jr_dev_printf(op,
                              "namespaces \"%s\" is forbidden: this namespace may not "
                              "be deleted",
                              immortal[i]));
    }
    return true;
}

static bool start_delete(struct jr_dev_op *op)
{
    struct jr_dev_object *o = jr_dev_find(op->store, op->res, op->namespace, op->name);

    if (!check_immortal(op))
        return false;
    jr_dev_object_unref(op->old);
    op->old = jr_dev_object_ref(o);
    if (o == NULL)
        return jr_dev_refuse_not_found(op, op->res, op->name);
    return check_preconditions(op, o);
}

static bool commit(struct jr_dev_op *op)
{
    JR_CLEANUP(jr_dev_deleted_done) struct jr_dev_deleted d = { .removed = false };
    struct jr_dev_object *o = jr_dev_find(op->store, op->res, op->namespace, op->name);

    op->stale = o != op->old;
    if (op->stale)
        return true;
    d = jr_dev_delete_object(op->store, o, &op->del, op->dry_run, op->now);
    op->wrote = d.wrote;
    if (d.removed && !op->res->returns_deleted) {
        const struct jr_api_status success = {
            .status = JR_S("Success"),
            .details = { .name = d.object->meta.name,
                         .group = jr_str(op->res->group),
                         .kind = jr_str(op->res->plural),
                         .uid = d.object->meta.uid },
        };
        jr_dev_answer_status(op, 200, &success);
    } else {
        jr_dev_answer_object(op, 200, d.object, d.revision);
    }
    return true;
}

static const struct jr_dev_write delete_write = {
    .operation = "DELETE",
    .start = start_delete,
    .commit = commit,
};

bool jr_dev_delete_begin(struct jr_dev_op *op, struct jr_str body)
{
    op->write = &delete_write;
    return parse_options(op, body);
}

/* ---- many ---- */

bool jr_dev_delete_collection(struct jr_dev_op *op, struct jr_str body)
{
    JR_CLEANUP(jr_dev_objects_done) struct jr_dev_objects snap = { .n = 0 };
    struct jr_dev_selector sel;
    struct jr_dev_page page = { .answered = op->store->revision };

    if (!parse_options(op, body) || !jr_dev_selector_parse(op, &sel))
        return false;
    (void)jr_dev_snapshot_take(op, &sel, 0, &snap);
    for (size_t i = 0; i < snap.n; i++) {
        JR_CLEANUP(jr_dev_deleted_done)
        struct jr_dev_deleted d =
            jr_dev_delete_object(op->store, snap.v[i], &op->del, op->dry_run, op->now);

        op->wrote = op->wrote || d.wrote;
    }
    jr_dev_list_answer(op, &page, snap.v, snap.n);
    return true;
}
