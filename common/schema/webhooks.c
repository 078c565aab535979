/* SPDX-License-Identifier: Apache-2.0 */
/* Webhook configurations (k8s.io/api admissionregistration/v1). */
#include "common/schema/macros.h"

TYPE(service_reference, "ServiceReference",
    TEXT("namespace"),
    TEXT("name"),
    STRING_PTR("path"),
    INT32_PTR("port"));

TYPE(webhook_client_config, "WebhookClientConfig",
    STRING_PTR("url"),
    STRUCT_PTR("service", service_reference),
    ANY("caBundle"));

TYPE(rule_with_operations, "RuleWithOperations",
    STRINGS_OF("operations", "v1.OperationType"),
    STRINGS("apiGroups"),
    STRINGS("apiVersions"),
    STRINGS("resources"),
    STRING_PTR_OF("scope", "v1.ScopeType"));

TYPE(match_condition, "MatchCondition",
    TEXT("name"),
    TEXT("expression"));

#define WEBHOOK_FIELDS                                                                           \
    TEXT("name"), STRUCT("clientConfig", webhook_client_config),                                 \
        LIST("rules", rule_with_operations),                                                     \
        STRING_PTR_OF("failurePolicy", "v1.FailurePolicyType"),                                  \
        STRING_PTR_OF("matchPolicy", "v1.MatchPolicyType"),                                      \
        STRUCT_PTR("namespaceSelector", jr_schema_label_selector),                               \
        STRUCT_PTR("objectSelector", jr_schema_label_selector),                                  \
        STRING_PTR_OF("sideEffects", "v1.SideEffectClass", ALWAYS), INT32_PTR("timeoutSeconds"), \
        STRINGS("admissionReviewVersions", ALWAYS),                                              \
        LIST("matchConditions", match_condition, BY("name"))

TYPE(mutating_webhook, "MutatingWebhook",
    WEBHOOK_FIELDS,
    STRING_PTR_OF("reinvocationPolicy", "v1.ReinvocationPolicyType"));

TYPE(validating_webhook, "ValidatingWebhook", WEBHOOK_FIELDS);

PUBLIC_TYPE(mutating_webhook_configuration, "MutatingWebhookConfiguration",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    LIST("webhooks", mutating_webhook, BY("name")));

PUBLIC_TYPE(validating_webhook_configuration, "ValidatingWebhookConfiguration",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    LIST("webhooks", validating_webhook, BY("name")));
