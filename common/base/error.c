/* SPDX-License-Identifier: Apache-2.0 */
/* The error record: texts of statuses, and functions that fill it. */
#include "common/base/error.h"

#include <stdarg.h>
#include <stdio.h>

/** Steps back to the start of a UTF-8 character, so that a cut never leaves half of one. */
static size_t char_start(const char *s, size_t at)
{
    while (at > 0 && ((unsigned char)s[at] & 0xc0) == 0x80)
        at--;
    return at;
}

/** Appends the n bytes of s to the text in out (cap > 0 bytes, *len of them used). What does not
 * fit is cut, and the text then ends in "...". False once cut. */
static bool append(char *out, size_t cap, size_t *len, const char *s, size_t n)
{
    size_t room = cap - 1 - *len;

    if (n <= room) {
        memcpy(out + *len, s, n);
        *len += n;
        out[*len] = '\0';
        return true;
    }
    memcpy(out + *len, s, room);
    out[cap - 1] = '\0';
    if (cap > 4) {
        size_t at = char_start(out, cap - 4);

        memcpy(out + at, "...", 4);
        *len = at + 3;
    } else {
        *len = cap - 1;
    }
    return false;
}

/** Copies parts, up to a NULL, into out; parts may point into out. */
static void join(char *out, size_t cap, const char *const *parts)
{
    char tmp[1024];
    size_t len = 0;

    if (cap > sizeof(tmp))
        cap = sizeof(tmp);
    tmp[0] = '\0';
    for (; *parts != NULL; parts++) {
        if (!append(tmp, cap, &len, *parts, strlen(*parts)))
            break;
    }
    memcpy(out, tmp, len + 1);
}

const char *jr_status_text(enum jr_status st)
{
    switch (st) {
#define X(name, text) \
    case JR_##name:   \
        return text;
        JR_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

/** One byte longer than a message, so that join() sees whether it has to cut. */
#define TEXT_MAX (sizeof(((struct jr_error *)NULL)->msg) + 1)

/** The message is what is formatted, and `more` behind it; the path stays. */
static JR_PRINTF(4, 0) void set_message(struct jr_error *err, enum jr_status st, const char *more,
                                        const char *fmt, va_list ap)
{
    char text[TEXT_MAX];
    bool ok = vsnprintf(text, sizeof(text), fmt, ap) >= 0;

    err->status = st;
    err->at = 0;
    join(err->msg, sizeof(err->msg),
         (const char *const[]){ ok ? text : jr_status_text(st), more == NULL ? NULL : ": ", more,
                                NULL });
}

static JR_PRINTF(6, 0) enum jr_status
    vfail(struct jr_error *err, enum jr_status st, int http, const char *path, const char *more,
          const char *fmt, va_list ap)
{
    if (err == NULL)
        return st;
    set_message(err, st, more, fmt, ap);
    err->http = http;
    err->line = err->column = 0;
    join(err->path, sizeof(err->path), (const char *const[]){ path == NULL ? "" : path, NULL });
    return st;
}

enum jr_status jr_fail(struct jr_error *err, enum jr_status st, const char *path, const char *fmt,
                       ...)
{
    va_list ap;

    va_start(ap, fmt);
    st = vfail(err, st, 0, path, NULL, fmt, ap);
    va_end(ap);
    return st;
}

enum jr_status jr_fail_http(struct jr_error *err, enum jr_status st, int http, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    st = vfail(err, st, http, NULL, NULL, fmt, ap);
    va_end(ap);
    return st;
}

enum jr_status jr_fail_errno(struct jr_error *err, int errnum, const char *path, const char *fmt,
                             ...)
{
    const char *words = strerrordesc_np(errnum);
    va_list ap;

    va_start(ap, fmt);
    (void)vfail(err, JR_IO, 0, path, words == NULL ? "unknown error" : words, fmt, ap);
    va_end(ap);
    return JR_IO;
}

enum jr_status jr_wrap(struct jr_error *err, enum jr_status st, const char *fmt, ...)
{
    va_list ap;

    if (err == NULL)
        return st;
    if (err->status != JR_OK)
        st = err->status;
    va_start(ap, fmt);
    set_message(err, st, err->msg[0] == '\0' ? jr_status_text(st) : err->msg, fmt, ap);
    va_end(ap);
    return st;
}

enum jr_status jr_error_at(struct jr_error *err, enum jr_status st, size_t line, size_t column)
{
    if (err == NULL)
        return st;
    st = jr_wrap(err, st, "line %zu, column %zu", line, column);
    err->line = (unsigned)line;
    err->column = (unsigned)column;
    err->at = (unsigned)(strcspn(err->msg, ":") + strlen(": "));
    return st;
}

void jr_error_in(struct jr_error *err, const char *prefix)
{
    const char *dot;

    if (err == NULL || prefix == NULL || prefix[0] == '\0')
        return;
    dot = err->path[0] == '\0' || err->path[0] == '[' ? "" : ".";
    join(err->path, sizeof(err->path), (const char *const[]){ prefix, dot, err->path, NULL });
}

const char *jr_error_text(const struct jr_error *err, char *buf, size_t cap)
{
    const char *msg;

    if (cap == 0)
        return buf;
    msg = err->msg[0] == '\0' ? jr_status_text(err->status) : err->msg;
    if (err->path[0] == '\0')
        join(buf, cap, (const char *const[]){ msg, NULL });
    else
        join(buf, cap, (const char *const[]){ err->path, ": ", msg, NULL });
    return buf;
}
