/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of jobreeve-webhook self-test. */
#ifndef JR_WEBHOOK_COMMANDS_SELF_TEST_OPTIONS_H
#define JR_WEBHOOK_COMMANDS_SELF_TEST_OPTIONS_H

#include "common/base/flags.h"
#include "webhook/api_options.h"

struct jr_webhook_self_test_options {
    const char *namespace;
    struct jr_flag_list sides;       /* "mutate", "validate" */
    const char *readyz_url;          /* http://, a host, and a path; NULL: not asked */
    const char *metrics_url;         /* the same, or https:// */
    const char *metrics_ca_file;     /* of the latter: PEM; never NULL there */
    const char *metrics_server_name; /* in its certificate; NULL: the URL's host */
    int64_t timeout_ms;
    struct jr_webhook_api_options api; /* without a namespace of ours */
    int log_level;                     /* enum jr_log_level */
    int log_format;                    /* enum jr_log_format */
};

/** Into struct jr_webhook_self_test_options. */
extern const struct jr_flags jr_webhook_self_test_flags;

/** Where the path of a checked URL begins, at its slash. */
size_t jr_self_test_path(const char *url);
/** Validates the settings together; empty texts are NULL then. Errors: JR_USAGE; err->path names
 * the flag. */
enum jr_status jr_webhook_self_test_options_check(struct jr_webhook_self_test_options *o,
                                                  struct jr_error *err) JR_MUST_USE;

#endif
