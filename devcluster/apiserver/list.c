#include <inttypes.h>

#include "common/json/write.h"
#include "devcluster/apiserver/page.h"
#include "devcluster/apiserver/snapshot.h"
#include "devcluster/apiserver/table.h"

/* ---- versions ---- */

enum jr_status jr_dev_refuse_too_large(struct jr_dev_op *op, uint64_t version)
{
    struct jr_cause cause = { .reason = JR_S("ResourceVersionTooLarge"),
                              .message = JR_S("Too large resource version") };
    struct jr_api_status s = {
        .code = 504,
        .status = JR_S("Failure"),
        .reason = JR_S("Timeout"),
        .details = { .causes = { .v = &cause, .n = 1 }, .retry_after_s = 1 },
    };
    const char *text = jr_arena_printf(
        &op->arena, "Timeout: Too large resource version: %" PRIu64 ", current: %" PRIu64, version,
        op->store->revision);

    s.message = jr_str(text);
    return text == NULL ? JR_NOMEM : jr_dev_refuse(op, &s);
}

static enum jr_status refuse_list_option(struct jr_dev_op *op, const char *field,
                                         const char *message)
{
    return jr_dev_refuse_option(op, "ListOptions", field, "FieldValueForbidden", message);
}

/* resourceVersionMatch goes only with a version. */
static enum jr_status check_match(struct jr_dev_op *op, const struct jr_dev_page *page)
{
    struct jr_str match = jr_dev_param(op, "resourceVersionMatch");

    if (match.n == 0)
        return JR_OK;
    if (!page->versioned)
        return refuse_list_option(op, "resourceVersionMatch",
                                  "Forbidden: resourceVersionMatch is forbidden unless "
                                  "resourceVersion is provided");
    if (page->continued)
        return refuse_list_option(op, "resourceVersionMatch",
                                  "Forbidden: resourceVersionMatch is forbidden when continue is "
                                  "provided");
    if (!jr_str_is(match, "Exact") && !jr_str_is(match, "NotOlderThan")) {
        const char *text = jr_arena_printf(&op->arena,
                                           "Unsupported value: \"%.*s\": supported "
                                           "values: \"Exact\", \"NotOlderThan\", \"\"",
                                           JR_P(match));
        return text == NULL ? JR_NOMEM
                            : jr_dev_refuse_option(op, "ListOptions", "resourceVersionMatch",
                                                   "FieldValueNotSupported", text);
    }
    if (jr_str_is(match, "Exact") && page->version == 0)
        return refuse_list_option(op, "resourceVersionMatch",
                                  "Forbidden: resourceVersionMatch \"exact\" is forbidden for "
                                  "resourceVersion \"0\"");
    return JR_OK;
}

static enum jr_status parse_page(struct jr_dev_op *op, struct jr_dev_page *page)
{
    struct jr_str limit = jr_dev_param(op, "limit");
    struct jr_str version = jr_dev_param(op, "resourceVersion");
    struct jr_str token = jr_dev_param(op, "continue");
    int64_t n = 0;
    enum jr_status st;

    *page = (struct jr_dev_page){ .limit = 0 };
    if (limit.n > 0 && jr_parse_i64(limit, INT64_MIN, INT64_MAX, &n) != JR_OK)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "strconv.ParseInt: parsing \"%.*s\": invalid syntax", JR_P(limit));
    page->limit = n > 0 ? (size_t)n : 0;
    page->versioned = version.n > 0;
    if (version.n > 0 && jr_parse_u64(version, &page->version) != JR_OK)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "invalid resource version: resourceVersion: Invalid value: \"%.*s\": "
                              "strconv.ParseUint: parsing \"%.*s\": invalid syntax",
                              JR_P(version), JR_P(version));
    page->continued = token.n > 0;
    st = check_match(op, page);
    if (st != JR_OK)
        return st;
    bool both = page->continued && page->versioned && page->version != 0;
    if (page->continued)
        st = jr_dev_token_parse(op, token, page);
    if (st == JR_OK && both)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "specifying resource version is not allowed when using continue");
    if (st != JR_OK || page->continued)
        return st;
    page->exact = jr_str_is(jr_dev_param(op, "resourceVersionMatch"), "Exact");
    if (page->version > op->store->revision)
        return jr_dev_refuse_too_large(op, page->version);
    return JR_OK;
}

/* ---- the answer ---- */

static void write_list_meta(struct jr_buf *out, const struct jr_dev_page *page)
{
    struct jr_writer w = jr_writer_on(out);
    JR_BUF version = { 0 };

    jr_buf_init(&version, 32);
    (void)jr_buf_addf(&version, "%" PRIu64, page->answered);
    jr_w_object(&w);
    jr_w_kstr(&w, "resourceVersion", jr_buf_str(&version));
    if (page->next.n > 0)
        jr_w_kstr(&w, "continue", page->next);
    if (page->counted && page->remaining > 0)
        jr_w_ki64(&w, "remainingItemCount", (int64_t)page->remaining);
    jr_w_object_end(&w);
}

static enum jr_status write_items(struct jr_dev_op *op, const struct jr_dev_page *page,
                                  struct jr_dev_object *const *v, size_t n, struct jr_buf *out)
{
    bool partial = op->format == JR_DEV_FORMAT_PARTIAL;

    if (partial)
        (void)jr_buf_adds(out, "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":"
                               "\"meta.k8s.io/v1\",\"metadata\":");
    else
        (void)jr_buf_addf(out, "{\"kind\":\"%sList\",\"apiVersion\":\"%s%s%s\",\"metadata\":",
                          op->res->kind, JR_DEV_API_VERSION(op->res));
    write_list_meta(out, page);
    (void)jr_buf_adds(out, ",\"items\":[");
    for (size_t i = 0; i < n && out->failed == JR_OK; i++) {
        if (i > 0)
            (void)jr_buf_addc(out, ',');
        out->failed =
            jr_dev_object_write(v[i], partial ? JR_DEV_FORM_PARTIAL : JR_DEV_FORM_ITEM, 0, out);
    }
    return jr_buf_adds(out, "]}");
}

static enum jr_status write_table(struct jr_dev_op *op, const struct jr_dev_page *page,
                                  struct jr_dev_object *const *v, size_t n, struct jr_buf *out)
{
    JR_BUF meta = { 0 };
    struct jr_str include = jr_dev_param(op, "includeObject");

    jr_buf_init(&meta, (size_t)1 << 20);
    write_list_meta(&meta, page);
    if (meta.failed != JR_OK)
        return meta.failed;
    enum jr_status st = jr_dev_table_head(op->res, jr_buf_str(&meta), true, out);
    for (size_t i = 0; i < n && st == JR_OK; i++) {
        if (i > 0)
            (void)jr_buf_addc(out, ',');
        st = jr_dev_table_row(v[i], 0, include, op->now, out);
    }
    return st == JR_OK ? jr_buf_adds(out, "]}") : st;
}

enum jr_status jr_dev_list_answer(struct jr_dev_op *op, const struct jr_dev_page *page,
                                  struct jr_dev_object *const *v, size_t n)
{
    struct jr_buf *out = &op->answer.body;
    enum jr_status st;

    op->answer.status = 200;
    op->answer.content_type = "application/json";
    if (op->format == JR_DEV_FORMAT_TABLE)
        st = write_table(op, page, v, n, out);
    else
        st = write_items(op, page, v, n, out);
    return st == JR_OK ? JR_OK : JR_NOMEM;
}

/* ---- the verbs ---- */

static enum jr_status refuse_expired(struct jr_dev_op *op, const struct jr_dev_page *page)
{
    if (!page->continued)
        return jr_dev_refusef(op, 410, "Expired",
                              "The resourceVersion for the provided list is too "
                              "old.");
    return jr_dev_refusef(
        op, 410, "Expired",
        "The provided continue parameter is too old to display a consistent list result. You can "
        "start a new list without the continue parameter.");
}

enum jr_status jr_dev_list(struct jr_dev_op *op)
{
    JR_CLEANUP(jr_dev_snapshot_done) struct jr_dev_snapshot snap = { NULL, 0 };
    struct jr_dev_selector sel;
    struct jr_dev_page page;
    uint64_t at = 0;
    size_t first = 0, n;
    enum jr_status st = jr_dev_selector_parse(op, &sel);

    if (st == JR_OK)
        st = parse_page(op, &page);
    if (st != JR_OK)
        return st;
    if (page.continued || page.exact)
        at = page.version;
    st = jr_dev_snapshot_take(op, &sel, at, &snap);
    if (st == JR_EXPIRED)
        return refuse_expired(op, &page);
    if (st != JR_OK)
        return st;
    page.answered = at == 0 ? op->store->revision : at;
    if (page.continued) {
        const struct jr_dev_list l = { snap.v, snap.n, snap.n };
        first = jr_dev_list_at(&l, page.start);
    }
    n = snap.n - first;
    /* A list from the cache has no pages. */
    if (page.limit > 0 && n > page.limit && !(page.versioned && page.version == 0)) {
        n = page.limit;
        page.remaining = snap.n - first - n;
        page.counted = jr_dev_selector_all(&sel);
        st = jr_dev_token_make(op, page.answered, snap.v[first + n - 1]->key, &page.next);
        if (st != JR_OK)
            return st;
    }
    return jr_dev_list_answer(op, &page, snap.v + first, n);
}

enum jr_status jr_dev_get(struct jr_dev_op *op)
{
    struct jr_str text = jr_dev_param(op, "resourceVersion");
    const struct jr_dev_object *o = jr_dev_find(op->store, op->res, op->namespace, op->name);
    uint64_t version = 0;

    if (text.n > 0 && jr_parse_u64(text, &version) == JR_OK && version > op->store->revision)
        return jr_dev_refuse_too_large(op, version);
    if (o == NULL)
        return jr_dev_refuse_not_found(op, op->res, op->name);
    return jr_dev_answer_object(op, 200, o, 0);
}
