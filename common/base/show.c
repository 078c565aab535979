/* SPDX-License-Identifier: Apache-2.0 */
/* Writes hidden and misleading characters as escapes. */
#include "common/base/show.h"

#include <stdio.h>

#include "common/base/utf8.h"

#define LINE_MAX_BYTES ((size_t)1 << 20)

/* In order, both ends included. */
static const struct {
    uint32_t first;
    uint32_t last;
} hidden[] = {
    { 0x0, 0x1f },        { 0x7f, 0x9f },       { 0xad, 0xad },       { 0x34f, 0x34f },
    { 0x600, 0x605 },     { 0x61c, 0x61c },     { 0x6dd, 0x6dd },     { 0x70f, 0x70f },
    { 0x890, 0x891 },     { 0x8e2, 0x8e2 },     { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },
    { 0x180b, 0x180f },   { 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },
    { 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },
    { 0xfff0, 0xfffb },   { 0xfffe, 0xffff },   { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd },
    { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

bool jr_is_hidden(uint32_t c)
{
    size_t low = 0, high = JR_ARRAY_SIZE(hidden);

    if (c >= 0x20 && c < 0x7f)
        return false;
    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (c < hidden[mid].first)
            high = mid;
        else if (c > hidden[mid].last)
            low = mid + 1;
        else
            return true;
    }
    return false;
}

void jr_show(struct jr_str s, struct jr_buf *out)
{
    while (s.n > 0) {
        uint32_t c;
        bool bad;
        size_t n = jr_utf8_next(s, &c, &bad);

        if (bad)
            (void)jr_buf_addf(out, "\\x%02x", (unsigned)(unsigned char)s.p[0]);
        else if (!jr_is_hidden(c))
            (void)jr_buf_add(out, jr_str_head(s, n));
        else if (c < 0x80)
            (void)jr_buf_addf(out, "\\x%02x", (unsigned)c);
        else
            (void)jr_buf_addf(out, c > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)c);
        s = jr_str_from(s, n);
    }
}

void jr_show_json(struct jr_str json, struct jr_buf *out)
{
    size_t at = 0, run = 0;

    while (at < json.n) {
        uint32_t c;
        bool bad;
        size_t n = jr_utf8_next(jr_str_from(json, at), &c, &bad);

        if (c >= 0x7f && !bad && jr_is_hidden(c)) {
            (void)jr_buf_add(out, jr_str_head(jr_str_from(json, run), at - run));
            if (c > 0xffff)
                (void)jr_buf_addf(out, "\\u%04x\\u%04x", 0xd800u + ((unsigned)(c - 0x10000) >> 10),
                                  0xdc00u + ((unsigned)c & 0x3ff));
            else
                (void)jr_buf_addf(out, "\\u%04x", (unsigned)c);
            run = at + n;
        }
        at += n;
    }
    (void)jr_buf_add(out, jr_str_from(json, run));
}

void jr_show_error(const char *fmt, ...)
{
    JR_BUF text = { 0 };
    JR_BUF out = { 0 };
    va_list ap;

    jr_buf_init(&text, LINE_MAX_BYTES);
    jr_buf_init(&out, 10 * LINE_MAX_BYTES);
    va_start(ap, fmt);
    (void)jr_buf_vaddf(&text, fmt, ap);
    va_end(ap);
    jr_show(jr_buf_str(&text), &out);
    (void)jr_buf_addc(&out, '\n');
    (void)jr_buf_print(&out, stderr);
}
