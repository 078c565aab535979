/* SPDX-License-Identifier: Apache-2.0 */
/* What each rule of validation looks for, and that it names itself. That none is left out is
 * test_job_rule_hits' to check. */
#include "tests/unit/job/job_test.h"

/* ---- create ---- */

static void check_create(const char *name, const char *base, const char *patch, const char *want)
{
    const struct jr_profile profile = jr_profile_default();
    struct jr_doc *doc = must_patch(name, base, patch, NULL);
    OBJECT job = { 0 };
    JR_ARENA arena = { 0 };
    struct jr_errlist errs;

    jr_arena_init(&arena, 0);
    assert_int_equal(jr_job_default(jr_doc_root(doc), &profile), JR_OK);
    assert_int_equal(jr_job_prepare_create(jr_doc_root(doc), &profile), JR_OK);
    must_decode(name, doc, &job);
    jr_errlist_init(&errs, &arena);
    jr_job_validate_create(&job, &profile, &errs);
    want_errlist(name, &errs, false, want);
}

static void run_create(const struct create_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_create(rows[i].patch, SMALL_JOB, rows[i].patch, rows[i].want);
}

#define META(m) "{\"metadata\":{" m "}}"
#define L63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void metadata_rules(void **state)
{
    static const struct create_row rows[] = {
        { "{}", "" },
        { META("\"generateName\":\"pi-\""), "" },
        { META("\"generateName\":\"pi_\""), "meta-generate-name" },
        { META("\"name\":null"), "meta-name-required" },
        { META("\"name\":\"a..b\""), "meta-name" },
        { META("\"name\":\"a.b\""), "" },
        { META("\"namespace\":\"\""), "meta-namespace-required" },
        { META("\"namespace\":\"a.b\""), "meta-namespace" },
        { META("\"labels\":{\"a b\":\"v\"}"), "meta-label-key" },
        { META("\"labels\":{\"a\":\"v \"}"), "meta-label-value" },
        { META("\"annotations\":{\"Some.Prefix/KEY\":\"v v\"}"), "" },
        { META("\"annotations\":{\"a/b/c\":\"\"}"), "meta-annotation-key" },
        { META("\"ownerReferences\":[{\"apiVersion\":\"apps/\",\"kind\":\"\",\"name\":\"\"}]"),
          "meta-owner-version meta-owner-kind meta-owner-name meta-owner-uid" },
        { META("\"ownerReferences\":[{\"apiVersion\":\"a/b/c\",\"kind\":\"K\",\"name\":\"n\","
               "\"uid\":\"u\"}]"),
          "meta-owner-version" },
        { META("\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"n\","
               "\"uid\":\"u\"}]"),
          "meta-owner-banned" },
        { META("\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"K\",\"name\":\"n\","
               "\"uid\":\"u\",\"controller\":true},{\"apiVersion\":\"v1\",\"kind\":\"K\","
               "\"name\":\"o\",\"uid\":\"u2\",\"controller\":true}]"),
          "meta-owner-controllers" },
        { META("\"finalizers\":[\"a b/c\"]"), "meta-finalizer" },
        { META("\"finalizers\":[\"orphan\",\"foregroundDeletion\"]"), "meta-finalizer-clash" },
        { META("\"finalizers\":[\"kubernetes\",\"mine\"]"), "meta-finalizer-standard" },
    };

    (void)state;
    run_create(rows, JR_ARRAY_SIZE(rows));
}

/** A text with more in the middle than annotations may have. */
static void fill(struct jr_buf *b, const char *head, const char *tail)
{
    jr_buf_init(b, (size_t)1 << 20);
    (void)jr_buf_adds(b, head);
    for (int i = 0; i < 300000; i++)
        (void)jr_buf_addc(b, 'x');
    assert_int_equal(jr_buf_adds(b, tail), JR_OK);
}

/** Annotations may be large, but not that large; generation is the server's on create. */
static void metadata_on_its_own(void **state)
{
    const struct jr_profile profile = jr_profile_default();
    JR_ARENA arena = { 0 };
    struct jr_errlist errs;
    OBJECT job = { 0 };
    JR_BUF patch = { 0 };

    (void)state;
    fill(&patch, "{\"metadata\":{\"annotations\":{\"a\":\"", "\"}}}");
    check_create("annotations", SMALL_JOB, patch.p, "meta-annotations-size");
    jr_arena_init(&arena, 0);
    must_decode("generation",
                must_patch("generation", SMALL_JOB, META("\"generation\":-1"),
                           "{\"spec\":{\"manualSelector\":true,\"selector\":{}}}"),
                &job);
    jr_errlist_init(&errs, &arena);
    jr_job_validate_create(&job, &profile, &errs);
    WANT_STR("generation", errs.v[0].rule, "meta-generation");
}

#define INDEXED "\"completionMode\":\"Indexed\",\"completions\":3"

static void selector_rules(void **state)
{
    static const struct create_row rows[] = {
        { META("\"uid\":null"), "generated-uid" },
        { SPEC("\"template\":{\"metadata\":{\"labels\":{\"job-name\":\"x\"}}}"),
          "generated-label-wrong" },
        { SPEC("\"selector\":{\"matchLabels\":{\"app\":\"x\"}},"
               "\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}}}"),
          "generated-selector" },
        { SPEC("\"manualSelector\":true,\"selector\":{\"matchLabels\":{\"app\":\"x\"}}"),
          "selector-mismatch" },
        { SPEC("\"manualSelector\":true"), "selector-required selector-mismatch" },
        { SPEC("\"manualSelector\":true,\"selector\":{\"matchLabels\":{\"a b\":\"c d\"}}"),
          "selector-label-key selector-label-value" },
        { SPEC("\"manualSelector\":true,\"selector\":{\"matchExpressions\":[{\"key\":\"a\","
               "\"operator\":\"Near\"},{\"key\":\"b c\",\"operator\":\"In\"},{\"key\":\"d\","
               "\"operator\":\"Exists\",\"values\":[\"e f\"]}]}"),
          "selector-operator selector-values-required selector-key selector-values-forbidden "
          "selector-value" },
    };

    (void)state;
    run_create(rows, JR_ARRAY_SIZE(rows));
}

static void spec_rules(void **state)
{
    static const struct create_row rows[] = {
        { SPEC("\"parallelism\":-1,\"completions\":-1,\"activeDeadlineSeconds\":-1,"
               "\"backoffLimit\":-1,\"ttlSecondsAfterFinished\":-1"),
          "parallelism-negative completions-negative active-deadline-negative "
          "backoff-limit-negative ttl-negative" },
        { SPEC(INDEXED ",\"backoffLimitPerIndex\":-1,\"maxFailedIndexes\":-1"),
          "backoff-limit-per-index-negative max-failed-indexes-negative" },
        { SPEC(INDEXED ",\"maxFailedIndexes\":1"), "backoff-limit-per-index-required" },
        { SPEC("\"managedBy\":\"\""), "managed-by-empty" },
        { SPEC("\"managedBy\":\"/x\""), "managed-by-form" },
        { SPEC("\"managedBy\":\"Host/a b\""), "managed-by-host managed-by-path" },
        { SPEC("\"managedBy\":\"h/" L63 "\""), "managed-by-length" },
        { SPEC("\"completionMode\":\"Sorted\""), "completion-mode" },
        { SPEC("\"completionMode\":\"Indexed\",\"parallelism\":1"),
          "indexed-completions-required" },
        { SPEC("\"completionMode\":\"Indexed\",\"parallelism\":1,\"successPolicy\":{\"rules\":[{"
               "\"succeededCount\":9,\"succeededIndexes\":\"x\"}]}"),
          "indexed-completions-required" }, /* where upstream crashes */
        { SPEC(INDEXED ",\"parallelism\":100001"), "indexed-parallelism-limit" },
        { SPEC(INDEXED ",\"backoffLimitPerIndex\":1,\"maxFailedIndexes\":4"),
          "max-failed-indexes-completions" },
        { SPEC("\"completionMode\":\"Indexed\",\"completions\":100001,\"backoffLimitPerIndex\":1,"
               "\"parallelism\":10001"),
          "many-completions-max-failed-required many-completions-parallelism" },
        { SPEC("\"completionMode\":\"Indexed\",\"completions\":200000,\"backoffLimitPerIndex\":1,"
               "\"maxFailedIndexes\":100001"),
          "max-failed-indexes-limit many-completions-max-failed" },
        { SPEC("\"backoffLimitPerIndex\":1,\"maxFailedIndexes\":1"),
          "backoff-limit-per-index-mode max-failed-indexes-mode" },
        { SPEC("\"podReplacementPolicy\":\"Never\""), "replacement-policy" },
        { SPEC("\"podReplacementPolicy\":\"TerminatingOrFailed\",\"podFailurePolicy\":{}"),
          "replacement-with-failure-policy" },
        { SPEC("\"template\":{\"spec\":{\"restartPolicy\":null}}"), "restart-policy-required" },
        { SPEC("\"template\":{\"spec\":{\"restartPolicy\":\"Once\"}}"),
          "pod-restart-policy restart-policy-unknown" },
        { SPEC("\"podFailurePolicy\":{},\"template\":{\"spec\":{\"restartPolicy\":\"OnFailure\"}}"),
          "restart-policy-with-failure-policy" },
        { "{\"metadata\":{\"name\":\"a.b\"},\"spec\":{" INDEXED "}}", "indexed-hostname" },
        { "{\"metadata\":{\"name\":\"a.b\"},\"spec\":{\"completionMode\":\"Indexed\","
          "\"completions\":0}}",
          "" },
    };

    (void)state;
    run_create(rows, JR_ARRAY_SIZE(rows));
}

#define FAILURE(r) SPEC("\"podFailurePolicy\":{\"rules\":[" r "]}")
#define CODES(c) FAILURE("{\"action\":\"Count\",\"onExitCodes\":{" c "}}")
#define PATTERN(c) FAILURE("{\"action\":\"Count\",\"onPodConditions\":[{" c "}]}")
#define SUCCESS(r) SPEC(INDEXED ",\"successPolicy\":{\"rules\":[" r "]}")
#define OK_RULE "{\"action\":\"Count\",\"onPodConditions\":[{\"type\":\"A\"}]},"
#define FIVE(x) x x x x x

static void policy_rules(void **state)
{
    static const struct create_row rows[] = {
        { FAILURE(""), "" },
        { FAILURE(FIVE(OK_RULE) FIVE(OK_RULE) FIVE(OK_RULE) FIVE(
              OK_RULE) "{\"action\":\"Count\",\"onPodConditions\":[{\"type\":\"A\"}]}"),
          "failure-rules-limit" },
        { FAILURE("{}"), "failure-action-required failure-rule-neither" },
        { FAILURE("{\"action\":\"Retry\"}"), "failure-action failure-rule-neither" },
        { FAILURE("{\"action\":\"FailIndex\",\"onPodConditions\":[{\"type\":\"A\"}]}"),
          "failure-fail-index" },
        { CODES("\"values\":[1]"), "exit-codes-operator-required" },
        { CODES("\"operator\":\"Of\",\"values\":[0]"), "exit-codes-operator" },
        { CODES("\"operator\":\"NotIn\",\"values\":[0]"), "" },
        { CODES("\"operator\":\"In\",\"values\":[1],\"containerName\":\"c\""), "" },
        { CODES("\"operator\":\"In\",\"values\":[1],\"containerName\":\"d\""),
          "exit-codes-container" },
        { CODES("\"operator\":\"In\""), "exit-codes-none" },
        { CODES("\"operator\":\"In\",\"values\":[2,0,2]"),
          "exit-codes-zero exit-codes-twice exit-codes-order" },
        { PATTERN("\"type\":\"a b\""), "pod-condition-type" },
        { PATTERN("\"type\":\"A\",\"status\":\"Maybe\""), "pod-condition-status" },
        { FAILURE("{\"action\":\"Count\",\"onExitCodes\":{\"operator\":\"In\",\"values\":[1]},"
                  "\"onPodConditions\":[{\"type\":\"A\"}]}"),
          "failure-rule-both" },
        { SPEC("\"successPolicy\":{}"), "success-policy-mode" },
        { SPEC(INDEXED ",\"successPolicy\":{}"), "success-rules-none" },
        { SUCCESS("{}"), "success-rule-empty" },
        { SUCCESS(FIVE("{\"succeededCount\":1},") FIVE("{\"succeededCount\":1},") FIVE(
              "{\"succeededCount\":1},") FIVE("{\"succeededCount\":1},") "{\"succeededCount\":1}"),
          "success-rules-limit" },
        { SUCCESS("{\"succeededIndexes\":\"\"}"), "" },
        { SUCCESS("{\"succeededIndexes\":\"2-1\"}"), "success-indexes" },
        { SUCCESS("{\"succeededCount\":-1}"), "success-count-negative" },
        { SUCCESS("{\"succeededCount\":4}"), "success-count-completions" },
        { SUCCESS("{\"succeededCount\":3,\"succeededIndexes\":\"0-1\"}"), "success-count-indexes" },
    };

    (void)state;
    run_create(rows, JR_ARRAY_SIZE(rows));
}

/** Lists that are too long to write down. */
static void long_lists(void **state)
{
    JR_BUF b = { 0 };

    (void)state;
    jr_buf_init(&b, (size_t)1 << 20);
    (void)jr_buf_adds(&b, "{\"spec\":{\"podFailurePolicy\":{\"rules\":[{\"action\":\"Count\","
                          "\"onExitCodes\":{\"operator\":\"In\",\"values\":[1");
    for (int i = 2; i <= 256; i++)
        (void)jr_buf_addf(&b, ",%d", i);
    (void)jr_buf_adds(&b, "]}}]}}}");
    check_create("256 exit codes", SMALL_JOB, b.p, "exit-codes-limit");
    jr_buf_reset(&b);
    (void)jr_buf_adds(&b, "{\"spec\":{\"podFailurePolicy\":{\"rules\":[{\"action\":\"Count\","
                          "\"onPodConditions\":[{\"type\":\"A\"}");
    for (int i = 0; i < 20; i++)
        (void)jr_buf_adds(&b, ",{\"type\":\"A\"}");
    (void)jr_buf_adds(&b, "]}]}}}");
    check_create("21 conditions", SMALL_JOB, b.p, "pod-conditions-limit");
    jr_buf_reset(&b);
    (void)jr_buf_adds(
        &b, "{\"spec\":{\"completionMode\":\"Indexed\",\"completions\":100000,\"successPolicy\":{"
            "\"rules\":[{\"succeededIndexes\":\"");
    for (int i = 0; i < 14000; i++)
        (void)jr_buf_addf(&b, "%s%d", i > 0 ? "," : "", 2 * i);
    (void)jr_buf_adds(&b, "\"}]}}}");
    check_create("long index list",
                 "{\"metadata\":{\"name\":\"pi\",\"namespace\":\"ns\",\"uid\":\"u\"},\"spec\":{"
                 "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":"
                 "\"c\",\"image\":\"x\"}]}}}}",
                 b.p, "success-indexes-length");
}

#define POD(s) SPEC("\"template\":{\"spec\":{" s "}}")
#define CONTAINER(s) POD("\"containers\":[{\"name\":\"c\",\"image\":\"x\"," s "}]")
#define INIT(s) POD("\"initContainers\":[{\"name\":\"i\",\"image\":\"x\"," s "}]")
#define RESOURCES(s) CONTAINER("\"resources\":{" s "}")

static void template_rules(void **state)
{
    static const struct create_row rows[] = {
        { SPEC("\"template\":{\"metadata\":{\"labels\":{\"a b\":\"c d\"}}}"),
          "meta-label-key meta-label-value template-label-key template-label-value" },
        { SPEC("\"template\":{\"metadata\":{\"annotations\":{\"a b\":\"\"}}}"),
          "template-annotation-key" },
        { POD("\"volumes\":[{\"name\":\"v\",\"emptyDir\":{},\"secret\":{}}]"), "volume-sources" },
        { POD("\"volumes\":[{\"name\":\"v\",\"newKind\":{}}]"), "" },
        { POD("\"volumes\":[{},{\"name\":\"a.b\"},{\"name\":\"v\"},{\"name\":\"v\"}]"),
          "volume-name-required volume-name volume-name-twice" },
        { POD("\"containers\":[]"), "containers-required" },
        { POD("\"containers\":[{},{\"name\":\"A\",\"image\":\"x\"},{\"name\":\"b\",\"image\":\"x\"}"
              ",{\"name\":\"b\",\"image\":\"x\"}]"),
          "container-name-required container-image-required container-name container-name-twice" },
        { CONTAINER("\"terminationMessagePolicy\":\"None\""), "termination-policy" },
        { CONTAINER("\"ports\":[{\"name\":\"a--b\",\"containerPort\":1},{\"name\":\"p\","
                    "\"containerPort\":65536},{\"name\":\"p\",\"hostPort\":-1,\"protocol\":\"IP\"}"
                    "]"),
          "port-name port-range port-name-twice port-required host-port-range port-protocol" },
        { CONTAINER("\"env\":[{},{\"name\":\"a=b\"},{\"name\":\"a b\"}]"),
          "env-name-required env-name" },
        { CONTAINER("\"volumeMounts\":[{},{\"name\":\"v\",\"mountPath\":\"\"}]"),
          "mount-name-required mount-name mount-path-required mount-name mount-path-required "
          "mount-path-twice" },
        { CONTAINER("\"imagePullPolicy\":\"Often\""), "pull-policy" },
        { RESOURCES("\"limits\":{\"cpu\":\"-1\"}"), "resource-negative" },
        { RESOURCES("\"limits\":{\"gpu\":1}"), "resource-name resource-name" },
        { RESOURCES("\"limits\":{\"storage\":1}"), "resource-name" },
        { RESOURCES("\"limits\":{\"a b/c\":1}"), "resource-name resource-name" },
        { RESOURCES("\"limits\":{\"x.io/gpu\":\"1500m\"}"), "resource-integer" },
        { RESOURCES("\"limits\":{\"cpu\":\"1000m\"},\"requests\":{\"cpu\":1}"), "" },
        { RESOURCES("\"limits\":{\"cpu\":1},\"requests\":{\"cpu\":\"1001m\"}"),
          "request-above-limit" },
        { RESOURCES("\"limits\":{\"x.io/gpu\":2},\"requests\":{\"x.io/gpu\":1}"),
          "request-not-limit" },
        { RESOURCES("\"requests\":{\"x.io/gpu\":1}"), "request-without-limit" },
        { INIT("\"lifecycle\":{},\"livenessProbe\":{},\"readinessProbe\":{},\"startupProbe\":{}"),
          "init-lifecycle init-liveness-probe init-readiness-probe init-startup-probe" },
        { INIT("\"restartPolicy\":\"Always\",\"startupProbe\":{\"grpc\":{\"port\":1}}"), "" },
        { POD("\"initContainers\":[{\"name\":\"c\",\"image\":\"x\"}]"), "container-name-twice" },
        { POD("\"dnsPolicy\":\"Sometimes\""), "dns-policy" },
        { POD("\"nodeSelector\":{\"a b\":\"c d\"}"), "node-selector-key node-selector-value" },
        { POD("\"serviceAccountName\":\"A\",\"nodeName\":\"B\",\"activeDeadlineSeconds\":0,"
              "\"hostname\":\"a.b\",\"subdomain\":\"C\",\"priorityClassName\":\"D\""),
          "service-account-name node-name pod-active-deadline hostname subdomain "
          "priority-class-name" },
        { POD("\"ephemeralContainers\":[{\"name\":\"e\",\"image\":\"x\"}]"),
          "ephemeral-containers" },
    };
    JR_BUF patch = { 0 };

    (void)state;
    run_create(rows, JR_ARRAY_SIZE(rows));
    fill(&patch, "{\"spec\":{\"template\":{\"metadata\":{\"annotations\":{\"a\":\"", "\"}}}}}");
    check_create("template annotations", SMALL_JOB, patch.p, "template-annotations-size");
}

/** What defaulting always sets is missing only where nobody defaulted. */
static void undefaulted(void **state)
{
    static const char want[] =
        "grace-period-required volume-source-required termination-policy-required "
        "port-protocol-required pull-policy-required pod-restart-policy-required "
        "dns-policy-required restart-policy-required";
    const struct jr_profile profile = jr_profile_default();
    JR_ARENA arena = { 0 };
    struct jr_errlist errs;
    OBJECT job = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    must_decode("undefaulted",
                must_patch("undefaulted", SMALL_JOB,
                           SPEC("\"manualSelector\":true,\"selector\":{},"
                                "\"template\":{\"spec\":{\"restartPolicy\":null,"
                                "\"volumes\":[{\"name\":\"v\"}],\"containers\":[{\"name\":\"c\","
                                "\"image\":\"x\",\"ports\":[{\"containerPort\":80}]}]}}"),
                           NULL),
                &job);
    jr_errlist_init(&errs, &arena);
    jr_job_validate_create(&job, &profile, &errs);
    want_errlist("undefaulted", &errs, false, want);
    jr_object_done(&job);
    must_decode("conditions",
                must_patch("conditions", SMALL_JOB,
                           SPEC("\"podFailurePolicy\":{\"rules\":[{\"action\":\"Count\","
                                "\"onPodConditions\":[{\"type\":\"A\"}]}]},\"selector\":{}"),
                           NULL),
                &job);
    jr_errlist_init(&errs, &arena);
    jr_job_validate_create(&job, &profile, &errs);
    WANT_STR("labels", errs.v[0].rule, "generated-label-missing");
}

/** Both are patches on the small Job; the first applies to both objects. */
static void check_update(const char *common, const char *patch, const char *want, bool status)
{
    const struct jr_profile profile = jr_profile_default();
    struct jr_doc *old_doc = must_patch(patch, SMALL_JOB, common, NULL);
    struct jr_doc *doc = must_patch(patch, SMALL_JOB, common, patch);
    OBJECT job = { 0 };
    OBJECT old = { 0 };
    JR_ARENA arena = { 0 };
    struct jr_errlist errs;

    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    assert_int_equal(jr_job_default(jr_doc_root(old_doc), &profile), JR_OK);
    assert_int_equal(jr_job_generate(jr_doc_root(old_doc), NULL), JR_OK);
    assert_int_equal(jr_job_default(jr_doc_root(doc), &profile), JR_OK);
    assert_int_equal(jr_job_generate(jr_doc_root(doc), NULL), JR_OK);
    must_decode(patch, old_doc, &old);
    must_decode(patch, doc, &job);
    if (status)
        jr_job_validate_status_update(&job, &old, &profile, &errs);
    else
        jr_job_validate_update(&job, &old, &profile, &errs);
    want_errlist(patch, &errs, false, want);
}

struct update_row {
    const char *common; /* patch of both, or NULL */
    const char *patch;  /* further patch of the new one */
    const char *want;
};

static void run_update(const struct update_row *rows, size_t n, bool status)
{
    for (size_t i = 0; i < n; i++)
        check_update(rows[i].common, rows[i].patch, rows[i].want, status);
}

#define TEMPLATE_LABELS "\"template\":{\"metadata\":{\"labels\":{\"k\":\"v\"}}}"
#define LABEL_A "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"
#define SELECTS(values) \
    "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[" values "]}]}"
#define SELECTING(values) SPEC("\"manualSelector\":true,\"selector\":" SELECTS(values) "," LABEL_A)
#define QUIET                                                                                      \
    "{\"spec\":{\"suspend\":true},\"status\":{\"conditions\":[{\"type\":\"Suspended\",\"status\":" \
    "\"True\"}]}}"

/* Metadata is checked by the API server itself, and then by the Job's own rules. */
#define ALL_META_IMMUTABLE                                                 \
    "meta-name-immutable meta-namespace-immutable meta-uid-immutable "     \
    "meta-creation-timestamp-immutable meta-deletion-timestamp-immutable " \
    "meta-deletion-grace-immutable"

static void update_rules(void **state)
{
    static const struct update_row rows[] = {
        { NULL, "{}", "" },
        { NULL, META("\"resourceVersion\":null"), "meta-resource-version meta-resource-version" },
        { "{\"metadata\":{\"generation\":3}}", META("\"generation\":2"),
          "meta-generation-lower meta-generation-lower" },
        { "{\"metadata\":{\"name\":\"pi\"},\"spec\":{\"manualSelector\":true,\"selector\":{}}}",
          META("\"name\":\"pj\",\"namespace\":\"nt\",\"uid\":\"u-2\","
               "\"creationTimestamp\":\"2026-03-01T12:00:00Z\","
               "\"deletionTimestamp\":\"2026-03-01T12:00:00Z\",\"deletionGracePeriodSeconds\":1"),
          ALL_META_IMMUTABLE " " ALL_META_IMMUTABLE },
        { "{\"metadata\":{\"deletionTimestamp\":\"2026-03-01T12:00:00Z\",\"finalizers\":[\"a/b\"]}"
          "}",
          META("\"finalizers\":[\"a/b\",\"a/d\",\"a/c\",\"a/c\"]"),
          "meta-new-finalizer meta-new-finalizer" },
        { NULL, SPEC("\"completions\":2"), "completions-immutable" },
        { "{\"spec\":{" INDEXED ",\"parallelism\":3}}", SPEC("\"completions\":4,\"parallelism\":4"),
          "" },
        { SPEC(INDEXED), SPEC("\"completions\":4"), "completions-tandem" },
        { "{\"spec\":{\"manualSelector\":true,\"selector\":{}}}",
          SPEC("\"selector\":{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"DoesNotExist\"}]"
               "}"),
          "selector-immutable" },
        /* Values of the selector that are wrong are let through where the old Job has such ones. */
        { SELECTING("\"b\""), SPEC("\"selector\":" SELECTS("\"b\",\"c d\"")),
          "selector-value selector-value selector-immutable" },
        { SELECTING("\"b\",\"c d\""), SPEC("\"selector\":" SELECTS("\"b\",\"e f\"")),
          "selector-immutable" },
        { NULL, SPEC(TEMPLATE_LABELS), "template-immutable" },
        { QUIET, SPEC(TEMPLATE_LABELS), "" },
        { QUIET,
          POD("\"containers\":[{\"name\":\"c\",\"image\":\"x:1\",\"resources\":{\"limits\":{"
              "\"cpu\":1}}}]"),
          "" },
        { QUIET, POD("\"containers\":[{\"name\":\"c\",\"image\":\"x:2\"}]"),
          "template-spec-immutable" },
        { NULL, SPEC("\"completionMode\":\"Indexed\""), "completion-mode-immutable" },
        { SPEC(INDEXED), SPEC("\"completionMode\":null,\"completions\":3"),
          "completion-mode-immutable" },
        { SPEC(INDEXED),
          SPEC("\"podFailurePolicy\":{},\"backoffLimitPerIndex\":1,\"managedBy\":\"a/b\","
               "\"successPolicy\":{\"rules\":[{\"succeededCount\":1}]},"
               "\"podReplacementPolicy\":\"Failed\""),
          "failure-policy-immutable backoff-limit-per-index-immutable managed-by-immutable "
          "success-policy-immutable" },
        { "{\"spec\":{\"managedBy\":\"a/b\"}}", SPEC("\"managedBy\":null"),
          "managed-by-immutable" },
        { NULL,
          SPEC("\"parallelism\":9,\"completions\":1,\"suspend\":true,\"backoffLimit\":1,"
               "\"activeDeadlineSeconds\":9,"
               "\"ttlSecondsAfterFinished\":9,\"podReplacementPolicy\":\"Failed\""),
          "" },
        /* quantities by value, null and absent, {} of a map */
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x\","
          "\"resources\":{\"limits\":{\"cpu\":\"0.5\"}}}]}}}}",
          POD("\"nodeSelector\":{},\"volumes\":[],\"hostname\":\"\",\"containers\":[{\"name\":"
              "\"c\",\"image\":\"x\",\"env\":[],\"resources\":{\"limits\":{\"cpu\":\"500m\"},"
              "\"requests\":{}}}]"),
          "" },
    };

    (void)state;
    run_update(rows, JR_ARRAY_SIZE(rows), false);
}

#define STATUS(s) "{\"status\":{" s "}}"
#define COND(type, status) "{\"type\":\"" type "\",\"status\":\"" status "\"}"
#define START "\"startTime\":\"2026-03-01T12:00:00Z\""
#define END "\"completionTime\":\"2026-03-01T12:00:09Z\""
#define DONE                                                                                      \
    "\"conditions\":[" COND("SuccessCriteriaMet", "True") "," COND("Complete", "True") "]," START \
                                                                                       "," END
#define CONDITIONS(c) "\"conditions\":[" c "]"

static void status_rules(void **state)
{
    static const struct update_row rows[] = {
        { NULL, STATUS(DONE), "" },
        { NULL,
          STATUS("\"active\":-1,\"succeeded\":-1,\"failed\":-1,\"ready\":-2,\"terminating\":-1"),
          "status-1-active status-1-succeeded status-1-failed status-1-ready "
          "status-1-terminating status-24 status-25" },
        { NULL,
          STATUS("\"uncountedTerminatedPods\":{\"succeeded\":[\"\"],\"failed\":[\"a\",\"a\"]}"),
          "status-2-empty status-2-twice" },
        { NULL,
          STATUS(CONDITIONS(COND("Complete", "True") "," COND("Failed", "True") "," COND(
              "FailureTarget", "True")) "," START "," END),
          "status-3 status-4 status-9" },
        { NULL, STATUS(START "," END), "status-5" },
        { NULL,
          STATUS(CONDITIONS(
              COND("SuccessCriteriaMet", "True") "," COND("Complete", "True")) "," START),
          "status-6" },
        { NULL,
          STATUS(CONDITIONS(COND("SuccessCriteriaMet", "True") "," COND(
              "Complete", "True")) "," START ",\"completionTime\":\"2026-03-01T11:59:59Z\""),
          "status-7" },
        { NULL, STATUS(CONDITIONS(COND("Failed", "True")) "," START), "status-8" },
        { NULL, STATUS(CONDITIONS(COND("Complete", "True")) "," START "," END), "status-9" },
        { NULL,
          STATUS(DONE ",\"active\":1,\"terminating\":1,\"uncountedTerminatedPods\":{\"failed\":["
                      "\"a\"]}"),
          "status-10 status-12 status-18" },
        { NULL, STATUS(CONDITIONS(COND("FailureTarget", "True") "," COND("Failed", "True"))),
          "status-11" },
        { SPEC(INDEXED ",\"backoffLimitPerIndex\":1"),
          STATUS("\"completedIndexes\":\"3\",\"failedIndexes\":\"a\""), "status-13 status-14" },
        { NULL, STATUS("\"completedIndexes\":\"0\",\"failedIndexes\":\"\""),
          "status-15 status-16" },
        { SPEC(INDEXED ",\"backoffLimitPerIndex\":1"),
          STATUS("\"completedIndexes\":\"x,0-1\",\"failedIndexes\":\"1-2\""),
          "status-13 status-17" },
        /* Both have an index in common, in the first of two intervals each. */
        { SPEC(INDEXED ",\"backoffLimitPerIndex\":1"),
          STATUS("\"completedIndexes\":\"0,2\",\"failedIndexes\":\"0\""), "status-17" },
        { SPEC(INDEXED ",\"backoffLimitPerIndex\":1"),
          STATUS("\"completedIndexes\":\"0\",\"failedIndexes\":\"0,2\""), "status-17" },
        { NULL, STATUS("\"ready\":1"), "status-19" },
        { NULL,
          STATUS(CONDITIONS(COND("SuccessCriteriaMet", "True") "," COND(
              "FailureTarget", "True") "," COND("Failed", "True")) "," START),
          "status-20 status-21" },
        { "{\"spec\":{" INDEXED ",\"successPolicy\":{\"rules\":[{\"succeededCount\":1}]}}}",
          STATUS(CONDITIONS(COND("Complete", "True")) "," START "," END), "status-9 status-22" },
        { STATUS(CONDITIONS(COND("FailureTarget", "True") "," COND("Failed", "True")) "," START),
          STATUS("\"conditions\":null"), "status-23-failed status-23-failure-target" },
        { STATUS(DONE), STATUS("\"conditions\":null,\"completionTime\":null"),
          "status-23-complete status-28" },
        { STATUS("\"failed\":2,\"succeeded\":2"), STATUS("\"failed\":1,\"succeeded\":1"),
          "status-24 status-25" },
        { STATUS(DONE), STATUS("\"completionTime\":\"2026-03-01T12:00:10Z\""), "status-26" },
        { STATUS(START), STATUS("\"startTime\":null"), "status-27" },
        { STATUS(CONDITIONS(COND("Complete", "True")) "," START "," END),
          STATUS(CONDITIONS(COND("Complete", "True") "," COND("SuccessCriteriaMet", "True"))),
          "status-29" },
    };

    (void)state;
    run_update(rows, JR_ARRAY_SIZE(rows), true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metadata_rules), cmocka_unit_test(metadata_on_its_own),
        cmocka_unit_test(selector_rules), cmocka_unit_test(spec_rules),
        cmocka_unit_test(policy_rules),   cmocka_unit_test(long_lists),
        cmocka_unit_test(template_rules), cmocka_unit_test(undefaulted),
        cmocka_unit_test(update_rules),   cmocka_unit_test(status_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
