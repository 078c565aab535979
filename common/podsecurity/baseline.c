/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of the level "baseline". */
#include "common/podsecurity/check.h"

#include "common/json/field_path.h"
#include "common/rules/each.h"
#include "common/rules/check.h"

/* ---- AppArmor ---- */

#define APP_ARMOR_ANNOTATION "container.apparmor.security.beta.kubernetes.io/"

/** Whether a profile of that name is set, to a type that isn't allowed, which is added. */
static bool has_bad_profile(struct jr_pod_check_state *c, const struct jr_node *security,
                            const char *name)
{
    const struct jr_node *profile = jr_get(security, name);
    const struct jr_str type = jr_get_str(profile, "type");

    if (jr_unset(profile) || jr_str_is(type, "RuntimeDefault") || jr_str_is(type, "Localhost"))
        return false;
    jr_checked_add(c, &c->values, type);
    return true;
}

static bool has_bad_app_armor(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    return has_bad_profile(c, k->security, "appArmorProfile");
}

/** Adds KEY="VALUE" of an annotation. */
static void add_annotation(struct jr_pod_check_state *c, struct jr_checked_texts *to,
                           struct jr_str key, struct jr_str value)
{
    JR_BUF text = { 0 };
    struct jr_str kept;

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    (void)jr_buf_addf(&text, "%.*s=", JR_P(key));
    if (jr_field_quote(value, &text) != JR_OK ||
        !jr_arena_str(c->arena, jr_buf_str(&text), &kept)) {
        c->failed = JR_NOMEM;
        return;
    }
    jr_checked_add(c, to, kept);
    jr_checked_place(c, JR_S(""), kept);
}

void jr_check_app_armor(struct jr_pod_check_state *c)
{
    const bool pod = jr_checked_pod(c, has_bad_profile(c, c->security, "appArmorProfile"));
    struct jr_checked_texts annotations = { NULL, 0, 0 };

    jr_checked_gather(c, has_bad_app_armor);
    JR_EACH(a, jr_get(c->meta, "annotations")) {
        const struct jr_str value = jr_node_str(a);

        if (jr_str_starts(jr_key(a), JR_S(APP_ARMOR_ANNOTATION)) && value.n > 0 &&
            !jr_str_is(value, "runtime/default") && !jr_str_starts(value, JR_S("localhost/")))
            add_annotation(c, &annotations, jr_key(a), value);
    }
    if (!pod && c->names.n == 0 && annotations.n == 0)
        return;
    jr_checked_sort(&c->values);
    jr_checked_sort(&annotations);
    c->reason = jr_checked_plural("forbidden AppArmor profile", "forbidden AppArmor profiles",
                                  c->values.n + annotations.n);
    jr_checked_setters(c, pod);
    if (annotations.n > 0)
        (void)jr_buf_addf(&c->detail, "%s%s", pod || c->names.n > 0 ? " and " : "",
                          jr_checked_plural("annotation", "annotations", annotations.n));
    (void)jr_buf_adds(&c->detail, " must not set AppArmor profile type to ");
    for (size_t i = 0; i < annotations.n; i++)
        jr_checked_add(c, &c->values, annotations.v[i]);
    jr_checked_quote(c, &c->values);
}

/* ---- capabilities ---- */

static bool adds_capabilities(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    static const char *const allowed[] = {
        "AUDIT_WRITE",      "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",       "MKNOD",
        "NET_BIND_SERVICE", "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT", NULL
    };
    const size_t before = c->values.n;

    JR_EACH(add, jr_get(jr_get(k->security, "capabilities"), "add")) {
        if (!jr_one_of(jr_node_str(add), allowed))
            jr_checked_add(c, &c->values, jr_node_str(add));
    }
    return c->values.n > before;
}

void jr_check_capabilities_baseline(struct jr_pod_check_state *c)
{
    jr_checked_gather(c, adds_capabilities);
    if (c->names.n == 0)
        return;
    c->reason = "non-default capabilities";
    jr_checked_sort(&c->values);
    jr_checked_containers(c);
    (void)jr_buf_adds(&c->detail, " must not include ");
    jr_checked_quote(c, &c->values);
    (void)jr_buf_adds(&c->detail, " in securityContext.capabilities.add");
}

/* ---- the host ---- */

void jr_check_host_namespaces(struct jr_pod_check_state *c)
{
    static const char *const names[] = { "hostNetwork", "hostPID", "hostIPC" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (!jr_node_bool_or(jr_get(c->spec, names[i]), false))
            continue;
        (void)jr_buf_addf(&c->detail, "%s%s=true", c->reason == NULL ? "" : ", ", names[i]);
        jr_checked_place(c, JR_S(""), jr_str(names[i]));
        c->reason = "host namespaces";
    }
}

void jr_check_host_paths(struct jr_pod_check_state *c)
{
    JR_EACH(volume, jr_get(c->spec, "volumes")) {
        if (jr_unset(jr_get(volume, "hostPath")))
            continue;
        jr_checked_add(c, &c->names, jr_get_str(volume, "name"));
        jr_checked_place(c, jr_get_str(volume, "name"), JR_S(""));
    }
    if (c->names.n == 0)
        return;
    c->reason = "hostPath volumes";
    (void)jr_buf_addf(&c->detail, "%s ", jr_checked_plural("volume", "volumes", c->names.n));
    jr_checked_quote(c, &c->names);
}

/** Appends the values with commas between, without quotes. */
static void add_values(struct jr_pod_check_state *c)
{
    for (size_t i = 0; i < c->values.n; i++)
        (void)jr_buf_addf(&c->detail, "%s%.*s", i > 0 ? ", " : "", JR_P(c->values.v[i]));
}

static bool has_host_ports(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    const size_t before = c->values.n;

    JR_EACH(port, jr_get(k->node, "ports")) {
        const int64_t host = jr_node_i64_or(jr_get(port, "hostPort"), 0);
        const char *text;

        if (host == 0)
            continue;
        text = jr_arena_printf(c->arena, "%lld", (long long)host);
        if (text == NULL)
            c->failed = JR_NOMEM;
        jr_checked_add(c, &c->values, jr_str(text));
    }
    return c->values.n > before;
}

void jr_check_host_ports(struct jr_pod_check_state *c)
{
    jr_checked_gather(c, has_host_ports);
    if (c->names.n == 0)
        return;
    c->reason = "hostPort";
    jr_checked_sort(&c->values);
    jr_checked_containers(c);
    (void)jr_buf_addf(&c->detail, " %s %s ", jr_checked_plural("uses", "use", c->names.n),
                      jr_checked_plural("hostPort", "hostPorts", c->values.n));
    add_values(c);
}

/** Adds the hosts that a probe's or a hook's actions name. */
static void add_hosts(struct jr_pod_check_state *c, const struct jr_node *handler)
{
    static const char *const actions[] = { "httpGet", "tcpSocket" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(actions); i++) {
        const struct jr_str host = jr_get_str(jr_get(handler, actions[i]), "host");

        if (host.n > 0)
            jr_checked_add(c, &c->values, host);
    }
}

static bool names_hosts(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    static const char *const probes[] = { "livenessProbe", "readinessProbe", "startupProbe" };
    const struct jr_node *lifecycle = jr_get(k->node, "lifecycle");
    const size_t before = c->values.n;

    for (size_t i = 0; i < JR_ARRAY_SIZE(probes); i++)
        add_hosts(c, jr_get(k->node, probes[i]));
    add_hosts(c, jr_get(lifecycle, "postStart"));
    add_hosts(c, jr_get(lifecycle, "preStop"));
    return c->values.n > before;
}

void jr_check_hosts_of_probes(struct jr_pod_check_state *c)
{
    jr_checked_gather(c, names_hosts);
    if (c->names.n == 0)
        return;
    c->reason = "probe or lifecycle host";
    jr_checked_sort(&c->names);
    jr_checked_sort(&c->values);
    jr_checked_containers(c);
    (void)jr_buf_addf(
        &c->detail, " %s %s ", jr_checked_plural("uses", "use", c->names.n),
        jr_checked_plural("probe or lifecycle host", "probe or lifecycle hosts", c->values.n));
    jr_checked_quote(c, &c->values);
}

static bool is_host_process(const struct jr_node *security)
{
    return jr_node_bool_or(jr_get(jr_get(security, "windowsOptions"), "hostProcess"), false);
}

static bool has_host_process(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    (void)c;
    return is_host_process(k->security);
}

void jr_check_host_process(struct jr_pod_check_state *c)
{
    const bool pod = jr_checked_pod(c, is_host_process(c->security));

    jr_checked_gather(c, has_host_process);
    if (!pod && c->names.n == 0)
        return;
    c->reason = "hostProcess";
    jr_checked_setters(c, pod);
    (void)jr_buf_adds(&c->detail, " must not set securityContext.windowsOptions.hostProcess=true");
}

/* ---- privileged, /proc ---- */

static bool is_privileged(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    (void)c;
    return jr_node_bool_or(jr_get(k->security, "privileged"), false);
}

void jr_check_privileged(struct jr_pod_check_state *c)
{
    jr_checked_gather(c, is_privileged);
    if (c->names.n == 0)
        return;
    c->reason = "privileged";
    jr_checked_containers(c);
    (void)jr_buf_adds(&c->detail, " must not set securityContext.privileged=true");
}

static bool has_proc_mount(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    const struct jr_node *mount = jr_get(k->security, "procMount");

    if (jr_unset(mount) || jr_str_is(jr_node_str(mount), "Default"))
        return false;
    jr_checked_add(c, &c->values, jr_node_str(mount));
    return true;
}

void jr_check_proc_mount(struct jr_pod_check_state *c)
{
    jr_checked_gather(c, has_proc_mount);
    if (c->names.n == 0)
        return;
    c->reason = "procMount";
    jr_checked_sort(&c->values);
    jr_checked_containers(c);
    (void)jr_buf_adds(&c->detail, " must not set securityContext.procMount to ");
    jr_checked_quote(c, &c->values);
}

void jr_check_proc_mount_relaxed(struct jr_pod_check_state *c)
{
    if (c->minor < 35 || !c->has_user_namespace)
        jr_check_proc_mount(c);
}

/* ---- SELinux ---- */

/** Flags: what is set in the Pod or in one of its containers. */
struct se_linux {
    bool user, role;
};

static bool has_bad_se_linux(struct jr_pod_check_state *c, struct jr_str at,
                             const struct jr_node *security, struct se_linux *found)
{
    static const char *const types[] = { "container_t", "container_init_t", "container_kvm_t",
                                         "container_engine_t", NULL };
    const struct jr_node *options = jr_get(security, "seLinuxOptions");
    const struct jr_str type = jr_get_str(options, "type");
    const bool user = jr_get_str(options, "user").n > 0, role = jr_get_str(options, "role").n > 0;
    bool bad = type.n > 0 && !jr_one_of(type, types);

    if (c->minor < 31 && jr_str_is(type, "container_engine_t"))
        bad = true;
    if (bad) {
        jr_checked_add(c, &c->values, type);
        jr_checked_place(c, at, type);
    }
    if (user)
        jr_checked_place(c, at, JR_S("user may not be set"));
    if (role)
        jr_checked_place(c, at, JR_S("role may not be set"));
    found->user |= user;
    found->role |= role;
    return bad || user || role;
}

void jr_check_se_linux(struct jr_pod_check_state *c)
{
    struct se_linux found = { false, false };
    const bool pod = has_bad_se_linux(c, JR_S(""), c->security, &found);

    for (size_t i = 0; i < c->n; i++) {
        const struct jr_checked_container *k = &c->containers[i];

        if (has_bad_se_linux(c, k->name, k->security, &found))
            jr_checked_add(c, &c->names, k->name);
    }
    if (!pod && c->names.n == 0)
        return;
    c->reason = "seLinuxOptions";
    jr_checked_sort(&c->values);
    jr_checked_setters(c, pod);
    (void)jr_buf_adds(&c->detail, " set forbidden securityContext.seLinuxOptions: ");
    if (c->values.n > 0) {
        (void)jr_buf_addf(&c->detail, "%s ", jr_checked_plural("type", "types", c->values.n));
        jr_checked_quote(c, &c->values);
    }
    if (found.user)
        (void)jr_buf_addf(&c->detail, "%suser may not be set", c->values.n > 0 ? "; " : "");
    if (found.role)
        (void)jr_buf_addf(&c->detail, "%srole may not be set",
                          c->values.n > 0 || found.user ? "; " : "");
}

/* ---- seccomp ---- */

#define SECCOMP_POD_ANNOTATION "seccomp.security.alpha.kubernetes.io/pod"
#define SECCOMP_CONTAINER_ANNOTATION "container.seccomp.security.alpha.kubernetes.io/"

static void check_seccomp_annotation(struct jr_pod_check_state *c, struct jr_str key)
{
    const struct jr_node *node = jr_getn(jr_get(c->meta, "annotations"), key);
    const struct jr_str value = jr_node_str(node);

    if (node != NULL && !jr_str_is(value, "runtime/default") &&
        !jr_str_is(value, "docker/default") && !jr_str_starts(value, JR_S("localhost/")))
        add_annotation(c, &c->values, key, value);
}

/** Checks as before 1.19, when there were annotations alone. */
static void check_seccomp_annotations(struct jr_pod_check_state *c)
{
    check_seccomp_annotation(c, JR_S(SECCOMP_POD_ANNOTATION));
    for (size_t i = 0; i < c->n; i++) {
        const char *key = jr_arena_printf(c->arena, SECCOMP_CONTAINER_ANNOTATION "%.*s",
                                          JR_P(c->containers[i].name));

        if (key == NULL)
            c->failed = JR_NOMEM;
        else
            check_seccomp_annotation(c, jr_str(key));
    }
    if (c->values.n == 0)
        return;
    c->reason = "seccompProfile";
    jr_checked_sort(&c->values);
    (void)jr_buf_addf(&c->detail, "forbidden %s ",
                      jr_checked_plural("annotation", "annotations", c->values.n));
    add_values(c);
}

static bool has_bad_seccomp(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    return has_bad_profile(c, k->security, "seccompProfile");
}

bool jr_checked_seccomp_setters(struct jr_pod_check_state *c)
{
    const bool pod = jr_checked_pod(c, has_bad_profile(c, c->security, "seccompProfile"));

    jr_checked_gather(c, has_bad_seccomp);
    if (!pod && c->names.n == 0)
        return false;
    c->reason = "seccompProfile";
    jr_checked_sort(&c->values);
    jr_checked_setters(c, pod);
    (void)jr_buf_adds(&c->detail, " must not set securityContext.seccompProfile.type to ");
    jr_checked_quote(c, &c->values);
    return true;
}

void jr_check_seccomp_baseline(struct jr_pod_check_state *c)
{
    if (c->minor < 19)
        check_seccomp_annotations(c);
    else
        (void)jr_checked_seccomp_setters(c);
}

/* ---- sysctls ---- */

void jr_check_sysctls(struct jr_pod_check_state *c)
{
    static const struct {
        const char *name;
        unsigned since;
    } allowed[] = {
        { "kernel.shm_rmid_forced", 0 },
        { "net.ipv4.ip_local_port_range", 0 },
        { "net.ipv4.tcp_syncookies", 0 },
        { "net.ipv4.ping_group_range", 0 },
        { "net.ipv4.ip_unprivileged_port_start", 0 },
        { "net.ipv4.ip_local_reserved_ports", 27 },
        { "net.ipv4.tcp_keepalive_time", 29 },
        { "net.ipv4.tcp_fin_timeout", 29 },
        { "net.ipv4.tcp_keepalive_intvl", 29 },
        { "net.ipv4.tcp_keepalive_probes", 29 },
        { "net.ipv4.tcp_rmem", 32 },
        { "net.ipv4.tcp_wmem", 32 },
        { "net.ipv4.tcp_slow_start_after_idle", 37 },
        { "net.ipv4.tcp_notsent_lowat", 37 },
    };

    JR_EACH(sysctl, jr_get(c->security, "sysctls")) {
        const struct jr_str name = jr_get_str(sysctl, "name");
        bool found = false;

        for (size_t i = 0; i < JR_ARRAY_SIZE(allowed); i++)
            found |= c->minor >= allowed[i].since && jr_str_is(name, allowed[i].name);
        if (found)
            continue;
        (void)jr_buf_addf(&c->detail, "%s%.*s", c->reason == NULL ? "" : ", ", JR_P(name));
        jr_checked_place(c, JR_S(""), name);
        c->reason = "forbidden sysctls";
    }
}
