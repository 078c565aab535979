/* SPDX-License-Identifier: Apache-2.0 */
/* What jobreeve-webhook self-test is told. */
#include "webhook/commands/self_test_options.h"

#include "common/base/flags_check.h"
#include "common/base/flags_common.h"
#include "common/rules/names.h"

static const char *const sides[] = { "mutate", "validate", NULL };

#define AT(member) offsetof(struct jr_webhook_self_test_options, member)

static enum jr_status check_url(const char *flag, struct jr_str v, struct jr_error *err)
{
    const struct jr_str scheme = JR_S(JR_SELF_TEST_SCHEME);

    if (jr_str_starts(v, scheme) && jr_str_find(jr_str_from(v, scheme.n), '/') > 0)
        return JR_OK;
    return jr_fail(err, JR_USAGE, flag, "expected http://HOST:PORT/PATH, not \"%.*s\"", JR_P(v));
}

static const struct jr_flag table[] = {
    { "namespace", JR_FLAG_STR, AT(namespace), .initial = "default",
      .check = jr_name_check_namespace,
      .help = "The `namespace` of the Jobs that are tried: one whose Jobs are sent to the "
              "webhook." },
    { "sides", JR_FLAG_LIST, AT(sides), .initial = "mutate,validate",
      .help = "The sides of the webhook that the API server must call, of `mutate,validate`." },
    { "readyz-url", JR_FLAG_STR, AT(readyz_url), .check = check_url,
      .help = "The `URL` of the readiness probe, http://HOST:PORT/readyz." },
    { "metrics-url", JR_FLAG_STR, AT(metrics_url), .check = check_url,
      .help = "The `URL` of the metrics, http://HOST:PORT/metrics." },
    { "timeout", JR_FLAG_DURATION, AT(timeout_ms), .initial = "1m", .min = 1, .max = JR_HOUR_MS,
      .help = "The `time` for which the command retries what isn't well yet." },
    JR_WEBHOOK_API_FLAGS(struct jr_webhook_self_test_options),
    JR_LOG_FLAGS(struct jr_webhook_self_test_options),
    { .name = NULL },
};

static const struct jr_flag_rule rules[] = { { .flag = NULL } };

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
    return jr_flag_check_choices("--sides", &o->sides, sides, err);
}
