/* SPDX-License-Identifier: Apache-2.0 */
/* Gangs of Kubernetes 1.37: who gets which objects, made of what, and how they follow their Job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "common/json/doc.h"
#include "tests/unit/reconcile/rig.h"

#define WORKLOAD "demo-7dccc85c97"
#define TEMPLATE "\"demo-pgt-0\""
#define JOB_OWNER                                                                          \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"demo\",\"uid\":\"job-uid\"," \
    "\"controller\":true,\"blockOwnerDeletion\":true}"

static void want_json(const char *name, struct jr_str have, const char *want)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *a = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *b = NULL;

    assert_int_equal(jr_doc_parse(have, &JR_READER_STRICT, &a, NULL), JR_OK);
    assert_int_equal(jr_doc_parse(jr_str(want), &JR_READER_STRICT, &b, NULL), JR_OK);
    if (!jr_node_equal(jr_doc_root_const(a), jr_doc_root_const(b)))
        fail_msg("%s:\nhave %.*s\nwant %s", name, JR_P(have), want);
}

/* ---- the cluster's objects ---- */

struct cluster {
    struct jr_gang_object *workloads[4], *groups[4];
};

static void put(struct jr_gang_object **list, size_t *n, const char *text)
{
    assert_int_equal(jr_gang_object_decode(jr_str(text), &list[*n], NULL), JR_OK);
    ++*n;
}

static void open_rig(struct rig *r, struct cluster *c, const char *spec, const char *status)
{
    *c = (struct cluster){ { NULL }, { NULL } };
    rig_open(r, spec, status);
    r->snap.gang_api = JR_SCHEDULING_V1BETA1;
    r->snap.workloads = (const struct jr_gang_object *const *)c->workloads;
    r->snap.pod_groups = (const struct jr_gang_object *const *)c->groups;
}

static void put_workload(struct rig *r, struct cluster *c, const char *text)
{
    put(c->workloads, &r->snap.n_workloads, text);
}

static void put_group(struct rig *r, struct cluster *c, const char *text)
{
    put(c->groups, &r->snap.n_pod_groups, text);
}

static void close_rig(struct rig *r, struct cluster *c)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(c->workloads); i++) {
        jr_gang_object_unref(c->workloads[i]);
        jr_gang_object_unref(c->groups[i]);
    }
    rig_close(r);
}

/** That the server has stored what was sent, and calls it so. */
static struct jr_op_result stored(const struct jr_stage *s, const char *name, const char *uid)
{
    return (struct jr_op_result){ .outcome = JR_OP_OK,
                                  .http = 201,
                                  .name = jr_str(name),
                                  .uid = jr_str(uid),
                                  .body = s->ops[0].body };
}

static const struct jr_stage *want_op(const struct jr_stage *s, enum jr_op_kind kind)
{
    assert_int_equal(s->kind, JR_STAGE_GANG);
    assert_int_equal(s->n_ops, 1);
    assert_int_equal(s->ops[0].kind, kind);
    assert_int_equal(s->ops[0].api, JR_SCHEDULING_V1BETA1);
    return s;
}

static bool has_no_gang(const struct jr_stage *s)
{
    return s->kind != JR_STAGE_GANG && !s->done.failed;
}

/* ---- roots ---- */

static void test_root(void **state)
{
    static const char group[] = "\"schedulingGroup\":{\"podGroupName\":\"" WORKLOAD "-";
    const struct jr_stage *s;
    struct jr_op_result made;
    struct cluster c;
    struct rig r;
    bool grouped = false;

    (void)state;
    open_rig(&r, &c,
             "\"parallelism\":2,\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}},\"spec\":"
             "{\"containers\":[]}}",
             "{\"startTime\":null}");
    s = want_op(rig_begin(&r), JR_OP_CREATE_WORKLOAD);
    want_json("the Workload", s->ops[0].body,
              "{\"apiVersion\":\"scheduling.k8s.io/v1beta1\",\"kind\":\"Workload\",\"metadata\":{"
              "\"name\":\"" WORKLOAD "\",\"namespace\":\"ns1\",\"ownerReferences\":[" JOB_OWNER
              "]},\"spec\":{\"controllerRef\":{\"apiGroup\":\"batch\",\"kind\":\"Job\",\"name\":"
              "\"demo\"},\"podGroupTemplates\":[{\"name\":" TEMPLATE
              ",\"schedulingPolicy\":{\"basic\":{}}}]}}");
    made = stored(s, WORKLOAD, "w-uid");
    s = want_op(rig_step(&r, &made), JR_OP_CREATE_POD_GROUP);
    assert_true(rig_event(s, "WorkloadCreated", "Created Workload " WORKLOAD " for Job demo"));
    want_json("the PodGroup", s->ops[0].body,
              "{\"apiVersion\":\"scheduling.k8s.io/v1beta1\",\"kind\":\"PodGroup\",\"metadata\":{"
              "\"name\":\"" WORKLOAD "-demo-pgt-0-6676b477b7\",\"namespace\":\"ns1\","
              "\"ownerReferences\":[" JOB_OWNER
              ",{\"apiVersion\":\"scheduling.k8s.io/v1beta1\",\"kind\":\"Workload\",\"name\":"
              "\"" WORKLOAD "\",\"uid\":\"w-uid\"}]},\"spec\":{\"workloadRef\":{\"workloadName\":"
              "\"" WORKLOAD "\",\"templateName\":" TEMPLATE
              "},\"schedulingPolicy\":{\"basic\":{}}}}");
    made = stored(s, "g", "g-uid");
    s = rig_step(&r, &made);
    assert_true(rig_event(s, "PodGroupCreated",
                          "Created PodGroup " WORKLOAD "-demo-pgt-0-6676b477b7 for Job demo"));
    for (; s->kind != JR_STAGE_DONE; s = rig_step_ok(&r)) {
        if (s->kind != JR_STAGE_CREATE)
            continue;
        grouped = true;
        for (size_t i = 0; i < s->n_ops; i++)
            assert_non_null(memmem(s->ops[i].body.p, s->ops[i].body.n, group, sizeof(group) - 1));
    }
    assert_true(grouped);
    close_rig(&r, &c);
}

/** What spec.scheduling becomes in the template. */
static void test_blocks(void **state)
{
#define GANG(n) "\"schedulingPolicy\":{\"gang\":{\"minCount\":" n "}}"
#define BASIC "\"schedulingPolicy\":{\"basic\":{}}"
    static const struct {
        const char *spec, *want;
    } rows[] = {
        { "\"scheduling\":{}", BASIC },
        { "\"scheduling\":null", BASIC },
        { "\"parallelism\":5,\"scheduling\":{\"schedulingPolicy\":{\"gang\":{}}}", GANG("5") },
        { "\"parallelism\":0,\"scheduling\":{\"schedulingPolicy\":{\"gang\":{}}}", GANG("1") },
        { "\"scheduling\":{\"schedulingPolicy\":{\"gang\":{}}}", GANG("1") },
        { "\"parallelism\":5,\"scheduling\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":3}}}",
          GANG("3") },
        { "\"scheduling\":{\"schedulingPolicy\":{\"basic\":{}}}", BASIC },
        { "\"scheduling\":{\"schedulingPolicy\":{\"basic\":{},\"gang\":{}}}", BASIC },
        { "\"scheduling\":{\"schedulingPolicy\":{}}", BASIC },
        { "\"scheduling\":{\"schedulingConstraints\":{\"topology\":[{\"key\":\"rack\"}]}}",
          BASIC ",\"schedulingConstraints\":{\"topology\":[{\"key\":\"rack\"}]}" },
        { "\"scheduling\":{\"schedulingConstraints\":{\"topology\":[]}}", BASIC },
        { "\"scheduling\":{\"schedulingConstraints\":{}}", BASIC },
        { "\"scheduling\":{\"disruptionMode\":{\"all\":{}}}",
          BASIC ",\"disruptionMode\":{\"all\":{}}" },
        { "\"scheduling\":{\"resourceClaims\":[{\"name\":\"c\",\"resourceClaimName\":\"x\"}]}",
          BASIC ",\"resourceClaims\":[{\"name\":\"c\",\"resourceClaimName\":\"x\"}]" },
        { "\"scheduling\":{\"resourceClaims\":[]}", BASIC },
        { "\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}},\"spec\":{\"priorityClassName\":"
          "\"high\",\"containers\":[]}}",
          BASIC ",\"priorityClassName\":\"high\"" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_stage *s;
        struct jr_op_result made;
        struct cluster c;
        struct rig r;
        char want[512];

        open_rig(&r, &c, rows[i].spec, "{}");
        s = want_op(rig_begin(&r), JR_OP_CREATE_WORKLOAD);
        (void)snprintf(want, sizeof(want),
                       "{\"controllerRef\":{\"apiGroup\":\"batch\",\"kind\":\"Job\",\"name\":"
                       "\"demo\"},\"podGroupTemplates\":[{\"name\":" TEMPLATE ",%s}]}",
                       rows[i].want);
        {
            JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
            JR_BUF spec = { .max = SIZE_MAX };

            assert_int_equal(jr_doc_parse(s->ops[0].body, &JR_READER_STRICT, &doc, NULL), JR_OK);
            assert_int_equal(jr_node_print(jr_get(jr_doc_root(doc), "spec"), &spec), JR_OK);
            want_json(rows[i].spec, jr_buf_str(&spec), want);
        }
        /* The PodGroup has the same. */
        made = stored(s, WORKLOAD, "w-uid");
        s = want_op(rig_step(&r, &made), JR_OP_CREATE_POD_GROUP);
        {
            JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
            JR_BUF spec = { .max = SIZE_MAX };

            assert_int_equal(jr_doc_parse(s->ops[0].body, &JR_READER_STRICT, &doc, NULL), JR_OK);
            jr_remove(jr_get(jr_doc_root(doc), "spec"), JR_S("workloadRef"), NULL);
            assert_int_equal(jr_node_print(jr_get(jr_doc_root(doc), "spec"), &spec), JR_OK);
            (void)snprintf(want, sizeof(want), "{%s}", rows[i].want);
            want_json(rows[i].spec, jr_buf_str(&spec), want);
        }
        close_rig(&r, &c);
    }
}

#define META(name, owner)                                                                      \
    "\"metadata\":{\"namespace\":\"ns1\",\"name\":\"" name "\",\"uid\":\"u-" name              \
    "\",\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"demo\"," \
    "\"uid\":\"" owner "\",\"controller\":true}]}"
#define FOUND(name, owner, templates)                                                      \
    "{" META(name, owner) ",\"spec\":{\"controllerRef\":{\"apiGroup\":\"batch\",\"kind\":" \
                          "\"Job\",\"name\":\"demo\"},\"podGroupTemplates\":[" templates "]}}"
#define COUNTING(name, n) \
    "{\"name\":\"" name "\",\"schedulingPolicy\":{\"gang\":{\"minCount\":" n "}}}"
#define GROUP(name, owner, workload, n)                                              \
    "{" META(name, owner) ",\"spec\":{\"workloadRef\":{\"workloadName\":\"" workload \
                          "\"},\"schedulingPolicy\":{\"gang\":{\"minCount\":" n "}}}}"
#define GANG_OF_3 "\"parallelism\":3,\"scheduling\":{\"schedulingPolicy\":{\"gang\":{}}}"

/** Its minCount follows the Job, whether it runs or not: the Workload first. */
static void test_counts_follow(void **state)
{
    const struct jr_stage *s;
    struct cluster c;
    struct rig r;

    (void)state;
    open_rig(&r, &c, GANG_OF_3, "{\"startTime\":\"2026-03-01T11:00:00Z\"}");
    put_workload(&r, &c, FOUND("w", "job-uid", COUNTING("t", "2")));
    put_group(&r, &c, GROUP("g", "job-uid", "w", "2"));
    s = want_op(rig_begin(&r), JR_OP_PATCH_WORKLOAD);
    assert_true(jr_str_is(s->ops[0].name, "w"));
    want_json("the Workload's patch", s->ops[0].body,
              "{\"spec\":{\"podGroupTemplates\":[" COUNTING("t", "3") "]}}");
    s = want_op(rig_step(&r, &RIG_OK), JR_OP_PATCH_POD_GROUP);
    assert_true(jr_str_is(s->ops[0].name, "g"));
    want_json("the PodGroup's patch", s->ops[0].body,
              "{\"spec\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":3}}}}");
    assert_true(has_no_gang(rig_step(&r, &RIG_OK)));
    close_rig(&r, &c);

    open_rig(&r, &c, GANG_OF_3, "{}");
    put_workload(&r, &c, FOUND("w", "job-uid", COUNTING("t", "3")));
    put_group(&r, &c, GROUP("g", "job-uid", "w", "3"));
    assert_true(has_no_gang(rig_begin(&r)));
    close_rig(&r, &c);

    open_rig(&r, &c, GANG_OF_3, "{}");
    put_workload(&r, &c, FOUND("w", "job-uid", COUNTING("t", "2")));
    put_group(&r, &c, GROUP("g", "job-uid", "w", "3"));
    (void)want_op(rig_begin(&r), JR_OP_PATCH_WORKLOAD);
    s = rig_step(&r, &RIG_REFUSED(500));
    assert_true(s->kind == JR_STAGE_DONE && s->done.failed);
    close_rig(&r, &c);
}

/** A basic policy has no count, neither in the Job nor in what is found. */
static void test_no_counts(void **state)
{
    static const char basic[] = "{\"name\":\"t\",\"schedulingPolicy\":{\"basic\":{}}}";
    struct cluster c;
    struct rig r;

    (void)state;
    open_rig(&r, &c, "\"parallelism\":3", "{}");
    put_workload(&r, &c, FOUND("w", "job-uid", COUNTING("t", "2")));
    put_group(&r, &c, GROUP("g", "job-uid", "w", "2"));
    assert_true(has_no_gang(rig_begin(&r)));
    close_rig(&r, &c);
    open_rig(&r, &c, GANG_OF_3, "{}");
    {
        char text[1024];

        (void)snprintf(text, sizeof(text), FOUND("w", "job-uid", "%s"), basic);
        put_workload(&r, &c, text);
    }
    put_group(&r, &c, GROUP("g", "job-uid", "w", "3"));
    assert_true(has_no_gang(rig_begin(&r)));
    close_rig(&r, &c);
}

static void test_what_is_found(void **state)
{
    const struct jr_stage *s;
    struct cluster c;
    struct rig r;

    (void)state;
    /* Others' objects don't count, and don't keep ours from being made. */
    open_rig(&r, &c, "\"parallelism\":3", "{}");
    put_workload(&r, &c, FOUND("w", "somebody", COUNTING("t", "2")));
    (void)want_op(rig_begin(&r), JR_OP_CREATE_WORKLOAD);
    close_rig(&r, &c);
    /* A Job that has begun gets none. */
    open_rig(&r, &c, "\"parallelism\":3", "{\"startTime\":\"2026-03-01T11:00:00Z\"}");
    assert_true(has_no_gang(rig_begin(&r)));
    close_rig(&r, &c);
    open_rig(&r, &c, "\"parallelism\":3", "{\"startTime\":\"2026-03-01T11:00:00Z\"}");
    put_workload(&r, &c, FOUND("w", "job-uid", COUNTING("t", "2")));
    assert_true(has_no_gang(rig_begin(&r)));
    close_rig(&r, &c);
    /* Two of ours: none. */
    open_rig(&r, &c, "\"parallelism\":3", "{}");
    put_workload(&r, &c, FOUND("w", "job-uid", COUNTING("t", "2")));
    put_workload(&r, &c, FOUND("v", "job-uid", COUNTING("t", "2")));
    assert_true(has_no_gang(rig_begin(&r)));
    close_rig(&r, &c);
    /* The Workload is there, the PodGroup isn't. */
    open_rig(&r, &c, GANG_OF_3, "{}");
    put_workload(&r, &c, FOUND("w", "job-uid", COUNTING("t", "3")));
    s = want_op(rig_begin(&r), JR_OP_CREATE_POD_GROUP);
    assert_non_null(memmem(s->ops[0].body.p, s->ops[0].body.n, "\"uid\":\"u-w\"", 11));
    close_rig(&r, &c);
    /* Another number of templates. */
    open_rig(&r, &c, GANG_OF_3, "{}");
    put_workload(&r, &c, FOUND("w", "job-uid", COUNTING("t", "3") "," COUNTING("u", "3")));
    s = rig_begin(&r);
    assert_true(s->kind == JR_STAGE_DONE && s->done.failed);
    assert_true(jr_str_is(s->done.error,
                          "ensuring Workload and PodGroup for Job ns1/demo: workload ns1/w for job "
                          "ns1/demo has 2 PodGroupTemplates, want exactly 1"));
    close_rig(&r, &c);
}

static void test_refused(void **state)
{
    const struct jr_stage *s;
    struct cluster c;
    struct rig r;

    (void)state;
    open_rig(&r, &c, "\"parallelism\":3", "{}");
    (void)want_op(rig_begin(&r), JR_OP_CREATE_WORKLOAD);
    s = rig_step(&r, &RIG_REFUSED(409));
    assert_true(s->kind == JR_STAGE_DONE && s->done.failed);
    assert_true(
        rig_event(s, "FailedWorkloadCreate", "Failed to create Workload for Job demo: refused"));
    close_rig(&r, &c);
    open_rig(&r, &c, "\"parallelism\":3", "{}");
    (void)want_op(rig_begin(&r), JR_OP_CREATE_WORKLOAD);
    s = rig_step(&r, &RIG_HELD_BACK);
    assert_true(s->kind == JR_STAGE_DONE && s->done.failed && s->n_events == 0);
    close_rig(&r, &c);
}

/** The built-in controller is refused for ever: its template's name has to be a DNS label. */
static void test_names_that_cannot_be(void **state)
{
    static char name[64];
    struct cluster c;
    struct rig r;

    (void)state;
    memset(name, 'a', sizeof(name) - 1);
    for (size_t n = 56; n < 60; n++) {
        open_rig(&r, &c, "\"parallelism\":3", "{}");
        r.job->meta.name = jr_str_head(jr_str(name), n);
        if (n <= 57)
            (void)want_op(rig_begin(&r), JR_OP_CREATE_WORKLOAD);
        else
            assert_true(has_no_gang(rig_begin(&r)));
        close_rig(&r, &c);
    }
    open_rig(&r, &c, "\"parallelism\":3", "{}");
    r.job->meta.name = JR_S("a.b");
    assert_true(has_no_gang(rig_begin(&r)));
    close_rig(&r, &c);
}

static void test_only_asked(void **state)
{
    struct cluster c;
    struct rig r;

    (void)state;
    open_rig(&r, &c, "\"parallelism\":3", "{}");
    r.options.gangs_only_asked = true;
    assert_true(has_no_gang(rig_begin(&r)));
    close_rig(&r, &c);
    open_rig(&r, &c, "\"parallelism\":3,\"scheduling\":{}", "{}");
    r.options.gangs_only_asked = true;
    (void)want_op(rig_begin(&r), JR_OP_CREATE_WORKLOAD);
    close_rig(&r, &c);
}

/* ---- Jobs of controllers ---- */

#define PARENTS(templates)                                                                       \
    "{\"metadata\":{\"namespace\":\"ns1\",\"name\":\"pw\",\"uid\":\"u-pw\"},\"spec\":{"          \
    "\"controllerRef\":{\"apiGroup\":\"jobset.x-k8s.io\",\"kind\":\"JobSet\",\"name\":\"set\"}," \
    "\"podGroupTemplates\":[" templates "]}}"

static void belong(struct rig *r, const char *template)
{
    static struct jr_owner_ref owner;
    static struct jr_label annotation;

    owner = (struct jr_owner_ref){ .api_version = JR_S("jobset.x-k8s.io/v1alpha2"),
                                   .kind = JR_S("JobSet"),
                                   .name = JR_S("set"),
                                   .uid = JR_S("u-set"),
                                   .controller = JR_BOOL(true) };
    r->job->meta.owner_refs = (struct jr_owner_refs){ &owner, 1 };
    if (template == NULL)
        return;
    annotation =
        (struct jr_label){ JR_S("scheduling.k8s.io/group-template-name"), jr_str(template) };
    r->job->meta.annotations = (struct jr_labels){ .v = &annotation, .n = 1 };
}

static void test_delegated(void **state)
{
    static const char two[] = COUNTING("a", "2") "," COUNTING("b", "4");
    const struct jr_stage *s;
    struct jr_op_result made;
    struct cluster c;
    struct rig r;
    char text[1024];

    (void)state;
    (void)snprintf(text, sizeof(text), PARENTS("%s"), two);
    open_rig(&r, &c, "\"parallelism\":3", "{}");
    belong(&r, "b");
    put_workload(&r, &c, text);
    s = want_op(rig_begin(&r), JR_OP_CREATE_POD_GROUP);
    want_json("its PodGroup", s->ops[0].body,
              "{\"apiVersion\":\"scheduling.k8s.io/v1beta1\",\"kind\":\"PodGroup\",\"metadata\":{"
              "\"name\":\"pw-b-57ffc5b7d6\",\"namespace\":\"ns1\",\"ownerReferences\":[" JOB_OWNER
              "]},\"spec\":{\"workloadRef\":{\"workloadName\":\"pw\",\"templateName\":\"b\"},"
              "\"schedulingPolicy\":{\"gang\":{\"minCount\":4}}}}");
    made = stored(s, "pw-b", "g-uid");
    s = rig_step(&r, &made);
    assert_true(rig_event(s, "PodGroupCreated", "Created PodGroup pw-b-57ffc5b7d6 for Job demo"));
    assert_true(has_no_gang(s));
    close_rig(&r, &c);

    /* It follows its template, and the Workload is left alone. */
    open_rig(&r, &c, GANG_OF_3, "{\"startTime\":\"2026-03-01T11:00:00Z\"}");
    belong(&r, "b");
    put_workload(&r, &c, text);
    put_group(&r, &c, GROUP("g", "job-uid", "pw", "2"));
    s = want_op(rig_begin(&r), JR_OP_PATCH_POD_GROUP);
    want_json("its patch", s->ops[0].body,
              "{\"spec\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":4}}}}");
    assert_true(has_no_gang(rig_step(&r, &RIG_OK)));
    close_rig(&r, &c);
}

static void test_not_delegated(void **state)
{
    static const struct {
        const char *name, *annotation;
        bool workload;
    } rows[] = {
        { "nothing is delegated", NULL, true },
        { "there is no such template", "z", true },
        { "there is no Workload", "a", false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct cluster c;
        struct rig r;

        open_rig(&r, &c, "\"parallelism\":3,\"scheduling\":{}", "{}");
        belong(&r, rows[i].annotation);
        if (rows[i].workload)
            put_workload(&r, &c, PARENTS(COUNTING("a", "2")));
        if (!has_no_gang(rig_begin(&r)))
            fail_msg("%s", rows[i].name);
        close_rig(&r, &c);
    }
}

static void test_own_group(void **state)
{
    struct cluster c;
    struct rig r;

    (void)state;
    open_rig(
        &r, &c,
        "\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}},\"spec\":{\"schedulingGroup\":"
        "{\"podGroupName\":\"mine\"},\"containers\":[]}}",
        "{}");
    assert_true(has_no_gang(rig_begin(&r)));
    close_rig(&r, &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_counts_follow),
        cmocka_unit_test(test_no_counts),
        cmocka_unit_test(test_what_is_found),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_names_that_cannot_be),
        cmocka_unit_test(test_only_asked),
        cmocka_unit_test(test_delegated),
        cmocka_unit_test(test_not_delegated),
        cmocka_unit_test(test_own_group),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
