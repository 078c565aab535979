/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/policy/watch_world.h"

#define LINES 8

/* ---- what the API server answers ---- */

static struct jr_scripted_answer status(int http)
{
    static char body[128];

    (void)snprintf(body, sizeof(body),
                   "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"m\",\"code\":%d}",
                   http);
    return (
        struct jr_scripted_answer){ .outcome = JR_HTTP_DONE, .status = http, .body = jr_str(body) };
}

/** The objects of the list's events, as one page. */
static struct jr_scripted_answer page(struct watch_world *w, const struct jr_buf *list)
{
    static char body[8192];
    struct jr_str rest = jr_buf_str(list);
    size_t n = (size_t)snprintf(
        body, sizeof(body), "{\"metadata\":{\"resourceVersion\":\"%d\"},\"items\":[", w->version);

    for (const char *comma = ""; rest.n > 0; comma = ",") {
        const size_t end = (size_t)jr_str_find(rest, '\n');
        const char *object = memmem(rest.p, end, "\"object\":", 9);

        assert_non_null(object);
        object += 9;
        n += (size_t)snprintf(body + n, sizeof(body) - n, "%s%.*s", comma,
                              (int)(rest.p + end - object - 1), object);
        rest = jr_str_from(rest, end + 1);
    }
    (void)snprintf(body + n, sizeof(body) - n, "]}");
    return (
        struct jr_scripted_answer){ .outcome = JR_HTTP_DONE, .status = 200, .body = jr_str(body) };
}

static const char *bookmark(struct watch_world *w, bool end)
{
    static char line[256];

    (void)snprintf(
        line, sizeof(line),
        "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"%d\"%s}}}\n",
        w->version, end ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "");
    return line;
}

static struct jr_scripted_answer stream(struct watch_world *w, const struct jr_buf *list,
                                        bool lists)
{
    static char body[8192];
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = 200, .stream = true };

    if (lists) {
        (void)snprintf(body, sizeof(body), "%.*s%s", JR_P(jr_buf_str(list)),
                       w->list_open ? "" : bookmark(w, true));
        a.body = jr_str(body);
    }
    return a;
}

static struct jr_scripted_answer answer(void *ctx, size_t n, const struct jr_scripted_call *call)
{
    struct watch_world *w = ctx;
    const bool of_policies = jr_str_starts(call->path, JR_S(POLICIES));
    const struct jr_buf *list = of_policies ? &w->policies : &w->spaces;
    const bool lists = memmem(call->path.p, call->path.n, "sendInitialEvents", 17) != NULL;

    (void)n;
    assert_str(call->method, "GET");
    if (w->away)
        return (struct jr_scripted_answer){ .outcome = JR_HTTP_NOT_SENT };
    assert_true(of_policies || jr_str_starts(call->path, JR_S(NAMESPACES)));
    w->asked += of_policies;
    if (w->silent)
        return (struct jr_scripted_answer){ .outcome = JR_HTTP_AMBIGUOUS, .delay_ns = 60 * JR_SEC };
    if (of_policies && w->list_status != 200)
        return status(w->list_status);
    if (lists && w->pages)
        return status(400);
    if (memmem(call->path.p, call->path.n, "?watch=1", 8) == NULL)
        return page(w, list);
    return stream(w, list, lists);
}

/* ---- the world ---- */

void world_init(struct watch_world *w)
{
    *w =
        (struct watch_world){ .clock = { .wall = jr_time_s(1772366400), .mono = { 1000 * JR_SEC } },
                              .version = 100,
                              .list_status = 200 };
    jr_buf_init(&w->policies, SIZE_MAX);
    jr_buf_init(&w->spaces, SIZE_MAX);
    assert_int_equal(jr_loop_new_virtual(&w->clock, &w->env.loop, NULL), JR_OK);
    w->env.rand = jr_rand_of_seed(&w->seed, 7);
    assert_int_equal(jr_scripted_api_new(w->env.loop, answer, w, &w->api), JR_OK);
    w->env.transport = jr_scripted_transport(w->api);
    assert_int_equal(jr_metrics_new(&w->metrics), JR_OK);
    w->store = jr_policy_store_new();
    w->namespaces = jr_namespaces_new();
}

static void on_listed(void *ctx)
{
    struct watch_world *w = ctx;

    assert_true(jr_policy_watch_synced(w->watch));
    w->listed++;
}

void world_start(struct watch_world *w, bool policies)
{
    const struct jr_policy_watch_options o = { .store = policies ? w->store : NULL,
                                               .namespaces = w->namespaces,
                                               .on_listed = on_listed,
                                               .ctx = w };

    w->watch = jr_policy_watch_start(&w->env, &o, NULL, w->metrics);
}

void world_done(struct watch_world *w)
{
    jr_policy_watch_free(w->watch);
    jr_policy_store_free(w->store);
    jr_metrics_free(w->metrics);
    jr_namespaces_free(w->namespaces);
    jr_scripted_api_free(w->api);
    jr_loop_free(w->env.loop);
    jr_buf_done(&w->policies);
    jr_buf_done(&w->spaces);
}

void want_gauge(struct watch_world *w, const char *value)
{
    JR_BUF text = { 0 };
    char line[64];

    jr_buf_init(&text, SIZE_MAX);
    assert_int_equal(jr_metrics_render(w->metrics, &text), JR_OK);
    (void)snprintf(line, sizeof(line), "\njobreeve_policies %s%s", value == NULL ? "" : value,
                   value == NULL ? "" : "\n");
    if ((memmem(text.p, text.n, line, strlen(line)) != NULL) != (value != NULL))
        fail_msg("not %s:\n%.*s", line + 1, JR_P(jr_buf_str(&text)));
}

void world_wait(struct watch_world *w, int seconds)
{
    const int64_t end = w->clock.mono.ns + seconds * JR_SEC;
    bool idle = false;

    for (int i = 0; i < 100000; i++) {
        assert_int_equal(jr_loop_turn(w->env.loop, end - w->clock.mono.ns, &idle, NULL), JR_OK);
        if (idle && w->clock.mono.ns >= end)
            return;
    }
    fail_msg("the loop spins");
}

void world_synced(struct watch_world *w)
{
    world_start(w, true);
    world_wait(w, 1);
    assert_true(jr_policy_watch_synced(w->watch));
}

const char *policy(struct watch_world *w, const char *type, const char *name, const char *uid,
                   int generation)
{
    static char lines[LINES][512];
    static unsigned at;
    char *line = lines[at++ % LINES];

    (void)snprintf(
        line, sizeof(lines[0]),
        "{\"type\":\"%s\",\"object\":{\"apiVersion\":\"policy.jobreeve.dev/v1alpha1\","
        "\"kind\":\"JobPolicy\",\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\",\"generation\":"
        "%d,\"resourceVersion\":\"%d\"},\"spec\":{\"limits\":{\"parallelism\":{\"max\":"
        "5}}}}}\n",
        type, name, uid, generation, ++w->version);
    return line;
}

void set_list(struct jr_buf *list, const char *const *lines)
{
    jr_buf_reset(list);
    for (; *lines != NULL; lines++)
        assert_int_equal(jr_buf_adds(list, *lines), JR_OK);
}

void tell(struct watch_world *w, const char *path, const char *line)
{
    char watch[256];

    (void)snprintf(watch, sizeof(watch), "%s?watch=1", path);
    assert_int_equal(jr_scripted_push(w->api, watch, jr_str(line)), 1);
}

void tell_policy(struct watch_world *w, const char *type, const char *name, const char *uid,
                 int generation)
{
    tell(w, POLICIES, policy(w, type, name, uid, generation));
}

void tell_bookmark(struct watch_world *w, const char *path)
{
    w->version++;
    tell(w, path, bookmark(w, false));
}

void tell_end(struct watch_world *w)
{
    w->version++;
    tell(w, POLICIES, bookmark(w, true));
}

void expire(struct watch_world *w)
{
    w->version++;
    tell(w, POLICIES,
         "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":"
         "\"m\",\"reason\":\"Expired\",\"code\":410}}\n");
    world_wait(w, 30);
}
