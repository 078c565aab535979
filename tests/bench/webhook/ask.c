/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/webhook/ask.h"

#include <stdio.h>
#include <strings.h>

#include "common/base/num.h"
#include "common/json/doc.h"

#define BODY_MAX ((size_t)1 << 20)
#define UID_LEN 36

static bool find_uid(struct ask_body *b)
{
    static const char key[] = "\"uid\":\"";
    const char *at = memmem(b->text.p, b->text.n, key, sizeof(key) - 1);

    if (at == NULL)
        return false;
    b->uid_at = (size_t)(at - b->text.p) + sizeof(key) - 1;
    return b->uid_at + UID_LEN < b->text.n && b->text.p[b->uid_at + UID_LEN] == '"';
}

bool ask_body_read(struct ask_body *b, const char *file, const char *path, bool wants_patch)
{
    FILE *f = fopen(file, "rb");
    bool ok;

    b->path = path;
    b->wants_patch = wants_patch;
    jr_buf_init(&b->text, BODY_MAX + 1);
    ok = f != NULL && jr_buf_reserve(&b->text, BODY_MAX) == JR_OK;
    if (ok)
        b->text.n = fread(b->text.p, 1, BODY_MAX, f);
    if (f != NULL)
        (void)fclose(f);
    ok = ok && find_uid(b);
    if (!ok)
        (void)fprintf(stderr, "bench-webhook: %s: expected a recorded AdmissionReview\n", file);
    return ok;
}

void ask_body_done(struct ask_body *b)
{
    jr_buf_done(&b->text);
}

enum jr_status ask_write(struct ask_body *b, size_t n, struct jr_buf *out, char uid[ASK_UID_MAX])
{
    (void)snprintf(uid, ASK_UID_MAX, "00000000-0000-4000-8000-%012zx", n);
    memcpy(b->text.p + b->uid_at, uid, UID_LEN);
    (void)jr_buf_addf(out,
                      "POST %s?timeout=10s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                      "User-Agent: kube-apiserver-admission\r\nAccept: application/json, */*\r\n"
                      "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                      b->path, b->text.n);
    return jr_buf_add(out, jr_buf_str(&b->text));
}

bool ask_whole(const struct jr_buf *text, struct jr_str *ret_body)
{
    static const char name[] = "\r\ncontent-length: ";
    const char *end = memmem(text->p, text->n, "\r\n\r\n", 4);
    struct jr_str head, length;
    int64_t n = 0;

    if (end == NULL)
        return false;
    head = (struct jr_str){ text->p, (size_t)(end - text->p) + 2 };
    for (size_t i = 0; i + sizeof(name) < head.n; i++) {
        length = jr_str_from(head, i);
        if (strncasecmp(length.p, name, sizeof(name) - 1) != 0)
            continue;
        length = jr_str_from(length, sizeof(name) - 1);
        length = jr_str_head(length, (size_t)jr_str_find(length, '\r'));
        if (jr_parse_i64(length, 0, (int64_t)BODY_MAX, &n) != JR_OK)
            return false;
    }
    *ret_body = jr_str_from(jr_buf_str(text), head.n + 2);
    return ret_body->n >= (size_t)n;
}

bool ask_right(const struct ask_body *b, const char *uid, struct jr_str body)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_node *response;

    if (jr_doc_parse(body, &JR_READER_STRICT, &doc, NULL) != JR_OK)
        return false;
    response = jr_path(jr_doc_root_const(doc), "response");
    return jr_str_is(jr_get_str(response, "uid"), uid) &&
           jr_node_bool_or(jr_get(response, "allowed"), false) &&
           (jr_get_str(response, "patch").n > 0) == b->wants_patch;
}
