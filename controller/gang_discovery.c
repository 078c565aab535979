/* SPDX-License-Identifier: Apache-2.0 */
/* Discovery of the scheduling API: a request for each version, until there is an answer. */
#include "controller/gang_discovery.h"

#include "common/base/memory.h"
#include "common/kube/request.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

#define ASK_AGAIN_NS (5 * JR_SEC)
#define ASK_TIMEOUT_MS 30000

struct jr_gang_discovery {
    const struct jr_env *env;
    enum jr_scheduling_api asked;
    void (*on_known)(void *ctx, enum jr_scheduling_api api);
    void *ctx;
    struct jr_log *log;
    struct jr_kube_call *call;
    struct jr_timer *again;
};

TYPE_WITH(resource, "APIResource", DECODED(struct jr_str), STRING("name", ALONE(struct jr_str)));

TYPE(resource_list, "APIResourceList", LIST("resources", resource, ALONE(struct jr_strs)));

/** Whether the APIResourceList names both. */
static bool serves_both(struct jr_str text)
{
    struct jr_strs list = { NULL, 0 };
    JR_ARENA arena = { 0 };
    bool workloads = false, pod_groups = false;

    jr_arena_init(&arena, 0);
    if (jr_need(jr_decode_lenient(text, &arena, false, jr_schema_decode, &resource_list, &list,
                                  NULL)) != JR_OK)
        return false;
    for (size_t i = 0; i < list.n; i++) {
        workloads |= jr_str_is(list.v[i], "workloads");
        pod_groups |= jr_str_is(list.v[i], "podgroups");
    }
    return workloads && pod_groups;
}

static void ask_groups(void *ctx);

static void on_answer(void *ctx, const struct jr_kube_result *r)
{
    struct jr_gang_discovery *d = ctx;
    const bool absent = r->kind == JR_RESULT_REFUSED && r->http == 404;

    d->call = NULL;
    if (absent || (r->kind == JR_RESULT_OK && !serves_both(r->body))) {
        d->asked--;
        if (d->asked != JR_SCHEDULING_NONE) {
            ask_groups(d);
            return;
        }
        jr_warn(d->log, "no gang scheduling: the server does not serve it",
                JR_CSTR("api", JR_SCHEDULING_GROUP));
        d->on_known(d->ctx, JR_SCHEDULING_NONE);
    } else if (r->kind != JR_RESULT_OK) {
        jr_warn(d->log, "discovery failed", JR_CSTR("api", jr_scheduling_api_version(d->asked)),
                JR_ERR(&r->error));
        jr_xloop_after(d->env->loop, ASK_AGAIN_NS, ask_groups, d, &d->again);
    } else {
        jr_info(d->log, "gang scheduling", JR_CSTR("api", jr_scheduling_api_version(d->asked)));
        d->on_known(d->ctx, d->asked);
    }
}

static void ask_groups(void *ctx)
{
    struct jr_gang_discovery *d = ctx;
    const struct jr_kube_request req = { .http = { .method = "GET",
                                                   .path = jr_scheduling_api_path(d->asked),
                                                   .timeout_ms = ASK_TIMEOUT_MS },
                                         .max_retries = 2 };

    d->again = NULL;
    d->call = jr_kube_send(d->env, &req, on_answer, d);
}

struct jr_gang_discovery *jr_gang_discovery_start(const struct jr_env *env,
                                                  void (*on_known)(void *ctx,
                                                                   enum jr_scheduling_api api),
                                                  void *ctx, struct jr_log *log)
{
    struct jr_gang_discovery *d = jr_xcalloc(1, sizeof(*d));

    *d = (struct jr_gang_discovery){
        .env = env, .asked = JR_SCHEDULING_APIS - 1, .on_known = on_known, .ctx = ctx, .log = log
    };
    ask_groups(d);
    return d;
}

void jr_gang_discovery_free(struct jr_gang_discovery *d)
{
    if (d == NULL)
        return;
    jr_kube_cancel(&d->call);
    jr_timer_cancel(d->env->loop, &d->again);
    free(d);
}
