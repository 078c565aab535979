#include "cli/default.h"

#include "common/admission/admission.h"
#include "common/pod/prepare.h"
#include "common/pod/settle.h"

static enum jr_status set_uid(struct jr_node *object, const char *uid)
{
    struct jr_node *meta;
    enum jr_status st;

    if (uid == NULL || uid[0] == '\0')
        return JR_OK;
    st = jr_ensure_object(object, "metadata", &meta);
    return st == JR_OK ? jr_set_str(meta, "uid", jr_str(uid)) : st;
}

/** The Pod template as it is stored. */
static enum jr_status settle(struct jr_node *template, const struct jr_default_options *options)
{
    jr_pod_template_prepare(template, NULL, &options->profile);
    return jr_pod_spec_settle(jr_get(template, "spec"));
}

/** Types first: defaulting passes over members of a wrong one, the API server refuses them. */
static enum jr_status complete(const struct jr_default_options *options,
                               const struct jr_admission_kind *kind, struct jr_node *object,
                               struct jr_error *err)
{
    JR_OBJECT_OPEN opened = { .root = NULL };
    enum jr_status st = jr_object_open(kind->schema, object, options->profile.minor, &opened, err);

    bool shared;

    if (st != JR_OK)
        return st;
    shared =
        options->uid != NULL && options->uid[0] != '\0' && jr_admission_shares_labels(kind, object);
    st = set_uid(object, options->uid);
    if (st == JR_OK)
        st = kind->complete(object, &options->profile, NULL);
    if (st == JR_OK && shared)
        st = jr_admission_share_labels(object);
    if (st == JR_OK)
        st = settle(jr_path(object, kind->template), options);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "defaulting");
}

enum jr_status jr_default_object(void *ctx, const struct jr_manifest *m, bool *ret,
                                 struct jr_error *err)
{
    const struct jr_admission_kind *kind = jr_admission_kind_find(m->api_version, m->kind);

    *ret = kind != NULL;
    return kind == NULL ? JR_OK : complete(ctx, kind, m->node, err);
}
