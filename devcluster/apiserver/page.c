/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of pages: base64url of JSON, as an API server makes them. */
#include "devcluster/apiserver/page.h"

#include <inttypes.h>

#include "common/json/write.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* base64url without padding. */
static void encode(struct jr_str in, struct jr_buf *out)
{
    for (size_t i = 0; i < in.n; i += 3) {
        uint32_t bits = 0;
        size_t n = in.n - i < 3 ? in.n - i : 3;

        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < n ? (unsigned char)in.p[i + k] : 0u);
        for (size_t k = 0; k <= n; k++)
            (void)jr_buf_addc(out, alphabet[(bits >> (18 - 6 * k)) & 63]);
    }
}

/* *ret_bad: where Go's decoder would stop; SIZE_MAX: nowhere. */
static void decode(struct jr_str in, struct jr_buf *out, size_t *ret_bad)
{
    uint32_t bits = 0;
    size_t have = 0;

    *ret_bad = SIZE_MAX;
    for (size_t i = 0; i < in.n; i++) {
        const char *at = in.p[i] == '\0' ? NULL : strchr(alphabet, in.p[i]);

        if (at == NULL) {
            *ret_bad = i;
            return;
        }
        bits = bits << 6 | (uint32_t)(at - alphabet);
        if (++have < 4)
            continue;
        for (int k = 2; k >= 0; k--)
            (void)jr_buf_addc(out, (char)((bits >> (8 * k)) & 255));
        bits = 0;
        have = 0;
    }
    if (have == 1)
        *ret_bad = in.n - 1;
    if (have >= 2)
        (void)jr_buf_addc(out, (char)((bits >> (have == 2 ? 4 : 10)) & 255));
    if (have == 3)
        (void)jr_buf_addc(out, (char)((bits >> 2) & 255));
}

struct jr_str jr_dev_token_make(struct jr_dev_op *op, uint64_t revision, struct jr_str key)
{
    JR_BUF text = { 0 };
    JR_BUF token = { 0 };
    JR_BUF start = { 0 };
    struct jr_writer w = jr_writer_on(&text);

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_buf_init(&token, JR_BUF_BY_INPUT);
    jr_buf_init(&start, JR_BUF_BY_INPUT);
    (void)jr_buf_addf(&start, "/%.*s", JR_P(key));
    jr_must(jr_buf_addc(&start, '\0')); /* the least key that is greater */
    jr_w_object(&w);
    jr_w_kstr(&w, "v", JR_S("meta.k8s.io/v1"));
    jr_w_ki64(&w, "rv", (int64_t)revision);
    jr_w_kstr(&w, "start", jr_buf_str(&start));
    jr_w_object_end(&w);
    jr_must(text.failed);
    encode(jr_buf_str(&text), &token);
    jr_must(token.failed);
    return jr_xarena_str(&op->arena, jr_buf_str(&token));
}

static bool refuse_token(struct jr_dev_op *op, const char *why)
{
    return jr_dev_refusef(op, 400, "BadRequest",
                          "invalid continue token: continue key is not valid: %s", why);
}

bool jr_dev_token_parse(struct jr_dev_op *op, struct jr_str token, struct jr_dev_page *page)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_BUF text = { 0 };
    size_t bad;
    int64_t version = 0;
    struct jr_str start;

    jr_buf_init(&text, 16384);
    decode(token, &text, &bad);
    if (bad != SIZE_MAX)
        return refuse_token(op, jr_dev_printf(op, "illegal base64 data at input byte %zu", bad));
    if (jr_need(text.failed) != JR_OK)
        return refuse_token(op, "it is too long");
    if (jr_need(jr_doc_parse(jr_buf_str(&text), &JR_READER_STRICT, &doc, NULL)) != JR_OK)
        return refuse_token(op, "it is no JSON");
    start = jr_get_str(jr_doc_root(doc), "start");
    if (!jr_str_is(jr_get_str(jr_doc_root(doc), "v"), "meta.k8s.io/v1") ||
        jr_node_i64(jr_get(jr_doc_root(doc), "rv"), &version) != JR_OK || version <= 0 ||
        !jr_str_starts(start, JR_S("/")))
        return refuse_token(op, "unknown version or start");
    page->version = (uint64_t)version;
    page->start = jr_xarena_str(&op->arena, jr_str_from(start, 1));
    return true;
}
