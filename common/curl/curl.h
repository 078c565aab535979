/* SPDX-License-Identifier: Apache-2.0 */
/* The production transport: libcurl's multi interface on the event loop.
 *
 * Requests share HTTP/2 connections where the server offers that (else up to 16 of HTTP/1.1).
 * Those with own_connection go over HTTP/1.1 on connections apart from these, one each, closed when
 * a call is given up; streams, and those with fresh_connection, always open a new one. A request
 * counts as sent from the moment that a connection is there for it: that is when may_send is asked,
 * and what tells NOT_SENT from AMBIGUOUS. Connections that don't answer are given up by the
 * rules of common/kube/liveness.h: a request that passes its deadline ends, with JR_TIMEOUT, all
 * calls on connections that are older and have brought nothing since. Handlers may send
 * and cancel; they must not free the transport. The process's SIGPIPE is ignored from the first
 * transport on. */
#ifndef JR_CURL_CURL_H
#define JR_CURL_CURL_H

#include "common/base/log.h"
#include "common/curl/config.h"
#include "common/kube/transport.h"

struct jr_curl;
/** config is read now and may go away. The files that it names are read again: at least once a
 * minute while there are requests, and soon after a connection failed, or an answer of 401. What
 * can't be used then is logged once, and the last good text stays. user_agent:
 * "jobreeve-controller/0.1.0". */
enum jr_status jr_curl_new(struct jr_loop *loop, const struct jr_kube_config *config,
                           const char *user_agent, struct jr_curl **ret,
                           struct jr_error *err) JR_MUST_USE;
/** Ends all calls without their handlers. */
void jr_curl_free(struct jr_curl *c);
JR_DEFINE_CLEANUP(struct jr_curl *, jr_curl_free)
struct jr_transport jr_curl_transport(struct jr_curl *c);
/** Where it is said which files were read again, or could not be. Borrowed; NULL: nowhere. */
void jr_curl_set_log(struct jr_curl *c, struct jr_log *log);
/** Requests bear this token (NULL: none) from now on, and new connections this certificate and key
 * (NULL: none), in place of what the configuration had. All are copied. */
void jr_curl_set_credential(struct jr_curl *c, const char *token, const char *cert_pem,
                            const char *key_pem);

/** What of a configuration a call without an answer points at. */
enum jr_curl_fault {
    JR_CURL_FAULT_NONE,
    JR_CURL_FAULT_SERVER,      /* its host is unknown, or takes no connection */
    JR_CURL_FAULT_PROXY,       /* the same of the proxy */
    JR_CURL_FAULT_AUTHORITY,   /* the server's certificate isn't trusted */
    JR_CURL_FAULT_NAME,        /* the server's certificate is of another name */
    JR_CURL_FAULT_CERTIFICATE, /* the server doesn't take the client's */
};
/** The fault of the last call that has ended. */
enum jr_curl_fault jr_curl_last_fault(const struct jr_curl *c);
/** Why the last call that has ended had no answer; NULL: it had one, or none has ended. Borrowed
 * until the loop turns. */
const struct jr_error *jr_curl_last_error(const struct jr_curl *c);

#endif
