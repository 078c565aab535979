/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of each level and version, and what they find in a template. */
#include "common/podsecurity/pod_security.h"

#include <stdlib.h>

#include "common/base/num.h"
#include "common/podsecurity/check.h"
#include "common/rules/each.h"

#define ENFORCE_LABEL "pod-security.kubernetes.io/enforce"
#define ENFORCE_VERSION_LABEL ENFORCE_LABEL "-version"
#define NEVER UINT_MAX

/** A check, from the version on that has it. */
static const struct check {
    const char *id;
    jr_pod_security_fn *fn;
    enum jr_pod_security_level level;
    unsigned since;
    unsigned replaced; /* since this version "restricted" has another in its place */
} checks[] = {
    { "appArmorProfile", jr_check_app_armor, JR_POD_BASELINE, 0, NEVER },
    { "capabilities_baseline", jr_check_capabilities_baseline, JR_POD_BASELINE, 0, 22 },
    { "hostNamespaces", jr_check_host_namespaces, JR_POD_BASELINE, 0, NEVER },
    { "hostPathVolumes", jr_check_host_paths, JR_POD_BASELINE, 0, 0 },
    { "hostPorts", jr_check_host_ports, JR_POD_BASELINE, 0, NEVER },
    { "hostProbesAndHostLifecycle", jr_check_hosts_of_probes, JR_POD_BASELINE, 34, NEVER },
    { "privileged", jr_check_privileged, JR_POD_BASELINE, 0, NEVER },
    { "procMount", jr_check_proc_mount_relaxed, JR_POD_BASELINE, 0, 35 },
    { "seLinuxOptions", jr_check_se_linux, JR_POD_BASELINE, 0, NEVER },
    { "seccompProfile_baseline", jr_check_seccomp_baseline, JR_POD_BASELINE, 0, 19 },
    { "sysctls", jr_check_sysctls, JR_POD_BASELINE, 0, NEVER },
    { "windowsHostProcess", jr_check_host_process, JR_POD_BASELINE, 0, NEVER },
    { "allowPrivilegeEscalation", jr_check_escalation, JR_POD_RESTRICTED, 8, NEVER },
    { "capabilities_restricted", jr_check_capabilities_restricted, JR_POD_RESTRICTED, 22, NEVER },
    { "procMount_restricted", jr_check_proc_mount, JR_POD_RESTRICTED, 35, NEVER },
    { "restrictedVolumes", jr_check_volumes, JR_POD_RESTRICTED, 0, NEVER },
    { "runAsNonRoot", jr_check_non_root, JR_POD_RESTRICTED, 0, NEVER },
    { "runAsUser", jr_check_user, JR_POD_RESTRICTED, 23, NEVER },
    { "seccompProfile_restricted", jr_check_seccomp_restricted, JR_POD_RESTRICTED, 19, NEVER },
};
_Static_assert(JR_ARRAY_SIZE(checks) <= JR_POD_SECURITY_FAULTS, "each may find something");

/* ---- levels and versions ---- */

static const char *const levels[] = {
    [JR_POD_PRIVILEGED] = "privileged",
    [JR_POD_BASELINE] = "baseline",
    [JR_POD_RESTRICTED] = "restricted",
};

bool jr_pod_security_level_read(struct jr_str text, enum jr_pod_security_level *ret)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(levels); i++) {
        if (!jr_str_is(text, levels[i]))
            continue;
        *ret = (enum jr_pod_security_level)i;
        return true;
    }
    return false;
}

bool jr_pod_security_version_read(struct jr_str text, unsigned *ret)
{
    const struct jr_str digits = jr_str_from(text, 3);
    int64_t v = 0;

    if (jr_str_is(text, "latest")) {
        *ret = JR_POD_SECURITY_LATEST;
        return true;
    }
    if (!jr_str_starts(text, JR_S("v1.")) || digits.n == 0 || (digits.n > 1 && digits.p[0] == '0'))
        return false;
    for (size_t i = 0; i < digits.n; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '9')
            return false;
        if (v < INT32_MAX / 10)
            v = v * 10 + (digits.p[i] - '0');
    }
    *ret = (unsigned)v;
    return true;
}

struct jr_pod_security jr_pod_security_of_namespace(const struct jr_labels *labels)
{
    struct jr_pod_security s = { JR_POD_PRIVILEGED, JR_POD_SECURITY_LATEST };
    const struct jr_str level = jr_labels_get(labels, JR_S(ENFORCE_LABEL)),
                        version = jr_labels_get(labels, JR_S(ENFORCE_VERSION_LABEL));

    if (level.p != NULL && !jr_pod_security_level_read(level, &s.level))
        s.level = JR_POD_RESTRICTED;
    if (version.p != NULL && !jr_pod_security_version_read(version, &s.minor))
        s.minor = JR_POD_SECURITY_LATEST;
    return s;
}

void jr_pod_security_write(const struct jr_pod_security *s, struct jr_buf *out)
{
    (void)jr_buf_adds(out, levels[s->level]);
    if (s->minor == JR_POD_SECURITY_LATEST)
        (void)jr_buf_adds(out, ":latest");
    else
        (void)jr_buf_addf(out, ":v1.%u", s->minor);
}

/* ---- the Pod ---- */

static void add_containers(struct jr_pod_check_state *c, const char *list)
{
    JR_EACH(k, jr_get(c->spec, list))
        c->containers[c->n++] =
            (struct jr_checked_container){ jr_get_str(k, "name"), k, jr_get(k, "securityContext") };
}

static enum jr_status open_pod(struct jr_pod_check_state *c, const struct jr_node *template)
{
    const struct jr_node *spec = jr_get(template, "spec");

    c->meta = jr_get(template, "metadata");
    c->spec = spec;
    c->security = jr_get(spec, "securityContext");
    c->is_windows = jr_str_is(jr_get_str(jr_get(spec, "os"), "name"), "windows");
    c->has_user_namespace = !jr_node_bool_or(jr_get(spec, "hostUsers"), true);
    c->containers = jr_arena_calloc(
        c->arena, jr_size(jr_get(spec, "initContainers")) + jr_size(jr_get(spec, "containers")),
        sizeof(*c->containers));
    if (c->containers == NULL)
        return JR_NOMEM;
    add_containers(c, "initContainers");
    add_containers(c, "containers");
    return JR_OK;
}

/* ---- what is found ---- */

/** Copies the detail; one that is longer than its bound is cut. */
static bool keep_detail(const struct jr_pod_check_state *c, struct jr_arena *arena,
                        struct jr_str *ret)
{
    const char *text;

    if (c->detail.failed != JR_LIMIT)
        return c->detail.failed == JR_OK && jr_arena_str(arena, jr_buf_str(&c->detail), ret);
    text = jr_arena_printf(arena, "%.*s...", JR_P(jr_buf_str(&c->detail)));
    *ret = jr_str(text);
    return text != NULL;
}

static int by_hash(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/** Gives the fault its places, sorted. */
static void keep_places(struct jr_pod_check_state *c, struct jr_arena *arena,
                        struct jr_pod_security_fault *f)
{
    uint64_t *v;

    f->places = NULL;
    f->n = c->places.n;
    if (f->n == 0 || f->n > JR_POD_SECURITY_PLACES_MAX)
        return;
    f->places = v = jr_arena_calloc(arena, f->n, sizeof(*v));
    if (v == NULL) {
        c->failed = JR_NOMEM;
        return;
    }
    memcpy(v, c->places.v, f->n * sizeof(*v));
    qsort(v, f->n, sizeof(*v), by_hash);
}

bool jr_pod_security_is_part_of(const struct jr_pod_security_fault *f,
                                const struct jr_pod_security_fault *other)
{
    if (f->places == NULL || other->places == NULL)
        return false;
    for (size_t i = 0; i < f->n; i++) {
        if (bsearch(&f->places[i], other->places, other->n, sizeof(*other->places), by_hash) ==
            NULL)
            return false;
    }
    return true;
}

static void run(struct jr_pod_check_state *c, const struct check *check, struct jr_arena *arena,
                struct jr_pod_security_faults *ret)
{
    struct jr_pod_security_fault *f = &ret->v[ret->n];

    c->names.n = c->values.n = c->places.n = 0;
    c->reason = NULL;
    jr_buf_reset(&c->detail);
    check->fn(c);
    if (c->reason == NULL)
        return;
    f->check = check->id;
    f->reason = jr_str(c->reason);
    if (!keep_detail(c, arena, &f->detail))
        c->failed = JR_NOMEM;
    keep_places(c, arena, f);
    ret->n++;
}

enum jr_status jr_pod_security_check(const struct jr_pod_security *s,
                                     const struct jr_node *template, struct jr_arena *arena,
                                     struct jr_pod_security_faults *ret)
{
    JR_ARENA scratch = { 0 }; /* a Job may have much that is at fault, and policies many levels */
    struct jr_pod_check_state c = { .arena = &scratch };

    ret->n = 0;
    if (s->level == JR_POD_PRIVILEGED)
        return JR_OK;
    c.minor = s->minor < JR_POD_SECURITY_NEWEST ? s->minor : JR_POD_SECURITY_NEWEST;
    jr_arena_init_kept(&scratch, 0, 1024);
    if (open_pod(&c, template) != JR_OK)
        return JR_NOMEM;
    jr_buf_init(&c.detail, JR_POD_SECURITY_DETAIL_MAX);
    for (size_t i = 0; i < JR_ARRAY_SIZE(checks) && c.failed == JR_OK; i++) {
        const struct check *check = &checks[i];
        const bool is_replaced = s->level == JR_POD_RESTRICTED && c.minor >= check->replaced;

        if (check->level <= s->level && c.minor >= check->since && !is_replaced)
            run(&c, check, arena, ret);
    }
    jr_buf_done(&c.detail);
    return c.failed;
}
