/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/stream.h"
#include "tests/support/without_memory.h"
#include "tests/unit/cli/check_test.h"

#define JOB "apiVersion: batch/v1\nkind: Job\n"
#define TEMPLATE "  template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}\n"
#define GOOD JOB "metadata: {name: pi}\nspec:\n" TEMPLATE
#define LABELS                                                                               \
    "{\"batch.kubernetes.io/controller-uid\":\"u\",\"batch.kubernetes.io/job-name\":\"pi\"," \
    "\"controller-uid\":\"u\",\"job-name\":\"pi\"}"
#define UID "00000000-0000-0000-0000-000000000000"

#define GOOD_ITEM                                                                                \
    "{apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {completions: -1, template: {" \
    "spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}\n"

struct row {
    const char *name;
    const char *text;
    const char *want; /* findings as text */
    struct jr_check_options options;
};

static void want_text(const char *name, const struct jr_report *r, const char *want)
{
    JR_CLEANUP(jr_buf_done) struct jr_buf out = written(r, JR_OUTPUT_TEXT);

    if (!jr_str_is(jr_buf_str(&out), want))
        fail_msg("%s: have\n%.*s\nwant\n%s", name, JR_P(jr_buf_str(&out)), want);
}

static const struct row rows[] = {
    { "nothing wrong", GOOD, "", { .strict = true } },
    { "no document at all", "", "", { .strict = true } },
    { "only comments", "# nothing\n---\n---\n", "", { .strict = true } },
    { "in order of the rules, at the values",
      JOB "metadata: {name: pi}\nspec:\n  backoffLimit: -1\n  parallelism: -2\n" TEMPLATE,
      "f:6:16: spec.parallelism: Invalid value: -2: must be greater than or equal to 0\n"
      "f:5:17: spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0\n",
      { .strict = true } },
    { "at the nearest parent",
      JOB "metadata: {name: pi}\nspec:\n  template:\n    spec: {restartPolicy: Never}\n",
      "f:6:11: spec.template.spec.containers: Required value\n",
      { .strict = true } },
    { "the second document, JSON after YAML",
      GOOD "---\n{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\",\n \"metadata\": {\"name\": "
           "\"\u00e9\"},"
           " \"spec\": {\"suspend\": 1}}\n",
      "f:8:49: spec.suspend: Job in version \"v1\" cannot be handled as a Job: json: cannot "
      "unmarshal number into Go struct field JobSpec.spec.suspend of type bool\n",
      { .strict = true } },
    { "a wrong type in a list",
      JOB
      "metadata: {name: pi}\nspec: {template: {spec: {containers: [{name: c, args: [a, 1]}]}}}\n",
      "f:4:59: spec.template.spec.containers[0].args[1]: Job in version \"v1\" cannot be handled "
      "as "
      "a Job: json: cannot unmarshal number into Go struct field "
      "Container.spec.template.spec.containers.args of type string\n",
      { .strict = true } },
    { "the key or value that is meant, where the field is its map",
      JOB "metadata: {name: pi, labels: {a: b, c d: e}}\nspec:\n  template:\n    metadata:\n"
          "      labels:\n        a: b\n        \"-\": c\n    spec: {restartPolicy: Never, "
          "containers: [{name: c, image: i}]}\n",
      "f:3:42: metadata.labels: Invalid value: \"c d\": name part must consist of alphanumeric "
      "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
      "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\n"
      "f:9:14: spec.template.labels: Invalid value: \"-\": name part must consist of alphanumeric "
      "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
      "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\n",
      { .strict = true } },
    { "elements and keys that the API server's path leaves out",
      JOB "metadata: {name: pi, ownerReferences: [\n  {apiVersion: v1, kind: A, name: a, uid: u},\n"
          "  {apiVersion: v1, kind: A, name: b}]}\nspec:\n  template:\n    spec:\n"
          "      restartPolicy: Never\n      schedulingGates: [{name: a b}]\n      containers:\n"
          "      - name: c\n        image: i\n        resources: {limits: {cpu: 1},\n"
          "          requests: {memory: 1Gi,\n            cpu: 2}}\n        volumeMounts:\n"
          "        - {name: v, mountPath: /a}\n        - {name: v, mountPath: /b, subPath: ../c}\n"
          "      volumes: [{name: v, emptyDir: {}}]\n",
      "f:5:3: metadata.ownerReferences.uid: Invalid value: \"\": must not be empty\n"
      "f:19:45: spec.template.spec.containers[0].volumeMounts.subPath: Invalid value: \"../c\": "
      "must not contain '..'\n"
      "f:16:18: spec.template.spec.containers[0].resources.requests: Invalid value: \"2\": must be "
      "less than or equal to cpu limit of 1\n"
      "f:10:32: spec.template.spec.schedulingGates[0]: Invalid value: \"a b\": name part must "
      "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
      "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\n",
      { .strict = true } },
    { "unknown and duplicate fields",
      JOB "metadata: {name: pi}\nspec:\n  paralelism: 1\n  suspend: true\n  restartPolicy: Never\n"
          "  suspend: false\n" TEMPLATE,
      "f:5:15: spec.paralelism: unknown field \"spec.paralelism\" (did you mean \"parallelism\"?)\n"
      "f:7:18: spec.restartPolicy: unknown field \"spec.restartPolicy\" (did you mean "
      "spec.template.spec.restartPolicy?)\n"
      "f:8:12: spec.suspend: duplicate field \"spec.suspend\"\n",
      { .strict = true } },
    { "the same as warnings",
      JOB "metadata: {name: pi}\nspec:\n  zzz: 1\n" TEMPLATE,
      "f:5:8: warning: spec.zzz: unknown field \"spec.zzz\"\n",
      { .strict = false } },
    { "the last of two counts",
      JOB "metadata: {name: pi}\nspec:\n  parallelism: -1\n  parallelism: 1\n" TEMPLATE,
      "f:6:16: warning: spec.parallelism: duplicate field \"spec.parallelism\"\n",
      { .strict = false } },
    { "warnings can be left out",
      JOB "metadata: {name: a.b}\nspec:\n  zzz: 1\n" TEMPLATE,
      "",
      { .quiet = true } },
    { "or count",
      JOB "metadata: {name: pi}\nspec:\n  zzz: 1\n" TEMPLATE,
      "f:5:8: spec.zzz: unknown field \"spec.zzz\"\n",
      { .quiet = true, .warnings_as_errors = true } },
    { "a warning of the API server",
      JOB "metadata: {name: a.b}\nspec:\n" TEMPLATE,
      "f:3:18: warning: metadata.name: this is used in Pod names and hostnames, which can result "
      "in "
      "surprising behavior; a DNS label is recommended: [must not contain dots]\n",
      { .strict = true } },
    { "a generated name",
      JOB "metadata: {generateName: pi-}\nspec:\n" TEMPLATE,
      "",
      { .strict = true } },
    { "no name",
      JOB "spec:\n" TEMPLATE,
      "f:1:1: metadata.name: Required value: name or generateName is required\n",
      { .strict = true } },
    { "what a server decides is passed over",
      JOB "metadata: {name: pi, uid: x, generation: -1, managedFields: [{}], selfLink: /x,\n"
          "  creationTimestamp: null}\nstatus: {active: -1}\nspec:\n" TEMPLATE,
      "",
      { .strict = true } },
    { "an export without what a server sets, posted again",
      JOB "metadata: {name: pi}\nspec:\n  selector: {matchLabels: "
          "{batch.kubernetes.io/controller-uid: u}}\n  template:\n    metadata: {labels: "
          "{controller-uid: u, job-name: pi, batch.kubernetes.io/controller-uid: u, "
          "batch.kubernetes.io/job-name: pi}}\n    spec: {restartPolicy: Never, containers: "
          "[{name: c, image: i}]}\n",
      "f:7:41: spec.template.metadata.labels[controller-uid]: Invalid value: " LABELS
      ": must be '" UID "' (a new Job gets its own: leave this label out)\n"
      "f:7:94: spec.template.metadata.labels[batch.kubernetes.io/controller-uid]: Invalid "
      "value: " LABELS ": must be '" UID "' (a new Job gets its own: leave this label out)\n"
      "f:5:13: spec.selector: Invalid value: {\"matchLabels\":{\"batch.kubernetes.io/"
      "controller-uid\":\"u\"}}: `selector` not auto-generated (a new Job gets its own: leave the "
      "selector out)\n",
      { .strict = true } },
    { "labels that come from the template are one with them",
      JOB "metadata: {name: "
          "a12345678901234567890123456789012345678901234567890123456789012"
          "3}\nspec:\n  template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, "
          "containers: [{name: c, image: i}]}}\n",
      "f:3:11: metadata.labels: Invalid value: "
      "\"a123456789012345678901234567890123456789012345678901234567890123\": must be no more than "
      "63 "
      "bytes\n"
      "f:3:11: metadata.labels: Invalid value: "
      "\"a123456789012345678901234567890123456789012345678901234567890123\": must be no more than "
      "63 "
      "bytes\n"
      "f:5:33: spec.template.labels: Invalid value: "
      "\"a123456789012345678901234567890123456789012345678901234567890123\": must be no more than "
      "63 "
      "bytes\n"
      "f:5:33: spec.template.labels: Invalid value: "
      "\"a123456789012345678901234567890123456789012345678901234567890123\": must be no more than "
      "63 "
      "bytes\n",
      { .strict = true } },
    { "items of a list, of a list of Jobs, and of lists in lists",
      "kind: List\napiVersion: v1\nitems:\n- apiVersion: batch/v1\n  kind: Job\n  metadata: {name: "
      "a}\n"
      "  spec: {parallelism: 1, parallelism: -1, template: {spec: {restartPolicy: Never, "
      "containers: "
      "[{name: c, image: i}]}}}\n- kind: JobList\n  apiVersion: batch/v1\n  items:\n"
      "  - {metadata: {name: b}, spec: {completions: -1, template: {spec: {restartPolicy: Never, "
      "containers: [{name: c, image: i}]}}}}\n",
      "f:7:39: spec.parallelism: duplicate field \"spec.parallelism\"\n"
      "f:7:39: spec.parallelism: Invalid value: -1: must be greater than or equal to 0\n"
      "f:11:47: spec.completions: Invalid value: -1: must be greater than or equal to 0\n",
      { .strict = true } },
    { "anchors and merge keys",
      "x: &spec\n  backoffLimit: -1\n" JOB "metadata: {name: pi}\nspec:\n  <<: *spec\n" TEMPLATE,
      "f:2:3: x: unknown field \"x\"\n"
      "f:7:3: spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0\n",
      { .strict = true } },
    { "old versions, forgotten ones, misspelt kinds",
      "kind: CronJob\napiVersion: batch/v1beta1\n---\nkind: Job\n---\nkind: job\napiVersion: "
      "batch/v1\n"
      "---\nkind: Job\napiVersion: v1\n",
      "f:2:13: apiVersion: no matches for kind \"CronJob\" in version \"batch/v1beta1\" (it is "
      "batch/v1)\n"
      "f:4:1: apiVersion: apiVersion not set (it is batch/v1)\n"
      "f:6:7: kind: no matches for kind \"job\" in version \"batch/v1\" (there are Job and "
      "CronJob)\n"
      "f:10:13: apiVersion: no matches for kind \"Job\" in version \"v1\" (it is batch/v1)\n",
      { .strict = true } },
    { "CronJobs",
      "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec:\n  schedule: 61 * * * *\n"
      "  successfulJobsHistoryLimit: -1\n  jobTemplate:\n    spec:\n      backoffLimit: -2\n"
      "      shedule: x\n      template: {spec: {restartPolicy: Never, containers: [{name: c, "
      "image: "
      "i}]}}\n---\napiVersion: batch/v1\nkind: CronJob\nspec: {suspend: 1}\n",
      "f:10:16: spec.jobTemplate.spec.shedule: unknown field \"spec.jobTemplate.spec.shedule\"\n"
      "f:5:13: spec.schedule: Invalid value: \"61 * * * *\": end of range (61) above maximum (59): "
      "61\n"
      "f:9:21: spec.jobTemplate.spec.backoffLimit: Invalid value: -2: must be greater than or "
      "equal "
      "to 0\n"
      "f:6:31: spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal "
      "to "
      "0\n"
      "f:15:17: spec.suspend: CronJob in version \"v1\" cannot be handled as a CronJob: json: "
      "cannot "
      "unmarshal number into Go struct field CronJobSpec.spec.suspend of type bool\n",
      { .strict = true } },
    { "kinds of others",
      "kind: Pod\napiVersion: v1\n---\nkind: Job\napiVersion: "
      "batch.volcano.sh/v1alpha1\n",
      "",
      { .strict = true } },
    { "an export posted again",
      JOB "metadata: {name: pi, uid: u, resourceVersion: \"7\"}\nspec:\n  selector: {matchLabels: "
          "{controller-uid: u}}\n" TEMPLATE,
      "f:5:13: spec.selector: Invalid value: {\"matchLabels\":{\"batch.kubernetes.io/"
      "controller-uid\":\"" UID "\",\"controller-uid\":\"u\"}}: `selector` not auto-generated "
      "(this Job is from a cluster: --old with the same file checks it as it is stored; a new one "
      "gets its own, so leave this out)\n"
      "f:6:13: spec.template.metadata.labels: Invalid value: {\"batch.kubernetes.io/controller-uid"
      "\":\"" UID "\",\"batch.kubernetes.io/job-name\":\"pi\",\"controller-uid\":\"" UID
      "\",\"job-name\":\"pi\"}: `selector` does not match template `labels`\n",
      { .strict = true } },
    { "a manifest can't steer a terminal",
      JOB
      "metadata: {name: pi, labels: {a: \"\\e[31m\"}}\nspec:\n  \"\\e[2J\\n\\u009b\": 1\n" TEMPLATE,
      "f:5:20: spec.\\x1b[2J\\x0a\\u009b: unknown field \"spec.\\x1b[2J\\x0a\\u009b\"\n"
      "f:3:34: metadata.labels: Invalid value: \"\\x1b[31m\": a valid label must be an empty "
      "string "
      "or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
      "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')\n",
      { .strict = true } },
};

static void test_findings(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        REPORT r = { .failed = JR_OK };

        check_text(&r, rows[i].text, rows[i].options);
        want_text(rows[i].name, &r, rows[i].want);
        if (r.unreadable.n > 0)
            fail_msg("%s: %.*s", rows[i].name, JR_P(r.unreadable.v[0].message));
        assert_int_equal(jr_report_exit_code(&r), r.errors > 0);
    }
}

static void test_counts(void **state)
{
    REPORT r = { .failed = JR_OK };

    (void)state;
    check_text(&r, GOOD "---\nkind: Pod\n---\n" JOB "metadata: {name: x}\nspec: {zzz: 1}\n---\n7\n",
               (struct jr_check_options){ .strict = false });
    assert_int_equal(r.files, 1);
    assert_int_equal(r.objects.n, 2);
    assert_int_equal(r.others, 1);
    assert_int_equal(r.unreadable.n, 1);
    assert_int_equal(r.warnings, 1);
    assert_int_equal(r.errors, r.objects.v[1].n - 1);
    assert_true(r.errors > 0);
    assert_int_equal(r.objects.v[1].document, 3);
    assert_int_equal(r.objects.v[1].answers.v[0].code, 422);
}

/* ---- updates ---- */

#define STORED                                                                                   \
    JOB "metadata: {name: pi, uid: u, resourceVersion: \"7\"}\nspec:\n  completions: 2\n"        \
        "  parallelism: 1\n  selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}\n" \
        "  template: {metadata: {labels: {controller-uid: u, job-name: pi, "                     \
        "batch.kubernetes.io/controller-uid: u, batch.kubernetes.io/job-name: pi}}, spec: "      \
        "{restartPolicy: Never, containers: [{name: c, image: i}]}}\n"

/* As STORED, with what kubectl has noted of the manifest before, and with what others have added.
 */
#define APPLIED(manifest_, injected_)                                                       \
    JOB "metadata: {name: pi, uid: u, resourceVersion: \"7\", annotations: "                \
        "{kubectl.kubernetes.io/last-applied-configuration: '" manifest_ "'}}\nspec:\n"     \
        "  completions: 1\n  parallelism: 1\n"                                              \
        "  selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}\n"              \
        "  template: {metadata: {labels: {controller-uid: u, job-name: pi, "                \
        "batch.kubernetes.io/controller-uid: u, batch.kubernetes.io/job-name: pi}}, spec: " \
        "{restartPolicy: Never, containers: [" injected_ "{name: c, image: i}]}}\n"
#define CRON_JOB(meta_, pod_)                                                                    \
    "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: pi" meta_ "}\nspec:\n"                \
    "  schedule: \"* * * * *\"\n  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, " \
    "containers: [{name: c, image: i}], " pod_ "}}}}\n"

#define TWIN_PORTS(parallelism_)                                                               \
    JOB "metadata: {name: pi}\nspec:\n  parallelism: " parallelism_                            \
        "\n  template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, ports: " \
        "[{name: udp, containerPort: 53, protocol: UDP}, {name: tcp, containerPort: 53}]}]}}\n"

static const struct {
    const char *name;
    const char *old;
    const char *text;
    const char *want;
    bool status;
    const char *operation;
} updates[] = {
    { "beside a default that is stored, more is said", APPLIED("{\"spec\":{}}", ""),
      JOB "metadata: {name: pi}\nspec:\n  parallelism: 4\n" TEMPLATE, "", false, "update" },
    { "the same without a note of what was applied", APPLIED("", ""),
      JOB "metadata: {name: pi}\nspec:\n  parallelism: 4\n" TEMPLATE, "", false, "update" },
    { "what was said and isn't any more goes", APPLIED("{\"spec\":{\"completions\":1}}", ""),
      JOB "metadata: {name: pi}\nspec:\n  parallelism: 4\n" TEMPLATE,
      "f:5:3: spec.completions: Invalid value: null: field is immutable\n", false, "update" },
    { "null goes, too", APPLIED("", ""),
      JOB "metadata: {name: pi}\nspec:\n  completions: null\n  parallelism: 4\n" TEMPLATE,
      "f:5:16: spec.completions: Invalid value: null: field is immutable\n", false, "update" },
    { "what others have added stays", APPLIED("{\"spec\":{}}", "{name: a, image: i}, "), GOOD, "",
      false, "update" },
    { "an element that was said goes",
      APPLIED("{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"a\"}]}}}}",
              "{name: a, image: i}, "),
      GOOD, NULL, false, "update" },
    { "a port of two protocols, as it was", TWIN_PORTS("1"), TWIN_PORTS("1"), "", false, "update" },
    { "the same, while something else changes", TWIN_PORTS("1"), TWIN_PORTS("2"), "", false,
      "update" },
    { "an element without its key", APPLIED("", ""),
      JOB "metadata: {name: pi}\nspec:\n  template: {spec: {restartPolicy: Never, containers: "
          "[{image: i}]}}\n",
      NULL, false, "update" },
    { "a volume of another kind", CRON_JOB(", uid: u", "volumes: [{name: v, emptyDir: {}}]"),
      CRON_JOB("", "volumes: [{name: v, configMap: {name: m}}]"), "", false, "update" },
    { "a wrong type", APPLIED("", ""),
      JOB "metadata: {name: pi}\nspec:\n  parallelism: x\n" TEMPLATE, NULL, false, "update" },
    { "unchanged", STORED, STORED, "", false, "update" },
    { "a manifest against a manifest", GOOD, GOOD, "", false, "update" },
    { "what may not change", GOOD, JOB "metadata: {name: pi}\nspec:\n  completions: 2\n" TEMPLATE,
      "f:5:16: spec.completions: Invalid value: 2: field is immutable\n", false, "update" },
    { "a manifest against what is stored keeps what was generated", STORED,
      JOB "metadata: {name: pi}\nspec:\n  completions: 2\n  parallelism: 5\n" TEMPLATE, "", false,
      "update" },
    { "but may not change the rest", STORED,
      JOB "metadata: {name: pi}\nspec:\n  completions: 3\n" TEMPLATE,
      "f:5:16: spec.completions: Invalid value: 3: field is immutable\n", false, "update" },
    { "a whole object must be whole", STORED,
      JOB "metadata: {name: pi, resourceVersion: \"7\"}\nspec:\n  completions: 2\n  selector: "
          "{matchLabels: {batch.kubernetes.io/controller-uid: u}}\n" TEMPLATE,
      NULL, false, "update" },
    { "another namespace is another object", GOOD,
      JOB "metadata: {name: pi, namespace: other}\nspec:\n  completions: 2\n" TEMPLATE, "", false,
      "create" },
    { "the namespace default is none", GOOD,
      JOB "metadata: {name: pi, namespace: default}\nspec:\n  completions: 2\n" TEMPLATE,
      "f:5:16: spec.completions: Invalid value: 2: field is immutable\n", false, "update" },
    { "a status", STORED, STORED "status: {ready: 1}\n",
      "f:9:17: status.ready: Invalid value: 1: cannot set more ready pods than active\n", true,
      "status" },
    { "a status leaves the spec alone", STORED,
      JOB "metadata: {name: pi}\nspec: {parallelism: -1}\n", "", true, "status" },
};

static void test_updates(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(updates); i++) {
        JR_CLEANUP(jr_existing_done) struct jr_existing existing = { .v = NULL };
        REPORT r = { .failed = JR_OK };

        assert_int_equal(jr_existing_read(&existing, jr_str(updates[i].old), NULL), JR_OK);
        check_text(&r, updates[i].text,
                   (struct jr_check_options){ .existing = &existing, .status = updates[i].status });
        if (updates[i].want != NULL)
            want_text(updates[i].name, &r, updates[i].want);
        else
            assert_true(r.errors > 0);
        assert_int_equal(r.objects.n, 1);
        assert_string_equal(r.objects.v[0].operation, updates[i].operation);
    }
}

static void test_existing_are_found_or_refused(void **state)
{
    JR_CLEANUP(jr_existing_done) struct jr_existing existing = { .v = NULL };
    JR_CLEANUP(jr_existing_done) struct jr_existing twice = { .v = NULL };
    const struct jr_admission_kind *rules = jr_admission_kind_find(JR_S("batch/v1"), JR_S("Job"));
    REPORT r = { .failed = JR_OK };
    struct jr_error err = { .status = JR_OK };
    JR_BUF many = { 0 };

    (void)state;
    jr_buf_init(&many, 1 << 20);
    for (int i = 0; i < 100; i++)
        (void)jr_buf_addf(&many, "---\n" JOB "metadata: {name: j%d, namespace: n%d}\n", i % 10,
                          i / 10);
    assert_int_equal(jr_existing_read(&existing, jr_buf_str(&many), NULL), JR_OK);
    assert_non_null(jr_existing_find(&existing, rules, JR_S("n3"), JR_S("j7")));
    assert_null(jr_existing_find(&existing, rules, JR_S("n3"), JR_S("j10")));
    assert_null(jr_existing_find(&existing, rules, JR_S("n3"), JR_S("")));
    assert_null(jr_existing_find(&existing, rules, JR_S(""), JR_S("j7")));
    assert_int_equal(jr_existing_read(&twice, JR_S(GOOD "---\n" GOOD), &err), JR_EXISTS);
    assert_string_equal(err.msg, "default/pi is there more than once");
    /* a status needs something that it is the status of */
    check_text(&r, GOOD, (struct jr_check_options){ .existing = &existing, .status = true });
    assert_int_equal(r.unreadable.n, 1);
    assert_int_equal(jr_report_exit_code(&r), 2);
}

static void test_an_old_object_that_no_server_stores(void **state)
{
    JR_CLEANUP(jr_existing_done) struct jr_existing existing = { .v = NULL };
    REPORT r = { .failed = JR_OK };

    (void)state;
    assert_int_equal(
        jr_existing_read(&existing, JR_S(JOB "metadata: {name: pi}\nspec: {suspend: x}\n"), NULL),
        JR_OK);
    check_text(&r, GOOD, (struct jr_check_options){ .existing = &existing });
    assert_int_equal(r.unreadable.n, 1);
    assert_non_null(strstr(r.unreadable.v[0].message.p, "the old object"));
}

/* ---- what can't be read ---- */

static void test_unreadable(void **state)
{
    const struct {
        const char *name;
        struct jr_str text;
        unsigned line, column;
        const char *want;
        size_t objects;
    } bad[] = {
        { "YAML", JR_S(GOOD "---\na: [1\nb: 2\n"), 8, 2, "did not find expected ',' or ']'", 1 },
        { "JSON", JR_S("{\"a\": [1, 2}"), 1, 12, "expected ',' or ']'", 0 },
        { "binary",
          JR_S("\x7f"
               "ELF\0\0"),
          0, 0, "binary", 0 },
        { "UTF-16",
          JR_S("\xff\xfe"
               "a\0b\0"),
          0, 0, "UTF-16: expected UTF-8", 0 },
        { "an array", JR_S("\n[{}]"), 2, 1, "expected an object", 0 },
        { "a scalar", JR_S(GOOD "---\nx\n"), 7, 1, "expected an object", 1 },
        { "an item", JR_S("kind: List\nitems:\n- 5\n- " GOOD_ITEM), 3, 3, "expected an object", 1 },
        { "an alias of nothing", JR_S("a: *b\n"), 1, 4, "unknown anchor 'b'", 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(bad); i++) {
        const struct jr_check_options options = { .profiles = jr_cli_profiles_of_one(
                                                      jr_profile_default()) };
        REPORT r = { .failed = JR_OK };

        jr_report_init(&r, 1 << 20);
        jr_check_text(&r, JR_S("f"), bad[i].text, &options);
        assert_int_equal(r.unreadable.n, 1);
        if (strstr(r.unreadable.v[0].message.p, bad[i].want) == NULL ||
            r.unreadable.v[0].line != bad[i].line || r.unreadable.v[0].column != bad[i].column)
            fail_msg("%s: %u:%u: %s", bad[i].name, r.unreadable.v[0].line, r.unreadable.v[0].column,
                     r.unreadable.v[0].message.p);
        assert_int_equal(r.objects.n, bad[i].objects);
        assert_int_equal(jr_report_exit_code(&r), 2);
    }
}

static void test_too_much_to_report(void **state)
{
    const struct jr_check_options options = { .profiles =
                                                  jr_cli_profiles_of_one(jr_profile_default()) };
    REPORT r = { .failed = JR_OK };
    JR_BUF text = { 0 };

    (void)state;
    jr_buf_init(&text, 1 << 20);
    for (int i = 0; i < 3000; i++)
        (void)jr_buf_adds(&text, "---\n" JOB "spec: {parallelism: -1}\n");
    jr_report_init(&r, 100000);
    jr_check_text(&r, JR_S("f"), jr_buf_str(&text), &options);
    assert_int_equal(r.failed, JR_LIMIT);
    assert_int_equal(jr_report_exit_code(&r), 2);
}

/** Wherever the report's bound lies, it is whole or says that it is not. */
static void test_at_each_bound(void **state)
{
    static const char text[] =
        JOB "metadata: {name: a, name: b}\nspec:\n  parallelism: 1\n  parallelism: 1\n"
            "  template: {spec: {restartPolicy: Never, schedulerName: s, schedulerName: s,\n"
            "    nodeSelector: {failure-domain.beta.kubernetes.io/zone: z},\n"
            "    containers: [{name: c, image: i, securityContext: {privileged: true}}]}}\n";
    const struct jr_check_options options = { .profiles =
                                                  jr_cli_profiles_of_one(jr_profile_default()),
                                              .verbose = true };
    JR_CLEANUP(jr_buf_done) struct jr_buf whole = { 0 };
    size_t n = 0;

    (void)state;
    for (size_t max = 8192; max > 2048; max -= 8) {
        REPORT r = { .failed = JR_OK };

        jr_report_init(&r, max);
        jr_check_text(&r, JR_S("f"), jr_str(text), &options);
        if (r.failed != JR_OK) {
            assert_int_equal(r.failed, JR_LIMIT);
            n++;
        } else if (whole.p == NULL) {
            whole = written(&r, JR_OUTPUT_JSON);
        } else {
            JR_CLEANUP(jr_buf_done) struct jr_buf out = written(&r, JR_OUTPUT_JSON);

            assert_string_equal(out.p, whole.p);
        }
    }
    assert_true(n > 10);
    assert_non_null(strstr(whole.p, "\"NotValidated\""));
    assert_non_null(strstr(whole.p, "\"DuplicateField\""));
    assert_non_null(strstr(whole.p, "\"Warning\""));
}

/* ---- memory ---- */

static enum jr_status check_and_write(const struct jr_existing *existing, struct jr_report *r)
{
    static const char text[] =
        GOOD "---\n" JOB "metadata: {name: b, labels: {a: b c}}\nspec:\n  paralelism: 1\n"
             "  parallelism: -1\n  parallelism: -1\n" TEMPLATE "---\n" JOB
             "metadata: {name: pi}\nspec: {suspend: 1}\n---\nkind: List\nitems:\n- " GOOD_ITEM;
    const struct jr_check_options options = { .profiles =
                                                  jr_cli_profiles_of_one(jr_profile_default()),
                                              .existing = existing,
                                              .strict = true,
                                              .verbose = true };
    const struct jr_output_style style = { .color = true, .source = true };
    enum jr_status st = JR_OK;

    jr_report_init(r, (size_t)64 << 20);
    jr_check_text(r, JR_S("f"), jr_str(text), &options);
    for (int i = 0; i < JR_OUTPUT_COUNT && st == JR_OK && r->failed == JR_OK; i++) {
        JR_BUF out = { 0 };

        jr_buf_init(&out, (size_t)64 << 20);
        st = jr_output_write(r, (enum jr_output_format)i, &style, &out);
    }
    return st;
}

/* Each allocation fails in turn: the process ends, or nothing is missing. */
static void check_stored(void *ctx)
{
    JR_CLEANUP(jr_existing_done) struct jr_existing existing = { .v = NULL };
    REPORT r = { .failed = JR_OK };
    const size_t *errors = ctx;

    assert_int_equal(jr_existing_read(&existing, JR_S(STORED), NULL), JR_OK);
    assert_int_equal(check_and_write(&existing, &r), JR_OK);
    assert_int_equal(r.errors, *errors);
}

static void test_memory(void **state)
{
    JR_CLEANUP(jr_existing_done) struct jr_existing existing = { .v = NULL };
    REPORT r = { .failed = JR_OK };
    size_t errors;

    (void)state;
    assert_int_equal(jr_existing_read(&existing, JR_S(STORED), NULL), JR_OK);
    assert_int_equal(check_and_write(&existing, &r), JR_OK);
    errors = r.errors;
    assert_true(errors > 3);
    assert_true(jr_each_without_memory(check_stored, &errors) > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_existing_are_found_or_refused),
        cmocka_unit_test(test_an_old_object_that_no_server_stores),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_too_much_to_report),
        cmocka_unit_test(test_at_each_bound),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
