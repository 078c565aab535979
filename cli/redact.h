/* SPDX-License-Identifier: Apache-2.0 */
/* Objects fit to be shown to others: without what is secret, or looks so. Pure. */
#ifndef JR_CLI_REDACT_H
#define JR_CLI_REDACT_H

#include "common/json/doc.h"

#define JR_REDACTED "REDACTED"

/** Takes out of an object: managedFields and last-applied-configuration; the values of env and of
 * headers; of commands and arguments what follows a word as "password" or "token"; and everywhere
 * tokens (JWT, "Bearer x") and passwords in URLs. Errors: JR_NOMEM. */
enum jr_status jr_redact(struct jr_node *object) JR_MUST_USE;

#endif
