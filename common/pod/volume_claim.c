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

static void check_metadata(const struct jr_node *meta, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
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

static void check_modes(const struct jr_node *modes, const struct jr_field_path *path,
                        struct jr_errlist *errs)
{
    static const char *const known[] = { "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                         "ReadWriteOncePod", NULL };
    bool alone = false, others = false;

    JR_EACH_GOING(m, modes, errs) {
        const struct jr_str mode = jr_node_str(m);

        jr_validate_choice(JR_RULE_CLAIM_MODE, known, mode, path, errs);
        if (jr_str_is(mode, "ReadWriteOncePod"))
            alone = true;
        else
            others = others || jr_one_of(mode, known);
    }
    if (alone && others)
        jr_violation(errs, JR_RULE_CLAIM_MODE_ALONE, path);
}

static void check_storage(const struct jr_node *spec, const struct jr_field_path *path,
                          struct jr_errlist *errs)
{
    const struct jr_node *storage = jr_path(spec, "resources.requests.storage");
    const struct jr_field_path resources = JR_FIELD(path, "resources");
    const struct jr_field_path at = JR_FIELD_KEY(&resources, JR_S("storage"));
    struct jr_quantity q;

    if (storage == NULL)
        jr_violation(errs, JR_RULE_CLAIM_STORAGE_REQUIRED, &at);
    else if (jr_quantity_of(storage, &q) == JR_OK && jr_quantity_sign(&q) <= 0)
        jr_violation_text(errs, JR_RULE_CLAIM_STORAGE, &at, jr_pod_quantity_text(&q, errs));
}

/* ---- where the data comes from ---- */

static void check_source(const struct jr_node *source, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    static const struct jr_required required[] = {
        { "name", JR_RULE_CLAIM_SOURCE_NAME },
        { "kind", JR_RULE_CLAIM_SOURCE_KIND_REQUIRED },
        { 0 },
    };
    const struct jr_str kind = jr_get_str(source, "kind"), group = jr_get_str(source, "apiGroup");

    jr_require_texts(required, source, path, errs);
    if (group.n > 0)
        jr_validate_name(errs, JR_RULE_CLAIM_SOURCE_GROUP, &JR_FIELD(path, "apiGroup"), group,
                         jr_name_subdomain);
    else if (!jr_str_is(kind, "PersistentVolumeClaim"))
        jr_violation_text(errs, JR_RULE_CLAIM_SOURCE_KIND, path, kind);
}

static bool same_source(const struct jr_node *a, const struct jr_node *b)
{
    return jr_unset(jr_get(a, "apiGroup")) == jr_unset(jr_get(b, "apiGroup")) &&
           jr_str_eq(jr_get_str(a, "apiGroup"), jr_get_str(b, "apiGroup")) &&
           jr_str_eq(jr_get_str(a, "kind"), jr_get_str(b, "kind")) &&
           jr_str_eq(jr_get_str(a, "name"), jr_get_str(b, "name"));
}

static void check_data(const struct jr_node *spec, const struct jr_field_path *path,
                       struct jr_errlist *errs)
{
    const struct jr_field_path ref_path = JR_FIELD(path, "dataSourceRef");
    const struct jr_node *source = jr_get(spec, "dataSource");
    const struct jr_node *ref = jr_get(spec, "dataSourceRef");
    const struct jr_str space = jr_get_str(ref, "namespace");

    if (!jr_unset(source))
        check_source(source, &JR_FIELD(path, "dataSource"), errs);
    if (jr_unset(ref))
        return;
    check_source(ref, &ref_path, errs);
    if (space.n > 0)
        jr_validate_name(errs, JR_RULE_CLAIM_SOURCE_NAMESPACE, &JR_FIELD(&ref_path, "namespace"),
                         space, jr_name_dns_label);
    if (jr_unset(source))
        return;
    /* upstream shows the path, which Go's encoder finds nothing in */
    if (space.n > 0)
        jr_rule_broken(errs, JR_RULE_CLAIM_SOURCE_FOREIGN, path, JR_S("{}"));
    else if (!same_source(source, ref))
        jr_rule_broken(errs, JR_RULE_CLAIM_SOURCES_DIFFER, path, JR_S("{}"));
}

/* ---- the whole ---- */

/** The name of a class, which may be left out. */
static void check_class(const struct jr_node *spec, const char *name, enum jr_rule rule,
                        const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str s = jr_get_str(spec, name);

    if (s.n > 0)
        jr_validate_name(errs, rule, &JR_FIELD(path, name), s, jr_name_subdomain);
}

static void check_spec(const struct jr_node *spec, const struct jr_field_path *path,
                       struct jr_errlist *errs)
{
    static const char *const volume_modes[] = { "Block", "Filesystem", NULL };
    const struct jr_field_path modes_path = JR_FIELD(path, "accessModes");
    const struct jr_node *modes = jr_get(spec, "accessModes");
    const struct jr_node *volume_mode = jr_get(spec, "volumeMode");

    if (jr_size(modes) == 0)
        jr_violation(errs, JR_RULE_CLAIM_MODES_REQUIRED, &modes_path);
    jr_pod_check_selector(jr_get(spec, "selector"), false, &JR_FIELD(path, "selector"), errs);
    check_modes(modes, &modes_path, errs);
    check_storage(spec, path, errs);
    check_class(spec, "storageClassName", JR_RULE_CLAIM_STORAGE_CLASS, path, errs);
    if (!jr_unset(volume_mode))
        jr_validate_choice(JR_RULE_CLAIM_VOLUME_MODE, volume_modes, jr_node_str(volume_mode),
                           &JR_FIELD(path, "volumeMode"), errs);
    check_data(spec, path, errs);
    check_class(spec, "volumeAttributesClassName", JR_RULE_CLAIM_ATTRIBUTES_CLASS, path, errs);
}

void jr_volume_check_ephemeral(struct jr_pod_check *p, const struct jr_node *source,
                               const struct jr_field_path *path)
{
    const struct jr_field_path at = JR_FIELD(path, "volumeClaimTemplate");
    const struct jr_node *template = jr_get(source, "volumeClaimTemplate");

    if (jr_unset(template)) {
        jr_violation(p->errs, JR_RULE_CLAIM_TEMPLATE, &at);
        return;
    }
    check_metadata(jr_get(template, "metadata"), &JR_FIELD(&at, "metadata"), p->errs);
    check_spec(jr_get(template, "spec"), &JR_FIELD(&at, "spec"), p->errs);
}
