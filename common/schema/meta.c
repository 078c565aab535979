/* SPDX-License-Identifier: Apache-2.0 */
/* metav1: ObjectMeta and selectors (k8s.io/apimachinery). */
#include "common/schema/macros.h"
#include "common/schema/meta.h"

PUBLIC_TYPE_WITH(owner_reference, "OwnerReference", WITH(DECODED(struct jr_owner_ref), AS_JSON),
    TEXT("apiVersion", AT(struct jr_owner_ref, api_version)),
    TEXT("kind", AT(struct jr_owner_ref, kind)),
    TEXT("name", AT(struct jr_owner_ref, name)),
    TEXT_OF("uid", "types.UID", AT(struct jr_owner_ref, uid)),
    BOOL_PTR("controller", AT(struct jr_owner_ref, controller)),
    BOOL_PTR("blockOwnerDeletion", AT(struct jr_owner_ref, block_owner_deletion)));

TYPE(managed_fields_entry, "ManagedFieldsEntry",
    STRING("manager"),
    STRING_OF("operation", "v1.ManagedFieldsOperationType"),
    STRING("apiVersion"),
    TIME_PTR("time"),
    STRING("fieldsType"),
    ANY("fieldsV1"),
    STRING("subresource"));

PUBLIC_TYPE_WITH(object_meta, "ObjectMeta", WITH(DECODED(struct jr_meta), AS_JSON),
    STRING("name", AT(struct jr_meta, name)),
    STRING("generateName", AT(struct jr_meta, generate_name)),
    STRING("namespace", AT(struct jr_meta, namespace)),
    STRING("selfLink"),
    STRING_OF("uid", "types.UID", AT(struct jr_meta, uid)),
    STRING("resourceVersion", AT(struct jr_meta, resource_version)),
    INT64("generation", AT(struct jr_meta, generation)),
    TIME("creationTimestamp", AT(struct jr_meta, creation_timestamp)),
    TIME_PTR("deletionTimestamp", AT(struct jr_meta, deletion_timestamp)),
    INT64_PTR("deletionGracePeriodSeconds", AT(struct jr_meta, deletion_grace_period_s)),
    STRING_MAP("labels", AT(struct jr_meta, labels)),
    STRING_MAP("annotations", AT(struct jr_meta, annotations)),
    LIST("ownerReferences", jr_schema_owner_reference, BY("uid"), AT(struct jr_meta, owner_refs)),
    STRINGS("finalizers", MERGED, AT(struct jr_meta, finalizers)),
    LIST("managedFields", managed_fields_entry));

PUBLIC_TYPE_WITH(label_selector_requirement, "LabelSelectorRequirement",
    WITH(DECODED(struct jr_selector_req), AS_JSON),
    TEXT("key", AT(struct jr_selector_req, key)),
    TEXT_OF("operator", "v1.LabelSelectorOperator", AT(struct jr_selector_req, op)),
    STRINGS("values", AT(struct jr_selector_req, values)));

PUBLIC_TYPE_WITH(label_selector, "LabelSelector", WITH(DECODED(struct jr_selector), AS_JSON),
    STRING_MAP("matchLabels", AT(struct jr_selector, match_labels)),
    LIST("matchExpressions", jr_schema_label_selector_requirement,
         AT(struct jr_selector, match_expressions)));
