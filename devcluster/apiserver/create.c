#include <stdio.h>

#include "common/schema/decode_tree.h"
#include "devcluster/apiserver/prove.h"

#define NAME_TRIES 8
#define GENERATED_BASE_MAX 58

/* ---- shared ---- */

enum jr_status jr_dev_prove(struct jr_dev_op *op, enum jr_dev_change change)
{
    struct jr_errlist errs;
    const struct jr_node *root = jr_doc_root(op->doc);
    struct jr_meta meta = { .generation = 0 };
    struct jr_type_error wrong;
    enum jr_status st;

    jr_errlist_init(&errs, &op->arena);
    st = jr_schema_decode_tree(&jr_schema_object_meta, jr_get(root, "metadata"), 0, &op->arena,
                               &meta, &wrong);
    if (st != JR_OK)
        return JR_NOMEM;
    struct jr_dev_proof proof = {
        .change = change,
        .res = op->res,
        .profile = &op->store->profile,
        .root = root,
        .meta = &meta,
        .old = change == JR_DEV_CHANGE_CREATE ? NULL : op->old,
        .old_root = change == JR_DEV_CHANGE_CREATE ? NULL : jr_doc_root(op->old_doc),
        .errs = &errs,
    };
    st = jr_dev_strategy_validate(&proof);
    if (st != JR_OK)
        return JR_NOMEM;
    if (errs.n > 0)
        return jr_dev_refuse_invalid(op, &errs, op->res->group, op->res->kind, meta.name);
    for (size_t i = 0; i < proof.warnings.n && st == JR_OK; i++)
        st = jr_dev_warn(op, proof.warnings.v[i]);
    return st;
}

static enum jr_status refuse_terminating(struct jr_dev_op *op, struct jr_str name)
{
    struct jr_cause cause = { .reason = JR_S("NamespaceTerminating"),
                              .field = JR_S("metadata.namespace") };
    struct jr_api_status s = {
        .code = 403,
        .status = JR_S("Failure"),
        .reason = JR_S("Forbidden"),
        .details = { .name = name,
                     .group = jr_str(op->res->group),
                     .kind = jr_str(op->res->plural),
                     .causes = { .v = &cause, .n = 1 } },
    };
    const char *message =
        jr_arena_printf(&op->arena,
                        "%s%s%s \"%.*s\" is forbidden: unable to create new content in namespace "
                        "%.*s because it is being terminated",
                        JR_DEV_QUALIFIED(op->res), JR_P(name), JR_P(op->namespace));
    const char *why =
        jr_arena_printf(&op->arena, "namespace %.*s is being terminated", JR_P(op->namespace));

    s.message = jr_str(message);
    cause.message = jr_str(why);
    return message == NULL || why == NULL ? JR_NOMEM : jr_dev_refuse(op, &s);
}

enum jr_status jr_dev_check_namespace(struct jr_dev_op *op, struct jr_str name)
{
    const struct jr_dev_resource *namespaces = &jr_dev_resources[JR_DEV_NAMESPACES];
    const struct jr_dev_object *ns;

    if (!op->res->namespaced)
        return JR_OK;
    ns = jr_dev_find(op->store, namespaces, JR_S(""), op->namespace);
    if (ns == NULL)
        return jr_dev_refuse_not_found(op, namespaces, op->namespace);
    return jr_dev_object_dying(ns) ? refuse_terminating(op, name) : JR_OK;
}

/* ---- the steps of a create ---- */

/* The name, or what it will begin with. */
static struct jr_str name_or_base(struct jr_dev_op *op)
{
    struct jr_str name = jr_get_str(jr_dev_meta(op), "name");

    return name.n > 0 ? name : jr_get_str(jr_dev_meta(op), "generateName");
}

static enum jr_status start(struct jr_dev_op *op)
{
    /* What a client can't decide; webhooks don't see it. */
    static const char *const wiped[] = { "uid", "creationTimestamp", "deletionTimestamp",
                                         "deletionGracePeriodSeconds", "generation" };
    struct jr_node *meta = jr_dev_meta(op);

    for (size_t i = 0; i < JR_ARRAY_SIZE(wiped); i++)
        jr_remove(meta, jr_str(wiped[i]), NULL);
    return jr_dev_check_namespace(op, name_or_base(op));
}

static enum jr_status patched(struct jr_dev_op *op)
{
    enum jr_status st = jr_dev_decoded(op, op->doc);

    op->shares_labels = false; /* decoded anew, they are two maps */

    if (st == JR_OK && op->res->namespaced)
        st = jr_set_str(jr_dev_meta(op), "namespace", op->namespace);
    return st;
}

static enum jr_status generate_name(struct jr_dev_op *op)
{
    static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
    struct jr_node *meta = jr_dev_meta(op);
    struct jr_str base = jr_get_str(meta, "generateName");
    char name[GENERATED_BASE_MAX + 6];
    int n = 0;

    if (jr_get_str(meta, "name").n > 0 || base.n == 0)
        return JR_OK;
    base = jr_str_head(base, GENERATED_BASE_MAX);
    for (int i = 0; i < NAME_TRIES; i++) {
        char suffix[6] = "";

        for (size_t k = 0; k < 5; k++)
            suffix[k] = alphabet[jr_rand_below(&op->store->rand, sizeof(alphabet) - 1)];
        n = snprintf(name, sizeof(name), "%.*s%s", JR_P(base), suffix);
        if (jr_dev_find(op->store, op->res, op->namespace, jr_str(name)) == NULL)
            break;
    }
    return jr_set_str(meta, "name", (struct jr_str){ name, (size_t)n });
}

static enum jr_status prove(struct jr_dev_op *op)
{
    char uid[JR_DEV_UID_MAX], when[JR_TIME_MAX];
    struct jr_node *meta = jr_dev_meta(op);
    enum jr_status st;

    jr_dev_uid(op->store, uid);
    st = jr_set_str(meta, "uid", jr_str(uid));
    if (st == JR_OK)
        st = jr_set_str(meta, "creationTimestamp", jr_str(jr_time_format(op->now, when)));
    if (st == JR_OK)
        st = generate_name(op);
    if (st == JR_OK)
        st = jr_dev_strategy_create(op->res, jr_doc_root(op->doc), &op->store->profile);
    if (st == JR_OK && op->shares_labels)
        st = jr_dev_take_over(meta, jr_path(jr_doc_root(op->doc), "spec.template.metadata"),
                              "labels");
    if (st != JR_OK)
        return jr_dev_only_memory(st);
    return jr_dev_prove(op, JR_DEV_CHANGE_CREATE);
}

static enum jr_status commit(struct jr_dev_op *op, bool *ret_again)
{
    struct jr_node *meta = jr_dev_meta(op);
    struct jr_str name = jr_get_str(meta, "name");
    struct jr_dev_object *o;
    enum jr_status st = jr_dev_check_namespace(op, name);

    *ret_again = false;
    if (st != JR_OK)
        return st;
    if (jr_get_str(meta, "resourceVersion").n > 0)
        return jr_dev_refusef(op, 500, NULL,
                              "resourceVersion should not be set on objects to be created");
    if (jr_dev_find(op->store, op->res, op->namespace, name) != NULL)
        return jr_dev_refuse_object(op, 409, "AlreadyExists", op->res, name,
                                    "%s%s%s \"%.*s\" already exists", JR_DEV_QUALIFIED(op->res),
                                    JR_P(name));
    /* The API server defaults again what it reads from its storage. */
    st = jr_dev_strategy_defaults(op->res, jr_doc_root(op->doc), &op->store->profile);
    if (st != JR_OK)
        return jr_dev_only_memory(st);
    if (op->dry_run)
        return jr_dev_answer_tree(op, 201, jr_doc_root(op->doc));
    st = jr_dev_insert(op->store, op->res, jr_doc_root(op->doc), op->now, &o, NULL);
    if (st != JR_OK)
        return JR_NOMEM;
    op->wrote = true;
    return jr_dev_answer_object(op, 201, o, 0);
}

const struct jr_dev_write jr_dev_create_write = {
    .operation = "CREATE",
    .start = start,
    .patched = patched,
    .prove = prove,
    .commit = commit,
};

enum jr_status jr_dev_create_begin(struct jr_dev_op *op, struct jr_str body)
{
    op->write = &jr_dev_create_write;
    return jr_dev_body_object(op, body, &op->doc);
}
