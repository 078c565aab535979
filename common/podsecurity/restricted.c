/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of the level "restricted" beyond those of "baseline". */
#include "common/podsecurity/check.h"

#include "common/rules/each.h"

/** Whether the version leaves out what a Windows Pod can't have. */
static bool exempts_windows(const struct jr_pod_check_state *c)
{
    return c->minor >= 25 && c->is_windows;
}

/** Whether the version lets a user in a namespace of its own be root. */
static bool exempts_user_namespace(const struct jr_pod_check_state *c)
{
    return c->minor >= 35 && c->has_user_namespace;
}

/* ---- escalation, capabilities ---- */

static bool may_escalate(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    (void)c;
    return jr_node_bool_or(jr_get(k->security, "allowPrivilegeEscalation"), true);
}

void jr_check_escalation(struct jr_pod_check_state *c)
{
    if (exempts_windows(c))
        return;
    jr_checked_gather(c, may_escalate);
    if (c->names.n == 0)
        return;
    c->reason = "allowPrivilegeEscalation != false";
    jr_checked_containers(c);
    (void)jr_buf_adds(&c->detail, " must set securityContext.allowPrivilegeEscalation=false");
}

static bool keeps_capabilities(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    (void)c;
    JR_EACH(drop, jr_get(jr_get(k->security, "capabilities"), "drop")) {
        if (jr_str_is(jr_node_str(drop), "ALL"))
            return false;
    }
    return true;
}

static bool adds_other_capabilities(struct jr_pod_check_state *c,
                                    const struct jr_checked_container *k)
{
    const size_t before = c->values.n;

    JR_EACH(add, jr_get(jr_get(k->security, "capabilities"), "add")) {
        if (!jr_str_is(jr_node_str(add), "NET_BIND_SERVICE"))
            jr_checked_add(c, &c->values, jr_node_str(add));
    }
    return c->values.n > before;
}

void jr_check_capabilities_restricted(struct jr_pod_check_state *c)
{
    if (exempts_windows(c))
        return;
    jr_checked_gather(c, keeps_capabilities);
    if (c->names.n > 0) {
        c->reason = "unrestricted capabilities";
        jr_checked_containers(c);
        (void)jr_buf_adds(&c->detail, " must set securityContext.capabilities.drop=[\"ALL\"]");
    }
    c->names.n = 0;
    jr_checked_gather(c, adds_other_capabilities);
    if (c->names.n == 0)
        return;
    (void)jr_buf_adds(&c->detail, c->reason == NULL ? "" : "; ");
    c->reason = "unrestricted capabilities";
    jr_checked_sort(&c->values);
    jr_checked_containers(c);
    (void)jr_buf_adds(&c->detail, " must not include ");
    jr_checked_quote(c, &c->values);
    (void)jr_buf_adds(&c->detail, " in securityContext.capabilities.add");
}

/* ---- volumes ---- */

/** Returns the first source of a list that the volume has; NULL: none. */
static const char *source_of(const struct jr_node *volume, const char *const *sources)
{
    for (; *sources != NULL; sources++) {
        if (!jr_unset(jr_get(volume, *sources)))
            return *sources;
    }
    return NULL;
}

void jr_check_volumes(struct jr_pod_check_state *c)
{
    static const char *const allowed[] = {
        "configMap", "csi",   "downwardAPI",           "emptyDir",
        "ephemeral", "image", "persistentVolumeClaim", "projected",
        "secret",    NULL
    };
    /* In upstream's order: a volume is told by the first that it has. */
    static const char *const others[] = { "hostPath",
                                          "gcePersistentDisk",
                                          "awsElasticBlockStore",
                                          "gitRepo",
                                          "nfs",
                                          "iscsi",
                                          "glusterfs",
                                          "rbd",
                                          "flexVolume",
                                          "cinder",
                                          "cephfs",
                                          "flocker",
                                          "fc",
                                          "azureFile",
                                          "vsphereVolume",
                                          "quobyte",
                                          "azureDisk",
                                          "photonPersistentDisk",
                                          "portworxVolume",
                                          "scaleIO",
                                          "storageos",
                                          NULL };

    JR_EACH(volume, jr_get(c->spec, "volumes")) {
        const char *other;

        if (source_of(volume, allowed) != NULL)
            continue;
        other = source_of(volume, others);
        other = other == NULL ? "unknown" : other;
        jr_checked_add(c, &c->names, jr_get_str(volume, "name"));
        jr_checked_add(c, &c->values, jr_str(other));
        jr_checked_place(c, jr_get_str(volume, "name"), jr_str(other));
    }
    if (c->names.n == 0)
        return;
    c->reason = "restricted volume types";
    jr_checked_sort(&c->values);
    (void)jr_buf_addf(&c->detail, "%s ", jr_checked_plural("volume", "volumes", c->names.n));
    jr_checked_quote(c, &c->names);
    (void)jr_buf_addf(
        &c->detail, " %s %s ", jr_checked_plural("uses", "use", c->names.n),
        jr_checked_plural("restricted volume type", "restricted volume types", c->values.n));
    jr_checked_quote(c, &c->values);
}

/* ---- users ---- */

static bool is_root_by_choice(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    (void)c;
    return !jr_node_bool_or(jr_get(k->security, "runAsNonRoot"), true);
}

static bool says_nothing_of_root(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    (void)c;
    return jr_unset(jr_get(k->security, "runAsNonRoot"));
}

void jr_check_non_root(struct jr_pod_check_state *c)
{
    const struct jr_node *of_pod = jr_get(c->security, "runAsNonRoot");
    const bool pod = jr_checked_pod(c, !jr_node_bool_or(of_pod, true));

    if (exempts_user_namespace(c))
        return;
    jr_checked_gather(c, is_root_by_choice);
    if (pod || c->names.n > 0) {
        c->reason = "runAsNonRoot != true";
        jr_checked_setters(c, pod);
        (void)jr_buf_adds(&c->detail, " must not set securityContext.runAsNonRoot=false");
        return;
    }
    if (!jr_node_bool_or(of_pod, false))
        jr_checked_gather(c, says_nothing_of_root);
    if (c->names.n == 0)
        return;
    c->reason = "runAsNonRoot != true";
    (void)jr_buf_adds(&c->detail, "pod or ");
    jr_checked_containers(c);
    (void)jr_buf_adds(&c->detail, " must set securityContext.runAsNonRoot=true");
}

static bool is_user_0(const struct jr_node *security)
{
    return jr_node_i64_or(jr_get(security, "runAsUser"), 1) == 0;
}

static bool has_user_0(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    (void)c;
    return is_user_0(k->security);
}

void jr_check_user(struct jr_pod_check_state *c)
{
    const bool pod = jr_checked_pod(c, is_user_0(c->security));

    if (exempts_user_namespace(c))
        return;
    jr_checked_gather(c, has_user_0);
    if (!pod && c->names.n == 0)
        return;
    c->reason = "runAsUser=0";
    jr_checked_setters(c, pod);
    (void)jr_buf_adds(&c->detail, " must not set runAsUser=0");
}

/* ---- seccomp ---- */

static bool has_no_seccomp(struct jr_pod_check_state *c, const struct jr_checked_container *k)
{
    (void)c;
    return jr_unset(jr_get(k->security, "seccompProfile"));
}

void jr_check_seccomp_restricted(struct jr_pod_check_state *c)
{
    if (exempts_windows(c) || jr_checked_seccomp_setters(c))
        return;
    if (jr_unset(jr_get(c->security, "seccompProfile")))
        jr_checked_gather(c, has_no_seccomp);
    if (c->names.n == 0)
        return;
    c->reason = "seccompProfile";
    (void)jr_buf_adds(&c->detail, "pod or ");
    jr_checked_containers(c);
    (void)jr_buf_adds(&c->detail, " must set securityContext.seccompProfile.type to "
                                  "\"RuntimeDefault\" or \"Localhost\"");
}
