/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve-devcluster kubelet: the simulated kubelet by itself, against any API server. */
#include "common/curl/curl.h"
#include "common/http/service.h"
#include "devcluster/commands.h"
#include "devcluster/kubelet/kubelet.h"

struct config {
    const char *kubeconfig;
    const char *context;
    const char *node;
    int64_t default_run_ms;
};

static const struct jr_flag table[] = {
    { .name = "kubeconfig",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, kubeconfig),
      .help = "The `file` that says where the API server is; else by kubectl's rules." },
    { .name = "context",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, context),
      .help = "The `name` of the kubeconfig's context." },
    { .name = "node",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, node),
      .initial = "sim-node",
      .help = "The `name` of the Node to register." },
    { .name = "default-run",
      .type = JR_FLAG_DURATION,
      .offset = offsetof(struct config, default_run_ms),
      .initial = "1s",
      .help = "How long a Pod runs that has no kubelet.jobreeve.dev/duration." },
    { .name = NULL },
};
const struct jr_flags jr_dev_kubelet_flags = {
    .program = "jobreeve-devcluster kubelet",
    .summary = "Registers a Node and pretends to run the Pods of the cluster. A test double.",
    .table = table,
    .about = jr_dev_about,
};

static enum jr_status run_kubelet(const struct config *config, struct jr_log *log,
                                  struct jr_error *err)
{
    JR_CLEANUP(jr_kube_config_done) struct jr_kube_config kube = { 0 };
    JR_CLEANUP(jr_service_done) struct jr_service s = { 0 };
    JR_CLEANUP(jr_curl_freep) struct jr_curl *curl = NULL;
    JR_CLEANUP(jr_dev_kubelet_freep) struct jr_dev_kubelet *kubelet = NULL;
    const struct jr_dev_kubelet_options options = {
        .node = config->node,
        .default_run_ms = config->default_run_ms,
    };

    enum jr_status st =
        jr_kube_config_load(config->kubeconfig, config->context, JR_CONFIG_SERVER, &kube, err);
    if (st == JR_OK)
        st = jr_service_open(&s, log, NULL, NULL, err);
    if (st == JR_OK)
        st = jr_curl_new(s.loop, &kube, "jobreeve-kubelet/" JR_VERSION, &curl, err);
    if (st != JR_OK)
        return st;
    const struct jr_env env = { .loop = s.loop,
                                .rand = jr_rand_system,
                                .transport = jr_curl_transport(curl) };
    kubelet = jr_dev_kubelet_new(&env, &options, log);
    jr_dev_kubelet_start(kubelet);
    return jr_loop_run(s.loop, err);
}

int jr_dev_kubelet(int argc, char **argv)
{
    JR_CLEANUP(jr_log_freep) struct jr_log *log = NULL;
    struct config config;
    struct jr_error err = { 0 };
    int code = jr_flags_start(&jr_dev_kubelet_flags, argc, argv, &config, NULL);

    if (code >= 0)
        return code;
    log = jr_service_log(JR_LOG_INFO, JR_LOG_JSON, "kubelet");
    if (run_kubelet(&config, log, &err) != JR_OK) {
        jr_err(log, "stopped", JR_ERR(&err));
        return 1;
    }
    return 0;
}
