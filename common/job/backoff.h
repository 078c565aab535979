/* SPDX-License-Identifier: Apache-2.0 */
/* How long the Job controller waits before it replaces failed Pods. */
#ifndef JR_JOB_BACKOFF_H
#define JR_JOB_BACKOFF_H

#include <stdint.h>

/** Returns the delay in nanoseconds from the end of the n-th failure in a row on: 10 s, doubled for
 * each before it, at most 600 s; 0 for none.
 * Source: pkg/controller/job/backoff_utils.go, KEP-3850. */
int64_t jr_backoff_delay(int64_t n);

#endif
