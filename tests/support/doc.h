/* SPDX-License-Identifier: Apache-2.0 */
/* Documents from texts that a test knows to be right. */
#ifndef JR_TEST_SUPPORT_DOC_H
#define JR_TEST_SUPPORT_DOC_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/json/doc.h"

/** Ends the test if the text isn't one. The caller frees. */
static inline struct jr_doc *doc_of(struct jr_str text)
{
    struct jr_doc *doc = NULL;
    struct jr_error err;

    if (jr_doc_parse(text, &JR_READER_STRICT, &doc, &err) != JR_OK)
        fail_msg("%s in %.*s", err.msg, JR_P(text));
    return doc;
}

#endif
