/* SPDX-License-Identifier: Apache-2.0 */
/* CustomResourceDefinitions (k8s.io/apiextensions-apiserver apis/apiextensions/v1). */
#include "common/schema/macros.h"

TYPE(definition_names, "CustomResourceDefinitionNames",
    STRING("plural"),
    STRING("singular"),
    STRINGS("shortNames"),
    STRING("kind"),
    STRING("listKind"),
    STRINGS("categories"));

TYPE(definition_column, "CustomResourceColumnDefinition",
    STRING("name"),
    STRING("type"),
    STRING("format"),
    STRING("description"),
    INT32("priority"),
    STRING("jsonPath"));

TYPE(selectable_field, "SelectableField", STRING("jsonPath"));

TYPE(definition_version, "CustomResourceDefinitionVersion",
    STRING("name"),
    BOOL("served"),
    BOOL("storage"),
    BOOL("deprecated"),
    STRING_PTR("deprecationWarning"),
    ANY("schema"),
    ANY("subresources"),
    LIST("additionalPrinterColumns", definition_column),
    LIST("selectableFields", selectable_field));

TYPE(definition_spec, "CustomResourceDefinitionSpec",
    STRING("group"),
    STRUCT("names", definition_names),
    STRING_OF("scope", "v1.ResourceScope"),
    LIST("versions", definition_version),
    ANY("conversion"),
    BOOL("preserveUnknownFields"));

PUBLIC_TYPE(custom_resource_definition, "CustomResourceDefinition",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", definition_spec),
    ANY("status"));
