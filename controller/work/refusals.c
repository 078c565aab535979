/* SPDX-License-Identifier: Apache-2.0 */
/* Refused removals: by whom, how often, and whether the Job was told. */
#include "controller/work/refusals.h"

#include <stdio.h>

#include "common/base/memory.h"

#define TOLD_MAX 64 /* Jobs that are remembered; the event recorder has limits of its own */
#define TELL_AGAIN_NS (600 * JR_SEC)
#define NAME_BYTES 254
#define MESSAGE_BYTES ((size_t)4096)

static const struct jr_metric_desc refusals_total = JR_METRIC(
    COUNTER, "jobreeve_pod_finalizer_refusals_total",
    "Removals of a Pod's finalizer that an admission webhook or policy refused, by its name.",
    "webhook", NULL);

struct told {
    char uid[64]; /* "": none */
    struct jr_mono at;
};

struct jr_refusals {
    struct jr_refusals_sink sink;
    struct jr_metrics *metrics;
    char names[JR_REFUSERS_MAX][NAME_BYTES];
    size_t n_names;
    struct told told[TOLD_MAX];
};

struct jr_refusals *jr_refusals_new(const struct jr_refusals_sink *sink, struct jr_metrics *metrics)
{
    struct jr_refusals *f = jr_xcalloc(1, sizeof(*f));

    f->sink = *sink;
    f->metrics = metrics;
    return f;
}

void jr_refusals_free(struct jr_refusals *f)
{
    free(f);
}

/* ---- the API server's words ---- */

static bool is_name(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] <= ' ' || s.p[i] > '~')
            return false;
    }
    return s.n > 0 && s.n < NAME_BYTES;
}

/** What stands between quotes behind the words, if the words are there. */
static struct jr_str quoted_after(struct jr_str message, const char *words, char quote)
{
    const struct jr_str none = { NULL, 0 };
    const char *at = message.n == 0 ? NULL : memmem(message.p, message.n, words, strlen(words));
    struct jr_str rest;
    ptrdiff_t end;

    if (at == NULL)
        return none;
    rest = jr_str_from(message, (size_t)(at - message.p) + strlen(words));
    if (rest.n == 0 || rest.p[0] != quote)
        return none;
    rest = jr_str_from(rest, 1);
    end = rest.n == 0 ? -1 : jr_str_find(rest, quote);
    if (end < 0 || !is_name(jr_str_head(rest, (size_t)end)))
        return none;
    return jr_str_head(rest, (size_t)end);
}

struct jr_str jr_refuser_of(struct jr_str message)
{
    static const struct {
        const char *words;
        char quote;
    } forms[] = {
        { "admission webhook ", '"' },
        { "failed calling webhook ", '"' },
        { "ValidatingAdmissionPolicy ", '\'' },
    };
    struct jr_str first = { NULL, 0 };

    for (size_t i = 0; i < JR_ARRAY_SIZE(forms); i++) {
        const struct jr_str name = quoted_after(message, forms[i].words, forms[i].quote);

        /* What comes later is in the refuser's own words. */
        if (name.p != NULL && (first.p == NULL || name.p < first.p))
            first = name;
    }
    return first;
}

/* ---- counting ---- */

/** The name as the metric has it: anybody may install webhooks without number. */
static const char *bounded_name(struct jr_refusals *f, struct jr_str name)
{
    for (size_t i = 0; i < f->n_names; i++) {
        if (jr_str_is(name, f->names[i]))
            return f->names[i];
    }
    if (f->n_names == JR_REFUSERS_MAX)
        return "other";
    (void)snprintf(f->names[f->n_names], NAME_BYTES, "%.*s", JR_P(name));
    return f->names[f->n_names++];
}

static void count(struct jr_refusals *f, struct jr_str name)
{
    const char *const values[] = { bounded_name(f, name) };

    jr_metrics_add(f->metrics, &refusals_total, values, 1);
}

/* ---- telling ---- */

/** Whether it is time to tell of the Job, which is noted then in the place of the oldest. */
static bool is_due(struct jr_refusals *f, struct jr_str uid, struct jr_mono now)
{
    struct told *oldest = &f->told[0];

    for (size_t i = 0; i < TOLD_MAX; i++) {
        struct told *t = &f->told[i];

        if (jr_str_is(uid, t->uid)) {
            if (now.ns - t->at.ns < TELL_AGAIN_NS)
                return false;
            t->at = now;
            return true;
        }
        if (t->uid[0] == '\0' || (oldest->uid[0] != '\0' && t->at.ns < oldest->at.ns))
            oldest = t;
    }
    (void)snprintf(oldest->uid, sizeof(oldest->uid), "%.*s", JR_P(uid));
    oldest->at = now;
    return true;
}

static void write_event(struct jr_refusals *f, const struct jr_job *job, const struct jr_pod *pod,
                        struct jr_str name, size_t others, struct jr_str message)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, MESSAGE_BYTES);
    (void)jr_buf_addf(&text, "%.*s refuses the removal of the finalizer of Pod %.*s", JR_P(name),
                      JR_P(pod->name));
    if (others > 0)
        (void)jr_buf_addf(&text, " and of %zu more", others);
    (void)jr_buf_addf(&text, ", so that the Job can't end: %.*s",
                      JR_P(jr_str_head(message, message.n < 1024 ? message.n : 1024)));
    if (text.failed == JR_OK)
        f->sink.event(f->sink.ctx, job, "Warning", JR_REFUSAL_REASON, jr_buf_str(&text));
}

void jr_refusals_note(struct jr_refusals *f, const struct jr_stage *stage,
                      const struct jr_results *results, const struct jr_job *job,
                      struct jr_mono now)
{
    struct jr_str first = { NULL, 0 };
    size_t n = 0, at = 0;

    for (size_t i = 0; f != NULL && i < results->n; i++) {
        const struct jr_op_result *r = &results->v[i];
        struct jr_str name = { NULL, 0 };

        if (stage->ops[i].kind == JR_OP_UNFINALIZE_POD && r->outcome == JR_OP_REFUSED &&
            r->http >= 400)
            name = jr_refuser_of(r->message);
        if (name.p == NULL)
            continue;
        count(f, name);
        if (n++ == 0) {
            first = name;
            at = i;
        }
    }
    if (n > 0 && job != NULL && is_due(f, job->meta.uid, now))
        write_event(f, job, stage->ops[at].pod, first, n - 1, results->v[at].message);
}
