/* SPDX-License-Identifier: Apache-2.0 */
/* An informer's lists in pages. */
#include "common/base/memory.h"
#include "common/kube/informer_parts.h"

#define PAGE_SIZE 500
#define PAGE_TIMEOUT_MS 60000
/* A page is in memory as a whole, and is read in one turn of the loop: some 15 ms for so much. What
 * doesn't fit, or doesn't come in time, is asked for in smaller ones; for one object there is no
 * bound but the transport's. */
#define PAGE_BYTES_MAX ((size_t)8 << 20)
/* So many failures of one page in a row, or pages that bring nothing, and the list begins anew:
 * perhaps it is the token. */
#define PAGE_TRIES_MAX 10

void jr_informer_add_selectors(const struct jr_informer *inf, struct jr_buf *url)
{
    if (inf->opt.field_selector != NULL) {
        (void)jr_buf_adds(url, "&fieldSelector=");
        (void)jr_url_escape(jr_str(inf->opt.field_selector), url);
    }
    if (inf->opt.label_selector != NULL) {
        (void)jr_buf_adds(url, "&labelSelector=");
        (void)jr_url_escape(jr_str(inf->opt.label_selector), url);
    }
}

static int full_page(const struct jr_informer *inf)
{
    return inf->opt.page_size > 0 ? inf->opt.page_size : PAGE_SIZE;
}

static void on_item(void *ctx, struct jr_str item)
{
    jr_informer_item(ctx, item);
}

/** The list's version is that of its first page: pages of one snapshot all have it, and those after
 * an expired token, which are newer, leave out what has changed since in the pages before. */
static enum jr_status note_version(struct jr_informer *inf, struct jr_str rv)
{
    return inf->list_rv.n > 0 ? JR_OK : jr_buf_add(&inf->list_rv, rv);
}

/** Takes a page in. *ret_stuck: it brought nothing, and isn't the last one. */
static enum jr_status take_page(struct jr_informer *inf, struct jr_str body, bool *ret_last,
                                bool *ret_stuck, struct jr_error *err)
{
    const size_t before = inf->items;
    struct jr_list_page page = { 0 };
    enum jr_status st = jr_list_read(body, on_item, inf, &page, err);

    if (st != JR_OK)
        return st;
    *ret_stuck = jr_list_is_stuck(&page, inf->items - before, jr_buf_str(&inf->token));
    jr_buf_reset(&inf->token);
    st = jr_need(jr_buf_add(&inf->token, page.continue_token));
    if (st == JR_OK)
        st = jr_need(note_version(inf, page.resource_version));
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "the list's version");
    *ret_last = page.continue_token.n == 0;
    return *ret_last ? jr_informer_listed(inf, jr_buf_str(&inf->list_rv), err) : JR_OK;
}

static void again_later(struct jr_informer *inf, int retry_after_s, const struct jr_error *why)
{
    const bool same = ++inf->page_tries < PAGE_TRIES_MAX;

    jr_informer_pause(inf, same ? NEXT_PAGE : NEXT_LIST, retry_after_s, why);
}

/** The token's snapshot is gone. The server says from where on it can go on all the same; else all
 * of it is listed anew, after a pause: nothing says that it will be faster. */
static void page_expired(struct jr_informer *inf, const struct jr_kube_result *r)
{
    const struct jr_str token = r->status.continue_token;

    jr_buf_reset(&inf->token);
    if (token.n == 0 || jr_buf_add(&inf->token, token) != JR_OK) {
        jr_informer_pause(inf, NEXT_LIST, r->retry_after_s, &r->error);
        return;
    }
    if (inf->page_tries > 0) { /* this one, too */
        again_later(inf, r->retry_after_s, &r->error);
        return;
    }
    inf->page_tries++;
    jr_info(inf->log, "list goes on at a newer version", JR_CSTR("resource", inf->opt.name),
            JR_INT("items", inf->items));
    jr_informer_next_page(inf);
}

/** Whether the same page may be had later: the server was busy, broken or away. */
static bool page_comes_again(const struct jr_kube_result *r)
{
    return r->kind != JR_RESULT_REFUSED || r->http == 429 || r->http >= 500;
}

static void page_failed(struct jr_informer *inf, const struct jr_kube_result *r)
{
    const enum jr_status why = r->error.status;
    const bool smaller = inf->page_size > 1 && (why == JR_LIMIT || why == JR_TIMEOUT);

    if (r->http == 410 && inf->token.n > 0) {
        page_expired(inf, r);
        return;
    }
    if (jr_kube_is_gone(r))
        jr_informer_vanished(inf);
    if (smaller)
        inf->page_size /= 2;
    if (smaller && why == JR_LIMIT)
        jr_informer_next_page(inf);
    else if (page_comes_again(r))
        again_later(inf, r->retry_after_s, &r->error);
    else
        jr_informer_pause(inf, NEXT_LIST, r->retry_after_s, &r->error);
}

/** A page has come: the next failure is the first one, and larger pages may do again. */
static void page_came(struct jr_informer *inf)
{
    jr_informer_reset_failures(inf);
    inf->page_tries = 0;
    if (inf->page_size < full_page(inf))
        inf->page_size = inf->page_size * 2 > full_page(inf) ? full_page(inf) : inf->page_size * 2;
}

static void on_page(void *ctx, const struct jr_kube_result *r)
{
    struct jr_informer *inf = ctx;
    struct jr_error error = { 0 };
    bool last = false, stuck = false;
    enum jr_status st;

    inf->page = NULL;
    if (r->kind != JR_RESULT_OK) {
        page_failed(inf, r);
        return;
    }
    if (!inf->replacing)
        jr_informer_begin_replace(inf);
    st = take_page(inf, r->body, &last, &stuck, &error);
    if (st != JR_OK) {
        jr_informer_pause(inf, NEXT_LIST, 0, &error);
        return;
    }
    if (stuck) {
        (void)jr_fail(&error, JR_REMOTE, NULL, JR_LIST_STUCK);
        again_later(inf, 0, &error);
        return;
    }
    page_came(inf);
    if (last)
        jr_informer_start_watch(inf);
    else
        jr_informer_next_page(inf);
}

const char *jr_informer_accept(const struct jr_informer *inf, bool lists)
{
    if (!inf->opt.metadata_only)
        return NULL;
    return lists ? JR_ACCEPT_METADATA("PartialObjectMetadataList")
                 : JR_ACCEPT_METADATA("PartialObjectMetadata");
}

void jr_informer_next_page(struct jr_informer *inf)
{
    struct jr_kube_request req = { .http = { .method = "GET",
                                             .timeout_ms = PAGE_TIMEOUT_MS,
                                             .body_max =
                                                 inf->page_size > 1 ? PAGE_BYTES_MAX : 0 } };
    JR_BUF url = { 0 };

    inf->phase = PHASE_LIST;
    jr_buf_init(&url, JR_BUF_BY_INPUT);
    (void)jr_buf_adds(&url, inf->opt.path);
    /* Without resourceVersion: consistent. */
    (void)jr_buf_addf(&url, "?limit=%d", inf->page_size);
    if (inf->token.n > 0) {
        (void)jr_buf_adds(&url, "&continue=");
        (void)jr_url_escape(jr_buf_str(&inf->token), &url);
    }
    jr_informer_add_selectors(inf, &url);
    jr_must(url.failed);
    req.http.path = url.p;
    req.http.accept = jr_informer_accept(inf, true);
    inf->page = jr_kube_send(&inf->env, &req, on_page, inf);
}

void jr_informer_first_page(struct jr_informer *inf)
{
    jr_buf_reset(&inf->token);
    jr_buf_reset(&inf->list_rv);
    inf->page_size = full_page(inf);
    inf->page_tries = 0;
    jr_informer_list_begins(inf);
    jr_informer_next_page(inf);
}
