#include "common/pod/warning_parts.h"
#include "common/rules/names.h"

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static const struct {
    const char *label;
    const char *words;
} deprecated_labels[] = {
    { "beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead" },
    { "beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead" },
    { "failure-domain.beta.kubernetes.io/region",
      "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead" },
    { "failure-domain.beta.kubernetes.io/zone",
      "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead" },
    { "beta.kubernetes.io/instance-type",
      "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead" },
    { "app.kubernetes.io/created-by", "deprecated since v1.9" },
    { "scheduler.alpha.kubernetes.io/preferAvoidPods",
      "deprecated since v1.22; use Taints and Tolerations instead" },
    { "node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead" },
};

/** NULL for a label that is fine. */
static const char *deprecation(struct jr_str label)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(deprecated_labels); i++) {
        if (jr_str_is(label, deprecated_labels[i].label))
            return deprecated_labels[i].words;
    }
    return NULL;
}

/* ---- nodes ---- */

/** The values of a preference aren't validated: no node may have them. */
static void warn_values(struct jr_warnings *w, const struct jr_node *values, const char *path,
                        size_t at)
{
    JR_WARN_EACH(v, values, w) {
        const struct jr_str s = jr_node_str(v.node);
        const struct jr_faults faults = jr_name_label_value(s);

        for (size_t k = 0; k < faults.n; k++)
            JR_WARN(w, "%s.matchExpressions[%zu].values[%zu]: %.*s is invalid, %s", path, at,
                    v.index, JR_P(s), faults.v[k]);
    }
}

static void warn_node_term(struct jr_warnings *w, const struct jr_node *term, bool check_values,
                           const char *path)
{
    JR_WARN_EACH(r, jr_get(term, "matchExpressions"), w) {
        const struct jr_str key = jr_get_str(r.node, "key");
        const char *words = deprecation(key);

        if (words != NULL)
            JR_WARN(w, "%s.matchExpressions[%zu].key: %.*s is %s", path, r.index, JR_P(key), words);
        if (check_values)
            warn_values(w, jr_get(r.node, "values"), path, r.index);
    }
}

void jr_warn_node_labels(struct jr_warnings *w, const struct jr_node *pod)
{
    const struct jr_node *affinity = jr_path(pod, "affinity.nodeAffinity");

    JR_EACH(m, jr_get(pod, "nodeSelector")) {
        const char *words = deprecation(jr_key(m));

        if (words != NULL)
            JR_WARN(w, "%s.spec.nodeSelector[%.*s]: %s", w->at, JR_P(jr_key(m)), words);
    }
    JR_WARN_EACH(t, jr_get(jr_get(affinity, REQUIRED), "nodeSelectorTerms"), w)
        warn_node_term(
            w, t.node, false,
            JR_FORMAT(w, "%s.spec.affinity.nodeAffinity." REQUIRED ".nodeSelectorTerms[%zu]", w->at,
                      t.index));
    JR_WARN_EACH(t, jr_get(affinity, PREFERRED), w)
        warn_node_term(w, jr_get(t.node, "preference"), true,
                       JR_FORMAT(w, "%s.spec.affinity.nodeAffinity." PREFERRED "[%zu].preference",
                                 w->at, t.index));
}

/* ---- other Pods ---- */

#define MATCHES_NOTHING "a null labelSelector results in matching no pod"

void jr_warn_spread(struct jr_warnings *w, const struct jr_node *pod)
{
    JR_WARN_EACH(c, jr_get(pod, "topologySpreadConstraints"), w) {
        const struct jr_str key = jr_get_str(c.node, "topologyKey");
        const char *words = deprecation(key);

        if (words != NULL)
            JR_WARN(w, "%s.spec.topologySpreadConstraints[%zu].topologyKey: %.*s is %s", w->at,
                    c.index, JR_P(key), words);
        if (jr_unset(jr_get(c.node, "labelSelector")))
            JR_WARN(w, "%s.spec.topologySpreadConstraints[%zu].labelSelector: " MATCHES_NOTHING,
                    w->at, c.index);
    }
}

void jr_warn_pod_affinity(struct jr_warnings *w, const struct jr_node *pod)
{
    static const char *const kinds[] = { "podAffinity", "podAntiAffinity" };

    for (size_t k = 0; k < JR_ARRAY_SIZE(kinds); k++) {
        const struct jr_node *affinity = jr_get(jr_get(pod, "affinity"), kinds[k]);

        JR_WARN_EACH(t, jr_get(affinity, REQUIRED), w) {
            if (jr_unset(jr_get(t.node, "labelSelector")))
                JR_WARN(w, "%s.spec.affinity.%s." REQUIRED "[%zu].labelSelector: " MATCHES_NOTHING,
                        w->at, kinds[k], t.index);
        }
        JR_WARN_EACH(t, jr_get(affinity, PREFERRED), w) {
            if (jr_unset(jr_path(t.node, "podAffinityTerm.labelSelector")))
                JR_WARN(w,
                        "%s.spec.affinity.%s." PREFERRED
                        "[%zu].podAffinityTerm.labelSelector: " MATCHES_NOTHING,
                        w->at, kinds[k], t.index);
        }
    }
}
