/* SPDX-License-Identifier: Apache-2.0 */
/* CronJobs: every rule broken at least once, defaults, preparation and warnings. */
#include "common/job/cron_job.h"
#include "common/rules/meta.h"
#include "tests/support/failalloc.h"
#include "tests/support/object.h"
#include "tests/support/rule_ids.h"
#include "tests/unit/job/job_test.h"

#define TEMPLATE                                                                     \
    "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":" \
    "\"c\",\"image\":\"x:1\"}]}}"
#define SMALL_CRON                                                                              \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"CronJob\",\"metadata\":{\"name\":\"nightly\","     \
    "\"namespace\":\"ns\",\"uid\":\"u-1\",\"resourceVersion\":\"7\"},\"spec\":{\"schedule\":\"" \
    "0 3 * * *\",\"jobTemplate\":{\"spec\":{" TEMPLATE "}}}}"
#define JOB_SPEC(s) SPEC("\"jobTemplate\":{\"spec\":{" s "}}")

/* ---- the rules ---- */

/** How often each rule was broken in this program. */
static unsigned *hits(void)
{
    static unsigned counts[JR_RULE_COUNT];

    return counts;
}

static void want_errors(const char *name, const struct jr_errlist *errs, const char *want)
{
    for (size_t i = 0; i < errs->n; i++) {
        for (size_t r = 0; r < JR_RULE_COUNT; r++)
            hits()[r] += errs->v[i].rule != NULL && strcmp(errs->v[i].rule, rule_ids[r]) == 0;
    }
    want_errlist(name, errs, true, want);
}

static void check_create(const char *patch, const char *want)
{
    const struct jr_profile profile = jr_profile_default();
    JR_ARENA arena = { 0 };
    struct jr_errlist errs;
    struct jr_doc *doc = must_patch(patch, SMALL_CRON, patch, NULL);
    OBJECT job = { 0 };

    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    assert_int_equal(jr_cron_job_default(jr_doc_root(doc), &profile), JR_OK);
    assert_int_equal(jr_cron_job_prepare_create(jr_doc_root(doc), &profile), JR_OK);
    must_open(patch, &jr_schema_cron_job, doc, &job);
    jr_cron_job_validate_create(&job, &profile, &errs);
    want_errors(patch, &errs, want);
}

static void run_create(const struct create_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_create(rows[i].patch, rows[i].want);
}

#define N52 "a234567890b234567890c234567890d234567890e234567890f2"
#define TEMPLATE_PATH "spec.jobTemplate.spec"

static void create_rules(void **state)
{
    static const struct create_row rows[] = {
        { "{}", "" },
        { SPEC("\"schedule\":null"), "spec.schedule=cron-schedule-required" },
        { SPEC("\"schedule\":\"\",\"timeZone\":\"TZ\""),
          "spec.schedule=cron-schedule-required spec.timeZone=cron-time-zone" },
        { SPEC("\"schedule\":\"0 25 * * *\""), "spec.schedule=cron-schedule" },
        { SPEC("\"schedule\":\"TZ=UTC 0 3 * * *\""), "spec.schedule=cron-schedule-zone" },
        { SPEC("\"schedule\":\"TZ=UTC 0 3 * * *\",\"timeZone\":\"UTC\""),
          "spec.schedule=cron-schedule-zone" },
        { SPEC("\"schedule\":\"CRON_TZ=x\""),
          "spec.schedule=cron-schedule spec.schedule=cron-schedule-zone" },
        { SPEC("\"timeZone\":\"Europe/Berlin\""), "" },
        { SPEC("\"timeZone\":\"UTC\""), "" },
        { SPEC("\"timeZone\":\"\""), "spec.timeZone=cron-time-zone-empty" },
        { SPEC("\"timeZone\":\"Local\""), "spec.timeZone=cron-time-zone-local" },
        { SPEC("\"timeZone\":\"LOCAL\""),
          "spec.timeZone=cron-time-zone-local spec.timeZone=cron-time-zone" },
        { SPEC("\"timeZone\":\"Europe/Bonn\""), "spec.timeZone=cron-time-zone" },
        { SPEC("\"timeZone\":\"../UTC\""), "spec.timeZone=cron-time-zone" },
        { SPEC("\"timeZone\":\"Europe//Berlin\""), "spec.timeZone=cron-time-zone" },
        { SPEC("\"timeZone\":\"UTC/\""), "spec.timeZone=cron-time-zone" },
        { SPEC("\"timeZone\":\"-5\""), "spec.timeZone=cron-time-zone" },
        { SPEC("\"timeZone\":\"a23456789012345\""), "spec.timeZone=cron-time-zone" },
        { SPEC("\"startingDeadlineSeconds\":-1"),
          "spec.startingDeadlineSeconds=cron-starting-deadline-negative" },
        { SPEC("\"startingDeadlineSeconds\":0,\"suspend\":true"), "" },
        { SPEC("\"concurrencyPolicy\":\"Replace\""), "" },
        { SPEC("\"concurrencyPolicy\":\"Sometimes\""),
          "spec.concurrencyPolicy=cron-concurrency-policy" },
        { SPEC("\"failedJobsHistoryLimit\":-1,\"successfulJobsHistoryLimit\":-2"),
          "spec.successfulJobsHistoryLimit=cron-successful-history-negative "
          "spec.failedJobsHistoryLimit=cron-failed-history-negative" },
        { SPEC("\"failedJobsHistoryLimit\":0,\"successfulJobsHistoryLimit\":0"), "" },
        { "{\"metadata\":{\"name\":\"" N52 "\"}}", "" },
        { "{\"metadata\":{\"name\":\"" N52 "3\"}}", "metadata.name=cron-name-length" },
        { "{\"metadata\":{\"name\":\"Nightly\"}}", "metadata.name=meta-name" },
        { "{\"metadata\":{\"uid\":null}}", "" },
        { SPEC("\"schedule\":\"x\",\"startingDeadlineSeconds\":-1,\"timeZone\":\"x\","
               "\"concurrencyPolicy\":\"x\",\"failedJobsHistoryLimit\":-1,"
               "\"jobTemplate\":{\"spec\":{\"parallelism\":-1,\"manualSelector\":true}}"),
          "spec.schedule=cron-schedule "
          "spec.startingDeadlineSeconds=cron-starting-deadline-negative "
          "spec.timeZone=cron-time-zone "
          "spec.concurrencyPolicy=cron-concurrency-policy " TEMPLATE_PATH
          ".parallelism=parallelism-negative " TEMPLATE_PATH ".manualSelector=cron-manual-selector "
          "spec.failedJobsHistoryLimit=cron-failed-history-negative" },
    };

    (void)state;
    run_create(rows, JR_ARRAY_SIZE(rows));
}

/* The Job's rules under the template's path; what only a Job has is unchecked here. */
static void template_rules(void **state)
{
    static const struct create_row rows[] = {
        { JOB_SPEC("\"selector\":{}"), TEMPLATE_PATH ".selector=cron-selector" },
        { JOB_SPEC("\"selector\":{\"matchLabels\":{\"a b\":\"\"}},\"manualSelector\":true"),
          TEMPLATE_PATH ".selector=cron-selector " TEMPLATE_PATH
                        ".manualSelector=cron-manual-selector" },
        { JOB_SPEC("\"manualSelector\":false"), "" },
        { JOB_SPEC("\"completionMode\":\"Indexed\""),
          TEMPLATE_PATH ".completions=indexed-completions-required" },
        { JOB_SPEC("\"completionMode\":\"Indexed\",\"completions\":1"), "" },
        { JOB_SPEC("\"completionMode\":\"\""), TEMPLATE_PATH ".completionMode=completion-mode" },
        { JOB_SPEC("\"backoffLimitPerIndex\":1"),
          TEMPLATE_PATH ".backoffLimitPerIndex=backoff-limit-per-index-mode" },
        { JOB_SPEC("\"template\":{\"spec\":{\"restartPolicy\":null}}"),
          TEMPLATE_PATH ".template.spec.restartPolicy=restart-policy-required" },
        { JOB_SPEC("\"template\":{\"metadata\":{\"labels\":{\"a b\":\"c\"}}}"),
          TEMPLATE_PATH ".template.labels=template-label-key" },
        { JOB_SPEC("\"successPolicy\":{\"rules\":[{\"succeededCount\":1}]}"),
          TEMPLATE_PATH ".successPolicy=success-policy-mode" },
        /* what makes kube-apiserver 1.36 panic */
        { JOB_SPEC("\"completionMode\":\"Indexed\",\"successPolicy\":{\"rules\":[{"
                   "\"succeededCount\":1,\"succeededIndexes\":\"0-1\"}]}"),
          TEMPLATE_PATH ".completions=indexed-completions-required" },
        { SPEC("\"jobTemplate\":{\"metadata\":{\"name\":\"N%\",\"labels\":{\"a b\":\"\"}}}"), "" },
        { SPEC("\"jobTemplate\":null"),
          TEMPLATE_PATH ".template.spec.containers=containers-required " TEMPLATE_PATH
                        ".template.spec.restartPolicy=restart-policy-required" },
    };

    (void)state;
    run_create(rows, JR_ARRAY_SIZE(rows));
}

struct update_row {
    const char *old; /* patch of both */
    const char *now; /* further patch of the new one */
    const char *want;
    int64_t generation; /* of the new one; the old one's is 4 */
};

static void check_update(const struct update_row *row)
{
    const struct jr_profile profile = jr_profile_default();
    JR_ARENA arena = { 0 };
    struct jr_errlist errs;
    struct jr_doc *old_doc = must_patch(row->now, SMALL_CRON, row->old,
                                        "{\"metadata\":{\"generation\":4},\"status\":{"
                                        "\"lastScheduleTime\":\"2026-01-01T00:00:00Z\"}}");
    struct jr_doc *doc = must_patch(row->now, SMALL_CRON, row->old, row->now);
    OBJECT job = { 0 };
    OBJECT old = { 0 };

    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    assert_int_equal(jr_cron_job_default(jr_doc_root(old_doc), &profile), JR_OK);
    assert_int_equal(jr_cron_job_default(jr_doc_root(doc), &profile), JR_OK);
    assert_int_equal(jr_cron_job_prepare_update(jr_doc_root(doc), jr_doc_root(old_doc), &profile),
                     JR_OK);
    want_json(row->now, jr_get(jr_doc_root(doc), "status"),
              "{\"lastScheduleTime\":\"2026-01-01T00:00:00Z\"}");
    must_open(row->now, &jr_schema_cron_job, doc, &job);
    must_open(row->now, &jr_schema_cron_job, old_doc, &old);
    assert_int_equal(job.cron_job->meta.generation, row->generation);
    jr_cron_job_validate_update(&job, &old, &profile, &errs);
    want_errors(row->now, &errs, row->want);
}

#define OLD_ZONE SPEC("\"schedule\":\"TZ=UTC 0 3 * * *\"")

static void update_rules(void **state)
{
    static const struct update_row rows[] = {
        { "{}", "{}", "", 4 },
        { "{}", "{\"status\":{\"lastScheduleTime\":null}}", "", 4 },
        { "{}", SPEC("\"schedule\":\"0 4 * * *\""), "", 5 },
        { "{}", SPEC("\"startingDeadlineSeconds\":0"), "", 5 },
        { "{}", SPEC("\"concurrencyPolicy\":\"Allow\""), "", 4 },
        { "{}", SPEC("\"jobTemplate\":{\"metadata\":{\"labels\":{}}}"), "", 4 },
        { "{}", JOB_SPEC("\"completionMode\":\"\""),
          TEMPLATE_PATH ".completionMode=completion-mode", 5 },
        /* nothing is immutable */
        { "{}", JOB_SPEC("\"template\":{\"spec\":{\"restartPolicy\":\"OnFailure\"}}"), "", 5 },
        { "{}", SPEC("\"schedule\":\"TZ=UTC 0 3 * * *\""), "spec.schedule=cron-schedule-zone", 5 },
        { OLD_ZONE, SPEC("\"schedule\":\"CRON_TZ=Asia/Tokyo 0 3 * * *\""), "", 5 },
        { OLD_ZONE, SPEC("\"timeZone\":\"UTC\""), "spec.schedule=cron-schedule-two-zones", 5 },
        /* an old time zone may stay, whatever it is */
        { SPEC("\"timeZone\":\"Mars\""), SPEC("\"suspend\":true"), "", 5 },
        { SPEC("\"timeZone\":\"Mars\""), SPEC("\"timeZone\":\"Venus\""),
          "spec.timeZone=cron-time-zone", 5 },
        { SPEC("\"timeZone\":\"Mars\""), SPEC("\"timeZone\":\"\""),
          "spec.timeZone=cron-time-zone-empty", 5 },
        { SPEC("\"timeZone\":\"Mars\""), SPEC("\"timeZone\":null"), "", 5 },
        /* so may a long name */
        { "{\"metadata\":{\"name\":\"" N52 "3\"}}", SPEC("\"suspend\":true"), "", 5 },
        { "{}", "{\"metadata\":{\"name\":\"a/b\"}}",
          "metadata.name=meta-name metadata.name=meta-name-immutable "
          "metadata.name=meta-name-immutable",
          4 },
        { "{}", "{\"metadata\":{\"finalizers\":[\"x\"]}}",
          "metadata.finalizers[0]=meta-finalizer-standard", 4 },
        { "{}", "{\"metadata\":{\"finalizers\":[\"a b/c\"]}}", "metadata.finalizers=meta-finalizer",
          4 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        check_update(&rows[i]);
}

/** Of metadata an update validates the name only as a part of a path, before the kind's own rules.
 */
static void metadata_before_update(void **state)
{
    static const struct {
        const char *name;
        const char *generate_name;
        const char *want;
    } rows[] = {
        { "a", "", "" },
        { "A_b", "A_b", "" },
        { "..", "..", "metadata.name=meta-name" },
        { ".", "", "metadata.name=meta-name" },
        { "%", "/%",
          "metadata.generateName=meta-generate-name metadata.generateName=meta-generate-name "
          "metadata.name=meta-name" },
        { "", "", "metadata.name=meta-name-required" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_meta meta = { .name = jr_str(rows[i].name),
                                      .generate_name = jr_str(rows[i].generate_name),
                                      .namespace = JR_S("ns"),
                                      .resource_version = JR_S("1") };
        JR_ARENA arena = { 0 };
        struct jr_errlist errs;

        jr_arena_init(&arena, 0);
        jr_errlist_init(&errs, &arena);
        jr_validate_meta_any_update(&meta, &meta, &errs);
        want_errors(rows[i].name, &errs, rows[i].want);
    }
}

/* Undefaulted, the policy is missing. */
static void undefaulted(void **state)
{
    const struct jr_profile profile = jr_profile_default();
    JR_ARENA arena = { 0 };
    struct jr_errlist errs;
    OBJECT job = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    must_open("undefaulted", &jr_schema_cron_job, must_patch("undefaulted", SMALL_CRON, NULL, NULL),
              &job);
    jr_cron_job_validate_create(&job, &profile, &errs);
    want_errors("undefaulted", &errs,
                "spec.concurrencyPolicy=cron-concurrency-policy-required " TEMPLATE_PATH
                ".template.spec.terminationGracePeriodSeconds=grace-period-required " TEMPLATE_PATH
                ".template.spec.containers[0].terminationMessagePolicy="
                "termination-policy-required " TEMPLATE_PATH
                ".template.spec.containers[0].imagePullPolicy=pull-policy-required " TEMPLATE_PATH
                ".template.spec.dnsPolicy=dns-policy-required");
}

static void no_rule_was_left_out(void **state)
{
    static const enum jr_rule mine[] = {
#define X(name, id, type, detail) JR_RULE_##name,
        JR_RULE_MAP_CRON_JOB(X)
#undef X
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(mine); i++) {
        if (hits()[mine[i]] == 0)
            fail_msg("never broken: %s", rule_ids[mine[i]]);
    }
}

/* ---- values and words ---- */

static void words(void **state)
{
    static const struct {
        const char *patch;
        const char *want;
    } rows[] = {
        { SPEC("\"schedule\":\"60 * * * \\u00e9\\\"\""),
          "Invalid value: \"60 * * * \xc3\xa9\\\"\": end of range (60) above maximum (59): 60" },
        { SPEC("\"timeZone\":\"Mars/Olympus\""),
          "Invalid value: \"Mars/Olympus\": unknown time zone Mars/Olympus" },
        /* A text that can't be a name isn't looked for: the look-up has other words for it. */
        { SPEC("\"timeZone\":\"../UTC\""), "Invalid value: \"../UTC\": unknown time zone ../UTC" },
        { SPEC("\"timeZone\":\"\\\\UTC\""), "Invalid value: \"\\\\UTC\": unknown time zone \\UTC" },
        { SPEC("\"timeZone\":\"\""),
          "Invalid value: \"\": timeZone must be nil or non-empty string" },
        { SPEC("\"concurrencyPolicy\":\"allow\""),
          "Unsupported value: \"allow\": supported values: \"Allow\", \"Forbid\", \"Replace\"" },
        { JOB_SPEC("\"manualSelector\":true"),
          "Unsupported value: true: supported values: \"nil\", \"false\"" },
        { JOB_SPEC("\"selector\":{\"matchLabels\":{\"a\":\"b\"}}"),
          "Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: `selector` will be auto-generated" },
        { SPEC("\"startingDeadlineSeconds\":-1"),
          "Invalid value: -1: must be greater than or equal to 0" },
    };
    const struct jr_profile profile = jr_profile_default();

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_doc *doc = must_patch("words", SMALL_CRON, rows[i].patch, NULL);
        JR_ARENA arena = { 0 };
        JR_BUF text = { 0 };
        struct jr_errlist errs;
        OBJECT job = { 0 };

        jr_arena_init(&arena, 0);
        jr_errlist_init(&errs, &arena);
        jr_buf_init(&text, 4096);
        assert_int_equal(jr_cron_job_default(jr_doc_root(doc), &profile), JR_OK);
        must_open("words", &jr_schema_cron_job, doc, &job);
        jr_cron_job_validate_create(&job, &profile, &errs);
        assert_int_equal(errs.n, 1);
        assert_int_equal(jr_field_error_write(&errs.v[0], &text), JR_OK);
        WANT_STR(rows[i].patch, text.p, rows[i].want);
    }
}

/* ---- defaults and preparation ---- */

static void defaults(void **state)
{
    static const char want[] =
        "{\"schedule\":\"0 3 * * *\",\"concurrencyPolicy\":\"Allow\",\"suspend\":false,"
        "\"successfulJobsHistoryLimit\":3,\"failedJobsHistoryLimit\":1,\"jobTemplate\":{\"spec\":{"
        "\"podFailurePolicy\":{\"rules\":[{\"action\":\"Ignore\",\"onPodConditions\":[{\"type\":"
        "\"A\",\"status\":\"True\"}]}]},\"template\":{\"spec\":{\"restartPolicy\":\"Never\","
        "\"dnsPolicy\":\"ClusterFirst\",\"schedulerName\":\"default-scheduler\","
        "\"securityContext\":{},\"terminationGracePeriodSeconds\":30,\"containers\":[{\"name\":"
        "\"c\",\"image\":\"x:1\",\"imagePullPolicy\":\"IfNotPresent\",\"resources\":{},"
        "\"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\"}"
        "]}}}}}";
    static const char conditions[] =
        JOB_SPEC("\"podFailurePolicy\":{\"rules\":[{\"action\":\"Ignore\",\"onPodConditions\":[{"
                 "\"type\":\"A\"}]}]}");
    const struct jr_profile profile = jr_profile_default();
    DOC *doc = must_patch("defaults", SMALL_CRON, conditions, NULL);

    (void)state;
    for (int i = 0; i < 2; i++) { /* once more changes nothing */
        assert_int_equal(jr_cron_job_default(jr_doc_root(doc), &profile), JR_OK);
        want_json("defaults", jr_get(jr_doc_root(doc), "spec"), want);
    }
    want_json("metadata", jr_get(jr_doc_root(doc), "metadata"),
              "{\"name\":\"nightly\",\"namespace\":\"ns\",\"uid\":\"u-1\",\"resourceVersion\":"
              "\"7\"}");
}

/* However little room there is for the log, it says how much was left out. */
static void short_logs(void **state)
{
    const struct jr_profile profile = jr_profile_default();

    (void)state;
    for (size_t max = 16; max < 1200; max++) {
        JR_CLEANUP(jr_defaulting_log_done) struct jr_defaulting_log log = { .omitted = 0 };
        DOC *doc = must_patch("log", SMALL_CRON, NULL, NULL);
        struct jr_str rest, entry = { NULL, 0 };
        char more[32];
        size_t n = 0;

        jr_defaulting_log_init(&log, max);
        assert_int_equal(jr_cron_job_complete(jr_doc_root(doc), &profile, &log), JR_OK);
        assert_int_equal(jr_defaulting_log_text(&log, &rest), JR_OK);
        assert_true(rest.n <= max);
        while (jr_str_cut(&rest, ',', &entry))
            n++;
        (void)snprintf(more, sizeof(more), "...=%zu", log.omitted);
        assert_int_equal(jr_str_is(entry, more), log.omitted > 0);
        assert_int_equal(log.omitted > 0 ? n - 1 + log.omitted : n, 12);
    }
}

/* Wrong types are left for the decoder to report. */
static void wrong_types(void **state)
{
    static const struct {
        const char *patch;
        const char *path;
    } rows[] = {
        { SPEC("\"schedule\":5"), "spec.schedule" },
        { SPEC("\"timeZone\":true"), "spec.timeZone" },
        { SPEC("\"suspend\":\"no\""), "spec.suspend" },
        { SPEC("\"successfulJobsHistoryLimit\":3000000000"), "spec.successfulJobsHistoryLimit" },
        { SPEC("\"jobTemplate\":[]"), "spec.jobTemplate" },
        { SPEC("\"jobTemplate\":{\"metadata\":{\"labels\":{\"a\":1}}}"),
          "spec.jobTemplate.metadata.labels.a" },
        { JOB_SPEC("\"completions\":\"1\""), "spec.jobTemplate.spec.completions" },
        { "{\"status\":{\"lastScheduleTime\":\"yesterday\"}}", "status.lastScheduleTime" },
        { "{\"spec\":7}", "spec" },
    };
    const struct jr_profile profile = jr_profile_default();

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_doc *doc = must_patch("types", SMALL_CRON, rows[i].patch, NULL);
        struct jr_error err = { 0 };
        OBJECT job = { 0 };

        assert_int_equal(jr_cron_job_default(jr_doc_root(doc), &profile), JR_OK);
        assert_true(open_tree(&jr_schema_cron_job, doc, &job, &err) != JR_OK);
        WANT_STR(rows[i].patch, err.path, rows[i].path);
    }
}

static void preparation(void **state)
{
    static const char sent[] =
        "{\"metadata\":{\"generation\":9},\"status\":{\"lastScheduleTime\":\"x\"},\"spec\":{"
        "\"jobTemplate\":{\"spec\":{\"template\":{\"spec\":{\"schedulingGroup\":{},"
        "\"serviceAccountName\":\"robot\"}}}}}}";
    struct jr_profile profile = jr_profile_default();
    DOC *doc = must_patch("create", SMALL_CRON, sent, NULL);
    DOC *other =
        must_patch("status", SMALL_CRON,
                   "{\"status\":{\"active\":[]},\"spec\":{\"schedule\":\"@daily\"}}", NULL);
    const struct jr_node *pod;

    (void)state;
    assert_int_equal(jr_cron_job_prepare_create(jr_doc_root(doc), &profile), JR_OK);
    want_json("create", jr_get(jr_doc_root(doc), "status"), "{}");
    assert_int_equal(jr_node_i64_or(jr_path(jr_doc_root(doc), "metadata.generation"), 0), 1);
    pod = jr_path(jr_doc_root(doc), "spec.jobTemplate.spec.template.spec");
    assert_null(jr_get(pod, "schedulingGroup"));
    want_json("the account's old name", jr_get(pod, "serviceAccount"), "\"robot\"");
    assert_int_equal(jr_cron_job_prepare_status_update(jr_doc_root(other), jr_doc_root(doc)),
                     JR_OK);
    want_json("status", jr_get(jr_doc_root(other), "status"), "{\"active\":[]}");
    want_json("status", jr_path(jr_doc_root(other), "spec.schedule"), "\"0 3 * * *\"");
}

/* ---- warnings ---- */

static void check_warnings(const char *patch, const char *old_patch, const char *want)
{
    const struct jr_profile profile = jr_profile_default();
    struct jr_doc *doc = must_patch(patch, SMALL_CRON, old_patch, patch);
    JR_ARENA arena = { 0 };
    JR_BUF have = { 0 };
    struct jr_warnings list = { .arena = &arena };
    OBJECT job = { 0 };
    OBJECT old = { 0 };

    jr_arena_init(&arena, 0);
    jr_buf_init(&have, (size_t)1 << 16);
    assert_int_equal(jr_cron_job_default(jr_doc_root(doc), &profile), JR_OK);
    must_open(patch, &jr_schema_cron_job, doc, &job);
    if (old_patch != NULL)
        must_open(patch, &jr_schema_cron_job, must_patch(patch, SMALL_CRON, old_patch, NULL), &old);
    jr_cron_job_warnings(&job, old_patch == NULL ? NULL : &old, &profile, &list);
    assert_int_equal(list.failed, JR_OK);
    for (size_t i = 0; i < list.list.n; i++)
        (void)jr_buf_addf(&have, "%s%.*s", i > 0 ? "; " : "", JR_P(list.list.v[i]));
    WANT_STR(patch, have.p == NULL ? "" : have.p, want);
}

#define OS                                                                            \
    JOB_SPEC("\"template\":{\"spec\":{\"nodeSelector\":{\"beta.kubernetes.io/os\":\"" \
             "linux\"}}}")
#define OS_WARNING                                                                         \
    "spec.jobTemplate.spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated " \
    "since v1.14; use \"kubernetes.io/os\" instead"
#define ZONE_WARNING                                                             \
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see " \
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
#define GENERATION "{\"metadata\":{\"generation\":2}}"

static void warnings(void **state)
{
    (void)state;
    check_warnings("{}", NULL, "");
    check_warnings("{\"metadata\":{\"name\":\"a.b\"}}", NULL,
                   "metadata.name: this is used in Pod names and hostnames, which can result in "
                   "surprising behavior; a DNS label is recommended: [must not contain dots]");
    check_warnings(OS, NULL, OS_WARNING);
    check_warnings(JOB_SPEC("\"completionMode\":\"Indexed\",\"completions\":100001,"
                            "\"parallelism\":10001"),
                   NULL,
                   "spec.jobTemplate.spec: In Indexed Jobs with a number of completions higher "
                   "than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to "
                   "track completedIndexes when a big number of indexes fail");
    /* on update only where the spec changed, but for the zone, and the name is of no account */
    check_warnings("{}", OS, "");
    check_warnings(GENERATION, OS, OS_WARNING);
    check_warnings("{}", "{\"metadata\":{\"name\":\"a.b\"}}", "");
    check_warnings("{}", OLD_ZONE, ZONE_WARNING);
    check_warnings(SPEC("\"schedule\":\"0 3 * * *\""), OLD_ZONE, "");
}

/* ---- without memory ---- */

static void no_memory(void **state)
{
    const struct jr_profile profile = jr_profile_default();
    bool done = false;

    (void)state;
    for (long n = 1; !done; n++) {
        struct jr_doc *doc = must_patch("memory", SMALL_CRON, SPEC("\"schedule\":\"x\""), NULL);
        JR_ARENA arena = { 0 };
        struct jr_errlist errs;
        struct jr_error err;
        OBJECT job = { 0 };
        enum jr_status st;

        jr_arena_init(&arena, 0);
        jr_errlist_init(&errs, &arena);
        jr_failalloc_arm(n);
        st = jr_cron_job_default(jr_doc_root(doc), &profile);
        if (st == JR_OK)
            st = open_tree(&jr_schema_cron_job, doc, &job, &err);
        else
            jr_doc_free(doc);
        if (st == JR_OK)
            jr_cron_job_validate_create(&job, &profile, &errs);
        jr_failalloc_disarm();
        done = !jr_failalloc_hit();
        assert_true(done || st == JR_NOMEM || errs.failed == JR_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_rules), cmocka_unit_test(template_rules),
        cmocka_unit_test(update_rules), cmocka_unit_test(metadata_before_update),
        cmocka_unit_test(undefaulted),  cmocka_unit_test(no_rule_was_left_out),
        cmocka_unit_test(words),        cmocka_unit_test(defaults),
        cmocka_unit_test(short_logs),   cmocka_unit_test(wrong_types),
        cmocka_unit_test(preparation),  cmocka_unit_test(warnings),
        cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
