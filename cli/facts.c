/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the facts of a Job, as text and as JSON. */
#include "cli/facts.h"

#include <float.h>

#include "common/base/memory.h"
#include "common/base/show.h"
#include "common/job/cron_facts.h"
#include "common/json/write.h"
#include "common/policy/cron_job.h"

#define WORDS_MAX ((size_t)64 << 10)

/** One object on its way. */
struct subject {
    const struct jr_checked *o;
    struct jr_job_facts facts;
    struct jr_strs resources; /* that its Pods ask for */
    struct jr_arena *arena;
    unsigned unbounded; /* enum jr_unbounded, of all */
    bool of_cron_job;
    struct jr_cron_facts cron; /* of the CronJob that would make it */
};

/** A fact that is a number, by its name in CEL. */
struct number {
    const char *name;
    size_t offset; /* in struct jr_job_facts */
    bool seconds;
};
static const struct number pods_ever = { "podsEver", offsetof(struct jr_job_facts, pods_ever),
                                         false };
static const struct number pods_at_once = { "podsAtOnce",
                                            offsetof(struct jr_job_facts, pods_at_once), false };
static const struct number pods_held = { "podsHeld", offsetof(struct jr_job_facts, pods_held),
                                         false };
static const struct number runtime = { "runtime", offsetof(struct jr_job_facts, runtime_s), true };

static const struct jr_fact *fact_of(const struct subject *s, const struct number *n)
{
    return (const struct jr_fact *)((const char *)&s->facts + n->offset);
}

/** A fact of each resource. */
struct amounts {
    const char *name;
    enum jr_status (*get)(struct jr_job_facts *f, struct jr_str resource, struct jr_arena *a,
                          struct jr_resource_fact *ret);
    bool hours;
};
static const struct amounts requests_at_once = { "requestsAtOnce", jr_job_requests_at_once, false };
static const struct amounts resource_hours = { "resourceHours", jr_job_resource_seconds, true };

static struct jr_resource_fact amount_of(struct subject *s, const struct amounts *a, size_t i)
{
    struct jr_resource_fact fact;

    jr_must(a->get(&s->facts, s->resources.v[i], s->arena, &fact));
    s->unbounded |= fact.reasons;
    return fact;
}

static void add_amount(const struct jr_resource_fact *fact, bool hours, struct jr_buf *out)
{
    if (hours)
        jr_hours_write(&fact->v, out);
    else
        (void)jr_need(jr_quantity_write(&fact->v, out));
}

/* ---- text ---- */

/** name NULL: the line before goes on. */
static void begin_line(const char *name, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "  %-17s", name == NULL ? "" : name);
}

/** "BOUND (WORDS)", or "unbounded: WORDS". */
static void add_bound(const struct jr_buf *bound, bool bounded, const struct jr_buf *words,
                      struct jr_buf *out)
{
    (void)jr_buf_add(out, bounded ? jr_buf_str(bound) : JR_S("unbounded"));
    (void)jr_buf_adds(out, bounded ? " (" : ": ");
    jr_show(jr_buf_str(words), out);
    (void)jr_buf_adds(out, bounded ? ")\n" : "\n");
}

static void text_number(const struct subject *s, const struct number *n, struct jr_buf *out)
{
    const struct jr_fact *fact = fact_of(s, n);
    JR_BUF bound = { 0 }, words = { 0 };

    jr_buf_init(&bound, WORDS_MAX);
    jr_buf_init(&words, WORDS_MAX);
    if (n->seconds)
        jr_seconds_write(fact->v, &bound);
    else
        (void)jr_buf_add_i64(&bound, fact->v);
    jr_fact_explain(&s->facts, fact, &words);
    begin_line(n->name, out);
    add_bound(&bound, fact->reasons == 0, &words, out);
}

static void text_amounts(struct subject *s, const struct amounts *a, struct jr_buf *out)
{
    if (s->resources.n == 0) {
        begin_line(a->name, out);
        (void)jr_buf_adds(out, "none (the Pods request nothing)\n");
    }
    for (size_t i = 0; i < s->resources.n; i++) {
        const struct jr_resource_fact fact = amount_of(s, a, i);
        JR_BUF bound = { 0 }, words = { 0 };

        jr_buf_init(&bound, WORDS_MAX);
        jr_buf_init(&words, WORDS_MAX);
        add_amount(&fact, a->hours, &bound);
        jr_resource_fact_explain(&s->facts, &fact, &words);
        begin_line(i == 0 ? a->name : NULL, out);
        jr_show(s->resources.v[i], out);
        (void)jr_buf_addc(out, ' ');
        add_bound(&bound, fact.reasons == 0, &words, out);
    }
}

static void text_option(const char *name, struct jr_opt_i32 v, struct jr_buf *out)
{
    begin_line(name, out);
    if (v.set)
        (void)jr_buf_addf(out, "%d\n", v.v);
    else
        (void)jr_buf_adds(out, "not set\n");
}

static struct jr_str name_of(const struct jr_checked *o)
{
    return o->name.n > 0 ? o->name : o->generate_name;
}

/** Appends the facts of a CronJob itself. */
static void text_cron_job(const struct subject *s, struct jr_buf *out)
{
    begin_line("jobsPerDay", out);
    jr_cron_jobs_per_day_write(&s->cron, out);
    (void)jr_buf_addc(out, '\n');
    begin_line("shortestInterval", out);
    if (s->cron.schedule.shortest_s == INT64_MAX)
        (void)jr_buf_adds(out, "none: it never starts twice");
    else
        jr_cron_shortest_write(&s->cron, out);
    (void)jr_buf_addc(out, '\n');
    begin_line("jobsAtOnce", out);
    jr_cron_jobs_at_once_write(&s->cron, &s->facts, out);
    (void)jr_buf_addc(out, '\n');
}

static void write_text(struct subject *s, struct jr_buf *out)
{
    const struct jr_checked *o = s->o;

    jr_show(o->file, out);
    (void)jr_buf_addf(out, ":%u: ", o->line);
    jr_show(o->kind, out);
    (void)jr_buf_addc(out, ' ');
    jr_show(o->namespace, out);
    (void)jr_buf_addc(out, '/');
    jr_show(name_of(o), out);
    (void)jr_buf_addc(out, '\n');
    text_number(s, &pods_ever, out);
    text_number(s, &pods_at_once, out);
    text_number(s, &pods_held, out);
    text_amounts(s, &requests_at_once, out);
    text_number(s, &runtime, out);
    text_amounts(s, &resource_hours, out);
    begin_line("kind", out);
    (void)jr_buf_addf(out, "%s\n", jr_job_kind_text(s->facts.kind));
    text_option("retriesPerIndex", s->facts.retries_per_index, out);
    text_option("failedIndexes", s->facts.failed_indexes, out);
    if (s->of_cron_job)
        text_cron_job(s, out);
}

/* ---- JSON ---- */

static void json_number(const struct subject *s, const struct number *n, struct jr_writer *w)
{
    const struct jr_fact *fact = fact_of(s, n);

    jr_w_key(w, n->name);
    if (fact->reasons == 0)
        jr_w_i64(w, fact->v);
    else
        jr_w_null(w);
}

static void json_amount(const struct jr_resource_fact *fact, bool hours, struct jr_writer *w)
{
    /* JSON has no infinity. */
    const bool too_many = hours && jr_quantity_double(&fact->v) > DBL_MAX;
    JR_BUF text = { 0 };

    jr_buf_init(&text, WORDS_MAX);
    if (fact->reasons != 0 || too_many) {
        jr_w_null(w);
    } else {
        add_amount(fact, hours, &text);
        (hours ? jr_w_raw : jr_w_str)(w, jr_buf_str(&text));
    }
}

static void json_amounts(struct subject *s, const struct amounts *a, struct jr_writer *w)
{
    jr_w_kobject(w, a->name);
    for (size_t i = 0; i < s->resources.n; i++) {
        const struct jr_resource_fact fact = amount_of(s, a, i);

        jr_w_keyn(w, s->resources.v[i]);
        json_amount(&fact, a->hours, w);
    }
    jr_w_object_end(w);
}

static void json_option(const char *name, struct jr_opt_i32 v, struct jr_writer *w)
{
    jr_w_key(w, name);
    if (v.set)
        jr_w_i64(w, v.v);
    else
        jr_w_null(w);
}

static void json_words(const struct subject *s, const struct number *n, struct jr_writer *w)
{
    JR_BUF words = { 0 };

    jr_buf_init(&words, WORDS_MAX);
    jr_fact_explain(&s->facts, fact_of(s, n), &words);
    jr_w_kstr(w, n->name, jr_buf_str(&words));
}

static void json_resource_words(struct subject *s, const struct amounts *a, struct jr_writer *w)
{
    jr_w_kobject(w, a->name);
    for (size_t i = 0; i < s->resources.n; i++) {
        const struct jr_resource_fact fact = amount_of(s, a, i);
        JR_BUF words = { 0 };

        jr_buf_init(&words, WORDS_MAX);
        jr_resource_fact_explain(&s->facts, &fact, &words);
        jr_w_keyn(w, s->resources.v[i]);
        jr_w_str(w, jr_buf_str(&words));
    }
    jr_w_object_end(w);
}

static void json_unbounded(const struct subject *s, struct jr_writer *w)
{
    jr_w_karray(w, "unbounded");
    for (unsigned bit = 1; bit < 1u << JR_UNBOUNDED_MAX; bit <<= 1) {
        JR_BUF words = { 0 };

        if ((s->unbounded & bit) == 0)
            continue;
        jr_buf_init(&words, WORDS_MAX);
        jr_unbounded_explain(&s->facts, (enum jr_unbounded)bit, &words);
        jr_w_str(w, jr_buf_str(&words));
    }
    jr_w_array_end(w);
}

static void json_bound(const char *name, int64_t v, struct jr_writer *w)
{
    jr_w_key(w, name);
    if (v < INT64_MAX)
        jr_w_i64(w, v);
    else
        jr_w_null(w);
}

/** Writes the facts of a CronJob itself; seconds of the interval. */
static void json_cron_job(const struct subject *s, struct jr_writer *w)
{
    jr_w_kobject(w, "cronJob");
    json_bound("jobsPerDay", s->cron.schedule.starts_per_day, w);
    json_bound("shortestInterval", s->cron.schedule.shortest_s, w);
    json_bound("jobsAtOnce", jr_cron_jobs_at_once(&s->cron, &s->facts), w);
    jr_w_object_end(w);
}

static void json_place(const struct jr_checked *o, struct jr_writer *w)
{
    jr_w_kstr(w, "file", o->file);
    jr_w_ki64(w, "document", (int64_t)o->document);
    jr_w_opt_kstr(w, "path", o->path);
    jr_w_ki64(w, "line", o->line);
    jr_w_ki64(w, "column", o->column);
    jr_w_kstr(w, "apiVersion", o->api_version);
    jr_w_kstr(w, "kind", o->kind);
    jr_w_kstr(w, "namespace", o->namespace);
    jr_w_kstr(w, "name", o->name);
    jr_w_opt_kstr(w, "generateName", o->generate_name);
}

static void write_json(struct subject *s, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    json_place(s->o, &w);
    jr_w_kobject(&w, "facts");
    json_number(s, &pods_ever, &w);
    json_number(s, &pods_at_once, &w);
    json_number(s, &pods_held, &w);
    json_amounts(s, &requests_at_once, &w);
    json_number(s, &runtime, &w);
    json_amounts(s, &resource_hours, &w);
    jr_w_kstr(&w, "kind", jr_str(jr_job_kind_text(s->facts.kind)));
    json_option("retriesPerIndex", s->facts.retries_per_index, &w);
    json_option("failedIndexes", s->facts.failed_indexes, &w);
    jr_w_object_end(&w);
    jr_w_kobject(&w, "words");
    json_words(s, &pods_ever, &w);
    json_words(s, &pods_at_once, &w);
    json_words(s, &pods_held, &w);
    json_resource_words(s, &requests_at_once, &w);
    json_words(s, &runtime, &w);
    json_resource_words(s, &resource_hours, &w);
    jr_w_object_end(&w);
    json_unbounded(s, &w);
    if (s->of_cron_job)
        json_cron_job(s, &w);
    jr_w_object_end(&w);
}

/* ---- an object ---- */

/** cron_job: that would make the Job; NULL: none. */
static void write_one(struct jr_facts_output *f, const struct jr_checked *o,
                      const struct jr_node *job, const struct jr_node *cron_job)
{
    const struct jr_facts_options options = { JR_S(JR_CLI_CONTROLLER), f->trusted, false };
    JR_OBJECT_OPEN object = { .root = NULL };
    JR_ARENA arena = { 0 };
    struct subject s = { .o = o, .arena = &arena };

    /* It was decoded before. */
    jr_must(jr_object_open(&jr_schema_job, job, 0, &object, NULL));
    jr_must(jr_job_facts_init(&s.facts, &object.job->spec, jr_path(job, "spec.template.spec"),
                              &options, &arena));
    jr_must(jr_job_resources(&s.facts, &arena, &s.resources));
    s.unbounded = s.facts.unbounded;
    s.of_cron_job = cron_job != NULL && jr_cron_facts_init(&s.cron, jr_get(cron_job, "spec"));
    if (f->format == JR_FACTS_TEXT) {
        (void)jr_buf_adds(f->out, f->n > 0 ? "\n" : "");
        write_text(&s, f->out);
    } else {
        (void)jr_buf_adds(f->out, f->n > 0 ? ",\n " : "[");
        write_json(&s, f->out);
    }
    f->n++;
}

void jr_facts_take(void *ctx, const struct jr_checked *o, const struct jr_admission_request *r)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *made = NULL;
    struct jr_facts_output *f = ctx;

    if (r->kind == &jr_admission_job) {
        write_one(f, o, r->object, NULL);
        return;
    }
    jr_must(jr_policy_job_of_cron_job(r->object, r->profile, &made));
    write_one(f, o, jr_doc_root(made), r->object);
}

void jr_facts_end(struct jr_facts_output *f)
{
    if (f->format == JR_FACTS_JSON)
        (void)jr_buf_adds(f->out, f->n > 0 ? "]\n" : "[]\n");
    (void)jr_need(f->out->failed);
}
