/* SPDX-License-Identifier: Apache-2.0 */
/* The back-off of failed Pods. */
#include "common/job/backoff.h"

#include "common/base/time.h"

#define BASE_NS (10 * JR_SEC)
#define CAP_NS (600 * JR_SEC)

int64_t jr_backoff_delay(int64_t n)
{
    int64_t delay = BASE_NS;

    if (n <= 0)
        return 0;
    for (int64_t i = 1; i < n && delay < CAP_NS; i++)
        delay *= 2;
    return delay < CAP_NS ? delay : CAP_NS;
}
