/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of manifests: which version an object is of, and what is said of it. */
#include "cli/convert.h"

#include "common/base/memory.h"
#include "common/job/convert.h"

/** An object on its way. */
struct converted {
    const struct jr_rewrite *rw;
    const struct jr_manifest *m;
};

static void warn_unknown(void *ctx, const struct jr_field_path *path)
{
    const struct converted *c = ctx;

    jr_rewrite_warn(c->rw, c->m, path, "no field of batch/v1; kept, but API servers will drop it");
}

enum jr_rewrite_result jr_convert_manifest(const struct jr_rewrite *rw, const struct jr_manifest *m)
{
    /* What it was called goes when it is converted. */
    const struct jr_str kind = jr_str_is(m->kind, "Job") ? JR_S("Job") : JR_S("CronJob");
    /* An item that says its kind alone is of its list's version. */
    const struct jr_str version = m->api_version.n == 0 ? m->list_version : m->api_version;
    struct converted c = { rw, m };
    struct jr_error err = { .status = JR_OK };
    const struct jr_field_path *at = NULL;
    bool converted = false;

    if (jr_need(jr_convert_to_v1(m->node, version, m->kind, &converted, &at, &err)) != JR_OK)
        return jr_rewrite_refuse(rw, m, at, err.msg);
    if (converted && !m->is_list)
        jr_convert_unknown(m->node, kind, warn_unknown, &c);
    return converted ? JR_REWRITE_TAKEN : JR_REWRITE_OTHER;
}
