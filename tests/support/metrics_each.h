/* SPDX-License-Identifier: Apache-2.0 */
/* The series of a registry, out of its exposition. */
#ifndef JR_TEST_METRICS_EACH_H
#define JR_TEST_METRICS_EACH_H

#include <stdlib.h>
#include <string.h>

#include "common/base/metrics.h"

/** Calls fn for each series of a counter or a gauge: name, labels `{a="b",c="d"}` or "", value. */
static inline void
metrics_each(struct jr_metrics *m,
             void (*fn)(void *ctx, const char *name, const char *labels, double v), void *ctx)
{
    JR_BUF text = { 0 };
    struct jr_str rest, line;
    bool histogram = false;

    jr_buf_init(&text, SIZE_MAX);
    if (jr_metrics_render(m, &text) != JR_OK)
        abort();
    rest = jr_buf_str(&text);
    while (rest.n > 0 && jr_str_cut(&rest, '\n', &line)) {
        JR_FREE char *series = jr_str_dup(line);
        JR_FREE char *name = NULL;
        char *value = series == NULL ? NULL : strrchr(series, ' '), *labels;

        if (value == NULL)
            abort();
        if (jr_str_starts(line, JR_S("# TYPE ")))
            histogram = strcmp(value, " histogram") == 0;
        if (series[0] == '#' || histogram)
            continue;
        *value++ = '\0';
        labels = strchr(series, '{');
        name = jr_str_dup(labels == NULL ? jr_str(series)
                                         : jr_str_head(line, (size_t)(labels - series)));
        fn(ctx, name, labels == NULL ? "" : labels, strtod(value, NULL));
    }
}

#endif
