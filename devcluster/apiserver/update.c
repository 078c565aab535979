/* SPDX-License-Identifier: Apache-2.0 */
/* PUT, and the steps of any update. */
#include "devcluster/apiserver/write_parts.h"

/* ---- shared by PUT and PATCH ---- */

bool jr_dev_update_open_old(struct jr_dev_op *op)
{
    struct jr_dev_object *old = jr_dev_find(op->store, op->res, op->namespace, op->name);

    jr_dev_object_unref(op->old);
    op->old = jr_dev_object_ref(old);
    jr_doc_free(op->old_doc);
    op->old_doc = NULL;
    jr_doc_free(op->doc);
    op->doc = NULL;
    if (old == NULL)
        return jr_dev_refuse_not_found(op, op->res, op->name);
    op->old_doc = jr_dev_object_open(old);
    return true;
}

static const struct jr_node *old_root(const struct jr_dev_op *op)
{
    return jr_doc_root_const(op->old_doc);
}

bool jr_dev_patched(struct jr_dev_op *op)
{
    op->shares_labels = false; /* decoded anew, they are two maps */
    if (!jr_dev_decoded(op, op->doc))
        return false;
    if (op->res->namespaced)
        jr_must(jr_set_str(jr_dev_meta(op), "namespace", op->namespace));
    if (op->old != NULL)
        jr_must(jr_set_str(jr_dev_meta(op), "name", op->name));
    return true;
}

/* Optimistic concurrency: the version given must be the current one. */
static bool check_version(struct jr_dev_op *op)
{
    struct jr_str given = jr_get_str(jr_dev_meta(op), "resourceVersion");
    uint64_t version = 0;

    if (given.n > 0 && jr_parse_u64(given, &version) != JR_OK)
        return jr_dev_refusef(op, 500, NULL, "strconv.ParseUint: parsing \"%.*s\": invalid syntax",
                              JR_P(given));
    if (version == 0 && !op->res->unconditional) {
        struct jr_errlist errs;
        const struct jr_field_path meta = JR_FIELD(NULL, "metadata");

        jr_errlist_init(&errs, &op->arena);
        jr_errlist_add(&errs, JR_FE_INVALID, &JR_FIELD(&meta, "resourceVersion"), JR_S("0"),
                       "must be specified for an update");
        return jr_dev_refuse_invalid(op, &errs, op->res->group, op->res->plural, op->name);
    }
    if (version != 0 && version != op->old->revision)
        return jr_dev_refuse_modified(op, op->name);
    jr_must(jr_set_str(jr_dev_meta(op), "resourceVersion", op->old->meta.resource_version));
    return true;
}

/* What an update leaves out of metadata but can't take away. */
static void fill_metadata(struct jr_dev_op *op)
{
    static const char *const kept[] = { "uid", "creationTimestamp", "deletionTimestamp",
                                        "deletionGracePeriodSeconds" };
    struct jr_node *meta = jr_dev_meta(op);
    const struct jr_node *old = jr_get(old_root(op), "metadata");

    for (size_t i = 0; i < JR_ARRAY_SIZE(kept); i++) {
        if (jr_unset(jr_get(meta, kept[i])) && !jr_unset(jr_get(old, kept[i])))
            jr_dev_take_over(meta, old, kept[i]);
    }
    /* Generation is counted here and nowhere else. */
    jr_dev_take_over(meta, old, "generation");
}

bool jr_dev_update_validate(struct jr_dev_op *op)
{
    struct jr_node *root = jr_doc_root(op->doc);
    bool status = jr_str_is(op->sub, "status");

    if (!check_version(op))
        return false;
    fill_metadata(op);
    if (jr_str_is(op->sub, "finalize"))
        jr_dev_take_over(root, old_root(op), "status");
    else if (status)
        jr_dev_strategy_status(op->res, root, old_root(op));
    else
        jr_dev_strategy_update(op->res, root, old_root(op), &op->store->profile);
    return jr_dev_validate(op, status ? JR_ADMISSION_STATUS : JR_ADMISSION_UPDATE);
}

/* The last finalizer of an object that waited for nothing else has gone. */
static bool sets_free(const struct jr_dev_op *op)
{
    const struct jr_opt_i64 grace = op->old->meta.deletion_grace_period_s;
    const struct jr_node *root = jr_doc_root_const(op->doc);

    if (!jr_dev_object_dying(op->old) || jr_size(jr_path(root, "metadata.finalizers")) > 0)
        return false;
    if (op->res->id == JR_DEV_NAMESPACES)
        return jr_size(jr_path(root, "spec.finalizers")) == 0;
    return grace.set && grace.v == 0;
}

bool jr_dev_update_commit(struct jr_dev_op *op)
{
    struct jr_node *root = jr_doc_root(op->doc);
    struct jr_dev_object *current = jr_dev_find(op->store, op->res, op->namespace, op->name);
    bool freed = sets_free(op);

    op->stale = current != op->old;
    if (op->stale)
        return true;
    /* The API server defaults again what it reads from its storage. */
    jr_dev_strategy_defaults(op->res, root, &op->store->profile);
    if (!freed && jr_node_equal(root, old_root(op))) {
        jr_dev_answer_object(op, 200, current, 0);
        return true;
    }
    if (freed || op->dry_run)
        jr_dev_answer_tree(op, 200, root);
    if (op->dry_run)
        return true;
    op->wrote = true;
    if (freed)
        (void)jr_dev_erase(op->store, current);
    else
        jr_dev_answer_object(op, 200, jr_dev_replace(op->store, current, root, op->now), 0);
    return true;
}

/* ---- PUT ---- */

static bool check_put_uid(struct jr_dev_op *op)
{
    struct jr_str uid = jr_get_str(jr_dev_meta(op), "uid");

    if (uid.n == 0 || jr_str_eq(uid, op->old->meta.uid))
        return true;
    return jr_dev_refuse_conflict(
        op, op->name,
        jr_dev_printf(
            op,
            "StorageError: invalid object, Code: 4, Key: /registry/%s/%.*s, ResourceVersion: 0, "
            "AdditionalErrorMsg: Precondition failed: UID in precondition: %.*s, UID in object "
            "meta: "
            "%.*s",
            op->res->plural, JR_P(op->old->key), JR_P(uid), JR_P(op->old->meta.uid)));
}

static bool start_put(struct jr_dev_op *op)
{
    if (!jr_dev_update_open_old(op))
        return false;
    jr_must(jr_doc_of(jr_doc_root(op->input), &op->doc));
    return check_put_uid(op);
}

static const struct jr_dev_write put_write = {
    .operation = "UPDATE",
    .start = start_put,
    .patched = jr_dev_patched,
    .validate = jr_dev_update_validate,
    .commit = jr_dev_update_commit,
};

bool jr_dev_update_check_name(struct jr_dev_op *op, const struct jr_node *root)
{
    struct jr_str name = jr_get_str(jr_get(root, "metadata"), "name");

    if (name.n == 0)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "the name of the object (%.*s based on URL) was undeterminable: name "
                              "must be provided",
                              JR_P(op->name));
    if (!jr_str_eq(name, op->name))
        return jr_dev_refusef(op, 400, "BadRequest",
                              "the name of the object (%.*s) does not match the name on the URL "
                              "(%.*s)",
                              JR_P(name), JR_P(op->name));
    return true;
}

bool jr_dev_update_begin(struct jr_dev_op *op, struct jr_str body)
{
    if (!jr_dev_body_object(op, body, &op->input) ||
        !jr_dev_update_check_name(op, jr_doc_root(op->input)))
        return false;
    op->write = &put_write;
    if (op->res->create_on_update && op->sub.n == 0 &&
        jr_dev_find(op->store, op->res, op->namespace, op->name) == NULL) {
        op->write = &jr_dev_create_write;
        op->verb = JR_DEV_CREATE;
        op->doc = jr_steal(&op->input);
    }
    return true;
}
