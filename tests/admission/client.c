/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/admission/client.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <strings.h>

#define REPLY_MAX_BYTES ((size_t)64 << 20)
#define PATH_MAX_BYTES ((size_t)1 << 16)
#define TIMEOUT_S 60L

struct jr_client {
    CURL *curl;
    struct curl_slist *headers;
    struct jr_client_options opts;
    struct jr_reply reply;
};

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is libcurl's */
static size_t on_body(char *p, size_t size, size_t n, void *self)
{
    struct jr_client *c = self;

    return jr_buf_add(&c->reply.body, (struct jr_str){ p, size * n }) == JR_OK ? n : 0;
}

/** 299 - "text", with \" and \\ in it. */
static void add_warning(struct jr_buf *out, struct jr_str value)
{
    ptrdiff_t quote = jr_str_find(value, '"');

    for (size_t i = (size_t)(quote + 1); quote >= 0 && i < value.n && value.p[i] != '"'; i++) {
        if (value.p[i] == '\\' && i + 1 < value.n)
            i++;
        (void)jr_buf_addc(out, value.p[i]);
    }
    (void)jr_buf_addc(out, '\n');
}

static size_t on_header(char *p, size_t size, size_t n, void *self)
{
    static const char name[] = "warning:";
    struct jr_client *c = self;

    if (n > strlen(name) && strncasecmp(p, name, strlen(name)) == 0)
        add_warning(&c->reply.warnings, jr_str_from((struct jr_str){ p, n }, strlen(name)));
    return size * n;
}

static void set_up(struct jr_client *c)
{
    (void)curl_easy_setopt(c->curl, CURLOPT_CAINFO, c->opts.ca);
    (void)curl_easy_setopt(c->curl, CURLOPT_SSLCERT, c->opts.cert);
    (void)curl_easy_setopt(c->curl, CURLOPT_SSLKEY, c->opts.key);
    (void)curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, c->headers);
    (void)curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, on_body);
    (void)curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, c);
    (void)curl_easy_setopt(c->curl, CURLOPT_HEADERFUNCTION, on_header);
    (void)curl_easy_setopt(c->curl, CURLOPT_HEADERDATA, c);
    (void)curl_easy_setopt(c->curl, CURLOPT_NOPROXY, "*");
    (void)curl_easy_setopt(c->curl, CURLOPT_TIMEOUT, TIMEOUT_S);
    (void)curl_easy_setopt(c->curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
}

enum jr_status jr_client_new(const struct jr_client_options *opts, struct jr_client **ret)
{
    JR_CLEANUP(jr_client_freep) struct jr_client *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return JR_NOMEM;
    c->opts = *opts;
    jr_buf_init(&c->reply.body, REPLY_MAX_BYTES);
    jr_buf_init(&c->reply.warnings, REPLY_MAX_BYTES);
    c->curl = curl_easy_init();
    c->headers = curl_slist_append(NULL, "Content-Type: application/json");
    if (c->curl == NULL || c->headers == NULL)
        return JR_NOMEM;
    set_up(c);
    *ret = jr_steal(&c);
    return JR_OK;
}

void jr_client_free(struct jr_client *c)
{
    if (c == NULL)
        return;
    curl_slist_free_all(c->headers);
    if (c->curl != NULL)
        curl_easy_cleanup(c->curl);
    jr_buf_done(&c->reply.body);
    jr_buf_done(&c->reply.warnings);
    free(c);
}

/** A connection that the server is about to close takes no more. */
static CURLcode perform(struct jr_client *c)
{
    CURLcode code = curl_easy_perform(c->curl);

    if (code != CURLE_SEND_ERROR)
        return code;
    (void)curl_easy_setopt(c->curl, CURLOPT_FRESH_CONNECT, 1L);
    code = curl_easy_perform(c->curl);
    (void)curl_easy_setopt(c->curl, CURLOPT_FRESH_CONNECT, 0L);
    return code;
}

enum jr_status jr_client_ask(struct jr_client *c, const char *method, const char *path,
                             struct jr_str body, const struct jr_reply **ret, struct jr_error *err)
{
    JR_BUF url = { 0 };
    CURLcode code;

    jr_buf_init(&url, PATH_MAX_BYTES);
    if (jr_buf_addf(&url, "%s%s", c->opts.server, path) != JR_OK)
        return jr_fail(err, url.failed, NULL, "%s", path);
    jr_buf_reset(&c->reply.body);
    jr_buf_reset(&c->reply.warnings);
    (void)curl_easy_setopt(c->curl, CURLOPT_URL, url.p);
    (void)curl_easy_setopt(c->curl, CURLOPT_CUSTOMREQUEST, method);
    (void)curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, body.n == 0 ? "" : body.p);
    (void)curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.n);
    code = perform(c);
    if (code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR)
        return jr_fail(err, JR_REMOTE, path, "%s", curl_easy_strerror(code));
    if (code != CURLE_OK)
        return jr_fail(err, JR_IO, path, "%s", curl_easy_strerror(code));
    (void)curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &c->reply.code);
    if (c->reply.body.failed != JR_OK || c->reply.warnings.failed != JR_OK)
        return jr_fail(err, JR_LIMIT, path, "the answer is too long");
    *ret = &c->reply;
    return JR_OK;
}
