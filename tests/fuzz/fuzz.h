/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzz targets share. */
#ifndef JR_FUZZ_H
#define JR_FUZZ_H

#include <stdio.h>

#include "common/json/doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** A property: what does not hold stops the run. */
#define MUST(cond)                                                                 \
    do {                                                                           \
        if (!(cond)) {                                                             \
            (void)fprintf(stderr, "%s:%d: must: %s\n", __FILE__, __LINE__, #cond); \
            abort();                                                               \
        }                                                                          \
    } while (0)

#define MAX_TEXT ((size_t)256 << 20)

static inline struct jr_str view_of(const uint8_t *data, size_t size)
{
    return (struct jr_str){ (const char *)data, size };
}

static inline void must_print(const struct jr_node *n, struct jr_buf *out)
{
    jr_buf_reset(out);
    MUST(jr_node_print(n, out) == JR_OK);
}

#define DOC JR_CLEANUP(jr_doc_freep) struct jr_doc

#endif
