/* SPDX-License-Identifier: Apache-2.0 */
/* Several profiles at once. */
#include "common/schema/profiles.h"

/** Works out what they have in common. */
static void conclude(struct jr_profiles *ps)
{
    ps->common = ps->v[0];
    for (size_t i = 1; i < ps->n; i++) {
        for (size_t g = 0; g < JR_GATE_COUNT; g++)
            ps->common.gates[g] &= ps->v[i].gates[g];
    }
}

struct jr_profiles jr_profiles_of(const struct jr_profile *p)
{
    return (struct jr_profiles){ .v = { *p }, .n = 1, .common = *p };
}

enum jr_status jr_profiles_of_version(struct jr_kube_version version,
                                      const struct jr_flag_list *gates, const char *flag,
                                      struct jr_profiles *ret, struct jr_error *err)
{
    struct jr_profile p = jr_profile_of(version);
    enum jr_status st = jr_profile_set_gates(&p, gates, flag, err);

    if (st == JR_OK)
        *ret = jr_profiles_of(&p);
    return st;
}

void jr_profiles_of_range(const struct jr_kube_range *range, const struct jr_flag_list *gates,
                          struct jr_profiles *ret, struct jr_buf *passed_over)
{
    const struct jr_kube_range all = jr_kube_range_of_all();

    if (range->n == 0)
        range = &all;
    ret->n = 0;
    for (size_t i = 0; i < range->n; i++) {
        const struct jr_kube_server *s = &range->v[i].server;
        struct jr_profile *p = &ret->v[ret->n++];

        *p = jr_profile_emulating(s->version, s->emulated);
        jr_profile_set_seen(p, &range->v[i].gates);
        jr_profile_set_known_gates(p, gates, passed_over);
    }
    conclude(ret);
}

enum jr_status jr_profiles_of_flags(const char *version, const struct jr_flag_list *gates,
                                    struct jr_profiles *ret, bool *ret_auto, struct jr_error *err)
{
    const struct jr_kube_range unknown = { .n = 0 };
    struct jr_error why = { .status = JR_OK };
    struct jr_kube_version v;

    *ret_auto = strcmp(version, JR_VERSION_AUTO) == 0;
    if (*ret_auto) {
        if (jr_profile_check_gates(gates, "--" JR_GATES_FLAG, err) != JR_OK)
            return JR_USAGE;
        jr_profiles_of_range(&unknown, gates, ret, NULL);
        return JR_OK;
    }
    if (jr_kube_version_parse(jr_str(version), &v, &why) != JR_OK)
        return jr_fail(err, JR_USAGE, "--" JR_VERSION_FLAG, "%s; or " JR_VERSION_AUTO, why.msg);
    return jr_profiles_of_version(v, gates, "--" JR_GATES_FLAG, ret, err);
}
