/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of flags that need more than one value: names, choices, pairs. */
#include "common/base/flags_check.h"

#include <stdio.h>

#define FLAG_MAX 96

static const void *field_of(const struct jr_flag *f, const void *config)
{
    return (const char *)config + f->offset;
}

static bool is_given(const struct jr_flags *flags, const char *name, const void *config)
{
    const struct jr_flag *f = flags->table;

    while (strcmp(f->name, name) != 0)
        f++;
    switch (f->type) {
    case JR_FLAG_STR:
        return *(const char *const *)field_of(f, config) != NULL;
    case JR_FLAG_BOOL:
        return *(const bool *)field_of(f, config);
    case JR_FLAG_LIST:
        return ((const struct jr_flag_list *)field_of(f, config))->n > 0;
    case JR_FLAG_INT:
    case JR_FLAG_DURATION:
    case JR_FLAG_BYTES:
        return *(const int64_t *)field_of(f, config) != 0;
    case JR_FLAG_REAL:
        return *(const double *)field_of(f, config) != 0;
    case JR_FLAG_ADDR:
    case JR_FLAG_ENUM:
        break;
    }
    return true;
}

static enum jr_status check_texts(const struct jr_flag *f, const void *config, struct jr_error *err)
{
    enum jr_status st = JR_OK;
    char flag[FLAG_MAX];

    (void)snprintf(flag, sizeof(flag), "--%s", f->name);
    if (f->type == JR_FLAG_LIST) {
        const struct jr_flag_list *l = field_of(f, config);

        for (size_t i = 0; i < l->n && st == JR_OK; i++)
            st = f->check(flag, l->v[i], err);
        return st;
    }
    const char *text = *(const char *const *)field_of(f, config);

    return text == NULL ? JR_OK : f->check(flag, jr_str(text), err);
}

enum jr_status jr_flags_check(const struct jr_flags *flags, const struct jr_flag_rule *rules,
                              const void *config, struct jr_error *err)
{
    char flag[FLAG_MAX];

    for (const struct jr_flag *f = flags->table; f->name != NULL; f++) {
        if (f->check != NULL && check_texts(f, config, err) != JR_OK)
            return JR_USAGE;
    }
    for (const struct jr_flag_rule *r = rules; r->flag != NULL; r++) {
        const char *other = r->with != NULL ? r->with : r->without;

        if (!is_given(flags, r->flag, config) ||
            is_given(flags, other, config) == (r->with != NULL))
            continue;
        (void)snprintf(flag, sizeof(flag), "--%s", r->flag);
        return jr_fail(err, JR_USAGE, flag, "%s", r->words);
    }
    return JR_OK;
}

static bool is_choice(struct jr_str v, const char *const *choices)
{
    while (*choices != NULL && !jr_str_is(v, *choices))
        choices++;
    return *choices != NULL;
}

enum jr_status jr_flag_check_choices(const char *flag, const struct jr_flag_list *l,
                                     const char *const *choices, struct jr_error *err)
{
    for (size_t i = 0; i < l->n; i++) {
        JR_BUF all = { .max = sizeof(err->msg) };

        if (is_choice(l->v[i], choices))
            continue;
        for (size_t k = 0; choices[k] != NULL; k++) {
            if (k > 0)
                (void)jr_buf_adds(&all, choices[k + 1] == NULL ? " or " : ", ");
            (void)jr_buf_adds(&all, choices[k]);
        }
        return jr_fail(err, JR_USAGE, flag, "expected %.*s, not \"%.*s\"", JR_P(jr_buf_str(&all)),
                       JR_P(l->v[i]));
    }
    return JR_OK;
}

void jr_flags_drop_empty(const struct jr_flags *flags, void *config)
{
    for (const struct jr_flag *f = flags->table; f->name != NULL; f++) {
        const char **text = (const char **)(void *)((char *)config + f->offset);

        if (f->type == JR_FLAG_STR && f->initial == NULL && *text != NULL && **text == '\0')
            *text = NULL;
    }
}
