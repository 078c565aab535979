/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of tokens: the grammar, strictly, byte by byte. */
#include "common/json/reader.h"

#include "common/base/num.h"
#include "common/json/scan.h"

/* What may come next. A key is read with its colon, so there is no state between the two. */
enum state {
    STATE_VALUE,
    STATE_FIRST_VALUE, /* or ']' */
    STATE_KEY,
    STATE_FIRST_KEY, /* or '}' */
    STATE_NEXT,      /* ',' or the container's end */
    STATE_DONE,      /* only space may follow */
};

void jr_text_position(struct jr_str text, size_t at, unsigned *ret_line, unsigned *ret_column)
{
    unsigned line = 1;
    size_t start = 0;

    if (at > text.n)
        at = text.n;
    while (start < at) {
        const char *nl = memchr(text.p + start, '\n', at - start);

        if (nl == NULL)
            break;
        line++;
        start = (size_t)(nl - text.p) + 1;
    }
    *ret_line = line;
    *ret_column = (unsigned)(at - start) + 1;
}

static enum jr_status fail_at(const struct jr_reader *g, const char *p, struct jr_error *err,
                              enum jr_status st, const char *what)
{
    unsigned line, column;

    jr_text_position(g->text, (size_t)(p - g->text.p), &line, &column);
    return jr_error_at(err, jr_fail(err, st, NULL, "%s", what), line, column);
}

static enum jr_status syntax(const struct jr_reader *g, const char *p, struct jr_error *err,
                             const char *what)
{
    if (p == g->text.p + g->text.n)
        what = "unexpected end of the text";
    return fail_at(g, p, err, JR_SYNTAX, what);
}

static inline bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline const char *skip_space(const char *p, const char *end)
{
    while (p < end && (unsigned char)*p <= ' ' && is_space(*p))
        p++;
    return p;
}

/* Checks the escape at p, a backslash; NULL if it is none, else the byte behind it. */
static const char *scan_escape(const char *p, const char *end)
{
    if (end - p < 2)
        return NULL;
    switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return p + 2;
    case 'u':
        return end - p < 6 || jr_hex4(p + 2) < 0 ? NULL : p + 6;
    default:
        return NULL;
    }
}

/* Reads the string whose opening quote is at p; *p moves behind the closing one. */
static enum jr_status scan_string(const struct jr_reader *g, const char **at, struct jr_tok *ret,
                                  struct jr_error *err)
{
    const char *end = g->text.p + g->text.n;
    const char *start = *at + 1, *p = start;

    for (;;) {
        p = jr_scan_plain(p, end);
        if (p == end)
            return syntax(g, p, err, NULL);
        if (*p == '"')
            break;
        if (*p == '\\') {
            const char *next = scan_escape(p, end);

            if (next == NULL)
                return syntax(g, p, err, "invalid escape in a string");
            ret->escaped = true;
            p = next;
        } else if ((unsigned char)*p < 0x20) {
            return syntax(g, p, err, "control character in a string");
        } else {
            size_t n = jr_utf8_length(p, end);

            if (n == 0)
                return syntax(g, p, err, "invalid UTF-8 in a string");
            p += n;
        }
    }
    ret->raw = (struct jr_str){ start, (size_t)(p - start) };
    *at = p + 1;
    return JR_OK;
}

static inline const char *scan_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

static enum jr_status scan_number(const struct jr_reader *g, const char **at, struct jr_tok *ret,
                                  struct jr_error *err)
{
    const char *end = g->text.p + g->text.n;
    const char *p = *at, *digits;

    if (*p == '-')
        p++;
    digits = p;
    p = scan_digits(p, end);
    if (p == digits)
        return syntax(g, p, err, "expected a digit");
    if (*digits == '0' && p - digits > 1)
        return syntax(g, digits, err, "number with a leading zero");
    if (p < end && *p == '.') {
        digits = ++p;
        p = scan_digits(p, end);
        if (p == digits)
            return syntax(g, p, err, "expected a digit after the point");
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        digits = p;
        p = scan_digits(p, end);
        if (p == digits)
            return syntax(g, p, err, "expected a digit in the exponent");
    }
    ret->raw = (struct jr_str){ *at, (size_t)(p - *at) };
    *at = p;
    return JR_OK;
}

static enum jr_status scan_literal(const struct jr_reader *g, const char **at, struct jr_str word,
                                   struct jr_tok *ret, struct jr_error *err)
{
    size_t left = (size_t)(g->text.p + g->text.n - *at);

    if (left < word.n || memcmp(*at, word.p, word.n) != 0)
        return fail_at(g, *at, err, JR_SYNTAX, "expected a value");
    ret->raw = (struct jr_str){ *at, word.n };
    *at += word.n;
    return JR_OK;
}

void jr_reader_init(struct jr_reader *g, struct jr_str text, unsigned max_depth)
{
    *g = (struct jr_reader){ .text = text.p == NULL ? JR_S("") : text,
                             .max_depth = max_depth == 0 ? 100 : max_depth,
                             .state = STATE_VALUE };
    if (g->max_depth > JR_READER_DEPTH_MAX)
        g->max_depth = JR_READER_DEPTH_MAX;
}

static inline bool in_object(const struct jr_reader *g)
{
    unsigned i = g->depth - 1;

    return (g->stack[i / 8] >> (i % 8) & 1) != 0;
}

static void count_container(struct jr_reader *g, bool object)
{
    if (!object)
        g->counts.values++;
    else if (g->depth > 0 && in_object(g))
        g->counts.members++;
    else
        g->counts.elements++;
}

static enum jr_status open_container(struct jr_reader *g, const char *p, bool object,
                                     struct jr_tok *ret, struct jr_error *err)
{
    unsigned i = g->depth;
    unsigned bit = 1u << (i % 8);

    if (i >= g->max_depth)
        return fail_at(g, p, err, JR_LIMIT, "nested too deeply");
    count_container(g, object);
    if (object)
        g->stack[i / 8] = (unsigned char)(g->stack[i / 8] | bit);
    else
        g->stack[i / 8] = (unsigned char)(g->stack[i / 8] & ~bit);
    g->depth++;
    g->state = object ? STATE_FIRST_KEY : STATE_FIRST_VALUE;
    ret->kind = object ? JR_TOK_OBJECT : JR_TOK_ARRAY;
    ret->raw = (struct jr_str){ p, 1 };
    g->at = (size_t)(p - g->text.p) + 1;
    return JR_OK;
}

static void close_container(struct jr_reader *g, const char *p, struct jr_tok *ret)
{
    ret->kind = in_object(g) ? JR_TOK_OBJECT_END : JR_TOK_ARRAY_END;
    ret->raw = (struct jr_str){ p, 1 };
    g->depth--;
    g->state = g->depth == 0 ? STATE_DONE : STATE_NEXT;
    g->at = (size_t)(p - g->text.p) + 1;
}

static enum jr_status read_key(struct jr_reader *g, const char *p, struct jr_tok *ret,
                               struct jr_error *err)
{
    const char *end = g->text.p + g->text.n;
    enum jr_status st;

    if (p == end || *p != '"')
        return syntax(g, p, err,
                      g->state == STATE_FIRST_KEY ? "expected a key or '}'" : "expected a key");
    st = scan_string(g, &p, ret, err);
    if (st != JR_OK)
        return st;
    p = skip_space(p, end);
    if (p == end || *p != ':')
        return syntax(g, p, err, "expected ':'");
    ret->kind = JR_TOK_KEY;
    g->state = STATE_VALUE;
    g->at = (size_t)(p - g->text.p) + 1;
    return JR_OK;
}

static enum jr_status read_scalar(const struct jr_reader *g, const char **p, struct jr_tok *ret,
                                  struct jr_error *err)
{
    switch (**p) {
    case '"':
        ret->kind = JR_TOK_STRING;
        return scan_string(g, p, ret, err);
    case 't':
        ret->kind = JR_TOK_TRUE;
        return scan_literal(g, p, JR_S("true"), ret, err);
    case 'f':
        ret->kind = JR_TOK_FALSE;
        return scan_literal(g, p, JR_S("false"), ret, err);
    case 'n':
        ret->kind = JR_TOK_NULL;
        return scan_literal(g, p, JR_S("null"), ret, err);
    default:
        ret->kind = JR_TOK_NUMBER;
        if (**p == '-' || (**p >= '0' && **p <= '9'))
            return scan_number(g, p, ret, err);
        return syntax(g, *p, err,
                      (unsigned char)**p == 0xef ? "expected a value (byte order mark?)"
                                                 : "expected a value");
    }
}

static enum jr_status read_value(struct jr_reader *g, const char *p, struct jr_tok *ret,
                                 struct jr_error *err)
{
    enum jr_status st;

    if (p == g->text.p + g->text.n)
        return syntax(g, p, err, NULL);
    if (*p == '{' || *p == '[')
        return open_container(g, p, *p == '{', ret, err);
    st = read_scalar(g, &p, ret, err);
    if (st != JR_OK)
        return st;
    g->counts.values++;
    g->state = g->depth == 0 ? STATE_DONE : STATE_NEXT;
    g->at = (size_t)(p - g->text.p);
    return JR_OK;
}

/* Past the comma where one is due; *ret_closed says that the container ended instead. */
static inline enum jr_status separator(struct jr_reader *g, const char **p, struct jr_tok *ret,
                                       enum state *state, bool *ret_closed, struct jr_error *err)
{
    const char *end = g->text.p + g->text.n;
    const bool object = in_object(g);
    const char close = object ? '}' : ']';

    *ret_closed = false;
    if (*p < end && **p == close && *state != STATE_VALUE && *state != STATE_KEY) {
        ret->at = (size_t)(*p - g->text.p);
        close_container(g, *p, ret);
        *ret_closed = true;
        return JR_OK;
    }
    if (*state != STATE_NEXT)
        return JR_OK;
    if (*p == end || **p != ',')
        return syntax(g, *p, err, object ? "expected ',' or '}'" : "expected ',' or ']'");
    *p = skip_space(*p + 1, end);
    *state = object ? STATE_KEY : STATE_VALUE;
    return JR_OK;
}

enum jr_status jr_reader_next(struct jr_reader *g, struct jr_tok *ret, struct jr_error *err)
{
    const char *end = g->text.p + g->text.n;
    const char *p = skip_space(g->text.p + g->at, end);
    enum state state = (enum state)g->state;

    if (state == STATE_DONE) {
        if (p != end)
            return syntax(g, p, err, "text after the value");
        *ret = (struct jr_tok){ .kind = JR_TOK_END, .raw = { end, 0 }, .at = g->text.n };
        return JR_OK;
    }
    ret->escaped = false;
    if (g->depth > 0) {
        bool closed;
        enum jr_status st = separator(g, &p, ret, &state, &closed, err);

        if (st != JR_OK || closed)
            return st;
    }
    ret->at = (size_t)(p - g->text.p);
    if (state == STATE_KEY || state == STATE_FIRST_KEY)
        return read_key(g, p, ret, err);
    return read_value(g, p, ret, err);
}

/* The closing quote of the string whose opening one is at p; end: there is none. */
static inline const char *closing_quote(const char *p, const char *end)
{
    for (p++; p < end; p++) {
        p = jr_scan_plain(p, end);
        if (p == end || *p == '"')
            return p;
        if (*p == '\\' && end - p > 1)
            p++;
    }
    return end;
}

/* Behind the container whose opening bracket is at p, found by brackets and strings alone; NULL: it
 * has no end. */
static const char *behind_container(const char *p, const char *end)
{
    for (size_t depth = 0; p < end; p++) {
        if (*p == '"') {
            p = closing_quote(p, end);
            if (p == end)
                return NULL;
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if ((*p == '}' || *p == ']') && --depth == 0) {
            return p + 1;
        }
    }
    return NULL;
}

static enum jr_status no_value(struct jr_error *err)
{
    return jr_fail(err, JR_USAGE, NULL, "there is no value to pass over");
}

/* The value at p, without a look at what is in it. */
static enum jr_status pass_over(struct jr_reader *g, const char *p, struct jr_str *ret,
                                struct jr_error *err)
{
    const char *end = g->text.p + g->text.n, *start = p;
    struct jr_tok tok;
    enum jr_status st;

    if (p < end && (*p == '{' || *p == '[')) {
        count_container(g, *p == '{');
        p = behind_container(p, end);
    } else if (p < end && *p == '"') {
        g->counts.values++;
        p = closing_quote(p, end);
        p = p == end ? NULL : p + 1;
    } else {
        st = read_value(g, p, &tok, err);
        p = g->text.p + g->at;
        if (st != JR_OK)
            return st;
    }
    if (p == NULL)
        return syntax(g, end, err, NULL);
    g->state = g->depth == 0 ? STATE_DONE : STATE_NEXT;
    g->at = (size_t)(p - g->text.p);
    if (ret != NULL)
        *ret = (struct jr_str){ start, (size_t)(p - start) };
    return JR_OK;
}

static enum jr_status skip_lenient(struct jr_reader *g, struct jr_str *ret, struct jr_error *err)
{
    const struct jr_reader begin = *g;
    const char *p = skip_space(g->text.p + g->at, g->text.p + g->text.n);
    enum state state = (enum state)g->state;
    struct jr_tok tok = { 0 };
    bool closed = false;
    enum jr_status st = JR_OK;

    if (g->depth > 0)
        st = separator(g, &p, &tok, &state, &closed, err);
    if (st == JR_OK &&
        (closed || state == STATE_KEY || state == STATE_FIRST_KEY || state == STATE_DONE))
        st = no_value(err);
    if (st == JR_OK)
        st = pass_over(g, p, ret, err);
    if (st != JR_OK)
        *g = begin;
    return st;
}

static enum jr_status skip_strict(struct jr_reader *g, struct jr_str *ret, struct jr_error *err)
{
    const struct jr_reader begin = *g;
    struct jr_tok tok = { 0 };
    size_t start;
    enum jr_status st = jr_reader_next(g, &tok, err);

    if (st != JR_OK)
        return st;
    if (tok.kind == JR_TOK_KEY || tok.kind == JR_TOK_OBJECT_END || tok.kind == JR_TOK_ARRAY_END ||
        tok.kind == JR_TOK_END) {
        *g = begin;
        return no_value(err);
    }
    start = tok.at;
    while (g->depth > begin.depth) {
        st = jr_reader_next(g, &tok, err);
        if (st != JR_OK) {
            *g = begin;
            return st;
        }
    }
    if (ret != NULL)
        *ret = (struct jr_str){ g->text.p + start, g->at - start };
    return JR_OK;
}

enum jr_status jr_reader_skip(struct jr_reader *g, struct jr_str *ret, struct jr_error *err)
{
    return g->lenient ? skip_lenient(g, ret, err) : skip_strict(g, ret, err);
}

enum jr_status jr_tok_text(const struct jr_tok *t, struct jr_arena *arena, struct jr_str *ret)
{
    char *p;

    if (t->kind != JR_TOK_STRING && t->kind != JR_TOK_KEY)
        return JR_TYPE;
    if (!t->escaped) {
        *ret = t->raw;
        return JR_OK;
    }
    p = jr_arena_alloc(arena, t->raw.n + 1);
    if (p == NULL)
        return JR_NOMEM;
    ret->n = jr_unescape(t->raw, p);
    ret->p = p;
    return JR_OK;
}

enum jr_status jr_tok_i64(const struct jr_tok *t, int64_t min, int64_t max, int64_t *ret)
{
    enum jr_status st;

    if (t->kind != JR_TOK_NUMBER)
        return JR_TYPE;
    st = jr_parse_i64(t->raw, min, max, ret);
    return st == JR_SYNTAX ? JR_TYPE : st;
}
