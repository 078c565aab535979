/* SPDX-License-Identifier: Apache-2.0 */
/* Looks zones up, and works out when their clocks change: by their rules, which are written as
 * POSIX has them in TZ (RFC 9636, section 3.3.1). */
#include "common/job/time_zones.h"

#include "common/base/num.h"
#include "common/base/time.h"

#define HOUR_S 3600
#define DAY_S INT64_C(86400)

/** Names between blanks, and the rule of all of them. */
struct zone_rule {
    const char *rule;
    const char *names;
};
struct zone_changes {
    const struct jr_zone_change *v;
    size_t n;
    const char *names;
};

#include "common/job/time_zones_table.h"

const char jr_time_zones_release[] = RELEASE;

static bool has_word(const char *list, struct jr_str word)
{
    struct jr_str words = jr_str(list), one;

    while (jr_str_cut(&words, ' ', &one)) {
        if (jr_str_eq(one, word))
            return true;
    }
    return false;
}

static const char *rule_of(struct jr_str name)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(rules); i++) {
        if (has_word(rules[i].names, name))
            return rules[i].rule;
    }
    return NULL;
}

bool jr_time_zone_known(struct jr_str name)
{
    return name.n > 0 && rule_of(name) != NULL;
}

/* ---- rules: NAME OFFSET [NAME [OFFSET],START[/TIME],END[/TIME]] ---- */

/** A day of each year, the week-th weekday of a month, and a time of it. */
struct yearly {
    int month, week, weekday; /* week 5: the last one; weekday 0: Sunday */
    int32_t time_s;
};
struct rule {
    int32_t standard, summer; /* seconds east of UTC */
    bool has_summer;
    struct yearly start, end;
};

static int take_number(const char **p)
{
    int v = 0;

    while (**p >= '0' && **p <= '9')
        v = v * 10 + (*(*p)++ - '0');
    return v;
}

static void skip_name(const char **p)
{
    if (**p == '<') {
        while (*(*p)++ != '>')
            continue;
    } else {
        while ((**p >= 'A' && **p <= 'Z') || (**p >= 'a' && **p <= 'z'))
            (*p)++;
    }
}

/** [+-]H[:MM], in seconds. */
static int32_t take_time(const char **p)
{
    const bool negative = **p == '-';
    int32_t s;

    *p += negative || **p == '+';
    s = take_number(p) * HOUR_S;
    if (**p == ':') {
        (*p)++;
        s += take_number(p) * 60;
    }
    return negative ? -s : s;
}

/** ,Mm.w.d[/TIME] */
static struct yearly take_yearly(const char **p)
{
    struct yearly y = { .time_s = 2 * HOUR_S };

    *p += 2;
    y.month = take_number(p);
    (*p)++;
    y.week = take_number(p);
    (*p)++;
    y.weekday = take_number(p);
    if (**p == '/') {
        (*p)++;
        y.time_s = take_time(p);
    }
    return y;
}

static struct rule parse_rule(const char *p)
{
    struct rule r = { .has_summer = false };

    skip_name(&p);
    r.standard = -take_time(&p);
    if (*p == '\0')
        return r;
    r.has_summer = true;
    skip_name(&p);
    r.summer = *p == ',' ? r.standard + HOUR_S : -take_time(&p);
    r.start = take_yearly(&p);
    r.end = take_yearly(&p);
    return r;
}

/** Returns the moment of a change in that year, from clocks with that offset. */
static int64_t moment_of(const struct yearly *y, int64_t year, int32_t offset)
{
    const int64_t first = jr_days_of_date((struct jr_date){ year, y->month, 1 });
    const int64_t next = jr_days_of_date((struct jr_date){ year, y->month + 1, 1 });
    const int day_of_month = (y->weekday - jr_weekday_of_days(first) + 7) % 7 + (y->week - 1) * 7;
    int64_t day = first + day_of_month;

    while (day >= next)
        day -= 7;
    return day * DAY_S + y->time_s - offset;
}

/* ---- changes ---- */

static void add_change(struct jr_zone *z, int64_t at, int32_t offset)
{
    if (z->n < JR_ZONE_CHANGES_MAX && (z->n == 0 || at > z->v[z->n - 1].at))
        z->v[z->n++] = (struct jr_zone_change){ at, offset };
}

/** Adds the changes of a year by a rule, in their order. */
static void add_year(struct jr_zone *z, const struct rule *r, int64_t year)
{
    const int64_t start = moment_of(&r->start, year, r->standard),
                  end = moment_of(&r->end, year, r->summer);

    if (start < end)
        add_change(z, start, r->summer);
    add_change(z, end, r->standard);
    if (start >= end)
        add_change(z, start, r->summer);
}

static const struct zone_changes *changes_of(struct jr_str name)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(changes); i++) {
        if (has_word(changes[i].names, name))
            return &changes[i];
    }
    return NULL;
}

/** The offset before the first change: that of the year before, as the rule has it. */
static int32_t first_offset(const struct rule *r)
{
    const bool southern = r->has_summer && r->start.month > r->end.month;

    return southern ? r->summer : r->standard;
}

bool jr_zone_open(struct jr_str name, int64_t year, int years, struct jr_zone *ret)
{
    const char *text = name.n == 0 ? "UTC0" : rule_of(name);
    const struct zone_changes *written = changes_of(name);
    struct rule r;

    if (text == NULL || year < JR_ZONE_FIRST_YEAR || years > JR_ZONE_YEARS_MAX)
        return false;
    r = parse_rule(text);
    *ret = (struct jr_zone){ .first = first_offset(&r) };
    for (size_t i = 0; written != NULL && i < written->n; i++) {
        if (i == 0)
            ret->first = written->v[0].offset;
        add_change(ret, written->v[i].at, written->v[i].offset);
    }
    for (int64_t y = year - 1; r.has_summer && y <= year + years; y++)
        add_year(ret, &r, y);
    return true;
}

int32_t jr_zone_offset(const struct jr_zone *z, int64_t at, int64_t *ret_start, int64_t *ret_end)
{
    size_t low = 0, high = z->n;

    while (low < high) { /* the first change behind it */
        const size_t mid = low + (high - low) / 2;

        if (z->v[mid].at <= at)
            low = mid + 1;
        else
            high = mid;
    }
    *ret_start = low == 0 ? INT64_MIN : z->v[low - 1].at;
    *ret_end = low == z->n ? INT64_MAX : z->v[low].at;
    return low == 0 ? z->first : z->v[low - 1].offset;
}
