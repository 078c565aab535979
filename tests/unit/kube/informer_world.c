/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/kube/informer_world.h"

#include "common/base/memory.h"
#include "common/kube/framing.h"

/** The object's name, which the tests write first in metadata. */
static struct jr_str name_of(struct jr_str object)
{
    const char *at = memmem(object.p, object.n, "\"name\":\"", 8);
    struct jr_str s;

    if (at == NULL)
        return JR_S("?");
    s = jr_str_from(object, (size_t)(at - object.p) + 8);
    return jr_str_head(s, (size_t)jr_str_find(s, '"'));
}

static void note(struct world *w, const char *what, struct jr_str object)
{
    struct jr_str rv = JR_S("?");

    if (w->relist_on != NULL &&
        memmem(object.p, object.n, w->relist_on, strlen(w->relist_on)) != NULL)
        (void)jr_informer_relist(w->inf);
    if (jr_object_version(object, &rv, NULL, NULL) != JR_OK)
        rv = JR_S("?");
    jr_must(jr_buf_addf(&w->notes, "%s(%.*s@%.*s) ", what, JR_P(name_of(object)), JR_P(rv)));
}

static void on_replace_begin(void *ctx)
{
    struct world *w = ctx;

    jr_must(jr_buf_adds(&w->notes, "begin "));
}

static void on_restored(void *ctx)
{
    struct world *w = ctx;

    jr_must(jr_buf_adds(&w->notes, "restored "));
}

static void on_replace_item(void *ctx, struct jr_str object)
{
    note(ctx, "item", object);
}

static void on_replace_end(void *ctx, struct jr_str rv)
{
    struct world *w = ctx;

    jr_must(jr_buf_addf(&w->notes, "end(%.*s) ", JR_P(rv)));
}

static void on_event(void *ctx, enum jr_event_type type, struct jr_str object)
{
    static const char *const names[] = { "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR" };

    note(ctx, names[type], object);
}

static void on_progress(void *ctx, struct jr_str rv)
{
    struct world *w = ctx;

    jr_buf_reset(&w->progress);
    jr_must(jr_buf_add(&w->progress, rv));
}

static void on_unread(void *ctx, struct jr_str line, const struct jr_error *why)
{
    struct world *w = ctx;

    (void)why;
    jr_must(jr_buf_addf(&w->notes, "unread(%.*s) ", JR_P(name_of(line))));
}

void world_init(struct world *w, const struct jr_informer_options *options)
{
    const struct jr_informer_options defaults = { .path = "/apis/batch/v1/jobs",
                                                  .name = "jobs",
                                                  .watch_list = true };
    const struct jr_informer_handler h = {
        .on_replace_begin = on_replace_begin,
        .on_restored = on_restored,
        .on_replace_item = on_replace_item,
        .on_replace_end = on_replace_end,
        .on_event = on_event,
        .on_progress = on_progress,
        .on_unread = on_unread,
        .ctx = w,
    };

    *w = (struct world){ 0 };
    fake_init(&w->f);
    jr_buf_init(&w->notes, NOTES_MAX);
    jr_buf_init(&w->progress, NOTES_MAX);
    assert_int_equal(jr_metrics_new(&w->metrics), JR_OK);
    w->inf =
        jr_informer_new(&w->f.env, options == NULL ? &defaults : options, &h, NULL, w->metrics);
    assert_false(jr_informer_synced(w->inf));
    jr_informer_start(w->inf);
    jr_informer_start(w->inf); /* is one list */
}

void world_done(struct world *w)
{
    jr_informer_free(w->inf);
    jr_metrics_free(w->metrics);
    jr_buf_done(&w->notes);
    jr_buf_done(&w->progress);
    fake_done(&w->f);
}

void assert_notes_at(struct world *w, const char *want, const char *file, int line)
{
    assert_str_at(jr_buf_str(&w->notes), want, file, line);
    jr_buf_reset(&w->notes);
}

bool event(struct jr_call *c, const char *type, const char *name, int rv)
{
    char line[256];

    (void)snprintf(line, sizeof(line),
                   "{\"type\":\"%s\",\"object\":{\"kind\":\"Job\",\"metadata\":{\"name\":\"%s\","
                   "\"resourceVersion\":\"%d\"}}}\n",
                   type, name, rv);
    return fake_chunk(c, jr_str(line));
}

bool bookmark(struct jr_call *c, int rv, bool end)
{
    char line[256];

    (void)snprintf(line, sizeof(line),
                   "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Job\",\"metadata\":{"
                   "\"resourceVersion\":\"%d\"%s}}}\n",
                   rv, end ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "");
    return fake_chunk(c, jr_str(line));
}

bool error_event(struct jr_call *c, int code, const char *reason)
{
    char line[256];

    (void)snprintf(line, sizeof(line),
                   "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"status\":\"Failure\","
                   "\"message\":\"m\",\"reason\":\"%s\",\"code\":%d}}\n",
                   reason, code);
    return fake_chunk(c, jr_str(line));
}

void page(struct jr_call *c, const char *name, int rv, const char *token)
{
    char text[256];

    (void)snprintf(text, sizeof(text),
                   "{\"metadata\":{\"resourceVersion\":\"%d\",\"continue\":\"%s\"},\"items\":[{"
                   "\"metadata\":{\"name\":\"%s\",\"resourceVersion\":\"1\"}}]}",
                   rv, token, name);
    fake_answer(c, 200, text);
}

void refuse(struct jr_call *c, int status, const char *reason)
{
    char text[256];

    (void)snprintf(text, sizeof(text),
                   "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"m\",\"reason\":\"%"
                   "s\",\"code\":%d}",
                   reason, status);
    fake_answer(c, status, text);
}

void assert_version(const struct jr_call *c, const char *rv)
{
    const char *at = strstr(c->path, "&resourceVersion=");

    if (at == NULL || strcmp(at + strlen("&resourceVersion="), rv) != 0)
        fail_msg("%s: want version %s", c->path, rv);
}

struct jr_call *synced(struct world *w)
{
    struct jr_call *c = fake_expect(&w->f, "GET", STREAM_PATH);

    assert_true(event(c, "ADDED", "a", 3));
    assert_true(bookmark(c, 7, true));
    assert_notes(w, "begin item(a@3) end(7) ");
    assert_true(jr_informer_synced(w->inf));
    return c;
}
