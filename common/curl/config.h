/* SPDX-License-Identifier: Apache-2.0 */
/* Where the API server is and who we are: kubeconfig and in-cluster configuration. */
#ifndef JR_CURL_CONFIG_H
#define JR_CURL_CONFIG_H

#include "common/base/error.h"

/** Whether a credential plugin gets standard input. */
enum jr_exec_input { JR_EXEC_NEVER, JR_EXEC_IF_AVAILABLE, JR_EXEC_ALWAYS };

/** A command that gives a credential: users[].user.exec. Source: the API group
 * client.authentication.k8s.io. All owned by the config. */
struct jr_exec_plugin {
    char *command; /* a path, or a name that PATH has */
    char **args;
    size_t n_args;
    char **env; /* NAME=VALUE, beside our own */
    size_t n_env;
    char *api_version; /* client.authentication.k8s.io/v1, or v1beta1 */
    char *install_hint;
    enum jr_exec_input input;
    char *cluster; /* what it is told of the cluster, as JSON; NULL: nothing */
};

/** All owned by the config; NULL where not given. PEM data is decoded from base64 or read from
 * files at load; then the files are named, too: they may be replaced. */
struct jr_kube_config {
    char *server; /* https://127.0.0.1:6443, no trailing slash */
    char *ca_pem;
    char *ca_file;
    char *tls_server_name;
    char *proxy_url;
    bool insecure; /* insecure-skip-tls-verify */
    char *client_cert_pem;
    char *client_cert_file;
    char *client_key_pem;
    char *client_key_file;
    char *token;
    char *token_file; /* rotates: read again at least once a minute and after a 401 */
    char *username;
    char *password;
    struct jr_exec_plugin *exec;
    char **impersonate; /* headers: "Impersonate-User: anna" */
    size_t n_impersonate;
    char *namespace; /* of the context */
    /* For messages. */
    char *source;  /* the file, or "in-cluster" */
    char *context; /* its name; NULL: none */
    char *cluster; /* where it stands: "FILE: clusters[NAME].cluster"; NULL: no kubeconfig */
    char *user;    /* the same; NULL: nobody in particular */
};

/** The user of a configuration: credential plugins are run for a person only. A server has nobody
 * who could log in, and runs no other programs. */
enum jr_config_user { JR_CONFIG_SERVER, JR_CONFIG_PERSON };

/** Loads by kubectl's rules: `path` if given (--kubeconfig), else the files of $KUBECONFIG (merged,
 * first wins), else
 *  ~/.kube/config, else in-cluster (KUBERNETES_SERVICE_HOST and the service account's files).
 * context NULL: current-context. Refused by name: auth-provider, exec for a server, a context,
 * cluster or user that is not there, files that can't be read, both sides of a certificate pair
 * missing one. Errors name the file and the field. */
enum jr_status jr_kube_config_load(const char *path, const char *context, enum jr_config_user user,
                                   struct jr_kube_config *ret, struct jr_error *err) JR_MUST_USE;
/** A server that is asked without credentials. ca_file, which is read here, and tls_server_name may
 * be NULL; all are copied. Errors: JR_IO, JR_INVALID, JR_LIMIT; err->path is the file or the
 * server. */
enum jr_status jr_kube_config_of_server(const char *server, const char *ca_file,
                                        const char *tls_server_name, struct jr_kube_config *ret,
                                        struct jr_error *err) JR_MUST_USE;
/** Frees and wipes; safe on a zeroed config. */
void jr_kube_config_done(struct jr_kube_config *c);

#endif
