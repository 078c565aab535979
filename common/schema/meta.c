/* metav1: ObjectMeta and selectors (k8s.io/apimachinery). */
#include "common/schema/macros.h"

static const struct jr_schema_field owner_reference_fields[] = {
    STRING("apiVersion"),
    STRING("kind"),
    STRING("name"),
    STRING_OF("uid", "types.UID"),
    BOOL_PTR("controller"),
    BOOL_PTR("blockOwnerDeletion"),
    END,
};
TYPE(owner_reference, "OwnerReference");

static const struct jr_schema_field managed_fields_entry_fields[] = {
    STRING("manager"),     STRING_OF("operation", "v1.ManagedFieldsOperationType"),
    STRING("apiVersion"),  TIME_PTR("time"),
    STRING("fieldsType"),  ANY("fieldsV1"),
    STRING("subresource"), END,
};
TYPE(managed_fields_entry, "ManagedFieldsEntry");

static const struct jr_schema_field object_meta_fields[] = {
    STRING("name"),
    STRING("generateName"),
    STRING("namespace"),
    STRING("selfLink"),
    STRING_OF("uid", "types.UID"),
    STRING("resourceVersion"),
    INT64("generation"),
    TIME("creationTimestamp"),
    TIME_PTR("deletionTimestamp"),
    INT64_PTR("deletionGracePeriodSeconds"),
    STRING_MAP("labels"),
    STRING_MAP("annotations"),
    LIST("ownerReferences", owner_reference, BY("uid")),
    STRINGS("finalizers", MERGED),
    LIST("managedFields", managed_fields_entry),
    END,
};
PUBLIC_TYPE(object_meta, "ObjectMeta");

static const struct jr_schema_field label_selector_requirement_fields[] = {
    STRING("key"),
    STRING_OF("operator", "v1.LabelSelectorOperator"),
    STRINGS("values"),
    END,
};
PUBLIC_TYPE(label_selector_requirement, "LabelSelectorRequirement");

static const struct jr_schema_field label_selector_fields[] = {
    STRING_MAP("matchLabels"),
    LIST("matchExpressions", jr_schema_label_selector_requirement),
    END,
};
PUBLIC_TYPE(label_selector, "LabelSelector");
