#include "controller/options.h"

#include <stdio.h>

#include "common/api/job.h"
#include "common/rules/names.h"
#include "common/rules/profile.h"

static const char *const log_levels[] = { "debug", "info", "warn", "error", NULL };
static const char *const resource_locks[] = { "leases", NULL };
static const char *const log_formats[] = { "json", "text", NULL };

#define AT(member) offsetof(struct jr_controller_config, member)
#define HOUR_MS 3600000

static const struct jr_flag table[] = {
    { JR_CONTROLLER_CONFIG_FLAG, JR_FLAG_STR, AT(config),
      .help = "A `file` of these settings, in YAML or JSON, under the flags' names without their "
              "dashes in front. Flags of the command line win over it." },
    { "kubeconfig", JR_FLAG_STR, AT(kubeconfig),
      .help =
          "The `file` that says where the API server is. Without it: $KUBECONFIG, ~/.kube/config, "
          "or the Pod's service account." },
    { "context", JR_FLAG_STR, AT(context),
      .help = "The `name` of the kubeconfig's context; without it its current one." },
    { "namespace", JR_FLAG_LIST, AT(namespaces), .dflt = "",
      .help =
          "Sees to the Jobs of these `namespaces` only, separated by commas or given one by one; "
          "without it to those of all. Each is listed and watched for itself, so that Roles in "
          "them are enough." },
    { "controller-name", JR_FLAG_STR, AT(controller_name), .dflt = "jobreeve.dev/controller",
      .help = "Sees to the Jobs whose spec.managedBy is this `name`, a domain and a path." },
    { "replace-builtin", JR_FLAG_BOOL, AT(replace_builtin), .dflt = "false",
      .help = "Takes the place of the built-in Job controller, which must be off: sees to the Jobs "
              "that "
              "name no controller." },
    { "leader-elect", JR_FLAG_BOOL, AT(leader_elect), .dflt = "true",
      .help = "Works only while holding a Lease, so that several can stand by." },
    { "leader-elect-lease-duration", JR_FLAG_DURATION, AT(lease_duration_ms), .dflt = "15s",
      .min = 1000, .max = HOUR_MS,
      .help = "The `time` after which a Lease that was not renewed may be taken; whole seconds." },
    { "leader-elect-renew-deadline", JR_FLAG_DURATION, AT(renew_deadline_ms), .dflt = "10s",
      .min = 1, .max = HOUR_MS,
      .help = "The `time` for which the leader tries to renew before it gives up." },
    { "leader-elect-retry-period", JR_FLAG_DURATION, AT(retry_period_ms), .dflt = "2s", .min = 1,
      .max = HOUR_MS, .help = "The `time` between attempts." },
    { "leader-elect-resource-lock", JR_FLAG_ENUM, AT(resource_lock), .dflt = "leases",
      .choices = resource_locks, .help = "The kind of object that the leader holds." },
    { "leader-elect-resource-name", JR_FLAG_STR, AT(lease_name), .dflt = "jobreeve-controller",
      .help = "The `name` of the Lease." },
    { "leader-elect-resource-namespace", JR_FLAG_STR, AT(lease_namespace),
      .help =
          "The `namespace` of the Lease; without it the Pod's own, elsewhere jobreeve-system." },
    { "concurrent-job-syncs", JR_FLAG_INT, AT(concurrent_syncs), .dflt = "5", .min = 1, .max = 1000,
      .help = "So many Jobs are synced at one time." },
    { "max-inflight", JR_FLAG_INT, AT(max_inflight), .dflt = "100", .min = 1, .max = 10000,
      .help = "So many requests are in flight at one time, shared out between the Jobs." },
    { "kube-api-qps", JR_FLAG_INT, AT(api_qps), .dflt = "0", .min = 0, .max = 1000000,
      .help =
          "So many requests a second, the Lease and watches aside; 0: as many as there are, and "
          "the API server's priority and fairness decides." },
    { "kube-api-burst", JR_FLAG_INT, AT(api_burst), .dflt = "0", .min = 0, .max = 1000000,
      .help = "So many of them at once, with --kube-api-qps; 0: as many as that." },
    { "ttl-after-finished", JR_FLAG_BOOL, AT(ttl_after_finished), .dflt = "false",
      .help =
          "Deletes finished Jobs after their spec.ttlSecondsAfterFinished, whoever manages "
          "them. kube-controller-manager does that too, unless its ttl-after-finished-controller "
          "is off." },
    { "feature-gates", JR_FLAG_LIST, AT(feature_gates), .dflt = "",
      .help =
          "Gates of the built-in controller that differ from their defaults in Kubernetes 1.36, as "
          "`Name=true|false,...`." },
    { "health-probe-bind-address", JR_FLAG_ADDR, AT(health), .dflt = ":8081",
      .help =
          "Where /healthz, /livez and /readyz are served, by HTTP; 0: nowhere, :0: a free port." },
    { "metrics-bind-address", JR_FLAG_ADDR, AT(metrics), .dflt = ":8080",
      .help = "Where /metrics is served, by HTTP; 0: nowhere, :0: a free port." },
    { "debug-jobs", JR_FLAG_BOOL, AT(debug_jobs), .dflt = "false",
      .help =
          "Serves /debug/jobs?key=NAMESPACE/NAME beside the health probes: why a Job waits. Who "
          "can reach it learns the names of Jobs." },
    { "log-level", JR_FLAG_ENUM, AT(log_level), .dflt = "info", .choices = log_levels,
      .help = "Leaves out log lines below this level." },
    { "log-format", JR_FLAG_ENUM, AT(log_format), .dflt = "json", .choices = log_formats,
      .help = "How log lines are written, to standard error." },
    { .name = NULL },
};

const struct jr_flags jr_controller_flags = {
    .program = "jobreeve-controller",
    .summary = "The Job controller: runs Kubernetes Jobs to their end.",
    .table = table,
};

/** As the API server judges spec.managedBy: DOMAIN/PATH, at most 63 bytes. */
static enum jr_status check_name(const struct jr_controller_config *c, struct jr_str *ret_domain,
                                 struct jr_error *err)
{
    struct jr_str name = jr_str(c->controller_name), path = name, domain;

    if (name.n > JR_CONTROLLER_NAME_MAX)
        return jr_fail(err, JR_USAGE, "--controller-name", "at most %d bytes, not %zu",
                       JR_CONTROLLER_NAME_MAX, name.n);
    if (jr_str_find(name, '/') <= 0 || !jr_str_cut(&path, '/', &domain) || path.n == 0 ||
        jr_name_subdomain(domain).n > 0 || !jr_name_is_http_path(path))
        return jr_fail(err, JR_USAGE, "--controller-name",
                       "expected a domain and a path, such as example.com/jobs, not \"%s\"",
                       c->controller_name);
    if (jr_str_is(name, JR_MANAGED_BY_BUILTIN))
        return jr_fail(
            err, JR_USAGE, "--controller-name",
            "%s is the built-in controller's own: use --replace-builtin to take its place",
            JR_MANAGED_BY_BUILTIN);
    *ret_domain = domain;
    return JR_OK;
}

static enum jr_status set_gates(struct jr_controller_config *c, struct jr_error *err)
{
    struct jr_profile profile = jr_profile_default();
    const char *flag = "--feature-gates";

    for (size_t i = 0; i < c->feature_gates.n; i++) {
        struct jr_str value = c->feature_gates.v[i], name;
        struct jr_error why = { 0 };

        if (!jr_str_cut(&value, '=', &name) || name.n == 0 ||
            (!jr_str_is(value, "true") && !jr_str_is(value, "false")))
            return jr_fail(err, JR_USAGE, flag, "expected Name=true or Name=false, not \"%.*s\"",
                           JR_P(c->feature_gates.v[i]));
        if (jr_profile_set(&profile, name, jr_str_is(value, "true"), false, &why) != JR_OK)
            return jr_fail(err, JR_USAGE, flag, "%s", why.msg);
    }
    if (profile.gates[JR_GATE_WorkloadWithJob] && !profile.gates[JR_GATE_GenericWorkload])
        return jr_fail(err, JR_USAGE, flag, "WorkloadWithJob=true needs GenericWorkload=true");
    c->reconcile.workload_with_job = profile.gates[JR_GATE_WorkloadWithJob];
    c->reconcile.mutable_scheduling_directives =
        profile.gates[JR_GATE_MutableSchedulingDirectivesForSuspendedJobs];
    c->reconcile.stale_controller_consistency =
        profile.gates[JR_GATE_StaleControllerConsistencyJob];
    return JR_OK;
}

static enum jr_status check_election(const struct jr_controller_config *c, struct jr_error *err)
{
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
    if (jr_name_subdomain(jr_str(c->lease_name)).n > 0)
        return jr_fail(err, JR_USAGE, "--leader-elect-resource-name", "\"%s\" is no object's name",
                       c->lease_name);
    if (c->lease_namespace != NULL && jr_name_dns_label(jr_str(c->lease_namespace)).n > 0)
        return jr_fail(err, JR_USAGE, "--leader-elect-resource-namespace",
                       "\"%s\" is no namespace's name", c->lease_namespace);
    return JR_OK;
}

static enum jr_status check_namespaces(const struct jr_flag_list *l, struct jr_error *err)
{
    for (size_t i = 0; i < l->n; i++) {
        if (jr_name_dns_label(l->v[i]).n > 0)
            return jr_fail(err, JR_USAGE, "--namespace", "\"%.*s\" is no namespace's name",
                           JR_P(l->v[i]));
        for (size_t k = 0; k < i; k++) {
            if (jr_str_eq(l->v[k], l->v[i]))
                return jr_fail(err, JR_USAGE, "--namespace", "\"%.*s\" is there twice",
                               JR_P(l->v[i]));
        }
    }
    return JR_OK;
}

enum jr_status jr_controller_config_check(struct jr_controller_config *c, struct jr_error *err)
{
    struct jr_str domain = { NULL, 0 };
    enum jr_status st = check_name(c, &domain, err);

    if (st != JR_OK)
        return st;
    st = check_namespaces(&c->namespaces, err);
    if (st != JR_OK)
        return st;
    if (c->api_burst > 0 && c->api_qps == 0)
        return jr_fail(err, JR_USAGE, "--kube-api-burst", "means nothing without --kube-api-qps");
    c->reconcile = jr_reconcile_options_default();
    c->reconcile.replace_builtin = c->replace_builtin;
    c->reconcile.managed_by = jr_str(c->controller_name);
    if (!c->replace_builtin) {
        (void)snprintf(c->finalizer, sizeof(c->finalizer), "%.*s/job-tracking", JR_P(domain));
        c->reconcile.tracking_finalizer = jr_str(c->finalizer);
    }
    st = check_election(c, err);
    return st == JR_OK ? set_gates(c, err) : st;
}
