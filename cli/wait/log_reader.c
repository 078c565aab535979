/* SPDX-License-Identifier: Apache-2.0 */
/* A Pod's log as a stream of lines that begin with their time. */
#include "cli/wait/log_reader.h"

#include "common/api/meta.h"
#include "common/base/memory.h"
#include "common/kube/request.h"

#define LINE_MAX_BYTES ((size_t)1 << 20)
#define WORDS_MAX 1024
#define READ_TIMEOUT_MS 60000

/* ---- lines ---- */

/** Keeps count of a line that is told. */
static void count_line(struct jr_log_reader *r, struct jr_time at)
{
    const struct jr_time second = jr_time_trunc_s(at);

    if (!jr_time_set(r->first))
        r->first = at;
    if (jr_time_cmp(at, r->last) > 0)
        r->last = at;
    if (jr_time_cmp(second, r->second) > 0) {
        r->second = second;
        r->in_second = 0;
    }
    r->in_second += jr_time_cmp(at, r->second) >= 0;
}

/** Whether the line was told before the log was opened again. */
static bool came_before(struct jr_log_reader *r, struct jr_time at)
{
    if (r->skip == 0)
        return false;
    if (jr_time_cmp(at, r->last) <= 0) {
        r->skip--;
        return true;
    }
    r->skip = 0;
    r->h.rotated(r->h.ctx);
    return false;
}

static enum jr_status take_line(struct jr_log_reader *r, struct jr_str line, bool whole)
{
    struct jr_str rest = line, stamp = { NULL, 0 };
    struct jr_time at;

    if (r->inside) {
        r->inside = !whole;
        if (line.n > 0)
            r->h.line(r->h.ctx, line);
        return JR_OK;
    }
    if (!jr_str_cut(&rest, ' ', &stamp) || jr_time_parse(stamp, &at) != JR_OK) {
        (void)jr_buf_add(&r->words, line); /* the node says why there are no lines */
        return JR_OK;
    }
    r->came = true;
    if (came_before(r, at))
        return JR_OK;
    if (jr_time_set(r->until) && jr_time_cmp(at, jr_time_later(r->until, JR_SEC)) >= 0) {
        r->other = true;
        return JR_UNSUPPORTED; /* which ends the call */
    }
    count_line(r, at);
    r->inside = !whole;
    r->h.line(r->h.ctx, rest);
    return JR_OK;
}

static enum jr_status on_chunk(void *ctx, struct jr_str chunk)
{
    struct jr_log_reader *r = ctx;
    enum jr_status st = JR_OK;

    while (chunk.n > 0 && st == JR_OK) {
        const char *end = memchr(chunk.p, '\n', chunk.n);
        const size_t room = LINE_MAX_BYTES - r->line.n;
        const size_t all = end == NULL ? chunk.n : (size_t)(end - chunk.p);
        const size_t n = all < room ? all : room;
        const bool whole = end != NULL && n == all;

        jr_must(jr_buf_add(&r->line, jr_str_head(chunk, n)));
        chunk = jr_str_from(chunk, n + whole);
        if (!whole && r->line.n < LINE_MAX_BYTES)
            break;
        st = take_line(r, jr_buf_str(&r->line), whole);
        jr_buf_reset(&r->line);
    }
    return st;
}

/* ---- the end ---- */

static enum jr_log_end end_of_refusal(int http)
{
    switch (http) {
    case 400:
        return JR_LOG_NOT_YET;
    case 404:
        return JR_LOG_GONE;
    case 403:
        return JR_LOG_FORBIDDEN;
    default:
        return JR_LOG_BROKEN;
    }
}

/** The end of a log that was there; *ret_why: in the node's words, if there are any. */
static enum jr_log_end end_of_log(struct jr_log_reader *r, struct jr_str *ret_why)
{
    if (r->line.n > 0)
        (void)take_line(r, jr_buf_str(&r->line), true);
    *ret_why = jr_buf_str(&r->words);
    if (r->other)
        return JR_LOG_OTHER;
    if (r->words.n > 0)
        return r->came ? JR_LOG_BROKEN : JR_LOG_GONE;
    if (r->skip > 0)
        r->h.rotated(r->h.ctx);
    return JR_LOG_READ;
}

static void on_done(void *ctx, const struct jr_http_answer *a)
{
    struct jr_log_reader *r = ctx;
    struct jr_api_status status = { 0 };
    struct jr_str why = jr_str(a->error.msg);
    enum jr_log_end end = JR_LOG_BROKEN;
    JR_ARENA arena = { 0 };

    jr_arena_init(&arena, 0);
    r->call = NULL;
    if (r->other) {
        end = JR_LOG_OTHER;
    } else if (a->outcome == JR_HTTP_DONE && a->status == 200) {
        end = end_of_log(r, &why);
    } else if (a->outcome == JR_HTTP_DONE) {
        end = end_of_refusal(a->status);
        (void)jr_need(jr_api_status_decode(a->body, &arena, &status, NULL));
        why = status.message;
    }
    r->h.end(r->h.ctx, end, why);
}

void jr_log_reader_open(struct jr_log_reader *r, const struct jr_log_what *what)
{
    const struct jr_http_handler handler = { on_chunk, on_done, r };
    struct jr_http_request req = { .method = "GET", .accept = "*/*", .own_connection = true };
    char since[JR_TIME_MAX];
    JR_BUF path = { 0 };

    jr_buf_init(&path, JR_BUF_BY_INPUT);
    (void)jr_buf_addf(&path, "%s/log?timestamps=true&container=", r->path);
    (void)jr_url_escape(jr_str(r->container), &path);
    if (what->previous)
        (void)jr_buf_adds(&path, "&previous=true");
    if (what->follow)
        (void)jr_buf_adds(&path, "&follow=true");
    if (what->resume && jr_time_set(r->second))
        (void)jr_buf_addf(&path, "&sinceTime=%s", jr_time_format(r->second, since));
    jr_must(path.failed);
    req.path = path.p;
    req.timeout_ms = what->follow ? 0 : READ_TIMEOUT_MS;
    jr_log_reader_done(r);
    jr_buf_init(&r->line, LINE_MAX_BYTES);
    jr_buf_init(&r->words, WORDS_MAX);
    r->inside = r->other = r->came = false;
    r->until = what->until;
    r->skip = what->resume ? r->in_second : 0;
    if (!what->resume) {
        r->first.ns = r->last.ns = r->second.ns = 0;
        r->in_second = 0;
    }
    r->call = r->env.transport.send(r->env.transport.self, &req, &handler);
}

void jr_log_reader_done(struct jr_log_reader *r)
{
    if (r->call != NULL)
        r->env.transport.cancel(r->env.transport.self, r->call);
    r->call = NULL;
    jr_buf_done(&r->line);
    jr_buf_done(&r->words);
}
