/* What is done once, from the command line, instead of serving: the process around it. */
#ifndef JR_WEBHOOK_COMMANDS_ERRAND_H
#define JR_WEBHOOK_COMMANDS_ERRAND_H

#include "common/base/log.h"
#include "webhook/api.h"

struct jr_errand {
    struct jr_log *log;
    struct jr_loop *loop;
    struct jr_webhook_api api;
    struct jr_timer *deadline;
    struct jr_error late; /* what is waited for */
    int code;
};

/** Finds the API server and sets the deadline, at which the errand ends with code 1 and says what
 * it was waiting for; SIGTERM and SIGINT end it with 1, too. log is borrowed. Errors: as
 * jr_webhook_api_open. */
enum jr_status jr_errand_begin(struct jr_errand *e, const struct jr_webhook_options *options,
                               int64_t timeout_ms, struct jr_log *log,
                               struct jr_error *err) JR_MUST_USE;
/** Keeps what is waited for, for the deadline's words. */
void jr_errand_waits(struct jr_errand *e, const struct jr_error *why);
/** Says why an errand could not begin; what it ends with. */
int jr_errand_not_begun(struct jr_log *log, const struct jr_error *err);
/** Lets jr_errand_run return this code. */
void jr_errand_end(struct jr_errand *e, int code);
/** Runs until the end; returns the exit code. */
int jr_errand_run(struct jr_errand *e);
/** For JR_CLEANUP; whatever uses the errand must be gone before. */
void jr_errand_done(struct jr_errand *e);

/** --self-test. Returns the exit code. */
int jr_webhook_self_test(const struct jr_webhook_options *options, struct jr_log *log);
/** --remove. Returns the exit code. */
int jr_webhook_remove(const struct jr_webhook_options *options, struct jr_log *log);

#endif
