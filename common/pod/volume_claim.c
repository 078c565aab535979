/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of the claim template of an ephemeral volume. */
#include "common/pod/selector.h"
#include "common/pod/volume_parts.h"
#include "common/schema/quantity.h"

/* ---- metadata ---- */

/* What a claim's template can't set, in the order of Go's fields, with the names that upstream
 * makes of them. */
static const struct {
    const char *name;
    const char *field;
    bool zero_is_unset; /* no pointer and no list in Go: "" and 0 are as if absent */
} unsettable[] = {
    { "name", "name", true },
    { "generateName", "generateName", true },
    { "namespace", "namespace", true },
    { "selfLink", "selfLink", true },
    { "uid", "uID", true },
    { "resourceVersion", "resourceVersion", true },
    { "generation", "generation", true },
    { "creationTimestamp", "creationTimestamp", false },
    { "deletionTimestamp", "deletionTimestamp", false },
    { "deletionGracePeriodSeconds", "deletionGracePeriodSeconds", false },
    { "ownerReferences", "ownerReferences", false },
    { "finalizers", "finalizers", false },
    { "managedFields", "managedFields", false },
};

static void check_metadata(struct jr_pod_check *p, const struct jr_node *meta,
                           const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;
    const struct jr_labels labels = jr_string_map(jr_get(meta, "labels"), errs);
    const struct jr_labels annotations = jr_string_map(jr_get(meta, "annotations"), errs);

    jr_validate_annotations(&annotations, &JR_FIELD(path, "annotations"),
                            JR_RULE_CLAIM_ANNOTATION_KEY, JR_RULE_CLAIM_ANNOTATIONS_SIZE, errs);
    jr_validate_labels(&labels, &JR_FIELD(path, "labels"), JR_RULE_CLAIM_LABEL_KEY,
                       JR_RULE_CLAIM_LABEL_VALUE, errs);
    for (size_t i = 0; i < JR_ARRAY_SIZE(unsettable); i++) {
        const struct jr_node *node = jr_get(meta, unsettable[i].name);
        bool zero = jr_node_i64_or(node, 0) == 0 && jr_node_str(node).n == 0;

        if (!jr_unset(node) && !(unsettable[i].zero_is_unset && zero))
            jr_violation(errs, JR_RULE_CLAIM_METADATA, &JR_FIELD(path, unsettable[i].field));
    }
}

/* ---- modes and size ---- */

static void check_modes(struct jr_pod_check *p, const struct jr_node *modes,
                        const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;
    static const char *const known[] = { "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                         "ReadWriteOncePod", NULL };
    bool alone = false, others = false;

    JR_EACH_AT(m, modes, path, errs) {
        const struct jr_str mode = jr_node_str(m.node);

        m.path.hidden = true; /* upstream's path has no index */
        jr_validate_choice(JR_RULE_CLAIM_MODE, known, mode, &m.path, errs);
        if (jr_str_is(mode, "ReadWriteOncePod"))
            alone = true;
        else
            others = others || jr_one_of(mode, known);
    }
    if (alone && others)
        jr_violation(errs, JR_RULE_CLAIM_MODE_ALONE, path);
}

static void check_storage(struct jr_pod_check *p, const struct jr_node *spec,
                          const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;
    const struct jr_node *storage = jr_path(spec, "resources.requests.storage");
    const struct jr_field_path resources = JR_FIELD(path, "resources");
    const struct jr_field_path requests = JR_FIELD_HIDDEN(&resources, JR_S("requests"));
    const struct jr_field_path at = JR_FIELD_KEY(&requests, JR_S("storage"));
    struct jr_quantity q;

    if (storage == NULL)
        jr_violation(errs, JR_RULE_CLAIM_STORAGE_REQUIRED, &at);
    else if (jr_quantity_of(storage, &q) == JR_OK && jr_quantity_sign(&q) <= 0)
        jr_violation_text(errs, JR_RULE_CLAIM_STORAGE, &at, jr_pod_quantity_text(&q, errs));
}

/* ---- where the data comes from ---- */

static void check_source(struct jr_pod_check *p, const struct jr_node *source,
                         const struct jr_field_path *path)
{
    static const struct jr_field_rule rules[] = {
        JR_REQUIRED("name", TEXT, CLAIM_SOURCE_NAME),
        JR_REQUIRED("kind", TEXT, CLAIM_SOURCE_KIND_REQUIRED),
        JR_SYNTAX(JR_IF_TEXT, "apiGroup", CLAIM_SOURCE_GROUP, jr_name_subdomain),
        { .name = NULL },
    };
    const struct jr_str kind = jr_get_str(source, "kind");

    jr_pod_check_fields(p, rules, source, path);
    if (jr_get_str(source, "apiGroup").n == 0 && !jr_str_is(kind, "PersistentVolumeClaim"))
        jr_violation_text(p->errs, JR_RULE_CLAIM_SOURCE_KIND, &JR_FIELD_HIDDEN(path, JR_S("kind")),
                          kind);
}

static bool same_source(const struct jr_node *a, const struct jr_node *b)
{
    return jr_unset(jr_get(a, "apiGroup")) == jr_unset(jr_get(b, "apiGroup")) &&
           jr_str_eq(jr_get_str(a, "apiGroup"), jr_get_str(b, "apiGroup")) &&
           jr_str_eq(jr_get_str(a, "kind"), jr_get_str(b, "kind")) &&
           jr_str_eq(jr_get_str(a, "name"), jr_get_str(b, "name"));
}

static const struct jr_field_rule ref_rules[] = {
    JR_SYNTAX(JR_IF_TEXT, "namespace", CLAIM_SOURCE_NAMESPACE, jr_name_dns_label),
    { .name = NULL },
};
static const struct jr_field_rule data_rules[] = {
    JR_CALL(JR_IF_SET, "dataSource", check_source),
    JR_CALL(JR_IF_SET, "dataSourceRef", check_source),
    JR_RULES_OF("dataSourceRef", ref_rules),
    { .name = NULL },
};

static void check_data(struct jr_pod_check *p, const struct jr_node *spec,
                       const struct jr_field_path *path)
{
    const struct jr_node *source = jr_get(spec, "dataSource");
    const struct jr_node *ref = jr_get(spec, "dataSourceRef");

    jr_pod_check_fields(p, data_rules, spec, path);
    if (jr_unset(source) || jr_unset(ref))
        return;
    /* upstream shows the path, which Go's encoder finds nothing in */
    if (jr_get_str(ref, "namespace").n > 0)
        jr_rule_violated(p->errs, JR_RULE_CLAIM_SOURCE_FOREIGN, path, JR_S("{}"));
    else if (!same_source(source, ref))
        jr_rule_violated(p->errs, JR_RULE_CLAIM_SOURCES_DIFFER, path, JR_S("{}"));
}

/* ---- the whole ---- */

static void check_selector(struct jr_pod_check *p, const struct jr_node *selector,
                           const struct jr_field_path *path)
{
    jr_pod_check_selector(selector, false, path, p->errs);
}

static void check_attributes_class(struct jr_pod_check *p, const struct jr_node *name,
                                   const struct jr_field_path *path)
{
    if (!p->opts->any_attributes_class)
        jr_validate_name(p->errs, JR_RULE_CLAIM_ATTRIBUTES_CLASS, path, jr_node_str(name),
                         jr_name_subdomain);
}

static const char *const volume_modes[] = { "Block", "Filesystem", NULL };

static const struct jr_field_rule spec_rules[] = {
    JR_REQUIRED("accessModes", LIST, CLAIM_MODES_REQUIRED),
    JR_CALL(JR_ALWAYS, "selector", check_selector),
    JR_CALL(JR_ALWAYS, "accessModes", check_modes),
    JR_OBJECT_BY(check_storage),
    JR_SYNTAX(JR_IF_TEXT, "storageClassName", CLAIM_STORAGE_CLASS, jr_name_subdomain),
    JR_CHOICE(JR_IF_SET, "volumeMode", CLAIM_VOLUME_MODE, volume_modes),
    JR_OBJECT_BY(check_data),
    JR_CALL(JR_IF_TEXT, "volumeAttributesClassName", check_attributes_class),
    { .name = NULL },
};
static const struct jr_field_rule template_rules[] = {
    JR_CALL(JR_ALWAYS, "metadata", check_metadata),
    JR_ROW("spec", RULES, .rules = spec_rules),
    { .name = NULL },
};
const struct jr_field_rule jr_volume_ephemeral_rules[] = {
    JR_REQUIRED("volumeClaimTemplate", SET, CLAIM_TEMPLATE),
    JR_RULES_OF("volumeClaimTemplate", template_rules),
    { .name = NULL },
};
