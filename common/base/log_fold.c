/* SPDX-License-Identifier: Apache-2.0 */
/* Counts repeated log lines, and keeps the names of the objects in them. */
#include "common/base/log_fold.h"

#include <string.h>

#include "common/base/hash.h"

#define NAME_MAX_BYTES 400 /* a namespace and a name have 63 and 253 */

static uint64_t hash_of(enum jr_log_level level, const char *msg)
{
    uint64_t h = (jr_hash(jr_str(msg)) << 2) ^ (uint64_t)level;

    return h == 0 ? 1 : h;
}

static char *names_of(struct jr_folds *f, const struct jr_fold *e)
{
    return f->names[e - f->v];
}

/** Says what was folded, and begins to count anew. */
static void report_fold(struct jr_folds *f, struct jr_fold *e, jr_fold_report_fn *fn, void *ctx)
{
    struct jr_fold_report r = { .level = e->level, .msg = e->msg, .folded = e->folded };

    if (e->folded == 0)
        return;
    if (e->names_n > 2) /* a blank before each name and one behind the last */
        r.objects = (struct jr_str){ names_of(f, e) + 1, e->names_n - 2 };
    fn(ctx, &r);
    e->folded = 0;
    e->names_n = 0;
    e->reports++;
    f->pending--;
}

void jr_folds_due(struct jr_folds *f, int64_t now_ns, jr_fold_report_fn *fn, void *ctx)
{
    for (size_t i = 0; i < JR_FOLD_ENTRIES && f->pending > 0; i++) {
        struct jr_fold *e = &f->v[i];

        if (e->folded > 0 && now_ns - e->start_ns >= JR_FOLD_PERIOD_NS)
            report_fold(f, e, fn, ctx);
    }
}

/** The entry of (level, msg): its own, else a free one, else the one whose period began first. */
static struct jr_fold *entry(struct jr_folds *f, enum jr_log_level level, const char *msg,
                             int64_t now_ns, jr_fold_report_fn *fn, void *ctx)
{
    uint64_t hash = hash_of(level, msg);
    struct jr_fold *e = &f->v[0];
    struct jr_str text = jr_str_head(jr_str(msg), sizeof(e->msg) - 1);

    for (size_t i = 0; i < JR_FOLD_ENTRIES; i++) {
        struct jr_fold *c = &f->v[i];

        if (c->hash == hash)
            return c;
        if (e->hash != 0 && (c->hash == 0 || c->start_ns < e->start_ns))
            e = c;
    }
    report_fold(f, e, fn, ctx);
    *e = (struct jr_fold){ .hash = hash, .start_ns = now_ns, .level = level };
    memcpy(e->msg, text.p, text.n);
    return e;
}

/** " NAMESPACE/NAME " or " NAME " of the pairs; empty where they name no object. */
static struct jr_str object_of(const struct jr_kv *kv, size_t n, char out[NAME_MAX_BYTES])
{
    struct jr_str parts[2] = { { NULL, 0 }, { NULL, 0 } };
    size_t at = 1;

    for (size_t i = 0; i < n; i++) {
        if (kv[i].kind == JR_KV_STR && strcmp(kv[i].key, "namespace") == 0)
            parts[0] = kv[i].s;
        else if (kv[i].kind == JR_KV_STR && strcmp(kv[i].key, "name") == 0)
            parts[1] = kv[i].s;
    }
    if (parts[1].n == 0)
        return (struct jr_str){ NULL, 0 };
    out[0] = ' ';
    for (size_t i = 0; i < 2; i++) {
        struct jr_str p = jr_str_head(parts[i], (NAME_MAX_BYTES - 4) / 2);

        if (p.n == 0)
            continue;
        memcpy(out + at, p.p, p.n);
        at += p.n;
        out[at++] = i == 0 ? '/' : ' ';
    }
    return (struct jr_str){ out, at };
}

static void keep_object(struct jr_folds *f, struct jr_fold *e, struct jr_str object,
                        jr_fold_report_fn *fn, void *ctx)
{
    char *names = names_of(f, e);

    if (object.n > 0 && e->names_n > 0 && memmem(names, e->names_n, object.p, object.n) != NULL)
        object.n = 0; /* it is among them */
    if (object.n > 0 && e->names_n + object.n > JR_FOLD_NAMES_BYTES) {
        if (e->reports + 1 < JR_FOLD_LINES_MAX) /* one is left for the end of the period */
            report_fold(f, e, fn, ctx);
        else
            object.n = 0;
    }
    if (e->folded++ == 0)
        f->pending++;
    if (object.n == 0)
        return;
    if (e->names_n > 0) /* the blank behind the last one is that before this one */
        object = jr_str_from(object, 1);
    memcpy(names + e->names_n, object.p, object.n);
    e->names_n += object.n;
}

bool jr_folds_admit(struct jr_folds *f, int64_t now_ns, enum jr_log_level level, const char *msg,
                    const struct jr_kv *kv, size_t n, jr_fold_report_fn *fn, void *ctx)
{
    char object[NAME_MAX_BYTES];
    struct jr_fold *e;

    jr_folds_due(f, now_ns, fn, ctx);
    e = entry(f, level, msg, now_ns, fn, ctx);
    if (now_ns - e->start_ns >= JR_FOLD_PERIOD_NS) {
        e->start_ns = now_ns;
        e->seen = 0;
        e->reports = 0;
    }
    if (e->seen < JR_FOLD_AFTER) {
        e->seen++;
        return true;
    }
    keep_object(f, e, object_of(kv, n, object), fn, ctx);
    return false;
}
