/* SPDX-License-Identifier: Apache-2.0 */
/* An image reference. Completed it stays as it is, is pulled always by default as before, and names
 * a registry where it could be parsed. */
#include <stdlib.h>

#include "common/pod/image.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct jr_str reference = view_of(data, size);
    JR_BUF full = { 0 }, again = { 0 }, why = { 0 };

    jr_buf_init(&full, MAX_TEXT);
    jr_buf_init(&again, MAX_TEXT);
    jr_buf_init(&why, MAX_TEXT);
    MUST(jr_image_write_full(reference, &full) == JR_OK);
    MUST(full.n > 0 && jr_str_find(jr_buf_str(&full), '/') > 0);
    MUST(jr_image_write_full(jr_buf_str(&full), &again) == JR_OK);
    MUST(jr_str_eq(jr_buf_str(&full), jr_buf_str(&again)));
    if (jr_image_is_latest(reference))
        MUST(jr_image_is_latest(jr_buf_str(&full)) &&
             jr_str_ends(jr_buf_str(&full), JR_S(":latest")));
    MUST(jr_image_pinned_fault(reference, &why) == JR_OK);
    if (why.n == 0)
        MUST(jr_image_is_registry(jr_str_head(reference, (size_t)jr_str_find(reference, '/'))));
    return 0;
}
