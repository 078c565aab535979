/* SPDX-License-Identifier: Apache-2.0 */
/* The transport of a person's command: logs in by a credential plugin where the kubeconfig names
 * one, and shows each answer to the command first. Requests wait for the plugin; its credential is
 * kept until it expires; after a 401 the plugin is asked once more, and the request sent again. */
#ifndef JR_CURL_LOGIN_H
#define JR_CURL_LOGIN_H

#include "common/curl/curl.h"

struct jr_login_observer {
    /* Before the request's own handler; nothing is sent or cancelled from here. */
    void (*on_answer)(void *ctx, const char *path, const struct jr_http_answer *a);
    /* The plugin has not ended for ten seconds: it hangs, or waits for somebody who logs in. */
    void (*on_slow)(void *ctx);
    void *ctx;
};

struct jr_login;
/** plugin (NULL: none) and below must outlive it. Where the plugin gives no credential all that
 * waits ends as JR_HTTP_NOT_SENT, with JR_DENIED and the reason. */
struct jr_login *jr_login_new(struct jr_loop *loop, struct jr_curl *below,
                              const struct jr_exec_plugin *plugin,
                              const struct jr_login_observer *observer);
/** Cancels all requests, ends the plugin. NULL-safe. */
void jr_login_free(struct jr_login *t);
struct jr_transport jr_login_transport(struct jr_login *t);

#endif
