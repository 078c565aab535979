/* SPDX-License-Identifier: Apache-2.0 */
/* Test suites of JobPolicies: what is wrong with them, what their cases come to, and which rules
 * they leave untested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/manifest_file.h"
#include "cli/suites.h"

#define NOW 1790000000 /* September 2026 */
#define POLICY(name, spec)                                                              \
    "apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: " name \
    "}\nspec:\n" spec
#define WIDE POLICY("wide", "  limits: {parallelism: {max: 4}}\n")
#define SUITE "apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicyTest\n"
#define POD "template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}"
#define JOB_IN(meta, spec) \
    "{apiVersion: batch/v1, kind: Job, metadata: {name: j" meta "}, spec: {" spec "}}"
#define JOB(spec) JOB_IN("", spec POD)
#define CRON_JOB(spec)                                                                          \
    "{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {schedule: '0 3 * * *', " \
    "jobTemplate: {spec: {" spec POD "}}}}"
#define CASE(name, object, expect) \
    "- name: " name "\n  object: " object "\n  expect: {" expect "}\n"
#define USED(name, by)        \
    "- name: " name "\n  " by \
    "\n  object: " JOB("parallelism: 5, ") "\n  expect: {outcome: Allowed}\n"
#define CASES "cases:\n"
#define GOOD CASE("fine", JOB(""), "outcome: Allowed")
#define BAD CASE("wide", JOB("parallelism: 5, "), "outcome: Denied")
#define TESTED "1 rule: 0 never violated, 0 never met\n"

/* ---- running ---- */

struct scene {
    char dir[64];
    struct jr_buf out, err;
    struct jr_report *report; /* NULL: none */
    int code;
};

static int drop(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static void scene_done(struct scene *s)
{
    jr_buf_done(&s->out);
    jr_buf_done(&s->err);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread */
    assert_int_equal(nftw(s->dir, drop, 8, FTW_DEPTH | FTW_PHYS), 0);
}

#define SCENE JR_CLEANUP(scene_done) struct scene

static void scene_init(struct scene *s)
{
    *s = (struct scene){ .dir = "/tmp/jobreeve-suites.XXXXXX" };
    assert_non_null(mkdtemp(s->dir));
    jr_buf_init(&s->out, (size_t)1 << 20);
    jr_buf_init(&s->err, (size_t)1 << 20);
}

static void make(const struct scene *s, const char *name, const char *text)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/%s", s->dir, name);
    assert_int_equal(jr_file_make(path, jr_str(text), NULL), JR_OK);
}

static void make_dir(const struct scene *s, const char *name)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/%s", s->dir, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

/** Of lines that begin with the folder it is left out. */
static void drop_folder(const struct scene *s, struct jr_buf *b)
{
    const size_t n = strlen(s->dir) + 1;
    JR_BUF short_ = { 0 };

    jr_buf_init(&short_, (size_t)1 << 20);
    for (size_t i = 0; i < b->n; i++) {
        if (strncmp(b->p + i, s->dir, n - 1) == 0)
            i += n;
        (void)jr_buf_addc(&short_, b->p[i]);
    }
    jr_buf_reset(b);
    (void)jr_buf_add(b, jr_buf_str(&short_));
}

/** Runs the texts (ended by NULL) as suites of the folder. */
static void run(struct scene *s, bool verbose, const char *const *texts)
{
    JR_CLEANUP(jr_suites_done)
    struct jr_suites suites = {
        .now = jr_time_s(NOW),
        .verbose = verbose,
        .out = &s->out,
        .err = &s->err,
        .report = s->report,
    };
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/s.yaml", s->dir);
    for (size_t i = 0; texts[i] != NULL; i++)
        jr_suites_text(&suites, jr_str(path), jr_str(texts[i]));
    jr_suites_end(&suites);
    s->code = jr_suites_exit_code(&suites);
    assert_int_equal(s->out.failed, JR_OK);
    assert_int_equal(s->err.failed, JR_OK);
    drop_folder(s, &s->out);
    drop_folder(s, &s->err);
}

static const char *text_of(const struct jr_buf *b)
{
    return b->n == 0 ? "" : b->p;
}

/* ---- the table ---- */

static const struct {
    const char *name;
    const char *policy;
    const char *suite;
    int code;
    const char *out; /* how it begins; NULL: not looked at */
    const char *err;
} rows[] = {
    /* what cases come to */
    { "all is well", WIDE, SUITE CASES GOOD BAD, 0,
      "2 cases in 1 suite: 2 passed, 0 failed; " TESTED, "" },
    { "allowed, not denied", WIDE, SUITE CASES GOOD BAD CASE("x", JOB(""), "outcome: Denied"), 1,
      "s.yaml:10: x: expected Denied, came Allowed\n3 cases in 1 suite: 2 passed, 1 failed; ", "" },
    { "denied, not allowed", WIDE,
      SUITE CASES GOOD CASE("x", JOB("parallelism: 5, "), "outcome: Allowed"), 1,
      "s.yaml:7: x: expected Allowed, came Denied: policy \"wide\": spec.parallelism: is 5, at "
      "most 4 "
      "allowed\n",
      "" },
    { "the messages", WIDE,
      SUITE CASES GOOD CASE("x", JOB("parallelism: 5, "),
                            "outcome: Denied, messages: ['policy \"wide\": spec.parallelism: is 5, "
                            "at most 4 allowed']"),
      0, "2 cases in 1 suite: 2 passed", "" },
    { "other messages", WIDE,
      SUITE CASES GOOD CASE("x", JOB("parallelism: 5, "), "outcome: Denied, messages: [a]"), 1,
      "s.yaml:7: x: expected the message: a; came, not expected: policy \"wide\": "
      "spec.parallelism: "
      "is 5, at most 4 allowed\n",
      "" },
    { "in any order", POLICY("two", "  limits: {parallelism: {max: 4}, completions: {max: 4}}\n"),
      SUITE CASES GOOD CASE(
          "x", JOB("parallelism: 5, completions: 5, "),
          "outcome: Denied, messages: ['policy \"two\": spec.completions: is 5, at "
          "most 4 allowed', 'policy \"two\": spec.parallelism: is 5, at most 4 "
          "allowed']"),
      0, "2 cases in 1 suite: 2 passed", "" },
    { "once is not twice", WIDE,
      SUITE CASES GOOD CASE("x", JOB("parallelism: 5, "),
                            "outcome: Denied, messages: [&m 'policy \"wide\": spec.parallelism: is "
                            "5, at most 4 allowed', *m]"),
      1, "s.yaml:7: x: expected the message: policy \"wide\": ", "" },
    { "a warning",
      POLICY("wide", "  validationActions: [Warn]\n  limits: {parallelism: {max: 4}}\n"),
      SUITE CASES GOOD CASE("x", JOB("parallelism: 5, "),
                            "outcome: Warned, messages: ['policy \"wide\": spec.parallelism: is 5, "
                            "at most 4 allowed']"),
      0, "2 cases in 1 suite: 2 passed", "" },
    { "what is only audited",
      POLICY("wide", "  validationActions: [Audit]\n  limits: {parallelism: {max: 4}}\n"),
      SUITE CASES GOOD CASE("x", JOB("parallelism: 5, "), "outcome: Allowed, messages: []"), 0,
      "2 cases in 1 suite: 2 passed", "" },
    { "refused before policies", WIDE,
      SUITE CASES GOOD BAD CASE("x", JOB("completions: -1, "), "outcome: Denied"), 1,
      "s.yaml:10: x: expected Denied by policies, came a refusal by the API server's own rules: "
      "spec.completions: Invalid value: -1: must be greater than or equal to 0\n",
      "" },
    { "and expected so", WIDE,
      SUITE CASES GOOD BAD CASE("x", JOB("completions: -1, "),
                                "outcome: Denied, messages: ['spec.completions: Invalid value: -1: "
                                "must be greater than or equal to 0']"),
      0, "3 cases in 1 suite: 3 passed", "" },
    { "refused as it is decoded", WIDE,
      SUITE CASES GOOD BAD CASE("x", JOB("completions: x, "), "outcome: Allowed"), 1,
      "s.yaml:10: x: expected Allowed by policies, came a refusal by the API server's own rules: "
      "Job "
      "in version \"v1\" cannot be handled as a Job: json: ",
      "" },
    { "an update that makes it no worse", WIDE,
      SUITE CASES GOOD BAD "- name: x\n  object: " JOB("parallelism: 5, ") "\n  old: " JOB(
          "parallelism: 6, ") "\n  expect: {outcome: Warned}\n",
      0, "3 cases in 1 suite: 3 passed", "" },
    { "an update", WIDE,
      SUITE CASES GOOD BAD "- name: x\n  object: " JOB("parallelism: 6, ") "\n  old: " JOB(
          "parallelism: 5, ") "\n  expect: {outcome: Denied}\n",
      0, "3 cases in 1 suite: 3 passed", "" },
    { "a CronJob", WIDE,
      SUITE CASES GOOD CASE("x", CRON_JOB("parallelism: 5, "),
                            "outcome: Denied, messages: ['policy \"wide\": "
                            "spec.jobTemplate.spec.parallelism: is 5, at most 4 allowed']"),
      0, "2 cases in 1 suite: 2 passed", "" },
    { "a namespace that isn't known",
      POLICY("wide", "  match: {namespaceSelector: {matchLabels: {a: b}}}\n"
                     "  limits: {parallelism: {max: 4}}\n"),
      SUITE CASES CASE("x", JOB(""), "outcome: Denied, messages: []"), 1,
      "s.yaml:4: x: expected Denied by policies, came no decision (namespaces has labels of "
      "Namespaces)\n",
      "" },
    { "namespaces",
      POLICY("wide", "  match: {namespaceSelector: {matchLabels: {a: b}}}\n"
                     "  limits: {parallelism: {max: 4}}\n"),
      SUITE "namespaces: {default: {a: b}, other: }\n" CASES GOOD BAD CASE(
          "other", JOB_IN(", namespace: other", "parallelism: 5, " POD), "outcome: Allowed"),
      0, "3 cases in 1 suite: 3 passed, 0 failed; " TESTED, "" },
    { "a namespace has its own name, whatever is said",
      POLICY("wide", "  match: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "
                     "default}}}\n  limits: {parallelism: {max: 4}}\n"),
      SUITE "namespaces: {default: {kubernetes.io/metadata.name: x}}\n" CASES GOOD BAD, 0,
      "2 cases in 1 suite: 2 passed, 0 failed; " TESTED, "" },
    { "a queue, and what the first version had", WIDE,
      SUITE CASES GOOD BAD USED("q", "queue: true") USED("u", "user: u") USED("g", "groups: [g]"),
      2, NULL,
      "s.yaml:15:9: cases[3].user: has gone, since no policy goes by users: queue: true is a "
      "request by a queue\ns.yaml:19:11: cases[4].groups: has gone, since no policy goes by users: "
      "queue: true is a request by a queue\n" },
    { "now",
      POLICY("wide", "  limits: {parallelism: {max: 4}}\n  exceptions:\n"
                     "  - {namespaces: [default], until: '2027-10-01T00:00:00Z', reason: r, "
                     "limits: {parallelism: {max: 5}}}\n"),
      SUITE "now: '2027-10-01T00:00:00Z'\n" CASES GOOD BAD, 0, "2 cases in 1 suite: 2 passed",
      "warning: p.yaml:7:36: policy \"wide\": spec.exceptions[0].until: the exception has "
      "ended\n" },
    { "defaults",
      POLICY("d", "  defaults: {ttlSecondsAfterFinished: 5}\n"
                  "  limits: {ttlSecondsAfterFinished: {required: true, max: 6}}\n"),
      SUITE CASES CASE("a", JOB(""),
                       "outcome: Allowed, defaulted: {spec: {ttlSecondsAfterFinished: 5}}")
          CASE("b", JOB("ttlSecondsAfterFinished: 7, "), "outcome: Denied"),
      0, "2 cases in 1 suite: 2 passed, 0 failed; 2 rules: 0 never violated, 0 never met\n", "" },
    { "other defaults", WIDE,
      SUITE CASES GOOD BAD CASE("x", JOB(""),
                                "outcome: Allowed, defaulted: {spec: {ttlSecondsAfterFinished: 5, "
                                "backoffLimit: 3, template: {spec: {containers: [{name: d}]}}}}"),
      1,
      "s.yaml:10: x: spec.ttlSecondsAfterFinished: expected 5, is absent; spec.backoffLimit: "
      "expected "
      "3, came 6; spec.template.spec.containers[0].name: expected \"d\", came \"c\"\n",
      "" },
    /* what is not tested */
    { "never violated", WIDE, SUITE CASES GOOD, 1,
      "1 case in 1 suite: 1 passed, 0 failed; 1 rule: 1 never violated, 0 never met\n"
      "p.yaml:5: policy \"wide\": limits.parallelism: no case violates it\n",
      "" },
    { "never met", WIDE, SUITE CASES BAD, 1,
      "1 case in 1 suite: 1 passed, 0 failed; 1 rule: 0 never violated, 1 never met\n"
      "p.yaml:5: policy \"wide\": limits.parallelism: no case meets it\n",
      "" },
    { "neither",
      POLICY("wide",
             "  match: {namespaces: [other]}\n  budget:\n    requestsAtOnce:\n      cpu: 1\n"),
      SUITE CASES GOOD, 1,
      "1 case in 1 suite: 1 passed, 0 failed; 1 rule: 1 never violated, 1 never met\n"
      "p.yaml:8: policy \"wide\": budget.requestsAtOnce[cpu]: no case violates it, none meets it\n",
      "" },
    { "what is refused before meets nothing", WIDE,
      SUITE CASES BAD CASE("x", JOB("completions: -1, "),
                           "outcome: Denied, messages: ['spec.completions: Invalid value: -1: must "
                           "be greater than or equal to 0']"),
      1, "2 cases in 1 suite: 2 passed, 0 failed; 1 rule: 0 never violated, 1 never met\n", "" },
    { "an exception has other rules",
      POLICY("wide", "  limits: {parallelism: {max: 4}}\n  exceptions:\n"
                     "  - {namespaces: [default], until: '2027-10-01T00:00:00Z', reason: r, "
                     "limits: {parallelism: {max: 5}}}\n"),
      SUITE CASES GOOD CASE("x", JOB("parallelism: 6, "), "outcome: Denied"), 1,
      "2 cases in 1 suite: 2 passed, 0 failed; 1 rule: 1 never violated, 1 never met\n", "" },
    { "defaults that aren't",
      POLICY("d", "  defaults:\n    labels: {a: b}\n    template: {labels: {c: d}}\n"),
      SUITE CASES CASE("x", JOB_IN(", labels: {a: x}", POD), "outcome: Allowed"), 1,
      "1 case in 1 suite: 1 passed, 0 failed; 2 rules: 1 never violated, 1 never met\n"
      "p.yaml:6: policy \"d\": defaults.labels[a]: no case gets it\n"
      "p.yaml:7: policy \"d\": defaults.template.labels[c]: no case sets the field itself\n",
      "" },
    { "a policy that doesn't match before one that does",
      POLICY("a",
             "  match: {namespaces: [other]}\n  limits: {completions: {max: 4}}\n") "---\n" WIDE,
      SUITE CASES GOOD BAD, 1,
      "2 cases in 1 suite: 2 passed, 0 failed; 2 rules: 1 never violated, 1 never met\n"
      "p.yaml:6: policy \"a\": limits.completions: no case violates it, none meets it\n",
      "" },
    { "a default that another policy sets first",
      POLICY("a", "  defaults: {labels: {k: '1'}}\n") "---\n" POLICY(
          "b", "  defaults: {labels: {k: '2'}}\n"),
      SUITE CASES CASE("x", JOB(""), "outcome: Allowed")
          CASE("z", JOB_IN(", labels: {k: x}", POD), "outcome: Allowed"),
      1,
      "2 cases in 1 suite: 2 passed, 0 failed; 2 rules: 1 never violated, 0 never met\n"
      "p.yaml:11: policy \"b\": defaults.labels[k]: no case gets it\n",
      "" },
    /* what can't be run */
    { "an unknown field", WIDE, SUITE CASES GOOD "  x: 1\n", 2, NULL,
      "s.yaml:7:6: unknown field \"cases[0].x\"\n" },
    { "an unknown field of an object", WIDE,
      SUITE CASES CASE("x", JOB("paralellism: 5, "), "outcome: Allowed"), 2, NULL,
      "s.yaml:5:86: unknown field \"spec.paralellism\" (did you mean \"parallelism\"?)\n" },
    { "a field twice", WIDE, SUITE CASES GOOD "  name: y\n", 2, NULL,
      "s.yaml:7:9: duplicate field \"cases[0].name\"\n" },
    { "a wrong type", WIDE, SUITE "cases: {}\n", 2, NULL, "s.yaml:3:8: cases: expected a list\n" },
    { "another version", WIDE, "kind: JobPolicyTest\napiVersion: v1\n" CASES GOOD, 2, NULL,
      "s.yaml:2:13: apiVersion: expected policy.jobreeve.dev/v1alpha1\n" },
    { "no cases", WIDE, SUITE, 2, NULL, "s.yaml:1:1: cases: expected cases, there is none\n" },
    { "no name", WIDE, SUITE CASES CASE("", JOB(""), "outcome: Allowed"), 2, NULL,
      "s.yaml:4:8: cases[0].name: expected a name\n" },
    { "a name twice", WIDE, SUITE CASES GOOD GOOD, 2, NULL,
      "s.yaml:7:9: cases[1].name: another case has this name\n" },
    { "no object", WIDE, SUITE CASES "- name: x\n  expect: {outcome: Allowed}\n", 2, NULL,
      "s.yaml:4:3: cases[0]: expected object or file\n" },
    { "two objects", WIDE, SUITE CASES GOOD "  file: x.yaml\n", 2, NULL,
      "s.yaml:7:9: cases[0].file: may not be beside the other one\n" },
    { "an object of another kind", WIDE, SUITE CASES CASE("x", "{kind: Pod}", "outcome: Allowed"),
      2, NULL, "s.yaml:5:11: expected a Job or CronJob of batch/v1\n" },
    { "an old one of another kind", WIDE, SUITE CASES GOOD "  old: " CRON_JOB("") "\n", 2, NULL,
      "s.yaml:7:8: expected a Job, as the object is\n" },
    { "no outcome", WIDE, SUITE CASES CASE("x", JOB(""), ""), 2, NULL,
      "s.yaml:6:11: cases[0].expect.outcome: expected Allowed, Warned or Denied\n" },
    { "namespaces of another form", WIDE, SUITE "namespaces: {a: [b], c: {d: 1}}\n" CASES GOOD, 2,
      NULL,
      "s.yaml:3:17: namespaces[a]: expected labels\ns.yaml:3:29: namespaces[c][d]: expected a "
      "string\n" },
    { "a wrong time", WIDE, SUITE "now: soon\n" CASES GOOD, 2, NULL, "s.yaml:3:6: now: " },
    { "no such file", WIDE,
      SUITE CASES "- {name: x, file: none.yaml, expect: {outcome: Allowed}}\n", 2, NULL,
      "s.yaml:4:19: none.yaml: can't open: No such file or directory\n" },
    { "a file without an object", WIDE,
      SUITE CASES "- {name: x, file: p.yaml, expect: {outcome: Allowed}}\n", 2, NULL,
      "s.yaml:4:19: p.yaml: expected one Job or CronJob of batch/v1, not 0\n" },
    { "no such policy", WIDE, SUITE "policies: [none.yaml]\n" CASES GOOD, 2, NULL,
      "s.yaml: none.yaml: can't open: No such file or directory\n" },
    { "a wrong policy", POLICY("wide", "  limits: {parallelism: {max: -4}}\n"), SUITE CASES GOOD, 2,
      NULL, "p.yaml:5:31: policy \"wide\": spec.limits.parallelism.max: " },
    { "no policies", "", SUITE CASES GOOD, 2, NULL,
      "s.yaml: expected JobPolicies, there is none\n" },
    { "no YAML", WIDE, SUITE "a: [1\n", 2, NULL,
      "s.yaml: line 4, column 1: did not find expected" },
};

static bool begins(const char *want, const struct jr_buf *have)
{
    return want == NULL ||
           (*want == '\0' ? have->n == 0 : strncmp(text_of(have), want, strlen(want)) == 0);
}

static void test_table(void **state)
{
    size_t failed = 0;

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        SCENE s;

        scene_init(&s);
        make(&s, "p.yaml", rows[i].policy);
        run(&s, false, (const char *const[]){ rows[i].suite, NULL });
        if (s.code == rows[i].code && begins(rows[i].out, &s.out) && begins(rows[i].err, &s.err))
            continue;
        print_error("%s: code %d, not %d; out:\n%serr:\n%s\n", rows[i].name, s.code, rows[i].code,
                    text_of(&s.out), text_of(&s.err));
        failed++;
    }
    if (failed > 0)
        fail_msg("%zu rows", failed);
}

/* ---- files ---- */

static void want(const struct scene *s, int code, const char *out, const char *err)
{
    if (s->code != code || strcmp(text_of(&s->out), out) != 0 || strcmp(text_of(&s->err), err) != 0)
        fail_msg("code %d, not %d; out:\n%serr:\n%s", s->code, code, text_of(&s->out),
                 text_of(&s->err));
}

/* Suites of a folder share its rules: one may violate what the other one meets. */
static void test_suites_together(void **state)
{
    SCENE s;

    (void)state;
    scene_init(&s);
    make(&s, "p.yaml", WIDE);
    run(&s, true, (const char *const[]){ SUITE CASES GOOD, SUITE CASES BAD, "kind: Job\n", NULL });
    want(&s, 0,
         "s.yaml:4: fine: passed\ns.yaml:4: wide: passed\n"
         "2 cases in 2 suites: 2 passed, 0 failed; " TESTED,
         "");
}

/* What is no YAML, as a chart's template, is none of the policies beside a suite; nor is what lies
 * in folders below. */
static void test_files_beside(void **state)
{
    SCENE s;

    (void)state;
    scene_init(&s);
    make(&s, "p.yaml", WIDE);
    make_dir(&s, "below");
    make(&s, "below/p.yaml", WIDE);
    make(&s, "template.yaml", "{{ if }}\n");
    make(&s, "good.json", JOB(""));
    make(&s, "old.yaml", JOB("parallelism: 8, "));
    make(&s, "bad.yaml", "kind: ConfigMap\napiVersion: v1\n---\n" JOB("parallelism: 9, ") "\n");
    run(&s, false,
        (const char *const[]){ SUITE CASES
                               "- {name: a, file: good.json, expect: {outcome: Allowed}}\n"
                               "- {name: b, file: bad.yaml, oldFile: old.yaml, expect: {outcome: "
                               "Denied}}\n",
                               NULL });
    want(&s, 0, "2 cases in 1 suite: 2 passed, 0 failed; " TESTED, "");
}

/* Those that a suite names are all that it has. */
static void test_policies_by_name(void **state)
{
    SCENE s;

    (void)state;
    scene_init(&s);
    make(&s, "p.yaml", WIDE);
    make(&s, "q.yaml", POLICY("other", "  limits: {completions: {max: 1}}\n"));
    run(&s, false, (const char *const[]){ SUITE "policies: [p.yaml]\n" CASES GOOD BAD, NULL });
    want(&s, 0, "2 cases in 1 suite: 2 passed, 0 failed; " TESTED, "");
}

/* The report for tools: a case and an untested rule are objects, what can't be run is unreadable.
 */
static void test_report(void **state)
{
    JR_CLEANUP(jr_report_done) struct jr_report r = { .failed = JR_OK };
    SCENE s;

    (void)state;
    scene_init(&s);
    s.report = &r;
    jr_report_init(&r, (size_t)1 << 20);
    make(&s, "p.yaml", WIDE);
    run(&s, false,
        (const char *const[]){ SUITE CASES GOOD CASE("a < b", JOB(""), "outcome: Denied"),
                               SUITE "cases: 3\n", NULL });
    assert_int_equal(s.code, 2);
    assert_int_equal(r.objects.n, 3);
    assert_true(jr_str_is(r.objects.v[0].name, "fine"));
    assert_int_equal(r.objects.v[0].n, 0);
    assert_true(jr_str_is(r.objects.v[1].name, "a < b"));
    assert_int_equal(r.objects.v[1].line, 7);
    assert_int_equal(r.objects.v[1].n, 1);
    assert_true(jr_str_is(r.objects.v[1].v->message, "expected Denied, came Allowed"));
    assert_true(jr_str_is(r.objects.v[2].name, "policy \"wide\": limits.parallelism"));
    assert_true(jr_str_is(r.objects.v[2].v->message, "no case violates it"));
    assert_int_equal(r.unreadable.n, 1);
    assert_int_equal(r.unreadable.v[0].line, 3);
    assert_true(jr_str_is(r.unreadable.v[0].message, "cases: expected a list"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),        cmocka_unit_test(test_suites_together),
        cmocka_unit_test(test_files_beside), cmocka_unit_test(test_policies_by_name),
        cmocka_unit_test(test_report),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
