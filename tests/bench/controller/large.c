/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/controller/large.h"

#include <pthread.h>
#include <stdio.h>

#include "common/base/memory.h"
#include "common/base/num.h"

#define BODY_MAX ((size_t)64 << 20)
#define PREFIX "/apis/batch/v1/namespaces/large/jobs/"
#define PODS_PREFIX "/api/v1/namespaces/large/pods"

enum kind { RUNNING, SUSPENDED, FOREIGN };
struct job {
    uint64_t version;
    char *status; /* JSON */
    unsigned writes;
};
/** Of each running Job one. */
struct pod {
    uint64_t version;
    unsigned made;
    bool finalizer, succeeded;
};
struct event {
    uint64_t version;
    bool pod, added, expired;
    size_t n;
};

struct large {
    size_t each, n_jobs; /* of a kind; of all */
    size_t next_touched;
    bool paged, finish;
    char *filler;
    struct job *jobs;
    struct pod *pods;
    struct event *events; /* of all that has happened */
    size_t n_events, cap_events;
    uint64_t version;
    pthread_mutex_t lock; /* guards all but what large_new has set */
    pthread_cond_t changed;
};

struct large *large_new(const struct bench_options *o)
{
    struct large *l = calloc(1, sizeof(*l));

    if (l == NULL)
        return NULL;
    l->each = (size_t)o->jobs;
    l->n_jobs = l->each * 3;
    l->version = l->n_jobs;
    l->paged = o->paged;
    l->filler = malloc((size_t)o->template_bytes + 1);
    l->jobs = calloc(l->n_jobs, sizeof(*l->jobs));
    l->pods = calloc(l->each, sizeof(*l->pods));
    if (l->filler == NULL || l->jobs == NULL || l->pods == NULL ||
        pthread_mutex_init(&l->lock, NULL) != 0 || pthread_cond_init(&l->changed, NULL) != 0)
        return NULL;
    memset(l->filler, 'x', (size_t)o->template_bytes);
    l->filler[o->template_bytes] = '\0';
    for (size_t i = 0; i < l->n_jobs; i++) {
        const bool suspended = i / l->each == SUSPENDED;

        l->jobs[i].version = i + 1;
        l->jobs[i].status =
            strdup(suspended ? "{\"conditions\":[{\"type\":\"Suspended\",\"status\":\"True\","
                               "\"reason\":\"JobSuspended\",\"message\":\"Job suspended\","
                               "\"lastProbeTime\":\"2025-11-21T10:51:44Z\","
                               "\"lastTransitionTime\":\"2025-11-21T10:51:44Z\"}],"
                               "\"terminating\":0,\"uncountedTerminatedPods\":{},\"ready\":0}"
                             : "{}");
        if (l->jobs[i].status == NULL)
            return NULL;
    }
    return l;
}

/* ---- objects ---- */

static void add_job(const struct large *l, size_t n, struct jr_buf *out)
{
    static const char *const more[] = { "", "\"suspend\":true,",
                                        "\"managedBy\":\"example.com/x\"," };

    (void)jr_buf_addf(
        out,
        "{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",\"metadata\":{\"name\":\"large-%zu\","
        "\"namespace\":\"large\",\"uid\":\"%08zx-0000-4000-8000-000000000000\","
        "\"resourceVersion\":\"%llu\",\"generation\":1,"
        "\"creationTimestamp\":\"2025-11-21T10:51:44Z\"},\"spec\":{%s\"parallelism\":1,"
        "\"completions\":1,\"backoffLimit\":6,\"completionMode\":\"NonIndexed\","
        "\"podReplacementPolicy\":\"TerminatingOrFailed\",\"selector\":{\"matchLabels\":{"
        "\"batch.kubernetes.io/controller-uid\":\"%08zx-0000-4000-8000-000000000000\"}},"
        "\"template\":{\"metadata\":{\"labels\":{\"batch.kubernetes.io/controller-uid\":"
        "\"%08zx-0000-4000-8000-000000000000\"}},\"spec\":{\"restartPolicy\":\"Never\","
        "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"args\":[\"",
        n, n, (unsigned long long)l->jobs[n].version, more[n / l->each], n, n);
    (void)jr_buf_adds(out, l->filler);
    (void)jr_buf_addf(out, "\"]}]}}},\"status\":%s}", l->jobs[n].status);
}

static void add_pod(const struct large *l, size_t n, struct jr_buf *out)
{
    const struct pod *p = &l->pods[n];

    (void)jr_buf_addf(
        out,
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"large-%zu-a\","
        "\"namespace\":\"large\",\"uid\":\"%08zx-0000-4000-8000-00000000000a\","
        "\"resourceVersion\":\"%llu\",\"labels\":{\"batch.kubernetes.io/controller-uid\":"
        "\"%08zx-0000-4000-8000-000000000000\"},\"ownerReferences\":[{\"apiVersion\":\"batch/v1\","
        "\"kind\":\"Job\",\"name\":\"large-%zu\",\"uid\":\"%08zx-0000-4000-8000-000000000000\","
        "\"controller\":true,\"blockOwnerDeletion\":true}]%s},\"spec\":{\"containers\":[{"
        "\"name\":\"c\",\"image\":\"i\",\"args\":[\"",
        n, n, (unsigned long long)p->version, n, n, n,
        p->finalizer ? ",\"finalizers\":[\"batch.kubernetes.io/job-tracking\"]" : "");
    (void)jr_buf_adds(out, l->filler);
    (void)jr_buf_addf(out, "\"]}]},\"status\":{\"phase\":\"%s\"}}",
                      p->succeeded ? "Succeeded" : "Running");
}

/** Under the lock: it has changed. */
static void note(struct large *l, bool pod, size_t n, bool added)
{
    const uint64_t version = ++l->version;

    l->events = jr_xvec_room(l->events, l->n_events, &l->cap_events, sizeof(*l->events));
    l->events[l->n_events++] =
        (struct event){ .version = version, .pod = pod, .added = added, .n = n };
    if (pod)
        l->pods[n].version = version;
    else
        l->jobs[n].version = version;
    (void)pthread_cond_broadcast(&l->changed);
}

/* ---- lists and streams ---- */

/** The number behind a key of the query; 0: none. */
static uint64_t query_number(struct jr_str path, const char *key)
{
    const char *at = memmem(path.p, path.n, key, strlen(key));
    uint64_t v = 0;
    size_t n = 0;

    if (at == NULL)
        return 0;
    path = jr_str_from(path, (size_t)(at - path.p) + strlen(key));
    while (n < path.n && path.p[n] >= '0' && path.p[n] <= '9')
        n++;
    return jr_parse_u64(jr_str_head(path, n), &v) == JR_OK ? v : 0;
}

static bool is_there(const struct large *l, bool pod, size_t i)
{
    return !pod || l->pods[i].made > 0;
}

/** Sends what is in text as a chunk. */
static bool send_chunk(struct connection *c, const struct jr_buf *text)
{
    (void)jr_buf_addf(&c->out, "%zx\r\n", text->n);
    (void)jr_buf_add(&c->out, jr_buf_str(text));
    (void)jr_buf_adds(&c->out, "\r\n");
    return text->failed == JR_OK && connection_flush(c);
}

static bool send_frame(struct large *l, struct connection *c, const struct event *e)
{
    JR_BUF text = { .max = BODY_MAX };

    (void)pthread_mutex_lock(&l->lock);
    if (e->expired) {
        (void)jr_buf_adds(&text, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"status\":"
                                 "\"Failure\",\"reason\":\"Expired\",\"code\":410}");
    } else {
        (void)jr_buf_addf(&text, "{\"type\":\"%s\",\"object\":", e->added ? "ADDED" : "MODIFIED");
        (e->pod ? add_pod : add_job)(l, e->n, &text);
    }
    (void)pthread_mutex_unlock(&l->lock);
    (void)jr_buf_adds(&text, "}\n");
    return send_chunk(c, &text) && !e->expired;
}

static bool send_initial(struct large *l, struct connection *c, bool pod, uint64_t version)
{
    JR_BUF text = { .max = BODY_MAX };

    for (size_t i = 0; i < (pod ? l->each : l->n_jobs); i++) {
        if (is_there(l, pod, i) &&
            !send_frame(l, c, &(struct event){ .pod = pod, .n = i, .added = true }))
            return false;
    }
    (void)jr_buf_addf(&text,
                      "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":"
                      "\"%llu\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n",
                      (unsigned long long)version);
    return send_chunk(c, &text);
}

/** The next event of a kind; waits for it. */
static struct event next_event(struct large *l, bool pod, uint64_t after, size_t *at)
{
    struct event e;

    (void)pthread_mutex_lock(&l->lock);
    for (;;) {
        while (*at < l->n_events && (l->events[*at].pod != pod || l->events[*at].version <= after))
            ++*at;
        if (*at < l->n_events)
            break;
        (void)pthread_cond_wait(&l->changed, &l->lock);
    }
    e = l->events[(*at)++];
    (void)pthread_mutex_unlock(&l->lock);
    return e;
}

static bool stream(struct large *l, struct connection *c, bool pod, struct jr_str path)
{
    const bool initial = memmem(path.p, path.n, "sendInitialEvents=true", 22) != NULL;
    uint64_t after = query_number(path, "resourceVersion=");
    size_t at = 0;

    if (initial && l->paged)
        return connection_refuse(c, 422, "Invalid");
    (void)jr_buf_adds(&c->out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n");
    if (initial) {
        (void)pthread_mutex_lock(&l->lock);
        after = l->version;
        (void)pthread_mutex_unlock(&l->lock);
        if (!send_initial(l, c, pod, after))
            return false;
    } else if (!connection_flush(c)) {
        return false;
    }
    for (;;) {
        const struct event e = next_event(l, pod, after, &at);

        if (!send_frame(l, c, &e))
            return false;
    }
}

static bool send_body(struct connection *c, int code, const struct jr_buf *body)
{
    (void)jr_buf_addf(
        &c->out, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
        code, body->n);
    (void)jr_buf_add(&c->out, jr_buf_str(body));
    return body->failed == JR_OK && connection_flush(c);
}

/** A page, in chunks: it may be larger than what is sent at once. */
static bool page(struct large *l, struct connection *c, bool pod, struct jr_str path)
{
    const size_t total = pod ? l->each : l->n_jobs, limit = query_number(path, "limit=");
    const size_t from = query_number(path, "continue=");
    const size_t to = limit > 0 && from + limit < total ? from + limit : total;
    JR_BUF text = { .max = BODY_MAX };
    bool ok = true, first = true;

    (void)jr_buf_adds(&c->out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n");
    (void)jr_buf_addf(&text, "{\"metadata\":{\"resourceVersion\":\"%llu\"",
                      (unsigned long long)l->version);
    if (to < total)
        (void)jr_buf_addf(&text, ",\"continue\":\"%zu\"", to);
    (void)jr_buf_adds(&text, "},\"items\":[");
    for (size_t i = from; ok && i < to; i++) {
        if (!is_there(l, pod, i))
            continue;
        (void)jr_buf_adds(&text, first ? "" : ",");
        first = false;
        (void)pthread_mutex_lock(&l->lock);
        (pod ? add_pod : add_job)(l, i, &text);
        (void)pthread_mutex_unlock(&l->lock);
        ok = send_chunk(c, &text);
        jr_buf_reset(&text);
    }
    (void)jr_buf_adds(&text, "]}");
    if (!ok || !send_chunk(c, &text))
        return false;
    (void)jr_buf_adds(&c->out, "0\r\n\r\n");
    return connection_flush(c);
}

/* ---- writes ---- */

/** The n of "large-N..." behind a prefix; SIZE_MAX: there is none. */
static size_t number_of(const struct large *l, struct jr_str path, const char *prefix)
{
    const uint64_t n = query_number(path, prefix);

    return n < l->n_jobs ? (size_t)n : SIZE_MAX;
}

static struct jr_str body_of(const struct connection *c)
{
    const struct jr_str in = jr_buf_str(&c->in);
    const char *end = memmem(in.p, in.n, "\r\n\r\n", 4);

    return end == NULL ? JR_S("") : jr_str_from(in, (size_t)(end - in.p) + 4);
}

static bool send_job(struct large *l, struct connection *c, size_t n)
{
    JR_BUF body = { .max = BODY_MAX };

    (void)pthread_mutex_lock(&l->lock);
    add_job(l, n, &body);
    (void)pthread_mutex_unlock(&l->lock);
    return send_body(c, 200, &body);
}

static bool put_status(struct large *l, struct connection *c, size_t n)
{
    static const char key[] = ",\"status\":{";
    const struct jr_str body = body_of(c);
    const char *at = memmem(body.p, body.n, key, strlen(key));
    const char *version = memmem(body.p, body.n, "\"resourceVersion\":\"", 19);
    bool conflict;

    if (at == NULL || version == NULL || memmem(body.p, body.n, l->filler, 1000) == NULL)
        return connection_refuse(c, 422, "Invalid");
    at += strlen(",\"status\":");
    (void)pthread_mutex_lock(&l->lock);
    conflict = query_number(jr_str(version), "\":\"") != l->jobs[n].version;
    if (!conflict) {
        free(l->jobs[n].status);
        l->jobs[n].status = strndup(at, (size_t)(body.p + body.n - at) - 1);
        l->jobs[n].writes++;
        note(l, false, n, false);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return conflict ? connection_refuse(c, 409, "Conflict") : send_job(l, c, n);
}

static bool send_pod_meta(struct large *l, struct connection *c, int code, size_t n)
{
    JR_BUF body = { .max = BODY_MAX };

    (void)pthread_mutex_lock(&l->lock);
    (void)jr_buf_addf(&body,
                      "{\"metadata\":{\"name\":\"large-%zu-a\",\"namespace\":\"large\",\"uid\":"
                      "\"%08zx-0000-4000-8000-00000000000a\",\"resourceVersion\":\"%llu\"}}",
                      n, n, (unsigned long long)l->pods[n].version);
    (void)pthread_mutex_unlock(&l->lock);
    return send_body(c, code, &body);
}

static bool create_pod(struct large *l, struct connection *c)
{
    const size_t n = number_of(l, body_of(c), "\"generateName\":\"large-");

    if (n >= l->each || memmem(c->in.p, c->in.n, l->filler, 1000) == NULL)
        return connection_refuse(c, 422, "Invalid");
    (void)pthread_mutex_lock(&l->lock);
    l->pods[n].made++;
    l->pods[n].finalizer = true;
    note(l, true, n, true);
    if (l->finish) {
        l->pods[n].succeeded = true;
        note(l, true, n, false);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return send_pod_meta(l, c, 201, n);
}

static bool free_pod(struct large *l, struct connection *c, size_t n)
{
    (void)pthread_mutex_lock(&l->lock);
    l->pods[n].finalizer = false;
    note(l, true, n, false);
    (void)pthread_mutex_unlock(&l->lock);
    return send_pod_meta(l, c, 200, n);
}

bool large_serve(struct large *l, struct connection *c, struct jr_str method, struct jr_str path)
{
    const bool get = jr_str_is(method, "GET");
    const bool jobs = jr_str_starts(path, JR_S("/apis/batch/v1/jobs?"));
    const size_t job = number_of(l, path, PREFIX "large-");
    const size_t pod = number_of(l, path, PODS_PREFIX "/large-");

    if (jobs || jr_str_starts(path, JR_S("/api/v1/pods?")))
        return memmem(path.p, path.n, "watch=", 6) != NULL ? stream(l, c, !jobs, path)
                                                           : page(l, c, !jobs, path);
    if (get && jr_str_starts(path, JR_S(PREFIX)) && job < l->n_jobs)
        return send_job(l, c, job);
    if (jr_str_is(method, "PUT") && jr_str_starts(path, JR_S(PREFIX)) && job < l->n_jobs)
        return put_status(l, c, job);
    if (jr_str_is(method, "POST") && jr_str_is(path, PODS_PREFIX))
        return create_pod(l, c);
    if (jr_str_is(method, "PATCH") && jr_str_starts(path, JR_S(PODS_PREFIX "/")) && pod < l->each)
        return free_pod(l, c, pod);
    if (jr_str_is(method, "POST")) { /* events */
        JR_BUF body = { .max = 16 };

        (void)jr_buf_adds(&body, "{}");
        return send_body(c, 201, &body);
    }
    return connection_refuse(c, 404, "NotFound");
}

/* ---- orders ---- */

/** As their controllers do: the status of a foreign Job. */
static void touch(struct large *l, uint64_t times)
{
    for (uint64_t i = 0; i < times; i++) {
        const size_t n = l->each * FOREIGN + l->next_touched++ % l->each;

        free(l->jobs[n].status);
        l->jobs[n].status = strdup(l->next_touched % 2 == 0 ? "{\"active\":1}" : "{\"active\":2}");
        note(l, false, n, false);
    }
}

static void finish(struct large *l)
{
    l->finish = true;
    for (size_t i = 0; i < l->each; i++) {
        if (l->pods[i].made > 0 && !l->pods[i].succeeded) {
            l->pods[i].succeeded = true;
            note(l, true, i, false);
        }
    }
}

static void relist(struct large *l)
{
    note(l, false, 0, false);
    l->events[l->n_events - 1].expired = true;
}

static void say_state(const struct large *l)
{
    size_t pods = 0, twice = 0, complete = 0, touched = 0;

    for (size_t i = 0; i < l->each; i++) {
        pods += l->pods[i].made > 0;
        twice += l->pods[i].made > 1;
    }
    for (size_t i = 0; i < l->n_jobs; i++) {
        complete += strstr(l->jobs[i].status, "\"type\":\"Complete\"") != NULL;
        touched += i >= l->each && l->jobs[i].writes > 0;
    }
    (void)printf("state pods %zu twice %zu complete %zu untouchable %zu\n", pods, twice, complete,
                 touched);
    (void)fflush(stdout);
}

void large_obey(struct large *l, const char *order)
{
    (void)pthread_mutex_lock(&l->lock);
    if (strncmp(order, "touch ", 6) == 0)
        touch(l, query_number(jr_str(order), "touch "));
    else if (strncmp(order, "finish", 6) == 0)
        finish(l);
    else if (strncmp(order, "relist", 6) == 0)
        relist(l);
    else
        say_state(l);
    (void)pthread_mutex_unlock(&l->lock);
}
