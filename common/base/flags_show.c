/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a program's settings as flags, for its log. */
#include "common/base/flags_show.h"

#include <string.h>

/** Room for one field of any type. */
union field {
    const char *text;
    int64_t number;
    double real;
    bool truth;
    int index;
    struct jr_flag_addr addr;
    struct jr_flag_list list;
};

static void show_number(const struct jr_flag *f, int64_t v, struct jr_buf *out)
{
    if (f->type == JR_FLAG_DURATION && v % 1000 == 0)
        (void)jr_buf_addf(out, "%llds", (long long)(v / 1000));
    else
        (void)jr_buf_addf(out, "%lld%s", (long long)v, f->type == JR_FLAG_DURATION ? "ms" : "");
}

static void show_addr(const struct jr_flag_addr *a, struct jr_buf *out)
{
    const bool ipv6 = strchr(a->host, ':') != NULL;

    if (a->off)
        (void)jr_buf_adds(out, "0");
    else
        (void)jr_buf_addf(out, ipv6 ? "[%s]:%u" : "%s:%u", a->host, (unsigned)a->port);
}

static void show_list(const struct jr_flag_list *l, struct jr_buf *out)
{
    for (size_t i = 0; i < l->n; i++)
        (void)jr_buf_addf(out, "%s%.*s", i == 0 ? "" : ",", JR_P(l->v[i]));
}

/** The field's value as it would be written. */
static void show_value(const struct jr_flag *f, const union field *v, struct jr_buf *out)
{
    switch (f->type) {
    case JR_FLAG_STR:
        (void)jr_buf_adds(out, v->text == NULL ? "" : v->text);
        break;
    case JR_FLAG_BOOL:
        (void)jr_buf_adds(out, v->truth ? "true" : "false");
        break;
    case JR_FLAG_INT:
    case JR_FLAG_DURATION:
    case JR_FLAG_BYTES:
        show_number(f, v->number, out);
        break;
    case JR_FLAG_REAL:
        (void)jr_buf_addf(out, "%.15g", v->real);
        break;
    case JR_FLAG_ADDR:
        show_addr(&v->addr, out);
        break;
    case JR_FLAG_LIST:
        show_list(&v->list, out);
        break;
    case JR_FLAG_ENUM:
        (void)jr_buf_adds(out, f->choices[v->index]);
        break;
    }
}

static void read_field(const struct jr_flag *f, const void *config, union field *ret)
{
    memcpy(ret, (const char *)config + f->offset, jr_flag_size(f));
}

/** What the field would be without the flag. */
static enum jr_status read_default(const struct jr_flag *f, union field *ret)
{
    struct jr_flag alone = *f;

    alone.offset = 0;
    memset(ret, 0, sizeof(*ret));
    return f->initial == NULL ? JR_OK : jr_flag_set(&alone, f->initial, true, ret, NULL);
}

enum jr_status jr_flags_show(const struct jr_flags *flags, const void *config, struct jr_buf *out)
{
    for (const struct jr_flag *f = flags->table; f->name != NULL; f++) {
        JR_BUF is = { 0 };
        JR_BUF would_be = { 0 };
        union field v;

        jr_buf_init(&is, JR_BUF_BY_INPUT);
        jr_buf_init(&would_be, JR_BUF_BY_INPUT);
        read_field(f, config, &v);
        show_value(f, &v, &is);
        if (read_default(f, &v) == JR_OK)
            show_value(f, &v, &would_be);
        if (is.failed != JR_OK || would_be.failed != JR_OK)
            return JR_NOMEM;
        if (!jr_str_eq(jr_buf_str(&is), jr_buf_str(&would_be)))
            (void)jr_buf_addf(out, "%s--%s=%.*s", out->n == 0 ? "" : " ", f->name,
                              JR_P(jr_buf_str(&is)));
    }
    return out->failed;
}
