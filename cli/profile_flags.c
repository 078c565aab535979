/* --kubernetes-version and --feature-gate as a profile. */
#include "cli/profile_flags.h"

#include "common/schema/releases.h"

const char *const jr_profile_flag_versions[] = {
#define X(minor, patch) "1." #minor,
    JR_KUBE_RELEASES(X)
#undef X
        NULL,
};

const char *const jr_profile_flag_gates[] = {
#define X(name, states) #name "=true", #name "=false",
    JR_GATE_MAP(X)
#undef X
        NULL,
};

enum jr_status jr_profile_of_flags(const struct jr_profile_flags *flags, struct jr_profile *ret,
                                   struct jr_error *err)
{
    struct jr_kube_version version;
    struct jr_error why = { .status = JR_OK };
    struct jr_profile profile;

    if (jr_kube_version_parse(jr_str(flags->version), &version, &why) != JR_OK)
        return jr_fail(err, JR_USAGE, "--kubernetes-version", "%s", why.msg);
    profile = jr_profile_of(version);
    if (jr_profile_set_gates(&profile, &flags->gates, "--feature-gate", err) != JR_OK)
        return JR_USAGE;
    *ret = profile;
    return JR_OK;
}
