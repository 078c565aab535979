/* SPDX-License-Identifier: Apache-2.0 */
/* ExecCredential: the request to a credential plugin, and its answer. Pure.
 * Source: the API group client.authentication.k8s.io, v1 and v1beta1. */
#ifndef JR_CURL_EXEC_CREDENTIAL_H
#define JR_CURL_EXEC_CREDENTIAL_H

#include "common/base/buf.h"
#include "common/base/time.h"
#include "common/curl/config.h"

/** The most that a plugin may print. */
#define JR_EXEC_OUTPUT_MAX ((size_t)1 << 20)

/** A credential: a token, or a certificate with its key, or both. */
struct jr_exec_credential {
    char *token;
    char *cert_pem;
    char *key_pem;
    struct jr_time expires; /* 0: with the process */
};

/** Frees and wipes; safe on a zeroed credential. */
void jr_exec_credential_done(struct jr_exec_credential *c);

/** Appends what the plugin is told in KUBERNETES_EXEC_INFO, as JSON. A failure sticks to out. */
void jr_exec_request_write(const struct jr_exec_plugin *plugin, bool interactive,
                           struct jr_buf *out);

/** Reads what a plugin has printed. Errors: JR_SYNTAX, JR_TYPE, JR_LIMIT, JR_INVALID (another kind
 * or version, no credential, half a pair, a text that can't be one). */
enum jr_status jr_exec_credential_read(struct jr_str printed, const char *api_version,
                                       struct jr_exec_credential *ret,
                                       struct jr_error *err) JR_MUST_USE;

#endif
