/* SPDX-License-Identifier: Apache-2.0 */
/* The first byte says which kind, the rest is an object of it as clients send it by protobuf. It is
 * refused in words, or it is JSON that is read, and its size is bounded by the input's. */
#include "common/schema/protobuf.h"

#include "tests/fuzz/fuzz.h"

/* An empty container is two bytes, and its name and resources are written. */
#define JSON_BYTES_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_error err = { 0 };
    size_t kinds = 0;
    JR_BUF json = { 0 };
    enum jr_status st;

    while (jr_schema_kinds[kinds] != NULL)
        kinds++;
    if (size == 0)
        return 0;
    jr_buf_init(&json, MAX_TEXT);
    st = jr_protobuf_read(view_of(data + 1, size - 1), jr_schema_kinds[data[0] % kinds], &json,
                          &err);
    if (st == JR_OK) {
        DOC *doc = NULL;

        MUST(jr_doc_parse(jr_buf_str(&json), &JR_READER_LENIENT, &doc, NULL) == JR_OK);
        MUST(jr_node_kind(jr_doc_root_const(doc)) == JR_OBJECT);
        MUST(json.n <= (size + 1) * JSON_BYTES_MAX);
    } else {
        MUST(st == JR_SYNTAX || st == JR_UNSUPPORTED);
        MUST(err.path[0] != '\0' && err.msg[0] != '\0');
    }
    return 0;
}
