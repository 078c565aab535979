/* Finds the first fault of a text as Go's encoding/json does. */
#include "common/pod/go_json.h"

#include <stdio.h>

#include "common/api/field_error.h"

#define DEPTH_MAX 10000

/** A text while it is read. Go puts a blank behind the end before it gives up, which may be one
 * character too many by itself. */
struct scan {
    struct jr_str s;
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
    return c->i == c->s.n ? ' ' : END;
}

/** False, after saying that the next character isn't what it should be. */
static bool unexpected_char(struct scan *c, const char *where)
{
    const int got = peek_char(c);
    JR_BUF quoted = { 0 };
    char rune[2];
    size_t n = 0;

    if (got == END) {
        (void)jr_buf_adds(c->out, "unexpected end of JSON input");
        return false;
    }
    if (got >= 0x80)
        rune[n++] = (char)(0xc0 | got >> 6);
    rune[n++] = (char)(got >= 0x80 ? 0x80 | (got & 0x3f) : got);
    jr_buf_init(&quoted, 64);
    if (jr_field_quote((struct jr_str){ rune, n }, &quoted) != JR_OK)
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

static bool take_escape(struct scan *c)
{
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
            return unexpected_char(c, "in string literal");
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
        return unexpected_char(c, where);
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

enum jr_status jr_go_json_fault(struct jr_str text, struct jr_buf *out)
{
    JR_CLEANUP(scan_done) struct scan c = { .s = text, .out = out };
    bool value = true, ok = true;

    jr_buf_init(&c.open, DEPTH_MAX + 1);
    while (ok && (value || c.open.n > 0 || peek_char(&c) != END))
        ok = value ? take_value(&c, &value) : take_next(&c, &value);
    return out->failed;
}
