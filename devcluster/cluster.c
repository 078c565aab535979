/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the embedded cluster, started one after the other. */
#include "devcluster/cluster.h"

#include <openssl/rand.h>
#include <stdio.h>

#include "common/base/memory.h"
#include "devcluster/data_dir.h"

#define CERT_DAYS 30
#define TOKEN_BYTES 16

enum jr_status jr_devcluster_profile(const struct jr_devcluster_flags *flags,
                                     struct jr_profile *ret, struct jr_error *err)
{
    struct jr_kube_version version;
    enum jr_status st;

    if (flags->bind.off)
        return jr_fail(err, JR_USAGE, "--bind-address", "expected host:port");
    st = jr_kube_version_parse(jr_str(flags->version), &version, err);
    if (st != JR_OK) {
        (void)snprintf(err->path, sizeof(err->path), "--kubernetes-version");
        return st;
    }
    *ret = jr_profile_of(version);
    st = jr_profile_set_gates(ret, &flags->gates, "--" JR_GATES_FLAG, err);
    if (st != JR_OK)
        (void)snprintf(err->path, sizeof(err->path), "--" JR_GATES_FLAG);
    return st;
}

void jr_devcluster_done(struct jr_devcluster *d)
{
    jr_dev_kubelet_free(d->kubelet);
    jr_curl_free(d->curl);
    jr_dev_server_free(d->server);
    jr_dev_store_free(d->store);
    jr_cert_done(&d->leaf);
    jr_cert_done(&d->ca);
    *d = (struct jr_devcluster){ .loop = NULL };
}

static enum jr_status make_token(struct jr_devcluster *d, struct jr_error *err)
{
    unsigned char bytes[TOKEN_BYTES];

    if (RAND_bytes(bytes, sizeof(bytes)) != 1)
        return jr_fail(err, JR_IO, NULL, "no randomness for a token");
    for (size_t i = 0; i < sizeof(bytes); i++)
        (void)snprintf(d->token + 2 * i, 3, "%02x", bytes[i]);
    return JR_OK;
}

static enum jr_status make_certs(struct jr_devcluster *d, const char *host, struct jr_error *err)
{
    const char *const names[] = { host, "127.0.0.1", "localhost", "kubernetes.default.svc" };
    const struct jr_time now = jr_loop_wall(d->loop);
    enum jr_status st = jr_cert_make_ca("jobreeve devcluster CA", now, CERT_DAYS, &d->ca, err);

    if (st == JR_OK)
        st = jr_cert_make_serving(&d->ca, names, JR_ARRAY_SIZE(names), now, CERT_DAYS, &d->leaf,
                                  err);
    return st;
}

static enum jr_status serve(struct jr_devcluster *d, const struct jr_devcluster_flags *flags,
                            const struct jr_profile *profile, struct jr_log *log,
                            struct jr_error *err)
{
    const char *host = flags->bind.host[0] == '\0' ? "0.0.0.0" : flags->bind.host;
    const struct jr_dev_store_options store = {
        .rand = jr_rand_system,
        .profile = *profile,
        .history = (size_t)flags->history,
    };
    const struct jr_dev_server_options options = {
        .host = host, .port = flags->bind.port, .cert = &d->leaf, .token = d->token
    };
    enum jr_status st = make_token(d, err);

    if (st == JR_OK)
        st = make_certs(d, host, err);
    if (st != JR_OK)
        return st;
    d->store = jr_dev_store_new(&store, jr_loop_wall(d->loop));
    st = jr_dev_server_new(d->loop, d->store, &options, log, &d->server, err);
    if (st == JR_OK)
        (void)snprintf(d->url, sizeof(d->url), "https://%s", jr_dev_server_address(d->server));
    return st;
}

static enum jr_status start_kubelet(struct jr_devcluster *d,
                                    const struct jr_devcluster_flags *flags, struct jr_log *log,
                                    struct jr_error *err)
{
    const struct jr_kube_config kube = { .server = d->url,
                                         .ca_pem = d->ca.cert_pem,
                                         .token = d->token };
    const struct jr_dev_kubelet_options options = {
        .node = flags->node,
        .default_run_ms = flags->default_run_ms,
    };
    struct jr_env env = { .loop = d->loop, .rand = jr_rand_system };
    enum jr_status st;

    if (flags->node[0] == '\0')
        return JR_OK;
    st = jr_curl_new(d->loop, &kube, "jobreeve-kubelet/" JR_VERSION, &d->curl, err);
    if (st != JR_OK)
        return st;
    env.transport = jr_curl_transport(d->curl);
    d->kubelet = jr_dev_kubelet_new(&env, &options, log);
    jr_dev_kubelet_start(d->kubelet);
    return JR_OK;
}

enum jr_status jr_devcluster_start(struct jr_devcluster *d, struct jr_loop *loop,
                                   const struct jr_devcluster_flags *flags,
                                   const struct jr_profile *profile, struct jr_log *log,
                                   struct jr_error *err)
{
    enum jr_status st;

    d->loop = loop;
    st = serve(d, flags, profile, log, err);
    return st == JR_OK ? start_kubelet(d, flags, log, err) : st;
}

enum jr_status jr_devcluster_publish(const struct jr_devcluster *d, const char *dir,
                                     const char *kubeconfig, struct jr_error *err)
{
    enum jr_status st = jr_dev_file_write(dir, "ca.crt", jr_str(d->ca.cert_pem), 0644, err);
    JR_BUF text = { 0 };

    jr_buf_init(&text, (size_t)1 << 20);
    jr_dev_kubeconfig_write(d->url, d->ca.cert_pem, d->token, &text);
    if (st == JR_OK)
        st = jr_dev_file_write(dir, kubeconfig, jr_buf_str(&text), 0600, err);
    return st;
}
