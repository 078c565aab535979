/* --kubernetes-version and --feature-gate as a profile. */
#include "cli/profile_flags.h"

#include "common/base/num.h"

const char *const jr_profile_flag_versions[] = { "1.36", NULL };

/* Of each gate that can be set the value that it doesn't have. */
#define OTHER_THAN_true "=false"
#define OTHER_THAN_false "=true"
#define LOCKED_true(offer)
#define LOCKED_false(offer) offer,
const char *const jr_profile_flag_gates[] = {
#define X(name, on, locked) LOCKED_##locked(#name OTHER_THAN_##on)
    JR_GATE_MAP(X)
#undef X
        NULL,
};

/** 1.36, with or without v in front and a patch level behind. */
static bool is_known_version(struct jr_str s)
{
    struct jr_str major, minor;
    int64_t patch;

    if (jr_str_starts(s, JR_S("v")))
        s = jr_str_from(s, 1);
    if (jr_str_is(s, "1.36"))
        return true;
    return jr_str_cut(&s, '.', &major) && jr_str_cut(&s, '.', &minor) && jr_str_is(major, "1") &&
           jr_str_is(minor, "36") && jr_parse_i64(s, 0, INT32_MAX, &patch) == JR_OK;
}

enum jr_status jr_profile_of_flags(const struct jr_profile_flags *flags, struct jr_profile *ret,
                                   struct jr_error *err)
{
    if (!is_known_version(jr_str(flags->version)))
        return jr_fail(err, JR_USAGE, "--kubernetes-version",
                       "expected 1.36, the one version known here, not \"%s\"", flags->version);
    return jr_profile_of_gates(&flags->gates, "--feature-gate", ret, err);
}
