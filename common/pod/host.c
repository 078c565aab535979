/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of what depends on hostNetwork, hostUsers and hostProcess. */
#include "common/pod/host.h"

#include "common/pod/pod_parts.h"
#include "common/pod/walk.h"

void jr_pod_check_network_ports(struct jr_pod_check *p, const struct jr_field_path *path)
{
    if (!jr_pod_host_network(p->spec))
        return;
    JR_EACH_AT(c, jr_get(p->spec, "containers"), &JR_FIELD(path, "containers"), p->errs) {
        JR_EACH_AT(t, jr_get(c.node, "ports"), &JR_FIELD(&c.path, "ports"), p->errs) {
            const int64_t host = jr_node_i64_or(jr_get(t.node, "hostPort"), 0);

            if (host != 0 && host != jr_node_i64_or(jr_get(t.node, "containerPort"), 0))
                jr_violation_int(p->errs, JR_RULE_HOST_PORT_MATCH, &JR_FIELD(&t.path, "hostPort"),
                                 host);
        }
    }
}

/* ---- users of its own ---- */

void jr_pod_check_host_users(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const struct {
        const char *name;
        const char *shown; /* upstream writes two of them so */
        enum jr_rule rule;
        bool allowed;
    } rows[] = {
        { "hostNetwork", "hostNetwork", JR_RULE_HOST_USERS_NETWORK, p->opts->user_ns_host_network },
        { "hostPID", "HostPID", JR_RULE_HOST_USERS_PID, false },
        { "hostIPC", "HostIPC", JR_RULE_HOST_USERS_IPC, false },
    };
    struct jr_container_walk w = { .pod = p->spec, .path = path };

    if (!jr_pod_own_users(p->spec))
        return;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (!rows[i].allowed && jr_node_bool_or(jr_get(p->spec, rows[i].name), false))
            jr_violation(p->errs, rows[i].rule, &JR_FIELD(path, rows[i].shown));
    }
    while (!p->opts->user_ns_devices && jr_container_next(&w)) {
        if (jr_size(jr_get(w.container, "volumeDevices")) > 0)
            jr_violation(p->errs, JR_RULE_HOST_USERS_DEVICES, &JR_FIELD(&w.at, "volumeDevices"));
    }
}

/* ---- Windows containers that are processes of the node ---- */

static const struct jr_node *host_process(const struct jr_node *object)
{
    const struct jr_node *v = jr_path(object, "securityContext.windowsOptions.hostProcess");

    return jr_unset(v) ? NULL : v;
}

/** Counts the container, and whether it is one of them. */
static void count_host_process(struct jr_pod_check *p, const struct jr_container_walk *w,
                               size_t *all, size_t *of_host)
{
    const struct jr_node *pods = host_process(p->spec), *own = host_process(w->container);
    const bool pod_says = jr_node_bool_or(pods, false), says = jr_node_bool_or(own, false);
    const struct jr_field_path context = JR_FIELD(&w->at, "securityContext");
    const struct jr_field_path windows = JR_FIELD(&context, "windowsOptions");

    if (pods != NULL && own != NULL && pod_says != says)
        jr_rule_violatedf(p->errs, JR_RULE_HOST_PROCESS_DIFFERS, &JR_FIELD(&windows, "hostProcess"),
                          says ? JR_S("true") : JR_S("false"),
                          "pod hostProcess value must be identical if both are specified, was %s",
                          pod_says ? "true" : "false");
    *all += 1;
    *of_host += own != NULL ? says : pod_says;
}

void jr_pod_check_host_process(struct jr_pod_check *p, const struct jr_field_path *path)
{
    struct jr_container_walk w = { .pod = p->spec, .path = path };
    size_t all = 0, of_host = 0;

    while (jr_container_next(&w))
        count_host_process(p, &w, &all, &of_host);
    if (of_host > 0 && of_host != all)
        jr_rule_violated(p->errs, JR_RULE_HOST_PROCESS_ALL, path, JR_S("\"\""));
    if (of_host > 0 && !jr_pod_host_network(p->spec))
        jr_rule_violated(p->errs, JR_RULE_HOST_PROCESS_NETWORK, &JR_FIELD(path, "hostNetwork"),
                         JR_S("false"));
}
