/* SPDX-License-Identifier: Apache-2.0 */
/* The Secret in which the webhook's own certificates are kept. Pure. */
#ifndef JR_WEBHOOK_CERTS_CERT_SECRET_H
#define JR_WEBHOOK_CERTS_CERT_SECRET_H

#include "certs/rotate.h"
#include "common/json/doc.h"

/** Takes the certificates out of a core/v1 Secret; what isn't there stays empty. They are not
 * checked. Errors: JR_INVALID with err->path the key of the data. */
enum jr_status jr_cert_secret_read(const struct jr_node *secret, struct jr_certs *ret,
                                   struct jr_error *err) JR_MUST_USE;
/** Puts them into one; other data stays. Errors: JR_TYPE. */
enum jr_status jr_cert_secret_write(const struct jr_certs *c, struct jr_node *secret) JR_MUST_USE;
/** A Secret that is none yet. */
struct jr_doc *jr_cert_secret_new(const char *namespace, const char *name);

#endif
