/* SPDX-License-Identifier: Apache-2.0 */
/* What jobreeve-webhook remove is told. */
#include "webhook/commands/remove_options.h"

#include "common/base/flags_check.h"
#include "common/base/flags_common.h"
#include "common/rules/names.h"

#define AT(member) offsetof(struct jr_webhook_remove_options, member)

static const struct jr_flag table[] = {
    { "deployment", JR_FLAG_STR, AT(deployment), .check = jr_name_check_object,
      .help = "The `name` of the webhook's Deployment. It is scaled to 0, and its Pods are waited "
              "for." },
    { "deployment-annotation", JR_FLAG_STR, AT(deployment_annotation),
      .help = "Removes nothing unless --deployment has the annotation of this `name`, or doesn't "
              "exist: helm writes\nmeta.helm.sh/release-name, `helm template` doesn't." },
    { "keeper-deployment", JR_FLAG_STR, AT(keeper_deployment), .check = jr_name_check_object,
      .help = "The `name` of the keeper's Deployment, which is stopped first, since it would make "
              "--tls-secret again." },
    { "webhook-configuration", JR_FLAG_STR, AT(webhook_configuration), .initial = "jobreeve",
      .check = jr_name_check_object,
      .help = "The `name` of the MutatingWebhookConfiguration and the "
              "ValidatingWebhookConfiguration that are deleted." },
    { "tls-secret", JR_FLAG_STR, AT(tls_secret), .check = jr_name_check_object,
      .help = "The `name` of the Secret with the serving certificate, which is deleted." },
    { "namespace", JR_FLAG_STR, AT(api.namespace), .check = jr_name_check_namespace,
      .help = "The `namespace` of the Deployments and of the Secret; default: that of the "
              "process's Pod." },
    { "timeout", JR_FLAG_DURATION, AT(timeout_ms), .initial = "2m", .min = 1, .max = JR_HOUR_MS,
      .help = "The `time` after which the command gives up, and ends with 1." },
    JR_WEBHOOK_API_FLAGS(struct jr_webhook_remove_options),
    JR_LOG_FLAGS(struct jr_webhook_remove_options),
    { .name = NULL },
};

static const struct jr_flag_rule rules[] = {
    { "deployment-annotation", .with = "deployment",
      .words = "expected --deployment beside it: whose annotation?" },
    { .flag = NULL },
};

const struct jr_flags jr_webhook_remove_flags = {
    .program = "jobreeve-webhook remove",
    .summary = "Removes the webhook from a cluster, for an uninstall. Deletes both webhook "
               "configurations, stops --keeper-deployment and --deployment, and deletes "
               "--tls-secret, in that order. Ends with 0 when all is gone; what doesn't exist is "
               "skipped.",
    .table = table,
};

enum jr_status jr_webhook_remove_options_check(struct jr_webhook_remove_options *o,
                                               struct jr_error *err)
{
    jr_flags_drop_empty(&jr_webhook_remove_flags, o);
    return jr_flags_check(&jr_webhook_remove_flags, rules, o, err);
}
