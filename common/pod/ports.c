/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of ports, and of host ports across containers. */
#include "common/pod/parts.h"

#define PORT_MAX 65535

static void check_name(const struct jr_node *port, struct jr_string_set *names,
                       const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str name = jr_get_str(port, "name");
    const struct jr_name_errors faults = jr_name_port(name);

    if (name.n == 0)
        return;
    jr_rule_faults(errs, JR_RULE_PORT_NAME, path, name, &faults);
    if (faults.n == 0 && !jr_string_set_add(names, name))
        jr_violation_text(errs, JR_RULE_PORT_NAME_TWICE, path, name);
}

static void check_number(int64_t v, enum jr_rule rule, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    if (v < 1 || v > PORT_MAX)
        jr_violation_int(errs, rule, path, v);
}

void jr_pod_check_ports(struct jr_pod_check *p, const struct jr_node *ports,
                        const struct jr_field_path *path)
{
    static const char *const protocols[] = { "SCTP", "TCP", "UDP", NULL };
    static const struct jr_enum_rule protocol = { protocols, JR_RULE_PORT_PROTOCOL_REQUIRED,
                                                  JR_RULE_PORT_PROTOCOL };
    struct jr_errlist *errs = p->errs;
    struct jr_string_set names = JR_STRING_SET(errs);

    JR_EACH_AT(c, ports, path, errs) {
        const struct jr_field_path port_path = JR_FIELD(&c.path, "containerPort");
        const int64_t port = jr_node_i64_or(jr_get(c.node, "containerPort"), 0);
        const int64_t host_port = jr_node_i64_or(jr_get(c.node, "hostPort"), 0);

        check_name(c.node, &names, &JR_FIELD(&c.path, "name"), errs);
        if (port == 0)
            jr_violation(errs, JR_RULE_PORT_REQUIRED, &port_path);
        else
            check_number(port, JR_RULE_PORT_RANGE, &port_path, errs);
        if (host_port != 0)
            check_number(host_port, JR_RULE_HOST_PORT_RANGE, &JR_FIELD(&c.path, "hostPort"), errs);
        jr_validate_enum(&protocol, jr_get(c.node, "protocol"), &JR_FIELD(&c.path, "protocol"),
                         errs);
    }
}

void jr_pod_check_host_ports(struct jr_pod_check *p, const struct jr_node *container,
                             struct jr_string_set *seen, const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;

    JR_EACH_AT(c, jr_get(container, "ports"), &JR_FIELD(path, "ports"), errs) {
        const int64_t port = jr_node_i64_or(jr_get(c.node, "hostPort"), 0);
        struct jr_str use;

        if (port == 0)
            continue;
        use = JR_FORMAT(errs, "%.*s/%.*s/%lld", JR_P(jr_get_str(c.node, "protocol")),
                        JR_P(jr_get_str(c.node, "hostIP")), (long long)port);
        if (!jr_string_set_add(seen, use))
            jr_violation_text(errs, JR_RULE_HOST_PORT_TWICE, &JR_FIELD(&c.path, "hostPort"), use);
    }
}
