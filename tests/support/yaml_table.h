/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of cases in a YAML file. */
#ifndef JR_TEST_SUPPORT_YAML_TABLE_H
#define JR_TEST_SUPPORT_YAML_TABLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/base/file.h"
#include "common/json/yaml.h"

static inline enum jr_status yaml_table_keep(void *ctx, struct jr_doc *doc,
                                             struct jr_positions *pos, struct jr_error *err)
{
    (void)err;
    jr_positions_free(pos);
    *(struct jr_doc **)ctx = doc;
    return JR_OK;
}

/** The one document of the file; ends the test if it can't be read. The caller frees. */
static inline struct jr_doc *yaml_table(const char *path)
{
    struct jr_doc *doc = NULL;
    struct jr_error err = { 0 };
    JR_BUF text = { 0 };

    jr_buf_init(&text, (size_t)1 << 20);
    if (jr_file_read(path, &text, &err) != JR_OK ||
        jr_yaml_read(jr_buf_str(&text), NULL, yaml_table_keep, &doc, &err) != JR_OK)
        fail_msg("%s: %s", path, err.msg);
    return doc;
}

#endif
