/* SPDX-License-Identifier: Apache-2.0 */
/* Findings, their texts and commands, and events that are looked up for them. */
#include <stdarg.h>

#include "common/base/utf8.h"
#include "common/diagnose/internal.h"
#include "common/job/facts.h"

/* The end of a long message has its cause, the beginning its subject. */
#define QUOTE_MAX 300
#define QUOTE_HEAD 130

/* ---- texts ---- */

struct jr_str jr_text(struct question *q, const char *fmt, ...)
{
    struct jr_str s;
    va_list ap;

    va_start(ap, fmt);
    s = jr_xarena_vtext(q->arena, fmt, ap);
    va_end(ap);
    return s;
}

struct jr_str jr_seconds(struct question *q, int64_t s)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, JR_BUF_BY_INPUT);
    jr_seconds_write(s < 0 ? 0 : s, &out);
    jr_must(out.failed);
    return jr_xarena_str(q->arena, jr_buf_str(&out));
}

struct jr_str jr_ago(struct question *q, struct jr_time t)
{
    return jr_seconds(q, jr_time_diff(q->now, t) / JR_SEC);
}

struct jr_str jr_moment(struct question *q, struct jr_time t)
{
    char at[JR_TIME_MAX], now[JR_TIME_MAX];
    const int64_t left = jr_time_diff(t, q->now) / JR_SEC;
    struct jr_str words = { NULL, 0 };

    (void)jr_time_format(t, at);
    (void)jr_time_format(q->now, now);
    words = strncmp(at, now, 10) == 0 && strlen(at) > 11 ? jr_str(at + 11) : jr_str(at);
    if (left > 0)
        return jr_text(q, "%.*s (in %.*s)", JR_P(words), JR_P(jr_seconds(q, left)));
    return jr_xarena_str(q->arena, words);
}

struct jr_str jr_pods(struct question *q, size_t n)
{
    return jr_text(q, "%zu %s", n, n == 1 ? "Pod" : "Pods");
}

struct jr_str jr_quote(struct question *q, struct jr_str s)
{
    struct jr_str all = jr_str_trim(s), out = { NULL, 0 };
    char *p;

    if (all.n > QUOTE_MAX) {
        const size_t tail = jr_utf8_head(all, all.n - (QUOTE_MAX - QUOTE_HEAD)).n;

        all = jr_text(q, "%.*s ... %.*s", JR_P(jr_utf8_head(all, QUOTE_HEAD)),
                      JR_P(jr_str_from(all, tail)));
    }
    out.p = p = jr_xarena_calloc(q->arena, all.n + 1, 1);
    for (size_t i = 0; i < all.n; i++) {
        const bool blank =
            all.p[i] == '\n' || all.p[i] == '\t' || all.p[i] == '\r' || all.p[i] == ' ';

        if (!blank)
            p[out.n++] = all.p[i];
        else if (out.n > 0 && p[out.n - 1] != ' ')
            p[out.n++] = ' ';
    }
    if (out.n > 0 && p[out.n - 1] == '.')
        out.n--; /* the sentence around it has its own */
    return out;
}

bool jr_says(struct jr_str s, const char *words)
{
    return s.n > 0 && memmem(s.p, s.n, words, strlen(words)) != NULL;
}

struct jr_str jr_behind(struct jr_str s, const char *words, const char *stop)
{
    const char *at = s.n == 0 ? NULL : memmem(s.p, s.n, words, strlen(words));
    struct jr_str rest;

    if (at == NULL)
        return (struct jr_str){ NULL, 0 };
    rest = jr_str_from(s, (size_t)(at - s.p) + strlen(words));
    for (size_t i = 0; i < rest.n; i++) {
        if (rest.p[i] != '\0' && strchr(stop, rest.p[i]) != NULL)
            return jr_str_head(rest, i);
    }
    return rest;
}

/* ---- trees ---- */

const struct jr_node *jr_condition_of(const struct jr_node *root, const char *type)
{
    for (const struct jr_node *c = jr_first(jr_path(root, "status.conditions")); c != NULL;
         c = jr_next(c)) {
        if (jr_str_is(jr_get_str(c, "type"), type))
            return c;
    }
    return NULL;
}

struct jr_time jr_time_at(const struct jr_node *node, const char *path)
{
    const struct jr_str s = jr_node_str(jr_path(node, path));
    struct jr_time t = { 0 };

    if (s.n == 0 || jr_time_parse_served(s, &t) != JR_OK)
        t = (struct jr_time){ 0 };
    return t;
}

/* ---- findings ---- */

/** The one that weighs least, of those the last. */
static struct finding *lightest(struct question *q)
{
    struct finding *least = &q->findings[0];

    for (size_t i = 1; i < q->n_findings; i++) {
        if (q->findings[i].verdict <= least->verdict)
            least = &q->findings[i];
    }
    return least;
}

struct finding *jr_find(struct question *q, const char *id, enum jr_verdict verdict, enum actor who,
                        size_t pods, struct jr_str text)
{
    struct finding *f;

    for (size_t i = 0; i < q->n_findings; i++) {
        f = &q->findings[i];
        if (strcmp(f->held.id, id) == 0 && jr_str_eq(f->held.text, text)) {
            f->held.pods += pods;
            f->merged = true;
            return f;
        }
    }
    if (q->n_findings < FINDINGS_MAX) {
        f = &q->findings[q->n_findings++];
    } else {
        f = lightest(q);
        if (f->verdict >= verdict)
            return NULL;
    }
    *f = (struct finding){ .held = { .id = id, .text = text, .pods = pods },
                           .verdict = verdict,
                           .who = who };
    return f;
}

static bool is_plain(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (c != '\0' && strchr("._:/@%+=,-", c) != NULL)))
            return false;
    }
    return s.n == 0 || s.p[0] != '-';
}

struct jr_str jr_word(struct question *q, struct jr_str s)
{
    JR_BUF out = { 0 };

    if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '='))
        q->unsafe = true; /* an option, however it is quoted */
    if (is_plain(s))
        return s;
    jr_buf_init(&out, JR_BUF_BY_INPUT);
    (void)jr_buf_addc(&out, '\'');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\'')
            (void)jr_buf_adds(&out, "'\\''");
        else if (s.p[i] != '\0')
            (void)jr_buf_addc(&out, s.p[i]);
    }
    (void)jr_buf_addc(&out, '\'');
    jr_must(out.failed);
    return jr_xarena_str(q->arena, jr_buf_str(&out));
}

void jr_add_command(struct question *q, struct finding *f, enum jr_next_grade grade,
                    const char *fmt, ...)
{
    struct jr_str command;
    va_list ap;
    const bool unsafe = q->unsafe;

    q->unsafe = false;
    if (f == NULL || f->merged || f->n_next == JR_NEXT_MAX || unsafe)
        return;
    va_start(ap, fmt);
    command = jr_xarena_vtext(q->arena, fmt, ap);
    va_end(ap);
    f->next[f->n_next++] = (struct jr_suggestion){ .command = command, .grade = grade };
}

void jr_evidence_of(struct finding *f, struct jr_str evidence)
{
    if (f != NULL && !f->merged && f->held.n_evidence < JR_CAUSE_EVIDENCE_MAX)
        f->held.evidence[f->held.n_evidence++] = evidence;
}

void jr_since(struct finding *f, struct jr_time t)
{
    if (f != NULL && jr_time_set(t) &&
        (!jr_time_set(f->held.since) || jr_time_cmp(t, f->held.since) < 0))
        f->held.since = t;
}

void jr_unseen(struct question *q, const char *kind, const char *leaves_open)
{
    for (size_t i = 0; i < q->n_unseen; i++) {
        if (jr_str_is(q->unseen[i].kind, kind))
            return;
    }
    if (q->n_unseen < JR_UNSEEN_MAX)
        q->unseen[q->n_unseen++] = (struct jr_unseen){ jr_str(kind), jr_str(leaves_open) };
}

/* ---- events ---- */

const struct jr_event_view *jr_event(const struct question *q, const char *kind,
                                     struct jr_str namespace, struct jr_str name,
                                     const char *reason, const char *words)
{
    const struct jr_event_view *e;
    size_t at = 0;

    while ((e = jr_evidence_each_event(q->ev, kind, namespace, name, false, &at)) != NULL) {
        if ((reason == NULL || jr_str_is(e->reason, reason)) &&
            (words == NULL || jr_says(e->message, words)))
            return e;
    }
    return NULL;
}

const struct jr_event_view *jr_pod_event(const struct question *q, const struct jr_pod_view *pod,
                                         const char *reason, const char *words)
{
    return jr_event(q, "Pod", pod->meta.namespace, pod->meta.name, reason, words);
}

/** Whether `name` is what the Job controller makes of the prefix "x-": five characters, or an index
 * and five. */
static bool is_pod_name(const struct question *q, struct jr_str name, size_t prefix)
{
    const struct jr_str rest = jr_str_from(name, prefix);
    const ptrdiff_t dash = jr_str_find(rest, '-');

    if (dash < 0)
        return rest.n == 5;
    if (!jr_str_is(q->job->spec.completion_mode, "Indexed"))
        return false;
    for (ptrdiff_t i = 0; i < dash; i++) {
        if (rest.p[i] < '0' || rest.p[i] > '9')
            return false;
    }
    return rest.n - (size_t)dash - 1 == 5;
}

const struct jr_event_view *jr_any_pod_event(struct question *q, const char *reason)
{
    const struct jr_meta *m = &q->job->meta;
    const struct jr_str prefix = jr_text(q, "%.*s-", JR_P(m->name));
    const struct jr_event_view *e, *newest = NULL;
    size_t at = 0;

    while ((e = jr_evidence_each_event(q->ev, "Pod", m->namespace, prefix, true, &at)) != NULL) {
        if (jr_str_is(e->reason, reason) && is_pod_name(q, e->name, prefix.n) &&
            (newest == NULL || jr_time_cmp(e->last, newest->last) > 0))
            newest = e;
    }
    return newest;
}

const struct jr_event_view *jr_job_event(const struct question *q, const char *reason,
                                         const char *words)
{
    return jr_event(q, "Job", q->job->meta.namespace, q->job->meta.name, reason, words);
}

/* ---- commands ---- */

void jr_suggest_logs(struct question *q, struct finding *f, const struct jr_pod_view *pod,
                     struct jr_str container, bool previous)
{
    const bool alone = pod->containers.n + pod->init.n <= 1 || container.n == 0;

    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl logs %.*s%s%.*s -n %.*s%s",
                   JR_W(q, pod->meta.name), alone ? "" : " -c ",
                   JR_W(q, alone ? JR_S("") : container), JR_W(q, pod->meta.namespace),
                   previous ? " --previous" : "");
}

void jr_suggest_describe(struct question *q, struct finding *f, const struct jr_pod_view *pod)
{
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe pod %.*s -n %.*s",
                   JR_W(q, pod->meta.name), JR_W(q, pod->meta.namespace));
}

void jr_suggest_pods(struct question *q, struct finding *f)
{
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get pods -l " JR_LABEL_JOB_NAME "=%.*s -n %.*s",
                   JR_W(q, q->job->meta.name), JR_W(q, q->job->meta.namespace));
}

void jr_suggest_job(struct question *q, struct finding *f)
{
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get job %.*s -n %.*s -o yaml",
                   JR_W(q, q->job->meta.name), JR_W(q, q->job->meta.namespace));
}

void jr_suggest_template(struct question *q, struct finding *f)
{
    if (q->owner.kind.n > 0)
        jr_suggest_owner(q, f);
    else
        jr_suggest_job(q, f);
}

const struct jr_node *jr_container_of(const struct question *q, struct jr_str name)
{
    static const char *const lists[] = { "containers", "initContainers" };
    const struct jr_node *spec = jr_path(q->root, "spec.template.spec");

    for (size_t i = 0; i < JR_ARRAY_SIZE(lists); i++) {
        for (const struct jr_node *c = jr_first(jr_get(spec, lists[i])); c != NULL;
             c = jr_next(c)) {
            if (jr_str_eq(jr_get_str(c, "name"), name))
                return c;
        }
    }
    return NULL;
}
