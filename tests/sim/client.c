/* SPDX-License-Identifier: Apache-2.0 */
/* The clients' side of the network: the fate of each request, and what its sender must know. */
#include "tests/sim/network_parts.h"

#include "common/base/memory.h"
#include "common/kube/liveness.h"

/** A request that was sent away, and how long it was told to wait, if it was. */
struct told_off {
    char *text;
    int status;
    int64_t until_ns;
};
#define TOLD_OFF_MAX 256

struct sim_client {
    struct sim_net *net;
    struct sim_client_options o;
    struct jr_dev_client *client;
    struct sim_known known;
    struct told_off told_off[TOLD_OFF_MAX]; /* the last ones */
    size_t n_told_off;
    uint64_t first;  /* number of its first request */
    int64_t skew_ns; /* the most there was of it */
    /* Connections that were opened before the first swallow what is sent, and are given up before
     * the second, by the server's clock. */
    int64_t swallows_ns, left_by_ns;
};

static int64_t now_of(const struct sim_client *client)
{
    return jr_loop_mono(client->o.loop).ns;
}

/* ---- Retry-After ---- */

static bool is_sent_away(int status)
{
    return status == 429 || status >= 500;
}

static void note_told_off(struct sim_client *client, const struct sim_call *c,
                          const struct jr_http_answer *a)
{
    struct told_off *t = &client->told_off[client->n_told_off++ % TOLD_OFF_MAX];

    free(t->text);
    *t = (struct told_off){ jr_xstrdup(c->text), a->status,
                            now_of(client) + a->retry_after_s * JR_SEC };
}

/** Asked once more, after an answer that may have said how long to wait. */
static bool is_told_off(const struct jr_dev_call *call)
{
    return call->again && is_sent_away(call->after_status);
}

/** What is asked once more is not asked too early after such an answer. Of several that ask the
 * same, one; what is asked anew has not been told to wait by what another was answered. */
static void check_told_off(struct sim_client *client, const struct sim_call *c)
{
    int64_t now_ns = now_of(client), early_ns = 0;

    for (size_t i = 0; i < TOLD_OFF_MAX && is_told_off(c->call); i++) {
        struct told_off *t = &client->told_off[i];

        if (t->text == NULL || t->status != c->call->after_status || strcmp(t->text, c->text) != 0)
            continue;
        early_ns = t->until_ns - now_ns;
        if (early_ns <= 0) {
            free(t->text);
            t->text = NULL;
            return;
        }
    }
    if (early_ns > 0)
        sim_fail(c->net->o.report, "Retry-After is obeyed", "%s %s, %lld ms too early",
                 c->call->request.method, c->call->request.path, (long long)(early_ns / JR_MSEC));
}

/* ---- a request is made ---- */

static int64_t most_skew(struct sim_client *client)
{
    if (*client->o.n_requests == client->first + 1 || *client->o.skew_ns > client->skew_ns)
        client->skew_ns = *client->o.skew_ns;
    return client->skew_ns;
}

static bool is_relist(const struct sim_client *client, const char *path)
{
    return strstr(path, "sendInitialEvents=true") != NULL &&
           client->known.first[sim_told_by(path)] > 0;
}

static struct sim_request about_request(struct sim_client *client, const struct jr_dev_request *req,
                                        uint64_t n)
{
    return (struct sim_request){
        .client = client->o.name,
        .process = client->o.process,
        .life = client->o.life,
        .number = sim_fault_number(client->o.process, n),
        .verb = sim_verb_of(req->method, req->path),
        .method = req->method,
        .path = req->path,
        .body = req->body,
        .skew_ns = most_skew(client),
    };
}

static struct sim_fate draw_fate(const struct sim_client *client, const struct jr_dev_call *call,
                                 uint64_t n)
{
    const struct sim_net *net = client->net;
    const struct sim_about about = { .process = client->o.process,
                                     .n = n,
                                     .verb = sim_verb_of(call->request.method, call->request.path),
                                     .relist = is_relist(client, call->request.path),
                                     .calm = net->calm || client->o.mild };
    struct sim_fate fate = sim_fate_draw(net->o.climate, net->o.choice, &about);

    if (net->blocked && !about.calm && about.verb == SIM_VERB_PATCH &&
        strstr(call->request.path, "/pods/") != NULL &&
        sim_chosen(net->o.choice, SIM_ITEM_FAULT, sim_fault_number(client->o.process, n)))
        fate.fault = SIM_FAULT_BLOCKED;
    if (client->o.mild) {
        fate.there_ns %= JR_MSEC;
        fate.back_ns %= JR_MSEC;
        fate.lag_ns %= JR_MSEC;
    }
    if (call->own_connection)
        fate.hold_ns = 0;
    return fate;
}

static void set_latency(const struct sim_fate *fate, struct jr_dev_latency *latency)
{
    latency->send_ns = fate->hold_ns;
    latency->request_ns = fate->there_ns;
    latency->response_ns = fate->back_ns;
    if (fate->fault == SIM_FAULT_STREAM_END || fate->fault == SIM_FAULT_STREAM_CUT ||
        fate->fault == SIM_FAULT_STREAM_SILENT)
        latency->stream_ns = fate->life_ns;
}

/** Of a sync, or of the like: it goes by what the caches hold. */
static bool is_of_sync(const struct sim_request *r)
{
    return r->verb != SIM_VERB_LIST && r->verb != SIM_VERB_WATCH &&
           strstr(r->path, "/leases") == NULL && strstr(r->path, "/events") == NULL;
}

/** Who goes on from a version has taken in all until then: a list, too. */
static void note_watch(struct sim_known *k, struct sim_call *c, int64_t now_ns)
{
    if (c->about.verb != SIM_VERB_WATCH)
        return;
    c->oldest = k->first[sim_told_by(c->about.path)];
    if (c->oldest > 0 && c->oldest < k->untold)
        c->oldest = k->untold;
    if (c->fate.fault == SIM_FAULT_OLD_STATE)
        sim_known_back(k);
    else
        sim_known_told(k, sim_told_by(c->about.path), sim_version_asked(c), now_ns);
}

void sim_on_made(void *ctx, struct jr_dev_call *call, struct jr_dev_latency *latency)
{
    struct sim_net *net = ctx;
    struct sim_client *client = call->client;
    const struct jr_dev_request *req = &call->request;
    struct sim_call *c = jr_xarena_calloc(call->arena, 1, sizeof(*c));
    uint64_t n = (*client->o.n_requests)++;

    call->data = c;
    c->net = net;
    c->call = call;
    c->text = jr_xarena_text(call->arena, "%s %s %.*s", req->method, req->path, JR_P(req->body)).p;
    check_told_off(client, c);
    c->about = about_request(client, req, n);
    c->fate = draw_fate(client, call, n);
    c->about.fault = c->fate.fault;
    c->dice = sim_dice(net->o.climate->seed, SIM_DICE_STREAM, c->about.number);
    set_latency(&c->fate, latency);
    note_watch(&client->known, c, now_of(client));
    c->of_sync = !client->o.queued && is_of_sync(&c->about);
    if (c->of_sync)
        c->about.hand = sim_known_begin(&client->known, now_of(client));
    c->about.hand.decommissioning = client->o.decommissioning;
    c->about.hand.life = sim_life_of(&c->about);
    net->o.hooks.handed(net->o.hooks.ctx, &c->about);
}

/* ---- what becomes of it ---- */

bool sim_on_sent(void *ctx, struct jr_dev_call *call)
{
    struct sim_net *net = ctx;
    struct sim_report *report = net->o.report;
    const struct sim_call *c = call->data;

    if (c->fate.fault != SIM_FAULT_NONE) {
        report->counts.faults[c->fate.fault][c->about.verb]++;
        if (sim_numbers_add(&report->faults, c->about.number) != JR_OK)
            abort();
    }
    if (c->fate.fault == SIM_FAULT_REFUSED)
        return false;
    net->o.hooks.sent(net->o.hooks.ctx, &c->about);
    return true;
}

void sim_on_received(void *ctx, struct jr_dev_call *call, uint64_t revision)
{
    struct sim_client *client = call->client;

    (void)ctx;
    sim_known_told(&client->known, sim_told_by(call->request.path), revision, now_of(client));
}

void sim_on_given_up(void *ctx, struct jr_dev_call *call, const char *why)
{
    const struct sim_net *net = ctx;
    const struct sim_call *c = call->data;

    if (call->sent && !call->served && !call->streaming)
        net->o.hooks.given_up(net->o.hooks.ctx, &c->about);
    sim_trace(net->o.report, "%s   %llu ends: %s", c->about.client,
              (unsigned long long)c->about.number, why);
}

bool sim_on_swallow(void *ctx, const struct jr_dev_call *call)
{
    const struct sim_client *client = call->client;

    (void)ctx;
    return call->waiting && call->opened_ns < client->swallows_ns;
}

/** Nothing waits for long on a connection that swallows what is sent. */
static void check_left(const struct sim_net *net, const struct jr_dev_call *call)
{
    const struct sim_client *client = call->client;
    const int64_t late_ns = jr_loop_mono(net->o.loop).ns - client->left_by_ns;

    if (call->sent && call->opened_ns < client->swallows_ns && late_ns > 0)
        sim_fail(net->o.report, "a connection that swallows is left in time",
                 "%s %s, %lld ms too late", call->request.method, call->request.path,
                 (long long)(late_ns / JR_MSEC));
}

void sim_on_ended(void *ctx, struct jr_dev_call *call, const struct jr_http_answer *a)
{
    struct sim_net *net = ctx;
    struct sim_client *client = call->client;
    const struct sim_call *c = call->data;
    bool again = a != NULL && (a->outcome != JR_HTTP_DONE || is_sent_away(a->status));

    if (a != NULL) /* else its process has gone, or needs it no more */
        check_left(net, call);
    if (a != NULL && a->outcome == JR_HTTP_NOT_SENT && a->error.status == JR_DENIED)
        sim_rule(net->o.report, SIM_RULE_NOT_SENT);
    if (a != NULL && call->sent && c->about.verb >= SIM_VERB_POST &&
        (a->outcome != JR_HTTP_DONE || a->status >= 500))
        client->known.untold = jr_dev_revision(net->o.store);
    if (again && a->outcome == JR_HTTP_DONE)
        note_told_off(client, c, a);
    if (c->of_sync)
        sim_known_end(&client->known, again, a != NULL ? a->retry_after_s : 0, now_of(client));
}

/* ---- clients ---- */

struct sim_client *sim_client_new(struct sim_net *net, const struct sim_client_options *options)
{
    struct sim_client *c = jr_xcalloc(1, sizeof(*c));

    c->net = net;
    c->o = *options;
    c->first = *options->n_requests;
    c->client = jr_dev_client_new(net->network, options->loop, options->name, c);
    return c;
}

void sim_client_free(struct sim_client *c)
{
    if (c == NULL)
        return;
    jr_dev_client_free(c->client);
    for (size_t i = 0; i < TOLD_OFF_MAX; i++)
        free(c->told_off[i].text);
    free(c);
}

void sim_client_swallow(struct sim_client *c)
{
    c->swallows_ns = jr_loop_mono(c->net->o.loop).ns;
    c->left_by_ns = c->swallows_ns + JR_LIVENESS_BOUND_NS;
}

void sim_client_stood(struct sim_client *c, int64_t from_ns, int64_t until_ns)
{
    if (until_ns > c->swallows_ns)
        c->left_by_ns += until_ns - (from_ns > c->swallows_ns ? from_ns : c->swallows_ns);
    sim_known_stood(&c->known, from_ns, until_ns);
}

struct sim_hand sim_client_knows(const struct sim_client *c)
{
    return sim_known_at(&c->known, now_of(c));
}

struct jr_transport sim_client_transport(struct sim_client *c)
{
    return jr_dev_client_transport(c->client);
}
