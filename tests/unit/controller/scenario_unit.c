/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of kind unit: single rules, out of upstream's functions. */
#include <stdio.h>

#include "controller/reconcile/gang.h"
#include "controller/reconcile/internal.h"
#include "tests/unit/controller/scenario_diff.h"
#include "tests/unit/controller/scenario_rows.h"

#define TEXT_MAX ((size_t)1 << 20)
#define PODS_MAX 16

/** What a function is given, where its results go, and an arena. */
struct unit {
    const struct jr_node *in;
    struct jr_node *got;
    struct jr_arena *a;
};

static int32_t number(const struct jr_node *n, const char *key, int32_t fallback)
{
    return (int32_t)jr_node_i64_or(jr_get(n, key), fallback);
}

static struct jr_pod *pod_of(const struct jr_node *node)
{
    struct jr_pod *pod = NULL;
    struct jr_error err = { 0 };
    JR_BUF text = { 0 };

    jr_buf_init(&text, TEXT_MAX);
    if (jr_node_print(node, &text) != JR_OK ||
        jr_pod_decode(jr_buf_str(&text), &pod, &err) != JR_OK)
        (void)printf("Pod: %s: %s\n", err.path, err.msg);
    return pod;
}

/** A Job with these rules as one of its policies. */
static struct jr_job *job_with(const char *policy, const struct jr_node *rules)
{
    struct jr_job *job = NULL;
    struct jr_error err = { 0 };
    JR_BUF text = { 0 };

    jr_buf_init(&text, TEXT_MAX);
    (void)jr_buf_addf(&text, "{\"spec\":{\"%s\":{\"rules\":", policy);
    if (jr_node_print(rules, &text) != JR_OK || jr_buf_adds(&text, "}}}") != JR_OK ||
        jr_job_decode(jr_buf_str(&text), &job, &err) != JR_OK)
        (void)printf("Job: %s: %s\n", err.path, err.msg);
    return job;
}

static enum jr_status set_text(const struct unit *u, const char *key, struct jr_str text)
{
    return jr_set_str(u->got, key, text);
}

static enum jr_status indexes(const struct unit *u)
{
    struct jr_indexes set = { 0 };
    enum jr_status st =
        jr_indexes_read(jr_get_str(u->in, "text"), number(u->in, "completions", 0), &set);
    JR_BUF text = { 0 };

    jr_buf_init(&text, TEXT_MAX);
    if (st == JR_OK)
        st = jr_indexes_write(&set, &text);
    if (st == JR_OK)
        st = jr_set_str(u->got, "text", jr_buf_str(&text));
    if (st == JR_OK)
        st = jr_set_i64(u->got, "total", (int64_t)jr_indexes_count(&set));
    jr_indexes_done(&set);
    return st;
}

static enum jr_status backoff(const struct unit *u)
{
    struct jr_time last = jr_time_s(1772366400), now = last;

    now.ns += jr_node_i64_or(jr_get(u->in, "elapsedSeconds"), 0) * JR_SEC;
    return jr_set_i64(u->got, "remainingSeconds",
                      jr_backoff_remaining(number(u->in, "failures", -1), last, now) / JR_SEC);
}

static enum jr_status generate_name(const struct unit *u)
{
    return set_text(
        u, "generateName",
        jr_pod_generate_name(u->a, jr_get_str(u->in, "jobName"), number(u->in, "index", -1)));
}

static enum jr_status gang_names(const struct unit *u)
{
    const struct jr_job job = { .meta = { .name = jr_get_str(u->in, "jobName"),
                                          .uid = jr_get_str(u->in, "jobUID") } };
    struct jr_str workload = jr_gang_workload_name(u->a, &job);
    struct jr_str template = jr_gang_template_name(u->a, &job);
    enum jr_status st = set_text(u, "workload", workload);

    if (st == JR_OK)
        st = set_text(u, "template", template);
    return st == JR_OK ? set_text(u, "podGroup", jr_gang_pod_group_name(u->a, workload, template))
                       : st;
}

static enum jr_status finish_time(const struct unit *u)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = pod_of(jr_get(u->in, "pod"));
    char text[JR_TIME_MAX];

    return pod == NULL
               ? JR_INVALID
               : set_text(u, "finishTime", jr_str(jr_time_format(jr_pod_finish_time(pod), text)));
}

/** Lists what is to be removed, in its order. */
static enum jr_status list_removed(const struct unit *u, struct jr_sync *s)
{
    size_t n;
    struct jr_rpod **remove = jr_surplus_pick(s, (size_t)number(u->in, "atLeast", 0), &n);
    struct jr_node *list;
    enum jr_status st = jr_set_array(u->got, "remove", &list);

    for (size_t i = 0; st == JR_OK && i < n; i++)
        st = jr_push_str(list, remove[i]->pod->name);
    return st;
}

static enum jr_status removal(const struct unit *u)
{
    struct jr_rpod v[PODS_MAX] = { { 0 } };
    struct jr_sync s = { .pods = v };
    JR_POD_LIST pods = { 0 };
    enum jr_status st = JR_OK;

    jr_arena_init(&s.keep, 0);
    s.indexed = jr_str_is(jr_node_str(jr_path(u->in, "job.spec.completionMode")), "Indexed");
    s.completions = number(jr_path(u->in, "job.spec"), "completions", 0);
    for (const struct jr_node *p = jr_first(jr_get(u->in, "pods")); st == JR_OK && p != NULL;
         p = jr_next(p)) {
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = pod_of(p);

        st = pod == NULL || pods.n == PODS_MAX ? JR_INVALID : JR_OK;
        if (st == JR_OK)
            jr_pod_list_add(&pods, pod);
    }
    for (s.n_pods = 0; s.n_pods < pods.n; s.n_pods++) {
        const struct jr_pod *pod = pods.v[s.n_pods];

        v[s.n_pods] = (struct jr_rpod){
            .pod = pod, .at = s.n_pods, .index = jr_pod_index(pod), .active = jr_pod_active(pod)
        };
    }
    if (st == JR_OK)
        st = list_removed(u, &s);
    jr_arena_done(&s.keep);
    return st;
}

static enum jr_status success_policy(const struct unit *u)
{
    JR_CLEANUP(jr_job_unrefp)
    struct jr_job *job = job_with("successPolicy", jr_get(u->in, "rules"));
    int32_t completions = number(u->in, "completions", 0);
    struct jr_indexes succeeded = { 0 };
    ptrdiff_t rule = -1;
    enum jr_status st = job == NULL ? JR_INVALID : JR_OK;

    if (st == JR_OK)
        st = jr_indexes_read(jr_get_str(u->in, "completedIndexes"), completions, &succeeded);
    if (st == JR_OK)
        rule = jr_success_policy_match(job, completions, &succeeded);
    jr_indexes_done(&succeeded);
    if (st == JR_OK)
        st = jr_set_bool(u->got, "met", rule >= 0);
    if (st == JR_OK && rule >= 0)
        st = set_text(u, "message", jr_xarena_text(u->a, "Matched rules at index %td", rule));
    return st;
}

static enum jr_status failure_policy(const struct unit *u)
{
    JR_CLEANUP(jr_job_unrefp)
    struct jr_job *job = job_with("podFailurePolicy", jr_get(u->in, "rules"));
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = pod_of(jr_get(u->in, "pod"));
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    struct jr_failure_match m;
    enum jr_status st;

    if (job == NULL || pod == NULL)
        return JR_INVALID;
    m = jr_failure_policy_match(&options, job, pod);
    st = set_text(u, "action", jr_str(jr_failure_action_text(m.action)));
    if (st == JR_OK)
        st = jr_set_bool(u->got, "countFailed", m.action != JR_FAILURE_IGNORE);
    if (st == JR_OK && m.action == JR_FAILURE_FAIL_JOB)
        st = set_text(u, "message", jr_failure_policy_words(u->a, &m, pod));
    return st;
}

static const struct {
    const char *fn;
    enum jr_status (*run)(const struct unit *u);
} functions[] = {
    { "parseAndFormatIndexes", indexes },        { "backoffRemaining", backoff },
    { "podGenerateName", generate_name },        { "podFinishTime", finish_time },
    { "activePodsForRemoval", removal },         { "matchSuccessPolicy", success_policy },
    { "matchPodFailurePolicy", failure_policy }, { "gangNames", gang_names },
};

bool scenario_unit(const struct jr_node *row)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *want = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *got = NULL;
    struct jr_str name = jr_get_str(row, "name"), fn = jr_get_str(row, "fn");
    JR_ARENA arena = { 0 };
    struct unit u = { .in = jr_get(row, "in"), .a = &arena };

    jr_arena_init(&arena, 0);
    if (scenario_want(row, &want) != JR_OK || jr_doc_new(&got) != JR_OK)
        return false;
    u.got = jr_doc_root(got);
    for (size_t i = 0; i < JR_ARRAY_SIZE(functions); i++) {
        if (!jr_str_is(fn, functions[i].fn))
            continue;
        if (functions[i].run(&u) == JR_OK)
            return scenario_equal(name.p, jr_doc_root(want), u.got);
        (void)printf("%.*s: could not be run\n", JR_P(name));
        return false;
    }
    (void)printf("%.*s: unknown function \"%.*s\"\n", JR_P(name), JR_P(fn));
    return false;
}
