/* SPDX-License-Identifier: Apache-2.0 */
/* metav1: ObjectMeta and selectors (k8s.io/apimachinery). */
#include "common/schema/macros.h"
#include "common/schema/meta.h"

PUBLIC_TYPE_WITH(owner_reference, "OwnerReference", WITH(DECODED(struct jr_owner_ref), AS_JSON),
    TEXT("apiVersion", AT(struct jr_owner_ref, api_version), NO(5)),
    TEXT("kind", AT(struct jr_owner_ref, kind), NO(1)),
    TEXT("name", AT(struct jr_owner_ref, name), NO(3)),
    TEXT_OF("uid", "types.UID", AT(struct jr_owner_ref, uid), NO(4)),
    BOOL_PTR("controller", AT(struct jr_owner_ref, controller), NO(6)),
    BOOL_PTR("blockOwnerDeletion", AT(struct jr_owner_ref, block_owner_deletion), NO(7)));

TYPE(managed_fields_entry, "ManagedFieldsEntry",
    STRING("manager", NO(1)),
    STRING_OF("operation", "v1.ManagedFieldsOperationType", NO(2)),
    STRING("apiVersion", NO(3)),
    TIME_PTR("time", NO(4)),
    STRING("fieldsType", NO(6)),
    ANY("fieldsV1", AS_BYTES, NO(7)),
    STRING("subresource", NO(8)));

PUBLIC_TYPE_WITH(object_meta, "ObjectMeta", WITH(DECODED(struct jr_meta), AS_JSON),
    STRING("name", AT(struct jr_meta, name), NO(1)),
    STRING("generateName", AT(struct jr_meta, generate_name), NO(2)),
    STRING("namespace", AT(struct jr_meta, namespace), NO(3)),
    STRING("selfLink", NO(4)),
    STRING_OF("uid", "types.UID", AT(struct jr_meta, uid), NO(5)),
    STRING("resourceVersion", AT(struct jr_meta, resource_version), NO(6)),
    INT64("generation", AT(struct jr_meta, generation), NO(7)),
    TIME("creationTimestamp", AT(struct jr_meta, creation_timestamp), NO(8)),
    TIME_PTR("deletionTimestamp", AT(struct jr_meta, deletion_timestamp), NO(9)),
    INT64_PTR("deletionGracePeriodSeconds", AT(struct jr_meta, deletion_grace_period_s), NO(10)),
    STRING_MAP("labels", AT(struct jr_meta, labels), NO(11)),
    STRING_MAP("annotations", AT(struct jr_meta, annotations), NO(12)),
    LIST("ownerReferences", jr_schema_owner_reference, BY("uid"), AT(struct jr_meta, owner_refs), NO(13)),
    STRINGS("finalizers", MERGED, AT(struct jr_meta, finalizers), NO(14)),
    LIST("managedFields", managed_fields_entry, NO(17)));

PUBLIC_TYPE_WITH(label_selector_requirement, "LabelSelectorRequirement",
    WITH(DECODED(struct jr_selector_req), AS_JSON),
    TEXT("key", AT(struct jr_selector_req, key), NO(1)),
    TEXT_OF("operator", "v1.LabelSelectorOperator", AT(struct jr_selector_req, op), NO(2)),
    STRINGS("values", AT(struct jr_selector_req, values), NO(3)));

PUBLIC_TYPE_WITH(label_selector, "LabelSelector", WITH(DECODED(struct jr_selector), AS_JSON),
    STRING_MAP("matchLabels", AT(struct jr_selector, match_labels), NO(1)),
    LIST("matchExpressions", jr_schema_label_selector_requirement,
         AT(struct jr_selector, match_expressions), NO(2)));
