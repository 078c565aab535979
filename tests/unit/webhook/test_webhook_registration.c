/* SPDX-License-Identifier: Apache-2.0 */
/* What a keeper makes of the webhook configurations beside their trust: they go with the Namespace,
 * and fail closed where that is wanted, once a replica answers by a certificate that they trust. */
#include "tests/unit/webhook/keeper_world.h"

#include <stdio.h>

#include "webhook/certs/registration_patch.h"

static const struct jr_str none = { NULL, 0 };

/** The failurePolicy of both webhooks of a configuration; "" where they differ. */
static void assert_policy(struct world *w, const char *kind, const char *want)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    char path[200];

    (void)snprintf(path, sizeof(path), "%s/jobreeve", kind);
    doc = get(w, path);
    for (const struct jr_node *n = jr_first(jr_get(jr_doc_root_const(doc), "webhooks")); n != NULL;
         n = jr_next(n)) {
        if (!jr_str_is(jr_get_str(n, "failurePolicy"), want))
            fail_msg("%s: %.*s, not %s", kind, JR_P(jr_get_str(n, "failurePolicy")), want);
    }
}

static void want_fail(struct world *w)
{
    assert_int_equal(request(w, "DELETE", VALIDATING "/jobreeve", NULL, none, NULL), 200);
    configure(w, VALIDATING, "ValidatingWebhookConfiguration", "", "Fail");
}

/* Finding: the validating side refused all Jobs for as long as no replica was there. */
static void test_fails_closed_once_a_replica_answers(void **state)
{
    struct world *w = *state;

    want_fail(w);
    start_keeper(w, 0, 10000, (const char *const[]){ "hook", "hook.ns.svc" }, 2);
    pass(w, 60 * JR_SEC);
    assert_policy(w, VALIDATING, "Ignore"); /* nobody is there */
    w->none_answer = true;
    start_reader(w, 0, 10000);
    pass(w, 60 * JR_SEC);
    assert_non_null(w->replicas[0].serving);
    assert_policy(w, VALIDATING, "Ignore"); /* ready, as the Service says, but not to be reached */
    w->none_answer = false;
    pass(w, 30 * JR_SEC);
    assert_policy(w, VALIDATING, "Fail");
    assert_policy(w, MUTATING, "Ignore"); /* nobody wants that one raised */
}

/* What answers has a certificate of somebody else's. */
static void test_stays_open_without_trust(void **state)
{
    struct world *w = *state;
    static const char *const wrong[] = { "another", "hook.ns.svc", "hook" };
    JR_FREE char *bundle = NULL;

    want_fail(w);
    start(w, 0, 10000);
    pass(w, 30 * JR_SEC);
    assert_policy(w, VALIDATING, "Fail"); /* as a control */
    stop_keeper(w, 0);
    jr_cert_reader_free(w->replicas[0].reader); /* goes on with what it has */
    w->replicas[0].reader = NULL;
    assert_int_equal(request(w, "DELETE", SECRET, NULL, none, NULL), 200);
    assert_int_equal(request(w, "DELETE", MUTATING "/jobreeve", NULL, none, NULL), 200);
    want_fail(w);
    start_keeper(w, 0, 10000, wrong, 3);
    pass(w, 60 * JR_SEC);
    bundle = trusted_by(w, VALIDATING);
    assert_int_equal(cas(bundle), 1);
    assert_policy(w, VALIDATING, "Ignore");
}

static void assert_owner(struct world *w, const char *path, size_t want)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *namespace = get(w, "/api/v1/namespaces/ns");
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = get(w, path);
    const struct jr_node *owners = jr_path(jr_doc_root_const(doc), "metadata.ownerReferences");
    size_t n = 0;

    assert_int_equal(jr_size(owners), want);
    for (const struct jr_node *o = jr_first(owners); o != NULL; o = jr_next(o))
        n += jr_str_is(jr_get_str(o, "kind"), "Namespace") &&
             jr_str_eq(jr_get_str(o, "uid"),
                       jr_get_str(jr_get(jr_doc_root_const(namespace), "metadata"), "uid"));
    assert_int_equal(n, 1);
}

/* Finding: with the namespace deleted the configurations stayed, and blocked all Jobs. */
static void test_owner(void **state)
{
    static const char theirs[] = "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"v1\","
                                 "\"kind\":\"ConfigMap\",\"name\":\"ns\","
                                 "\"uid\":\"1\"},{\"apiVersion\":\"v1\",\"kind\":\"Namespace\","
                                 "\"name\":\"ns\",\"uid\":\"2\"}]}}";
    struct world *w = *state;
    unsigned patches;

    begin(w, 10000);
    assert_owner(w, MUTATING "/jobreeve", 1);
    assert_owner(w, VALIDATING "/jobreeve", 1);
    patches = sent(w, "PATCH", ADMISSION);
    pass(w, 100 * JR_SEC);
    assert_int_equal(sent(w, "PATCH", ADMISSION), patches);
    assert_int_equal(request(w, "PATCH", MUTATING "/jobreeve", "application/merge-patch+json",
                             jr_str(theirs), NULL),
                     200);
    pass(w, 30 * JR_SEC);
    assert_owner(w, MUTATING "/jobreeve", 2); /* the stale one is replaced, others stay */
}

/* ---- patches ---- */

struct row {
    const char *name;
    const char *configuration;
    void (*patch)(const struct jr_node *configuration, struct jr_buf *out);
    const char *want;
};

#define RV "{\"op\":\"replace\",\"path\":\"/metadata/resourceVersion\",\"value\":\"7\"}"

static void own(const struct jr_node *c, struct jr_buf *out)
{
    jr_patch_owner(c, JR_S("ns"), JR_S("u"), out);
}

static void test_patches(void **state)
{
    static const struct row rows[] = {
        { "no owner yet", "{\"metadata\":{\"resourceVersion\":\"7\"}}", own,
          "[" RV ",{\"op\":\"add\",\"path\":\"/metadata/"
          "ownerReferences\",\"value\":[{\"apiVersion\":\"v1\","
          "\"kind\":\"Namespace\",\"name\":\"ns\",\"uid\":\"u\"}]}]" },
        { "owned",
          "{\"metadata\":{\"resourceVersion\":\"7\",\"ownerReferences\":[{\"uid\":\"u\"}]}}", own,
          "" },
        { "another's, too",
          "{\"metadata\":{\"resourceVersion\":\"7\",\"ownerReferences\":[{\"uid\":\"x\"}]}}", own,
          "[" RV ",{\"op\":\"add\",\"path\":\"/metadata/ownerReferences/"
          "-\",\"value\":{\"apiVersion\":\"v1\","
          "\"kind\":\"Namespace\",\"name\":\"ns\",\"uid\":\"u\"}}]" },
        { "open",
          "{\"metadata\":{\"resourceVersion\":\"7\"},\"webhooks\":[{\"failurePolicy\":\"Fail\"},"
          "{\"failurePolicy\":\"Ignore\"}]}",
          jr_patch_policy,
          "[" RV
          ",{\"op\":\"replace\",\"path\":\"/webhooks/1/failurePolicy\",\"value\":\"Fail\"}]" },
        { "open, for JobPolicies",
          "{\"metadata\":{\"resourceVersion\":\"7\"},\"webhooks\":[{\"failurePolicy\":\"Ignore\","
          "\"rules\":[{\"apiGroups\":[\"policy.jobreeve.dev\"]}]},{\"failurePolicy\":\"Ignore\","
          "\"rules\":[{\"apiGroups\":[\"batch\"]}]}]}",
          jr_patch_policy,
          "[" RV
          ",{\"op\":\"replace\",\"path\":\"/webhooks/1/failurePolicy\",\"value\":\"Fail\"}]" },
        { "ours among the managers",
          "{\"metadata\":{\"resourceVersion\":\"7\",\"managedFields\":[{\"manager\":\"helm\"},"
          "{\"manager\":\"jobreeve-failure-policy\"}]}}",
          jr_patch_manager, "[" RV ",{\"op\":\"remove\",\"path\":\"/metadata/managedFields/1\"}]" },
        { "not among them",
          "{\"metadata\":{\"resourceVersion\":\"7\",\"managedFields\":[{\"manager\":\"helm\"}]}}",
          jr_patch_manager, "" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
        JR_BUF out = { 0 };

        jr_buf_init(&out, 4096);
        assert_int_equal(jr_doc_parse(jr_str(rows[i].configuration), &JR_READER_STRICT, &doc, NULL),
                         JR_OK);
        rows[i].patch(jr_doc_root_const(doc), &out);
        if (!jr_str_is(jr_buf_str(&out), rows[i].want))
            fail_msg("%s: %.*s", rows[i].name, JR_P(jr_buf_str(&out)));
    }
}

/* ---- the replicas */

struct asked {
    struct jr_replicas_seen seen;
    struct jr_error err;
    unsigned n;
};

static bool is_any(void *ctx, const char *chain_pem)
{
    (void)ctx;
    return chain_pem != NULL;
}

static void on_asked(void *ctx, const struct jr_replicas_seen *seen, const struct jr_error *err)
{
    struct asked *a = ctx;

    a->seen = *seen;
    a->err = err == NULL ? (struct jr_error){ .status = JR_OK } : *err;
    a->n++;
}

/* Finding: endpoints whose handshakes fail at once were asked by recursion. */
static void test_endpoints(void **state)
{
    static const struct {
        size_t n;
        bool too_many;
    } rows[] = { { 1, false }, { 1000, false }, { 1001, true }, { 200000, true } };
    struct world *w = *state;
    const struct jr_handshaker shaker = shaker_of(w);
    struct jr_replicas *r = jr_replicas_new(&w->env, &shaker, "ns", "hook");

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct asked a = { .n = 0 };
        const struct jr_replicas_question q = { 1, is_any, on_asked, &a };

        w->endpoints = rows[i].n;
        jr_replicas_ask(r, &q);
        pass(w, JR_SEC);
        assert_int_equal(a.n, 1);
        assert_int_equal(a.seen.n_silent, rows[i].too_many ? 0 : rows[i].n);
        if ((strstr(a.err.msg, "expected the webhook's replicas, at most 1000") != NULL) !=
            rows[i].too_many)
            fail_msg("%zu endpoints: %s", rows[i].n, a.err.msg);
    }
    jr_replicas_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fails_closed_once_a_replica_answers,
                                        keeper_world_setup, keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_stays_open_without_trust, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_owner, keeper_world_setup, keeper_world_teardown),
        cmocka_unit_test(test_patches),
        cmocka_unit_test_setup_teardown(test_endpoints, keeper_world_setup, keeper_world_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
