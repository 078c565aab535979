/* Webhook configurations (k8s.io/api admissionregistration/v1). */
#include "common/schema/macros.h"

static const struct jr_schema_field service_reference_fields[] = {
    STRING("namespace"), STRING("name"), STRING_PTR("path"), INT32_PTR("port"), END,
};
TYPE(service_reference, "ServiceReference");

static const struct jr_schema_field webhook_client_config_fields[] = {
    STRING_PTR("url"),
    STRUCT_PTR("service", service_reference),
    ANY("caBundle"),
    END,
};
TYPE(webhook_client_config, "WebhookClientConfig");

static const struct jr_schema_field rule_with_operations_fields[] = {
    STRINGS_OF("operations", "v1.OperationType"),
    STRINGS("apiGroups"),
    STRINGS("apiVersions"),
    STRINGS("resources"),
    STRING_PTR_OF("scope", "v1.ScopeType"),
    END,
};
TYPE(rule_with_operations, "RuleWithOperations");

static const struct jr_schema_field match_condition_fields[] = {
    STRING("name"),
    STRING("expression"),
    END,
};
TYPE(match_condition, "MatchCondition");

#define WEBHOOK_FIELDS                                                                   \
    STRING("name"), STRUCT("clientConfig", webhook_client_config),                       \
        LIST("rules", rule_with_operations),                                             \
        STRING_PTR_OF("failurePolicy", "v1.FailurePolicyType"),                          \
        STRING_PTR_OF("matchPolicy", "v1.MatchPolicyType"),                              \
        STRUCT_PTR("namespaceSelector", jr_schema_label_selector),                       \
        STRUCT_PTR("objectSelector", jr_schema_label_selector),                          \
        STRING_PTR_OF("sideEffects", "v1.SideEffectClass"), INT32_PTR("timeoutSeconds"), \
        STRINGS("admissionReviewVersions"), LIST("matchConditions", match_condition, BY("name"))

static const struct jr_schema_field mutating_webhook_fields[] = {
    WEBHOOK_FIELDS,
    STRING_PTR_OF("reinvocationPolicy", "v1.ReinvocationPolicyType"),
    END,
};
TYPE(mutating_webhook, "MutatingWebhook");

static const struct jr_schema_field validating_webhook_fields[] = { WEBHOOK_FIELDS, END };
TYPE(validating_webhook, "ValidatingWebhook");

static const struct jr_schema_field mutating_webhook_configuration_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    LIST("webhooks", mutating_webhook, BY("name")),
    END,
};
PUBLIC_TYPE(mutating_webhook_configuration, "MutatingWebhookConfiguration");

static const struct jr_schema_field validating_webhook_configuration_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    LIST("webhooks", validating_webhook, BY("name")),
    END,
};
PUBLIC_TYPE(validating_webhook_configuration, "ValidatingWebhookConfiguration");
