/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the versions in force, by the flag or by a version watch. */
#include "webhook/app/version_source.h"

static void on_change(void *ctx, const struct jr_profiles *profiles)
{
    struct jr_app_versions *v = ctx;

    jr_versions_put(v->in_force, profiles);
}

void jr_app_versions_begin(struct jr_app_versions *v, const struct jr_webhook_options *options,
                           const struct jr_env *env, struct jr_log *log, struct jr_metrics *metrics)
{
    const struct jr_version_watch_handler h = { .on_change = on_change, .ctx = v };

    v->in_force = jr_versions_new(&options->profiles);
    if (!options->version_auto) {
        jr_version_metrics(metrics, &options->profiles);
    } else if (env == NULL) {
        jr_warn(log,
                "the API server's version is not known, and nobody can be asked: only what each "
                "known version refuses is refused",
                JR_CSTR("flag", "--" JR_VERSION_FLAG));
    } else {
        jr_info(log,
                "the API server's version is not known yet: until then only what each known "
                "version refuses is refused",
                JR_CSTR("flag", "--" JR_VERSION_FLAG));
        v->watch = jr_version_watch_start(env, &options->feature_gates, &h, log, metrics);
    }
}

void jr_app_versions_stop(struct jr_app_versions *v)
{
    jr_version_watch_free(v->watch);
    v->watch = NULL;
}

void jr_app_versions_done(struct jr_app_versions *v)
{
    jr_versions_free(v->in_force);
}
