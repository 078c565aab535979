/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of the service, and what they mean together. */
#include "webhook/app/flags.h"

#include <arpa/inet.h>
#include <sched.h>

#include "common/base/flags_check.h"
#include "common/base/flags_common.h"
#include "common/job/controller_name.h"
#include "common/rules/names.h"
#include "webhook/cipher_suites.h"
#include "webhook/commands/remove_options.h"
#include "webhook/commands/self_test_options.h"

static const char *const tls_versions[] = { "VersionTLS12", "VersionTLS13", NULL };

#define AT(member) offsetof(struct jr_webhook_options, member)

static const struct jr_flag table[] = {
    { "bind-address", JR_FLAG_STR, AT(bind_address), .initial = "",
      .help =
          "The `IP` address of the webhook's HTTPS listener; empty: all of them, IPv4 and IPv6." },
    { "port", JR_FLAG_INT, AT(port), .initial = "9443", .max = 65535,
      .help = "The `port` of the webhook's HTTPS listener; 0: a free one, which is logged." },
    { "reuse-port", JR_FLAG_BOOL, AT(reuse_port), .initial = "false",
      .help = "Lets several processes listen on the port, if all have this flag and the same user. "
              "When one of them\ndies, only its own requests are lost." },
    { "tls-cert-file", JR_FLAG_STR, AT(cert_file),
      .help = "The PEM `file` of the serving certificate, followed by the chain that clients "
              "need.\nRead again when it changes, and on SIGHUP." },
    { "tls-private-key-file", JR_FLAG_STR, AT(key_file),
      .help = "The PEM `file` of the certificate's private key, not encrypted." },
    { "client-ca-file", JR_FLAG_STR, AT(client_ca_file),
      .help = "The PEM `file` of CAs: only clients with a certificate of these are answered, "
              "others get 401.\nRead again when it changes, and on SIGHUP." },
    { "client-names", JR_FLAG_LIST, AT(client_names), .initial = "",
      .help = "With --client-ca-file: common names or DNS `names`, one of which the client's "
              "certificate must have;\nempty: any certificate of these CAs." },
    { "tls-min-version", JR_FLAG_ENUM, AT(tls_min_version), .initial = "VersionTLS12",
      .choices = tls_versions, .help = "The oldest version of TLS that is spoken." },
    { "tls-cipher-suites", JR_FLAG_LIST, AT(tls_cipher_suites), .initial = "",
      .check = jr_cipher_suite_check,
      .help =
          "The cipher suites of TLS 1.2 that are spoken, by their IANA `names`:\n" JR_CIPHER_SUITES
          ".\nThose of TLS 1.3 can be named, too, but all of them are spoken, whatever is "
          "named. Empty: GnuTLS' choice." },
    { "tls-secret", JR_FLAG_STR, AT(tls_secret), .check = jr_name_check_object,
      .help = "Instead of files: the `name` of the Secret with the serving certificate. It is read "
              "here, and written\nby a keeper (--keeper). Deleting it rotates CA and certificate "
              "without downtime." },
    { "keeper", JR_FLAG_BOOL, AT(keeper), .initial = "false",
      .help = "Serves no requests. Maintains the configurations of --webhook-configuration: their "
              "owner (the Namespace)\nand, once a replica answers, their failurePolicy. With "
              "--tls-secret also makes and renews a CA and a\ncertificate in that Secret, and sets "
              "caBundle; with --tls-ca-file sets caBundle. Any number may run." },
    { "tls-secret-namespace", JR_FLAG_STR, AT(api.namespace), .check = jr_name_check_namespace,
      .help = "The `namespace` of that Secret and of the Service; default: that of the process's "
              "Pod." },
    { "service-name", JR_FLAG_STR, AT(service_name), .initial = "jobreeve-webhook",
      .check = jr_name_check_object,
      .help = "The `name` of the Service: the keeper's certificate is for it, and its endpoints "
              "are asked." },
    { "tls-names", JR_FLAG_LIST, AT(tls_names), .initial = "",
      .help = "Further DNS `names` and IP addresses in the certificate." },
    { "tls-ca-days", JR_FLAG_INT, AT(ca_days), .initial = "3650", .min = 3, .max = 36500,
      .help = "For how many `days` the keeper's CA is valid; it is rotated at two thirds of its "
              "life." },
    { "tls-cert-days", JR_FLAG_INT, AT(cert_days), .initial = "90", .min = 1, .max = 3650,
      .help = "For how many `days` the keeper's certificate is valid; it is renewed at two thirds "
              "of its life." },
    { "tls-poll-interval", JR_FLAG_DURATION, AT(tls_poll_ms), .initial = "10s", .min = 10,
      .max = JR_HOUR_MS,
      .help = "The `time` between two reads of the Secret and of the webhook configurations." },
    { "tls-propagation-time", JR_FLAG_DURATION, AT(tls_propagation_ms), .initial = "1m", .min = 10,
      .max = JR_HOUR_MS,
      .help = "The `time` for which a new CA is trusted before it signs: longer than API servers "
              "take to notice, and\nthan --tls-poll-interval." },
    { "webhook-configuration", JR_FLAG_STR, AT(webhook_configuration), .initial = "jobreeve",
      .check = jr_name_check_object,
      .help = "The `name` of the MutatingWebhookConfiguration and the "
              "ValidatingWebhookConfiguration that --keeper maintains." },
    { "tls-ca-file", JR_FLAG_STR, AT(tls_ca_file),
      .help = "With --keeper, if certificates come from files: the PEM `file` of the CAs that are "
              "written into caBundle.\nEmpty: caBundle is left alone. Read again when it changes, "
              "and on SIGHUP." },
    { "policies", JR_FLAG_BOOL, AT(policies), .initial = "false",
      .help = "Enforces the cluster's JobPolicies (policy.jobreeve.dev/v1alpha1): they and the "
              "Namespaces are watched. It\ntakes no connections before both are known." },
    { "policy-file", JR_FLAG_LIST, AT(policy_files), .initial = "",
      .help = "YAML or JSON `files` of JobPolicies that are enforced, too. One with the name of a "
              "cluster's takes its place.\nRead again when they change, and on SIGHUP. The "
              "Namespaces are watched if a policy selects by their labels." },
    { "queues", JR_FLAG_LIST, AT(queues), .initial = JR_POLICY_QUEUES,
      .help = "The `users` that stop and start Jobs, as system:serviceaccount:NAMESPACE:NAME. What "
              "they change while a Job is\nsuspended only gets warnings, and a Job that they start "
              "is compared with what it was." },
    { "trusted-controllers", JR_FLAG_LIST, AT(trusted_controllers),
      .initial = JR_POLICY_TRUSTED_CONTROLLERS,
      .help = "Values of managedBy, as `names`, whose controllers run Jobs as the built-in one "
              "does: their Jobs are evaluated,\nwhere another's is without bounds." },
    { "metadata-updates", JR_FLAG_BOOL, AT(metadata_updates), .initial = "true",
      .help = "Says that the webhook is asked about updates of labels and annotations alone. With "
              "false a JobPolicy that limits\nthese gets a warning." },
    { "kubeconfig", JR_FLAG_STR, AT(api.kubeconfig),
      .help = "The `file` that says where the API server is, for --tls-secret, --policies and "
              "--keeper; default: by\nkubectl's rules, in a Pod its service account." },
    { "context", JR_FLAG_STR, AT(api.context),
      .help = "The `name` of the kubeconfig's context; default: the current one." },
    JR_LISTENER_FLAGS(struct jr_webhook_options),
    { "metrics-secure", JR_FLAG_BOOL, AT(metrics_secure), .initial = "false",
      .help = "Serves /metrics by HTTPS: with the serving certificate, --tls-min-version and "
              "--tls-cipher-suites, without\n--client-ca-file. Until there is a certificate "
              "handshakes fail. Not with --keeper, which holds none." },
    JR_LOG_FLAGS(struct jr_webhook_options),
    { JR_VERSION_FLAG, JR_FLAG_STR, AT(kubernetes_version), .initial = JR_VERSION_AUTO,
      .help =
          "The `version` of the API server, 1.31 to 1.37 or the preview 1.38, whose rules are "
          "those to validate and "
          "to default by. auto: the\nAPI server is asked each minute. If there are several, "
          "during an upgrade, only what each of them refuses is\nrefused, and only what each "
          "of them knows is defaulted; the same of all known versions until one has answered." },
    { JR_GATES_FLAG, JR_FLAG_LIST, AT(feature_gates), .initial = "",
      .help = "Gates of the API server that differ from their defaults in its version, as "
              "`Name=true|false,...`." },
    { "controller-name", JR_FLAG_STR, AT(controller_name), .initial = "jobreeve.dev/controller",
      .help =
          "The `name` that /assign-controller-batch-v1-job writes into spec.managedBy: that of the "
          "controller to which\nJobs are assigned." },
    { "max-body-bytes", JR_FLAG_BYTES, AT(max_body_bytes), .initial = "7Mi", .min = 1024,
      .max = INT64_C(256) << 20,
      .help = "The limit of a request's body, in `bytes`; beyond it the answer is 413." },
    { "max-header-bytes", JR_FLAG_BYTES, AT(max_header_bytes), .initial = "16Ki", .min = 4096,
      .max = 1 << 20,
      .help = "A little more than the limit of a request's line and headers, in `bytes`; each "
              "connection holds as much." },
    { "max-request-memory", JR_FLAG_BYTES, AT(max_request_memory_bytes), .initial = "256Mi",
      .min = 65536, .max = INT64_C(64) << 30,
      .help = "The memory in `bytes` that all requests in flight share, for their bodies and their "
              "evaluation. Beyond it\na request is answered 503 with Retry-After, or 413 if it "
              "could never have so much. An eighth is for\nsmall requests alone. By default a Job "
              "of 1.5 MB passes, which is what etcd accepts. If bodies and answers in\ntransit "
              "hold half "
              "of it, or 32 MiB, the request that has held most for longest is closed." },
    { "max-connections", JR_FLAG_INT, AT(max_connections), .initial = "1000", .min = 1,
      .max = 100000,
      .help = "The limit of `connections`; an eighth and 16 more may be closing. Beyond it a new "
              "connection replaces\none of these, in order: without a TLS hello (a quarter at "
              "most), in a handshake, without a valid review\n(with --client-ca-file: without a "
              "valid certificate), others; among them the oldest of the address with\nthe most." },
    { "address-share", JR_FLAG_INT, AT(address_share), .initial = "50", .min = 1, .max = 100,
      .help =
          "The share of --max-connections, in `percent`, for one address (of IPv6: one /64 "
          "network). Use 100 if API\nservers and others have one address, as with source NAT." },
    { "header-timeout", JR_FLAG_DURATION, AT(header_timeout_ms), .initial = "10s", .min = 10,
      .max = JR_HOUR_MS,
      .help = "The `time` for a connection's handshake, and for a request's headers from their "
              "first byte." },
    { "request-timeout", JR_FLAG_DURATION, AT(request_timeout_ms), .initial = "30s", .min = 10,
      .max = JR_HOUR_MS,
      .help = "The `time` for one request, from its start to the end of its answer." },
    { "idle-timeout", JR_FLAG_DURATION, AT(idle_timeout_ms), .initial = "2m", .min = 10,
      .max = 24 * JR_HOUR_MS,
      .help = "The `time` from the handshake, and from each answer, to the next request. Go's "
              "clients close unused\nconnections after 90 seconds; a shorter time may close one "
              "just as a request is sent." },
    { "shutdown-delay-duration", JR_FLAG_DURATION, AT(shutdown_delay_ms), .initial = "5s", .min = 0,
      .max = JR_HOUR_MS,
      .help = "The `time` after SIGTERM for which requests are still accepted. The process is not "
              "ready at once." },
    { "threads", JR_FLAG_INT, AT(threads), .initial = "0", .max = 256,
      .help = "How many `threads` serve strangers, and how many known clients, whose address has "
              "sent a valid review; 0: one for each CPU, from 2 to 16." },
    { .name = NULL },
};

static const struct jr_flag_rule rules[] = {
    { "tls-ca-file", .with = "keeper", .words = "goes with --keeper" },
    { "policies", .without = "keeper", .words = "not with --keeper, which serves no requests" },
    { "policy-file", .without = "keeper", .words = "not with --keeper, which serves no requests" },
    { "metrics-secure", .without = "keeper",
      .words = "not with --keeper, which holds no certificate: its metrics go by plain HTTP" },
    { "client-names", .with = "client-ca-file",
      .words = "expected --client-ca-file beside it: else no certificate is asked for" },
    { .flag = NULL },
};

static const struct jr_flags *const commands[] = { &jr_webhook_remove_flags,
                                                   &jr_webhook_self_test_flags, NULL };
const struct jr_flags jr_webhook_flags = {
    .program = "jobreeve-webhook",
    .summary = "Admission webhook for Kubernetes Jobs: defaults them (/mutate-batch-v1-job) and "
               "validates them (/validate-batch-v1-job).",
    .table = table,
    .commands = commands,
};

static int64_t cpus(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 2;

    if (n < 2)
        n = 2;
    return n > 16 ? 16 : n;
}

static bool is_ip(const char *s)
{
    unsigned char addr[sizeof(struct in6_addr)];

    return inet_pton(AF_INET, s, addr) == 1 || inet_pton(AF_INET6, s, addr) == 1;
}

static enum jr_status check_keeper(const struct jr_webhook_options *o, struct jr_error *err)
{
    if (o->cert_file != NULL || o->key_file != NULL)
        return jr_fail(err, JR_USAGE, "--tls-cert-file", "not with --keeper, which doesn't serve");
    if (o->tls_secret != NULL && o->tls_ca_file != NULL)
        return jr_fail(err, JR_USAGE, "--tls-ca-file", "with --tls-secret the CA is our own");
    if (o->tls_propagation_ms <= o->tls_poll_ms)
        return jr_fail(err, JR_USAGE, "--tls-propagation-time",
                       "expected more than --tls-poll-interval (%lld ms)",
                       (long long)o->tls_poll_ms);
    if (o->cert_days > o->ca_days / 3)
        return jr_fail(err, JR_USAGE, "--tls-cert-days",
                       "expected at most a third of --tls-ca-days (%lld)", (long long)o->ca_days);
    return JR_OK;
}

/** Certificates come from files or a Secret; the keeper needs none. */
static enum jr_status check_tls(const struct jr_webhook_options *o, struct jr_error *err)
{
    if (o->keeper)
        return check_keeper(o, err);
    if (o->tls_secret != NULL && (o->cert_file != NULL || o->key_file != NULL))
        return jr_fail(err, JR_USAGE, "--tls-secret",
                       "expected either this or --tls-cert-file and --tls-private-key-file");
    if (o->tls_secret != NULL)
        return JR_OK;
    if (o->cert_file == NULL)
        return jr_fail(err, JR_USAGE, "--tls-cert-file",
                       "required: the serving certificate's file; or --tls-secret");
    if (o->key_file == NULL)
        return jr_fail(err, JR_USAGE, "--tls-private-key-file", "required: the private key's file");
    return JR_OK;
}

enum jr_status jr_webhook_options_check(struct jr_webhook_options *o, struct jr_error *err)
{
    enum jr_status st;

    jr_flags_drop_empty(&jr_webhook_flags, o);
    st = jr_flags_check(&jr_webhook_flags, rules, o, err);
    if (st == JR_OK)
        st = check_tls(o, err);
    if (st != JR_OK)
        return st;
    if (o->bind_address[0] != 0 && !is_ip(o->bind_address))
        return jr_fail(err, JR_USAGE, "--bind-address",
                       "expected an IPv4 or IPv6 address, or nothing for all, not \"%s\"",
                       o->bind_address);
    if (o->max_request_memory_bytes < o->max_body_bytes)
        return jr_fail(err, JR_USAGE, "--max-request-memory",
                       "expected at least --max-body-bytes (%lld): no such body would ever fit",
                       (long long)o->max_body_bytes);
    if (o->request_timeout_ms < o->header_timeout_ms)
        return jr_fail(err, JR_USAGE, "--request-timeout",
                       "expected at least --header-timeout (%lld ms), which is a part of it",
                       (long long)o->header_timeout_ms);
    if (o->threads == 0)
        o->threads = cpus();
    o->review.controller_name = o->controller_name;
    o->review.queues = (struct jr_strs){ o->queues.v, o->queues.n };
    o->review.trusted_controllers =
        (struct jr_strs){ o->trusted_controllers.v, o->trusted_controllers.n };
    o->review.sees_metadata = o->metadata_updates;
    st = jr_controller_name_check(o->controller_name, NULL, err);
    return st == JR_OK ? jr_profiles_of_flags(o->kubernetes_version, &o->feature_gates,
                                              &o->profiles, &o->version_auto, err)
                       : st;
}
