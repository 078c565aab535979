/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of fieldRef and resourceFieldRef. */
#include "common/pod/parts.h"
#include "common/schema/quantity.h"

/* ---- fieldRef ---- */

/** Takes "path['key']" apart; false: it is none. */
static bool split_subscript(struct jr_str s, struct jr_str *ret_path, struct jr_str *ret_key)
{
    const char *at;

    if (!jr_str_ends(s, JR_S("']")))
        return false;
    s = jr_str_head(s, s.n - 2);
    at = s.n == 0 ? NULL : memmem(s.p, s.n, "['", 2);
    if (at == NULL || at == s.p)
        return false;
    *ret_path = jr_str_head(s, (size_t)(at - s.p));
    *ret_key = jr_str_from(s, ret_path->n + 2);
    return true;
}

/** What an API server's conversion of a field path says against it, NULL: nothing. */
static const char *conversion_fault(struct jr_str version, struct jr_str label, bool subscript,
                                    struct jr_str path)
{
    static const char *const known[] = {
        "metadata.annotations",
        "metadata.labels",
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "status.phase",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
        "spec.host",
        NULL,
    };
    static const char *const maps[] = { "metadata.annotations", "metadata.labels", NULL };

    if (!jr_str_is(version, "v1"))
        return "unsupported pod version";
    if (subscript)
        return jr_one_of(path, maps) ? NULL : "field label does not support subscript";
    return jr_one_of(label, known) ? NULL : "field label not supported";
}

static void check_key(struct jr_str path, struct jr_str key, const struct jr_field_path *at,
                      struct jr_errlist *errs)
{
    struct jr_name_errors faults;

    if (jr_str_is(path, "metadata.annotations"))
        key = jr_lower_key(key, errs);
    faults = jr_name_key(key);
    jr_rule_faults(errs, JR_RULE_FIELD_REF_KEY, at, key, &faults);
}

void jr_pod_check_field_ref(struct jr_pod_check *p, const struct jr_node *ref,
                            const char *const *fields, const struct jr_field_path *path)
{
    const struct jr_field_path at = JR_FIELD(path, "fieldPath");
    const struct jr_str version = jr_get_str(ref, "apiVersion");
    struct jr_str label = jr_get_str(ref, "fieldPath"), map = JR_NO_VALUE, key = JR_NO_VALUE;
    struct jr_errlist *errs = p->errs;
    const bool subscript = split_subscript(label, &map, &key);
    const char *fault;

    if (label.n == 0) {
        jr_violation(errs, JR_RULE_FIELD_REF_REQUIRED, &at);
        return;
    }
    fault = conversion_fault(version, label, subscript, map);
    if (fault != NULL) {
        const struct jr_str what = jr_str_is(version, "v1") ? label : version;

        jr_rule_violatedf(errs, JR_RULE_FIELD_REF_PATH, &at, jr_errlist_quote(errs, label),
                          "error converting fieldPath: %s: %.*s", fault, JR_P(what));
        return;
    }
    if (subscript) {
        check_key(map, key, path, errs);
        return;
    }
    if (jr_str_is(label, "spec.host"))
        label = JR_S("spec.nodeName"); /* its old name */
    if (!jr_one_of(label, fields))
        jr_rule_unsupported(errs, JR_RULE_FIELD_REF_UNSUPPORTED, &at, jr_errlist_quote(errs, label),
                            fields);
}

/* ---- resourceFieldRef ---- */

#define BYTES "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"

static const char *const cpu_units[] = { "1m", "1", NULL };
static const char *const byte_units[] = { "1",   "1k",  "1M",  "1G",  "1T",  "1P",  "1E",
                                          "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei", NULL };

/** What a resource, behind "limits." or "requests.", may be divided by. */
static const struct unit_rule {
    const char *resource;
    const char *const *units;
    const char *detail;
} unit_rules[] = {
    { "cpu", cpu_units, "only divisor's values 1m and 1 are supported with the cpu resource" },
    { "memory", byte_units,
      "only divisor's values " BYTES " are supported with the memory resource" },
    { "ephemeral-storage", byte_units,
      "only divisor's values " BYTES " are supported with the local ephemeral storage resource" },
};
static const struct unit_rule huge_page_units = { "hugepages-", byte_units,
                                                  "only divisor's values " BYTES
                                                  " are supported with the hugepages resource" };

static const struct unit_rule *units_of(struct jr_str resource)
{
    static const char *const sides[] = { "limits.", "requests." };

    for (size_t i = 0; i < JR_ARRAY_SIZE(sides); i++) {
        const struct jr_str name = jr_str_from(resource, strlen(sides[i]));

        if (!jr_str_starts(resource, jr_str(sides[i])))
            continue;
        for (size_t k = 0; k < JR_ARRAY_SIZE(unit_rules); k++) {
            if (jr_str_is(name, unit_rules[k].resource))
                return &unit_rules[k];
        }
        if (jr_str_starts(name, JR_S("hugepages-")))
            return &huge_page_units;
    }
    return NULL;
}

static void check_divisor(const struct jr_node *divisor, const struct unit_rule *rule,
                          struct jr_str resource, const struct jr_field_path *path,
                          struct jr_errlist *errs)
{
    struct jr_quantity q;
    JR_BUF text = { 0 };

    if (rule == NULL || jr_quantity_of(divisor, &q) != JR_OK || jr_quantity_sign(&q) == 0)
        return;
    jr_buf_init(&text, 4 * (size_t)JR_QUANTITY_DIGITS);
    if (jr_quantity_write(&q, &text) != JR_OK)
        errs->failed = text.failed;
    else if (!jr_one_of(jr_buf_str(&text), rule->units))
        jr_rule_violatedf(errs, JR_RULE_RESOURCE_REF_DIVISOR, path,
                          jr_errlist_quote(errs, resource), "%s", rule->detail);
}

/** named: the container has to be named. */
static void check_resource_ref(struct jr_pod_check *p, const struct jr_node *ref, bool named,
                               const struct jr_field_path *path)
{
    static const char *const supported[] = { "limits.cpu",
                                             "limits.ephemeral-storage",
                                             "limits.memory",
                                             "requests.cpu",
                                             "requests.ephemeral-storage",
                                             "requests.memory",
                                             NULL };
    const struct jr_field_path at = JR_FIELD(path, "resource");
    const struct jr_str resource = jr_get_str(ref, "resource");
    const struct unit_rule *units = units_of(resource);
    struct jr_errlist *errs = p->errs;

    if (named && jr_get_str(ref, "containerName").n == 0)
        jr_violation(errs, JR_RULE_VOLUME_DOWNWARD_CONTAINER, &JR_FIELD(path, "containerName"));
    else if (resource.n == 0)
        jr_violation(errs, JR_RULE_RESOURCE_REF_REQUIRED, &at);
    else if (units == NULL)
        jr_rule_unsupported(errs, JR_RULE_RESOURCE_REF, &at, jr_errlist_quote(errs, resource),
                            supported);
    check_divisor(jr_get(ref, "divisor"), units, resource, &JR_FIELD(path, "divisor"), errs);
}

void jr_pod_check_resource_ref(struct jr_pod_check *p, const struct jr_node *ref,
                               const struct jr_field_path *path)
{
    check_resource_ref(p, ref, false, path);
}

void jr_pod_check_named_resource_ref(struct jr_pod_check *p, const struct jr_node *ref,
                                     const struct jr_field_path *path)
{
    check_resource_ref(p, ref, true, path);
}
