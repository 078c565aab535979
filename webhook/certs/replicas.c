/* SPDX-License-Identifier: Apache-2.0 */
/* GET EndpointSlices --> for each address: handshakes, one after the other. */
#include "webhook/certs/replicas.h"

#include <stdio.h>

#include "common/base/memory.h"
#include "common/kube/requester.h"

#define PORT_NAME "webhook"
/* They are asked one after the other, and each may take its time-out: more are nobody's replicas.
 */
#define ENDPOINTS_MAX 1000

struct address {
    const char *text;
    unsigned port;
    bool ready;
};

struct jr_replicas {
    struct jr_requester q;
    struct jr_handshaker shaker;
    char *path; /* of the EndpointSlices */
    struct jr_handshake *shake;
    /* Of this question. */
    struct jr_replicas_question asked;
    struct jr_arena arena;
    struct address *addresses;
    size_t n;
    size_t at;
    unsigned tried;
    char *good; /* the chain that was validated good last: most show the same */
    struct jr_replicas_seen seen;
    char who[80];
};

static void end_question(struct jr_replicas *r, const struct jr_error *err)
{
    r->seen.who = r->who;
    r->asked.on_asked(r->asked.ctx, &r->seen, err);
}

/* ---- one address ---- */

static void count_address(struct jr_replicas *r, size_t *count)
{
    const struct address *a = &r->addresses[r->at];

    if (count != NULL)
        (*count)++;
    if (count == &r->seen.n_bad || count == &r->seen.n_silent)
        (void)snprintf(r->who, sizeof(r->who), "%s:%u", a->text, a->port);
    r->at++;
    r->tried = 0;
}

/** One that isn't ready need not answer: it may be about to come, or to go. */
static void count_silent(struct jr_replicas *r)
{
    count_address(r, r->addresses[r->at].ready ? &r->seen.n_silent : NULL);
}

static bool is_good(struct jr_replicas *r, const char *chain_pem)
{
    if (r->good != NULL && strcmp(r->good, chain_pem) == 0)
        return true;
    if (!r->asked.validate(r->asked.ctx, chain_pem))
        return false;
    free(r->good);
    r->good = jr_xstrdup(chain_pem);
    return true;
}

static void on_shaken(void *ctx, const char *chain_pem, const struct jr_error *err);

/** Begins with the next address that a handshake can begin with. */
static void ask_next(struct jr_replicas *r)
{
    const struct jr_handshake_handler h = { on_shaken, r };

    while (r->at < r->n) {
        const struct address *a = &r->addresses[r->at];

        if (r->shaker.start(r->shaker.self, a->text, a->port, &h, &r->shake, NULL) == JR_OK)
            return;
        count_silent(r);
    }
    end_question(r, NULL);
}

static void on_shaken(void *ctx, const char *chain_pem, const struct jr_error *err)
{
    struct jr_replicas *r = ctx;

    (void)err;
    r->shake = NULL;
    if (chain_pem == NULL)
        count_silent(r);
    else if (!is_good(r, chain_pem))
        count_address(r, &r->seen.n_bad);
    else if (++r->tried == r->asked.tries)
        count_address(r, r->addresses[r->at].ready ? &r->seen.n_good : NULL);
    ask_next(r);
}

/* ---- the Service's addresses ---- */

/** The port that the Service calls so; where there is one alone, that one. 0: none. */
static unsigned port_of(const struct jr_node *slice)
{
    const struct jr_node *ports = jr_get(slice, "ports");
    int64_t port = 0;

    for (const struct jr_node *n = jr_first(ports); n != NULL; n = jr_next(n)) {
        if (jr_size(ports) == 1 || jr_str_is(jr_get_str(n, "name"), PORT_NAME))
            port = jr_node_i64_or(jr_get(n, "port"), 0);
    }
    return port > 0 && port <= UINT16_MAX ? (unsigned)port : 0;
}

/** Its other addresses are the same endpoint's. */
static void add_endpoint(struct jr_replicas *r, const struct jr_node *endpoint, unsigned port)
{
    const struct jr_str text = jr_node_str(jr_at(jr_get(endpoint, "addresses"), 0));
    const struct jr_node *ready = jr_path(endpoint, "conditions.ready");
    struct address *a = &r->addresses[r->n];

    if (text.n == 0)
        return;
    a->text = jr_xarena_str(&r->arena, text).p;
    a->port = port;
    a->ready = jr_unset(ready) || jr_node_bool_or(ready, true);
    r->seen.n_ready += a->ready;
    r->n++;
}

static enum jr_status take_addresses(struct jr_replicas *r, const struct jr_node *list,
                                     struct jr_error *err)
{
    const struct jr_node *slices = jr_get(list, "items");
    size_t most = 0;

    for (const struct jr_node *s = jr_first(slices); s != NULL; s = jr_next(s))
        most += jr_size(jr_get(s, "endpoints"));
    if (most > ENDPOINTS_MAX)
        return jr_fail(err, JR_LIMIT, NULL,
                       "%zu endpoints in the EndpointSlices of the Service: expected the webhook's "
                       "replicas, at most %d",
                       most, ENDPOINTS_MAX);
    r->addresses = jr_xarena_calloc(&r->arena, most + 1, sizeof(*r->addresses));
    for (const struct jr_node *s = jr_first(slices); s != NULL; s = jr_next(s)) {
        const unsigned port = port_of(s);

        if (port == 0)
            continue;
        for (const struct jr_node *e = jr_first(jr_get(s, "endpoints")); e != NULL; e = jr_next(e))
            add_endpoint(r, e, port);
    }
    return JR_OK;
}

static void on_slices(void *ctx, const struct jr_kube_result *result)
{
    struct jr_replicas *r = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };

    if (jr_kube_object(result, &doc, &err) != JR_OK) {
        if (result->kind != JR_RESULT_OK)
            (void)jr_wrap(&err, err.status, "EndpointSlices not read");
        end_question(r, &err);
        return;
    }
    if (take_addresses(r, jr_doc_root_const(doc), &err) == JR_OK)
        ask_next(r);
    else
        end_question(r, &err);
}

void jr_replicas_ask(struct jr_replicas *r, const struct jr_replicas_question *q)
{
    r->asked = *q;
    jr_arena_reset(&r->arena);
    r->addresses = NULL;
    r->n = r->at = 0;
    r->tried = 0;
    r->who[0] = '\0';
    free(r->good);
    r->good = NULL;
    r->seen = (struct jr_replicas_seen){ 0 };
    jr_requester_get(&r->q, r->path, on_slices);
}

/* ---- its life ---- */

struct jr_replicas *jr_replicas_new(const struct jr_env *env, const struct jr_handshaker *shaker,
                                    const char *namespace, const char *service)
{
    struct jr_replicas *r = jr_xcalloc(1, sizeof(*r));

    r->q = (struct jr_requester){ .env = *env, .ctx = r };
    r->shaker = *shaker;
    jr_arena_init(&r->arena, 0);
    r->path = jr_xasprintf("/apis/discovery.k8s.io/v1/namespaces/%s/endpointslices?labelSelector="
                           "kubernetes.io%%2Fservice-name%%3D%s",
                           namespace, service);
    return r;
}

void jr_replicas_free(struct jr_replicas *r)
{
    if (r == NULL)
        return;
    jr_requester_done(&r->q);
    r->shaker.cancel(r->shaker.self, &r->shake);
    jr_arena_done(&r->arena);
    free(r->good);
    free(r->path);
    free(r);
}
