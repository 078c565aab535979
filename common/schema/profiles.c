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
        jr_profile_set_known_gates(p, gates, passed_over);
    }
    conclude(ret);
}
