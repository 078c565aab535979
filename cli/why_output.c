/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnoses as text and as JSON. */
#include "cli/why_output.h"

#include "common/base/show.h"
#include "common/job/facts.h"
#include "common/json/write.h"

#define FORMAT_VERSION 1
#define CAUSES_SHOWN 5

/* ---- text ---- */

static const char *verdict_words(const struct jr_diagnosis *d)
{
    switch (d->verdict) {
    case JR_VERDICT_MOVES:
        return "It goes on by itself";
    case JR_VERDICT_HAND:
        return "Somebody has to act";
    case JR_VERDICT_NEVER:
        return "It can't succeed any more";
    case JR_VERDICT_OVER:
        return "It has ended";
    case JR_VERDICT_UNKNOWN:
        break;
    }
    return "It isn't clear";
}

static void add_moment(struct jr_time t, struct jr_time now, struct jr_buf *out)
{
    char text[JR_TIME_MAX];
    const int64_t s = jr_time_diff(t, now) / JR_SEC;

    (void)jr_buf_addf(out, "%s (%s", jr_time_format(t, text), s > 0 ? "in " : "");
    jr_seconds_write(s > 0 ? s : -s, out);
    (void)jr_buf_adds(out, s > 0 ? ")" : " ago)");
}

static void add_cause_text(const struct jr_diagnosis *d, const struct jr_held *c,
                           struct jr_buf *out)
{
    (void)jr_buf_adds(out, "  ");
    if (c->pods > 0)
        (void)jr_buf_addf(out, "%zu %s: ", c->pods, c->pods == 1 ? "Pod" : "Pods");
    jr_show(c->text, out);
    if (c->text.n > 0 && c->text.p[c->text.n - 1] != '.')
        (void)jr_buf_addc(out, '.');
    if (jr_time_set(c->since) && jr_time_cmp(c->since, d->now) <= 0) {
        (void)jr_buf_adds(out, " Since ");
        add_moment(c->since, d->now, out);
        (void)jr_buf_addc(out, '.');
    }
    (void)jr_buf_addc(out, '\n');
}

void jr_why_text(const struct jr_diagnosis *d, struct jr_buf *out)
{
    const size_t shown = d->n_causes < CAUSES_SHOWN ? d->n_causes : CAUSES_SHOWN;

    (void)jr_buf_addf(out, "%s (%s", verdict_words(d), jr_verdict_name(d->verdict));
    if (!jr_str_is(d->who, "nobody")) {
        (void)jr_buf_adds(out, "; whose move: ");
        jr_show(d->who, out);
    }
    (void)jr_buf_adds(out, ").\n");
    for (size_t i = 0; i < shown; i++)
        add_cause_text(d, &d->causes[i], out);
    if (d->n_causes > shown)
        (void)jr_buf_addf(out, "  and %zu more causes: -o json has them\n", d->n_causes - shown);
    if (jr_time_set(d->when)) {
        (void)jr_buf_adds(out, "when: ");
        add_moment(d->when, d->now, out);
        (void)jr_buf_addf(out, ": %s\n", d->when_is);
    }
    for (size_t i = 0; i < d->n_unseen && i < 3; i++) {
        (void)jr_buf_adds(out, "not seen: ");
        jr_show(d->unseen[i].kind, out);
        (void)jr_buf_adds(out, ", so not known: ");
        jr_show(d->unseen[i].why, out);
        (void)jr_buf_addc(out, '\n');
    }
    if (d->n_next > 0) {
        (void)jr_buf_adds(out, "next: ");
        jr_show(d->next[0].command, out);
        (void)jr_buf_addc(out, '\n');
    }
}

/* ---- JSON ---- */

static void add_cause_json(struct jr_writer *w, const struct jr_held *c)
{
    jr_w_object(w);
    jr_w_kstr(w, "id", jr_str(c->id));
    jr_w_kstr(w, "text", c->text);
    jr_w_ki64(w, "pods", (int64_t)c->pods);
    jr_w_opt_ktime(w, "since", c->since);
    jr_w_karray(w, "evidence");
    for (size_t i = 0; i < c->n_evidence; i++)
        jr_w_str(w, c->evidence[i]);
    jr_w_array_end(w);
    jr_w_object_end(w);
}

static void add_next_json(struct jr_writer *w, const struct jr_suggestion *s)
{
    jr_w_object(w);
    jr_w_kstr(w, "command", s->command);
    jr_w_kstr(w, "grade", jr_str(jr_next_grade_name(s->grade)));
    jr_w_opt_kstr(w, "loses", s->loses);
    jr_w_object_end(w);
}

static void add_unseen_json(struct jr_writer *w, const struct jr_unseen *u)
{
    jr_w_object(w);
    jr_w_kstr(w, "kind", u->kind);
    jr_w_kstr(w, "leavesOpen", u->why);
    jr_w_object_end(w);
}

void jr_why_json(const struct jr_diagnosis *d, struct jr_buf *out)
{
    JR_BUF text = { 0 };
    struct jr_writer w = jr_writer_on(&text);

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_w_object(&w);
    jr_w_ki64(&w, "version", FORMAT_VERSION);
    jr_w_kobject(&w, "object");
    jr_w_kstr(&w, "kind", d->kind);
    jr_w_kstr(&w, "namespace", d->namespace);
    jr_w_kstr(&w, "name", d->name);
    jr_w_object_end(&w);
    jr_w_opt_ktime(&w, "now", d->now);
    jr_w_kstr(&w, "verdict", jr_str(jr_verdict_name(d->verdict)));
    jr_w_kstr(&w, "who", d->who);
    jr_w_key(&w, "when");
    jr_w_time(&w, d->when);
    jr_w_opt_kstr(&w, "whenIs", jr_time_set(d->when) ? jr_str(d->when_is) : JR_S(""));
    jr_w_karray(&w, "causes");
    for (size_t i = 0; i < d->n_causes; i++)
        add_cause_json(&w, &d->causes[i]);
    jr_w_array_end(&w);
    jr_w_karray(&w, "unseen");
    for (size_t i = 0; i < d->n_unseen; i++)
        add_unseen_json(&w, &d->unseen[i]);
    jr_w_array_end(&w);
    jr_w_karray(&w, "next");
    for (size_t i = 0; i < d->n_next; i++)
        add_next_json(&w, &d->next[i]);
    jr_w_array_end(&w);
    jr_w_object_end(&w);
    out->failed = out->failed != JR_OK ? out->failed : text.failed;
    jr_show_json(jr_buf_str(&text), out);
    (void)jr_buf_addc(out, '\n');
}
