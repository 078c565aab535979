/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the log: a line is put together in memory and written at once. */
#include "common/base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "common/base/log_fold.h"
#include "common/base/show.h"
#include "common/base/utf8.h"

const char *const jr_log_levels[] = { "debug", "info", "warn", "error", NULL };
const char *const jr_log_formats[] = { "json", "text", NULL };
static const char *const upper_levels[] = { "DEBUG", "INFO", "WARN", "ERROR" };

#define LINE_MAX_BYTES 8192
#define VALUE_MAX_BYTES 4096 /* one huge value must not push out the pairs behind it */
#define CLOSING 8            /* kept free for quote, brace and newline */

struct jr_log {
    int fd;
    enum jr_log_level min;
    enum jr_log_format format;
    const char *component;
    struct jr_clock clock;
    pthread_mutex_t mutex; /* guards folds and the order of writes */
    struct jr_folds folds;
};

/* ---- a line of bounded length ---- */

struct line {
    size_t n;
    char p[LINE_MAX_BYTES];
};

static size_t room_left(const struct line *l)
{
    size_t end = LINE_MAX_BYTES - CLOSING;

    return l->n < end ? end - l->n : 0;
}

static void add_text(struct line *l, struct jr_str s)
{
    if (s.n > 0)
        memcpy(l->p + l->n, s.p, s.n);
    l->n += s.n;
}

static void adds(struct line *l, const char *s)
{
    add_text(l, jr_str(s));
}

/** The letter behind the backslash for characters that have one, else '\0'. */
static char short_escape(uint32_t cp)
{
    switch (cp) {
    case '"':
        return '"';
    case '\\':
        return '\\';
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return '\0';
    }
}

/** One character in escaped form: hidden ones as escapes (terminals act on them), the rest as it
 * is. */
static struct jr_str escape(struct jr_str ch, uint32_t cp, bool bad, char out[16])
{
    const char letter[] = { '\\', short_escape(cp) };

    if (bad)
        return JR_UTF8_BAD_S;
    if (letter[1] != '\0')
        return (struct jr_str){ memcpy(out, letter, 2), 2 };
    if (!jr_is_hidden(cp))
        return ch;
    if (cp > 0xffff)
        (void)snprintf(out, 16, "\\u%04x\\u%04x", 0xd800u + ((unsigned)(cp - 0x10000) >> 10),
                       0xdc00u + ((unsigned)cp & 0x3ff));
    else
        (void)snprintf(out, 16, "\\u%04x", (unsigned)cp);
    return jr_str(out);
}

/** Adds s escaped, at most max bytes of it (and never more than fit); what is cut ends in "...". */
static void add_escaped(struct line *l, struct jr_str s, size_t max)
{
    size_t end, cut;

    if (max > room_left(l))
        max = room_left(l);
    end = l->n + max;
    cut = l->n;
    while (s.n > 0) {
        char tmp[16];
        uint32_t cp;
        bool bad;
        size_t n = jr_utf8_next(s, &cp, &bad);
        struct jr_str e = escape(jr_str_head(s, n), cp, bad, tmp);

        if (e.n > end - l->n) {
            l->n = cut;
            add_text(l, jr_str_head(JR_S("..."), end - cut));
            return;
        }
        add_text(l, e);
        if (end - l->n >= 3)
            cut = l->n;
        s = jr_str_from(s, n);
    }
}

static void add_quoted(struct line *l, struct jr_str s, size_t max)
{
    adds(l, "\"");
    add_escaped(l, s, max);
    adds(l, "\"");
}

static void add_int(struct line *l, int64_t v)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%lld", (long long)v);
    adds(l, text);
}

/** Adds a pair, or nothing if key and an empty value don't fit. */
static void add_pair(struct line *l, enum jr_log_format format, const struct jr_kv *kv)
{
    char text[sizeof(((struct jr_error *)NULL)->path) + sizeof(((struct jr_error *)NULL)->msg) + 4];
    struct jr_str key = jr_str(kv->key);

    /* Escaping makes at most 6 bytes of one; the rest is for the number or the quotes. */
    if (key.n == 0 || key.n > LINE_MAX_BYTES || key.n * 6 + 32 > room_left(l))
        return;
    if (format == JR_LOG_JSON) {
        adds(l, ",");
        add_quoted(l, key, SIZE_MAX);
        adds(l, ":");
    } else {
        adds(l, " ");
        add_escaped(l, key, SIZE_MAX);
        adds(l, "=");
    }
    switch (kv->kind) {
    case JR_KV_STR:
        add_quoted(l, kv->s, VALUE_MAX_BYTES);
        break;
    case JR_KV_INT:
        add_int(l, kv->i);
        break;
    case JR_KV_BOOL:
        adds(l, kv->i != 0 ? "true" : "false");
        break;
    case JR_KV_ERR:
        if (kv->err == NULL)
            text[0] = '\0';
        else
            (void)jr_error_text(kv->err, text, sizeof(text));
        add_quoted(l, jr_str(text), VALUE_MAX_BYTES);
        break;
    }
}

static void begin_line(const struct jr_log *log, struct line *l, enum jr_log_level level,
                       const char *msg)
{
    struct jr_time now = log->clock.wall(log->clock.self);
    char ts[JR_TIME_MAX];

    l->n = 0;
    if (log->format == JR_LOG_JSON) {
        adds(l, "{\"ts\":\"");
        adds(l, jr_time_format_micro(now, ts));
        adds(l, "\",\"level\":\"");
        adds(l, jr_log_levels[level]);
        adds(l, "\"");
        if (log->component != NULL) {
            adds(l, ",\"component\":");
            add_quoted(l, jr_str(log->component), 256);
        }
        adds(l, ",\"msg\":");
        add_quoted(l, jr_str(msg), VALUE_MAX_BYTES);
        return;
    }
    adds(l, jr_time_format(now, ts));
    adds(l, " ");
    adds(l, upper_levels[level]);
    adds(l, " ");
    if (log->component != NULL) {
        add_escaped(l, jr_str(log->component), 256);
        adds(l, ": ");
    }
    add_escaped(l, jr_str(msg), VALUE_MAX_BYTES);
}

/** Ends the line and writes it; the caller holds the mutex. A log that can't be written is no
 * reason to stop. */
static void end_line(const struct jr_log *log, struct line *l)
{
    size_t done = 0;

    adds(l, log->format == JR_LOG_JSON ? "}\n" : "\n");
    while (done < l->n) {
        ssize_t k = write(log->fd, l->p + done, l->n - done);

        if (k > 0)
            done += (size_t)k;
        else if (k == 0 || errno != EINTR)
            return;
    }
}

/** A jr_fold_report_fn; apart, so that only a report pays for its line on the stack. */
static __attribute__((noinline)) void write_folded(void *ctx, const struct jr_fold_report *r)
{
    const struct jr_log *log = ctx;
    struct line l;

    begin_line(log, &l, r->level, r->msg);
    add_pair(&l, log->format, &JR_INT("folded", r->folded));
    if (r->objects.n > 0)
        add_pair(&l, log->format, &JR_STR("objects", r->objects));
    end_line(log, &l);
}

/* ---- the logger ---- */

enum jr_status jr_log_new(int fd, enum jr_log_level min, enum jr_log_format format,
                          const char *component, const struct jr_clock *clock, struct jr_log **ret)
{
    struct jr_log *log = calloc(1, sizeof(*log));

    if (log == NULL)
        return JR_NOMEM;
    log->fd = fd;
    log->min = min;
    log->format = format;
    log->component = component;
    log->clock = *clock;
    if (pthread_mutex_init(&log->mutex, NULL) != 0) {
        free(log);
        return JR_NOMEM;
    }
    *ret = log;
    return JR_OK;
}

void jr_log_free(struct jr_log *log)
{
    if (log == NULL)
        return;
    jr_folds_due(&log->folds, INT64_MAX, write_folded, log);
    (void)pthread_mutex_destroy(&log->mutex);
    free(log);
}

/** The lock is held. */
static void put_line(struct jr_log *log, struct line *l, enum jr_log_level level, const char *msg,
                     const struct jr_kv *kv, size_t n)
{
    begin_line(log, l, level, msg);
    for (size_t i = 0; i < n; i++)
        add_pair(l, log->format, &kv[i]);
    end_line(log, l);
}

/** Apart from jr_log_write so that a suppressed level doesn't pay for the line on the stack. */
static __attribute__((noinline)) void write_line(struct jr_log *log, enum jr_log_level level,
                                                 const char *msg, const struct jr_kv *kv, size_t n)
{
    int64_t now_ns = log->clock.mono(log->clock.self).ns;
    struct line l;

    (void)pthread_mutex_lock(&log->mutex);
    if (jr_folds_admit(&log->folds, now_ns, level, msg, kv, n, write_folded, log))
        put_line(log, &l, level, msg, kv, n);
    (void)pthread_mutex_unlock(&log->mutex);
}

void jr_log_tick(struct jr_log *log)
{
    if (log == NULL)
        return;
    (void)pthread_mutex_lock(&log->mutex);
    jr_folds_due(&log->folds, log->clock.mono(log->clock.self).ns, write_folded, log);
    (void)pthread_mutex_unlock(&log->mutex);
}

void jr_log_answer(struct jr_log *log, const char *msg, const struct jr_kv *kv, size_t n)
{
    struct line l;

    if (log == NULL)
        return;
    (void)pthread_mutex_lock(&log->mutex);
    put_line(log, &l, JR_LOG_INFO, msg, kv, n);
    (void)pthread_mutex_unlock(&log->mutex);
}

void jr_log_write(struct jr_log *log, enum jr_log_level level, const char *msg,
                  const struct jr_kv *kv, size_t n)
{
    if (log != NULL && level >= log->min)
        write_line(log, level, msg == NULL ? "" : msg, kv, n);
}
