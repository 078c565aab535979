/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/controller/text.h"

#include <stdio.h>

#define TEXT_MAX ((size_t)1 << 20)
#define VALUE_MAX 64

/** What is put in for a place. */
struct value {
    const char *place;
    char text[VALUE_MAX];
};
enum { JOB, JOB_UID, POD, POD_UID, VERSION, PODS, N_VALUES };

bool text_read(struct text *t, const char *file)
{
    FILE *f = file == NULL ? NULL : fopen(file, "rb");
    bool ok;

    jr_buf_init(&t->source, TEXT_MAX + 1);
    ok = f != NULL && jr_buf_reserve(&t->source, TEXT_MAX) == JR_OK;
    if (ok)
        t->source.n = fread(t->source.p, 1, TEXT_MAX, f);
    while (ok && t->source.n > 0 && t->source.p[t->source.n - 1] == '\n')
        t->source.n--;
    if (f != NULL)
        (void)fclose(f);
    ok = ok && t->source.n > 0;
    if (!ok)
        (void)fprintf(stderr, "bench-controller: %s: can't be read\n", file == NULL ? "" : file);
    return ok;
}

void text_done(struct text *t)
{
    jr_buf_done(&t->source);
}

/** Spreads numbers as random ones would be: neighbours share no digits. */
static uint64_t mixed(uint64_t n)
{
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
    return n ^ n >> 31;
}

static void put_uid(char out[VALUE_MAX], uint64_t kind, size_t n)
{
    uint64_t hi = mixed(n * 4 + kind), lo = mixed(hi + n);

    (void)snprintf(out, VALUE_MAX, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(hi >> 32),
                   (unsigned)(hi >> 16 & 0xffff), (unsigned)(hi & 0xfff),
                   (unsigned)(lo >> 48 & 0x3fff) | 0x8000,
                   (unsigned long long)(lo & 0xffffffffffff));
}

/** As generateName makes them: five of 27 letters and digits, here in an order of their own so that
 * no two are equal. */
static void put_suffix(char *out, size_t n)
{
    static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";

    for (int i = 0; i < 5; i++, n /= 27)
        out[i] = alphabet[(n % 27 * 10 + (size_t)i) % 27];
    out[5] = '\0';
}

static void fill_job(struct value v[N_VALUES], const struct text_world *w, size_t n,
                     uint64_t version)
{
    static const char *const places[] = { "@JOB@",     "@JOB_UID@", "@POD@",
                                          "@POD_UID@", "@VERSION@", "@PODS@" };

    for (size_t i = 0; i < N_VALUES; i++)
        v[i].place = places[i];
    (void)snprintf(v[JOB].text, VALUE_MAX, "render-%05zu", n);
    put_uid(v[JOB_UID].text, 1, n);
    (void)snprintf(v[VERSION].text, VALUE_MAX, "%llu", (unsigned long long)version);
    (void)snprintf(v[PODS].text, VALUE_MAX, "%zu", w->pods_each);
}

static const struct value *value_at(const struct value v[N_VALUES], struct jr_str rest)
{
    for (size_t i = 0; i < N_VALUES; i++) {
        if (jr_str_starts(rest, jr_str(v[i].place)))
            return &v[i];
    }
    return NULL;
}

static enum jr_status expand(const struct text *t, const struct value v[N_VALUES],
                             struct jr_buf *out)
{
    struct jr_str rest = jr_buf_str(&t->source);
    ptrdiff_t at;

    while ((at = jr_str_find(rest, '@')) >= 0) {
        const struct value *found;

        (void)jr_buf_add(out, jr_str_head(rest, (size_t)at));
        rest = jr_str_from(rest, (size_t)at);
        found = value_at(v, rest);
        (void)jr_buf_adds(out, found == NULL ? "@" : found->text);
        rest = jr_str_from(rest, found == NULL ? 1 : strlen(found->place));
    }
    return jr_buf_add(out, rest);
}

enum jr_status text_add_pod(const struct text *t, const struct text_world *w, size_t n,
                            uint64_t version, struct jr_buf *out)
{
    struct value v[N_VALUES];
    size_t len;

    fill_job(v, w, n / w->pods_each, version);
    len = (size_t)snprintf(v[POD].text, VALUE_MAX, "%s-", v[JOB].text);
    put_suffix(v[POD].text + len, n);
    put_uid(v[POD_UID].text, 2, n);
    return expand(t, v, out);
}

enum jr_status text_add_job(const struct text *t, const struct text_world *w, size_t n,
                            uint64_t version, struct jr_buf *out)
{
    struct value v[N_VALUES];

    fill_job(v, w, n, version);
    v[POD].text[0] = '\0';
    v[POD_UID].text[0] = '\0';
    return expand(t, v, out);
}
