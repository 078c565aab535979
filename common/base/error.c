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

/** Formats into a buffer one byte longer than a message, so that join() sees whether it has to cut.
 */
#define TEXT_MAX (sizeof(((struct jr_error *)NULL)->msg) + 1)

static void vtext(char out[TEXT_MAX], enum jr_status st, const char *fmt, va_list ap)
    JR_PRINTF(3, 0);

static void vtext(char out[TEXT_MAX], enum jr_status st, const char *fmt, va_list ap)
{
    if (vsnprintf(out, TEXT_MAX, fmt, ap) < 0)
        join(out, TEXT_MAX, (const char *const[]){ jr_status_text(st), NULL });
}

static void fill(struct jr_error *err, enum jr_status st, int http, const char *path,
                 const char *const *parts)
{
    err->status = st;
    err->http = http;
    err->line = err->column = err->at = 0;
    join(err->msg, sizeof(err->msg), parts);
    join(err->path, sizeof(err->path), (const char *const[]){ path == NULL ? "" : path, NULL });
}

enum jr_status jr_fail(struct jr_error *err, enum jr_status st, const char *path, const char *fmt,
                       ...)
{
    char text[TEXT_MAX];
    va_list ap;

    if (err == NULL)
        return st;
    va_start(ap, fmt);
    vtext(text, st, fmt, ap);
    va_end(ap);
    fill(err, st, 0, path, (const char *const[]){ text, NULL });
    return st;
}

enum jr_status jr_fail_http(struct jr_error *err, enum jr_status st, int http, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list ap;

    if (err == NULL)
        return st;
    va_start(ap, fmt);
    vtext(text, st, fmt, ap);
    va_end(ap);
    fill(err, st, http, NULL, (const char *const[]){ text, NULL });
    return st;
}

enum jr_status jr_fail_errno(struct jr_error *err, int errnum, const char *path, const char *fmt,
                             ...)
{
    const char *words = strerrordesc_np(errnum);
    char text[TEXT_MAX];
    va_list ap;

    if (err == NULL)
        return JR_IO;
    va_start(ap, fmt);
    vtext(text, JR_IO, fmt, ap);
    va_end(ap);
    fill(err, JR_IO, 0, path,
         (const char *const[]){ text, ": ", words == NULL ? "unknown error" : words, NULL });
    return JR_IO;
}

enum jr_status jr_wrap(struct jr_error *err, enum jr_status st, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list ap;

    if (err == NULL)
        return st;
    if (err->status == JR_OK)
        err->status = st;
    va_start(ap, fmt);
    vtext(text, err->status, fmt, ap);
    va_end(ap);
    err->at = 0;
    join(err->msg, sizeof(err->msg),
         (const char *const[]){
             text, ": ", err->msg[0] == '\0' ? jr_status_text(err->status) : err->msg, NULL });
    return err->status;
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
