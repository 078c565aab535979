/* SPDX-License-Identifier: Apache-2.0 */
/* Where the API server is and who we are: kubeconfig and in-cluster configuration. */
#ifndef JR_CURL_CONFIG_H
#define JR_CURL_CONFIG_H

#include "common/base/error.h"

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
    char *namespace; /* of the context */
    char *source;    /* for messages: the file, or "in-cluster" */
};

/** Loads by kubectl's rules: `path` if given (--kubeconfig), else the files of $KUBECONFIG (merged,
 * first wins), else
 *  ~/.kube/config, else in-cluster (KUBERNETES_SERVICE_HOST and the service account's files).
 * context NULL: current-context. Refused by name: exec, auth-provider, a context, cluster or user
 * that is not there, files that can't be read, both sides of a certificate pair missing one. Errors
 * name the file and the field. */
enum jr_status jr_kube_config_load(const char *path, const char *context,
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
