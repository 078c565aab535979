/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the webhook's connection to the API server. */
#include "webhook/api.h"

#include "common/rules/names.h"

#define NAMESPACE "jobreeve-system"

static enum jr_status find_namespace(struct jr_webhook_api *a, const char *given,
                                     struct jr_error *err)
{
    a->namespace = given != NULL               ? given
                   : a->kube.namespace != NULL ? a->kube.namespace
                                               : NAMESPACE;
    return jr_name_check_namespace(a->kube.source, jr_str(a->namespace), err);
}

enum jr_status jr_webhook_api_open(struct jr_webhook_api *a, struct jr_loop *loop,
                                   const struct jr_webhook_api_options *options,
                                   struct jr_metrics *metrics, struct jr_error *err)
{
    struct jr_rest_options rest = { .qps = 0 };
    struct jr_transport below;
    enum jr_status st =
        jr_kube_config_load(options->kubeconfig, options->context, JR_CONFIG_SERVER, &a->kube, err);

    if (st == JR_OK)
        st = find_namespace(a, options->namespace, err);
    if (st == JR_OK)
        st = jr_curl_new(loop, &a->kube, "jobreeve-webhook/" JR_VERSION, &a->curl, err);
    if (st != JR_OK)
        return st;
    rest.host = jr_rest_host(jr_str(a->kube.server));
    below = jr_curl_transport(a->curl);
    a->rest = jr_rest_new(loop, &below, &rest, metrics);
    a->env = (struct jr_env){ loop, jr_rand_system, jr_rest_transport(a->rest) };
    return JR_OK;
}

void jr_webhook_api_done(struct jr_webhook_api *a)
{
    jr_rest_free(a->rest);
    jr_curl_free(a->curl);
    jr_kube_config_done(&a->kube);
}
