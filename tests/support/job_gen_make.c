/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/job_gen_make.h"

#include "common/json/write.h"

/* ---- chances ---- */

uint64_t jr_make_below(struct jr_making *m, uint64_t n)
{
    return jr_rand_below(&m->r, n);
}

bool jr_make_percent(struct jr_making *m, unsigned p)
{
    return jr_make_below(m, 100) < p;
}

bool jr_make_wrong(struct jr_making *m)
{
    switch (m->g->kind) {
    case JR_JOB_GEN_VALID:
        return false;
    case JR_JOB_GEN_NEARLY:
        return jr_make_percent(m, 4);
    case JR_JOB_GEN_HOSTILE:
        return jr_make_percent(m, 15);
    }
    return false;
}

/* ---- texts ---- */

const char *jr_make_check(struct jr_making *m, const char *text)
{
    if (text == NULL) {
        m->failed = true;
        return "null";
    }
    return text;
}

const char *jr_make_quoted(struct jr_making *m, const char *s)
{
    JR_BUF b = { 0 };
    struct jr_str kept;

    jr_buf_init(&b, (size_t)1 << 20);
    if (jr_json_quote(jr_str(s), &b) != JR_OK || !jr_arena_str(&m->arena, jr_buf_str(&b), &kept)) {
        m->failed = true;
        return "null";
    }
    return kept.p;
}

const char *jr_make_any(struct jr_making *m, unsigned depth)
{
    static const char *const scalars[] = {
        "null", "true",  "false",  "0",    "-1", "1.0", "1e3",
        "-0.0", "1e400", "0.1e-7", "\"\"", "{}", "[]",  "\"x\""
    };
    static const char *const odd[] = {
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775809",
        "123456789012345678901234567890",
        "\"\\u0000\"",
        "\"caf\\u00e9 \\ud83d\\ude80 \\\"quoted\\\" \\/ \\n\"",
        "\"\xc3\xa9\xe2\x82\xac\"",
    };

    if (depth == 0 || jr_make_percent(m, 70))
        return jr_make_percent(m, 60) ? PICK(m, scalars) : PICK(m, odd);
    if (jr_make_percent(m, 50) || !m->g->unknown)
        return TEXT(m, "[%s, %s]", jr_make_any(m, depth - 1), jr_make_any(m, depth - 1));
    return TEXT(m, "{\"a\": %s,\"a/b~c\":%s,\"a\\u0000\":1}", jr_make_any(m, depth - 1),
                jr_make_any(m, depth - 1));
}

/* ---- objects ---- */

static void put_quoted(struct jr_making *m, struct jr_made *o, const char *key, const char *value)
{
    if (m->g->kind == JR_JOB_GEN_HOSTILE && jr_make_percent(m, 2))
        value = jr_make_any(m, 2);
    if (o->n < JR_MAKE_MEMBERS_MAX) {
        o->v[o->n].key = key;
        o->v[o->n].value = value;
        o->n++;
    }
}

void jr_make_put(struct jr_making *m, struct jr_made *o, const char *key, const char *value)
{
    put_quoted(m, o, jr_make_quoted(m, key), value);
}

void jr_make_put_str(struct jr_making *m, struct jr_made *o, const char *key, const char *value)
{
    jr_make_put(m, o, key, jr_make_quoted(m, value));
}

static void shuffle(struct jr_making *m, struct jr_made *o)
{
    for (size_t i = o->n; i > 1; i--) {
        size_t k = (size_t)jr_make_below(m, i);
        __typeof__(o->v[0]) t = o->v[k];

        o->v[k] = o->v[i - 1];
        o->v[i - 1] = t;
    }
}

const char *jr_make_text(struct jr_making *m, struct jr_made *o, bool map)
{
    static const char *const between[] = { "", "", "", " ", "\n  ", "\t" };
    JR_BUF b = { 0 };
    struct jr_str kept;

    if (m->g->unknown && !map && jr_make_percent(m, 15))
        put_quoted(m, o,
                   TEXT(m, "\"x%s%llu\"", jr_make_percent(m, 10) ? "/y~z" : "New",
                        (unsigned long long)jr_make_below(m, 1000)),
                   jr_make_any(m, 3));
    shuffle(m, o);
    jr_buf_init(&b, (size_t)64 << 20);
    (void)jr_buf_addc(&b, '{');
    for (size_t i = 0; i < o->n; i++)
        (void)jr_buf_addf(&b, "%s%s%s:%s%s", i > 0 ? "," : "", PICK(m, between), o->v[i].key,
                          PICK(m, between), o->v[i].value);
    (void)jr_buf_addc(&b, '}');
    if (b.failed != JR_OK || !jr_arena_str(&m->arena, jr_buf_str(&b), &kept)) {
        m->failed = true;
        return "null";
    }
    return kept.p;
}

const char *jr_make_list(struct jr_making *m, size_t n,
                         const char *(*fn)(struct jr_making *m, size_t i))
{
    JR_BUF b = { 0 };
    struct jr_str kept;

    jr_buf_init(&b, (size_t)64 << 20);
    (void)jr_buf_addc(&b, '[');
    for (size_t i = 0; i < n; i++)
        (void)jr_buf_addf(&b, "%s%s", i > 0 ? "," : "", fn(m, i));
    (void)jr_buf_addc(&b, ']');
    if (b.failed != JR_OK || !jr_arena_str(&m->arena, jr_buf_str(&b), &kept)) {
        m->failed = true;
        return "null";
    }
    return kept.p;
}
