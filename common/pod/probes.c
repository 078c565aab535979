#include "common/pod/parts.h"

static void check_numbers(struct jr_pod_check *p, const struct jr_node *probe,
                          const struct jr_field_path *path)
{
    static const char *const counts[] = { "initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                          "successThreshold", "failureThreshold" };
    struct jr_errlist *errs = p->errs;
    int64_t v;

    for (size_t i = 0; i < JR_ARRAY_SIZE(counts); i++) {
        v = jr_node_i64_or(jr_get(probe, counts[i]), 0);
        if (v < 0)
            jr_violation_int(errs, JR_RULE_PROBE_NEGATIVE, &JR_FIELD(path, counts[i]), v);
    }
    if (jr_node_i64(jr_get(probe, "terminationGracePeriodSeconds"), &v) == JR_OK && v <= 0)
        jr_violation_int(errs, JR_RULE_PROBE_GRACE,
                         &JR_FIELD(path, "terminationGracePeriodSeconds"), v);
}

static void check_one_success(struct jr_pod_check *p, const struct jr_node *probe,
                              const struct jr_field_path *path)
{
    const int64_t v = jr_node_i64_or(jr_get(probe, "successThreshold"), 0);

    if (v != 1)
        jr_violation_int(p->errs, JR_RULE_PROBE_SUCCESSES, &JR_FIELD(path, "successThreshold"), v);
}

static void check_no_grace(struct jr_pod_check *p, const struct jr_node *probe,
                           const struct jr_field_path *path)
{
    int64_t v;

    if (jr_node_i64(jr_get(probe, "terminationGracePeriodSeconds"), &v) == JR_OK)
        jr_violation_int(p->errs, JR_RULE_READINESS_GRACE,
                         &JR_FIELD(path, "terminationGracePeriodSeconds"), v);
}

void jr_pod_check_probes(struct jr_pod_check *p, const struct jr_node *container,
                         const struct jr_field_path *path)
{
    static const struct {
        const char *name;
        void (*check)(struct jr_pod_check *p, const struct jr_node *probe,
                      const struct jr_field_path *path);
    } probes[] = {
        { "livenessProbe", check_one_success },
        { "readinessProbe", check_no_grace },
        { "startupProbe", check_one_success },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(probes); i++) {
        const struct jr_field_path at = JR_FIELD(path, probes[i].name);
        const struct jr_node *probe = jr_get(container, probes[i].name);

        if (jr_unset(probe))
            continue;
        jr_pod_check_handler(p, probe, JR_POD_PROBE, &at);
        check_numbers(p, probe, &at);
        probes[i].check(p, probe, &at);
    }
}
