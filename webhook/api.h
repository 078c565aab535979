/* SPDX-License-Identifier: Apache-2.0 */
/* The API server, as the webhook reaches it. */
#ifndef JR_WEBHOOK_API_H
#define JR_WEBHOOK_API_H

#include "common/curl/curl.h"
#include "common/kube/rest.h"
#include "webhook/api_options.h"

struct jr_webhook_api {
    struct jr_kube_config kube;
    struct jr_curl *curl;
    struct jr_rest *rest; /* counts what curl sends */
    struct jr_env env;
    const char *namespace; /* of our own objects: as given, else of the process's service account or
                              the kubeconfig's context, else jobreeve-system */
};
/** Finds it. The options' texts are borrowed. Requests are counted in metrics, which may be NULL.
 * Errors: as jr_kube_config_load; JR_USAGE where the namespace's name is none; JR_NOMEM. */
enum jr_status jr_webhook_api_open(struct jr_webhook_api *a, struct jr_loop *loop,
                                   const struct jr_webhook_api_options *options,
                                   struct jr_metrics *metrics, struct jr_error *err) JR_MUST_USE;
/** Whatever uses it must be gone. Safe on a zeroed one. */
void jr_webhook_api_done(struct jr_webhook_api *a);

#endif
