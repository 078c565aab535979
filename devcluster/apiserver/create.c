/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, and what they share with updates. */
#include <stdio.h>

#include "common/schema/decode_tree.h"
#include "devcluster/apiserver/write_parts.h"

#define NAME_TRIES 8
#define GENERATED_BASE_MAX 58

/* ---- shared ---- */

bool jr_dev_validate(struct jr_dev_op *op, enum jr_admission_operation operation)
{
    const bool create = operation == JR_ADMISSION_CREATE;
    struct jr_meta meta = { .generation = 0 };
    struct jr_admission_request r = {
        .operation = operation,
        .profile = &op->store->profile,
        .object = jr_doc_root(op->doc),
        .old = create ? NULL : jr_doc_root(op->old_doc),
    };
    struct jr_admission_result result;
    struct jr_type_error wrong;

    jr_admission_result_init(&result, &op->arena);
    jr_must(jr_schema_decode_tree(&jr_schema_object_meta, jr_get(r.object, "metadata"), 0,
                                  &op->arena, &meta, &wrong));
    jr_dev_strategy_validate(op->res, &r, &meta, create ? NULL : &op->old->meta, &result);
    if (result.errs.n > 0)
        return jr_dev_refuse_invalid(op, &result.errs, op->res->group, op->res->kind, meta.name);
    if (create && op->res->id == JR_DEV_CRONJOBS)
        jr_dev_warn(op, JR_S("the devcluster has no CronJob controller: it makes no Jobs of this"));
    if (create && op->res->id == JR_DEV_QUOTAS)
        jr_dev_warn(op, JR_S("the devcluster has no quotas: this is stored, and not enforced"));
    for (size_t i = 0; i < result.warnings.list.n; i++)
        jr_dev_warn(op, result.warnings.list.v[i]);
    return true;
}

static bool refuse_terminating(struct jr_dev_op *op, struct jr_str name)
{
    struct jr_cause cause = {
        .reason = JR_S("NamespaceTerminating"),
        .message =
            jr_str(jr_dev_printf(op, "namespace %.*s is being terminated", JR_P(op->namespace))),
        .field = JR_S("metadata.namespace"),
    };
    const struct jr_api_status s = {
        .code = 403,
        .reason = JR_S("Forbidden"),
        .details = { .name = name,
                     .group = jr_str(op->res->group),
                     .kind = jr_str(op->res->plural),
                     .causes = { .v = &cause, .n = 1 } },
    };

    return jr_dev_refuse(op, s,
                         "%s%s%s \"%.*s\" is forbidden: unable to create new content in namespace "
                         "%.*s because it is being terminated",
                         JR_DEV_QUALIFIED(op->res), JR_P(name), JR_P(op->namespace));
}

/** 404 or 403 where nothing can be created in the namespace. */
static bool check_namespace(struct jr_dev_op *op, struct jr_str name)
{
    const struct jr_dev_resource *namespaces = &jr_dev_resources[JR_DEV_NAMESPACES];
    const struct jr_dev_object *ns;

    if (!op->res->namespaced)
        return true;
    ns = jr_dev_find(op->store, namespaces, JR_S(""), op->namespace);
    if (ns == NULL)
        return jr_dev_refuse_not_found(op, namespaces, op->namespace);
    return !jr_dev_object_dying(ns) || refuse_terminating(op, name);
}

/* ---- the steps of a create ---- */

/* The name, or what it will begin with. */
static struct jr_str name_or_base(struct jr_dev_op *op)
{
    struct jr_str name = jr_get_str(jr_dev_meta(op), "name");

    return name.n > 0 ? name : jr_get_str(jr_dev_meta(op), "generateName");
}

static bool start_create(struct jr_dev_op *op)
{
    /* What a client can't decide; webhooks don't see it. */
    static const char *const wiped[] = { "uid", "creationTimestamp", "deletionTimestamp",
                                         "deletionGracePeriodSeconds", "generation" };
    struct jr_node *meta = jr_dev_meta(op);

    for (size_t i = 0; i < JR_ARRAY_SIZE(wiped); i++)
        jr_remove(meta, jr_str(wiped[i]), NULL);
    return check_namespace(op, name_or_base(op));
}

static void generate_name(struct jr_dev_op *op)
{
    static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
    struct jr_node *meta = jr_dev_meta(op);
    struct jr_str base = jr_get_str(meta, "generateName");
    char name[GENERATED_BASE_MAX + 6];

    if (jr_get_str(meta, "name").n > 0 || base.n == 0)
        return;
    base = jr_str_head(base, GENERATED_BASE_MAX);
    for (int i = 0; i < NAME_TRIES; i++) {
        char suffix[6] = "";

        for (size_t k = 0; k < 5; k++)
            suffix[k] = alphabet[jr_rand_below(&op->store->rand, sizeof(alphabet) - 1)];
        (void)snprintf(name, sizeof(name), "%.*s%s", JR_P(base), suffix);
        if (jr_dev_find(op->store, op->res, op->namespace, jr_str(name)) == NULL)
            break;
    }
    jr_must(jr_set_str(meta, "name", jr_str(name)));
}

static void assign_identity(struct jr_dev_op *op)
{
    char uid[JR_DEV_UID_MAX], when[JR_TIME_MAX];
    struct jr_node *meta = jr_dev_meta(op);

    jr_dev_uid(op->store, uid);
    jr_must(jr_set_str(meta, "uid", jr_str(uid)));
    jr_must(jr_set_str(meta, "creationTimestamp", jr_str(jr_time_format(op->now, when))));
    generate_name(op);
}

static bool identify_and_validate(struct jr_dev_op *op)
{
    assign_identity(op);
    jr_dev_strategy_create(op->res, jr_doc_root(op->doc), &op->store->profile);
    if (op->shares_labels)
        jr_must(jr_admission_share_labels(jr_doc_root(op->doc)));
    return jr_dev_validate(op, JR_ADMISSION_CREATE);
}

static bool commit(struct jr_dev_op *op)
{
    struct jr_node *root = jr_doc_root(op->doc);
    struct jr_str name = jr_get_str(jr_dev_meta(op), "name");

    if (!check_namespace(op, name))
        return false;
    if (jr_get_str(jr_dev_meta(op), "resourceVersion").n > 0)
        return jr_dev_refusef(op, 500, NULL,
                              "resourceVersion should not be set on objects to be created");
    if (jr_dev_find(op->store, op->res, op->namespace, name) != NULL)
        return jr_dev_refuse_object(op, 409, "AlreadyExists", op->res, name,
                                    jr_dev_printf(op, "%s%s%s \"%.*s\" already exists",
                                                  JR_DEV_QUALIFIED(op->res), JR_P(name)));
    /* The API server defaults again what it reads from its storage. */
    jr_dev_strategy_defaults(op->res, root, &op->store->profile);
    if (op->dry_run) {
        jr_dev_answer_tree(op, 201, root);
        return true;
    }
    jr_dev_answer_object(op, 201, jr_dev_insert(op->store, op->res, root, op->now), 0);
    op->wrote = true;
    return true;
}

const struct jr_dev_write jr_dev_create_write = {
    .operation = "CREATE",
    .start = start_create,
    .patched = jr_dev_patched,
    .validate = identify_and_validate,
    .commit = commit,
};

bool jr_dev_create_begin(struct jr_dev_op *op, struct jr_str body)
{
    op->write = &jr_dev_create_write;
    return jr_dev_body_object(op, body, &op->doc);
}
