/* SPDX-License-Identifier: Apache-2.0 */
/* AdmissionReviews as a real API server sends them. */
#include <stdio.h>

#include "tests/unit/devcluster/flight.h"

static void drop(struct jr_node *root, const char *path, const char *member)
{
    struct jr_node *n = jr_path(root, path);

    if (jr_node_kind(n) == JR_OBJECT)
        jr_remove(n, jr_str(member), NULL);
}

static struct jr_doc *read_review(const char *file)
{
    char name[128];
    JR_BUF text = { 0 };
    struct jr_doc *doc = NULL;

    (void)snprintf(name, sizeof(name), "reviews/%s", file);
    read_wire(name, &text);
    assert_int_equal(jr_doc_parse(jr_buf_str(&text), &JR_READER_STRICT, &doc, NULL), JR_OK);
    return doc;
}

/* Makes equal what can't be: uids, times, who asks, managedFields. Values that are one uid on one
 * side must be one uid on the other. */
static void level(struct jr_node *n, struct jr_str uid)
{
    struct jr_str text = jr_node_str(n);

    if (jr_node_kind(n) == JR_STRING && uid.n > 0 && jr_str_eq(text, uid)) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
        assert_int_equal(jr_doc_parse(JR_S("\"UID\""), &JR_READER_STRICT, &doc, NULL), JR_OK);
        assert_int_equal(jr_node_assign(n, jr_doc_root(doc)), JR_OK);
    }
    for (struct jr_node *c = jr_first(n); c != NULL; c = jr_next(c))
        level(c, uid);
}

static void prepare(struct jr_node *review)
{
    char uid[64];

    drop(review, "request.object.metadata", "managedFields");
    drop(review, "request.object.metadata", "creationTimestamp");
    drop(review, "request", "uid");
    drop(review, "request", "userInfo");
    (void)snprintf(uid, sizeof(uid), "%.*s",
                   JR_P(jr_get_str(jr_path(review, "request.object.metadata"), "uid")));
    level(review, jr_str(uid));
}

static void expect_review(struct flight *f, const char *file)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *want = read_review(file);
    JR_BUF a = { 0 };
    JR_BUF b = { 0 };

    prepare(jr_doc_root(want));
    prepare(jr_doc_root(f->review));
    if (jr_node_equal(jr_doc_root(want), jr_doc_root(f->review)))
        return;
    jr_buf_init(&a, 65536);
    jr_buf_init(&b, 65536);
    assert_int_equal(jr_node_print(jr_doc_root(f->review), &a), JR_OK);
    assert_int_equal(jr_node_print(jr_doc_root(want), &b), JR_OK);
    fail_msg("%s:\n%s\nnot\n%s", file, a.p, b.p);
}

static void replay_create(struct api *a, const char *mutate, const char *validate)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *wire = read_review(mutate);
    struct jr_node *request = jr_get(jr_doc_root(wire), "request");
    struct jr_str plural = jr_get_str(jr_get(request, "resource"), "resource");
    JR_BUF body = { 0 };
    JR_BUF path = { 0 };
    struct flight f;

    drop(request, "object.metadata", "managedFields");
    jr_buf_init(&body, 65536);
    jr_buf_init(&path, 1024);
    assert_int_equal(jr_node_print(jr_get(request, "object"), &body), JR_OK);
    (void)jr_buf_addf(
        &path, "/apis/batch/v1/namespaces/default/%.*s?fieldManager=%.*s&fieldValidation=Strict",
        JR_P(plural), JR_P(jr_get_str(jr_get(request, "options"), "fieldManager")));
    if (jr_node_bool_or(jr_get(request, "dryRun"), false))
        (void)jr_buf_adds(&path, "&dryRun=All");
    begin(&f, a, "POST", path.p, body.p, NULL);
    if (f.next != JR_DEV_NEXT_WEBHOOK)
        fail_msg("%s: %s", mutate, jr_dev_op_answer(f.op)->body.p);
    char uid[64];
    (void)snprintf(uid, sizeof(uid), "%s", asked(&f, "/request/uid"));
    char response[256];
    (void)snprintf(response, sizeof(response),
                   "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/"
                   "v1\",\"response\":{\"uid\":\"%s\","
                   "\"allowed\":true}}",
                   uid);
    expect_review(&f, mutate);
    answer_raw(&f, &(struct jr_dev_webhook_result){ .status = 200, .body = jr_str(response) });
    if (validate == NULL) {
        end(&f, 422, "is invalid");
        return;
    }
    expect_review(&f, validate);
    jr_dev_op_free(f.op);
    jr_doc_free(f.review);
}

static void test_reviews_as_on_the_wire(void **state)
{
    /* Names that are generated differ, so of those only the first half is here. */
    static const struct {
        const char *mutate;
        const char *validate;
    } rows[] = {
        { "001-mutate-CREATE-jobs.json", "002-validate-CREATE-jobs.json" },
        { "004-mutate-CREATE-jobs.json", "006-validate-CREATE-jobs.json" },
        { "021-mutate-CREATE-jobs.json", "022-validate-CREATE-jobs.json" },
        { "041-mutate-CREATE-cronjobs.json", "042-validate-CREATE-cronjobs.json" },
        { "043-mutate-CREATE-jobs.json", "044-validate-CREATE-jobs.json" },
        { "047-mutate-CREATE-jobs.json", NULL },
    };
    static const char all[] = RULE("\"*\"", "\"jobs\",\"cronjobs\"");

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct api *a = *state;

        api_end(a);
        api_begin(a, 0);
        configure(a, MUTATING, "m", all, "");
        configure(a, VALIDATING, "v", all, "");
        replay_create(a, rows[i].mutate, rows[i].validate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_reviews_as_on_the_wire),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
