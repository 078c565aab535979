/* SPDX-License-Identifier: Apache-2.0 */
/* Watch frames, lists and versions: whatever comes, nothing breaks, and where the chunks break
 * makes no difference. */
#include <stdint.h>

#include "common/base/hash.h"
#include "common/kube/framing.h"
#include "common/kube/object_id.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct jr_str part, struct jr_str text)
{
    if (part.n > 0 && (part.p < text.p || part.p + part.n > text.p + text.n))
        __builtin_trap();
}

static void check_id(struct jr_object_id id, struct jr_str text)
{
    check_inside(id.namespace, text);
    check_inside(id.name, text);
    check_inside(id.uid, text);
    check_inside(id.resource_version, text);
    check_inside(id.controller_name, text);
    check_inside(id.controller_uid, text);
}

static void on_unread(void *ctx, struct jr_str line, const struct jr_error *why)
{
    check_id(jr_event_identify(line), line);
    (void)jr_buf_addf(ctx, "unread:%d:%zu:%llx,", (int)why->status, line.n,
                      (unsigned long long)jr_hash(line));
}

/** What is given out must lie inside of what came in, or be the frames' own copy of it; reading it
 * shows. */
static enum jr_status on_event(void *ctx, enum jr_event_type type, struct jr_str object,
                               struct jr_error *err)
{
    struct jr_buf *out = ctx;
    struct jr_str rv = { 0 };
    bool end = false;

    if (object.n == 0)
        __builtin_trap();
    check_id(jr_object_identify(object), object);
    if (jr_object_version(object, &rv, &end, err) == JR_OK && rv.n == 0)
        __builtin_trap();
    if (jr_object_version(object, &rv, NULL, err) == JR_OK && rv.n == 0)
        __builtin_trap();
    return jr_buf_addf(out, "%d:%zu:%llx,", (int)type, object.n,
                       (unsigned long long)jr_hash(object));
}

static enum jr_status feed(struct jr_str text, size_t step, size_t max, struct jr_buf *out)
{
    struct jr_watch_frames f;
    enum jr_status st = JR_OK;

    jr_buf_init(out, SIZE_MAX);
    jr_watch_frames_init(&f);
    f.max_event_bytes = max;
    f.on_unread = on_unread;
    while (st == JR_OK && text.n > 0) {
        st = jr_watch_frames_feed(&f, jr_str_head(text, step), on_event, out, NULL);
        text = jr_str_from(text, step);
    }
    jr_watch_frames_done(&f);
    return st;
}

static void on_item(void *ctx, struct jr_str item)
{
    const struct jr_str *text = ctx;

    if (item.n == 0)
        __builtin_trap();
    check_inside(item, *text);
    check_id(jr_object_identify(item), item);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str text = { (const char *)data, size };
    struct jr_list_page page = { 0 };
    JR_BUF whole = { 0 };
    JR_BUF parts = { 0 };
    size_t step, max;
    enum jr_status a, b;

    if (size < 2)
        return 0;
    step = (size_t)data[0] + 1;
    max = data[1] == 0 ? 0 : (size_t)data[1] * 16;
    text = jr_str_from(text, 2);
    a = feed(text, text.n == 0 ? 1 : text.n, max, &whole);
    b = feed(text, step, max, &parts);
    if (a != b || !jr_str_eq(jr_buf_str(&whole), jr_buf_str(&parts)))
        __builtin_trap();
    if (jr_list_read(text, on_item, &text, &page, NULL) == JR_OK) {
        check_inside(page.resource_version, text);
        check_inside(page.continue_token, text);
    }
    return 0;
}
