/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of jobreeve-webhook remove. */
#ifndef JR_WEBHOOK_COMMANDS_REMOVE_OPTIONS_H
#define JR_WEBHOOK_COMMANDS_REMOVE_OPTIONS_H

#include "common/base/flags.h"
#include "webhook/api_options.h"

struct jr_webhook_remove_options {
    const char *deployment;            /* NULL: none */
    const char *deployment_annotation; /* that it must bear to be removed; NULL: none */
    const char *keeper_deployment;     /* NULL: none */
    const char *webhook_configuration;
    const char *tls_secret; /* NULL: none */
    int64_t timeout_ms;
    struct jr_webhook_api_options api;
    int log_level;  /* enum jr_log_level */
    int log_format; /* enum jr_log_format */
};

/** Into struct jr_webhook_remove_options. */
extern const struct jr_flags jr_webhook_remove_flags;

/** Validates the settings together; empty names are NULL then. Errors: JR_USAGE; err->path names
 * the flag. */
enum jr_status jr_webhook_remove_options_check(struct jr_webhook_remove_options *o,
                                               struct jr_error *err) JR_MUST_USE;

#endif
