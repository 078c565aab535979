/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs from text, and looking into them. */
#include "common/api/job.h"

#include "common/schema/copy.h"
#include "common/schema/decode.h"

/* ---- the source text without metadata.managedFields, and needless escapes ---- */

struct strip {
    struct jr_reader reader;
    char *out; /* as large as the text */
    size_t n;
    size_t done; /* bytes of the source that are dealt with */
};

static void strip_put(struct strip *s, const char *p, size_t n)
{
    memcpy(s->out + s->n, p, n);
    s->n += n;
}

/* Copies the escape at p, of at most n bytes, or what it stands for; the bytes that it takes. API
 * servers escape five characters that need it only in HTML, six bytes for one: an object that etcd
 * takes would come back as more than the 3 MiB that they read (spec.template with a million "<").
 */
static size_t strip_escape(struct strip *s, const char *p, size_t n)
{
    static const struct {
        const char *escape, *text;
    } needless[] = {
        { "\\u003c", "<" },
        { "\\u003e", ">" },
        { "\\u0026", "&" },
        { "\\u2028", "\xe2\x80\xa8" },
        { "\\u2029", "\xe2\x80\xa9" },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(needless); i++) {
        if (jr_str_starts((struct jr_str){ p, n }, jr_str(needless[i].escape))) {
            strip_put(s, needless[i].text, strlen(needless[i].text));
            return strlen(needless[i].escape);
        }
    }
    n = n < 2 ? n : 2; /* so that a backslash that is escaped begins nothing */
    strip_put(s, p, n);
    return n;
}

static void strip_copy(struct strip *s, size_t from, size_t to)
{
    const char *p = s->reader.text.p + from, *end = s->reader.text.p + to;

    while (p < end) {
        const char *escape = memchr(p, '\\', (size_t)(end - p));
        const size_t run = (size_t)((escape == NULL ? end : escape) - p);

        strip_put(s, p, run);
        p += run;
        if (escape != NULL)
            p += strip_escape(s, p, (size_t)(end - p));
    }
}

/** Behind the '{' of the metadata: copies its members, joined anew, less managedFields. */
static enum jr_status strip_metadata(struct strip *s, struct jr_error *err)
{
    bool first = true;

    strip_copy(s, s->done, s->reader.at);
    for (;;) {
        struct jr_tok key;
        struct jr_str value;
        enum jr_status st = jr_reader_next(&s->reader, &key, err);

        if (st != JR_OK)
            return st;
        if (key.kind == JR_TOK_OBJECT_END) {
            s->done = key.at;
            return JR_OK;
        }
        st = jr_reader_skip(&s->reader, &value, err);
        if (st != JR_OK)
            return st;
        if (jr_str_is(key.raw, "managedFields"))
            continue;
        if (!first)
            s->out[s->n++] = ',';
        first = false;
        strip_copy(s, key.at, (size_t)(value.p - s->reader.text.p) + value.n);
    }
}

static enum jr_status strip_object(struct strip *s, struct jr_error *err)
{
    struct jr_tok tok;
    enum jr_status st = jr_reader_next(&s->reader, &tok, err);

    if (st != JR_OK)
        return st;
    if (tok.kind != JR_TOK_OBJECT)
        return jr_fail(err, JR_TYPE, NULL, "expected an object");
    for (;;) {
        struct jr_reader ahead;
        struct jr_tok key;

        st = jr_reader_next(&s->reader, &key, err);
        if (st != JR_OK || key.kind == JR_TOK_OBJECT_END)
            return st;
        ahead = s->reader;
        if (jr_str_is(key.raw, "metadata") && jr_reader_next(&ahead, &tok, NULL) == JR_OK &&
            tok.kind == JR_TOK_OBJECT) {
            s->reader = ahead;
            st = strip_metadata(s, err);
        } else {
            st = jr_reader_skip(&s->reader, NULL, err);
        }
        if (st != JR_OK)
            return st;
    }
}

/** Copies text, less managedFields and needless escapes. *ret lies in *ret_copy, which is the
 * caller's to free. */
static enum jr_status strip(struct jr_str text, char **ret_copy, struct jr_str *ret,
                            struct jr_error *err)
{
    struct strip s = { .out = malloc(text.n + 1) };
    struct jr_tok end;
    enum jr_status st;

    *ret_copy = s.out;
    if (s.out == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "Job of %zu bytes", text.n);
    jr_reader_init(&s.reader, text, 0);
    s.reader.lenient = true;
    st = strip_object(&s, err);
    if (st == JR_OK)
        st = jr_reader_next(&s.reader, &end, err); /* nothing may follow */
    if (st != JR_OK)
        return st;
    strip_copy(&s, s.done, text.n);
    *ret = (struct jr_str){ s.out, s.n };
    return JR_OK;
}

/* ---- the object ---- */

/** The Job, in one piece of memory of its exact size with its text: a Job is cached for hours, and
 * what it takes too much it takes all the time. from: decoded from raw, with `parts` bytes of an
 * arena. */
static enum jr_status keep_job(struct jr_str raw, const struct jr_job *from, size_t parts,
                               struct jr_job **ret, struct jr_error *err)
{
    JR_ARENA arena = { 0 };
    struct jr_schema_copy copy = { .arena = &arena, .from = raw };
    struct jr_job *job;

    /* the text's NUL, and the way to the first part's alignment */
    jr_arena_init_kept(&arena, 0, sizeof(*job) + raw.n + _Alignof(max_align_t) + parts);
    job = jr_arena_alloc(&arena, sizeof(*job));
    if (job == NULL || !jr_arena_str(&arena, raw, &copy.to) ||
        jr_schema_deep_copy(&copy, &jr_schema_job, from, job) != JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "Job of %zu bytes", raw.n);
    job->raw = copy.to;
    job->refs = 1;
    job->arena = arena; /* the Job lies in its own arena */
    arena = (struct jr_arena){ 0 };
    *ret = job;
    return JR_OK;
}

enum jr_status jr_job_decode(struct jr_str text, struct jr_job **ret, struct jr_error *err)
{
    JR_ARENA arena = { 0 };
    JR_FREE char *copy = NULL;
    struct jr_job passing = { .refs = 0 };
    struct jr_str raw;
    enum jr_status st = strip(text, &copy, &raw, err);

    if (st == JR_OK)
        st = jr_decode_lenient(raw, &arena, false, jr_schema_decode, &jr_schema_job, &passing, err);
    return st == JR_OK ? keep_job(raw, &passing, arena.used, ret, err) : st;
}

bool jr_job_has_long_selector(const struct jr_job *job)
{
    return jr_selector_length(&job->spec.selector) > 8;
}

enum jr_status jr_job_slim(const struct jr_job *job, bool unused, struct jr_job **ret)
{
    JR_ARENA parts = { 0 };
    const struct jr_schema_copy measure = { .arena = &parts };
    struct jr_job less = *job, measured;

    less.template_dropped = true;
    less.meta.generate_name = (struct jr_str){ NULL, 0 };
    less.meta.labels = less.meta.annotations = (struct jr_labels){ NULL, 0 };
    less.meta.owner_refs = (struct jr_owner_refs){ NULL, 0 };
    less.meta.finalizers = (struct jr_strs){ NULL, 0 };
    less.spec.template = (struct jr_pod_template){
        .restart_policy = job->spec.template.restart_policy,
        .scheduling_group = job->spec.template.scheduling_group,
    };
    less.spec.selector.validity = JR_SELECTOR_UNKNOWN; /* its plan lies in the Job's arena */
    less.spec.selector.plan = NULL;
    less.policies_dropped |= unused;
    if (unused) {
        less.spec.pod_failure_policy = (struct jr_failure_policy){ .set = false };
        less.spec.success_policy = (struct jr_success_policy){ .set = false };
        less.selector_dropped |=
            jr_selector_length(&job->spec.selector) > 1; /* a generated one has 1 */
    }
    if (less.selector_dropped)
        less.spec.selector = (struct jr_selector){ .set = false };
    if (jr_schema_deep_copy(&measure, &jr_schema_job, &less, &measured) != JR_OK)
        return JR_NOMEM;
    return keep_job((struct jr_str){ NULL, 0 }, &less, parts.used, ret, NULL);
}

struct jr_job *jr_job_ref(const struct jr_job *job)
{
    struct jr_job *mine = (struct jr_job *)(uintptr_t)job; /* only the count changes */

    if (mine != NULL)
        mine->refs++;
    return mine;
}

void jr_job_unref(struct jr_job *job)
{
    struct jr_arena arena;

    if (job == NULL || --job->refs > 0)
        return;
    arena = job->arena;
    jr_arena_done(&arena);
}

const struct jr_job_condition *jr_job_condition_get(const struct jr_job_conditions *c,
                                                    const char *type)
{
    for (size_t i = 0; i < c->n; i++) {
        if (jr_str_is(c->v[i].type, type))
            return &c->v[i];
    }
    return NULL;
}

bool jr_job_condition_true(const struct jr_job_conditions *c, const char *type)
{
    for (size_t i = 0; i < c->n; i++) {
        if (jr_str_is(c->v[i].type, type) && jr_str_is(c->v[i].status, "True"))
            return true;
    }
    return false;
}

bool jr_job_finished(const struct jr_job_status *st)
{
    return jr_job_condition_true(&st->conditions, "Complete") ||
           jr_job_condition_true(&st->conditions, "Failed");
}
