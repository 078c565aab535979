#include "cli/convert.h"

#include "common/job/convert.h"

static void warn_unknown(void *ctx, const char *path)
{
    jr_manifest_warn(ctx, path, "no field of batch/v1; kept, but API servers will drop it");
}

enum jr_status jr_convert_manifest(void *ctx, const struct jr_manifest *m, bool *ret,
                                   struct jr_error *err)
{
    /* What it was called goes when it is converted. */
    const struct jr_str kind = jr_str_is(m->kind, "Job") ? JR_S("Job") : JR_S("CronJob");
    struct jr_manifest warned = *m;
    enum jr_status st = jr_convert_to_v1(m->node, m->api_version, m->kind, ret, err);

    (void)ctx;
    if (st == JR_OK && *ret && !m->is_list)
        jr_convert_unknown(m->node, kind, warn_unknown, &warned);
    return st;
}
