#include "devcluster/apiserver/strategy.h"

#include "common/rules/dflt.h"
#include "common/rules/meta.h"
#include "common/schema/equal.h"

/* ---- what all kinds have in common ---- */

enum jr_status jr_dev_take_over(struct jr_node *root, const struct jr_node *old, const char *key)
{
    const struct jr_node *from = jr_get(old, key);

    if (from != NULL)
        return jr_set_copy(root, jr_str(key), from, NULL);
    jr_remove(root, jr_str(key), NULL);
    return JR_OK;
}

enum jr_status jr_dev_set_nulls(struct jr_node *object, const char *const *names, size_t n)
{
    enum jr_status st = JR_OK;

    for (size_t i = 0; i < n && st == JR_OK && jr_node_kind(object) == JR_OBJECT; i++) {
        if (jr_get(object, names[i]) == NULL)
            st = jr_set_null(object, names[i]);
    }
    return st;
}

enum jr_status jr_dev_null_times(struct jr_node *root, const char *const *names, size_t n)
{
    enum jr_status st = JR_OK;

    for (struct jr_node *c = jr_first(jr_path(root, "status.conditions")); c != NULL && st == JR_OK;
         c = jr_next(c))
        st = jr_dev_set_nulls(c, names, n);
    return st;
}

static enum jr_status set_generation(const struct jr_dev_resource *res, struct jr_node *root,
                                     int64_t generation)
{
    struct jr_node *meta;
    enum jr_status st;

    if (!res->generation)
        return JR_OK;
    st = jr_ensure_object(root, "metadata", &meta);
    return st == JR_OK ? jr_set_i64(meta, "generation", generation) : st;
}

enum jr_status jr_dev_strategy_defaults(const struct jr_dev_resource *res, struct jr_node *root,
                                        const struct jr_profile *profile)
{
    if (res->strategy->defaults == NULL)
        return JR_OK;
    return res->strategy->defaults(root, profile);
}

enum jr_status jr_dev_strategy_create(const struct jr_dev_resource *res, struct jr_node *root,
                                      const struct jr_profile *profile)
{
    const struct jr_admission_kind *kind = res->strategy->kind;
    enum jr_status st = set_generation(res, root, 1);

    if (st == JR_OK && kind != NULL)
        return kind->prepare_create(root, profile);
    if (st != JR_OK || res->strategy->prepare_create == NULL)
        return st;
    return res->strategy->prepare_create(root, profile);
}

/* The members by which generation counts. */
static bool same_spec(const struct jr_dev_resource *res, const struct jr_node *a,
                      const struct jr_node *b)
{
    static const char *const members[] = { "spec", "webhooks" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(members); i++) {
        if (!jr_schema_equal(res->schema, members[i], jr_get(a, members[i]), jr_get(b, members[i])))
            return false;
    }
    return true;
}

static int64_t generation_of(const struct jr_node *root)
{
    return jr_node_i64_or(jr_path(root, "metadata.generation"), 0);
}

enum jr_status jr_dev_strategy_update(const struct jr_dev_resource *res, struct jr_node *root,
                                      const struct jr_node *old, const struct jr_profile *profile)
{
    enum jr_status st = JR_OK;

    if (res->strategy->kind != NULL)
        return res->strategy->kind->prepare_update(root, old, profile);
    if (res->strategy->prepare_update != NULL)
        return res->strategy->prepare_update(root, old, profile);
    if (res->status)
        st = jr_dev_take_over(root, old, "status");
    if (st != JR_OK)
        return st;
    return set_generation(res, root,
                          generation_of(old) + (res->generation && !same_spec(res, root, old)));
}

enum jr_status jr_dev_strategy_status(const struct jr_dev_resource *res, struct jr_node *root,
                                      const struct jr_node *old)
{
    enum jr_status st;

    if (res->strategy->kind != NULL)
        return res->strategy->kind->prepare_status(root, old);
    if (res->strategy->prepare_status != NULL)
        return res->strategy->prepare_status(root, old);
    st = jr_dev_take_over(root, old, "spec");
    return st == JR_OK ? set_generation(res, root, generation_of(old)) : st;
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

enum jr_status jr_dev_strategy_validate(const struct jr_dev_resource *res,
                                        struct jr_admission_request *r, const struct jr_meta *meta,
                                        const struct jr_meta *old, struct jr_admission_result *ret)
{
    const struct jr_dev_strategy *s = res->strategy;
    const bool all = s->validates_update && r->operation == JR_ADMISSION_UPDATE;

    /* Of an update the API server checks metadata twice: for every kind, and for this one. */
    if (old != NULL && !all)
        validate_meta(res, meta, old, &ret->errs);
    r->kind = s->kind;
    if (s->kind != NULL) /* types were checked at decode, so what fails here is memory */
        return jr_admission_validate(r, ret, NULL);
    validate_meta(res, meta, old, &ret->errs);
    return s->validate != NULL ? s->validate(r, ret) : JR_OK;
}

const struct jr_dev_strategy jr_dev_plain_strategy = { .defaults = NULL };

/* ---- secrets ---- */

static const struct jr_dflt secret[] = {
    { "type", JR_DFLT_TEXT, .text = "Opaque" },
    JR_DFLT_END,
};

static enum jr_status secret_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    (void)profile;
    return jr_dflt_apply(secret, root, NULL, NULL);
}

const struct jr_dev_strategy jr_dev_secret_strategy = { .defaults = secret_defaults };

/* ---- events ---- */

static const struct jr_dflt event[] = {
    { "source", .how = JR_DFLT_OBJECT },
    { "reportingComponent", JR_DFLT_TEXT_UNSET, .text = "" },
    { "reportingInstance", JR_DFLT_TEXT_UNSET, .text = "" },
    JR_DFLT_END,
};

static enum jr_status event_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    static const char *const times[] = { "firstTimestamp", "lastTimestamp", "eventTime" };
    enum jr_status st = jr_dflt_apply(event, root, NULL, NULL);

    (void)profile;
    return st == JR_OK ? jr_dev_set_nulls(root, times, JR_ARRAY_SIZE(times)) : st;
}

const struct jr_dev_strategy jr_dev_event_strategy = { .defaults = event_defaults };

/* ---- nodes ---- */

static enum jr_status node_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    static const char *const times[] = { "lastHeartbeatTime", "lastTransitionTime" };
    enum jr_status st = jr_ensure_object(root, "spec", NULL);

    (void)profile;
    return st == JR_OK ? jr_dev_null_times(root, times, JR_ARRAY_SIZE(times)) : st;
}

const struct jr_dev_strategy jr_dev_node_strategy = { .defaults = node_defaults };

/* ---- namespaces ---- */

static enum jr_status namespace_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    struct jr_node *meta, *labels;
    struct jr_str name = jr_get_str(jr_get(root, "metadata"), "name");
    enum jr_status st = jr_ensure_object(root, "spec", NULL);

    (void)profile;
    if (st != JR_OK || name.n == 0)
        return st;
    st = jr_ensure_object(root, "metadata", &meta);
    if (st == JR_OK)
        st = jr_ensure_object(meta, "labels", &labels);
    if (st == JR_OK)
        st = jr_set_str(labels, "kubernetes.io/metadata.name", name);
    return st;
}

static enum jr_status namespace_create(struct jr_node *root, const struct jr_profile *profile)
{
    struct jr_node *spec, *finalizers, *status;
    enum jr_status st = jr_ensure_object(root, "spec", &spec);
    bool there = false;

    (void)profile;
    if (st == JR_OK)
        st = jr_ensure_array(spec, "finalizers", &finalizers);
    for (const struct jr_node *f = st == JR_OK ? jr_first(finalizers) : NULL; f != NULL;
         f = jr_next(f))
        there = there || jr_str_is(jr_node_str(f), "kubernetes");
    if (st == JR_OK && !there)
        st = jr_push_str(finalizers, JR_S("kubernetes"));
    if (st == JR_OK)
        st = jr_set_object(root, "status", &status);
    if (st == JR_OK)
        st = jr_set_str(status, "phase", JR_S("Active"));
    return st;
}

/* The finalizers of the spec are changed by the subresource finalize only. */
static enum jr_status namespace_update(struct jr_node *root, const struct jr_node *old,
                                       const struct jr_profile *profile)
{
    enum jr_status st = jr_dev_take_over(root, old, "status");

    (void)profile;
    return st == JR_OK ? jr_dev_take_over(root, old, "spec") : st;
}

const struct jr_dev_strategy jr_dev_namespace_strategy = {
    .defaults = namespace_defaults,
    .prepare_create = namespace_create,
    .prepare_update = namespace_update,
};

/* ---- webhook configurations ---- */

static const struct jr_dflt webhook_rule[] = {
    { "scope", JR_DFLT_TEXT, .text = "*" },
    JR_DFLT_END,
};
static const struct jr_dflt webhook_service[] = {
    { "port", JR_DFLT_INT_UNSET, .number = 443 },
    JR_DFLT_END,
};
static const struct jr_dflt webhook_client[] = {
    { "service", JR_DFLT_IN, .table = webhook_service },
    JR_DFLT_END,
};
static const struct jr_dflt webhook[] = {
    { "failurePolicy", JR_DFLT_TEXT, .text = "Fail" },
    { "matchPolicy", JR_DFLT_TEXT, .text = "Equivalent" },
    { "namespaceSelector", .how = JR_DFLT_OBJECT },
    { "objectSelector", .how = JR_DFLT_OBJECT },
    { "timeoutSeconds", JR_DFLT_INT_UNSET, .number = 10 },
    { "rules", JR_DFLT_EACH, .table = webhook_rule },
    { "clientConfig", JR_DFLT_IN, .table = webhook_client },
    JR_DFLT_END,
};
static const struct jr_dflt webhook_config[] = {
    { "webhooks", JR_DFLT_EACH, .table = webhook },
    JR_DFLT_END,
};

static enum jr_status webhook_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    (void)profile;
    return jr_dflt_apply(webhook_config, root, NULL, NULL);
}

static void require(struct jr_errlist *errs, const struct jr_node *n, const char *name,
                    const struct jr_field_path *path, const char *detail)
{
    if (jr_unset(n))
        jr_errlist_add(errs, JR_FE_REQUIRED, &JR_FIELD(path, name), (struct jr_str){ NULL, 0 },
                       "%s", detail);
}

static enum jr_status webhook_validate(const struct jr_admission_request *r,
                                       struct jr_admission_result *ret)
{
    struct jr_errlist *errs = &ret->errs;
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
    return JR_OK;
}

const struct jr_dev_strategy jr_dev_webhook_strategy = {
    .defaults = webhook_defaults,
    .validate = webhook_validate,
};
