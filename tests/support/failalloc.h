/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations that fail on purpose. A test that links jr_failalloc runs its subject once for each
 * allocation in it:
 *
 *     for (long n = 1;; n++) {
 *         jr_failalloc_arm(n);
 *         st = subject(...);
 *         if (jr_failalloc_over(st))
 *             break;
 *     }
 *
 * Only calls from statically linked code fail, not those inside of shared libraries. */
#ifndef JR_SUPPORT_FAILALLOC_H
#define JR_SUPPORT_FAILALLOC_H

#include <stdbool.h>

#include "common/base/error.h"

/** From now on the nth allocation (from 1) fails, once; the others work. Forgets an earlier hit. */
void jr_failalloc_arm(long nth);
/** No allocation fails any more. */
void jr_failalloc_disarm(void);
/** Whether one has failed since it was armed last. */
bool jr_failalloc_hit(void);
/** Disarms. The subject's status has to be JR_NOMEM if one has failed, else JR_OK, and then all
 * have had their turn: true. */
bool jr_failalloc_over(enum jr_status st);
/** From now on fails(ctx) is asked at each allocation, until it has let one fail, or
 * jr_failalloc_disarm(). It isn't asked about its own. Forgets an earlier hit. */
void jr_failalloc_ask(bool (*fails)(void *ctx), void *ctx);

#endif
