/* The cache of Workloads and PodGroups, and how it comes to be. */
#include "controller/gang_watch.h"
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

static void put(struct jr_gangs *g, enum jr_gang_kind kind, const char *text)
{
    JR_CLEANUP(jr_gang_object_unrefp) struct jr_gang_object *o = NULL;
    struct jr_error err = { 0 };

    if (jr_gang_object_decode(jr_str(text), &o, &err) != JR_OK)
        fail_msg("%s: %s: %s", text, err.path, err.msg);
    assert_int_equal(jr_gangs_put(g, kind, o), JR_OK);
}

/** The names of what refers to `to`, in any order, must be these; "" for none. */
static void want(const struct jr_gangs *g, enum jr_gang_kind kind, const char *to, const char *name,
                 const char *version)
{
    struct jr_gang_list l = { 0 };

    assert_int_equal(jr_gangs_find(g, kind, JR_S("ns"), jr_str(to), &l), JR_OK);
    check_int(to, l.n, name[0] != '\0');
    if (l.n == 1) {
        check(to, jr_str_is(l.v[0]->meta.name, name));
        check(to, jr_str_is(l.v[0]->meta.resource_version, version));
    }
    jr_gang_list_done(&l);
}

static void test_cache(void **state)
{
    struct jr_gangs *g = NULL;
    JR_CLEANUP(jr_gang_object_unrefp) struct jr_gang_object *gone = NULL;

    (void)state;
    assert_int_equal(jr_gangs_new(&g), JR_OK);
    put(g, JR_GANG_WORKLOAD, WORKLOAD("w1", "5", "a"));
    put(g, JR_GANG_WORKLOAD, WORKLOAD("w2", "6", "b"));
    put(g, JR_GANG_POD_GROUP, POD_GROUP("g1", "7", "w1"));
    want(g, JR_GANG_WORKLOAD, "a", "w1", "5");
    want(g, JR_GANG_WORKLOAD, "w1", "", "");
    want(g, JR_GANG_POD_GROUP, "w1", "g1", "7");
    put(g, JR_GANG_WORKLOAD, WORKLOAD("w1", "4", "z")); /* late news */
    want(g, JR_GANG_WORKLOAD, "a", "w1", "5");
    put(g, JR_GANG_WORKLOAD, WORKLOAD("w1", "9", "c"));
    want(g, JR_GANG_WORKLOAD, "a", "", "");
    want(g, JR_GANG_WORKLOAD, "c", "w1", "9");
    jr_gangs_begin(g, JR_GANG_WORKLOAD, ALL_NAMESPACES);
    put(g, JR_GANG_WORKLOAD, WORKLOAD("w1", "9", "c"));
    jr_gangs_sweep(g, JR_GANG_WORKLOAD, ALL_NAMESPACES);
    want(g, JR_GANG_WORKLOAD, "b", "", "");
    want(g, JR_GANG_WORKLOAD, "c", "w1", "9");
    want(g, JR_GANG_POD_GROUP, "w1", "g1", "7");
    jr_gangs_begin(g, JR_GANG_WORKLOAD, ALL_NAMESPACES);
    put(g, JR_GANG_WORKLOAD,
        WORKLOAD("w1", "8", "z")); /* a list that is behind has it all the same */
    jr_gangs_sweep(g, JR_GANG_WORKLOAD, ALL_NAMESPACES);
    want(g, JR_GANG_WORKLOAD, "c", "w1", "9");
    jr_gangs_begin(g, JR_GANG_WORKLOAD, JR_S("other"));
    jr_gangs_sweep(g, JR_GANG_WORKLOAD, JR_S("other"));
    want(g, JR_GANG_WORKLOAD, "c", "w1", "9");
    jr_gangs_begin(g, JR_GANG_WORKLOAD, JR_S("ns"));
    jr_gangs_sweep(g, JR_GANG_WORKLOAD, JR_S("ns"));
    want(g, JR_GANG_WORKLOAD, "c", "", "");
    assert_int_equal(jr_gang_object_decode(JR_S(POD_GROUP("g1", "8", "w1")), &gone, NULL), JR_OK);
    jr_gangs_remove(g, JR_GANG_POD_GROUP, gone);
    want(g, JR_GANG_POD_GROUP, "w1", "", "");
    jr_gangs_free(g);
}

/* ---- events ---- */

static void on_listed(void *ctx)
{
    ++*(int *)ctx;
}

static void on_cache_broken(void *ctx, const struct jr_error *err)
{
    (void)ctx;
    fail_msg("broken: %s", err->msg);
}

/** What the informer tells: what is there, what is gone, and what can't be read. */
static void test_events(void **state)
{
    JR_CLEANUP(jr_unreadables_freep) struct jr_unreadables *unreadables = NULL;
    struct jr_gang_feed f = { .kind = JR_GANG_WORKLOAD, .on_broken = on_cache_broken };
    const char bad[] = "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"w1\"},\"spec\":7}";
    struct jr_informer_handler h;
    int listed = 0;

    (void)state;
    assert_int_equal(jr_unreadables_new(NULL, &unreadables), JR_OK);
    assert_int_equal(jr_gangs_new(&f.gangs), JR_OK);
    f.unreadables = unreadables;
    f.on_listed = on_listed;
    f.ctx = &listed;
    h = jr_gang_feed_handler(&f);
    h.on_replace_begin(&f);
    assert_int_equal(h.on_replace_item(&f, JR_S(WORKLOAD("w1", "5", "a")), NULL), JR_OK);
    h.on_replace_end(&f, JR_S("9"));
    assert_int_equal(listed, 1);
    want(f.gangs, JR_GANG_WORKLOAD, "a", "w1", "5");
    assert_int_equal(h.on_event(&f, JR_EV_ADDED, JR_S(WORKLOAD("w2", "10", "b")), NULL), JR_OK);
    assert_int_equal(h.on_event(&f, JR_EV_MODIFIED, JR_S(WORKLOAD("w1", "11", "c")), NULL), JR_OK);
    want(f.gangs, JR_GANG_WORKLOAD, "b", "w2", "10");
    want(f.gangs, JR_GANG_WORKLOAD, "c", "w1", "11");
    assert_int_equal(h.on_event(&f, JR_EV_DELETED, JR_S(WORKLOAD("w2", "12", "b")), NULL), JR_OK);
    want(f.gangs, JR_GANG_WORKLOAD, "b", "", "");
    assert_int_equal(h.on_event(&f, JR_EV_MODIFIED, jr_str(bad), NULL), JR_OK);
    want(f.gangs, JR_GANG_WORKLOAD, "c", "w1", "11"); /* what is known of it stays */
    assert_non_null(jr_unreadables_get(unreadables, "workloads", JR_S("ns"), JR_S("w1")));
    h.on_replace_begin(&f);
    assert_int_equal(h.on_replace_item(&f, jr_str(bad), NULL), JR_OK);
    h.on_replace_end(&f, JR_S("13"));
    want(f.gangs, JR_GANG_WORKLOAD, "c", "w1", "11");
    assert_int_equal(h.on_event(&f, JR_EV_DELETED, jr_str(bad), NULL), JR_OK);
    want(f.gangs, JR_GANG_WORKLOAD, "c", "", "");
    assert_null(jr_unreadables_get(unreadables, "workloads", JR_S("ns"), JR_S("w1")));
    jr_gangs_free(f.gangs);
}

/* ---- discovery ---- */

struct world {
    const char *discovery; /* NULL: 404 */
    size_t refusals;       /* with 500, before that */
    size_t asked;
    bool settled, broken;
    struct jr_gangs *gangs;
};

static struct jr_scripted_answer answer(void *ctx, size_t n, const struct jr_scripted_call *call)
{
    struct world *w = ctx;
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = 200 };

    (void)n;
    if (jr_str_is(call->path, "/apis/" JR_SCHEDULING_API)) {
        w->asked++;
        if (w->refusals > 0) {
            w->refusals--;
            a.status = 500;
        } else if (w->discovery == NULL) {
            a.status = 404;
        }
        a.body = jr_str(w->discovery == NULL ? "{}" : w->discovery);
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

static void on_settled(void *ctx, struct jr_gangs *gangs)
{
    struct world *w = ctx;

    assert_false(w->settled);
    w->settled = true;
    w->gangs = gangs;
}

static void on_broken(void *ctx, const struct jr_error *err)
{
    struct world *w = ctx;

    (void)err;
    w->broken = true;
}

static void run_discovery(const char *name, struct world *w, bool served, size_t asked)
{
    struct jr_clock_virtual clock = { .wall = jr_time_s(1772366400), .mono = { JR_SEC } };
    struct jr_rand_seeded seed;
    struct jr_loop *loop = NULL;
    struct jr_scripted_api *api = NULL;
    struct jr_gang_watch *watch = NULL;
    const struct jr_gang_watch_sink sink = { on_settled, on_broken, w };
    const struct jr_str namespaces[] = { JR_S("ns"), JR_S("other") };
    const struct jr_sources_options options = { namespaces, 2, .paged_lists = true };
    struct jr_error err = { 0 };
    JR_CLEANUP(jr_unreadables_freep) struct jr_unreadables *unreadables = NULL;
    struct jr_env env;

    assert_int_equal(jr_unreadables_new(NULL, &unreadables), JR_OK);
    assert_int_equal(jr_loop_new_virtual(&clock, &loop, &err), JR_OK);
    assert_int_equal(jr_scripted_api_new(loop, answer, w, &api), JR_OK);
    env = (struct jr_env){ loop, jr_rand_of_seed(&seed, 1), jr_scripted_transport(api) };
    assert_int_equal(jr_gang_watch_new(&env, &options, unreadables, &sink, NULL, NULL, &watch),
                     JR_OK);
    assert_int_equal(jr_gang_watch_start(watch), JR_OK);
    for (bool idle = false; !w->settled && !w->broken && !idle;)
        assert_int_equal(jr_loop_turn(loop, -1, &idle, &err), JR_OK);
    check(name, w->settled && !w->broken);
    check_int(name, w->gangs != NULL, served);
    check_int(name, w->asked, asked);
    if (served) {
        want(w->gangs, JR_GANG_WORKLOAD, "a", "w1", "5");
        want(w->gangs, JR_GANG_POD_GROUP, "w1", "g1", "5");
    }
    jr_gang_watch_free(watch);
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
    run_discovery("served", &(struct world){ .discovery = both }, true, 1);
    run_discovery("not served", &(struct world){ .discovery = NULL }, false, 1);
    run_discovery("one of two", &(struct world){ .discovery = one }, false, 1);
    run_discovery("no answer at first", &(struct world){ .discovery = both, .refusals = 1 }, true,
                  2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_discovery),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
