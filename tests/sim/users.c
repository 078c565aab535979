/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/users.h"

#include <stdio.h>

#include "common/json/doc.h"

#define PATH_MAX_BYTES 256
#define BODY_MAX_BYTES 2048
#define HOLD "example.com/hold"
#define MERGE "application/merge-patch+json"
#define STRATEGIC "application/strategic-merge-patch+json"

static bool is_good(int status)
{
    return status >= 200 && status < 300;
}

bool sim_users_post(struct sim_users *u, const struct sim_job *job)
{
    char path[PATH_MAX_BYTES];
    int status;

    (void)snprintf(path, sizeof(path), "/apis/batch/v1/namespaces/%s/jobs", job->namespace);
    status = sim_net_ask(u->net, "user", "POST", path, NULL, job->manifest, NULL);
    /* In a namespace that goes or has gone there is none. */
    if (!is_good(status) && status != 409 && status != 403 && status != 404)
        sim_fail(u->report, "the plan", "a Job is refused: %d", status);
    return status != 409;
}

/* ---- Pods ---- */

/** Which of the Job's Pods that stand; running: of those that run. */
static struct sim_seen_pod *pick(const struct sim_seen_job *j, uint64_t arg, bool running)
{
    struct sim_seen_pod *found = NULL;
    uint64_t n = 0;

    for (int round = 0; round < 2; round++) {
        uint64_t at = 0, wanted = n == 0 ? 0 : arg % n;

        for (size_t i = 0; i < j->n_pods; i++) {
            struct sim_seen_pod *p = j->pods[i];

            if (!sim_thing_stands(&p->thing) || !sim_controls(j, p) ||
                (running &&
                 (p->now->phase != JR_POD_RUNNING || jr_time_set(p->now->deletion_timestamp))))
                continue;
            if (round == 1 && at == wanted)
                return p;
            found = p;
            at++;
        }
        n = at;
        if (found == NULL)
            return NULL;
    }
    return found;
}

static bool patch_pod(struct sim_users *u, const struct sim_seen_pod *p, const char *sub,
                      const char *type, const char *body)
{
    char path[PATH_MAX_BYTES];

    (void)snprintf(path, sizeof(path), "/api/v1/namespaces/%.*s/pods/%.*s%s",
                   JR_P(p->thing.namespace), JR_P(p->thing.name), sub);
    return is_good(sim_net_ask(u->net, "other", "PATCH", path, type, jr_str(body), NULL));
}

static bool relabel(struct sim_users *u, const struct sim_seen_pod *p)
{
    return patch_pod(u, p, "", MERGE,
                     "{\"metadata\":{\"labels\":{\"app\":\"else\",\"batch.kubernetes.io/"
                     "controller-uid\":null,\"controller-uid\":null}}}");
}

static bool steal(struct sim_users *u, const struct sim_seen_pod *p)
{
    return patch_pod(u, p, "", MERGE,
                     "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"example.com/v1\","
                     "\"kind\":\"Thief\",\"name\":\"thief\",\"uid\":\"7461\",\"controller\":"
                     "true}]}}");
}

void sim_users_snatch(struct sim_users *u, const struct sim_seen_pod *p)
{
    if (sim_thing_stands(&p->thing))
        u->report->counts.actions[SIM_ACTION_STEAL_POD] += steal(u, p);
}

static void relabel_any(struct sim_users *u, const struct sim_seen_job *j, uint64_t arg)
{
    const struct sim_seen_pod *p = pick(j, arg, false);

    if (p != NULL)
        u->report->counts.actions[SIM_ACTION_RELABEL_POD] += relabel(u, p);
}

/* ---- Jobs ---- */

static bool patch_job(struct sim_users *u, const struct sim_seen_job *j, const char *body)
{
    char path[PATH_MAX_BYTES];

    (void)snprintf(path, sizeof(path), "/apis/batch/v1/namespaces/%.*s/jobs/%.*s",
                   JR_P(j->thing.namespace), JR_P(j->thing.name));
    return is_good(sim_net_ask(u->net, "user", "PATCH", path, MERGE, jr_str(body), NULL));
}

static bool patch_template(struct sim_users *u, const struct sim_seen_job *j, uint64_t arg)
{
    static const struct {
        const char *head, *tail;
    } edits[] = {
        { "\"metadata\":{\"annotations\":{\"edit\":\"", "\"}}" },
        { "\"metadata\":{\"labels\":{\"edit\":\"", "\"}}" },
        { "\"spec\":{\"nodeSelector\":{\"edit\":\"", "\"}}" },
        { "\"spec\":{\"tolerations\":[{\"key\":\"e", "\",\"operator\":\"Exists\"}]}" },
    };
    const size_t at = arg / 1000 % JR_ARRAY_SIZE(edits);
    char body[BODY_MAX_BYTES];

    (void)snprintf(body, sizeof(body), "{\"spec\":{\"template\":{%s%llu%s}}}", edits[at].head,
                   (unsigned long long)arg % 1000, edits[at].tail);
    return patch_job(u, j, body);
}

static bool delete_job(struct sim_users *u, const struct sim_seen_job *j, uint64_t arg)
{
    static const char *const policies[] = { "Background", "Foreground", "Orphan" };
    char path[PATH_MAX_BYTES], body[BODY_MAX_BYTES];

    (void)snprintf(path, sizeof(path), "/apis/batch/v1/namespaces/%.*s/jobs/%.*s",
                   JR_P(j->thing.namespace), JR_P(j->thing.name));
    (void)snprintf(
        body, sizeof(body),
        "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"propagationPolicy\":\"%s\"}",
        policies[arg % 3]);
    return is_good(sim_net_ask(u->net, "user", "DELETE", path, NULL, jr_str(body), NULL));
}

/** A condition of somebody's own, or a number that isn't true. */
static bool write_status(struct sim_users *u, const struct sim_seen_job *j, uint64_t arg)
{
    static const char *const bodies[] = {
        "{\"status\":{\"conditions\":[{\"type\":\"example.com/Seen\",\"status\":\"True\","
        "\"reason\":\"Seen\",\"message\":\"somebody has seen it\",\"lastProbeTime\":"
        "\"2026-03-01T12:00:00Z\",\"lastTransitionTime\":\"2026-03-01T12:00:00Z\"}]}}",
        "{\"status\":{\"active\":7}}",
    };
    char path[PATH_MAX_BYTES];

    if (sim_is_external(j->plan->features))
        return false; /* nobody would mend it */
    (void)snprintf(path, sizeof(path), "/apis/batch/v1/namespaces/%.*s/jobs/%.*s/status",
                   JR_P(j->thing.namespace), JR_P(j->thing.name));
    return is_good(
        sim_net_ask(u->net, "user", "PATCH", path, STRATEGIC, jr_str(bodies[arg % 2]), NULL));
}

static bool delete_namespace(struct sim_users *u, const struct sim_seen_job *j)
{
    char path[PATH_MAX_BYTES];

    if (jr_str_is(j->thing.namespace, "default"))
        return false; /* nobody can */
    (void)snprintf(path, sizeof(path), "/api/v1/namespaces/%.*s", JR_P(j->thing.namespace));
    return is_good(sim_net_ask(u->net, "user", "DELETE", path, NULL, JR_S(""), NULL));
}

/** What changes the Job's spec or its annotations, as a merge patch; false: it isn't one. */
static bool write_patch(const struct sim_action *a, char body[BODY_MAX_BYTES])
{
    static const struct {
        enum sim_action_kind kind;
        const char *head, *middle, *tail; /* the argument between them */
    } patches[] = {
        { SIM_ACTION_SUSPEND, "{\"spec\":{\"suspend\":true}}", NULL, NULL },
        { SIM_ACTION_RESUME, "{\"spec\":{\"suspend\":false}}", NULL, NULL },
        { SIM_ACTION_PARALLELISM, "{\"spec\":{\"parallelism\":", NULL, "}}" },
        { SIM_ACTION_COMPLETIONS, "{\"spec\":{\"parallelism\":", ",\"completions\":", "}}" },
        { SIM_ACTION_TOUCH_JOB, "{\"metadata\":{\"annotations\":{\"touched\":\"", NULL, "\"}}}" },
    };
    const unsigned long long n = a->arg;

    for (size_t i = 0; i < JR_ARRAY_SIZE(patches); i++) {
        if (patches[i].kind != a->kind)
            continue;
        if (patches[i].middle != NULL)
            (void)snprintf(body, BODY_MAX_BYTES, "%s%llu%s%llu%s", patches[i].head, n,
                           patches[i].middle, n, patches[i].tail);
        else if (patches[i].tail != NULL)
            (void)snprintf(body, BODY_MAX_BYTES, "%s%llu%s", patches[i].head, n, patches[i].tail);
        else
            (void)snprintf(body, BODY_MAX_BYTES, "%s", patches[i].head);
        return true;
    }
    return false;
}

static bool act_on_job(struct sim_users *u, const struct sim_action *a, struct sim_seen_job *j)
{
    char body[BODY_MAX_BYTES];

    if (write_patch(a, body))
        return patch_job(u, j, body);
    if (a->kind == SIM_ACTION_TEMPLATE)
        return patch_template(u, j, a->arg);
    if (a->kind == SIM_ACTION_WRITE_STATUS)
        return write_status(u, j, a->arg);
    if (a->kind == SIM_ACTION_DELETE_NAMESPACE)
        return delete_namespace(u, j);
    if (a->kind != SIM_ACTION_DELETE_JOB)
        return false;
    if (a->arg % 5 < 2) /* a Pod that it doesn't match any more is easily forgotten */
        relabel_any(u, j, a->arg);
    return delete_job(u, j, a->arg);
}

/* ---- Pods, by the action ---- */

static bool delete_pod(struct sim_users *u, const struct sim_seen_pod *p, bool now)
{
    char path[PATH_MAX_BYTES];
    struct jr_str body = now ? JR_S("{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
                                    "\"gracePeriodSeconds\":0}")
                             : (struct jr_str){ NULL, 0 };

    (void)snprintf(path, sizeof(path), "/api/v1/namespaces/%.*s/pods/%.*s",
                   JR_P(p->thing.namespace), JR_P(p->thing.name));
    return is_good(sim_net_ask(u->net, "user", "DELETE", path, NULL, body, NULL));
}

/** A Pod of a node that is no more: it failed if it hadn't ended, and goes without grace. */
static bool collect_pod(struct sim_users *u, const struct sim_seen_pod *p)
{
    if (!jr_pod_terminal(p->now) &&
        !patch_pod(u, p, "/status", STRATEGIC,
                   "{\"status\":{\"phase\":\"Failed\",\"conditions\":[{\"type\":"
                   "\"DisruptionTarget\",\"status\":\"True\",\"reason\":\"DeletionByPodGC\"}]}}"))
        return false;
    return delete_pod(u, p, true);
}

#define DISRUPTED(reason)                                                 \
    "\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\"," \
    "\"reason\":\"" reason "\"}]"

static bool evict(struct sim_users *u, const struct sim_seen_pod *p)
{
    return patch_pod(u, p, "/status", STRATEGIC,
                     "{\"status\":{" DISRUPTED("DeletionByTaintManager") "}}") &&
           delete_pod(u, p, false);
}

static bool unschedulable(struct sim_users *u, const struct sim_seen_pod *p)
{
    return p->now->phase == JR_POD_PENDING &&
           patch_pod(u, p, "/status", STRATEGIC,
                     "{\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"status\":"
                     "\"False\",\"reason\":\"Unschedulable\",\"message\":\"0/1 nodes\"}]}}");
}

static bool strip(struct sim_users *u, struct sim_seen_pod *p)
{
    /* One that has lost it already is nobody's to strip. */
    p->thing.life.stripped |= p->now->finalizers.n > 0;
    return patch_pod(u, p, "", MERGE, "{\"metadata\":{\"finalizers\":null}}");
}

static bool act_on_pod(struct sim_users *u, const struct sim_action *a, struct sim_seen_job *j)
{
    const enum sim_action_kind kind = a->kind;
    struct sim_seen_pod *p =
        pick(j, a->arg, kind == SIM_ACTION_NODE_LOSS || kind == SIM_ACTION_UNKNOWN);

    if (p == NULL)
        return false;
    if (kind == SIM_ACTION_DELETE_POD || kind == SIM_ACTION_KILL_POD)
        return delete_pod(u, p, kind == SIM_ACTION_KILL_POD);
    if (kind == SIM_ACTION_STEAL_POD)
        return steal(u, p);
    if (kind == SIM_ACTION_RELABEL_POD)
        return relabel(u, p);
    if (kind == SIM_ACTION_STRIP_POD)
        return strip(u, p);
    if (kind == SIM_ACTION_NODE_LOSS)
        return patch_pod(u, p, "/status", STRATEGIC,
                         "{\"status\":{\"phase\":\"Failed\",\"reason\":\"NodeLost\"," DISRUPTED(
                             "DeletionByTaintManager") "}}");
    if (kind == SIM_ACTION_UNKNOWN)
        return patch_pod(u, p, "/status", STRATEGIC, "{\"status\":{\"phase\":\"Unknown\"}}");
    if (kind == SIM_ACTION_EVICT_POD)
        return evict(u, p);
    if (kind == SIM_ACTION_COLLECT_POD)
        return collect_pod(u, p);
    return kind == SIM_ACTION_UNSCHEDULABLE && unschedulable(u, p);
}

/** Its end may have been recorded: its phase becomes another, which no kubelet would write. */
static bool flip(struct sim_users *u, const struct sim_seen_job *j, uint64_t arg)
{
    const struct sim_seen_pod *found = NULL;

    for (size_t i = 0, n = 0; i < j->n_pods; i++) {
        const struct sim_seen_pod *p = j->pods[i];

        if (!sim_thing_stands(&p->thing) || !sim_controls(j, p) || !sim_bears(p->now) ||
            jr_pod_active(p->now))
            continue;
        if (arg % ++n == 0)
            found = p;
    }
    return found != NULL && patch_pod(u, found, "/status", STRATEGIC,
                                      found->now->phase == JR_POD_SUCCEEDED
                                          ? "{\"status\":{\"phase\":\"Failed\"}}"
                                          : "{\"status\":{\"phase\":\"Succeeded\"}}");
}

/** A Pod as the Job would make it, but nobody's. Indexed: mostly with an index. */
static enum jr_status write_orphan(struct sim_users *u, const struct sim_seen_job *j, uint64_t arg,
                                   struct jr_buf *out)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_node *meta, *notes;
    char text[64];
    enum jr_status st = jr_doc_parse(j->now->spec.template.raw, &JR_READER_LENIENT, &doc, NULL);

    if (st == JR_OK)
        st = jr_set_str(jr_doc_root(doc), "kind", JR_S("Pod"));
    if (st == JR_OK)
        st = jr_set_str(jr_doc_root(doc), "apiVersion", JR_S("v1"));
    if (st == JR_OK)
        st = jr_ensure_object(jr_doc_root(doc), "metadata", &meta);
    (void)snprintf(text, sizeof(text), "orphan-%llu", (unsigned long long)u->n_pods++);
    if (st == JR_OK)
        st = jr_set_str(meta, "name", jr_str(text));
    if (st == JR_OK && jr_str_is(j->now->spec.completion_mode, "Indexed") && arg % 5 != 0) {
        int32_t n = jr_i32_or(j->now->spec.completions, 1);

        (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)(arg % (uint64_t)(n + 1)));
        st = jr_ensure_object(meta, "annotations", &notes);
        if (st == JR_OK)
            st = jr_set_str(notes, JR_COMPLETION_INDEX, jr_str(text));
    }
    return st == JR_OK ? jr_node_print(jr_doc_root(doc), out) : st;
}

static bool make_orphan(struct sim_users *u, const struct sim_action *a, struct sim_seen_job *j)
{
    char path[PATH_MAX_BYTES];
    JR_BUF body = { 0 };

    jr_buf_init(&body, (size_t)1 << 20);
    if (write_orphan(u, j, a->arg, &body) != JR_OK)
        abort();
    (void)snprintf(path, sizeof(path), "/api/v1/namespaces/%.*s/pods", JR_P(j->thing.namespace));
    j->surplus++;
    return is_good(sim_net_ask(u->net, "other", "POST", path, NULL, jr_buf_str(&body), NULL));
}

/* ---- what is held ---- */

static bool patch_finalizer(struct sim_users *u, const struct sim_thing *t, bool job, bool on)
{
    char path[PATH_MAX_BYTES];

    (void)snprintf(path, sizeof(path), "%s/namespaces/%.*s/%s/%.*s",
                   job ? "/apis/batch/v1" : "/api/v1", JR_P(t->namespace), job ? "jobs" : "pods",
                   JR_P(t->name));
    return is_good(sim_net_ask(
        u->net, "other", "PATCH", path, STRATEGIC,
        on ? JR_S("{\"metadata\":{\"finalizers\":[\"" HOLD "\"]}}")
           : JR_S("{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"" HOLD "\"]}}"),
        NULL));
}

static bool hold(struct sim_users *u, const struct sim_action *a, struct sim_seen_job *j)
{
    const struct sim_seen_pod *p = pick(j, a->arg / 2, false);

    if (a->arg % 2 == 1)
        return patch_finalizer(u, &j->thing, true, true);
    return p != NULL && patch_finalizer(u, &p->thing, false, true);
}

static bool is_held(const struct sim_thing *t)
{
    struct jr_str text = t->life.versions[t->life.n - 1].text;

    return memmem(text.p, text.n, HOLD, strlen(HOLD)) != NULL;
}

void sim_users_free(struct sim_users *u)
{
    for (size_t i = 0; i < u->book->n_jobs; i++) {
        const struct sim_seen_job *j = u->book->jobs[i];

        if (sim_thing_stands(&j->thing) && is_held(&j->thing))
            u->report->counts.actions[SIM_ACTION_FREE] +=
                patch_finalizer(u, &j->thing, true, false);
    }
    for (size_t i = 0; i < u->book->n_pods; i++) {
        const struct sim_seen_pod *p = u->book->pods[i];

        if (sim_thing_stands(&p->thing) && jr_pod_has_finalizer(p->now, JR_S(HOLD)))
            u->report->counts.actions[SIM_ACTION_FREE] +=
                patch_finalizer(u, &p->thing, false, false);
    }
}

/* ---- all ---- */

static bool act_on_node(struct sim_users *u, const struct sim_action *a)
{
    bool down = a->kind == SIM_ACTION_NODE_DOWN, is = *u->node_is_down;

    *u->node_is_down = down;
    return is != down;
}

static bool act(struct sim_users *u, const struct sim_action *a, struct sim_seen_job *j)
{
    if (a->kind == SIM_ACTION_ORPHAN_POD)
        return make_orphan(u, a, j);
    if (a->kind == SIM_ACTION_HOLD)
        return hold(u, a, j);
    if (a->kind == SIM_ACTION_FLIP_POD)
        return flip(u, j, a->arg);
    return act_on_job(u, a, j) || act_on_pod(u, a, j);
}

bool sim_users_act(struct sim_users *u, const struct sim_action *a)
{
    const struct sim_job *plan = &u->book->plan->jobs[a->job];
    struct sim_seen_job *j = sim_book_named(u->book, plan->namespace, plan->name);

    if (a->kind == SIM_ACTION_NODE_DOWN || a->kind == SIM_ACTION_NODE_UP) {
        u->report->counts.actions[a->kind] += act_on_node(u, a);
        return true;
    }
    if (a->kind == SIM_ACTION_FREE) {
        sim_users_free(u);
        return true;
    }
    if (a->kind == SIM_ACTION_BLOCK_PODS || a->kind == SIM_ACTION_UNBLOCK_PODS) {
        sim_net_block(u->net, a->kind == SIM_ACTION_BLOCK_PODS);
        u->report->counts.actions[a->kind]++;
        return true;
    }
    if (a->kind == SIM_ACTION_REMAKE_JOB) {
        if (!sim_users_post(u, plan))
            return false;
        u->report->counts.actions[a->kind]++;
        return true;
    }
    if (j == NULL)
        return true;
    u->report->counts.actions[a->kind] += act(u, a, j);
    return true;
}
