/* SPDX-License-Identifier: Apache-2.0 */
/* The list of field errors: values as Go shows them, bounds, and the Status of a refusal. */
#include "common/api/field_error.h"

#include <stdarg.h>

#include "common/base/string_set.h"
#include "common/base/utf8.h"

/* A Job with more faults than this is refused without the rest being counted. */
#define ERRORS_MAX ((size_t)10000)
#define TEXT_MAX ((size_t)8 << 20)

void jr_errlist_init(struct jr_errlist *l, struct jr_arena *arena)
{
    *l = (struct jr_errlist){ .arena = arena, .version = JR_KUBE_DESCRIBED };
}

/** Copies what a buffer holds into the list's arena; {NULL, 0} and `failed` without memory. */
static struct jr_str keep_text(struct jr_errlist *l, const struct jr_buf *b)
{
    struct jr_str s = { NULL, 0 };

    if (b->failed != JR_OK)
        l->failed = b->failed;
    else if (!jr_arena_str(l->arena, jr_buf_str(b), &s))
        l->failed = JR_NOMEM;
    return s;
}

/** The same, cut to what is shown of a value: keys are in paths, and texts in details. */
static struct jr_str keep_shown(struct jr_errlist *l, const struct jr_buf *b)
{
    const struct jr_str shown = jr_field_shown(jr_buf_str(b), l->max_value_bytes);

    if (b->failed != JR_OK || shown.n == b->n)
        return keep_text(l, b);
    return JR_FORMAT(l, "%.*s...", JR_P(shown));
}

static struct jr_str field_text(struct jr_errlist *l, const struct jr_field_path *path)
{
    JR_BUF b = { 0 };

    jr_buf_init(&b, JR_FIELD_PATH_BYTES);
    b.failed = jr_field_path_write(path, &b);
    return keep_shown(l, &b);
}

struct jr_buf jr_errlist_words(const struct jr_errlist *l)
{
    return (struct jr_buf){ .max =
                                l->max_value_bytes > 0 ? 2 * l->max_value_bytes : JR_BUF_BY_INPUT,
                            .cuts = l->max_value_bytes > 0 };
}

static struct jr_str detail_text(struct jr_errlist *l, const char *fmt, va_list ap) JR_PRINTF(2, 0);

static struct jr_str detail_text(struct jr_errlist *l, const char *fmt, va_list ap)
{
    JR_BUF b = jr_errlist_words(l);

    (void)jr_buf_vaddf(&b, fmt, ap);
    return keep_shown(l, &b);
}

void jr_errlist_add(struct jr_errlist *l, enum jr_field_error_type type,
                    const struct jr_field_path *path, struct jr_str value, const char *detail_fmt,
                    ...)
{
    struct jr_field_error e = { .type = type }, *v;
    va_list ap;

    if (l->failed != JR_OK)
        return;
    if (l->n >= ERRORS_MAX) {
        l->failed = JR_LIMIT;
        return;
    }
    if (!jr_field_path_keep(path, l->n > 0 ? l->v[l->n - 1].path : NULL, l->arena, &e.path)) {
        l->failed = JR_NOMEM;
        return;
    }
    e.field = field_text(l, e.path);
    va_start(ap, detail_fmt);
    e.detail = detail_text(l, detail_fmt, ap);
    va_end(ap);
    if (e.field.p == NULL || (value.p != NULL && !jr_arena_str(l->arena, value, &e.value)))
        l->failed = JR_NOMEM;
    v = jr_arena_room(l->arena, l->v, l->n, &l->cap, sizeof(*v));
    if (v == NULL)
        l->failed = JR_NOMEM;
    if (l->failed != JR_OK)
        return;
    l->v = v;
    l->v[l->n++] = e;
    l->bytes += e.field.n + e.value.n + e.detail.n;
    if (l->max_bytes > 0 && l->bytes > l->max_bytes)
        l->failed = JR_LIMIT;
}

/* ---- values ---- */

/** The length of the UTF-8 character at p, and the character; 1 and -1 for a byte that is none. */
static size_t rune_at(struct jr_str s, size_t i, int32_t *ret)
{
    static const unsigned char lead_mask[] = { 0x7f, 0x1f, 0x0f, 0x07 };
    static const int32_t lowest[] = { 0, 0x80, 0x800, 0x10000 };
    unsigned char c = (unsigned char)s.p[i];
    size_t more = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    int32_t r = c & lead_mask[more];

    *ret = -1;
    if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || more >= s.n - i)
        return 1;
    for (size_t k = 1; k <= more; k++) {
        unsigned char next = (unsigned char)s.p[i + k];

        if ((next & 0xc0) != 0x80)
            return 1;
        r = r << 6 | (next & 0x3f);
    }
    if (r < lowest[more] || r > 0x10ffff || (r >= 0xd800 && r <= 0xdfff))
        return 1;
    *ret = r;
    return more + 1;
}

/** As Go's strconv.IsPrint, but for code points that no one has assigned. */
static bool is_print(int32_t r)
{
    static const struct {
        int32_t first;
        int32_t last;
    } hidden[] = {
        { 0x00, 0x1f },     { 0x7f, 0xa0 },       { 0xad, 0xad },        { 0x600, 0x605 },
        { 0x61c, 0x61c },   { 0x6dd, 0x6dd },     { 0x70f, 0x70f },      { 0x1680, 0x1680 },
        { 0x180e, 0x180e }, { 0x2000, 0x200f },   { 0x2028, 0x202f },    { 0x205f, 0x206f },
        { 0x3000, 0x3000 }, { 0xe000, 0xf8ff },   { 0xfeff, 0xfeff },    { 0xfff0, 0xfffb },
        { 0xfffe, 0xffff }, { 0xe0000, 0xe00ff }, { 0xe01f0, 0x10ffff },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(hidden); i++) {
        if (r >= hidden[i].first && r <= hidden[i].last)
            return false;
    }
    return true;
}

/** The letter of a short escape, 0 if there is none. */
static char short_escape(int32_t r)
{
    static const char from[] = "\a\b\f\n\r\t\v\\\"";
    static const char to[] = "abfnrtv\\\"";
    const char *at = r > 0 && r < 0x80 ? strchr(from, (char)r) : NULL;

    if (at == NULL)
        return '\0';
    return to[at - from];
}

static void quote_rune(struct jr_buf *b, struct jr_str bytes, int32_t r)
{
    char letter = short_escape(r);

    if (r < 0)
        (void)jr_buf_addf(b, "\\x%02x", (unsigned)(unsigned char)bytes.p[0]);
    else if (letter != '\0')
        (void)jr_buf_addf(b, "\\%c", letter);
    else if (is_print(r))
        (void)jr_buf_add(b, bytes);
    else if (r < 0x80)
        (void)jr_buf_addf(b, "\\x%02x", (unsigned)r);
    else if (r < 0x10000)
        (void)jr_buf_addf(b, "\\u%04x", (unsigned)r);
    else
        (void)jr_buf_addf(b, "\\U%08x", (unsigned)r);
}

enum jr_status jr_field_quote(struct jr_str s, struct jr_buf *out)
{
    (void)jr_buf_addc(out, '"');
    for (size_t i = 0; i < s.n;) {
        int32_t r;
        size_t n = rune_at(s, i, &r);

        quote_rune(out, (struct jr_str){ s.p + i, n }, r);
        i += n;
    }
    return jr_buf_addc(out, '"');
}

struct jr_str jr_field_shown(struct jr_str s, size_t max_bytes)
{
    return max_bytes == 0 ? s : jr_utf8_head(s, max_bytes);
}

void jr_errlist_once(struct jr_errlist *l)
{
    struct jr_string_set seen = JR_STRING_SET(l);
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        JR_BUF text = { 0 };

        jr_buf_init(&text, JR_BUF_BY_INPUT);
        (void)jr_buf_addf(&text, "%.*s: ", JR_P(l->v[i].field));
        if (jr_field_error_write(&l->v[i], &text) != JR_OK)
            l->failed = text.failed;
        if (jr_string_set_add(&seen, keep_text(l, &text)))
            l->v[n++] = l->v[i];
    }
    l->n = n;
}

/** In the list's arena. */
static struct jr_str rule_at_field(struct jr_errlist *l, const struct jr_field_error *e)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    (void)jr_buf_addf(&text, "%s %.*s", e->rule == NULL ? "" : e->rule, JR_P(e->field));
    if (text.failed != JR_OK)
        l->failed = text.failed;
    return keep_text(l, &text);
}

void jr_errlist_supersede(struct jr_errlist *l, size_t n)
{
    struct jr_string_set later = JR_STRING_SET(l);
    size_t kept = 0;

    if (n >= l->n)
        return;
    for (size_t i = n; i < l->n; i++)
        (void)jr_string_set_add(&later, rule_at_field(l, &l->v[i]));
    for (size_t i = 0; i < l->n; i++) {
        if (i >= n || !jr_string_set_has(&later, rule_at_field(l, &l->v[i])))
            l->v[kept++] = l->v[i];
    }
    l->n = kept;
}

struct jr_str jr_errlist_quote(struct jr_errlist *l, struct jr_str s)
{
    const struct jr_str shown = jr_field_shown(s, l->max_value_bytes);
    JR_BUF b = { 0 };

    if (l->failed != JR_OK)
        return (struct jr_str){ NULL, 0 };
    jr_buf_init(&b, TEXT_MAX);
    if (jr_field_quote(shown, &b) != JR_OK)
        l->failed = b.failed;
    if (shown.n < s.n)
        (void)jr_buf_adds(&b, "...");
    return keep_text(l, &b);
}

struct jr_str jr_errlist_int(struct jr_errlist *l, int64_t v)
{
    return JR_FORMAT(l, "%lld", (long long)v);
}

/* ---- rendering ---- */

const char *jr_field_error_reason(enum jr_field_error_type type)
{
    switch (type) {
#define X(name, reason, words) \
    case JR_FE_##name:         \
        return reason;
        JR_FIELD_ERROR_MAP(X)
#undef X
    }
    return "";
}

const char *jr_field_error_words(enum jr_field_error_type type)
{
    switch (type) {
#define X(name, reason, words) \
    case JR_FE_##name:         \
        return words;
        JR_FIELD_ERROR_MAP(X)
#undef X
    }
    return "";
}

/** Whether Go shows the bad value for this type at all. */
static bool shows_value(enum jr_field_error_type type)
{
    return type != JR_FE_REQUIRED && type != JR_FE_FORBIDDEN && type != JR_FE_TOO_LONG &&
           type != JR_FE_INTERNAL;
}

enum jr_status jr_field_error_write(const struct jr_field_error *e, struct jr_buf *out)
{
    (void)jr_buf_adds(out, jr_field_error_words(e->type));
    if (e->value.p != NULL && shows_value(e->type)) {
        (void)jr_buf_adds(out, ": ");
        (void)jr_buf_add(out, e->value);
    }
    if (e->detail.n > 0) {
        (void)jr_buf_adds(out, ": ");
        (void)jr_buf_add(out, e->detail);
    }
    return out->failed;
}

/* ---- the Status of a refusal ---- */

static enum jr_status render_message(const struct jr_field_error *e, struct jr_arena *arena,
                                     struct jr_str *ret)
{
    JR_BUF b = { 0 };

    jr_buf_init(&b, 2 * TEXT_MAX);
    if (jr_field_error_write(e, &b) != JR_OK)
        return b.failed;
    return jr_arena_str(arena, jr_buf_str(&b), ret) ? JR_OK : JR_NOMEM;
}

/** "E" or "[E1, E2]", E being field: message, equal texts once. */
static enum jr_status render_errors(const struct jr_errlist *l, const struct jr_cause *causes,
                                    struct jr_buf *out)
{
    enum jr_status failed = JR_OK;
    struct jr_string_set texts = { .arena = l->arena, .status = &failed };
    JR_BUF list = { 0 };

    jr_buf_init(&list, out->max);
    for (size_t i = 0; i < l->n && failed == JR_OK; i++) {
        const struct jr_str text = jr_format(l->arena, &failed, "%.*s: %.*s", JR_P(causes[i].field),
                                             JR_P(causes[i].message));

        if (!jr_string_set_add(&texts, text))
            continue;
        if (texts.n > 1)
            (void)jr_buf_adds(&list, ", ");
        (void)jr_buf_add(&list, text);
    }
    if (failed != JR_OK || list.failed != JR_OK)
        return failed != JR_OK ? failed : list.failed;
    return jr_buf_addf(out, texts.n == 1 ? "%.*s" : "[%.*s]", JR_P(jr_buf_str(&list)));
}

enum jr_status jr_errlist_status(const struct jr_errlist *l, struct jr_str group,
                                 struct jr_str kind, struct jr_str name, struct jr_api_status *ret)
{
    struct jr_api_status s = {
        .code = 422,
        .status = JR_S("Failure"),
        .reason = JR_S("Invalid"),
        .details = { .name = name, .group = group, .kind = kind },
    };
    JR_BUF b = { 0 };
    enum jr_status st;

    s.details.causes.v = jr_arena_calloc(l->arena, l->n, sizeof(*s.details.causes.v));
    if (s.details.causes.v == NULL)
        return JR_NOMEM;
    for (; s.details.causes.n < l->n; s.details.causes.n++) {
        const struct jr_field_error *e = &l->v[s.details.causes.n];
        struct jr_cause *c = &s.details.causes.v[s.details.causes.n];

        c->reason = jr_str(jr_field_error_reason(e->type));
        c->field = e->field;
        st = render_message(e, l->arena, &c->message);
        if (st != JR_OK)
            return st;
    }
    jr_buf_init(&b, 8 * TEXT_MAX);
    (void)jr_buf_addf(&b, "%.*s%s%.*s \"%.*s\" is invalid: ", JR_P(kind), group.n > 0 ? "." : "",
                      JR_P(group), JR_P(name));
    st = render_errors(l, s.details.causes.v, &b);
    if (st == JR_OK)
        st = b.failed;
    if (st == JR_OK && !jr_arena_str(l->arena, jr_buf_str(&b), &s.message))
        st = JR_NOMEM;
    if (st == JR_OK)
        *ret = s;
    return st;
}
