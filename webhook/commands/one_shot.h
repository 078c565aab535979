/* SPDX-License-Identifier: Apache-2.0 */
/* What is done once, from the command line, instead of serving: the process around it. */
#ifndef JR_WEBHOOK_COMMANDS_ONE_SHOT_H
#define JR_WEBHOOK_COMMANDS_ONE_SHOT_H

#include "common/base/log.h"
#include "webhook/api.h"
#include "webhook/commands/remove_options.h"
#include "webhook/commands/self_test_options.h"

/** A one-shot command. */
struct jr_one_shot {
    struct jr_log *log;
    struct jr_loop *loop;
    struct jr_webhook_api api;
    struct jr_timer *deadline;
    struct jr_error late; /* what is waited for */
    int code;
};

/** Finds the API server and sets the deadline, at which the command ends with code 1 and says what
 * it was waiting for; SIGTERM and SIGINT end it with 1, too. log is borrowed. Errors: as
 * jr_webhook_api_open. */
enum jr_status jr_one_shot_begin(struct jr_one_shot *e, const struct jr_webhook_api_options *where,
                                 int64_t timeout_ms, struct jr_log *log,
                                 struct jr_error *err) JR_MUST_USE;
/** Keeps what is waited for, for the deadline's words. */
void jr_one_shot_waits(struct jr_one_shot *e, const struct jr_error *why);
/** Says why the command could not begin; returns the exit code. */
int jr_one_shot_failed(struct jr_log *log, const struct jr_error *err);
/** Lets jr_one_shot_run return this code. */
void jr_one_shot_end(struct jr_one_shot *e, int code);
/** Runs until the end; returns the exit code. */
int jr_one_shot_run(struct jr_one_shot *e);
/** For JR_CLEANUP; whatever uses its loop must be gone before. */
void jr_one_shot_done(struct jr_one_shot *e);

/** jobreeve-webhook self-test. Returns the exit code. */
int jr_webhook_self_test(const struct jr_webhook_self_test_options *options, struct jr_log *log);
/** jobreeve-webhook remove. Returns the exit code. */
int jr_webhook_remove(const struct jr_webhook_remove_options *options, struct jr_log *log);

#endif
