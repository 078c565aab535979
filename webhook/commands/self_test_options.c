/* SPDX-License-Identifier: Apache-2.0 */
/* What jobreeve-webhook self-test is told. */
#include "webhook/commands/self_test_options.h"

#include "common/base/flags_check.h"
#include "common/base/flags_common.h"
#include "common/rules/names.h"

static const char *const sides[] = { "mutate", "validate", NULL };

#define AT(member) offsetof(struct jr_webhook_self_test_options, member)

static bool is_https(const char *url)
{
    return jr_str_starts(jr_str(url), JR_S("https://"));
}

size_t jr_self_test_path(const char *url)
{
    const size_t scheme = is_https(url) ? sizeof("https://") - 1 : sizeof("http://") - 1;

    return scheme + strcspn(url + scheme, "/");
}

/** Whether there are a host and a path behind the scheme. */
static bool is_url(struct jr_str v, struct jr_str scheme)
{
    return jr_str_starts(v, scheme) && jr_str_find(jr_str_from(v, scheme.n), '/') > 0;
}

static enum jr_status check_readyz_url(const char *flag, struct jr_str v, struct jr_error *err)
{
    if (is_url(v, JR_S("http://")))
        return JR_OK;
    return jr_fail(err, JR_USAGE, flag, "expected http://HOST:PORT/PATH, not \"%.*s\"", JR_P(v));
}

static enum jr_status check_metrics_url(const char *flag, struct jr_str v, struct jr_error *err)
{
    if (is_url(v, JR_S("http://")) || is_url(v, JR_S("https://")))
        return JR_OK;
    return jr_fail(err, JR_USAGE, flag,
                   "expected http://HOST:PORT/PATH or https://HOST:PORT/PATH, not \"%.*s\"",
                   JR_P(v));
}

static const struct jr_flag table[] = {
    { "namespace", JR_FLAG_STR, AT(namespace), .initial = "default",
      .check = jr_name_check_namespace,
      .help = "The `namespace` of the Jobs that are tried: one whose Jobs are sent to the "
              "webhook." },
    { "sides", JR_FLAG_LIST, AT(sides), .initial = "mutate,validate",
      .help = "The sides of the webhook that the API server must call, of `mutate,validate`." },
    { "readyz-url", JR_FLAG_STR, AT(readyz_url), .check = check_readyz_url,
      .help = "The `URL` of the readiness probe, http://HOST:PORT/readyz." },
    { "metrics-url", JR_FLAG_STR, AT(metrics_url), .check = check_metrics_url,
      .help = "The `URL` of the metrics, http://HOST:PORT/metrics or https://HOST:PORT/metrics." },
    { "metrics-ca-file", JR_FLAG_STR, AT(metrics_ca_file),
      .help = "With an https --metrics-url: the CA of its certificate, in this PEM `file`." },
    { "metrics-server-name", JR_FLAG_STR, AT(metrics_server_name),
      .help = "With an https --metrics-url: the `name` in its certificate. Empty: the URL's "
              "host." },
    { "timeout", JR_FLAG_DURATION, AT(timeout_ms), .initial = "1m", .min = 1, .max = JR_HOUR_MS,
      .help = "The `time` for which the command retries what isn't well yet." },
    JR_WEBHOOK_API_FLAGS(struct jr_webhook_self_test_options),
    JR_LOG_FLAGS(struct jr_webhook_self_test_options),
    { .name = NULL },
};

static const struct jr_flag_rule rules[] = {
    { "metrics-ca-file", .with = "metrics-url", .words = "expected --metrics-url beside it" },
    { "metrics-server-name", .with = "metrics-ca-file",
      .words = "expected --metrics-ca-file beside it" },
    { .flag = NULL },
};

/** A CA for HTTPS, and for nothing else. */
static enum jr_status check_ca(const struct jr_webhook_self_test_options *o, struct jr_error *err)
{
    const bool https = o->metrics_url != NULL && is_https(o->metrics_url);

    if (https && o->metrics_ca_file == NULL)
        return jr_fail(err, JR_USAGE, "--metrics-url", "expected --metrics-ca-file beside https");
    if (!https && o->metrics_ca_file != NULL)
        return jr_fail(err, JR_USAGE, "--metrics-ca-file", "expected --metrics-url by https");
    return JR_OK;
}

const struct jr_flags jr_webhook_self_test_flags = {
    .program = "jobreeve-webhook self-test",
    .summary = "Checks an installed webhook. Tries by dry runs of Jobs whether the API server "
               "calls both sides of it, and asks --readyz-url and --metrics-url. Logs a line for "
               "each; ends with 0 if all is well.",
    .table = table,
};

enum jr_status jr_webhook_self_test_options_check(struct jr_webhook_self_test_options *o,
                                                  struct jr_error *err)
{
    jr_flags_drop_empty(&jr_webhook_self_test_flags, o);
    if (jr_flags_check(&jr_webhook_self_test_flags, rules, o, err) != JR_OK)
        return JR_USAGE;
    if (check_ca(o, err) != JR_OK)
        return JR_USAGE;
    return jr_flag_check_choices("--sides", &o->sides, sides, err);
}
