/* SPDX-License-Identifier: Apache-2.0 */
/* What GET /metrics answers: whatever comes, and wherever the chunks break, the same gates are
 * read. */
#include <stdint.h>

#include "common/schema/feature_metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** The first byte says how long the chunks are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct jr_feature_metrics whole, parts;
    struct jr_str rest = { (const char *)data, size };
    const size_t step = size == 0 ? 1 : 1 + data[0] % 64;

    memset(&whole, 0, sizeof(whole));
    memset(&parts, 0, sizeof(parts));
    jr_feature_metrics_feed(&whole, rest);
    for (; rest.n > 0; rest = jr_str_from(rest, step))
        jr_feature_metrics_feed(&parts, jr_str_head(rest, step));
    if (whole.n != parts.n || whole.line_n != parts.line_n ||
        jr_kube_version_cmp(whole.version, parts.version) != 0 ||
        memcmp(&whole.gates, &parts.gates, sizeof(whole.gates)) != 0)
        __builtin_trap();
    return 0;
}
