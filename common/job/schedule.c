/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a CronJob's schedule field by field, and checks its time zone. */
#include "common/job/schedule.h"

#include "common/api/field_error.h"
#include "common/base/num.h"
#include "common/job/duration.h"
#include "common/job/time_zones.h"

/* Linux's bound on a path, which Go meets when it looks for a zone's file, here in the longest of
 * its folders, before it turns to its own copy of the database. */
#define PATH_LIMIT 4096
#define ZONE_FOLDER "/usr/share/lib/zoneinfo//"

#define NOTHING ((struct jr_str){ NULL, 0 })

/* ---- time zones ---- */

/** Adds the words, and the text that they are about; it may hold anything, NUL too. */
static enum jr_status JR_PRINTF(3, 4)
    refuse(struct jr_buf *why, struct jr_str about, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)jr_buf_vaddf(why, fmt, ap);
    va_end(ap);
    (void)jr_buf_add(why, about);
    return why->failed == JR_OK ? JR_INVALID : why->failed;
}

/** The same, with the fault that was found in the text. */
static enum jr_status refuse_with(struct jr_buf *why, const char *words, struct jr_str about,
                                  const struct jr_buf *fault)
{
    (void)jr_buf_adds(why, words);
    (void)jr_buf_add(why, about);
    return refuse(why, jr_buf_str(fault), ": ");
}

static bool has_dot_dot(struct jr_str s)
{
    return s.n > 1 && memmem(s.p, s.n, "..", 2) != NULL;
}

enum jr_status jr_time_zone_check(struct jr_str name, struct jr_buf *why)
{
    if (name.n == 0 || jr_str_is(name, "UTC") || jr_str_is(name, "Local"))
        return JR_OK;
    if (has_dot_dot(name) || name.p[0] == '/' || name.p[0] == '\\')
        return refuse(why, NOTHING, "time: invalid location name");
    if (memchr(name.p, '\0', name.n) != NULL)
        return refuse(why, NOTHING, "invalid argument");
    if (name.n + sizeof(ZONE_FOLDER) > PATH_LIMIT)
        return refuse(why, NOTHING, "file name too long");
    if (!jr_time_zone_known(name))
        return refuse(why, name, "unknown time zone ");
    return JR_OK;
}

/* ---- numbers and names ---- */

/** What one of the five fields may hold. Names stand for low, low + 1, ... */
struct bounds {
    int64_t min;
    int64_t max;
    const char *names; /* three letters each; NULL: none */
    int64_t low;
};

static const struct bounds fields[] = {
    { 0, 59, NULL, 0 },
    { 0, 23, NULL, 0 },
    { 1, 31, NULL, 0 },
    { 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec", 1 },
    { 0, 6, "sunmontuewedthufrisat", 0 },
};

/** Go's words for a text that strconv.Atoi refuses: out of range as soon as the digits so far are
 * beyond 64 bits, else malformed. */
static const char *number_fault(struct jr_str s)
{
    uint64_t v = 0;

    if (s.n > 0 && (s.p[0] == '+' || s.p[0] == '-'))
        s = jr_str_from(s, 1);
    for (size_t i = 0; i < s.n; i++) {
        uint64_t digit = (uint64_t)(unsigned char)s.p[i] - '0';

        if (s.p[i] < '0' || s.p[i] > '9')
            return "invalid syntax";
        if (v > UINT64_MAX / 10 || v * 10 > UINT64_MAX - digit)
            return "value out of range";
        v = v * 10 + digit;
    }
    return s.n == 0 ? "invalid syntax" : "value out of range";
}

static enum jr_status parse_int(struct jr_str s, int64_t *ret, struct jr_buf *why)
{
    enum jr_status st = jr_parse_go_int(s, ret);

    if (st != JR_OK) {
        (void)jr_buf_adds(why, "failed to parse int from ");
        (void)jr_buf_add(why, s);
        (void)jr_buf_adds(why, ": strconv.Atoi: parsing ");
        if (jr_field_quote(s, why) != JR_OK)
            return why->failed;
        return refuse(why, jr_str(number_fault(s)), ": ");
    }
    if (*ret < 0)
        return refuse(why, s, "negative number (%lld) not allowed: ", (long long)*ret);
    return JR_OK;
}

/** Takes one letter off the front of *s, as lower case; 0 if there is none. U+0130 is the one
 * letter beyond ASCII whose lower case is in it, in Go. */
static char take_letter(struct jr_str *s)
{
    char c;

    if (jr_str_starts(*s, JR_S("\xc4\xb0"))) {
        *s = jr_str_from(*s, 2);
        return 'i';
    }
    if (s->n == 0)
        return 0;
    c = s->p[0];
    *s = jr_str_from(*s, 1);
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c;
}

static bool find_name(const struct bounds *b, struct jr_str s, int64_t *ret)
{
    char lower[3];

    for (size_t i = 0; i < sizeof(lower); i++)
        lower[i] = take_letter(&s);
    if (s.n > 0)
        return false;
    for (const char *p = b->names; p != NULL && *p != '\0'; p += sizeof(lower)) {
        if (memcmp(p, lower, sizeof(lower)) == 0) {
            *ret = b->low + (p - b->names) / (ptrdiff_t)sizeof(lower);
            return true;
        }
    }
    return false;
}

static enum jr_status parse_int_or_name(const struct bounds *b, struct jr_str s, int64_t *ret,
                                        struct jr_buf *why)
{
    return find_name(b, s, ret) ? JR_OK : parse_int(s, ret, why);
}

/* ---- ranges ---- */

/** The first parts of s between separators, and how many there are in all. */
static size_t split_once(struct jr_str s, char sep, struct jr_str ret[2])
{
    size_t n = 0;

    for (;;) {
        ptrdiff_t at = jr_str_find(s, sep);
        struct jr_str part = at < 0 ? s : jr_str_head(s, (size_t)at);

        if (n < 2)
            ret[n] = part;
        n++;
        if (at < 0)
            return n;
        s = jr_str_from(s, (size_t)at + 1);
    }
}

struct range {
    int64_t start;
    int64_t end;
    int64_t step;
};

/** Whether a range is a star, whatever follows a hyphen. */
static bool is_star(struct jr_str ends)
{
    struct jr_str part[2];

    (void)split_once(ends, '-', part);
    return jr_str_is(part[0], "*") || jr_str_is(part[0], "?");
}

static enum jr_status parse_ends(const struct bounds *b, struct jr_str expr, struct jr_str ends,
                                 struct range *r, bool *ret_single, struct jr_buf *why)
{
    struct jr_str part[2];
    size_t n = split_once(ends, '-', part);
    enum jr_status st;

    *ret_single = n == 1;
    if (is_star(ends)) {
        r->start = b->min;
        r->end = b->max;
        return JR_OK;
    }
    st = parse_int_or_name(b, part[0], &r->start, why);
    if (st != JR_OK)
        return st;
    r->end = r->start;
    if (n > 2)
        return refuse(why, expr, "too many hyphens: ");
    return n == 2 ? parse_int_or_name(b, part[1], &r->end, why) : JR_OK;
}

static enum jr_status check_range(const struct bounds *b, struct jr_str expr, const struct range *r,
                                  struct jr_buf *why)
{
    const long long start = r->start, end = r->end;

    if (start < b->min)
        return refuse(why, expr, "beginning of range (%lld) below minimum (%lld): ", start,
                      (long long)b->min);
    if (end > b->max)
        return refuse(why, expr, "end of range (%lld) above maximum (%lld): ", end,
                      (long long)b->max);
    if (start > end)
        return refuse(why, expr, "beginning of range (%lld) beyond end of range (%lld): ", start,
                      end);
    if (r->step == 0)
        return refuse(why, expr, "step of range should be a positive number: ");
    return JR_OK;
}

static uint64_t bits_of(const struct range *r)
{
    uint64_t bits = 0;

    for (int64_t v = r->start; v <= r->end; v += r->step)
        bits |= UINT64_C(1) << v;
    return bits;
}

/** "*", "?", "N", "N-M", each with "/STEP". What follows a star's hyphen is not looked at. Adds the
 * values; a star without steps is one of days. */
static enum jr_status parse_expr(const struct bounds *b, struct jr_str expr, uint64_t *bits,
                                 struct jr_buf *why)
{
    struct range r = { .step = 1 };
    struct jr_str part[2];
    size_t n = split_once(expr, '/', part);
    bool single;
    enum jr_status st = parse_ends(b, expr, part[0], &r, &single, why);

    if (st == JR_OK && n > 2)
        return refuse(why, expr, "too many slashes: ");
    if (st == JR_OK && n == 2)
        st = parse_int(part[1], &r.step, why);
    if (st != JR_OK)
        return st;
    if (n == 2 && single)
        r.end = b->max;
    st = check_range(b, expr, &r, why);
    if (st != JR_OK)
        return st;
    *bits |= bits_of(&r);
    if (is_star(part[0]) && r.step == 1)
        *bits |= JR_SCHEDULE_STAR;
    return JR_OK;
}

/** A list; empty elements, and an empty list, are let through. */
static enum jr_status parse_field(const struct bounds *b, struct jr_str field, uint64_t *bits,
                                  struct jr_buf *why)
{
    struct jr_str expr;
    enum jr_status st = JR_OK;

    *bits = 0;
    while (st == JR_OK && jr_str_cut(&field, ',', &expr)) {
        if (expr.n > 0)
            st = parse_expr(b, expr, bits, why);
    }
    return st;
}

/* ---- the whole ---- */

/** The length of the white space (as Unicode sees it) that s starts with: of one character. */
static size_t space_at(struct jr_str s)
{
    static const char *const wide[] = {
        "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
        "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
        "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
        "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
    };

    if (s.n == 0)
        return 0;
    if (s.p[0] == ' ' || (s.p[0] >= '\t' && s.p[0] <= '\r'))
        return 1;
    for (size_t i = 0; i < JR_ARRAY_SIZE(wide); i++) {
        if (jr_str_starts(s, jr_str(wide[i])))
            return strlen(wide[i]);
    }
    return 0;
}

/** Takes the next word off the front of *s; false where there is none. */
static bool take_word(struct jr_str *s, struct jr_str *ret)
{
    size_t n;

    while ((n = space_at(*s)) > 0)
        *s = jr_str_from(*s, n);
    n = 0;
    while (n < s->n && space_at(jr_str_from(*s, n)) == 0)
        n++;
    *ret = jr_str_head(*s, n);
    *s = jr_str_from(*s, n);
    return n > 0;
}

/** s without white space at both ends. */
static struct jr_str trim(struct jr_str s)
{
    struct jr_str rest = s, word = { NULL, 0 }, last = { NULL, 0 };
    const char *first = NULL;

    while (take_word(&rest, &word)) {
        if (first == NULL)
            first = word.p;
        last = word;
    }
    if (first == NULL)
        return JR_S("");
    return (struct jr_str){ first, (size_t)(last.p + last.n - first) };
}

static enum jr_status parse_fields(struct jr_str spec, struct jr_schedule *ret, struct jr_buf *why)
{
    uint64_t *const bits[] = { &ret->minutes, &ret->hours, &ret->days, &ret->months,
                               &ret->weekdays };
    struct jr_str rest = spec, word, words[JR_ARRAY_SIZE(fields)] = { { NULL, 0 } };
    enum jr_status st = JR_OK;
    size_t n = 0;

    while (take_word(&rest, &word)) {
        if (n < JR_ARRAY_SIZE(fields))
            words[n] = word;
        n++;
    }
    if (n == JR_ARRAY_SIZE(fields)) {
        for (size_t i = 0; i < n && st == JR_OK; i++)
            st = parse_field(&fields[i], words[i], bits[i], why);
        return st;
    }
    (void)jr_buf_addf(why, "expected exactly %zu fields, found %zu: [", JR_ARRAY_SIZE(fields), n);
    for (rest = spec, n = 0; take_word(&rest, &word); n++) {
        (void)jr_buf_adds(why, n > 0 ? " " : "");
        (void)jr_buf_add(why, word);
    }
    return refuse(why, JR_S("]"), "%s", "");
}

/** Reads the delay, which is rounded down to seconds, and is one at least. */
static int64_t delay_of(struct jr_str duration)
{
    int64_t ms = 0;

    return jr_parse_duration_ms(duration, &ms) != JR_OK || ms < 1000 ? 1 : ms / 1000;
}

static enum jr_status parse_descriptor(struct jr_str spec, struct jr_schedule *ret,
                                       struct jr_buf *why)
{
    static const struct {
        const char *name, *fields;
    } known[] = { { "@yearly", "0 0 1 1 *" },  { "@annually", "0 0 1 1 *" },
                  { "@monthly", "0 0 1 * *" }, { "@weekly", "0 0 * * 0" },
                  { "@daily", "0 0 * * *" },   { "@midnight", "0 0 * * *" },
                  { "@hourly", "0 * * * *" } };
    const struct jr_str every = JR_S("@every ");
    JR_BUF fault = { 0 };
    enum jr_status st;

    for (size_t i = 0; i < JR_ARRAY_SIZE(known); i++) {
        if (jr_str_is(spec, known[i].name))
            return parse_fields(jr_str(known[i].fields), ret, why);
    }
    if (!jr_str_starts(spec, every))
        return refuse(why, spec, "unrecognized descriptor: ");
    fault = (struct jr_buf){ .max = why->max, .cuts = why->cuts };
    st = jr_duration_check(jr_str_from(spec, every.n), &fault);
    if (st == JR_OK)
        ret->every_s = delay_of(jr_str_from(spec, every.n));
    return st == JR_INVALID ? refuse_with(why, "failed to parse duration ", spec, &fault) : st;
}

/** TZ=NAME or CRON_TZ=NAME in front: takes it off *spec. Without a blank after it upstream's parser
 * panics, and its caller makes an error of that. */
static enum jr_status take_zone(struct jr_str *spec, struct jr_schedule *ret, struct jr_buf *why)
{
    ptrdiff_t blank = jr_str_find(*spec, ' '), equals = jr_str_find(*spec, '=');
    JR_BUF fault = { 0 };
    struct jr_str name;
    enum jr_status st;

    if (!jr_str_starts(*spec, JR_S("TZ=")) && !jr_str_starts(*spec, JR_S("CRON_TZ=")))
        return JR_OK;
    if (blank < 0)
        return refuse(why, NOTHING,
                      "invalid schedule format: runtime error: slice bounds out of range [:-1]");
    name = jr_str_from(jr_str_head(*spec, (size_t)blank), (size_t)equals + 1);
    fault = (struct jr_buf){ .max = why->max, .cuts = why->cuts };
    st = jr_time_zone_check(name, &fault);
    if (st == JR_INVALID)
        return refuse_with(why, "provided bad location ", name, &fault);
    ret->zone = name;
    *spec = trim(jr_str_from(*spec, (size_t)blank));
    return st;
}

enum jr_status jr_schedule_parse(struct jr_str schedule, struct jr_schedule *ret,
                                 struct jr_buf *why)
{
    enum jr_status st;

    *ret = (struct jr_schedule){ .every_s = 0 };
    if (schedule.n == 0)
        return refuse(why, NOTHING, "empty spec string");
    st = take_zone(&schedule, ret, why);
    if (st != JR_OK)
        return st;
    if (jr_str_starts(schedule, JR_S("@")))
        return parse_descriptor(schedule, ret, why);
    return parse_fields(schedule, ret, why);
}
