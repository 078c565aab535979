/* SPDX-License-Identifier: Apache-2.0 */
/* GET and LIST. */
#include <inttypes.h>
#include <stdio.h>

#include "common/json/write.h"
#include "devcluster/apiserver/page.h"
#include "devcluster/apiserver/snapshot.h"
#include "devcluster/apiserver/table.h"

/* ---- versions ---- */

bool jr_dev_refuse_too_large(struct jr_dev_op *op, uint64_t version)
{
    struct jr_cause cause = { .reason = JR_S("ResourceVersionTooLarge"),
                              .message = JR_S("Too large resource version") };
    const struct jr_api_status s = {
        .code = 504,
        .reason = JR_S("Timeout"),
        .details = { .causes = { .v = &cause, .n = 1 }, .retry_after_s = 1 },
    };

    return jr_dev_refuse(op, s,
                         "Timeout: Too large resource version: %" PRIu64 ", current: %" PRIu64,
                         version, op->store->revision);
}

bool jr_dev_refuse_match(struct jr_dev_op *op, const char *why)
{
    return jr_dev_refuse_option(op, "ListOptions", "resourceVersionMatch", "FieldValueForbidden",
                                "Forbidden: %s", why);
}

/* resourceVersionMatch goes only with a version. */
static bool check_match(struct jr_dev_op *op, const struct jr_dev_page *page)
{
    struct jr_str match = jr_dev_param(op, "resourceVersionMatch");

    if (match.n == 0)
        return true;
    if (!page->versioned)
        return jr_dev_refuse_match(
            op, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (page->continued)
        return jr_dev_refuse_match(op,
                                   "resourceVersionMatch is forbidden when continue is provided");
    if (!jr_str_is(match, "Exact") && !jr_str_is(match, "NotOlderThan"))
        return jr_dev_refuse_option(op, "ListOptions", "resourceVersionMatch",
                                    "FieldValueNotSupported",
                                    "Unsupported value: \"%.*s\": supported "
                                    "values: \"Exact\", \"NotOlderThan\", \"\"",
                                    JR_P(match));
    if (jr_str_is(match, "Exact") && page->version == 0)
        return jr_dev_refuse_match(
            op, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    return true;
}

static bool parse_page(struct jr_dev_op *op, struct jr_dev_page *page)
{
    struct jr_str version = jr_dev_param(op, "resourceVersion");
    struct jr_str token = jr_dev_param(op, "continue");
    int64_t n = 0, timeout_s;

    *page = (struct jr_dev_page){ .versioned = version.n > 0, .continued = token.n > 0 };
    if (!jr_dev_param_i64(op, "timeoutSeconds", INT64_MIN, INT64_MAX, &timeout_s) ||
        !jr_dev_param_i64(op, "limit", INT64_MIN, INT64_MAX, &n))
        return false;
    if (jr_dev_param(op, "sendInitialEvents").p != NULL)
        return jr_dev_refuse_option(op, "ListOptions", "sendInitialEvents", "FieldValueForbidden",
                                    "Forbidden: sendInitialEvents is forbidden for list");
    page->limit = n > 0 ? (size_t)n : 0;
    if (version.n > 0 && jr_parse_u64(version, &page->version) != JR_OK)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "invalid resource version: resourceVersion: Invalid value: \"%.*s\": "
                              "strconv.ParseUint: parsing \"%.*s\": invalid syntax",
                              JR_P(version), JR_P(version));
    if (!check_match(op, page))
        return false;
    if (page->continued) {
        bool both = page->version != 0;

        if (!jr_dev_token_parse(op, token, page))
            return false;
        return !both ||
               jr_dev_refusef(op, 400, "BadRequest",
                              "specifying resource version is not allowed when using continue");
    }
    page->exact = jr_str_is(jr_dev_param(op, "resourceVersionMatch"), "Exact");
    return page->version <= op->store->revision || jr_dev_refuse_too_large(op, page->version);
}

/* ---- the answer ---- */

static void write_list_meta(struct jr_buf *out, const struct jr_dev_page *page)
{
    struct jr_writer w = jr_writer_on(out);
    char version[24];

    (void)snprintf(version, sizeof(version), "%" PRIu64, page->answered);
    jr_w_object(&w);
    jr_w_kstr(&w, "resourceVersion", jr_str(version));
    if (page->next.n > 0)
        jr_w_kstr(&w, "continue", page->next);
    if (page->counted && page->remaining > 0)
        jr_w_ki64(&w, "remainingItemCount", (int64_t)page->remaining);
    jr_w_object_end(&w);
}

static void write_head(struct jr_dev_op *op, const struct jr_dev_page *page, struct jr_buf *out)
{
    if (op->format == JR_DEV_FORMAT_PARTIAL)
        (void)jr_buf_adds(out, "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":"
                               "\"meta.k8s.io/v1\",\"metadata\":");
    else if (op->format == JR_DEV_FORMAT_OBJECT)
        (void)jr_buf_addf(out, "{\"kind\":\"%sList\",\"apiVersion\":\"%s%s%s\",\"metadata\":",
                          op->res->kind, JR_DEV_API_VERSION(op->res));
    else
        (void)jr_buf_adds(out, JR_DEV_TABLE_HEAD);
    write_list_meta(out, page);
    if (op->format == JR_DEV_FORMAT_TABLE)
        jr_dev_table_columns(op->res, true, out);
    else
        (void)jr_buf_adds(out, ",\"items\":[");
}

void jr_dev_list_answer(struct jr_dev_op *op, const struct jr_dev_page *page,
                        struct jr_dev_object *const *v, size_t n)
{
    struct jr_buf *out = jr_dev_answer_json(op, 200);
    struct jr_str include = jr_dev_param(op, "includeObject");
    /* Custom resources have kind and apiVersion there too. */
    enum jr_dev_form form = op->format == JR_DEV_FORMAT_PARTIAL ? JR_DEV_FORM_PARTIAL
                            : op->res->custom                   ? JR_DEV_FORM_OBJECT
                                                                : JR_DEV_FORM_ITEM;

    write_head(op, page, out);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            (void)jr_buf_addc(out, ',');
        if (op->format == JR_DEV_FORMAT_TABLE)
            jr_dev_table_row(v[i], 0, include, op->now, out);
        else
            jr_dev_object_write(v[i], form, 0, out);
    }
    (void)jr_buf_adds(out, "]}");
}

/* ---- the verbs ---- */

bool jr_dev_list(struct jr_dev_op *op)
{
    JR_CLEANUP(jr_dev_objects_done) struct jr_dev_objects snap = { .n = 0 };
    struct jr_dev_selector sel;
    struct jr_dev_page page;
    uint64_t at;
    size_t first, n;

    if (!jr_dev_selector_parse(op, &sel) || !parse_page(op, &page))
        return false;
    at = page.continued || page.exact ? page.version : 0;
    if (!jr_dev_snapshot_take(op, &sel, at, &snap))
        return jr_dev_refusef(op, 410, "Expired",
                              page.continued
                                  ? "The provided continue parameter is too old to display a "
                                    "consistent list result. You can start a new list without the "
                                    "continue parameter."
                                  : "The resourceVersion for the provided list is too old.");
    page.answered = at == 0 ? op->store->revision : at;
    first = page.continued ? jr_dev_objects_at(&snap, page.start) : 0;
    n = snap.n - first;
    /* A list from the cache has no pages. */
    if (page.limit > 0 && n > page.limit && !(page.versioned && page.version == 0)) {
        n = page.limit;
        page.remaining = snap.n - first - n;
        page.counted = jr_dev_selector_all(&sel);
        page.next = jr_dev_token_make(op, page.answered, snap.v[first + n - 1]->key);
    }
    jr_dev_list_answer(op, &page, snap.v + first, n);
    return true;
}

bool jr_dev_get(struct jr_dev_op *op)
{
    const struct jr_dev_object *o = jr_dev_find(op->store, op->res, op->namespace, op->name);
    uint64_t version = 0;

    if (jr_str_is(op->sub, "log"))
        return jr_dev_log(op);
    if (!jr_dev_param_version(op, &version))
        return false;
    if (version > op->store->revision)
        return jr_dev_refuse_too_large(op, version);
    if (o == NULL)
        return jr_dev_refuse_not_found(op, op->res, op->name);
    jr_dev_answer_object(op, 200, o, 0);
    return true;
}
