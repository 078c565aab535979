/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes of strings, and the field path of an error. */
#include "common/json/scan.h"

#include <stdio.h>

#include "common/base/num.h"

/** Writes code point c at out as UTF-8; gives its length. */
static size_t put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | (c >> 6));
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | (c >> 12));
        out[1] = (char)(0x80 | ((c >> 6) & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | (c >> 18));
    out[1] = (char)(0x80 | ((c >> 12) & 0x3f));
    out[2] = (char)(0x80 | ((c >> 6) & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

int32_t jr_hex4(const char *p)
{
    int32_t v = 0;

    for (int i = 0; i < 4; i++) {
        int h = jr_hex_value(p[i]);

        if (h < 0)
            return -1;
        v = v * 16 + h;
    }
    return v;
}

/* The code point of the \u escape at p (behind the 'u'); *p moves behind what was used. */
static uint32_t unescape_u(const char **p, const char *end)
{
    uint32_t c = (uint32_t)jr_hex4(*p);

    *p += 4;
    if (c < 0xd800 || c > 0xdfff)
        return c;
    if (c < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
        uint32_t low = (uint32_t)jr_hex4(*p + 2);

        if (low >= 0xdc00 && low <= 0xdfff) {
            *p += 6;
            return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return 0xfffd;
}

static char unescape_1(char c)
{
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return c;
    }
}

size_t jr_unescape(struct jr_str raw, char *out)
{
    const char *p = raw.p, *end = raw.p + raw.n;
    char *o = out;

    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        size_t n = (size_t)((slash == NULL ? end : slash) - p);

        memcpy(o, p, n);
        o += n;
        p += n;
        if (slash == NULL)
            break;
        if (p[1] == 'u') {
            p += 2;
            o += put_utf8(o, unescape_u(&p, end));
        } else {
            *o++ = unescape_1(p[1]);
            p += 2;
        }
    }
    return (size_t)(o - out);
}

void jr_pathbuf_init(struct jr_pathbuf *b)
{
    b->p[0] = '\0';
    b->n = 0;
    b->cut = false;
}

static void pathbuf_add(struct jr_pathbuf *b, struct jr_str s)
{
    size_t room = sizeof(b->p) - 1 - b->n;

    if (b->cut || s.n == 0)
        return;
    b->cut = s.n > room;
    if (!b->cut) {
        memcpy(b->p + b->n, s.p, s.n);
        b->n += s.n;
    } else {
        memcpy(b->p + b->n, s.p, room);
        b->n = sizeof(b->p) - 1;
        memcpy(b->p + b->n - 3, "...", 3);
    }
    b->p[b->n] = '\0';
}

void jr_pathbuf_key(struct jr_pathbuf *b, struct jr_str key)
{
    if (b->n > 0)
        pathbuf_add(b, JR_S("."));
    pathbuf_add(b, key);
}

static bool is_name(struct jr_str key)
{
    for (size_t i = 0; i < key.n; i++) {
        char c = key.p[i];
        bool alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

        if (!alpha && (i == 0 || !((c >= '0' && c <= '9') || c == '-')))
            return false;
    }
    return key.n > 0;
}

void jr_pathbuf_name(struct jr_pathbuf *b, struct jr_str key)
{
    if (is_name(key)) {
        jr_pathbuf_key(b, key);
        return;
    }
    pathbuf_add(b, JR_S("["));
    pathbuf_add(b, key);
    pathbuf_add(b, JR_S("]"));
}

void jr_pathbuf_index(struct jr_pathbuf *b, size_t i)
{
    char text[32];
    int n = snprintf(text, sizeof(text), "[%zu]", i);

    pathbuf_add(b, (struct jr_str){ text, (size_t)n });
}
