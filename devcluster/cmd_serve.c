/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve-devcluster: the embedded API server, with the simulated kubelet beside it. */
#include <openssl/rand.h>
#include <stdio.h>

#include "common/base/memory.h"
#include "common/curl/curl.h"
#include "common/http/service.h"
#include "common/schema/profiles.h"
#include "devcluster/commands.h"
#include "devcluster/data_dir.h"
#include "devcluster/kubelet/kubelet.h"
#include "devcluster/server.h"

#define CERT_DAYS 30
#define TOKEN_BYTES 16

struct config {
    struct jr_flag_addr bind;
    const char *data_dir;
    const char *node;
    int64_t default_run_ms;
    int64_t history;
    const char *version;
    struct jr_flag_list gates;
    int log_level;
};

static const struct jr_flag table[] = {
    { .name = "bind-address",
      .type = JR_FLAG_ADDR,
      .offset = offsetof(struct config, bind),
      .initial = "127.0.0.1:0",
      .help = "Where the API is served; port 0 takes a free one." },
    { .name = "data-dir",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, data_dir),
      .initial = ".devcluster",
      .help = "The `folder` where kubeconfig and ca.crt are written." },
    { .name = "node",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, node),
      .initial = "sim-node",
      .help = "The `name` of the simulated kubelet's Node; empty: no kubelet." },
    { .name = "default-run",
      .type = JR_FLAG_DURATION,
      .offset = offsetof(struct config, default_run_ms),
      .initial = "1s",
      .help = "How long a Pod runs that has no kubelet.jobreeve.dev/duration." },
    { .name = "history",
      .type = JR_FLAG_INT,
      .offset = offsetof(struct config, history),
      .initial = "10000",
      .min = 10,
      .max = 10000000,
      .help = "How many changes are kept for watches; older versions answer 410." },
    { .name = "kubernetes-version",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, version),
      .initial = "1.36.0",
      .help = "The `version` of Kubernetes, 1.31 to 1.37 or the preview 1.38, whose rules it has, "
              "and which it says it "
              "is." },
    { .name = JR_GATES_FLAG,
      .type = JR_FLAG_LIST,
      .offset = offsetof(struct config, gates),
      .initial = "",
      .help = "Gates that differ from their defaults in that version, as `Name=true|false,...`." },
    { .name = "log-level",
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, log_level),
      .initial = "info",
      .choices = jr_log_levels,
      .help = "What is logged." },
    { .name = NULL },
};
const struct jr_flags jr_dev_serve_flags = {
    .program = "jobreeve-devcluster",
    .summary =
        "An API server in memory with a simulated kubelet, for trials and tests.\n"
        "Commands: serve (this, also without its name), kubelet, certs; each has its --help.",
    .table = table,
    .about = jr_dev_about,
};

/* All that runs; torn down in the reverse order. */
struct devcluster {
    struct jr_service s;
    struct jr_dev_store *store;
    struct jr_dev_server *server;
    struct jr_curl *curl;
    struct jr_dev_kubelet *kubelet;
    struct jr_cert ca;
    struct jr_cert leaf;
    char token[2 * TOKEN_BYTES + 1];
};

static void devcluster_done(struct devcluster *d)
{
    jr_dev_kubelet_free(d->kubelet);
    jr_curl_free(d->curl);
    jr_dev_server_free(d->server);
    jr_dev_store_free(d->store);
    jr_service_done(&d->s);
    jr_cert_done(&d->leaf);
    jr_cert_done(&d->ca);
}

static enum jr_status make_token(struct devcluster *d, struct jr_error *err)
{
    unsigned char bytes[TOKEN_BYTES];

    if (RAND_bytes(bytes, sizeof(bytes)) != 1)
        return jr_fail(err, JR_IO, NULL, "no randomness for a token");
    for (size_t i = 0; i < sizeof(bytes); i++)
        (void)snprintf(d->token + 2 * i, 3, "%02x", bytes[i]);
    return JR_OK;
}

static enum jr_status make_certs(struct devcluster *d, const char *host, struct jr_error *err)
{
    const char *const names[] = { host, "127.0.0.1", "localhost", "kubernetes.default.svc" };
    struct jr_time now = jr_loop_wall(d->s.loop);
    enum jr_status st = jr_cert_make_ca("jobreeve devcluster CA", now, CERT_DAYS, &d->ca, err);

    if (st == JR_OK)
        st = jr_cert_make_serving(&d->ca, names, JR_ARRAY_SIZE(names), now, CERT_DAYS, &d->leaf,
                                  err);
    return st;
}

static enum jr_status serve(struct devcluster *d, const struct config *config,
                            const struct jr_profile *profile, struct jr_error *err)
{
    const char *host = config->bind.host[0] == '\0' ? "0.0.0.0" : config->bind.host;
    const struct jr_dev_store_options store = {
        .rand = jr_rand_system,
        .profile = *profile,
        .history = (size_t)config->history,
    };
    enum jr_status st = make_token(d, err);

    if (st == JR_OK)
        st = make_certs(d, host, err);
    if (st != JR_OK)
        return st;
    d->store = jr_dev_store_new(&store, jr_loop_wall(d->s.loop));
    const struct jr_dev_server_options options = {
        .host = host, .port = config->bind.port, .cert = &d->leaf, .token = d->token
    };
    return jr_dev_server_new(d->s.loop, d->store, &options, d->s.log, &d->server, err);
}

/* The kubeconfig is written last: where it is, the server answers. */
static enum jr_status publish(struct devcluster *d, const struct config *config, const char *url,
                              struct jr_error *err)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, (size_t)1 << 20);
    enum jr_status st = jr_dev_dir_make(config->data_dir, err);
    if (st == JR_OK)
        st = jr_dev_file_write(config->data_dir, "ca.crt", jr_str(d->ca.cert_pem), 0644, err);
    jr_dev_kubeconfig_write(url, d->ca.cert_pem, d->token, &text);
    if (st == JR_OK)
        st = jr_dev_file_write(config->data_dir, "kubeconfig", jr_buf_str(&text), 0600, err);
    return st;
}

static enum jr_status start_kubelet(struct devcluster *d, const struct config *config,
                                    const char *url, struct jr_error *err)
{
    JR_FREE char *server = jr_xstrndup(jr_str(url));
    const struct jr_kube_config kube = { .server = server,
                                         .ca_pem = d->ca.cert_pem,
                                         .token = d->token };
    const struct jr_dev_kubelet_options options = {
        .node = config->node,
        .default_run_ms = config->default_run_ms,
    };

    if (config->node[0] == '\0')
        return JR_OK;
    enum jr_status st =
        jr_curl_new(d->s.loop, &kube, "jobreeve-kubelet/" JR_VERSION, &d->curl, err);
    if (st != JR_OK)
        return st;
    const struct jr_env env = { .loop = d->s.loop,
                                .rand = jr_rand_system,
                                .transport = jr_curl_transport(d->curl) };
    d->kubelet = jr_dev_kubelet_new(&env, &options, d->s.log);
    jr_dev_kubelet_start(d->kubelet);
    return JR_OK;
}

static enum jr_status run_devcluster(struct devcluster *d, const struct config *config,
                                     const struct jr_profile *profile, struct jr_log *log,
                                     struct jr_error *err)
{
    char url[128];
    enum jr_status st = jr_service_open(&d->s, log, NULL, NULL, err);

    if (st == JR_OK)
        st = serve(d, config, profile, err);
    if (st != JR_OK)
        return st;
    (void)snprintf(url, sizeof(url), "https://%s", jr_dev_server_address(d->server));
    st = start_kubelet(d, config, url, err);
    if (st == JR_OK)
        st = publish(d, config, url, err);
    if (st != JR_OK)
        return st;
    jr_info(d->s.log, "serving", JR_CSTR("listener", "api"),
            JR_CSTR("address", jr_dev_server_address(d->server)),
            JR_CSTR("data", config->data_dir));
    return jr_loop_run(d->s.loop, err);
}

int jr_dev_serve(int argc, char **argv)
{
    JR_CLEANUP(jr_log_freep) struct jr_log *log = NULL;
    JR_CLEANUP(devcluster_done) struct devcluster d = { 0 };
    struct config config;
    struct jr_kube_version version;
    struct jr_profile profile;
    struct jr_error err = { 0 };
    int code = jr_flags_start(&jr_dev_serve_flags, argc, argv, &config, NULL);

    if (code >= 0)
        return code;
    if (config.bind.off) {
        (void)fputs("jobreeve-devcluster: --bind-address: expected host:port\n", stderr);
        return 2;
    }
    if (jr_kube_version_parse(jr_str(config.version), &version, &err) != JR_OK) {
        (void)fprintf(stderr, "jobreeve-devcluster: --kubernetes-version: %s\n", err.msg);
        return 2;
    }
    profile = jr_profile_of(version);
    if (jr_profile_set_gates(&profile, &config.gates, "--" JR_GATES_FLAG, &err) != JR_OK) {
        (void)fprintf(stderr, "jobreeve-devcluster: --" JR_GATES_FLAG ": %s\n", err.msg);
        return 2;
    }
    log = jr_service_log(config.log_level, JR_LOG_JSON, "devcluster");
    if (run_devcluster(&d, &config, &profile, log, &err) != JR_OK) {
        jr_err(log, "stopped", JR_ERR(&err));
        return 1;
    }
    return 0;
}
