/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the scenario file and makes its rows ready. */
#include "tests/unit/reconcile/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

char *node_text(const struct jr_node *node)
{
    struct jr_buf b;
    char *p = NULL;
    size_t n;

    jr_buf_init(&b, (size_t)64 << 20);
    assert_int_equal(jr_node_print(node, &b), JR_OK);
    assert_int_equal(jr_buf_take(&b, &p, &n), JR_OK);
    return p;
}

struct jr_doc *scenarios_load(void)
{
    FILE *f = fopen("tests/vectors/controller-scenarios.json", "rb");
    struct jr_reader_opts opts = JR_READER_STRICT;
    struct jr_doc *doc = NULL;
    struct jr_error err;
    struct jr_buf b;
    size_t n;

    if (f == NULL)
        fail_msg("tests/vectors/controller-scenarios.json: cannot be opened");
    jr_buf_init(&b, (size_t)64 << 20);
    do {
        char chunk[65536];

        n = fread(chunk, 1, sizeof(chunk), f);
        assert_int_equal(jr_buf_add(&b, (struct jr_str){ chunk, n }), JR_OK);
    } while (n > 0);
    (void)fclose(f);
    if (jr_doc_parse(jr_buf_str(&b), &opts, &doc, &err) != JR_OK)
        fail_msg("controller-scenarios.json: %s", err.msg);
    jr_buf_done(&b);
    return doc;
}

struct jr_time scenario_time(const struct jr_node *node)
{
    struct jr_time t = { 0 };

    if (!jr_unset(node))
        assert_int_equal(jr_time_parse(jr_node_str(node), &t), JR_OK);
    return t;
}

static struct jr_pod *pod_of(struct jr_str text)
{
    struct jr_pod *pod = NULL;
    struct jr_error err;

    if (jr_pod_decode(text, &pod, &err) != JR_OK)
        fail_msg("Pod: %s: %s", err.path, err.msg);
    return pod;
}

/** The text with each {i} replaced. */
static struct jr_pod *repeated(const char *text, int64_t i)
{
    struct jr_pod *pod;
    struct jr_buf b;

    jr_buf_init(&b, (size_t)1 << 20);
    for (const char *p = text; *p != '\0'; p++) {
        if (strncmp(p, "{i}", 3) == 0) {
            assert_int_equal(jr_buf_add_i64(&b, i), JR_OK);
            p += 2;
        } else {
            assert_int_equal(jr_buf_addc(&b, *p), JR_OK);
        }
    }
    pod = pod_of(jr_buf_str(&b));
    jr_buf_done(&b);
    return pod;
}

static void open_pods(struct scenario *sc)
{
    const struct jr_node *repeat = jr_get(sc->row, "podsRepeat"), *pods = jr_get(sc->row, "pods");
    int64_t more = jr_node_i64_or(jr_get(repeat, "count"), 0);

    sc->pods = calloc(jr_size(pods) + (size_t)more + 1, sizeof(struct jr_pod *));
    assert_non_null(sc->pods);
    for (const struct jr_node *p = jr_first(pods); p != NULL; p = jr_next(p)) {
        char *text = node_text(p);

        sc->pods[sc->n_pods++] = pod_of(jr_str(text));
        free(text);
    }
    if (more > 0) {
        char *text = node_text(jr_get(repeat, "pod"));

        for (int64_t i = 0; i < more; i++)
            sc->pods[sc->n_pods++] = repeated(text, i);
        free(text);
    }
}

void scenario_open(struct scenario *sc, const struct jr_node *row)
{
    const struct jr_node *features = jr_get(row, "features");
    struct jr_error err;
    char *text;

    *sc = (struct scenario){ .row = row,
                             .now = scenario_time(jr_get(row, "now")),
                             .options = jr_reconcile_options_default() };
    sc->options.mutable_scheduling_directives =
        jr_node_bool_or(jr_get(features, "MutableSchedulingDirectivesForSuspendedJobs"), true);
    sc->options.workload_with_job = jr_node_bool_or(jr_get(features, "WorkloadWithJob"), false);
    if (jr_node_bool_or(jr_get(row, "jobInCache"), true)) {
        text = node_text(jr_get(row, "job"));
        if (jr_job_decode(jr_str(text), &sc->job, &err) != JR_OK)
            fail_msg("Job: %s: %s", err.path, err.msg);
        free(text);
    }
    open_pods(sc);
}

void scenario_close(struct scenario *sc)
{
    jr_job_unref(sc->job);
    for (size_t i = 0; i < sc->n_pods; i++)
        jr_pod_unref(sc->pods[i]);
    free(sc->pods);
    *sc = (struct scenario){ 0 };
}
