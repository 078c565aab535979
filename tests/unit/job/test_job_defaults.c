/* SPDX-License-Identifier: Apache-2.0 */
/* Defaulting and generation where the vectors don't look: the webhook's contract, odd types,
 * memory. */
#include "tests/support/failalloc.h"
#include "tests/unit/job/job_test.h"

#define UID_LABELS(u) \
    "\"batch.kubernetes.io/controller-uid\":\"" u "\",\"controller-uid\":\"" u "\""
#define NAME_LABELS(n) "\"batch.kubernetes.io/job-name\":\"" n "\",\"job-name\":\"" n "\""

static void generated(void **state)
{
    static const struct {
        const char *name;
        const char *job;
        const char *want;
    } rows[] = {
        { "manual: nothing",
          "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\"},\"spec\":{\"manualSelector\":true}}",
          "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\"},\"spec\":{\"manualSelector\":true}}" },
        { "name known, no uid: name labels only", "{\"metadata\":{\"name\":\"n\"},\"spec\":{}}",
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"template\":{\"metadata\":{\"labels\":"
          "{" NAME_LABELS("n") "}}}}}" },
        { "generateName: nothing", "{\"metadata\":{\"generateName\":\"n-\"},\"spec\":{}}",
          "{\"metadata\":{\"generateName\":\"n-\"},\"spec\":{}}" },
        { "uid without a name: uid labels and the selector",
          "{\"metadata\":{\"uid\":\"u\"},\"spec\":{\"selector\":{\"matchLabels\":null}}}",
          "{\"metadata\":{\"uid\":\"u\"},\"spec\":{\"selector\":{\"matchLabels\":{"
          "\"batch.kubernetes.io/"
          "controller-uid\":\"u\"}},\"template\":{\"metadata\":{\"labels\":{" UID_LABELS(
              "u") "}}}}}" },
        { "both: as the strategy",
          "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\"},\"spec\":{\"selector\":{"
          "\"matchExpressions\""
          ":[]},\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}}}}}",
          "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\"},\"spec\":{\"selector\":{"
          "\"matchExpressions\""
          ":[],\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"u\"}},\"template\":{"
          "\"metadata\":{\"labels\":{\"app\":\"x\"," NAME_LABELS("n") "," UID_LABELS("u") "}}}}}" },
        { "present keys stay, empty and null ones too",
          "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\"},\"spec\":{\"selector\":{\"matchLabels\":{"
          "\"batch.kubernetes.io/controller-uid\":\"\"}},\"template\":{\"metadata\":{\"labels\":{"
          "\"job-name\":\"\",\"controller-uid\":null,\"batch.kubernetes.io/job-name\":\"m\"}}}}}",
          "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\"},\"spec\":{\"selector\":{\"matchLabels\":{"
          "\"batch.kubernetes.io/controller-uid\":\"\"}},\"template\":{\"metadata\":{\"labels\":{"
          "\"job-name\":\"\",\"controller-uid\":null,\"batch.kubernetes.io/job-name\":\"m\","
          "\"batch.kubernetes.io/controller-uid\":\"u\"}}}}}" },
        { "wrong types are left alone",
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"template\":{\"metadata\":7}}}",
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"template\":{\"metadata\":7}}}" },
        { "no spec", "{\"metadata\":{\"name\":\"n\"}}", "{\"metadata\":{\"name\":\"n\"}}" },
        { "no object", "[1]", "[1]" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        DOC *doc = must_parse(rows[i].name, rows[i].job);

        assert_int_equal(jr_job_generate(jr_doc_root(doc), NULL), JR_OK);
        want_json(rows[i].name, jr_doc_root(doc), rows[i].want);
        assert_int_equal(jr_job_generate(jr_doc_root(doc), NULL), JR_OK);
        want_json(rows[i].name, jr_doc_root(doc), rows[i].want);
    }
}

/* What defaulting makes of one place; the rest is the smallest Job. */
static void defaulted(void **state)
{
    static const struct {
        const char *patch;
        const char *path; /* of what is looked at */
        const char *want; /* NULL: absent */
    } rows[] = {
        { "{\"spec\":null}", "spec.backoffLimit", "6" },
        { "{\"spec\":7}", "spec", "7" },
        { "{\"spec\":{\"template\":null}}", "spec.template.spec.dnsPolicy", "\"ClusterFirst\"" },
        { "{\"spec\":{\"template\":[]}}", "spec.template", "[]" },
        { "{\"spec\":{\"parallelism\":0}}", "spec.completions", NULL },
        { "{\"spec\":{\"parallelism\":\"x\"}}", "spec.parallelism", "\"x\"" },
        { "{\"spec\":{\"backoffLimitPerIndex\":0}}", "spec.backoffLimit", "2147483647" },
        { "{\"spec\":{\"suspend\":null}}", "spec.suspend", "false" },
        { "{\"spec\":{\"completionMode\":\"\"}}", "spec.completionMode", "\"\"" },
        { "{\"metadata\":{\"labels\":{}},\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"a\":"
          "\"b\"}}}}}",
          "metadata.labels", "{\"a\":\"b\"}" },
        { "{\"spec\":{\"template\":{\"metadata\":{\"labels\":{}}}}}", "metadata.labels", NULL },
        { "{\"metadata\":{\"labels\":{\"c\":\"d\"}},\"spec\":{\"template\":{\"metadata\":{"
          "\"labels\":{\"a\":\"b\"}}}}}",
          "metadata.labels", "{\"c\":\"d\"}" },
        { "{\"spec\":{\"template\":{\"spec\":{\"volumes\":[{\"name\":\"a\",\"secret\":null},{"
          "\"name\":\"b\",\"newKind\":{}},{\"name\":\"c\",\"iscsi\":{}},{\"name\":\"d\",\"rbd\":{"
          "\"user\":\"me\"}},{\"name\":\"e\",\"scaleIO\":{}},{\"name\":\"f\",\"azureDisk\":{}},7]}}"
          "}}",
          "spec.template.spec.volumes",
          "[{\"name\":\"a\",\"secret\":null,\"emptyDir\":{}},{\"name\":\"b\",\"newKind\":{}},{"
          "\"name\":\"c\",\"iscsi\":{\"iscsiInterface\":\"default\"}},{\"name\":\"d\",\"rbd\":{"
          "\"user\":\"me\",\"pool\":\"rbd\",\"keyring\":\"/etc/ceph/keyring\"}},{\"name\":\"e\","
          "\"scaleIO\":{\"storageMode\":\"ThinProvisioned\",\"fsType\":\"xfs\"}},{\"name\":\"f\","
          "\"azureDisk\":{\"cachingMode\":\"ReadWrite\",\"fsType\":\"ext4\",\"readOnly\":false,"
          "\"kind\":\"Shared\"}},7]" },
        { "{\"spec\":{\"template\":{\"spec\":{\"overhead\":{\"cpu\":\"1500u\",\"memory\":\"1Gi\","
          "\"x\":true}}}}}",
          "spec.template.spec.overhead", "{\"cpu\":\"2m\",\"memory\":\"1Gi\",\"x\":true}" },
        { "{\"spec\":{\"template\":{\"spec\":{\"initContainers\":[{\"env\":[{\"valueFrom\":{"
          "\"fileKeyRef\":{}}}],\"startupProbe\":{\"periodSeconds\":0}}]}}}}",
          "spec.template.spec.initContainers",
          "[{\"env\":[{\"valueFrom\":{\"fileKeyRef\":{\"optional\":false}}}],\"startupProbe\":{"
          "\"periodSeconds\":10,\"timeoutSeconds\":1,\"successThreshold\":1,\"failureThreshold\":3}"
          ",\"imagePullPolicy\":\"IfNotPresent\",\"terminationMessagePath\":"
          "\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\",\"resources\":{}}]" },
    };
    const struct jr_profile profile = jr_profile_default();

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        DOC *doc = must_patch(rows[i].patch, SMALL_JOB, rows[i].patch, NULL);
        const struct jr_node *have;

        assert_int_equal(jr_job_default(jr_doc_root(doc), &profile), JR_OK);
        have = jr_path(jr_doc_root(doc), rows[i].path);
        if (rows[i].want == NULL)
            assert_null(have);
        else
            want_json(rows[i].patch, have, rows[i].want);
    }
}

/* A Job with all that an API server of any version sets, and a patch of it. */
static void told_as_defaulted(void **state)
{
    static const struct {
        const char *patch;
        bool want;
    } rows[] = {
        { "{}", true },
        { "{\"spec\":{\"suspend\":true,\"manualSelector\":true,\"completionMode\":\"Indexed\"}}",
          true },
        /* what a version, a gate or the Job itself may leave unset */
        { "{\"spec\":{\"completions\":null,\"podReplacementPolicy\":null,\"selector\":null}}",
          true },
        { "{\"spec\":{\"backoffLimit\":0,\"parallelism\":0}}", true },
        { "{\"metadata\":{\"uid\":null,\"name\":null,\"generateName\":\"p-\"}}", true },
        { "{\"spec\":{\"parallelism\":null}}", false },
        { "{\"spec\":{\"backoffLimit\":null}}", false },
        { "{\"spec\":{\"completionMode\":null}}", false },
        { "{\"spec\":{\"suspend\":null}}", false },
        { "{\"spec\":{\"manualSelector\":null}}", false },
        { "{\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":null}}}}", false },
        { "{\"spec\":{\"template\":{\"spec\":{\"terminationGracePeriodSeconds\":null}}}}", false },
        { "{\"spec\":{\"template\":{\"spec\":{\"dnsPolicy\":\"\"}}}}", false },
        { "{\"spec\":{\"template\":{\"spec\":{\"securityContext\":null}}}}", false },
        { "{\"spec\":{\"template\":{\"spec\":{\"schedulerName\":null}}}}", false },
        { "{\"spec\":{\"template\":null}}", false },
        { "{\"spec\":{\"template\":7}}", false },
        { "{\"spec\":null}", false },
    };

    (void)state;
    for (unsigned minor = JR_KUBE_OLDEST; minor <= JR_KUBE_NEWEST; minor++) {
        struct jr_profile profile = jr_profile_of(jr_kube_newest_patch(minor));

        for (size_t i = 0; i < 2 * JR_ARRAY_SIZE(rows); i++) {
            DOC *doc = must_parse("the smallest Job", SMALL_JOB);
            DOC *patch = must_parse("the patch", rows[i / 2].patch);

            for (size_t g = 0; g < JR_GATE_COUNT; g++)
                profile.gates[g] = i % 2 == 1;
            assert_false(jr_job_is_defaulted(jr_doc_root(doc)));
            assert_int_equal(jr_job_default(jr_doc_root(doc), &profile), JR_OK);
            assert_int_equal(jr_merge_apply(jr_doc_root(doc), jr_doc_root(patch)), JR_OK);
            if (jr_job_is_defaulted(jr_doc_root(doc)) != rows[i / 2].want)
                fail_msg("1.%u: %s", minor, rows[i / 2].patch);
        }
    }
}

static void want_labels(const char *name, const struct jr_node *have, const char *want)
{
    if (want == NULL)
        assert_null(have);
    else
        want_json(name, have, want);
}

/* What is generated for a Job that is sent to a webhook. */
static void completed_as_sent(void **state)
{
    static const struct {
        const char *patch;
        bool by_server;   /* an API server has defaulted it */
        const char *want; /* of both maps; NULL: none */
    } rows[] = {
        { "{\"metadata\":{\"uid\":null}}", true, NULL },
        { "{\"metadata\":{\"uid\":\"\"}}", true, NULL },
        { "{\"metadata\":{\"uid\":null},\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"a\":"
          "\"b\"}}}}}",
          true, "{\"a\":\"b\"}" },
        { "{\"metadata\":{\"uid\":null}}", false, "{" NAME_LABELS("pi") "}" },
        { "{\"metadata\":{\"uid\":null,\"name\":null,\"generateName\":\"p-\"}}", false, NULL },
        { "{}", true, "{" NAME_LABELS("pi") "," UID_LABELS("u-1") "}" },
        { "{}", false, "{" NAME_LABELS("pi") "," UID_LABELS("u-1") "}" },
        { "{\"spec\":{\"manualSelector\":true}}", false, NULL },
    };
    const struct jr_profile profile = jr_profile_default();

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        DOC *doc = must_patch(rows[i].patch, SMALL_JOB, rows[i].patch, NULL);
        DOC *again = NULL;
        struct jr_node *job = jr_doc_root(doc);

        if (rows[i].by_server)
            assert_int_equal(jr_job_default(job, &profile), JR_OK);
        assert_int_equal(jr_job_complete_sent(job, &profile, NULL), JR_OK);
        want_labels(rows[i].patch, jr_path(job, "spec.template.metadata.labels"), rows[i].want);
        want_labels(rows[i].patch, jr_path(job, "metadata.labels"), rows[i].want);
        assert_int_equal(jr_doc_of(job, &again), JR_OK);
        assert_int_equal(jr_job_complete_sent(jr_doc_root(again), &profile, NULL), JR_OK);
        assert_true(jr_node_equal(job, jr_doc_root(again)));
    }
}

static void gates_off(void **state)
{
    static const char job[] =
        "{\"spec\":{\"completionMode\":\"Indexed\",\"completions\":3,\"managedBy\":\"a/b\","
        "\"backoffLimitPerIndex\":1,\"maxFailedIndexes\":1,\"successPolicy\":{},"
        "\"podReplacementPolicy\":\"Failed\",\"podFailurePolicy\":{\"rules\":[{\"action\":"
        "\"FailIndex\"},{\"action\":\"Count\"},{\"action\":\"FailIndex\"}]},\"template\":{\"spec\":"
        "{"
        "\"schedulingGroup\":{}}}}}";
    static const char *const fields[] = { "managedBy", "backoffLimitPerIndex", "maxFailedIndexes",
                                          "successPolicy", "podReplacementPolicy" };
    struct jr_profile profile = jr_profile_default();
    DOC *doc = must_patch("create", SMALL_JOB, job, NULL);
    DOC *old = must_patch("old", SMALL_JOB, job, NULL);
    DOC *plain = must_patch("plain", SMALL_JOB, NULL, NULL);

    (void)state;
    for (size_t i = 0; i < JR_GATE_COUNT; i++)
        profile.gates[i] = false;
    assert_int_equal(jr_job_prepare_create(jr_doc_root(doc), &profile), JR_OK);
    for (size_t i = 0; i < JR_ARRAY_SIZE(fields); i++)
        assert_null(jr_get(jr_get(jr_doc_root(doc), "spec"), fields[i]));
    want_json("rules", jr_path(jr_doc_root(doc), "spec.podFailurePolicy"),
              "{\"rules\":[{\"action\":\"Count\"}]}");
    assert_null(jr_path(jr_doc_root(doc), "spec.template.spec.schedulingGroup"));
    assert_int_equal(jr_job_default(jr_doc_root(doc), &profile), JR_OK);
    assert_null(jr_path(jr_doc_root(doc), "spec.podReplacementPolicy"));

    /* an update keeps what the old object has */
    jr_doc_free(doc);
    doc = must_patch("kept", SMALL_JOB, job, NULL);
    assert_int_equal(jr_job_prepare_update(jr_doc_root(doc), jr_doc_root(old), &profile), JR_OK);
    for (size_t i = 0; i < JR_ARRAY_SIZE(fields); i++)
        assert_non_null(jr_get(jr_get(jr_doc_root(doc), "spec"), fields[i]));
    jr_doc_free(doc);
    doc = must_patch("dropped", SMALL_JOB, job, NULL);
    assert_int_equal(jr_job_prepare_update(jr_doc_root(doc), jr_doc_root(plain), &profile), JR_OK);
    for (size_t i = 1; i < JR_ARRAY_SIZE(fields); i++) /* managedBy is not dropped on update */
        assert_null(jr_get(jr_get(jr_doc_root(doc), "spec"), fields[i]));
    assert_non_null(jr_path(jr_doc_root(doc), "spec.managedBy"));
}

static void prepared_for_update(void **state)
{
    static const char stored[] =
        "{\"metadata\":{\"generation\":4,\"creationTimestamp\":\"2026-03-01T12:00:00Z\","
        "\"deletionTimestamp\":\"2026-03-01T12:00:05Z\",\"deletionGracePeriodSeconds\":0},"
        "\"status\":{\"active\":1,\"xNew\":2}}";
    const struct jr_profile profile = jr_profile_default();
    DOC *old = must_patch("old", SMALL_JOB, stored, NULL);
    DOC *same = must_patch("same", SMALL_JOB,
                           "{\"metadata\":{\"uid\":null},\"status\":{\"active\":9}}", NULL);
    DOC *changed = must_patch("changed", SMALL_JOB, "{\"spec\":{\"suspend\":true}}", NULL);
    DOC *status = must_patch("status", SMALL_JOB,
                             "{\"spec\":{\"suspend\":true},\"status\":{\"active\":0}}", NULL);

    (void)state;
    assert_int_equal(jr_job_prepare_update(jr_doc_root(same), jr_doc_root(old), &profile), JR_OK);
    want_json("same", jr_get(jr_doc_root(same), "metadata"),
              "{\"name\":\"pi\",\"namespace\":\"ns\",\"uid\":\"u-1\",\"resourceVersion\":\"7\","
              "\"generation\":4,\"creationTimestamp\":\"2026-03-01T12:00:00Z\","
              "\"deletionTimestamp\":\"2026-03-01T12:00:05Z\",\"deletionGracePeriodSeconds\":0}");
    want_json("same", jr_get(jr_doc_root(same), "status"), "{\"active\":1,\"xNew\":2}");
    assert_int_equal(jr_job_prepare_update(jr_doc_root(changed), jr_doc_root(old), &profile),
                     JR_OK);
    want_json("changed", jr_path(jr_doc_root(changed), "metadata.generation"), "5");
    assert_int_equal(jr_job_prepare_status_update(jr_doc_root(status), jr_doc_root(old)), JR_OK);
    assert_null(jr_path(jr_doc_root(status), "spec.suspend"));
    want_json("status", jr_get(jr_doc_root(status), "status"), "{\"active\":0}");
    want_json("status", jr_path(jr_doc_root(status), "metadata.generation"), "4");
    assert_int_equal(jr_set_i64(jr_get(jr_doc_root(old), "metadata"), "generation", INT64_MAX),
                     JR_OK);
    assert_int_equal(jr_job_prepare_update(jr_doc_root(changed), jr_doc_root(old), &profile),
                     JR_OK);
    want_json("last", jr_path(jr_doc_root(changed), "metadata.generation"), "9223372036854775807");
}

static void warned(void **state)
{
    static const char job[] =
        "{\"metadata\":{\"name\":\"a.b\"},\"spec\":{\"template\":{\"metadata\":{\"annotations\":{"
        "\"scheduler.alpha.kubernetes.io/critical-pod\":\"\"}},\"spec\":{\"volumes\":[{\"name\":"
        "\"v\",\"gitRepo\":{}},{\"name\":\"w\",\"storageos\":{}}],\"imagePullSecrets\":[{},{"
        "\"name\":\"s\"}],\"initContainers\":[{\"name\":\"i\",\"env\":[{\"name\":\"A\"},{\"name\":"
        "\"A\",\"value\":\"x$(A)\"},{\"name\":\"A\",\"value\":\"$(A)\"},{\"name\":\"A\","
        "\"valueFrom\":{},\"value\":\"y$(A)\"}]}]}}}}";
    static const char *const want[] = {
        "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
        "behavior; a DNS label is recommended: [must not contain dots]",
        "spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: "
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
        "spec.template.spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in "
        "v1.33+",
        "spec.template.spec.volumes[1].storageOS: deprecated in v1.22, non-functional in v1.25+",
        "spec.template.spec.imagePullSecrets[0].name: invalid empty name \"\"",
        "spec.template.spec.initContainers[0].env[2]: hides previous definition of \"A\", which "
        "may "
        "be dropped when using apply",
        "spec.template.spec.initContainers[0].env[3]: hides previous definition of \"A\", which "
        "may "
        "be dropped when using apply",
    };
    const struct jr_profile profile = jr_profile_default();
    OBJECT validated = { 0 };
    JR_ARENA arena = { 0 };
    struct jr_warnings have = { .arena = &arena };
    struct jr_warnings same = { .arena = &arena };

    (void)state;
    jr_arena_init(&arena, 0);
    must_decode("warned", must_patch("warned", SMALL_JOB, job, NULL), &validated);
    jr_job_warnings(&validated, NULL, &profile, &have);
    assert_int_equal(have.failed, JR_OK);
    for (size_t i = 0; i < have.list.n && i < JR_ARRAY_SIZE(want); i++)
        WANT_VIEW("warning", have.list.v[i], jr_str(want[i]));
    assert_int_equal(have.list.n, JR_ARRAY_SIZE(want));
    jr_job_warnings(&validated, &validated, &profile, &same);
    assert_int_equal(same.failed, JR_OK);
    assert_int_equal(same.list.n, 0); /* the generation is the same */
}

/** Everything, with each allocation failing once. */
static enum jr_status whole(const char *text, size_t *ret_errors)
{
    const struct jr_profile profile = jr_profile_default();
    DOC *doc = NULL;
    OBJECT job = { 0 };
    OBJECT old = { 0 };
    JR_ARENA arena = { 0 };
    struct jr_api_status api;
    struct jr_errlist errs;
    struct jr_warnings warnings = { .arena = &arena };
    enum jr_status st;

    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    st = open_job_text(jr_str(text), &profile, &old, NULL);
    if (st == JR_OK)
        st = jr_doc_parse(jr_str(text), &JR_READER_STRICT, &doc, NULL);
    if (st == JR_OK)
        st = jr_job_default(jr_doc_root(doc), &profile);
    if (st == JR_OK)
        st = jr_job_prepare_create(jr_doc_root(doc), &profile);
    if (st == JR_OK)
        st = jr_job_prepare_update(jr_doc_root(doc), jr_doc_root(old.doc), &profile);
    if (st == JR_OK)
        st = open_tree(&jr_schema_job, jr_steal(&doc), &job, NULL);
    if (st != JR_OK)
        return st;
    jr_job_validate_create(&job, &profile, &errs);
    jr_job_validate_update(&job, &old, &profile, &errs);
    jr_job_validate_status_update(&job, &old, &profile, &errs);
    if (errs.failed != JR_OK)
        return errs.failed;
    *ret_errors = errs.n;
    jr_job_warnings(&job, NULL, &profile, &warnings);
    return warnings.failed == JR_OK
               ? jr_errlist_status(&errs, JR_S("batch"), JR_S("Job"), JR_S("n"), &api)
               : warnings.failed;
}

static void without_memory(void **state)
{
    static const char bad[] =
        "{\"metadata\":{\"name\":\"A\",\"generateName\":\"b-\",\"namespace\":\"ns\","
        "\"finalizers\":[\"x\"],\"annotations\":{\"A b\":\"c\"},\"deletionTimestamp\":"
        "\"2026-03-01T12:00:00Z\"},\"spec\":{\"completionMode\":\"Indexed\",\"completions\":3,"
        "\"parallelism\":-1,\"selector\":{\"matchLabels\":{\"a b\":\"c\"}},\"successPolicy\":{"
        "\"rules\":[{\"succeededIndexes\":\"9\"}]},\"podFailurePolicy\":{\"rules\":[{\"action\":"
        "\"x\""
        ",\"onExitCodes\":{\"operator\":\"In\",\"values\":[2,1]}}]},\"suspend\":true,\"template\":{"
        "\"spec\":{\"overhead\":{\"cpu\":\"1u\"},\"nodeSelector\":{\"a\":\"b c\"},\"volumes\":[{"
        "\"name\":\"v\"}],\"containers\":[{\"name\":\"c\",\"ports\":[{\"name\":\"p\"}],\"env\":[{"
        "\"name\":\"A\"},{\"name\":\"A\"}],\"volumeMounts\":[{\"name\":\"w\"}],\"resources\":{"
        "\"limits\":{\"x.io/a\":\"1\"},\"requests\":{\"x.io/a\":\"2\"}}}],\"affinity\":{"
        "\"nodeAffinity\":{}}}}},\"status\":{\"uncountedTerminatedPods\":{\"failed\":[\"a\",\"a\"]}"
        ","
        "\"failedIndexes\":\"x\",\"conditions\":[{\"type\":\"Suspended\",\"status\":\"True\"}]}}";
    size_t errors = 0;

    (void)state;
    for (long n = 1;; n++) {
        enum jr_status st;

        jr_failalloc_arm(n);
        st = whole(bad, &errors);
        jr_failalloc_disarm();
        if (!jr_failalloc_hit()) {
            assert_int_equal(st, JR_OK);
            break;
        }
        if (st != JR_NOMEM)
            fail_msg("allocation %ld failed unseen: %s", n, jr_status_text(st));
    }
    assert_true(errors > 20);
}

/* The Job's own defaults are noted in their order. */
static void noted(void **state)
{
    static const char want[] =
        "spec.completions=default-completions,spec.parallelism=default-parallelism,"
        "spec.backoffLimit=default-backoff-limit,spec.completionMode=default-completion-mode,"
        "spec.suspend=default-suspend,"
        "spec.podReplacementPolicy=default-pod-replacement-policy,"
        "spec.manualSelector=default-manual-selector,spec.template.";
    const struct jr_profile profile = jr_profile_default();
    JR_CLEANUP(jr_defaulting_log_done) struct jr_defaulting_log log = { .omitted = 0 };
    DOC *doc = must_parse("noted", SMALL_JOB);
    struct jr_str text;

    (void)state;
    jr_defaulting_log_init(&log, 4096);
    assert_int_equal(jr_job_complete(jr_doc_root(doc), &profile, &log), JR_OK);
    assert_int_equal(jr_defaulting_log_text(&log, &text), JR_OK);
    if (!jr_str_starts(text, jr_str(want)))
        fail_msg("%.*s", JR_P(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated),
        cmocka_unit_test(defaulted),
        cmocka_unit_test(told_as_defaulted),
        cmocka_unit_test(completed_as_sent),
        cmocka_unit_test(gates_off),
        cmocka_unit_test(prepared_for_update),
        cmocka_unit_test(warned),
        cmocka_unit_test(noted),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
