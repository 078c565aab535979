#include "common/base/utf8.h"

/** The length that the first byte announces, and its payload; 0 for none. */
static size_t announced(unsigned char c, uint32_t *bits)
{
    if (c < 0x80) {
        *bits = c;
        return 1;
    }
    if (c >= 0xc2 && c <= 0xdf) {
        *bits = c & 0x1fu;
        return 2;
    }
    if (c >= 0xe0 && c <= 0xef) {
        *bits = c & 0x0fu;
        return 3;
    }
    if (c >= 0xf0 && c <= 0xf4) {
        *bits = c & 0x07u;
        return 4;
    }
    return 0;
}

size_t jr_utf8_next(struct jr_str s, uint32_t *ret, bool *ret_bad)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint32_t cp = 0;
    size_t n = announced((unsigned char)s.p[0], &cp);
    bool bad = n == 0 || n > s.n;

    for (size_t i = 1; !bad && i < n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        bad = (c & 0xc0) != 0x80;
        cp = cp << 6 | (c & 0x3fu);
    }
    if (!bad)
        bad = cp < least[n] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff);
    *ret = bad ? JR_UTF8_BAD : cp;
    *ret_bad = bad;
    return bad ? 1 : n;
}
