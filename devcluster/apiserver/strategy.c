/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds have in common, and what is particular to the small ones. */
#include "devcluster/apiserver/strategy.h"

#include "common/base/memory.h"
#include "common/rules/default_table.h"
#include "common/rules/meta.h"
#include "common/schema/equal.h"

/* ---- what all kinds have in common ---- */

void jr_dev_take_over(struct jr_node *root, const struct jr_node *old, const char *key)
{
    const struct jr_node *from = jr_get(old, key);

    if (from != NULL)
        jr_must(jr_set_copy(root, jr_str(key), from, NULL));
    else
        jr_remove(root, jr_str(key), NULL);
}

/** Sets members that Go can't leave out to null, where they are absent; names with commas between.
 */
static void set_nulls(struct jr_node *object, const char *names)
{
    struct jr_str rest = jr_str(names), name;

    while (jr_node_kind(object) == JR_OBJECT && jr_str_cut(&rest, ',', &name)) {
        if (jr_getn(object, name) == NULL)
            jr_must(jr_set_copy(object, name, NULL, NULL));
    }
}

void jr_dev_null_times(struct jr_node *root, const char *names)
{
    for (struct jr_node *c = jr_first(jr_path(root, "status.conditions")); c != NULL;
         c = jr_next(c))
        set_nulls(c, names);
}

static void set_generation(const struct jr_dev_resource *res, struct jr_node *root,
                           int64_t generation)
{
    if (res->generation)
        jr_must(jr_set_i64(jr_get(root, "metadata"), "generation", generation));
}

void jr_dev_strategy_defaults(const struct jr_dev_resource *res, struct jr_node *root,
                              const struct jr_profile *profile)
{
    if (res->strategy->table != NULL)
        jr_must(jr_defaults_apply(res->strategy->table, root, profile, NULL, NULL));
    if (res->strategy->defaults != NULL)
        res->strategy->defaults(root, profile);
}

void jr_dev_strategy_create(const struct jr_dev_resource *res, struct jr_node *root,
                            const struct jr_profile *profile)
{
    set_generation(res, root, 1);
    if (res->custom)
        jr_remove(root, JR_S("status"), NULL);
    if (res->strategy->kind != NULL)
        jr_must(res->strategy->kind->prepare_create(root, profile));
    else if (res->strategy->prepare_create != NULL)
        res->strategy->prepare_create(root);
}

/* The members by which generation counts. An API server has no Go types of custom resources: there
 * what is another JSON value is another spec, such as 1000m in the place of 1. */
static bool same_spec(const struct jr_dev_resource *res, const struct jr_node *a,
                      const struct jr_node *b)
{
    static const char *const members[] = { "spec", "webhooks" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(members); i++) {
        const struct jr_node *m = jr_get(a, members[i]), *n = jr_get(b, members[i]);

        if (res->custom ? !jr_node_equal(m, n) : !jr_schema_equal(res->schema, members[i], m, n))
            return false;
    }
    return true;
}

static int64_t generation_of(const struct jr_node *root)
{
    return jr_node_i64_or(jr_path(root, "metadata.generation"), 0);
}

void jr_dev_strategy_update(const struct jr_dev_resource *res, struct jr_node *root,
                            const struct jr_node *old, const struct jr_profile *profile)
{
    if (res->strategy->kind != NULL) {
        jr_must(res->strategy->kind->prepare_update(root, old, profile));
    } else if (res->strategy->prepare_update != NULL) {
        res->strategy->prepare_update(root, old);
    } else {
        if (res->status)
            jr_dev_take_over(root, old, "status");
        set_generation(res, root,
                       generation_of(old) + (res->generation && !same_spec(res, root, old)));
    }
}

void jr_dev_strategy_status(const struct jr_dev_resource *res, struct jr_node *root,
                            const struct jr_node *old)
{
    if (res->strategy->kind != NULL) {
        jr_must(res->strategy->kind->prepare_status(root, old));
    } else if (res->strategy->prepare_status != NULL) {
        res->strategy->prepare_status(root, old);
    } else {
        /* Writes to the status of other kinds may change labels. */
        if (res->custom)
            jr_dev_take_over(root, old, "metadata");
        jr_dev_take_over(root, old, "spec");
        set_generation(res, root, generation_of(old));
    }
}

/* common/job checks metadata as of an object in a namespace. */
static struct jr_meta as_namespaced(const struct jr_dev_resource *res, const struct jr_meta *meta)
{
    struct jr_meta m = *meta;

    if (!res->namespaced)
        m.namespace = JR_S("default");
    return m;
}

static void validate_meta(const struct jr_dev_resource *res, const struct jr_meta *meta,
                          const struct jr_meta *old, struct jr_errlist *errs)
{
    struct jr_meta now = as_namespaced(res, meta);

    if (old == NULL) {
        jr_validate_meta(&now, errs);
    } else {
        struct jr_meta was = as_namespaced(res, old);
        jr_validate_meta_update(&now, &was, errs);
    }
}

void jr_dev_strategy_validate(const struct jr_dev_resource *res, struct jr_admission_request *r,
                              const struct jr_meta *meta, const struct jr_meta *old,
                              struct jr_admission_result *ret)
{
    const struct jr_dev_strategy *s = res->strategy;
    const bool all = s->validates_update && r->operation == JR_ADMISSION_UPDATE;

    /* Of an update the API server checks metadata twice: for every kind, and for this one. */
    if (old != NULL && !all)
        validate_meta(res, meta, old, &ret->errs);
    r->kind = s->kind;
    if (s->kind != NULL) { /* types were checked at decode; of too many errors the first are told */
        (void)jr_need(jr_admission_validate(r, ret, NULL));
        return;
    }
    validate_meta(res, meta, old, &ret->errs);
    if (s->validate != NULL)
        s->validate(r, &ret->errs);
}

const struct jr_dev_strategy jr_dev_plain_strategy = { .table = NULL };

/* ---- secrets, events, nodes ---- */

static const struct jr_default_row secret[] = {
    { "type", JR_DEFAULT_TEXT, .text = "Opaque" },
    JR_DEFAULT_END,
};
const struct jr_dev_strategy jr_dev_secret_strategy = { .table = secret };

static const struct jr_default_row event[] = {
    { "source", .how = JR_DEFAULT_OBJECT },
    { "reportingComponent", JR_DEFAULT_TEXT_UNSET, .text = "" },
    { "reportingInstance", JR_DEFAULT_TEXT_UNSET, .text = "" },
    JR_DEFAULT_END,
};

static void event_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    (void)profile;
    set_nulls(root, "firstTimestamp,lastTimestamp,eventTime");
}

const struct jr_dev_strategy jr_dev_event_strategy = { .table = event, .defaults = event_defaults };

static const struct jr_default_row with_spec[] = {
    { "spec", .how = JR_DEFAULT_OBJECT },
    JR_DEFAULT_END,
};

static void node_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    (void)profile;
    jr_dev_null_times(root, "lastHeartbeatTime,lastTransitionTime");
}

const struct jr_dev_strategy jr_dev_node_strategy = { .table = with_spec,
                                                      .defaults = node_defaults };

/* ---- namespaces ---- */

static void namespace_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    struct jr_node *meta = jr_get(root, "metadata"), *labels;

    (void)profile;
    if (jr_get_str(meta, "name").n == 0)
        return;
    jr_must(jr_ensure_object(meta, "labels", &labels));
    jr_must(jr_set_str(labels, "kubernetes.io/metadata.name", jr_get_str(meta, "name")));
}

static void namespace_create(struct jr_node *root)
{
    struct jr_node *finalizers, *status;
    const struct jr_node *f;

    jr_must(jr_ensure_array(jr_get(root, "spec"), "finalizers", &finalizers));
    for (f = jr_first(finalizers); f != NULL && !jr_str_is(jr_node_str(f), "kubernetes");)
        f = jr_next(f);
    if (f == NULL)
        jr_must(jr_push_str(finalizers, JR_S("kubernetes")));
    jr_must(jr_set_object(root, "status", &status));
    jr_must(jr_set_str(status, "phase", JR_S("Active")));
}

/* The finalizers of the spec are changed by the subresource finalize only. */
static void namespace_update(struct jr_node *root, const struct jr_node *old)
{
    jr_dev_take_over(root, old, "status");
    jr_dev_take_over(root, old, "spec");
}

const struct jr_dev_strategy jr_dev_namespace_strategy = {
    .table = with_spec,
    .defaults = namespace_defaults,
    .prepare_create = namespace_create,
    .prepare_update = namespace_update,
};

/* ---- webhook configurations ---- */

static const struct jr_default_row webhook_rule[] = {
    { "scope", JR_DEFAULT_TEXT, .text = "*" },
    JR_DEFAULT_END,
};
static const struct jr_default_row webhook_service[] = {
    { "port", JR_DEFAULT_INT_UNSET, .number = 443 },
    JR_DEFAULT_END,
};
static const struct jr_default_row webhook_client[] = {
    { "service", JR_DEFAULT_IN, .table = webhook_service },
    JR_DEFAULT_END,
};
static const struct jr_default_row webhook[] = {
    { "failurePolicy", JR_DEFAULT_TEXT, .text = "Fail" },
    { "matchPolicy", JR_DEFAULT_TEXT, .text = "Equivalent" },
    { "namespaceSelector", .how = JR_DEFAULT_OBJECT },
    { "objectSelector", .how = JR_DEFAULT_OBJECT },
    { "timeoutSeconds", JR_DEFAULT_INT_UNSET, .number = 10 },
    { "rules", JR_DEFAULT_EACH, .table = webhook_rule },
    { "clientConfig", JR_DEFAULT_IN, .table = webhook_client },
    JR_DEFAULT_END,
};
static const struct jr_default_row webhook_config[] = {
    { "webhooks", JR_DEFAULT_EACH, .table = webhook },
    JR_DEFAULT_END,
};

static void require(struct jr_errlist *errs, const struct jr_node *n, const char *name,
                    const struct jr_field_path *path, const char *detail)
{
    if (jr_unset(n))
        jr_errlist_add(errs, JR_FE_REQUIRED, &JR_FIELD(path, name), (struct jr_str){ NULL, 0 },
                       "%s", detail);
}

static void webhook_validate(const struct jr_admission_request *r, struct jr_errlist *errs)
{
    const struct jr_field_path hooks = JR_FIELD(NULL, "webhooks");
    size_t i = 0;

    for (const struct jr_node *h = jr_first(jr_get(r->object, "webhooks")); h != NULL;
         h = jr_next(h), i++) {
        const struct jr_field_path at = JR_FIELD_AT(&hooks, i);
        const struct jr_node *client = jr_get(h, "clientConfig");

        require(errs, jr_get(h, "name"), "name", &at, "");
        require(errs, jr_get(h, "admissionReviewVersions"), "admissionReviewVersions", &at,
                "must specify one of v1, v1beta1");
        require(errs, jr_get(h, "sideEffects"), "sideEffects", &at,
                "must specify one of None, NoneOnDryRun");
        if (jr_unset(jr_get(client, "url")) == jr_unset(jr_get(client, "service")))
            jr_errlist_add(errs, JR_FE_REQUIRED, &JR_FIELD(&at, "clientConfig"),
                           (struct jr_str){ NULL, 0 }, "exactly one of url or service is required");
    }
}

const struct jr_dev_strategy jr_dev_webhook_strategy = {
    .table = webhook_config,
    .validate = webhook_validate,
};
