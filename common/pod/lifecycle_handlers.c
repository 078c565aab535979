/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of the handlers of probes and lifecycle hooks. */
#include "common/pod/parts.h"

#define PORT_MAX 65535

static void check_exec(struct jr_pod_check *p, const struct jr_node *exec,
                       const struct jr_field_path *path)
{
    if (jr_size(jr_get(exec, "command")) == 0)
        jr_violation(p->errs, JR_RULE_EXEC_COMMAND, &JR_FIELD(path, "command"));
}

/** A port by number or by name. */
static void check_port(struct jr_pod_check *p, const struct jr_node *handler,
                       const struct jr_field_path *path)
{
    const struct jr_field_path at = JR_FIELD(path, "port");
    const struct jr_node *port = jr_get(handler, "port");
    const int64_t number = jr_node_i64_or(port, 0);

    if (jr_node_kind(port) == JR_STRING) {
        jr_validate_name(p->errs, JR_RULE_HANDLER_PORT_NAME, &at, jr_node_str(port), jr_name_port);
    } else if (number < 1 || number > PORT_MAX) {
        jr_violation_int(p->errs, JR_RULE_HANDLER_PORT, &at, number);
    }
}

static void check_http(struct jr_pod_check *p, const struct jr_node *http,
                       const struct jr_field_path *path)
{
    static const char *const schemes[] = { "HTTP", "HTTPS", NULL };
    struct jr_errlist *errs = p->errs;

    check_port(p, http, path);
    jr_validate_choice(JR_RULE_HTTP_SCHEME, schemes, jr_get_str(http, "scheme"),
                       &JR_FIELD(path, "scheme"), errs);
    JR_EACH_GOING(h, jr_get(http, "httpHeaders"), errs) {
        const struct jr_str name = jr_get_str(h, "name");

        jr_validate_name(errs, JR_RULE_HTTP_HEADER, &JR_FIELD(path, "httpHeaders"), name,
                         jr_name_http_header);
    }
}

/** Longer than the Pod has to die. */
static void check_sleep(struct jr_pod_check *p, const struct jr_node *sleep,
                        const struct jr_field_path *path)
{
    const int64_t seconds = jr_node_i64_or(jr_get(sleep, "seconds"), 0);
    int64_t grace;

    if (jr_node_i64(jr_get(p->spec, "terminationGracePeriodSeconds"), &grace) != JR_OK)
        return; /* which is an error of its own */
    if (p->opts->positive_sleep && (seconds <= 0 || seconds > grace))
        jr_rule_violatedf(p->errs, JR_RULE_SLEEP_SECONDS, path, jr_errlist_int(p->errs, seconds),
                          "must be greater than 0 and less than terminationGracePeriodSeconds "
                          "(%lld)%s",
                          (long long)grace,
                          jr_kube_has(p->errs->version, JR_CHANGE_SLEEP_ERROR_NAMES_GATE)
                              ? ". Enable AllowPodLifecycleSleepActionZeroValue feature gate for "
                                "zero sleep."
                              : "");
    else if (seconds < 0 || seconds > grace)
        jr_rule_violatedf(p->errs, JR_RULE_SLEEP_SECONDS, path, jr_errlist_int(p->errs, seconds),
                          "must be non-negative and less than terminationGracePeriodSeconds (%lld)",
                          (long long)grace);
}

#define OF(which) (1u << (which))
#define BOTH (OF(JR_POD_PROBE) | OF(JR_POD_HOOK))

void jr_pod_check_handler(struct jr_pod_check *p, const struct jr_node *handler,
                          enum jr_pod_handler of, const struct jr_field_path *path)
{
    static const struct {
        const char *name;
        unsigned of; /* where it exists */
        void (*check)(struct jr_pod_check *p, const struct jr_node *handler,
                      const struct jr_field_path *path);
    } kinds[] = {
        { "exec", BOTH, check_exec },
        { "httpGet", BOTH, check_http },
        { "tcpSocket", BOTH, check_port },
        { "grpc", OF(JR_POD_PROBE), check_port },
        { "sleep", OF(JR_POD_HOOK), check_sleep },
    };
    size_t n = 0;

    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++) {
        const struct jr_field_path at = JR_FIELD(path, kinds[i].name);
        const struct jr_node *h = jr_get(handler, kinds[i].name);

        if (jr_unset(h) || (kinds[i].of & OF(of)) == 0)
            continue;
        if (n++ == 0)
            kinds[i].check(p, h, &at);
        else
            jr_violation(p->errs, JR_RULE_HANDLERS, &at);
    }
    if (n == 0)
        jr_violation(p->errs, JR_RULE_HANDLER_REQUIRED, path);
}
