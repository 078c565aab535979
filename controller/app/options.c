/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of jobreeve-controller, and what they mean together. */
#include "controller/app/options.h"

#include <stdio.h>

#include "common/api/job.h"
#include "common/base/flags_check.h"
#include "common/base/flags_common.h"
#include "common/policy/policy.h"
#include "common/rules/names.h"
#include "common/schema/profile.h"

/* By enum jr_gang_scheduling. */
static const char *const gang_scheduling[] = { "all", "asked", NULL };

#define AT(member) offsetof(struct jr_controller_config, member)

/* Of decommission alone; the rest is the service's, so that one takes what the other was given. */
#define DECOMMISSION_ROWS 4

static const struct jr_flag table[] = {
    { "deployment", JR_FLAG_STR, AT(deployment), .check = jr_name_check_object,
      .help = "The `name` of the controller's Deployment. It is scaled to 0 first, and its Pods "
              "are waited for." },
    { "deployment-namespace", JR_FLAG_STR, AT(deployment_namespace),
      .check = jr_name_check_namespace,
      .help = "The `namespace` of that Deployment; default: the Lease's." },
    { "deployment-annotation", JR_FLAG_STR, AT(deployment_annotation),
      .help = "Does nothing unless --deployment has the annotation of this `name`, or doesn't "
              "exist: helm writes meta.helm.sh/release-name, `helm template` doesn't." },
    { "timeout", JR_FLAG_DURATION, AT(decommission_timeout_ms), .initial = "5m", .min = 1,
      .max = JR_HOUR_MS, .help = "The `time` after which the command gives up, and ends with 1." },
    { JR_CONTROLLER_CONFIG_FLAG, JR_FLAG_STR, AT(config),
      .help = "A `file` of these settings, in YAML or JSON, under the flags' names without their "
              "dashes in front. Flags of the command line win over it." },
    { "kubeconfig", JR_FLAG_STR, AT(kubeconfig),
      .help = "The `file` that says where the API server is; default: $KUBECONFIG, ~/.kube/config, "
              "or the Pod's service account." },
    { "context", JR_FLAG_STR, AT(context),
      .help = "The `name` of the kubeconfig's context; default: the current one." },
    { "namespace", JR_FLAG_LIST, AT(namespaces), .initial = "", .check = jr_name_check_namespace,
      .help = "Runs the Jobs of these `namespaces` only; default: of all. Each is listed and "
              "watched on its own, so that Roles in them are enough." },
    { "controller-name", JR_FLAG_STR, AT(controller_name), .initial = "jobreeve.dev/controller",
      .help = "Runs the Jobs whose spec.managedBy is this `name`, a domain and a path." },
    { "trusted-controllers", JR_FLAG_LIST, AT(trusted_controllers),
      .initial = JR_POLICY_TRUSTED_CONTROLLERS,
      .help = "Values of managedBy, as `names`, whose controllers run Jobs as the built-in one "
              "does: the audit by JobPolicies computes what their Jobs may come to." },
    { "replace-builtin", JR_FLAG_BOOL, AT(replace_builtin), .initial = "false",
      .help = "Takes the place of the built-in Job controller, which must be off: runs the Jobs "
              "that name no controller." },
    { "leader-elect", JR_FLAG_BOOL, AT(leader_elect), .initial = "true",
      .help = "Writes only while holding a Lease, so that several replicas can run." },
    { "leader-elect-lease-duration", JR_FLAG_DURATION, AT(lease_duration_ms), .initial = "15s",
      .min = 1000, .max = JR_HOUR_MS,
      .help = "The `time` after which an unrenewed Lease may be taken over; whole seconds." },
    { "leader-elect-renew-deadline", JR_FLAG_DURATION, AT(renew_deadline_ms), .initial = "10s",
      .min = 1, .max = JR_HOUR_MS,
      .help = "The `time` for which the leader tries to renew before it gives up." },
    { "leader-elect-retry-period", JR_FLAG_DURATION, AT(retry_period_ms), .initial = "2s", .min = 1,
      .max = JR_HOUR_MS, .help = "The `time` between two attempts." },
    { "leader-elect-resource-name", JR_FLAG_STR, AT(lease_name), .initial = "jobreeve-controller",
      .help = "The `name` of the Lease." },
    { "leader-elect-resource-namespace", JR_FLAG_STR, AT(lease_namespace),
      .help = "The `namespace` of the Lease; default: the Pod's own, elsewhere jobreeve-system." },
    { "concurrent-job-syncs", JR_FLAG_INT, AT(concurrent_syncs), .initial = "5", .min = 1,
      .max = 1000, .help = "How many Jobs are synced at the same time." },
    { "max-inflight", JR_FLAG_INT, AT(max_inflight), .initial = "100", .min = 1, .max = 10000,
      .help = "How many requests are in flight at the same time, shared out between the Jobs." },
    { "job-cache-bytes", JR_FLAG_BYTES, AT(job_cache_bytes), .initial = "128Mi",
      .min = INT64_C(1) << 20, .max = (int64_t)1 << 40,
      .help = "The `size` that cached Jobs may have, 1Mi to 1024Gi. Beyond it the largest are kept "
              "without their Pod template, and each is read again, one at a time, when a sync "
              "needs it." },
    { "kube-api-qps", JR_FLAG_REAL, AT(api_qps), .initial = "0", .min = -1000000, .max = 1000000,
      .help = "How many requests a second are sent, the Lease and watches aside; 0.5: one in two "
              "seconds. 0 or less: no limit but the API server's own priority and fairness." },
    { "kube-api-burst", JR_FLAG_INT, AT(api_burst), .initial = "0", .min = 0, .max = 1000000,
      .help = "How many of them at once, with --kube-api-qps; 0: as many as that, at least one." },
    { "ttl-after-finished", JR_FLAG_BOOL, AT(ttl_after_finished), .initial = "false",
      .help =
          "Deletes finished Jobs after their spec.ttlSecondsAfterFinished, whoever manages "
          "them. kube-controller-manager does that too, unless its ttl-after-finished-controller "
          "is off." },
    { "policies", JR_FLAG_BOOL, AT(policies), .initial = "false",
      .help =
          "Writes the status of JobPolicies: whether each was accepted, and what it says of the "
          "Jobs and CronJobs that are there. The leader does." },
    { "audit-interval", JR_FLAG_DURATION, AT(audit_interval_ms), .initial = "10m", .min = 0,
      .max = 24 * JR_HOUR_MS,
      .help = "With --policies: the `time` between the beginnings of two audits of all Jobs and "
              "CronJobs; 0: none. An audit reads 500 objects a second at most." },
    { "webhook-configuration", JR_FLAG_STR, AT(webhook_configuration), .initial = "jobreeve",
      .help =
          "With --policies: the `name` of the webhook's ValidatingWebhookConfiguration: audits "
          "mark objects in namespaces where it doesn't ask the webhook. Empty: none are marked." },
    { JR_VERSION_FLAG, JR_FLAG_STR, AT(kubernetes_version), .initial = JR_VERSION_AUTO,
      .help = "The `version` of Kubernetes, 1.31 to 1.37 or the preview 1.38, whose built-in "
              "controller it is to be like. "
              "auto: the API server is asked each minute; of several, during an upgrade, it is the "
              "lowest one." },
    { JR_GATES_FLAG, JR_FLAG_LIST, AT(feature_gates), .initial = "",
      .help = "Gates of the built-in controller that differ from their defaults in that version, "
              "as `Name=true|false,...`." },
    { "gang-scheduling", JR_FLAG_ENUM, AT(gang_scheduling), .initial = "all",
      .choices = gang_scheduling,
      .help = "Which Jobs get a Workload and a PodGroup where the API server has "
              "scheduling.k8s.io/v1beta1 and the gate WorkloadWithJob is on. asked: those with "
              "spec.scheduling alone; all: every Job, as by the built-in controller." },
    JR_LISTENER_FLAGS(struct jr_controller_config),
    { "metrics-tls-cert-file", JR_FLAG_STR, AT(metrics_cert_file),
      .help = "Serves /metrics by HTTPS, TLS 1.2 and 1.3, with the certificate of this PEM `file`, "
              "which is followed by the chain that clients need. Read again when it changes, and "
              "on SIGHUP." },
    { "metrics-tls-private-key-file", JR_FLAG_STR, AT(metrics_key_file),
      .help = "The PEM `file` of that certificate's private key, not encrypted." },
    { "debug-jobs", JR_FLAG_BOOL, AT(debug_jobs), .initial = "false",
      .help = "Serves /debug/jobs?key=NAMESPACE/NAME beside the health probes: why a Job waits. "
              "Anybody who can reach it learns the names of Jobs." },
    JR_LOG_FLAGS(struct jr_controller_config),
    { .name = NULL },
};

static const struct jr_flag_rule rules[] = {
    { "metrics-tls-cert-file", .with = "metrics-tls-private-key-file",
      .words = "expected --metrics-tls-private-key-file beside it: the certificate's key" },
    { "metrics-tls-private-key-file", .with = "metrics-tls-cert-file",
      .words = "expected --metrics-tls-cert-file beside it: whose key?" },
    { "policies", .without = "namespace",
      .words = "not with --namespace: policies are of the whole cluster" },
    { "kube-api-burst", .with = "kube-api-qps", .words = "means nothing without --kube-api-qps" },
    { .flag = NULL },
};

static const struct jr_flag_rule decommission_rules[] = {
    { "deployment-annotation", .with = "deployment",
      .words = "expected --deployment beside it: whose annotation?" },
    { "kube-api-burst", .with = "kube-api-qps", .words = "means nothing without --kube-api-qps" },
    { .flag = NULL },
};

const struct jr_flags jr_controller_decommission_flags = {
    .program = "jobreeve-controller decommission",
    .summary = "Decommissions the controller, for an uninstall. Records finished Pods, removes the "
               "finalizers from all Pods of its Jobs and ends, with 0 if all is done. Takes the "
               "controller's own flags and settings, too; it serves nothing, and passes over those "
               "that are for serving.",
    .table = table,
};

static const struct jr_flags *const commands[] = { &jr_controller_decommission_flags, NULL };
const struct jr_flags jr_controller_flags = {
    .program = "jobreeve-controller",
    .summary = "The Job controller: runs Kubernetes Jobs to completion.",
    .table = table + DECOMMISSION_ROWS,
    .commands = commands,
};

const struct jr_flags *jr_controller_flags_of(const struct jr_controller_config *c)
{
    return c->decommission ? &jr_controller_decommission_flags : &jr_controller_flags;
}

static enum jr_status check_name(const struct jr_controller_config *c, struct jr_str *ret_domain,
                                 struct jr_error *err)
{
    if (jr_str_is(jr_str(c->controller_name), JR_MANAGED_BY_BUILTIN))
        return jr_fail(
            err, JR_USAGE, "--controller-name",
            "%s is the built-in controller's own: use --replace-builtin to take its place",
            JR_MANAGED_BY_BUILTIN);
    return jr_controller_name_check(c->controller_name, ret_domain, err);
}

void jr_controller_gates(const struct jr_controller_config *c, const struct jr_profile *profile,
                         struct jr_reconcile_options *ret)
{
    jr_reconcile_options_of_profile(ret, profile);
    ret->workload_with_job &= !c->decommission;
    ret->gangs_only_asked = c->gang_scheduling == JR_GANGS_ASKED;
}

static enum jr_status set_version(struct jr_controller_config *c, struct jr_error *err)
{
    enum jr_status st = jr_profiles_of_flags(c->kubernetes_version, &c->feature_gates, &c->profiles,
                                             &c->version_auto, err);

    if (st == JR_OK)
        jr_controller_gates(c, &c->profiles.v[0], &c->reconcile);
    /* As long as no server has said otherwise, a Job that names another controller isn't ours. */
    c->reconcile.managed_by_others |= c->version_auto;
    return st;
}

static enum jr_status check_election(const struct jr_controller_config *c, struct jr_error *err)
{
    enum jr_status st;

    if (!c->leader_elect)
        return JR_OK;
    if (c->lease_duration_ms % 1000 != 0)
        return jr_fail(err, JR_USAGE, "--leader-elect-lease-duration", "expected whole seconds");
    if (c->renew_deadline_ms >= c->lease_duration_ms)
        return jr_fail(err, JR_USAGE, "--leader-elect-renew-deadline",
                       "expected less than --leader-elect-lease-duration (%lld ms)",
                       (long long)c->lease_duration_ms);
    if (c->retry_period_ms * 12 >= c->renew_deadline_ms * 10)
        return jr_fail(err, JR_USAGE, "--leader-elect-retry-period",
                       "1.2 times it must be less than --leader-elect-renew-deadline (%lld ms)",
                       (long long)c->renew_deadline_ms);
    st = jr_name_check_object("--leader-elect-resource-name", jr_str(c->lease_name), err);
    if (st == JR_OK && c->lease_namespace != NULL)
        st = jr_name_check_namespace("--leader-elect-resource-namespace",
                                     jr_str(c->lease_namespace), err);
    return st;
}

static enum jr_status check_namespaces(const struct jr_flag_list *l, struct jr_error *err)
{
    for (size_t i = 0; i < l->n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (jr_str_eq(l->v[k], l->v[i]))
                return jr_fail(err, JR_USAGE, "--namespace", "\"%.*s\" is there twice",
                               JR_P(l->v[i]));
        }
    }
    return JR_OK;
}

/** An empty name is none: the chart gives all of them. */
static void drop_empty(struct jr_controller_config *c)
{
    const char **const names[] = { &c->deployment,
                                   &c->deployment_namespace,
                                   &c->deployment_annotation,
                                   &c->webhook_configuration,
                                   &c->metrics_cert_file,
                                   &c->metrics_key_file };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (*names[i] != NULL && **names[i] == '\0')
            *names[i] = NULL;
    }
}

enum jr_status jr_controller_config_check(struct jr_controller_config *c, struct jr_error *err)
{
    struct jr_str domain = { NULL, 0 };
    enum jr_status st = check_name(c, &domain, err);

    if (st != JR_OK)
        return st;
    drop_empty(c);
    st = jr_flags_check(jr_controller_flags_of(c), c->decommission ? decommission_rules : rules, c,
                        err);
    if (st == JR_OK)
        st = check_namespaces(&c->namespaces, err);
    if (st != JR_OK)
        return st;
    /* The built-in controller goes on with what this has begun, by the same finalizer. */
    if (c->decommission && c->replace_builtin)
        return jr_fail(err, JR_USAGE, "--replace-builtin",
                       "not with decommission: the built-in controller goes on with these Jobs, "
                       "and would lose Pods");
    c->reconcile = jr_reconcile_options_default();
    c->reconcile.replace_builtin = c->replace_builtin;
    c->reconcile.managed_by = jr_str(c->controller_name);
    c->trusted = (struct jr_strs){ c->trusted_controllers.v, c->trusted_controllers.n };
    c->reconcile.account_only = c->decommission;
    if (!c->replace_builtin) {
        (void)snprintf(c->finalizer, sizeof(c->finalizer), "%.*s/job-tracking", JR_P(domain));
        c->reconcile.tracking_finalizer = jr_str(c->finalizer);
    }
    st = check_election(c, err);
    return st == JR_OK ? set_version(c, err) : st;
}
