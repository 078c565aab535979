/* SPDX-License-Identifier: Apache-2.0 */
/* What of a YAML text the parser doesn't tell, or takes where kubectl doesn't: byte order marks,
 * separators and directives, escapes, binary scalars, and where a value with an anchor begins. */
#include "common/base/base64.h"
#include "common/base/utf8.h"
#include "common/json/yaml_reader.h"

/* Of a whole stream. The parser compares each with all others and each tag with all of them. */
#define MAX_TAG_DIRECTIVES 100

/* ---- byte order marks ---- */

#define MARK JR_S("\xef\xbb\xbf")

/* Whether a byte order mark at `at` begins a document: it follows a line of "---". The scanner
 * would take it for a character of the line. */
static bool begins_document(struct jr_str text, size_t at)
{
    size_t line = at;

    if (at == 0 || text.p[at - 1] != '\n')
        return false;
    for (line--; line > 0 && text.p[line - 1] != '\n';)
        line--;
    return jr_str_starts(jr_str_from(text, line), JR_S("---"));
}

bool jr_yaml_drop_marks(struct jr_str *text, char **copy)
{
    const char *p = text->p, *mark;
    size_t n = 0;

    if (jr_str_starts(*text, MARK))
        *text = jr_str_from(*text, MARK.n);
    p = text->p;
    while ((mark = memmem(p, text->n - (size_t)(p - text->p), MARK.p, MARK.n)) != NULL) {
        const bool gone = begins_document(*text, (size_t)(mark - text->p));
        const size_t kept = (size_t)(mark - p) + (gone ? 0 : MARK.n);

        if (*copy == NULL)
            *copy = malloc(text->n);
        if (*copy == NULL)
            return false;
        memcpy(*copy + n, p, kept);
        n += kept;
        p = mark + MARK.n;
    }
    if (*copy != NULL) {
        const size_t rest = text->n - (size_t)(p - text->p);

        memcpy(*copy + n, p, rest);
        *text = (struct jr_str){ *copy, n + rest };
    }
    return true;
}

/* ---- separators and directives ---- */

/* Counted in the text, as the parser keeps no count that it would tell before it is through with
 * them. */
static enum jr_status check_directives(struct jr_str text, struct jr_error *err)
{
    /* The last bytes of what ends a line: LF, CR, U+0085, U+2028, U+2029. */
    static const char line_ends[] = { '\n', '\r', '\x85', '\xa8', '\xa9' };
    const char *p = text.p, *end = text.p + text.n;
    size_t n = 0;

    while ((p = memchr(p, '%', (size_t)(end - p))) != NULL) {
        const bool first = p == text.p || memchr(line_ends, p[-1], sizeof(line_ends)) != NULL;

        n += first && jr_str_starts((struct jr_str){ p, (size_t)(end - p) }, JR_S("%TAG"));
        p++;
    }
    if (n > MAX_TAG_DIRECTIVES)
        return jr_fail(err, JR_LIMIT, NULL, "more than %d tag directives", MAX_TAG_DIRECTIVES);
    return JR_OK;
}

enum jr_status jr_yaml_check_lines(struct jr_str text, struct jr_error *err)
{
    struct jr_str rest = text, line;
    size_t number = 0;

    while (jr_str_cut(&rest, '\n', &line)) {
        number++;
        if (!jr_str_starts(line, JR_S("---")))
            continue;
        line = jr_str_trim(jr_str_from(line, 3));
        if (line.n > 0 && line.p[0] != '#')
            return jr_error_at(err,
                               jr_fail(err, JR_SYNTAX, NULL,
                                       "invalid Yaml document separator: %.*s",
                                       JR_P(jr_str_head(line, 100))),
                               number, 1);
    }
    return check_directives(text, err);
}

/* ---- the source of events ---- */

/* The text from a mark on. Fast where marks follow each other. */
static struct jr_str source(struct jr_yaml_reader *r, yaml_mark_t mark)
{
    if (mark.index < r->source_index) {
        r->source_at = 0;
        r->source_index = 0;
    }
    for (; r->source_index < mark.index && r->source_at < r->text.n; r->source_index++) {
        r->source_at++;
        while (r->source_at < r->text.n && ((unsigned char)r->text.p[r->source_at] & 0xc0) == 0x80)
            r->source_at++;
    }
    return jr_str_from(r->text, r->source_at);
}

/* Moves over a byte of s. */
static void step_over_byte(struct jr_str *s, yaml_mark_t *at)
{
    if (s->p[0] == '\n') {
        at->line++;
        at->column = 0;
    } else {
        at->column += ((unsigned char)s->p[0] & 0xc0) != 0x80;
    }
    at->index += ((unsigned char)s->p[0] & 0xc0) != 0x80;
    *s = jr_str_from(*s, 1);
}

static bool is_one_of(struct jr_str s, const char *set)
{
    return s.n > 0 && s.p[0] != '\0' && strchr(set, s.p[0]) != NULL;
}

yaml_mark_t jr_yaml_value_mark(struct jr_yaml_reader *r, const yaml_event_t *ev)
{
    const bool scalar = ev->type == YAML_SCALAR_EVENT;
    yaml_mark_t at = ev->start_mark;
    struct jr_str s = source(r, at);

    if (ev->type == YAML_ALIAS_EVENT || !is_one_of(s, "&!"))
        return at;
    while (is_one_of(s, "&!#")) {
        const bool comment = s.p[0] == '#';

        while (s.n > 0 && !is_one_of(s, comment ? "\n" : " \t\r\n,[]{}"))
            step_over_byte(&s, &at);
        while (is_one_of(s, " \t\r\n"))
            step_over_byte(&s, &at);
    }
    return s.n == 0 || (scalar && at.index >= ev->end_mark.index) ? ev->start_mark : at;
}

enum jr_status jr_yaml_check_escapes(struct jr_yaml_reader *r, const yaml_event_t *ev)
{
    struct jr_str s;

    if (!r->slashes || ev->data.scalar.style != YAML_DOUBLE_QUOTED_SCALAR_STYLE)
        return JR_OK;
    s = source(r,
               ev->start_mark); /* in this order: what is behind the last mark isn't read again */
    s = jr_str_head(s, s.n - source(r, ev->end_mark).n);
    for (size_t i = 0; i + 1 < s.n; i += s.p[i] == '\\' ? 2 : 1) {
        if (s.p[i] == '\\' && s.p[i + 1] == '/')
            return jr_yaml_fail(r, ev->start_mark, JR_SYNTAX, "found unknown escape character '/'");
    }
    return JR_OK;
}

/* ---- binary ---- */

/* The bytes as text: what is no UTF-8 becomes U+FFFD, as Go's encoder writes it. */
static enum jr_status to_utf8(struct jr_str bytes, struct jr_buf *out)
{
    while (bytes.n > 0) {
        uint32_t c;
        bool bad;
        const size_t n = jr_utf8_next(bytes, &c, &bad);

        (void)jr_buf_add(out, bad ? JR_UTF8_BAD_S : jr_str_head(bytes, n));
        bytes = jr_str_from(bytes, n);
    }
    return out->failed;
}

enum jr_status jr_yaml_decode_binary(struct jr_yaml_reader *r, yaml_event_t *ev)
{
    static const char binary[] = "tag:yaml.org,2002:binary", string[] = "tag:yaml.org,2002:str";
    JR_BUF digits = { 0 };
    JR_BUF bytes = { 0 };
    JR_BUF text = { 0 };
    char *value;
    enum jr_status st;

    if (ev->type != YAML_SCALAR_EVENT || !jr_str_is(jr_yaml_name(ev->data.scalar.tag), binary))
        return JR_OK;
    jr_buf_init(&digits, JR_BUF_BY_INPUT);
    jr_buf_init(&bytes, JR_BUF_BY_INPUT);
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    for (struct jr_str rest = jr_yaml_text(ev), line; jr_str_cut(&rest, '\n', &line);)
        (void)jr_buf_add(&digits, line);
    st = digits.failed != JR_OK ? digits.failed : jr_base64_decode(jr_buf_str(&digits), &bytes);
    if (st == JR_SYNTAX)
        return jr_yaml_fail(r, ev->start_mark, JR_INVALID,
                            "!!binary value contains invalid base64 data");
    if (st == JR_OK)
        st = to_utf8(jr_buf_str(&bytes), &text);
    value = st == JR_OK ? jr_str_dup(jr_buf_str(&text)) : NULL;
    if (value == NULL)
        return jr_yaml_no_memory(r);
    free(ev->data.scalar.value);
    ev->data.scalar.value = (yaml_char_t *)value;
    ev->data.scalar.length = text.n;
    memcpy(ev->data.scalar.tag, string, sizeof(string)); /* it is shorter */
    return JR_OK;
}
