/* Profiles: which gates are on in which version. */
#include "common/schema/profile.h"

/* What each gate is called, its state in 1.36, and whether it is locked. */
static const struct {
    const char *name;
    bool on;
    bool locked;
} gates[JR_GATE_COUNT] = {
#define X(name, on, locked) { #name, on, locked },
    JR_GATE_MAP(X)
#undef X
};

struct jr_profile jr_profile_default(void)
{
    struct jr_profile p = { .minor = 36 };

    for (size_t i = 0; i < JR_GATE_COUNT; i++)
        p.gates[i] = gates[i].on;
    return p;
}

enum jr_status jr_profile_set(struct jr_profile *p, struct jr_str name, bool on, bool force,
                              struct jr_error *err)
{
    for (size_t i = 0; i < JR_GATE_COUNT; i++) {
        if (!jr_str_is(name, gates[i].name))
            continue;
        if (gates[i].locked && on != gates[i].on && !force)
            return jr_fail(err, JR_DENIED, NULL, "feature gate %s is locked to %s", gates[i].name,
                           gates[i].on ? "true" : "false");
        p->gates[i] = on;
        return JR_OK;
    }
    return jr_fail(err, JR_NOTFOUND, NULL, "unknown feature gate \"%.*s\"", JR_P(name));
}

static enum jr_status set_gate(struct jr_profile *p, struct jr_str value, const char *flag,
                               struct jr_error *err)
{
    struct jr_str state = value, name;
    struct jr_error why = { .status = JR_OK };

    if (!jr_str_cut(&state, '=', &name) || name.n == 0 ||
        (!jr_str_is(state, "true") && !jr_str_is(state, "false")))
        return jr_fail(err, JR_USAGE, flag, "expected Name=true or Name=false, not \"%.*s\"",
                       JR_P(value));
    if (jr_profile_set(p, name, jr_str_is(state, "true"), false, &why) != JR_OK)
        return jr_fail(err, JR_USAGE, flag, "%s", why.msg);
    return JR_OK;
}

enum jr_status jr_profile_of_gates(const struct jr_flag_list *values, const char *flag,
                                   struct jr_profile *ret, struct jr_error *err)
{
    struct jr_profile profile = jr_profile_default();

    for (size_t i = 0; i < values->n; i++) {
        if (set_gate(&profile, values->v[i], flag, err) != JR_OK)
            return JR_USAGE;
    }
    *ret = profile;
    return JR_OK;
}
