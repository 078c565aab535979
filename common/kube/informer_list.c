/* An informer's lists in pages. */
#include "common/kube/informer_parts.h"

#define PAGE_SIZE 500
#define PAGE_TIMEOUT_MS 60000
/* So many lists in a row with an expired continue token, and the next one is asked for in one
 * piece. */
#define EXPIRED_MAX 2

static void next_page(struct jr_informer *inf);

void jr_informer_add_selectors(const struct jr_informer *inf, struct jr_buf *url)
{
    if (inf->field_selector != NULL) {
        (void)jr_buf_adds(url, "&fieldSelector=");
        (void)jr_url_escape(jr_str(inf->field_selector), url);
    }
    if (inf->label_selector != NULL) {
        (void)jr_buf_adds(url, "&labelSelector=");
        (void)jr_url_escape(jr_str(inf->label_selector), url);
    }
}

static enum jr_status on_item(void *ctx, struct jr_str item, struct jr_error *err)
{
    struct jr_informer *inf = ctx;

    if (inf->relist)
        return jr_fail(err, JR_CANCELLED, NULL, "the list is not wanted any more");
    return jr_informer_item(inf, item, err);
}

/** Takes a page in. JR_CANCELLED: a relist was asked for meanwhile. */
static enum jr_status take_page(struct jr_informer *inf, struct jr_str body, bool *ret_last,
                                struct jr_error *err)
{
    struct jr_list_page page = { 0 };
    enum jr_status st = jr_list_read(body, on_item, inf, &page, err);

    if (st != JR_OK)
        return st;
    if (inf->relist)
        return JR_CANCELLED;
    jr_buf_reset(&inf->token);
    st = jr_buf_add(&inf->token, page.continue_token);
    *ret_last = page.continue_token.n == 0;
    if (st == JR_OK && *ret_last)
        st = jr_informer_listed(inf, page.resource_version);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "the list's version");
}

static void page_refused(struct jr_informer *inf, const struct jr_kube_result *r)
{
    if (r->http == 410 && inf->token.n > 0 && ++inf->expired < EXPIRED_MAX)
        jr_informer_first_page(inf); /* the snapshot is gone: all of it anew, and at once */
    else
        jr_informer_pause(inf, NEXT_LIST, r->retry_after_s, &r->error);
}

static void on_page(void *ctx, const struct jr_kube_result *r)
{
    struct jr_informer *inf = ctx;
    struct jr_error error = { 0 };
    bool last = false;
    enum jr_status st;

    inf->page = NULL;
    if (jr_informer_relists(inf))
        return;
    if (r->kind != JR_RESULT_OK) {
        page_refused(inf, r);
        return;
    }
    if (!inf->replacing) {
        inf->replacing = true;
        inf->items = 0;
        inf->h.on_replace_begin(inf->h.ctx);
    }
    st = take_page(inf, r->body, &last, &error);
    if (jr_informer_relists(inf))
        return;
    if (st != JR_OK)
        jr_informer_pause(inf, NEXT_LIST, 0, &error);
    else if (last)
        jr_informer_start_watch(inf);
    else
        next_page(inf);
}

static void next_page(struct jr_informer *inf)
{
    const int size = inf->opt.page_size > 0 ? inf->opt.page_size : PAGE_SIZE;
    struct jr_error error = { 0 };
    struct jr_kube_request req = { .http = { .method = "GET", .timeout_ms = PAGE_TIMEOUT_MS } };
    JR_BUF url = { 0 };
    enum jr_status st;

    jr_buf_init(&url, 64 << 10);
    (void)jr_buf_adds(&url, inf->path);
    /* Without resourceVersion: consistent. The limit's place stays filled so that selectors may
     * follow. */
    (void)jr_buf_addf(&url, "?limit=%d", inf->expired >= EXPIRED_MAX ? 0 : size);
    if (inf->token.n > 0) {
        (void)jr_buf_adds(&url, "&continue=");
        (void)jr_url_escape(jr_buf_str(&inf->token), &url);
    }
    jr_informer_add_selectors(inf, &url);
    st = url.failed != JR_OK ? jr_fail(&error, url.failed, inf->path, "the list's address") : JR_OK;
    req.http.path = url.p;
    if (st == JR_OK)
        st = jr_kube_send(&inf->env, &req, on_page, inf, &inf->page, &error);
    if (st != JR_OK)
        jr_informer_pause(inf, NEXT_LIST, 0, &error);
}

void jr_informer_first_page(struct jr_informer *inf)
{
    inf->phase = PHASE_LIST;
    inf->replacing = false;
    inf->list_began = jr_loop_mono(inf->env.loop);
    jr_buf_reset(&inf->token);
    jr_informer_count(inf, &jr_informer_lists);
    next_page(inf);
}
