/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the first fault of a text as Go's encoding/json does. */
#include "common/pod/go_json.h"

#include <stdio.h>

#include "common/api/field_error.h"
#include "common/base/utf8.h"

#define DEPTH_MAX 10000

/** A text while it is read. Go puts a blank behind the end before it gives up, which may be one
 * character too many by itself; not so from 1.27 on. */
struct scan {
    struct jr_str s;
    bool go_1_27;
    size_t i;
    struct jr_buf open; /* '[' and '{', outermost first */
    struct jr_buf *out;
};

static void scan_done(struct scan *c)
{
    jr_buf_done(&c->open);
}

#define END (-1)

static int peek_char(const struct scan *c)
{
    if (c->i < c->s.n)
        return (unsigned char)c->s.p[c->i];
    return c->i == c->s.n && !c->go_1_27 ? ' ' : END;
}

/** The next character in UTF-8: up to Go 1.26 each byte is taken for one. */
static struct jr_str next_rune(const struct scan *c, char latin[static 2])
{
    const int got = peek_char(c);
    const struct jr_str rest = jr_str_from(c->s, c->i < c->s.n ? c->i : c->s.n);
    uint32_t rune;
    size_t n = 0;
    bool bad;

    if (c->go_1_27 && rest.n > 0)
        return jr_str_head(rest, jr_utf8_next(rest, &rune, &bad));
    if (got >= 0x80)
        latin[n++] = (char)(0xc0 | got >> 6);
    latin[n++] = (char)(got >= 0x80 ? 0x80 | (got & 0x3f) : got);
    return (struct jr_str){ latin, n };
}

/** False, after saying that the next character isn't what it should be. */
static bool unexpected_char(struct scan *c, const char *where)
{
    const int got = peek_char(c);
    JR_BUF quoted = { 0 };
    char latin[2];

    if (got == END) {
        (void)jr_buf_adds(c->out, "unexpected end of JSON input");
        return false;
    }
    jr_buf_init(&quoted, 64);
    if (jr_field_quote(next_rune(c, latin), &quoted) != JR_OK)
        c->out->failed = quoted.failed;
    else if (got == '\'')
        (void)jr_buf_addf(c->out, "invalid character '\\'' %s", where);
    else if (got == '"')
        (void)jr_buf_addf(c->out, "invalid character '\"' %s", where);
    else
        (void)jr_buf_addf(c->out, "invalid character '%.*s' %s", (int)quoted.n - 2, quoted.p + 1,
                          where);
    return false;
}

static void skip_blanks(struct scan *c)
{
    while (peek_char(c) == ' ' || peek_char(c) == '\t' || peek_char(c) == '\n' ||
           peek_char(c) == '\r')
        c->i++;
}

static bool is_digit(int ch)
{
    return ch >= '0' && ch <= '9';
}

static bool is_hex(int ch)
{
    return is_digit(ch) || (ch >= 'a' && ch <= 'f') || (ch >= 'A' && ch <= 'F');
}

/** Go's strconv.CanBackquote. */
static bool can_backquote(struct jr_str s)
{
    uint32_t rune;
    bool bad;

    for (size_t i = 0; i < s.n;) {
        i += jr_utf8_next(jr_str_from(s, i), &rune, &bad);
        if (bad || (rune < ' ' && rune != '\t') || rune == '`' || rune == 0x7f || rune == 0xfeff)
            return false;
    }
    return true;
}

/** An escape sequence, from its backslash at `start`, in the words of Go 1.27. */
static bool bad_escape(struct scan *c, size_t start, size_t n)
{
    const struct jr_str rest = jr_str_from(c->s, start);
    const struct jr_str s = jr_str_head(rest, n < rest.n ? n : rest.n);

    (void)jr_buf_adds(c->out, "invalid escape sequence ");
    if (can_backquote(s))
        (void)jr_buf_addf(c->out, "`%.*s`", JR_P(s));
    else if (jr_field_quote(s, c->out) != JR_OK)
        return false;
    (void)jr_buf_adds(c->out, " in string");
    return false;
}

static bool take_escape_1_27(struct scan *c)
{
    const size_t start = c->i - 1;
    const int ch = peek_char(c);

    if (ch == END)
        return unexpected_char(c, "");
    c->i++;
    if (ch == '\0' || strchr("bfnrt\\/\"u", ch) == NULL)
        return bad_escape(c, start, 2);
    for (int k = 0; ch == 'u' && k < 4; k++, c->i++) {
        if (peek_char(c) == END)
            return unexpected_char(c, "");
        if (!is_hex(peek_char(c)))
            return bad_escape(c, start, 6);
    }
    return true;
}

static bool take_escape(struct scan *c)
{
    if (c->go_1_27)
        return take_escape_1_27(c);
    if (peek_char(c) == END || peek_char(c) == '\0' || strchr("bfnrt\\/\"u", peek_char(c)) == NULL)
        return unexpected_char(c, "in string escape code");
    if (c->s.p[c->i++] != 'u')
        return true;
    for (int k = 0; k < 4; k++, c->i++) {
        if (!is_hex(peek_char(c)))
            return unexpected_char(c, "in \\u hexadecimal character escape");
    }
    return true;
}

/** From behind the first quote to behind the last. */
static bool take_string(struct scan *c)
{
    for (;;) {
        const int ch = peek_char(c);

        if (ch < ' ')
            return unexpected_char(c, c->go_1_27 ? "in string" : "in string literal");
        c->i++;
        if (ch == '"')
            return true;
        if (ch == '\\' && !take_escape(c))
            return false;
    }
}

static bool take_digits(struct scan *c, const char *where)
{
    if (!is_digit(peek_char(c)))
        return unexpected_char(c, c->go_1_27 ? "in numeric literal" : where);
    while (is_digit(peek_char(c)))
        c->i++;
    return true;
}

static bool take_number(struct scan *c)
{
    if (peek_char(c) == '-')
        c->i++;
    if (peek_char(c) == '0')
        c->i++;
    else if (!take_digits(c, "in numeric literal"))
        return false;
    if (peek_char(c) == '.') {
        c->i++;
        if (!take_digits(c, "after decimal point in numeric literal"))
            return false;
    }
    if (peek_char(c) != 'e' && peek_char(c) != 'E')
        return true;
    c->i++;
    if (peek_char(c) == '+' || peek_char(c) == '-')
        c->i++;
    return take_digits(c, "in exponent of numeric literal");
}

static bool take_word(struct scan *c, const char *word)
{
    char where[64];

    for (const char *w = word; *w != '\0'; w++, c->i++) {
        (void)snprintf(where, sizeof(where), "in literal %s (expecting '%c')", word, *w);
        if (peek_char(c) != *w)
            return unexpected_char(c, where);
    }
    return true;
}

/** A key and its colon. */
static bool take_key(struct scan *c)
{
    skip_blanks(c);
    if (peek_char(c) != '"')
        return unexpected_char(c, "looking for beginning of object key string");
    c->i++;
    if (!take_string(c))
        return false;
    skip_blanks(c);
    if (peek_char(c) != ':')
        return unexpected_char(c, "after object key");
    c->i++;
    return true;
}

static bool close_one(struct scan *c)
{
    c->i++;
    c->open.n--;
    return true;
}

/** Opens an array or object; what is empty is closed at once. *ret_value: a value has to follow. */
static bool take_open(struct scan *c, bool *ret_value)
{
    const bool object = peek_char(c) == '{';

    if (c->open.n >= DEPTH_MAX) {
        (void)jr_buf_adds(c->out, "exceeded max depth");
        return false;
    }
    if (jr_buf_addc(&c->open, object ? '{' : '[') != JR_OK) {
        c->out->failed = c->open.failed;
        return false;
    }
    c->i++;
    skip_blanks(c);
    *ret_value = peek_char(c) != (object ? '}' : ']');
    if (!*ret_value)
        return close_one(c);
    return !object || take_key(c);
}

/** One value, or the beginning of one. */
static bool take_value(struct scan *c, bool *ret_value)
{
    skip_blanks(c);
    *ret_value = false;
    switch (peek_char(c)) {
    case '{':
    case '[':
        return take_open(c, ret_value);
    case '"':
        c->i++;
        return take_string(c);
    case 't':
        return take_word(c, "true");
    case 'f':
        return take_word(c, "false");
    case 'n':
        return take_word(c, "null");
    case '-':
        return take_number(c);
    default:
        return is_digit(peek_char(c)) ? take_number(c)
                                      : unexpected_char(c, "looking for beginning of value");
    }
}

/** What comes behind a value. */
static bool take_next(struct scan *c, bool *ret_value)
{
    const bool object = c->open.n > 0 && c->open.p[c->open.n - 1] == '{';

    skip_blanks(c);
    *ret_value = peek_char(c) == ',' && c->open.n > 0;
    if (*ret_value) {
        c->i++;
        return !object || take_key(c);
    }
    if (c->open.n == 0)
        return peek_char(c) == END || unexpected_char(c, "after top-level value");
    if (peek_char(c) == (object ? '}' : ']'))
        return close_one(c);
    return unexpected_char(c, object ? "after object key:value pair" : "after array element");
}

enum jr_status jr_go_json_fault(struct jr_str text, bool go_1_27, struct jr_buf *out)
{
    JR_CLEANUP(scan_done) struct scan c = { .s = text, .go_1_27 = go_1_27, .out = out };
    bool value = true, ok = true;

    jr_buf_init(&c.open, DEPTH_MAX + 1);
    while (ok && (value || c.open.n > 0 || peek_char(&c) != END))
        ok = value ? take_value(&c, &value) : take_next(&c, &value);
    return out->failed;
}
