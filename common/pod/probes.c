/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of probes. */
#include "common/pod/parts.h"

static void check_handler(struct jr_pod_check *p, const struct jr_node *probe,
                          const struct jr_field_path *path)
{
    jr_pod_check_handler(p, probe, JR_POD_PROBE, path);
}

/** Only other probes may have one. */
static void check_no_grace(struct jr_pod_check *p, const struct jr_node *seconds,
                           const struct jr_field_path *path)
{
    int64_t v;

    if (jr_node_i64(seconds, &v) == JR_OK)
        jr_violation_int(p->errs, JR_RULE_READINESS_GRACE, path, v);
}

#define COUNT(name_) JR_RANGE(JR_ALWAYS, name_, PROBE_NEGATIVE, 0, INT64_MAX)

static const struct jr_field_rule probe_rules[] = {
    JR_OBJECT_BY(check_handler),
    COUNT("initialDelaySeconds"),
    COUNT("timeoutSeconds"),
    COUNT("periodSeconds"),
    COUNT("successThreshold"),
    COUNT("failureThreshold"),
    JR_RANGE(JR_IF_SET, "terminationGracePeriodSeconds", PROBE_GRACE, 1, INT64_MAX),
    { .name = NULL },
};
static const struct jr_field_rule one_success[] = {
    JR_RANGE(JR_ALWAYS, "successThreshold", PROBE_SUCCESSES, 1, 1),
    { .name = NULL },
};
static const struct jr_field_rule no_grace[] = {
    JR_CALL(JR_IF_SET, "terminationGracePeriodSeconds", check_no_grace),
    { .name = NULL },
};

void jr_pod_check_probes(struct jr_pod_check *p, const struct jr_node *container,
                         const struct jr_field_path *path)
{
    static const struct jr_field_rule probes[] = {
        JR_RULES_OF("livenessProbe", probe_rules),
        JR_RULES_OF("livenessProbe", one_success),
        JR_RULES_OF("readinessProbe", probe_rules),
        JR_RULES_OF("readinessProbe", no_grace),
        JR_RULES_OF("startupProbe", probe_rules),
        JR_RULES_OF("startupProbe", one_success),
        { .name = NULL },
    };

    jr_pod_check_fields(p, probes, container, path);
}
