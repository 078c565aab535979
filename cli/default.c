/* SPDX-License-Identifier: Apache-2.0 */
/* The mutating side of admission, for manifests. */
#include "cli/default.h"

#include "cli/apply.h"
#include "common/base/memory.h"
#include "common/schema/equal.h"

/** Says which members of `was`, an object or a list at that path, aren't in `is` any more. Nulls
 * say nothing. type: of the object, or of the list's elements; NULL: not known. */
static void warn_dropped(const struct jr_rewrite *rw, const struct jr_manifest *m,
                         const struct jr_schema_type *type, const struct jr_node *was,
                         const struct jr_node *is, const struct jr_field_path *at)
{
    const unsigned minor = ((const struct jr_default_options *)rw->ctx)->profile.version.minor;
    const bool list = jr_node_kind(was) == JR_ARRAY;
    struct jr_field_path here = { .parent = at };

    for (const struct jr_node *w = jr_first(was), *e = jr_first(is); w != NULL; w = jr_next(w)) {
        const struct jr_schema_field *f =
            list || type == NULL ? NULL : jr_schema_find(type, jr_key(w), NULL);
        /* Members that stay keep their order: the next one is mostly the one behind. */
        const bool behind = e != NULL && jr_str_eq(jr_key(e), jr_key(w));
        const struct jr_node *now = list || behind ? e : jr_getn(is, jr_key(w));

        here.name = jr_key(w);
        if (now != NULL)
            warn_dropped(rw, m, list ? type : f == NULL ? NULL : f->of, w, now, &here);
        else if (!jr_unset(w))
            jr_rewrite_warn(rw, m, &here,
                            f == NULL || !jr_schema_known(f, minor)
                                ? "unknown field, which the API server drops"
                            : jr_schema_is_zero(f, w) ? "dropped: the same as no value"
                                                      : "dropped: its feature gate is off");
        here.index++;
        e = now != NULL ? jr_next(now) : e;
    }
}

enum jr_rewrite_result jr_default_object(const struct jr_rewrite *rw, const struct jr_manifest *m)
{
    const struct jr_default_options *options = rw->ctx;
    const struct jr_str uid = jr_get_str(jr_get(m->node, "metadata"), "uid");
    struct jr_policy_context context;
    struct jr_admission_request r = {
        .kind = jr_admission_kind_find(m->api_version, m->kind),
        .source = JR_ADMISSION_MANIFEST,
        .profile = &options->profile,
        .object = m->node,
        .uid = jr_str(options->uid),
    };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *was = NULL;
    struct jr_admission_result result;
    JR_ARENA arena = { 0 };

    if (r.kind == NULL)
        return JR_REWRITE_OTHER;
    jr_cli_set_namespace(m, options->namespace);
    r.policies = jr_cli_policies_context(
        options->policies, jr_get_str(jr_get(m->node, "metadata"), "namespace"), &context);
    if (r.uid.n > 0 && uid.n > 0 && !jr_str_eq(uid, r.uid))
        return jr_rewrite_refuse(rw, m, &JR_FIELD(&JR_FIELD(NULL, "metadata"), "uid"),
                                 "another uid than --uid says");
    jr_must(jr_doc_of(m->node, &was));
    jr_admission_result_init(&result, &arena);
    jr_must(jr_admit_defaults(&r, 0, &result, NULL));
    if (!result.refused)
        warn_dropped(rw, m, r.kind->schema, jr_doc_root(was), m->node, NULL);
    if (result.policy_defaults.n_undecided > 0)
        jr_rewrite_warn(rw, m, NULL,
                        "defaults are missing: policies select by labels of the Namespace, which "
                        "aren't known (--namespace-labels)");
    return result.refused ? jr_rewrite_refuse(rw, m, result.wrong.path, result.wrong.why)
                          : JR_REWRITE_TAKEN;
}
