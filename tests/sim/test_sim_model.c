/* SPDX-License-Identifier: Apache-2.0 */
/* The model against hand-made histories, right and wrong: each write is checked as the world checks
 * it, then the whole. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/num.h"
#include "tests/sim/model.h"
#include "tests/sim/model_rows.h"
#include "tests/unit/base/want.h"

#define PODS_MAX 8
#define TEXT_MAX 8192

struct told {
    struct jr_arena arena;
    const struct row *row;
    struct sim_job plan;
    char spec[TEXT_MAX], status[TEXT_MAX];
    bool deleting;
    struct sim_life job, pods[PODS_MAX];
    struct sim_version job_versions[ROW_EVENTS_MAX], pod_versions[PODS_MAX][ROW_EVENTS_MAX];
    const char *names[PODS_MAX];
    char made[PODS_MAX][JR_TIME_MAX]; /* creationTimestamp */
    size_t n_pods;
    struct sim_hand hand; /* of the next version */
    int64_t now;          /* seconds */
    int64_t version;      /* of the store */
    struct jr_buf why;
};

#define BEGIN_S INT64_C(1772366400) /* 2026-03-01T12:00:00Z */

static const char *clock_text(const struct told *t, char out[JR_TIME_MAX])
{
    return jr_time_format(jr_time_s(BEGIN_S + t->now), out);
}

static void add(struct told *t, struct sim_life *life, struct sim_version *versions,
                const char *text)
{
    assert_non_null(text);
    life->versions = versions;
    versions[life->n++] =
        (struct sim_version){ .at_ns = t->now * JR_SEC, .text = jr_str(text), .hand = t->hand };
    t->hand.other = false;
}

/* ---- the Job ---- */

static void add_job(struct told *t)
{
    const char *text = jr_arena_printf(
        &t->arena,
        "{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",\"metadata\":{\"name\":\"j\",\"namespace\":"
        "\"ns\",\"uid\":\"J\",\"resourceVersion\":\"%lld\"%s},\"spec\":{%s%s\"selector\":{"
        "\"matchLabels\":{\"app\":\"j\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"j\"}},"
        "\"spec\":{\"restartPolicy\":\"%s\",\"containers\":[{\"name\":\"c\"}]}}},\"status\":{%s}}",
        (long long)t->version, t->deleting ? ",\"deletionTimestamp\":\"2026-03-01T12:00:30Z\"" : "",
        t->spec, t->spec[0] != '\0' ? "," : "",
        t->row->features >> SIM_FEATURE_ON_FAILURE & 1 ? "OnFailure" : "Never", t->status);

    add(t, &t->job, t->job_versions, text);
    if (t->job.n == 1)
        t->plan.manifest = t->job_versions[0].text;
}

/* ---- Pods ---- */

static size_t pod_named(struct told *t, struct jr_str name)
{
    for (size_t i = 0; i < t->n_pods; i++) {
        if (jr_str_is(name, t->names[i]))
            return i;
    }
    struct jr_str copy = { NULL, 0 };
    assert_true(t->n_pods < PODS_MAX);
    assert_true(jr_arena_str(&t->arena, name, &copy));
    t->names[t->n_pods] = copy.p;
    (void)clock_text(t, t->made[t->n_pods]);
    t->pods[t->n_pods] = (struct sim_life){ .uid = copy, .gone_ns = -1 };
    return t->n_pods++;
}

struct words {
    bool own, other, fin, del, els, lost, bare;
    int64_t index, failures, ignored, exit_code, restarts;
    const char *phase;
};

static bool number(struct jr_str word, const char *key, int64_t *ret)
{
    size_t n = strlen(key);

    return jr_str_starts(word, jr_str(key)) &&
           jr_parse_i64(jr_str_from(word, n), -9, 1000, ret) == JR_OK;
}

static struct words words_of(struct jr_str text)
{
    struct words w = { .index = -1, .failures = -1, .ignored = -1, .exit_code = -1 };
    struct jr_str word;

    while (jr_str_cut(&text, ' ', &word)) {
        w.own = w.own || jr_str_is(word, "own");
        w.other = w.other || jr_str_is(word, "other");
        w.fin = w.fin || jr_str_is(word, "fin");
        w.del = w.del || jr_str_is(word, "del");
        w.els = w.els || jr_str_is(word, "else");
        w.lost = w.lost || jr_str_is(word, "lost");
        w.bare = w.bare || jr_str_is(word, "bare");
        (void)(number(word, "idx=", &w.index) || number(word, "fc=", &w.failures) ||
               number(word, "ic=", &w.ignored) || number(word, "exit=", &w.exit_code) ||
               number(word, "restarts=", &w.restarts));
        for (size_t i = 0; i < 4; i++) {
            static const char *const phases[] = { "Pending", "Running", "Succeeded", "Failed" };

            w.phase = jr_str_is(word, phases[i]) ? phases[i] : w.phase;
        }
    }
    return w;
}

static void write_meta(struct told *t, struct jr_buf *b, const char *name, const struct words *w)
{
    const char *made = t->made[pod_named(t, jr_str(name))];

    (void)jr_buf_addf(b,
                      "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
                      "\"namespace\":\"ns\",\"uid\":\"%s\",\"resourceVersion\":\"%lld\","
                      "\"labels\":{\"app\":\"%s\"",
                      name, name, (long long)t->version, w->els ? "else" : "j");
    if (w->index >= 0)
        (void)jr_buf_addf(b, ",\"batch.kubernetes.io/job-completion-index\":\"%lld\"",
                          (long long)w->index);
    (void)jr_buf_addf(b, "},\"creationTimestamp\":\"%s\"", made);
    (void)jr_buf_adds(b, ",\"annotations\":{\"a\":\"b\"");
    if (w->index >= 0)
        (void)jr_buf_addf(b, ",\"batch.kubernetes.io/job-completion-index\":\"%lld\"",
                          (long long)w->index);
    if (w->failures >= 0)
        (void)jr_buf_addf(b, ",\"batch.kubernetes.io/job-index-failure-count\":\"%lld\"",
                          (long long)w->failures);
    if (w->ignored >= 0)
        (void)jr_buf_addf(b, ",\"batch.kubernetes.io/job-index-ignored-failure-count\":\"%lld\"",
                          (long long)w->ignored);
    (void)jr_buf_adds(b, "}");
    if (w->index >= 0)
        (void)jr_buf_addf(b, ",\"generateName\":\"j-%lld-\"", (long long)w->index);
    if (w->own || w->other)
        (void)jr_buf_addf(b,
                          ",\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\","
                          "\"name\":\"%s\",\"uid\":\"%s\",\"controller\":true,"
                          "\"blockOwnerDeletion\":true}]",
                          w->own ? "j" : "k", w->own ? "J" : "K");
    if (w->fin)
        (void)jr_buf_adds(b, ",\"finalizers\":[\"batch.kubernetes.io/job-tracking\"]");
    if (w->del)
        (void)jr_buf_adds(b, ",\"deletionTimestamp\":\"2026-03-01T12:00:40Z\"");
    (void)jr_buf_adds(b, "}");
}

static void write_pod(struct told *t, struct jr_buf *b, const char *name, const struct words *w)
{
    char at[JR_TIME_MAX];

    write_meta(t, b, name, w);
    (void)jr_buf_adds(b, ",\"spec\":{\"containers\":[{\"name\":\"c\"");
    if (w->index >= 0 && !w->bare)
        (void)jr_buf_addf(b,
                          ",\"env\":[{\"name\":\"JOB_COMPLETION_INDEX\"}]}],"
                          "\"hostname\":\"j-%lld\"}",
                          (long long)w->index);
    else
        (void)jr_buf_adds(b, "}]}");
    (void)jr_buf_addf(b,
                      ",\"status\":{\"phase\":\"%s\",\"containerStatuses\":[{\"name\":\"c\","
                      "\"restartCount\":%lld,\"state\":{",
                      w->phase == NULL ? "Running" : w->phase, (long long)w->restarts);
    if (w->exit_code >= 0)
        (void)jr_buf_addf(b, "\"terminated\":{\"exitCode\":%lld,\"finishedAt\":\"%s\"}",
                          (long long)w->exit_code, clock_text(t, at));
    (void)jr_buf_adds(b, "}}]");
    if (w->lost)
        (void)jr_buf_adds(b, ",\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":"
                             "\"True\"}]");
    (void)jr_buf_adds(b, "}}");
}

static struct sim_life *add_pod(struct told *t, struct jr_str event)
{
    struct jr_str name = { NULL, 0 }, text;
    JR_BUF b = { 0 };

    (void)jr_str_cut(&event, ' ', &name);
    size_t i = pod_named(t, name);
    if (jr_str_is(event, "gone")) {
        t->pods[i].gone_ns = t->now * JR_SEC;
        t->pods[i].gone_by = t->hand;
        return NULL;
    }
    if (jr_str_is(event, "strip")) {
        t->pods[i].stripped = true;
        t->hand.other = true;
        return NULL;
    }
    if (jr_str_is(event, "asked")) {
        t->pods[i].let_go = (uint64_t)t->version;
        return NULL;
    }
    struct words w = words_of(event);
    jr_buf_init(&b, TEXT_MAX);
    write_pod(t, &b, t->names[i], &w);
    assert_int_equal(b.failed, JR_OK);
    assert_true(jr_arena_str(&t->arena, jr_buf_str(&b), &text));
    add(t, &t->pods[i], t->pod_versions[i], text.p);
    return &t->pods[i];
}

/* ---- the telling ---- */

static bool step(struct told *t, const struct sim_life *life)
{
    struct jr_str none = { NULL, 0 };

    return sim_model_step(&t->plan, life->n > 1 ? life->versions[life->n - 2].text : none,
                          life->versions[life->n - 1].text, t->pods, t->n_pods, &t->why);
}

static void set(char to[TEXT_MAX], const char *from)
{
    assert_true(strlen(from) < TEXT_MAX);
    memcpy(to, from, strlen(from) + 1);
}

/* Checks each event as it comes; false: t->why. */
static bool tell(struct told *t, const char *event)
{
    struct sim_life *changed = &t->job;
    int64_t wait = 0;

    if (number(jr_str(event), "wait ", &wait)) {
        t->now += wait;
        return true;
    }
    if (strcmp(event, "all is known") == 0) {
        t->hand = (struct sim_hand){ .pods = (uint64_t)t->version, .jobs = (uint64_t)t->version };
        return true;
    }
    if (strcmp(event, "decommission") == 0) {
        t->hand.decommissioning = true;
        return true;
    }
    t->now++;
    t->version++;
    if (jr_str_starts(jr_str(event), JR_S("spec ")))
        set(t->spec, event + 5);
    else if (jr_str_starts(jr_str(event), JR_S("status ")))
        set(t->status, event + 7);
    else if (strcmp(event, "delete") == 0)
        t->deleting = true;
    else if (strcmp(event, "job gone") == 0)
        changed = NULL;
    else
        return (changed = add_pod(t, jr_str(event))) == NULL || step(t, changed);
    if (changed == NULL) {
        t->job.gone_ns = t->now * JR_SEC;
        return true;
    }
    add_job(t);
    return step(t, &t->job);
}

static bool check(struct told *t)
{
    for (size_t i = 0; i < ROW_EVENTS_MAX && t->row->events[i] != NULL; i++) {
        if (!tell(t, t->row->events[i]))
            return false;
    }
    const struct sim_history h = {
        .plan = &t->plan,
        .job = t->job,
        .pods = t->pods,
        .n_pods = t->n_pods,
        .external = sim_is_external(t->row->features),
        .surplus_max = t->row->surplus_max,
        .ttl = t->row->ttl,
        .undisturbed = t->row->undisturbed,
    };
    return sim_model_agrees(&h, &t->why);
}

static void check_row(const struct row *row)
{
    struct told *t = calloc(1, sizeof(*t));

    assert_non_null(t);
    jr_arena_init(&t->arena, 0);
    jr_buf_init(&t->why, TEXT_MAX);
    t->row = row;
    t->plan = (struct sim_job){ .namespace = "ns", .name = "j", .features = row->features };
    t->job.uid = JR_S("J");
    t->job.gone_ns = -1;
    bool right = check(t);
    const char *why = t->why.p == NULL ? "" : t->why.p;
    if (row->want == NULL && !right)
        fail_msg("%s: %s", row->name, why);
    if (row->want != NULL && right)
        fail_msg("%s: taken for right", row->name);
    if (row->want != NULL && strstr(why, row->want) == NULL)
        fail_msg("%s: \"%s\", wanted \"%s\"", row->name, why, row->want);
    if (right && t->why.n > 0)
        fail_msg("%s: right, and \"%s\"", row->name, why);
    jr_buf_done(&t->why);
    jr_arena_done(&t->arena);
    free(t);
}

static void check_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_row(&rows[i]);
}

static void counting(void **state)
{
    (void)state;
    check_rows(rows_of_counting, n_rows_of_counting);
}

static void status(void **state)
{
    (void)state;
    check_rows(rows_of_status, n_rows_of_status);
}

static void finishing(void **state)
{
    (void)state;
    check_rows(rows_of_finishing, n_rows_of_finishing);
}

static void indexes(void **state)
{
    (void)state;
    check_rows(rows_of_indexes, n_rows_of_indexes);
}

static void delays(void **state)
{
    (void)state;
    check_rows(rows_of_delays, n_rows_of_delays);
}

static void rest(void **state)
{
    (void)state;
    check_rows(rows_of_rest, n_rows_of_rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting), cmocka_unit_test(status), cmocka_unit_test(finishing),
        cmocka_unit_test(indexes),  cmocka_unit_test(rest),   cmocka_unit_test(delays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
