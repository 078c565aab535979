/* SPDX-License-Identifier: Apache-2.0 */
/* Webhook configurations (k8s.io/api admissionregistration/v1). */
#include "common/schema/macros.h"

TYPE(service_reference, "ServiceReference",
    TEXT("namespace", NO(1)),
    TEXT("name", NO(2)),
    STRING_PTR("path", NO(3)),
    INT32_PTR("port", NO(4)));

TYPE(webhook_client_config, "WebhookClientConfig",
    STRING_PTR("url", NO(3)),
    STRUCT_PTR("service", service_reference, NO(1)),
    ANY("caBundle", NO(2)));

TYPE(rule, "Rule",
    STRINGS("apiGroups", NO(1)),
    STRINGS("apiVersions", NO(2)),
    STRINGS("resources", NO(3)),
    STRING_PTR_OF("scope", "v1.ScopeType", NO(4)));

TYPE_WITH(rule_with_operations, "RuleWithOperations", EMBEDS(rule, 2),
    STRINGS_OF("operations", "v1.OperationType", NO(1)));

TYPE(match_condition, "MatchCondition",
    TEXT("name", NO(1)),
    TEXT("expression", NO(2)));

/* The two kinds have other numbers for two of them. */
#define WEBHOOK_FIELDS(object_selector_, match_conditions_)                                    \
    TEXT("name", NO(1)), STRUCT("clientConfig", webhook_client_config, NO(2)),                 \
        LIST("rules", rule_with_operations, NO(3)),                                            \
        STRING_PTR_OF("failurePolicy", "v1.FailurePolicyType", NO(4)),                         \
        STRING_PTR_OF("matchPolicy", "v1.MatchPolicyType", NO(9)),                             \
        STRUCT_PTR("namespaceSelector", jr_schema_label_selector, NO(5)),                      \
        STRUCT_PTR("objectSelector", jr_schema_label_selector, NO(object_selector_)),          \
        STRING_PTR_OF("sideEffects", "v1.SideEffectClass", ALWAYS, NO(6)),                     \
        INT32_PTR("timeoutSeconds", NO(7)), STRINGS("admissionReviewVersions", ALWAYS, NO(8)), \
        LIST("matchConditions", match_condition, BY("name"), NO(match_conditions_))

TYPE(mutating_webhook, "MutatingWebhook",
    WEBHOOK_FIELDS(11, 12),
    STRING_PTR_OF("reinvocationPolicy", "v1.ReinvocationPolicyType", NO(10)));

TYPE(validating_webhook, "ValidatingWebhook", WEBHOOK_FIELDS(10, 11));

PUBLIC_TYPE(mutating_webhook_configuration, "MutatingWebhookConfiguration",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    LIST("webhooks", mutating_webhook, BY("name"), NO(2)));

PUBLIC_TYPE(validating_webhook_configuration, "ValidatingWebhookConfiguration",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    LIST("webhooks", validating_webhook, BY("name"), NO(2)));
