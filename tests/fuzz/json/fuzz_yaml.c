/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever can be read as YAML can be printed, and reading that gives the same again. (But for the
 * first time: JSON's 1.0 and 1e400 are a 1 and a string in YAML.) */
#include "common/json/yaml.h"

#include "tests/fuzz/fuzz.h"
#include "tests/support/field_path.h"

static const struct jr_yaml_limits limits = { .max_bytes = 1 << 20, .max_nodes = 20000 };

static enum jr_status keep(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                           struct jr_error *err)
{
    struct jr_doc **kept = ctx;

    (void)err;
    MUST(*kept == NULL);
    *kept = doc;
    jr_positions_free(pos);
    return JR_OK;
}

static struct jr_doc *print_and_read(const struct jr_doc *doc, struct jr_buf *out)
{
    const struct jr_yaml_limits wide = { .max_bytes = MAX_TEXT };
    struct jr_doc *again = NULL;

    jr_buf_reset(out);
    MUST(jr_yaml_print(jr_doc_root_const(doc), out) == JR_OK);
    MUST(jr_yaml_read(jr_buf_str(out), &wide, keep, &again, NULL) == JR_OK);
    MUST(again != NULL);
    return again;
}

static enum jr_status check(void *ctx, struct jr_doc *read, struct jr_positions *pos,
                            struct jr_error *err)
{
    JR_CLEANUP(jr_positions_freep) struct jr_positions *positions = pos;
    DOC *doc = read;
    DOC *one = NULL;
    DOC *two = NULL;
    JR_BUF first = { 0 };
    JR_BUF second = { 0 };
    unsigned line = 0, column = 0;

    (void)err;
    jr_buf_init(&first, MAX_TEXT);
    jr_buf_init(&second, MAX_TEXT);
    jr_positions_place(positions, jr_positions_find(positions, 0, ctx), &line, &column);
    MUST(line > 0 && column > 0);
    one = print_and_read(doc, &first);
    two = print_and_read(one, &second);
    MUST(jr_node_equal(jr_doc_root(one), jr_doc_root(two)));
    MUST(jr_size(jr_doc_root(doc)) == jr_size(jr_doc_root(one)));
    return JR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct path_text storage;
    struct jr_field_path path;
    char text[64] = "";
    struct jr_error err;

    if (size > 0)
        memcpy(text, data, size < sizeof(text) ? size : sizeof(text) - 1);
    path = JR_FIELD_KEY(path_of_text(text, &storage), JR_S("a"));
    if (jr_yaml_read(view_of(data, size), &limits, check, &path, &err) != JR_OK)
        MUST(err.status != JR_OK && err.msg[0] != '\0');
    return 0;
}
