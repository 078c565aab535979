/* SPDX-License-Identifier: Apache-2.0 */
/* One request, from its headers to its answer. */
#include "webhook/net/request.h"

#include <inttypes.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "common/base/num.h"
#include "common/http/accept.h"

#define CLIENT_MAX 64

/* After a refusal so many times the greatest body is read for nothing: a socket that is closed with
 * unread bytes in it is reset, and the answer may be lost on its way. Who sends more has no claim
 * to an answer. */
#define DROP_FACTOR 2

/* How long past its own deadline (the query's timeout) a request may linger, so that its 504 can be
 * sent. */
#define LINGER_MS 1000

#define NAMESPACE_MAX 63 /* a DNS label */

struct request {
    struct jr_serving *s;
    struct MHD_Connection *connection;
    struct jr_http_conn *conn;
    enum jr_endpoint endpoint; /* JR_ENDPOINT_COUNT: none, the path is wrong */
    struct jr_mono began;      /* when its headers were there */
    struct jr_mono deadline;   /* of its answer */
    char *body;
    size_t n, cap;
    size_t expected;  /* Content-Length, 0 where there is none */
    size_t charged;   /* to the budget */
    size_t dropped;   /* bytes read after the refusal, for nothing */
    unsigned refused; /* HTTP status, 0 = not */
    char why[640];
    unsigned answered; /* HTTP status that was queued */
    bool looked_up;    /* its Namespace, which wasn't known */
    char namespace[NAMESPACE_MAX + 1];
    struct jr_namespace_waiter waiter;
};

static struct jr_mono now(const struct request *r)
{
    return r->s->clock->mono(r->s->clock->self);
}

/* ---- memory ---- */

static bool charge_budget(struct request *r, size_t n)
{
    if (!jr_budget_take(&r->s->budget, n, r->charged,
                        jr_review_read_cost(r->expected > r->n ? r->expected : r->n)))
        return false;
    r->charged += n;
    return true;
}

/** The connection holds n bytes more, of a body or an answer on its way. Others that keep us
 * waiting are evicted where all of them hold too much. */
static void evict_for(struct request *r, size_t n)
{
    size_t evicted = jr_conns_hold(&r->s->conns, &r->conn->tls.conn, n);

    if (evicted > 0)
        jr_webhook_metrics_closed(r->s->metrics, "evicted", evicted);
}

/** Gives back what was charged beyond so many bytes. */
static void give_back(struct request *r, size_t keep)
{
    if (r->charged <= keep)
        return;
    jr_budget_give(&r->s->budget, r->charged - keep);
    r->charged = keep;
}

/** Forgets the body; of what was charged, `keep` bytes go on being so. */
static void drop_body(struct request *r, size_t keep)
{
    free(r->body);
    r->body = NULL;
    r->n = r->cap = 0;
    give_back(r, keep);
}

/* ---- refusing ---- */

static void JR_PRINTF(2, 0) set_why(struct request *r, const char *fmt, va_list ap)
{
    (void)vsnprintf(r->why, sizeof(r->why), fmt, ap);
}

/** The first refusal counts. */
static void JR_PRINTF(3, 4) refuse(struct request *r, unsigned code, const char *fmt, ...)
{
    va_list ap;

    if (r->refused != 0)
        return;
    r->refused = code;
    va_start(ap, fmt);
    set_why(r, fmt, ap);
    va_end(ap);
    drop_body(r, 0);
    jr_conns_let_go(&r->s->conns, &r->conn->tls.conn);
}

static const char *client_text(struct MHD_Connection *c, char buf[CLIENT_MAX])
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *sa = info == NULL ? NULL : info->client_addr;
    socklen_t n = sa != NULL && sa->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                          : sizeof(struct sockaddr_in);

    if (sa == NULL || getnameinfo(sa, n, buf, CLIENT_MAX, NULL, 0, NI_NUMERICHOST) != 0)
        (void)snprintf(buf, CLIENT_MAX, "unknown");
    return buf;
}

/* ---- answering ---- */

static void add_header(struct MHD_Response *resp, const char *name, const char *value)
{
    (void)MHD_add_response_header(resp, name, value); /* fails only without memory */
}

/** Sends a body from malloc, which is taken over in any case. */
static enum MHD_Result send_body(struct request *r, unsigned code, const char *type, char *body,
                                 size_t n)
{
    struct MHD_Response *resp = MHD_create_response_from_buffer(n, body, MHD_RESPMEM_MUST_FREE);
    enum MHD_Result ok;

    if (resp == NULL) {
        free(body);
        return MHD_NO;
    }
    add_header(resp, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    add_header(resp, "X-Content-Type-Options", "nosniff");
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
        add_header(resp, MHD_HTTP_HEADER_ALLOW, MHD_HTTP_METHOD_POST);
    if (code == MHD_HTTP_SERVICE_UNAVAILABLE)
        add_header(resp, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    if (atomic_load(&r->s->closing))
        add_header(resp, MHD_HTTP_HEADER_CONNECTION, "close");
    ok = MHD_queue_response(r->connection, code, resp);
    MHD_destroy_response(resp);
    if (ok == MHD_YES)
        r->answered = code;
    jr_conns_send(&r->s->conns, &r->conn->tls.conn);
    return ok;
}

static enum MHD_Result send_refusal(struct request *r)
{
    char client[CLIENT_MAX], *body = NULL;
    int n = asprintf(&body, "%s\n", r->why);

    if (n < 0)
        return MHD_NO;
    jr_warn(r->s->log, "request refused", JR_INT("code", r->refused), JR_CSTR("why", r->why),
            JR_CSTR("client", client_text(r->connection, client)));
    return send_body(r, r->refused, "text/plain; charset=utf-8", body, (size_t)n);
}

/** Says who lives off which exception. */
static void note_exceptions(const struct request *r, const struct jr_review_outcome *o)
{
    for (size_t i = 0; i < o->policies.n_matches; i++) {
        const struct jr_policy_match *m = &o->policies.matches[i];
        char until[JR_TIME_MAX];

        if (m->exception != NULL)
            jr_info(r->s->log, "policy exception used", JR_STR("policy", m->policy->name),
                    JR_STR("namespace", o->namespace), JR_STR("name", o->name),
                    JR_STR("kind", o->kind), JR_STR("user", o->user),
                    JR_CSTR("until", jr_time_format(m->exception->until, until)),
                    JR_STR("reason", m->exception->reason));
    }
}

#define N_ALWAYS 9 /* of what is logged of a review */

/** What the first questions are about: who, what, why. */
static void note_review(const struct request *r, const struct jr_review_outcome *o)
{
    const struct jr_kv pairs[] = {
        JR_STR("namespace", o->namespace),
        JR_STR("name", o->name),
        JR_STR("kind", o->kind),
        JR_CSTR("operation", o->operation),
        JR_STR("user", o->user),
        JR_FLAG("dryRun", o->dry_run),
        JR_CSTR("path", jr_endpoint_path(r->endpoint)),
        JR_STR("uid", o->uid),
        JR_FLAG("patched", o->patched),
        /* Of a denial alone. */
        JR_INT("code", o->code),
        JR_INT("causes", o->n_causes),
        JR_STR("field", o->field),
        JR_CSTR("rule", o->rule == NULL ? "" : o->rule),
        /* Of one by policies. */
        JR_STR("policy", o->policy),
    };
    const size_t n = JR_ARRAY_SIZE(pairs) - (o->policy.n == 0);

    jr_webhook_metrics_review(r->s->metrics, r->endpoint, o);
    if (o->policies_ns > 0)
        jr_webhook_metrics_policies(r->s->metrics, (double)o->policies_ns / (double)JR_SEC);
    note_exceptions(r, o);
    if (o->allowed)
        jr_log_write(r->s->log, JR_LOG_DEBUG, "admitted", pairs, N_ALWAYS);
    else
        jr_log_write(r->s->log, JR_LOG_INFO, "denied", pairs, n);
}

static void refuse_by(struct request *r, const struct jr_error *err)
{
    char text[sizeof(err->path) + sizeof(err->msg) + 8];

    refuse(r, err->http == 0 ? 500 : (unsigned)err->http, "%s",
           jr_error_text(err, text, sizeof(text)));
}

/** Validates what was read. The answer is text of its own, and needs the arena no longer. */
static enum MHD_Result review_body(struct request *r, const struct jr_admission_review *asked,
                                   const struct jr_request_policies *policies,
                                   struct jr_arena *arena)
{
    struct jr_deadline deadline = jr_deadline_at(r->s->clock, r->deadline);
    struct jr_review_settings settings = r->s->options->review;
    struct jr_profiles profiles;
    JR_BUF out = { 0 };
    struct jr_review_outcome o;
    struct jr_error err = { .status = JR_OK };
    char *answer = NULL;
    size_t n = 0;
    enum jr_status st;

    jr_versions_get(r->s->versions, &profiles);
    settings.profiles = &profiles;
    settings.deadline = &deadline;
    settings.policies = jr_request_policies_review(policies);
    jr_buf_init(&out, jr_review_answer_max(asked, settings.policies));
    settings.now = r->s->clock->wall(r->s->clock->self);
    st = jr_review_answer_for(r->endpoint, asked, &settings, arena, &out, &o, &err);
    if (st == JR_OK && jr_buf_take(&out, &answer, &n) != JR_OK)
        st = jr_fail_http(&err, JR_NOMEM, 500, "out of memory");
    if (st != JR_OK) {
        refuse_by(r, &err);
        return send_refusal(r);
    }
    note_review(r, &o);
    if (policies->snapshot != NULL)
        jr_policy_snapshot_count(policies->snapshot, &o.policies);
    drop_body(r, n);
    evict_for(r, n);
    if (r->s->clients == NULL)
        jr_conns_trust(&r->s->conns, &r->conn->tls.conn); /* what else could tell an API server? */
    return send_body(r, MHD_HTTP_OK, "application/json", answer, n);
}

/* ---- the headers ---- */

static size_t drop_limit(const struct request *r)
{
    return (size_t)r->s->options->max_body_bytes * DROP_FACTOR;
}

static const char *header(const struct request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

static bool is_json(const char *type)
{
    static const char want[] = "application/json";

    return type != NULL && strncasecmp(type, want, sizeof(want) - 1) == 0 &&
           strchr(" \t;", type[sizeof(want) - 1]) != NULL; /* the end counts, too */
}

const char *jr_http_conn_check(struct jr_http_conn *c, gnutls_session_t session)
{
    struct jr_client_auth *clients = c->serving->clients;
    /* Read first: where the CAs change meanwhile it is validated once more. */
    const uint64_t generation = jr_client_auth_generation(clients);
    const char *why = NULL;

    if (c->known == generation)
        return NULL;
    why = jr_client_auth_refusal(clients, session);
    c->known = why == NULL ? generation : 0;
    if (why == NULL)
        jr_conns_trust(&c->serving->conns, &c->tls.conn);
    return why;
}

/** Whether the client may call. */
static void check_client(struct request *r)
{
    const union MHD_ConnectionInfo *info;
    const char *why;

    if (r->s->clients == NULL)
        return;
    info = MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    why = info == NULL ? "expected TLS" : jr_http_conn_check(r->conn, info->tls_session);
    if (why != NULL)
        refuse(r, MHD_HTTP_UNAUTHORIZED, "%s", why);
}

/** What is wrong with the request's line and headers. */
static void check_headers(struct request *r, const char *url, const char *method)
{
    const char *length = header(r, MHD_HTTP_HEADER_CONTENT_LENGTH);
    const char *type = header(r, MHD_HTTP_HEADER_CONTENT_TYPE);
    const int64_t max = r->s->options->max_body_bytes;
    int64_t n = 0;

    if (r->endpoint == JR_ENDPOINT_COUNT) {
        refuse(r, MHD_HTTP_NOT_FOUND, "nothing is served at %.200s", url);
        return;
    }
    if (strcmp(method, MHD_HTTP_METHOD_POST) != 0) {
        refuse(r, MHD_HTTP_METHOD_NOT_ALLOWED, "expected POST, not %.40s", method);
        return;
    }
    if (length != NULL && jr_parse_i64(jr_str(length), 0, INT64_MAX, &n) != JR_OK)
        n = INT64_MAX;
    r->expected = (size_t)n;
    if (n > max) {
        refuse(r, MHD_HTTP_CONTENT_TOO_LARGE, "expected a body of at most %" PRId64 " bytes", max);
        return;
    }
    if (!is_json(type))
        refuse(r, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
               "expected Content-Type application/json, not \"%.100s\"", type == NULL ? "" : type);
}

/** The API server says in the query how long it waits: ?timeout=10s. Counted from the headers, not
 * from the connection's beginning: Go's clients open connections ahead and keep them for a request
 * to come. */
static void read_timeout(struct request *r)
{
    const char *text = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "timeout");
    int64_t ms = 0;

    r->deadline.ns = r->began.ns + r->s->options->request_timeout_ms * JR_MSEC;
    if (text == NULL)
        return;
    if (jr_parse_duration_ms(jr_str(text), &ms) != JR_OK || ms <= 0) {
        refuse(r, MHD_HTTP_BAD_REQUEST,
               "expected a duration such as 10s as the query's timeout, not \"%.40s\"", text);
        return;
    }
    if (ms >= r->s->options->request_timeout_ms)
        return;
    r->deadline.ns = r->began.ns + ms * JR_MSEC;
    jr_conns_hurry(&r->s->conns, &r->conn->tls.conn,
                   (struct jr_mono){ r->deadline.ns + LINGER_MS * JR_MSEC });
}

static enum MHD_Result begin_request(struct jr_serving *s, struct MHD_Connection *connection,
                                     const char *url, const char *method, void **req_cls)
{
    struct jr_http_conn *conn = jr_record_of(connection);
    struct request *r = conn == NULL ? NULL : calloc(1, sizeof(*r));

    if (r == NULL)
        return MHD_NO;
    *req_cls = r; /* from here on jr_request_done ends it */
    r->s = s;
    r->connection = connection;
    r->conn = conn;
    r->endpoint = jr_endpoint_find(url);
    jr_conns_request(&s->conns, &conn->tls.conn);
    r->began = now(r);
    (void)atomic_fetch_add(&s->in_flight, 1);
    if (r->endpoint != JR_ENDPOINT_COUNT)
        jr_webhook_metrics_begin(s->metrics, r->endpoint);
    check_client(r);
    if (r->refused == 0)
        check_headers(r, url, method);
    read_timeout(r);
    /* A refusal that can't wait: the body is too long to be read for nothing, or the client asks
     * before sending it. libmicrohttpd closes the connection then. Any other one is sent when the
     * body has been read. */
    if (r->refused != 0 &&
        (r->expected > drop_limit(r) || header(r, MHD_HTTP_HEADER_EXPECT) != NULL))
        return send_refusal(r);
    return MHD_YES;
}

/* ---- the body ---- */

/** Takes n bytes of the budget for the body. */
static bool hold_body(struct request *r, size_t n)
{
    evict_for(r, n);
    return charge_budget(r, n);
}

/** Makes room for n more bytes. False: refused. */
static bool grow_body(struct request *r, size_t n)
{
    const size_t max = (size_t)r->s->options->max_body_bytes;
    size_t need = r->n + n, cap = r->cap < 4096 ? 8192 : r->cap * 2;
    char *p;

    if (need > max) {
        refuse(r, MHD_HTTP_CONTENT_TOO_LARGE, "expected a body of at most %zu bytes", max);
        return false;
    }
    if (need <= r->cap)
        return true;
    if (cap < need)
        cap = need;
    if (r->expected >= need && cap > r->expected)
        cap = r->expected;
    if (cap > max)
        cap = max;
    if (!hold_body(r, cap - r->cap)) {
        refuse(r, MHD_HTTP_SERVICE_UNAVAILABLE, "too many bodies in flight, try again");
        return false;
    }
    p = realloc(r->body, cap);
    if (p == NULL) {
        refuse(r, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory, try again");
        return false;
    }
    r->body = p;
    r->cap = cap;
    return true;
}

/** Takes a piece of the body; after a refusal for nothing, and not without end. */
static enum MHD_Result take_piece(struct request *r, const char *p, size_t n)
{
    if (r->refused == 0 && grow_body(r, n)) {
        memcpy(r->body + r->n, p, n);
        r->n += n;
        return MHD_YES;
    }
    r->dropped += n;
    return r->dropped > drop_limit(r) ? MHD_NO : MHD_YES;
}

/** Takes more of the budget. False: refused. */
static bool afford_cost(struct request *r, size_t cost)
{
    const size_t most = jr_budget_most(&r->s->budget);

    if (r->charged > most || cost > most - r->charged) /* what it has counts: more won't come */
        refuse(r, MHD_HTTP_CONTENT_TOO_LARGE,
               "the body has too many values: validating it takes %zu bytes, "
               "and a request may have %zu of --max-request-memory",
               r->charged + cost, most);
    else if (!charge_budget(r, cost))
        refuse(r, MHD_HTTP_SERVICE_UNAVAILABLE, "too many requests in flight, try again");
    return r->refused == 0;
}

/** Reads the body, and sees to it that there is memory for the answer. */
static void read_body(struct request *r, const struct jr_request_policies *policies,
                      struct jr_admission_review *ret, struct jr_arena *arena)
{
    const struct jr_str body = { r->body, r->n };
    struct jr_error err = { .status = JR_OK };

    if (!afford_cost(r, jr_review_read_cost(r->n)))
        return;
    jr_arena_init(arena, r->charged);
    if (jr_review_read(body, arena, ret, &err) != JR_OK)
        refuse_by(r, &err);
    else if (afford_cost(r, jr_review_cost(ret, jr_request_policies_review(policies))))
        arena->limit = r->charged;
}

/** Whether the Namespace has to be read first; then this is called again. Once: what can't be read
 * is not known. */
static bool await_namespace(struct request *r, const struct jr_admission_review *asked,
                            struct jr_request_policies *policies)
{
    const struct jr_str namespace = asked->request.namespace;

    if (r->endpoint == JR_ENDPOINT_VALIDATE_POLICY ||
        jr_request_policies_find(policies, &r->s->policies, namespace) || r->looked_up ||
        namespace.n == 0 || namespace.n > NAMESPACE_MAX)
        return false;
    r->looked_up = true;
    memcpy(r->namespace, namespace.p, namespace.n);
    give_back(r, r->cap);
    return jr_namespace_wait_add(&r->s->wait, &r->waiter, r->connection, jr_str(r->namespace));
}

static enum MHD_Result finish_request(struct request *r)
{
    JR_CLEANUP(jr_request_policies_done) struct jr_request_policies policies;
    JR_ARENA arena = { 0 };
    struct jr_admission_review asked;

    jr_request_policies_begin(&policies, &r->s->policies);
    if (!r->looked_up)
        jr_conns_answer(&r->s->conns, &r->conn->tls.conn);
    if (r->refused == 0 && r->n == 0)
        refuse(r, MHD_HTTP_BAD_REQUEST, "expected an AdmissionReview, but the body is empty");
    if (r->refused == 0 && now(r).ns >= r->deadline.ns)
        refuse(r, MHD_HTTP_GATEWAY_TIMEOUT, "the request's time was over before its body was read");
    if (r->refused == 0)
        read_body(r, &policies, &asked, &arena);
    if (r->refused == 0 && await_namespace(r, &asked, &policies))
        return MHD_YES;
    return r->refused != 0 ? send_refusal(r) : review_body(r, &asked, &policies, &arena);
}

/* ---- the callbacks ---- */

enum MHD_Result jr_request_handle(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_n, void **req_cls)
{
    struct request *r = *req_cls;

    (void)version;
    if (r == NULL)
        return begin_request(cls, connection, url, method, req_cls);
    if (*upload_n > 0) {
        size_t n = *upload_n;

        *upload_n = 0;
        return take_piece(r, upload, n);
    }
    return finish_request(r);
}

void jr_request_done(void *cls, struct MHD_Connection *connection, void **req_cls,
                     enum MHD_RequestTerminationCode how)
{
    struct request *r = *req_cls;
    struct jr_serving *s = cls;

    (void)connection;
    (void)how;
    if (r == NULL)
        return;
    *req_cls = NULL;
    jr_conns_idle(&s->conns, &r->conn->tls.conn);
    /* 499: the client went before it had an answer. */
    if (r->endpoint != JR_ENDPOINT_COUNT)
        jr_webhook_metrics_end(s->metrics, r->endpoint, r->answered == 0 ? 499 : r->answered,
                               (double)(now(r).ns - r->began.ns) / (double)JR_SEC);
    drop_body(r, 0);
    free(r);
    (void)atomic_fetch_sub(&s->in_flight, 1);
}
