/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings for node labels, spread constraints and Pod affinity. */
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
static void warn_values(struct jr_warnings *w, const struct jr_node *values,
                        const struct jr_field_path *expression)
{
    const struct jr_field_path path = JR_FIELD(expression, "values");

    JR_WARN_EACH(v, values, &path, w) {
        const struct jr_str s = jr_node_str(v.node);
        const struct jr_name_errors faults = jr_name_label_value(s);

        for (size_t k = 0; k < faults.n; k++)
            jr_warnings_add(w, JR_WARNING_NODE_VALUE_INVALID, &v.path, "%.*s is invalid, %.*s",
                            JR_P(s), JR_P(jr_name_words(jr_str(faults.v[k]), w->version.minor)));
    }
}

static void warn_node_term(struct jr_warnings *w, const struct jr_node *term, bool check_values,
                           const struct jr_field_path *term_path)
{
    const struct jr_field_path path = JR_FIELD(term_path, "matchExpressions");

    JR_WARN_EACH(r, jr_get(term, "matchExpressions"), &path, w) {
        const struct jr_str key = jr_get_str(r.node, "key");
        const char *words = deprecation(key);

        if (words != NULL)
            jr_warnings_add(w, JR_WARNING_NODE_LABEL_DEPRECATED, &JR_FIELD(&r.path, "key"),
                            "%.*s is %s", JR_P(key), words);
        if (check_values && jr_kube_has(w->version, JR_CHANGE_WARNS_OF_NODE_VALUES))
            warn_values(w, jr_get(r.node, "values"), &r.path);
    }
}

void jr_warn_node_labels(struct jr_warnings *w, const struct jr_node *pod)
{
    const struct jr_node *affinity = jr_path(pod, "affinity.nodeAffinity");
    const struct jr_field_path spec = JR_WARN_POD(w);
    const struct jr_field_path selector = JR_FIELD(&spec, "nodeSelector");
    const struct jr_field_path affinities = JR_FIELD(&spec, "affinity");
    const struct jr_field_path path = JR_FIELD(&affinities, "nodeAffinity");
    const struct jr_field_path required = JR_FIELD(&path, REQUIRED);
    const struct jr_field_path terms = JR_FIELD(&required, "nodeSelectorTerms");
    const struct jr_field_path preferred = JR_FIELD(&path, PREFERRED);

    JR_EACH(m, jr_get(pod, "nodeSelector")) {
        const char *words = deprecation(jr_key(m));

        if (words != NULL)
            jr_warnings_add(w, JR_WARNING_NODE_LABEL_DEPRECATED,
                            &JR_FIELD_KEY(&selector, jr_key(m)), "%s", words);
    }
    JR_WARN_EACH(t, jr_get(jr_get(affinity, REQUIRED), "nodeSelectorTerms"), &terms, w)
        warn_node_term(w, t.node, false, &t.path);
    JR_WARN_EACH(t, jr_get(affinity, PREFERRED), &preferred, w)
        warn_node_term(w, jr_get(t.node, "preference"), true, &JR_FIELD(&t.path, "preference"));
}

/* ---- other Pods ---- */

#define MATCHES_NOTHING "a null labelSelector results in matching no pod"

void jr_warn_spread(struct jr_warnings *w, const struct jr_node *pod)
{
    const struct jr_field_path spec = JR_WARN_POD(w);
    const struct jr_field_path path = JR_FIELD(&spec, "topologySpreadConstraints");

    JR_WARN_EACH(c, jr_get(pod, "topologySpreadConstraints"), &path, w) {
        const struct jr_str key = jr_get_str(c.node, "topologyKey");
        const char *words = deprecation(key);

        if (words != NULL)
            jr_warnings_add(w, JR_WARNING_NODE_LABEL_DEPRECATED, &JR_FIELD(&c.path, "topologyKey"),
                            "%.*s is %s", JR_P(key), words);
        if (jr_unset(jr_get(c.node, "labelSelector")))
            jr_warnings_add(w, JR_WARNING_SELECTOR_NULL, &JR_FIELD(&c.path, "labelSelector"),
                            MATCHES_NOTHING);
    }
}

void jr_warn_pod_affinity(struct jr_warnings *w, const struct jr_node *pod)
{
    static const char *const kinds[] = { "podAffinity", "podAntiAffinity" };
    const struct jr_field_path spec = JR_WARN_POD(w);
    const struct jr_field_path affinities = JR_FIELD(&spec, "affinity");

    for (size_t k = 0; k < JR_ARRAY_SIZE(kinds); k++) {
        const struct jr_node *affinity = jr_get(jr_get(pod, "affinity"), kinds[k]);
        const struct jr_field_path path = JR_FIELD(&affinities, kinds[k]);
        const struct jr_field_path required = JR_FIELD(&path, REQUIRED);
        const struct jr_field_path preferred = JR_FIELD(&path, PREFERRED);

        JR_WARN_EACH(t, jr_get(affinity, REQUIRED), &required, w) {
            if (jr_unset(jr_get(t.node, "labelSelector")))
                jr_warnings_add(w, JR_WARNING_SELECTOR_NULL, &JR_FIELD(&t.path, "labelSelector"),
                                MATCHES_NOTHING);
        }
        JR_WARN_EACH(t, jr_get(affinity, PREFERRED), &preferred, w) {
            const struct jr_field_path term = JR_FIELD(&t.path, "podAffinityTerm");

            if (jr_unset(jr_path(t.node, "podAffinityTerm.labelSelector")))
                jr_warnings_add(w, JR_WARNING_SELECTOR_NULL, &JR_FIELD(&term, "labelSelector"),
                                MATCHES_NOTHING);
        }
    }
}
