/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: which gates are on in which version. */
#include "common/schema/profile.h"

/* What each gate is called, and its state in each minor version. */
static const struct {
    const char *name;
    char states[JR_KUBE_MINORS + 1];
} gates[JR_GATE_COUNT] = {
#define X(name, states) { #name, states },
    JR_GATE_MAP(X)
#undef X
};

/* What can't be on alone, and since which minor version. */
static const struct {
    enum jr_gate_id gate;
    enum jr_gate_id needs;
    unsigned since;
} dependencies[] = {
#define X(gate, needs, since) { JR_GATE_##gate, JR_GATE_##needs, since },
    JR_GATE_DEPENDENCIES(X)
#undef X
};

static char state_in(enum jr_gate_id gate, unsigned minor)
{
    const struct jr_kube_version v = jr_kube_nearest((struct jr_kube_version){ minor, 0 });

    return gates[gate].states[v.minor - JR_KUBE_OLDEST];
}

static bool is_on_by_default(char state)
{
    return state == '+' || state == 'L' || state == 'G';
}

struct jr_profile jr_profile_emulating(struct jr_kube_version v, unsigned minor)
{
    struct jr_profile p = { .version = v, .emulated = minor };

    for (size_t i = 0; i < JR_GATE_COUNT; i++)
        p.gates[i] = is_on_by_default(state_in((enum jr_gate_id)i, minor));
    return p;
}

struct jr_profile jr_profile_of(struct jr_kube_version v)
{
    return jr_profile_emulating(v, v.minor);
}

struct jr_profile jr_profile_default(void)
{
    return jr_profile_of(JR_KUBE_DESCRIBED);
}

const char *jr_gate_name(enum jr_gate_id gate)
{
    return gates[gate].name;
}

bool jr_profile_can_set(const struct jr_profile *p, enum jr_gate_id gate)
{
    const char state = state_in(gate, p->emulated);

    return state == '-' || state == '+';
}

bool jr_profile_default_of(const struct jr_profile *p, enum jr_gate_id gate)
{
    return is_on_by_default(state_in(gate, p->emulated));
}

void jr_gates_see(struct jr_gates_seen *seen, struct jr_str name, bool on)
{
    for (size_t i = 0; i < JR_GATE_COUNT; i++) {
        if (jr_str_is(name, gates[i].name))
            seen->states[i] = on ? JR_GATE_SEEN_ON : JR_GATE_SEEN_OFF;
    }
}

void jr_profile_set_seen(struct jr_profile *p, const struct jr_gates_seen *seen)
{
    for (size_t i = 0; i < JR_GATE_COUNT; i++) {
        if (seen->states[i] == JR_GATE_UNSEEN || !jr_profile_can_set(p, (enum jr_gate_id)i))
            continue;
        p->gates[i] = seen->states[i] == JR_GATE_SEEN_ON;
        p->sources[i] = JR_GATE_BY_SERVER;
    }
}

enum jr_status jr_profile_set(struct jr_profile *p, struct jr_str name, bool on, bool force,
                              struct jr_error *err)
{
    for (size_t i = 0; i < JR_GATE_COUNT; i++) {
        const char state = state_in((enum jr_gate_id)i, p->emulated);

        if (!jr_str_is(name, gates[i].name))
            continue;
        if (!force && (state == '.' || state == 'G'))
            break;
        if (!force && state == 'L' && !on)
            return jr_fail(err, JR_DENIED, NULL,
                           "feature gate %s is locked to true in Kubernetes 1.%u", gates[i].name,
                           p->emulated);
        p->gates[i] = on;
        p->sources[i] = JR_GATE_BY_FLAG;
        return JR_OK;
    }
    return jr_fail(err, JR_NOTFOUND, NULL,
                   "Kubernetes 1.%u has no feature gate \"%.*s\" that concerns Jobs", p->emulated,
                   JR_P(name));
}

/** Errors: those of jr_profile_set; JR_SYNTAX. */
static enum jr_status set_gate(struct jr_profile *p, struct jr_str value, struct jr_error *err)
{
    struct jr_str state = value, name;

    if (!jr_str_cut(&state, '=', &name) || name.n == 0 ||
        (!jr_str_is(state, "true") && !jr_str_is(state, "false")))
        return jr_fail(err, JR_SYNTAX, NULL, "expected Name=true or Name=false, not \"%.*s\"",
                       JR_P(value));
    return jr_profile_set(p, name, jr_str_is(state, "true"), false, err);
}

static enum jr_status check_dependencies(const struct jr_profile *p, struct jr_error *err)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(dependencies); i++) {
        if (p->version.minor >= dependencies[i].since && p->gates[dependencies[i].gate] &&
            !p->gates[dependencies[i].needs])
            return jr_fail(err, JR_DENIED, NULL,
                           "%s is enabled, but depends on %s, which is disabled",
                           gates[dependencies[i].gate].name, gates[dependencies[i].needs].name);
    }
    return JR_OK;
}

/** The same error in a flag's name. */
static enum jr_status blame(const char *flag, const struct jr_error *why, struct jr_error *err)
{
    return jr_fail(err, JR_USAGE, flag, "%s", why->msg);
}

enum jr_status jr_profile_set_gates(struct jr_profile *p, const struct jr_flag_list *values,
                                    const char *flag, struct jr_error *err)
{
    struct jr_profile profile = *p;
    struct jr_error why = { .status = JR_OK };

    for (size_t i = 0; i < values->n; i++) {
        if (set_gate(&profile, values->v[i], &why) != JR_OK)
            return blame(flag, &why, err);
    }
    if (values->n > 0 && check_dependencies(&profile, &why) != JR_OK)
        return blame(flag, &why, err);
    *p = profile;
    return JR_OK;
}

/* ---- where the version isn't known before ---- */

static void note(struct jr_buf *passed_over, const struct jr_error *why)
{
    if (passed_over == NULL)
        return;
    if (passed_over->n > 0)
        (void)jr_buf_adds(passed_over, "; ");
    (void)jr_buf_adds(passed_over, why->msg);
}

/** Sets those that the version has, and gives how many these are. */
static size_t set_known(struct jr_profile *p, const struct jr_flag_list *values,
                        struct jr_buf *passed_over)
{
    struct jr_error why = { .status = JR_OK };
    size_t n = 0;

    for (size_t i = 0; i < values->n; i++) {
        if (set_gate(p, values->v[i], &why) == JR_OK)
            n++;
        else
            note(passed_over, &why);
    }
    return n;
}

void jr_profile_set_known_gates(struct jr_profile *p, const struct jr_flag_list *values,
                                struct jr_buf *passed_over)
{
    struct jr_profile profile = *p;
    struct jr_error missing = { .status = JR_OK }, why;

    if (set_known(&profile, values, passed_over) == 0)
        return;
    if (check_dependencies(&profile, &missing) == JR_OK) {
        *p = profile;
        return;
    }
    (void)jr_fail(&why, JR_DENIED, NULL, "in Kubernetes 1.%u %s: none of these gates is set",
                  p->emulated, missing.msg);
    note(passed_over, &why);
}

/** Whether a version takes it. */
static enum jr_status check_gate(struct jr_str value, struct jr_error *err)
{
    for (unsigned minor = JR_KUBE_OLDEST; minor <= JR_KUBE_NEWEST; minor++) {
        struct jr_profile p = jr_profile_of(jr_kube_newest_patch(minor));
        const enum jr_status st = set_gate(&p, value, err);

        if (st == JR_OK || st == JR_SYNTAX)
            return st;
    }
    return jr_fail(err, JR_NOTFOUND, NULL,
                   "no Kubernetes from 1.%d to 1.%d takes \"%.*s\", as far as it concerns Jobs",
                   JR_KUBE_OLDEST, JR_KUBE_NEWEST, JR_P(value));
}

enum jr_status jr_profile_check_gates(const struct jr_flag_list *values, const char *flag,
                                      struct jr_error *err)
{
    struct jr_error why = { .status = JR_OK };
    enum jr_status st = JR_OK;

    for (size_t i = 0; i < values->n; i++) {
        if (check_gate(values->v[i], &why) != JR_OK)
            return blame(flag, &why, err);
    }
    for (unsigned minor = JR_KUBE_OLDEST; minor <= JR_KUBE_NEWEST; minor++) {
        struct jr_profile p = jr_profile_of(jr_kube_newest_patch(minor));

        if (set_known(&p, values, NULL) == 0)
            continue;
        st = check_dependencies(&p, &why);
        if (st == JR_OK)
            break;
    }
    return st == JR_OK ? JR_OK : blame(flag, &why, err);
}
