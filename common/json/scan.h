/* SPDX-License-Identifier: Apache-2.0 */
/* Scanning the bytes of strings: what the reader and the writers share. Inside this folder only. */
#ifndef JR_JSON_SCAN_H
#define JR_JSON_SCAN_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "common/base/buf.h"
#include "common/base/utf8.h"

#define JR_SCAN_ONES UINT64_C(0x0101010101010101)
#define JR_SCAN_HIGH UINT64_C(0x8080808080808080)

static inline bool jr_scan_is_stop(char ch)
{
    unsigned char c = (unsigned char)ch;

    return c < 0x20 || c >= 0x80 || c == '"' || c == '\\';
}

/* The high bit of the lowest byte of w that is a stop; bits above it may be wrong. */
static inline uint64_t jr_scan_stop_bits(uint64_t w)
{
    uint64_t quote = w ^ (JR_SCAN_ONES * '"');
    uint64_t slash = w ^ (JR_SCAN_ONES * '\\');

    return (w | ((w - JR_SCAN_ONES * 0x20) & ~w) | ((quote - JR_SCAN_ONES) & ~quote) |
            ((slash - JR_SCAN_ONES) & ~slash)) &
           JR_SCAN_HIGH;
}

#ifdef __SSE2__
/* A bit for each of the 16 bytes at p that is a stop. As signed numbers, those of 0x80 and more are
 * below a space, too. */
static inline unsigned jr_scan_stop_mask(const char *p)
{
    const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    const __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    const __m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(' '));

    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), low));
}
#endif

/** The first byte in p..end that a JSON string can't hold as it is, or that needs a closer look: a
 * control byte, '"', '\\', or one of 0x80 and more; end if there is none. Inline: most strings are
 * short. */
static inline const char *jr_scan_plain(const char *p, const char *end)
{
#ifdef __SSE2__
    while (end - p >= 16) {
        const unsigned mask = jr_scan_stop_mask(p);

        if (mask != 0)
            return p + __builtin_ctz(mask);
        p += 16;
    }
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    while (end - p >= 8) {
        uint64_t w, bits;

        memcpy(&w, p, sizeof(w));
        bits = jr_scan_stop_bits(w);
        if (bits != 0)
            return p + (__builtin_ctzll(bits) >> 3);
        p += 8;
    }
#endif
    while (p < end && !jr_scan_is_stop(*p))
        p++;
    return p;
}
/** Undoes the escapes of a string that the reader has passed; out has room for raw.n bytes. Gives
 * the length. A surrogate without its other half becomes U+FFFD, as in Go. */
size_t jr_unescape(struct jr_str raw, char *out);
/** The value of four hex digits, or -1. */
int32_t jr_hex4(const char *p);
/** jr_json_quote for those who check the buffer at the end. */
void jr_put_quoted(struct jr_str s, struct jr_buf *out);

/* A field path in a fixed buffer, for messages: what does not fit is cut and ends in "...". */
#define JR_PATH_MAX 256
struct jr_pathbuf {
    char p[JR_PATH_MAX];
    size_t n;
    bool cut;
};
void jr_pathbuf_init(struct jr_pathbuf *b);
/** ".key", or "key" at the start. */
void jr_pathbuf_key(struct jr_pathbuf *b, struct jr_str key);
/** As jr_pathbuf_key for plain names, else "[key]": metadata.labels[a/b]. */
void jr_pathbuf_name(struct jr_pathbuf *b, struct jr_str key);
void jr_pathbuf_index(struct jr_pathbuf *b, size_t i);

#endif
