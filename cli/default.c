/* SPDX-License-Identifier: Apache-2.0 */
/* The mutating side of admission, for manifests. */
#include "cli/default.h"

#include "common/admission/admission.h"
#include "common/base/memory.h"

enum jr_rewrite_result jr_default_object(const struct jr_rewrite *rw, const struct jr_manifest *m)
{
    const struct jr_default_options *options = rw->ctx;
    struct jr_policy_context context;
    const struct jr_admission_request r = {
        .kind = jr_admission_kind_find(m->api_version, m->kind),
        .source = JR_ADMISSION_MANIFEST,
        .profile = &options->profile,
        .object = m->node,
        .policies = jr_cli_policies_context(
            options->policies, jr_get_str(jr_get(m->node, "metadata"), "namespace"), &context),
        .uid = jr_str(options->uid),
    };
    struct jr_admission_result result;
    JR_ARENA arena = { 0 };

    if (r.kind == NULL)
        return JR_REWRITE_OTHER;
    jr_admission_result_init(&result, &arena);
    jr_must(jr_admit_defaults(&r, 0, &result, NULL));
    if (result.policy_defaults.namespace_needed)
        jr_rewrite_warn(
            rw, m, NULL,
            "no policy's defaults are set: one selects by labels of the Namespace, which "
            "aren't known (--namespace-labels)");
    return result.refused ? jr_rewrite_refuse(rw, m, result.wrong.path, result.wrong.why)
                          : JR_REWRITE_TAKEN;
}
