/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of Workloads and PodGroups, and how it comes to be. */
#include "controller/gang_discovery.h"
#include "controller/intake/feed.h"
#include "controller/intake/sources.h"
#include "tests/support/scripted_api.h"
#include "tests/unit/controller/controller_test.h"

#define WORKLOAD(name, version, job)                                                           \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"" name "\",\"uid\":\"u-" name              \
    "\",\"resourceVersion\":\"" version "\"},\"spec\":{\"controllerRef\":{\"apiGroup\":"       \
    "\"batch\",\"kind\":\"Job\",\"name\":\"" job "\"},\"podGroupTemplates\":[{\"name\":\"t\"," \
    "\"schedulingPolicy\":{\"gang\":{\"minCount\":2}}}]}}"
#define POD_GROUP(name, version, workload)                                                     \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"" name "\",\"resourceVersion\":\"" version \
    "\"},\"spec\":{\"podGroupTemplateRef\":{"                                                  \
    "\"workload\":{\"workloadName\":\"" workload "\"}}}}"

static struct jr_gang_object *decode(const char *text)
{
    struct jr_gang_object *o = NULL;
    struct jr_error err = { 0 };

    if (jr_gang_object_decode(jr_str(text), &o, &err) != JR_OK)
        fail_msg("%s: %s: %s", text, err.path, err.msg);
    return o;
}

static void put(struct jr_store *s, enum jr_store_kind kind, const char *text)
{
    JR_CLEANUP(jr_gang_object_unrefp) struct jr_gang_object *o = decode(text);

    jr_cache_apply(jr_store_cache(s, kind), o, NULL, NULL);
}

static struct jr_cache_round begin(struct jr_store *s, struct jr_str namespace)
{
    return jr_cache_begin(jr_store_cache(s, JR_STORE_WORKLOADS), namespace);
}

static void sweep(struct jr_store *s, const struct jr_cache_round *round)
{
    jr_cache_sweep(jr_store_cache(s, JR_STORE_WORKLOADS), round, NULL, NULL);
}

/** The names of what refers to `to`, in any order, must be these; "" for none. */
static void want(const struct jr_store *s, enum jr_store_kind kind, const char *to,
                 const char *name, const char *version)
{
    struct jr_gang_list l = { 0 };

    jr_store_gang(s, kind, JR_S("ns"), jr_str(to), &l);
    check_int(to, l.n, name[0] != '\0');
    if (l.n == 1) {
        check(to, jr_str_is(l.v[0]->meta.name, name));
        check(to, jr_str_is(l.v[0]->meta.resource_version, version));
    }
    jr_gang_list_done(&l);
}

static void test_cache(void **state)
{
    struct jr_store *s = jr_store_new(JR_S("f"));
    struct jr_cache_round round;
    JR_CLEANUP(jr_gang_object_unrefp) struct jr_gang_object *gone = NULL;

    (void)state;
    put(s, JR_STORE_WORKLOADS, WORKLOAD("w1", "5", "a"));
    put(s, JR_STORE_WORKLOADS, WORKLOAD("w2", "6", "b"));
    put(s, JR_STORE_POD_GROUPS, POD_GROUP("g1", "7", "w1"));
    want(s, JR_STORE_WORKLOADS, "a", "w1", "5");
    want(s, JR_STORE_WORKLOADS, "w1", "", "");
    want(s, JR_STORE_POD_GROUPS, "w1", "g1", "7");
    put(s, JR_STORE_WORKLOADS, WORKLOAD("w1", "4", "z")); /* late news */
    want(s, JR_STORE_WORKLOADS, "a", "w1", "5");
    put(s, JR_STORE_WORKLOADS, WORKLOAD("w1", "9", "c"));
    want(s, JR_STORE_WORKLOADS, "a", "", "");
    want(s, JR_STORE_WORKLOADS, "c", "w1", "9");
    round = begin(s, ALL_NAMESPACES);
    put(s, JR_STORE_WORKLOADS, WORKLOAD("w1", "9", "c"));
    sweep(s, &round);
    want(s, JR_STORE_WORKLOADS, "b", "", "");
    want(s, JR_STORE_WORKLOADS, "c", "w1", "9");
    want(s, JR_STORE_POD_GROUPS, "w1", "g1", "7");
    round = begin(s, ALL_NAMESPACES);
    put(s, JR_STORE_WORKLOADS,
        WORKLOAD("w1", "8", "z")); /* a list that is behind has it all the same */
    sweep(s, &round);
    want(s, JR_STORE_WORKLOADS, "c", "w1", "9");
    round = begin(s, JR_S("other"));
    sweep(s, &round);
    want(s, JR_STORE_WORKLOADS, "c", "w1", "9");
    round = begin(s, JR_S("ns"));
    sweep(s, &round);
    want(s, JR_STORE_WORKLOADS, "c", "", "");
    gone = decode(POD_GROUP("g1", "8", "w1"));
    jr_cache_remove(jr_store_cache(s, JR_STORE_POD_GROUPS), gone, NULL, NULL);
    want(s, JR_STORE_POD_GROUPS, "w1", "", "");
    jr_store_free(s);
}

/* ---- events ---- */

static void on_changed(void *ctx)
{
    (void)ctx;
}

static void on_listed(void *ctx, enum jr_store_kind kind, struct jr_str namespace)
{
    assert_int_equal(kind, JR_STORE_WORKLOADS);
    assert_null(namespace.p);
    ++*(int *)ctx;
}

/** What the informer tells: what is there, what is gone, and what can't be read. */
static void test_events(void **state)
{
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    const char bad[] = "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"w1\"},\"spec\":7}";
    struct jr_clock_virtual clock = { .mono = { JR_SEC } };
    struct jr_loop *loop = NULL;
    struct jr_state s;
    struct jr_feed f;
    struct jr_informer_handler h;
    int listed = 0;

    (void)state;
    assert_int_equal(jr_loop_new_virtual(&clock, &loop, NULL), JR_OK);
    jr_state_init(&s, &options, false, NULL);
    f = (struct jr_feed){ .kind = JR_STORE_WORKLOADS,
                          .state = &s,
                          .loop = loop,
                          .on_changed = on_changed,
                          .on_listed = on_listed,
                          .ctx = &listed };
    h = jr_feed_handler(&f);
    h.on_replace_begin(&f);
    h.on_replace_item(&f, JR_S(WORKLOAD("w1", "5", "a")));
    h.on_replace_end(&f, JR_S("9"));
    assert_int_equal(listed, 1);
    want(s.store, JR_STORE_WORKLOADS, "a", "w1", "5");
    h.on_event(&f, JR_EV_ADDED, JR_S(WORKLOAD("w2", "10", "b")));
    h.on_event(&f, JR_EV_MODIFIED, JR_S(WORKLOAD("w1", "11", "c")));
    want(s.store, JR_STORE_WORKLOADS, "b", "w2", "10");
    want(s.store, JR_STORE_WORKLOADS, "c", "w1", "11");
    h.on_event(&f, JR_EV_DELETED, JR_S(WORKLOAD("w2", "12", "b")));
    want(s.store, JR_STORE_WORKLOADS, "b", "", "");
    h.on_event(&f, JR_EV_MODIFIED, jr_str(bad));
    want(s.store, JR_STORE_WORKLOADS, "c", "w1", "11"); /* what is known of it stays */
    assert_non_null(jr_unreadables_get(s.unreadables, "workloads", JR_S("ns"), JR_S("w1")));
    h.on_replace_begin(&f);
    h.on_replace_item(&f, jr_str(bad));
    h.on_replace_end(&f, JR_S("13"));
    want(s.store, JR_STORE_WORKLOADS, "c", "w1", "11");
    h.on_event(&f, JR_EV_DELETED, jr_str(bad));
    want(s.store, JR_STORE_WORKLOADS, "c", "", "");
    assert_null(jr_unreadables_get(s.unreadables, "workloads", JR_S("ns"), JR_S("w1")));
    jr_state_done(&s);
    jr_loop_free(loop);
}

/* ---- discovery ---- */

struct world {
    const char *discovery[JR_SCHEDULING_APIS]; /* of each version; NULL: 404 */
    size_t refusals;                           /* with 500, before that */
    size_t asked;
    bool known;
    enum jr_scheduling_api api;
    struct jr_sources *sources;
};

static struct jr_scripted_answer answer(void *ctx, size_t n, const struct jr_scripted_call *call)
{
    struct world *w = ctx;
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = 200 };
    const char *discovery = NULL;
    bool discovers = false;

    (void)n;
    for (int api = JR_SCHEDULING_V1ALPHA2; api < JR_SCHEDULING_APIS; api++) {
        if (!jr_str_is(call->path, jr_scheduling_api_path((enum jr_scheduling_api)api)))
            continue;
        discovers = true;
        discovery = w->discovery[api];
    }
    if (discovers) {
        w->asked++;
        if (w->refusals > 0) {
            w->refusals--;
            a.status = 500;
        } else if (discovery == NULL) {
            a.status = 404;
        }
        a.body = jr_str(discovery == NULL ? "{}" : discovery);
    } else if (memmem(call->path.p, call->path.n, "watch=", 6) != NULL) {
        a.stream = true;
    } else if (memmem(call->path.p, call->path.n, "/namespaces/other/", 18) != NULL) {
        a.body = JR_S("{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}");
    } else if (memmem(call->path.p, call->path.n, "/namespaces/ns/", 15) == NULL) {
        a.status = 403;
    } else if (memmem(call->path.p, call->path.n, "/workloads", 10) != NULL) {
        a.body = JR_S(
            "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[" WORKLOAD("w1", "5", "a") "]}");
    } else {
        a.body = JR_S("{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[" POD_GROUP("g1", "5",
                                                                                        "w1") "]}");
    }
    return a;
}

static void on_known(void *ctx, enum jr_scheduling_api api)
{
    struct world *w = ctx;

    assert_false(w->known);
    w->known = true;
    w->api = api;
    jr_sources_set_gangs(w->sources, api);
    jr_sources_start(w->sources);
}

static void on_source_listed(void *ctx, enum jr_store_kind kind, struct jr_str namespace)
{
    (void)ctx;
    (void)kind;
    (void)namespace;
}

static void run_discovery(const char *name, struct world *w, enum jr_scheduling_api served,
                          size_t asked)
{
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    struct jr_clock_virtual clock = { .wall = jr_time_s(1772366400), .mono = { JR_SEC } };
    struct jr_rand_seeded seed;
    struct jr_loop *loop = NULL;
    struct jr_scripted_api *api = NULL;
    const struct jr_sources_sink sink = { on_changed, on_source_listed, w };
    const struct jr_str namespaces[] = { JR_S("ns"), JR_S("other") };
    const struct jr_sources_options sources = { namespaces, 2, .paged_lists = true };
    struct jr_gang_discovery *discovery;
    struct jr_error err = { 0 };
    struct jr_state s;
    struct jr_env env;

    assert_int_equal(jr_loop_new_virtual(&clock, &loop, &err), JR_OK);
    assert_int_equal(jr_scripted_api_new(loop, answer, w, &api), JR_OK);
    env = (struct jr_env){ loop, jr_rand_of_seed(&seed, 1), jr_scripted_transport(api) };
    jr_state_init(&s, &options, false, NULL);
    w->sources = jr_sources_new(&env, &s, &sources, &sink, NULL, NULL);
    discovery = jr_gang_discovery_start(&env, on_known, w, NULL);
    for (bool idle = false; !(w->known && jr_sources_synced(w->sources)) && !idle;)
        assert_int_equal(jr_loop_turn(loop, -1, &idle, &err), JR_OK);
    check(name, w->known && jr_sources_synced(w->sources));
    check_int(name, w->api, served);
    check_int(name, w->asked, asked);
    if (served != JR_SCHEDULING_NONE) {
        want(s.store, JR_STORE_WORKLOADS, "a", "w1", "5");
        want(s.store, JR_STORE_POD_GROUPS, "w1", "g1", "5");
    }
    /* Of another version there is nothing as yet, and of none there will be nothing. */
    jr_sources_set_gangs(w->sources, JR_SCHEDULING_NONE);
    check(name, jr_sources_synced(w->sources));
    want(s.store, JR_STORE_WORKLOADS, "a", "", "");
    want(s.store, JR_STORE_POD_GROUPS, "w1", "", "");
    jr_gang_discovery_free(discovery);
    jr_sources_free(w->sources);
    jr_state_done(&s);
    jr_scripted_api_free(api);
    jr_loop_free(loop);
}

/** Freed while it waits to ask again: it doesn't. */
static void test_discovery_freed(void **state)
{
    struct jr_clock_virtual clock = { .wall = jr_time_s(1772366400), .mono = { JR_SEC } };
    struct world w = { .refusals = 1000 };
    struct jr_gang_discovery *discovery;
    struct jr_scripted_api *api = NULL;
    struct jr_rand_seeded seed;
    struct jr_loop *loop = NULL;
    struct jr_error err = { 0 };
    struct jr_env env;

    (void)state;
    assert_int_equal(jr_loop_new_virtual(&clock, &loop, &err), JR_OK);
    assert_int_equal(jr_scripted_api_new(loop, answer, &w, &api), JR_OK);
    env = (struct jr_env){ loop, jr_rand_of_seed(&seed, 1), jr_scripted_transport(api) };
    discovery = jr_gang_discovery_start(&env, on_known, &w, NULL);
    for (bool idle = false; w.asked < 3;) { /* the request's own retries */
        assert_false(idle);
        assert_int_equal(jr_loop_turn(loop, -1, &idle, &err), JR_OK);
    }
    for (bool idle = false; jr_scripted_open(api) > 0;)
        assert_int_equal(jr_loop_turn(loop, -1, &idle, &err), JR_OK);
    assert_true(jr_loop_next(loop).ns < INT64_MAX); /* it waits */
    jr_gang_discovery_free(discovery);
    assert_true(jr_loop_next(loop).ns == INT64_MAX);
    jr_scripted_api_free(api);
    jr_loop_free(loop);
}

static void test_discovery(void **state)
{
    static const char both[] =
        "{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"podgroups\"},"
        "{\"name\":\"podgroups/status\"},{\"name\":\"workloads\"}]}";
    static const char one[] = "{\"resources\":[{\"name\":\"workloads\"}]}";

    (void)state;
    run_discovery("of 1.37", &(struct world){ .discovery = { [JR_SCHEDULING_V1BETA1] = both } },
                  JR_SCHEDULING_V1BETA1, 1);
    run_discovery("of 1.36", &(struct world){ .discovery = { [JR_SCHEDULING_V1ALPHA2] = both } },
                  JR_SCHEDULING_V1ALPHA2, 2);
    run_discovery("not served", &(struct world){ .discovery = { NULL } }, JR_SCHEDULING_NONE, 2);
    run_discovery(
        "one of two",
        &(struct world){
            .discovery = { [JR_SCHEDULING_V1BETA1] = one, [JR_SCHEDULING_V1ALPHA2] = one } },
        JR_SCHEDULING_NONE, 2);
    run_discovery("no answer at first",
                  &(struct world){ .discovery = { [JR_SCHEDULING_V1BETA1] = both }, .refusals = 1 },
                  JR_SCHEDULING_V1BETA1, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_discovery),
        cmocka_unit_test(test_discovery_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
