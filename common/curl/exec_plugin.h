/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a credential plugin once, on the event loop. */
#ifndef JR_CURL_EXEC_PLUGIN_H
#define JR_CURL_EXEC_PLUGIN_H

#include "common/base/loop.h"
#include "common/curl/exec_credential.h"

/** Called from the loop. */
struct jr_exec_handler {
    /* Once, at the end. c is NULL where there is no credential, as err says; else the handler takes
     * over what is in it. */
    void (*on_done)(void *ctx, struct jr_exec_credential *c, const struct jr_error *err);
    /* Once, when it has not ended for ten seconds: somebody may be logging in, or it hangs. */
    void (*on_slow)(void *ctx);
    void *ctx;
};

struct jr_exec_run;
/** Starts the plugin, which is borrowed until the end. It has our environment, standard error, and
 * standard input where that is a terminal and interactiveMode allows it. Errors: JR_NOTFOUND (no
 * such command, with its installHint), JR_IO, JR_USAGE (it needs a terminal). */
enum jr_status jr_exec_start(struct jr_loop *loop, const struct jr_exec_plugin *plugin,
                             const struct jr_exec_handler *handler, struct jr_exec_run **ret,
                             struct jr_error *err) JR_MUST_USE;
/** Frees the run. A plugin that still runs is ended: asked to, and after a second killed.
 * NULL-safe. */
void jr_exec_end(struct jr_exec_run *run);

#endif
