/* SPDX-License-Identifier: Apache-2.0 */
#include "common/api/pod.h"

#include "common/api/job.h"
#include "tests/support/failalloc.h"
#include "tests/unit/api/api_test.h"

#define POD JR_CLEANUP(jr_pod_unrefp) struct jr_pod

static struct jr_pod *must_decode(const char *name, struct jr_str text)
{
    struct jr_pod *pod = NULL;
    struct jr_error err = { 0 };

    if (jr_pod_decode(text, &pod, &err) != JR_OK)
        fail_msg("%s: %s: %s", name, err.path, err.msg);
    return pod;
}

static void every_field(void **state)
{
    static const char text[] =
        "{\"metadata\":{\"name\":\"n\",\"namespace\":\"ns\",\"uid\":\"u\",\"resourceVersion\":"
        "\"7\","
        "\"creationTimestamp\":\"2026-03-01T12:00:00Z\",\"deletionTimestamp\":"
        "\"2026-03-01T12:00:01Z\",\"deletionGracePeriodSeconds\":30,\"labels\":{\"job-name\":\"j\","
        "\"own\":\"j\"},\"annotations\":{\"batch.kubernetes.io/job-completion-index\":\"4\","
        "\"batch.kubernetes.io/job-index-failure-count\":\"1\",\"other\":{\"not\":\"a string\"},"
        "\"batch.kubernetes.io/job-index-ignored-failure-count\":\"\"},\"ownerReferences\":[{"
        "\"name\":\"no\"},{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"j\",\"uid\":"
        "\"ju\",\"controller\":true}],\"finalizers\":[\"batch.kubernetes.io/job-tracking\",\"x/y\"]"
        "},\"spec\":{\"nodeName\":\"node\",\"initContainers\":[{\"name\":\"i\"},{\"name\":\"s\","
        "\"restartPolicy\":\"Always\"}]},\"status\":{\"phase\":\"Failed\",\"conditions\":[{"
        "\"type\":"
        "\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"2026-03-01T12:00:02Z\"},{\"type\":"
        "\"Own\",\"status\":\"False\"}],\"initContainerStatuses\":[{\"name\":\"i\",\"state\":{"
        "\"terminated\":{\"exitCode\":0}}},{\"name\":\"s\",\"restartCount\":2,\"state\":{"
        "\"running\":{}}}],\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":3,\"state\":{"
        "\"terminated\":{\"exitCode\":137,\"finishedAt\":\"2026-03-01T12:00:03Z\"}},\"lastState\":{"
        "\"terminated\":{\"exitCode\":9}}}]}}";
    POD *p = must_decode("every field", jr_str(text));

    (void)state;
    WANT_VIEW("name", p->name, JR_S("n"));
    WANT_VIEW("namespace", p->namespace, JR_S("ns"));
    WANT_VIEW("uid", p->uid, JR_S("u"));
    WANT_VIEW("version", jr_pod_str(p, p->resource_version), JR_S("7"));
    assert_true(jr_time_set(p->creation_timestamp) && jr_time_set(p->deletion_timestamp));
    WANT_INT("grace", p->deletion_grace_period_s, 30);
    WANT_VIEW("label", jr_pod_label(p, JR_S("job-name")), JR_S("j"));
    WANT_VIEW("index", jr_pod_str(p, p->completion_index), JR_S("4"));
    WANT_VIEW("failures", jr_pod_str(p, p->index_failure_count), JR_S("1"));
    assert_non_null(jr_pod_str(p, p->index_ignored_failure_count).p);
    WANT_INT("ignored", jr_pod_str(p, p->index_ignored_failure_count).n, 0);
    assert_true(p->controller.set);
    WANT_VIEW("controller", jr_pod_str(p, p->controller.uid), JR_S("ju"));
    assert_true(jr_pod_has_finalizer(p, JR_S(JR_JOB_TRACKING_FINALIZER)));
    assert_true(jr_pod_has_finalizer(p, JR_S("x/y")));
    assert_false(jr_pod_has_finalizer(p, JR_S("x")));
    WANT_VIEW("node", jr_pod_str(p, p->node_name), JR_S("node"));
    WANT_INT("phase", p->phase, JR_POD_FAILED);
    WANT_VIEW("condition", jr_pod_str(p, jr_pod_condition_get(p, "Own")->status), JR_S("False"));
    assert_null(jr_pod_condition_get(p, "None"));
    WANT_INT("ready since", p->ready_since.ns, p->deletion_timestamp.ns + JR_SEC);
    assert_true(jr_pod_ready(p) && jr_pod_terminal(p));
    assert_false(jr_pod_active(p) || jr_pod_terminating(p));
    WANT_INT("containers", p->containers.n, 3);
    WANT_VIEW("containers", jr_pod_str(p, p->containers.v[0].name), JR_S("c"));
    WANT_INT("containers", p->containers.v[0].terminated.exit_code, 137);
    assert_true(jr_time_set(p->containers.v[0].terminated.finished_at));
    assert_false(p->containers.v[0].init || p->containers.v[0].sidecar);
    assert_true(p->containers.v[1].init && p->containers.v[1].terminated.set);
    assert_false(p->containers.v[1].sidecar || p->containers.v[2].terminated.set);
    assert_true(p->containers.v[2].sidecar);
    WANT_INT("restarts", p->containers.v[2].restart_count, 2);
}

static void phases(void **state)
{
    static const struct {
        const char *text;
        enum jr_pod_phase phase;
        bool active;
        bool terminating;
    } rows[] = {
        { "{}", JR_POD_PENDING, true, false },
        { "{\"status\":{\"phase\":\"\"}}", JR_POD_PENDING, true, false },
        { "{\"status\":{\"phase\":null}}", JR_POD_PENDING, true, false },
        { "{\"status\":{\"phase\":\"Pending\"}}", JR_POD_PENDING, true, false },
        { "{\"status\":{\"phase\":\"Running\"}}", JR_POD_RUNNING, true, false },
        { "{\"status\":{\"phase\":\"Succeeded\"}}", JR_POD_SUCCEEDED, false, false },
        { "{\"status\":{\"phase\":\"Unknown\"}}", JR_POD_UNKNOWN, true, false },
        { "{\"status\":{\"phase\":\"Later\"}}", JR_POD_UNKNOWN, true, false },
        { "{\"metadata\":{\"deletionTimestamp\":\"2026-03-01T12:00:00Z\"}}", JR_POD_PENDING, false,
          true },
        { "{\"metadata\":{\"deletionTimestamp\":\"2026-03-01T12:00:00Z\"},\"status\":{\"phase\":"
          "\"Failed\"}}",
          JR_POD_FAILED, false, false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        POD *p = must_decode(rows[i].text, jr_str(rows[i].text));

        WANT_INT(rows[i].text, p->phase, rows[i].phase);
        WANT_INT(rows[i].text, jr_pod_active(p), rows[i].active);
        WANT_INT(rows[i].text, jr_pod_terminating(p), rows[i].terminating);
        assert_false(p->controller.set);
        assert_null(jr_pod_str(p, p->completion_index).p);
    }
}

static void refused(void **state)
{
    static const struct {
        const char *text;
        enum jr_status st;
        const char *path;
    } rows[] = {
        { "", JR_SYNTAX, "" },
        { "[]", JR_TYPE, "" },
        { "{\"metadata\":{\"annotations\":{\"batch.kubernetes.io/job-completion-index\":4}}}",
          JR_TYPE, "metadata.annotations[batch.kubernetes.io/job-completion-index]" },
        { "{\"status\":{\"containerStatuses\":[{\"state\":{\"terminated\":{\"exitCode\":1.5}}}]}}",
          JR_TYPE, "status.containerStatuses[0].state.terminated.exitCode" },
        { "{\"status\":{\"containerStatuses\":[{\"restartCount\":9999999999}]}}", JR_RANGE,
          "status.containerStatuses[0].restartCount" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_pod *pod = NULL;
        struct jr_error err = { 0 };

        want_error(rows[i].text, jr_pod_decode(jr_str(rows[i].text), &pod, &err), &err, rows[i].st,
                   rows[i].path);
        assert_null(pod);
    }
}

/** Pods of a real list: what the tree says, the struct says; and they are small. */
static void real_pods(void **state)
{
    JR_BUF text = { 0 };
    DOC *list = NULL;
    size_t n = 0;

    (void)state;
    must_read(WIRE "list-pods-page1.json", &text);
    list = must_parse("list", jr_buf_str(&text));
    for (const struct jr_node *item = jr_first(jr_get(jr_doc_root(list), "items")); item != NULL;
         item = jr_next(item), n++) {
        const struct jr_node *meta = jr_get(item, "metadata");
        JR_BUF one = { 0 };
        POD *p = NULL;

        must_print(item, &one);
        p = must_decode("real Pod", jr_buf_str(&one));
        WANT_VIEW("name", p->name, jr_get_str(meta, "name"));
        WANT_VIEW("uid", p->uid, jr_get_str(meta, "uid"));
        WANT_INT("labels", p->labels.n, jr_size(jr_get(meta, "labels")));
        for (const struct jr_node *l = jr_first(jr_get(meta, "labels")); l != NULL; l = jr_next(l))
            WANT_VIEW("label", jr_pod_label(p, jr_key(l)), jr_node_str(l));
        WANT_VIEW("controller", jr_pod_str(p, p->controller.uid),
                  jr_get_str(jr_at(jr_get(meta, "ownerReferences"), 0), "uid"));
        WANT_INT("conditions", p->conditions.n, jr_size(jr_path(item, "status.conditions")));
        if (p->size_bytes > 600)
            fail_msg("%u bytes for a Pod of %zu", p->size_bytes, one.n);
    }
    assert_true(n > 1);
}

/** Many strings: more than are looked back at, and none of them known. */
static void many_strings(void **state)
{
    JR_BUF text = { 0 };
    POD *p = NULL;

    (void)state;
    jr_buf_init(&text, (size_t)1 << 20);
    (void)jr_buf_adds(&text, "{\"metadata\":{\"labels\":{\"a\":\"\\u0062\"");
    for (int i = 0; i < 500; i++)
        (void)jr_buf_addf(&text, ",\"key-%d\":\"value-%d\"", i, i % 50);
    (void)jr_buf_adds(&text, "}}}");
    p = must_decode("many", jr_buf_str(&text));
    jr_buf_done(&text); /* nothing is borrowed */
    WANT_INT("labels", p->labels.n, 501);
    WANT_VIEW("escaped", jr_pod_label(p, JR_S("a")), JR_S("b"));
    for (int i = 0; i < 500; i++) {
        char key[32], value[32];

        (void)snprintf(key, sizeof(key), "key-%d", i);
        (void)snprintf(value, sizeof(value), "value-%d", i % 50);
        WANT_VIEW(key, jr_pod_label(p, jr_str(key)), jr_str(value));
    }
}

/** In any order, and of equal keys the last one counts, as in Go. */
static void labels_in_disorder(void **state)
{
    POD *p =
        must_decode("disorder", JR_S("{\"metadata\":{\"labels\":{\"b\":\"1\",\"a\":\"2\",\"b\":"
                                     "\"3\",\"\":\"4\",\"a\":\"\"}}}"));
    POD *same = must_decode(
        "order", JR_S("{\"metadata\":{\"labels\":{\"\":\"4\",\"a\":\"\",\"b\":\"3\"}}}"));
    POD *other = must_decode(
        "other", JR_S("{\"metadata\":{\"labels\":{\"\":\"4\",\"a\":\"\",\"b\":\"1\"}}}"));

    (void)state;
    WANT_INT("labels", p->labels.n, 3);
    WANT_VIEW("a", jr_pod_label(p, JR_S("a")), JR_S(""));
    assert_non_null(jr_pod_label(p, JR_S("a")).p);
    WANT_VIEW("b", jr_pod_label(p, JR_S("b")), JR_S("3"));
    WANT_VIEW("empty", jr_pod_label(p, JR_S("")), JR_S("4"));
    assert_null(jr_pod_label(p, JR_S("c")).p);
    assert_true(jr_pod_same_labels(p, same));
    assert_false(jr_pod_same_labels(p, other));
}

static void counted(void **state)
{
    struct jr_pod *pod = must_decode("counted", JR_S("{\"metadata\":{\"name\":\"n\"}}"));
    struct jr_pod *again = jr_pod_ref(pod);

    (void)state;
    jr_pod_unref(pod);
    WANT_VIEW("alive", again->name, JR_S("n"));
    jr_pod_unref(again);
    jr_pod_unref(NULL);
    assert_null(jr_pod_ref(NULL));
}

static void without_memory(void **state)
{
    JR_BUF text = { 0 }, one = { 0 };
    DOC *list = NULL;

    (void)state;
    must_read(WIRE "list-pods-page1.json", &text);
    list = must_parse("list", jr_buf_str(&text));
    must_print(jr_first(jr_get(jr_doc_root(list), "items")), &one);
    for (long n = 1;; n++) {
        struct jr_pod *pod = NULL;
        struct jr_error err = { 0 };
        enum jr_status st;

        jr_failalloc_arm(n);
        st = jr_pod_decode(jr_buf_str(&one), &pod, &err);
        jr_failalloc_disarm();
        jr_pod_unref(pod);
        if (!jr_failalloc_hit()) {
            assert_int_equal(st, JR_OK);
            break;
        }
        assert_int_equal(st, JR_NOMEM);
        assert_null(pod);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),
        cmocka_unit_test(phases),
        cmocka_unit_test(refused),
        cmocka_unit_test(real_pods),
        cmocka_unit_test(many_strings),
        cmocka_unit_test(counted),
        cmocka_unit_test(labels_in_disorder),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
