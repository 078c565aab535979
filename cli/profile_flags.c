/* SPDX-License-Identifier: Apache-2.0 */
/* --kubernetes-version and --feature-gate as profiles. */
#include "cli/profile_flags.h"

#include <stdio.h>

#include "common/schema/releases.h"

#define VERSION_FLAG "--kubernetes-version"
#define GATE_FLAG "--feature-gate"

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

static enum jr_status parse_version(struct jr_str text, struct jr_kube_version *ret,
                                    struct jr_error *err)
{
    struct jr_error why = { .status = JR_OK };

    if (jr_kube_version_parse(text, ret, &why) != JR_OK)
        return jr_fail(err, JR_USAGE, VERSION_FLAG, "%s", why.msg);
    return JR_OK;
}

/* ---- gates ---- */

/** Whether the version has that gate, and lets it be set to this. */
static bool takes_gate(const struct jr_profile *profile, struct jr_str value)
{
    struct jr_profile copy = *profile;
    struct jr_str name;

    return jr_str_cut(&value, '=', &name) &&
           (jr_str_is(value, "true") || jr_str_is(value, "false")) &&
           jr_profile_set(&copy, name, jr_str_is(value, "true"), false, NULL) == JR_OK;
}

/** Refuses, in the newest version's words, a gate that no version takes. */
static enum jr_status check_gate(const struct jr_cli_profiles *profiles, struct jr_str value,
                                 struct jr_error *err)
{
    const struct jr_flag_list one = { .v = { value }, .n = 1 };
    struct jr_profile newest = profiles->v[profiles->n - 1];

    for (size_t i = 0; i < profiles->n; i++) {
        if (takes_gate(&profiles->v[i], value))
            return JR_OK;
    }
    return jr_profile_set_gates(&newest, &one, GATE_FLAG, err);
}

/** Sets the gates that this version takes, of several. */
static enum jr_status set_gates(struct jr_profile *profile, const struct jr_flag_list *values,
                                bool several, struct jr_error *err)
{
    struct jr_flag_list own = { .n = 0 };
    struct jr_error why = { .status = JR_OK };
    char before[32] = "";

    for (size_t i = 0; i < values->n; i++) {
        if (takes_gate(profile, values->v[i]))
            own.v[own.n++] = values->v[i];
    }
    if (jr_profile_set_gates(profile, &own, GATE_FLAG, &why) == JR_OK)
        return JR_OK;
    if (several)
        (void)snprintf(before, sizeof(before), "in Kubernetes 1.%u ", profile->version.minor);
    return jr_fail(err, JR_USAGE, GATE_FLAG, "%s%s", before, why.msg);
}

/* ---- versions ---- */

/** Puts the version in its place among the others. */
static enum jr_status add_version(struct jr_cli_profiles *profiles, struct jr_kube_version version,
                                  struct jr_error *err)
{
    size_t at = profiles->n;
    char text[JR_KUBE_TEXT_MAX];

    for (size_t i = 0; i < profiles->n; i++) {
        if (jr_kube_version_cmp(version, profiles->v[i].version) == 0)
            return jr_fail(err, JR_USAGE, VERSION_FLAG, "%s is there twice",
                           jr_kube_version_text(version, text));
    }
    if (profiles->n == JR_VERSIONS_MAX)
        return jr_fail(err, JR_USAGE, VERSION_FLAG, "expected at most %d versions",
                       JR_VERSIONS_MAX);
    for (; at > 0 && jr_kube_version_cmp(version, profiles->v[at - 1].version) < 0; at--)
        profiles->v[at] = profiles->v[at - 1];
    profiles->v[at] = jr_profile_of(version);
    profiles->n++;
    return JR_OK;
}

enum jr_status jr_cli_profiles_of_flags(const struct jr_profile_flags *flags,
                                        struct jr_cli_profiles *ret, struct jr_error *err)
{
    const struct jr_flag_list *texts = &flags->versions;
    struct jr_cli_profiles profiles = { .n = 0 };
    struct jr_kube_version version;

    if (texts->n == 0)
        return parse_version(JR_S(""), &version, err);
    for (size_t i = 0; i < texts->n; i++) {
        if (parse_version(texts->v[i], &version, err) != JR_OK ||
            add_version(&profiles, version, err) != JR_OK)
            return JR_USAGE;
    }
    for (size_t i = 0; i < flags->gates.n; i++) {
        if (check_gate(&profiles, flags->gates.v[i], err) != JR_OK)
            return JR_USAGE;
    }
    for (size_t i = profiles.n; i-- > 0;) {
        if (set_gates(&profiles.v[i], &flags->gates, profiles.n > 1, err) != JR_OK)
            return JR_USAGE;
    }
    *ret = profiles;
    return JR_OK;
}

enum jr_status jr_profile_of_flags(const struct jr_profile_flags *flags, struct jr_profile *ret,
                                   struct jr_error *err)
{
    struct jr_cli_profiles profiles;

    if (flags->versions.n > 1)
        return jr_fail(err, JR_USAGE, VERSION_FLAG,
                       "expected one version, not %zu: jobreeve check takes several",
                       flags->versions.n);
    if (jr_cli_profiles_of_flags(flags, &profiles, err) != JR_OK)
        return JR_USAGE;
    *ret = profiles.v[0];
    return JR_OK;
}
