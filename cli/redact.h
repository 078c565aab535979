/* SPDX-License-Identifier: Apache-2.0 */
/* Objects fit to be shown to others: without what is secret, or looks so. Pure. */
#ifndef JR_CLI_REDACT_H
#define JR_CLI_REDACT_H

#include "common/json/doc.h"

#define JR_REDACTED "REDACTED"

/** Takes out of an object: managedFields, and what tools have noted as applied; the values of env
 * and of headers; words of commands and arguments that name something secret, or follow a flag that
 * does; members with such a name; and everywhere tokens (JWT, "Bearer x"), credentials of URLs, and
 * values of what is called a password or token there. Errors: JR_NOMEM. */
enum jr_status jr_redact(struct jr_node *object) JR_MUST_USE;

#endif
