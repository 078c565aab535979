/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/job_cases.h"

#include "common/job/cron_job.h"
#include "common/job/defaults.h"
#include "common/job/prepare.h"
#include "common/job/validate.h"
#include "common/json/patch.h"
#include "tests/support/job_gen_status.h"
#include "tests/support/object.h"

#define UID "8d1f6c1e-0b6a-4a53-9c1d-2f7a90b1c0de"

/** A case while it is made. */
struct making {
    struct jr_case_gen *g;
    struct jr_making m;
    struct jr_job_gen jobs;
    size_t number;
};

static bool percent(struct making *k, unsigned p)
{
    return jr_make_percent(&k->m, p);
}

const char jr_case_smallest_job[] =
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\",\"namespace\":"
    "\"default\",\"uid\":\"8d1f6c1e-0b6a-4a53-9c1d-2f7a90b1c0de\"},\"spec\":{\"template\":{"
    "\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"x:1\"}]}}}}";

/* ---- Jobs ---- */

static enum jr_status set_meta(struct jr_node *job, const char *key, const char *value)
{
    struct jr_node *meta;
    enum jr_status st = jr_ensure_object(job, "metadata", &meta);

    if (st == JR_OK)
        st = jr_set_str(meta, key, jr_str(value));
    return st == JR_TYPE ? JR_OK : st;
}

/** A generated Job of that kind. */
static enum jr_status make_job(struct making *k, enum jr_job_gen_kind kind, struct jr_doc **ret)
{
    JR_BUF text = { 0 };
    enum jr_status st;

    jr_job_gen_init(&k->jobs, jr_make_below(&k->m, UINT64_MAX), kind);
    k->jobs.unknown = false;
    k->jobs.with_uid = true;
    jr_buf_init(&text, (size_t)64 << 20);
    st = jr_job_gen_next(&k->jobs, &text);
    return st == JR_OK ? jr_doc_parse(jr_buf_str(&text), &JR_READER_LENIENT, ret, NULL) : st;
}

/** A valid Job that will be stored: on a server it needs a name of its own. */
static enum jr_status make_stored(struct making *k, struct jr_doc **ret)
{
    enum jr_status st = make_job(k, JR_JOB_GEN_VALID, ret);

    if (st == JR_OK && k->g->server != NULL)
        st = set_meta(jr_doc_root(*ret), "name", TEXT(&k->m, "case-%zu", k->number));
    /* A server whose gate is off has dropped it. */
    if (st == JR_OK && k->g->server != NULL && !k->g->profile.gates[JR_GATE_WorkloadWithJob])
        jr_remove(jr_get(jr_doc_root(*ret), "spec"), JR_S("scheduling"), NULL);
    /* Up to 1.33 a CronJob has fewer defaults than its Job, and isn't stored without them. */
    if (st == JR_OK && k->g->server != NULL)
        st = jr_job_default(jr_doc_root(*ret), &k->g->profile);
    return st;
}

/** What a request can say: namespace and, of a stored object, name are the URL's; a generated name
 * would be the server's, the uid always is. */
static enum jr_status fit_server(const struct making *k, struct jr_node *job, const char *name)
{
    struct jr_node *meta = jr_get(job, "metadata");
    enum jr_status st;

    if (k->g->server == NULL)
        return JR_OK;
    st = set_meta(job, "namespace", k->g->server);
    if (st == JR_OK && jr_get_str(meta, "generateName").n > 0 && jr_get_str(meta, "name").n == 0)
        st = set_meta(job, "name", "generated");
    if (st == JR_OK && name != NULL)
        st = set_meta(job, "name", name);
    return st == JR_OK ? set_meta(job, "uid", UID) : st;
}

/** As it is stored: defaulted, prepared, with the old status; patch (may be NULL) on top of it. */
static enum jr_status store(struct jr_node *job, const struct jr_node *patch,
                            const struct jr_profile *profile)
{
    enum jr_status st = patch == NULL ? JR_OK : jr_merge_apply(job, patch);

    if (st == JR_OK)
        st = jr_job_default(job, profile);
    if (st == JR_OK)
        st = jr_job_prepare_create(job, profile);
    if (st == JR_OK)
        st = set_meta(job, "resourceVersion", "7");
    /* again, for what preparation resets */
    return st == JR_OK && patch != NULL ? jr_merge_apply(job, patch) : st;
}

/** Makes a CronJob of the Job. */
static enum jr_status wrap(struct jr_doc **job)
{
    static const char text[] = "{\"apiVersion\":\"batch/v1\",\"kind\":\"CronJob\",\"spec\":{"
                               "\"schedule\":\"*/5 * * * *\",\"jobTemplate\":{}}}";
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_node *meta = jr_get(jr_doc_root(*job), "metadata");
    struct jr_node *spec = jr_get(jr_doc_root(*job), "spec");
    enum jr_status st = jr_doc_parse(jr_str(text), &JR_READER_STRICT, &doc, NULL);

    jr_remove(spec, JR_S("selector"), NULL);
    jr_remove(spec, JR_S("manualSelector"), NULL);
    if (st == JR_OK && meta != NULL)
        st = jr_set_copy(jr_doc_root(doc), JR_S("metadata"), meta, NULL);
    if (st == JR_OK && spec != NULL)
        st = jr_set_copy(jr_path(jr_doc_root(doc), "spec.jobTemplate"), JR_S("spec"), spec, NULL);
    if (st != JR_OK)
        return st;
    jr_doc_free(*job);
    *job = jr_steal(&doc);
    return JR_OK;
}

/** As store(), a CronJob. */
static enum jr_status store_cron(struct jr_node *cron_job, const struct jr_node *patch,
                                 const struct jr_profile *profile)
{
    enum jr_status st = patch == NULL ? JR_OK : jr_merge_apply(cron_job, patch);

    if (st == JR_OK)
        st = jr_cron_job_default(cron_job, profile);
    if (st == JR_OK)
        st = jr_cron_job_prepare_create(cron_job, profile);
    return st == JR_OK ? set_meta(cron_job, "resourceVersion", "7") : st;
}

/* ---- rows ---- */

static enum jr_status new_case(const char *op, struct jr_str name, struct jr_doc **ret)
{
    enum jr_status st = jr_doc_new(ret);

    if (st == JR_OK)
        st = jr_set_str(jr_doc_root(*ret), "name", name);
    return st == JR_OK ? jr_set_str(jr_doc_root(*ret), "op", jr_str(op)) : st;
}

/** Puts the old object and the new one that the patch makes of it. */
static enum jr_status put_update(struct jr_node *row, const struct jr_node *old,
                                 const struct jr_node *patch)
{
    struct jr_node *job = NULL;
    enum jr_status st = jr_set_copy(row, JR_S("old"), old, NULL);

    if (st == JR_OK)
        st = jr_set_copy(row, JR_S("job"), old, &job);
    return st == JR_OK && patch != NULL ? jr_merge_apply(job, patch) : st;
}

/** Defaulted and prepared, and said to be. */
static enum jr_status prepare(struct jr_node *row, struct jr_node *job, bool cron,
                              const struct jr_profile *profile)
{
    enum jr_status st = jr_set_bool(row, "prepared", true);

    if (st == JR_OK && cron)
        return store_cron(job, NULL, profile);
    if (st == JR_OK)
        st = jr_job_default(job, profile);
    return st == JR_OK ? jr_job_prepare_create(job, profile) : st;
}

static enum jr_status put_fault(const struct jr_fault *f, const struct jr_profile *profile,
                                struct jr_node *row, struct jr_node *job)
{
    bool cron = jr_fault_is_cron(f);
    enum jr_status st = cron ? jr_set_str(row, "kind", JR_S("CronJob")) : JR_OK;

    if (st == JR_OK && jr_fault_has_old(f)) {
        if (f->kind == JR_FAULT_PREPARED)
            st = jr_set_bool(row, "prepared", true);
        if (st == JR_OK)
            st = cron ? store_cron(job, jr_fault_old(f), profile)
                      : store(job, jr_fault_old(f), profile);
        if (st == JR_OK)
            st = jr_fault_put_gates(f, row);
        return st == JR_OK ? put_update(row, job, jr_fault_new(f)) : st;
    }
    if (st == JR_OK && (f->kind == JR_FAULT_PREPARED || f->kind == JR_FAULT_CRON_PREPARED))
        st = prepare(row, job, cron, profile);
    if (st == JR_OK)
        st = jr_fault_put_gates(f, row);
    if (st == JR_OK)
        st = jr_fault_apply(f, job);
    return st == JR_OK ? jr_set_copy(row, JR_S("job"), job, NULL) : st;
}

enum jr_status jr_case_of_fault(const struct jr_fault *f, const struct jr_node *base,
                                const struct jr_profile *profile, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    const char *op = "create";
    enum jr_status st;

    if (jr_fault_has_old(f))
        op = f->kind == JR_FAULT_STATUS ? "updateStatus" : "update";
    st = new_case(op, f->rule, &doc);
    if (st == JR_OK)
        st = jr_doc_of(base, &job);
    if (st == JR_OK && jr_fault_is_cron(f))
        st = wrap(&job);
    if (st == JR_OK)
        st = put_fault(f, profile, jr_doc_root(doc), jr_doc_root(job));
    if (st == JR_OK)
        *ret = jr_steal(&doc);
    return st;
}

/* ---- at random ---- */

static enum jr_status set_gate(struct jr_node *row, const char *name, bool on)
{
    struct jr_node *gates;
    enum jr_status st = jr_ensure_object(row, "gates", &gates);

    return st == JR_OK ? jr_set_bool(gates, name, on) : st;
}

/** n random rows of that kind (created Jobs or changes) on the Job. */
static enum jr_status apply_some(struct making *k, enum jr_fault_kind kind, size_t n,
                                 struct jr_node *job)
{
    const struct jr_fault_tables *t = k->g->tables;
    size_t first = t->first[kind], end = t->first[kind + 1];
    enum jr_status st = JR_OK;

    for (size_t i = 0; i < n && st == JR_OK && end > first; i++) {
        const struct jr_fault *f = &t->v[first + jr_make_below(&k->m, end - first)];
        size_t values = jr_size(f->row) - 1;

        if (kind == JR_FAULT_CHANGE)
            st = jr_fault_put(job, jr_node_str(jr_first(f->row)),
                              jr_at(f->row, 1 + jr_make_below(&k->m, values)));
        else if (!jr_fault_has_old(f))
            st = jr_fault_apply(f, job);
    }
    return st;
}

/** Gates that are off by default: one, or what needs it too. */
static enum jr_status set_scheduling_gates(struct making *k, struct jr_node *row)
{
    enum jr_status st = set_gate(row, "GenericWorkload", true);

    return st == JR_OK && percent(k, 80) ? set_gate(row, "WorkloadWithJob", true) : st;
}

static enum jr_status random_create(struct making *k, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    enum jr_job_gen_kind kind = percent(k, 60)   ? JR_JOB_GEN_VALID
                                : percent(k, 85) ? JR_JOB_GEN_NEARLY
                                                 : JR_JOB_GEN_HOSTILE;
    enum jr_status st = new_case("create", JR_S("generated"), ret);

    if (st == JR_OK)
        st = make_job(k, kind, &job);
    if (st == JR_OK && kind == JR_JOB_GEN_VALID)
        st = apply_some(k, JR_FAULT_CREATE, jr_make_below(&k->m, 4), jr_doc_root(job));
    if (st == JR_OK && percent(k, 30))
        st = apply_some(k, JR_FAULT_CHANGE, 1 + jr_make_below(&k->m, 3), jr_doc_root(job));
    if (st == JR_OK && k->g->server == NULL && percent(k, 30))
        st = set_scheduling_gates(k, jr_doc_root(*ret));
    return st == JR_OK ? jr_set_copy(jr_doc_root(*ret), JR_S("job"), jr_doc_root(job), NULL) : st;
}

/** The status of the member: text's. */
static enum jr_status put_status(struct jr_node *job, const char *text)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *status = NULL;
    enum jr_status st = jr_doc_parse(jr_str(text), &JR_READER_LENIENT, &status, NULL);

    return st == JR_OK ? jr_set_copy(job, JR_S("status"), jr_doc_root(status), NULL) : st;
}

/** A stored Job, suspended or not. */
static enum jr_status random_old(struct making *k, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *before = NULL;
    enum jr_status st = make_stored(k, ret);
    const struct jr_node *scheduling = NULL;
    struct jr_node *spec;

    if (st == JR_OK && k->g->server == NULL && percent(k, 30))
        st = apply_some(k, JR_FAULT_CHANGE, 1, jr_doc_root(*ret));
    spec = st == JR_OK ? jr_get(jr_doc_root(*ret), "spec") : NULL;
    if (spec != NULL && percent(k, 50))
        st = jr_set_bool(spec, "suspend", true);
    if (st == JR_OK)
        st = jr_doc_of(jr_doc_root(*ret), &before);
    if (st == JR_OK)
        st = store(jr_doc_root(*ret), NULL, &k->g->profile);
    /* It is from a time when the gate was on. */
    if (st == JR_OK && k->g->server == NULL)
        scheduling = jr_path(jr_doc_root(before), "spec.scheduling");
    if (scheduling != NULL)
        st = jr_set_copy(jr_get(jr_doc_root(*ret), "spec"), JR_S("scheduling"), scheduling, NULL);
    return st;
}

static enum jr_status random_update(struct making *k, struct jr_doc **ret)
{
    static const char *const gates[] = { "MutablePodResourcesForSuspendedJobs",
                                         "MutableSchedulingDirectivesForSuspendedJobs" };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old = NULL;
    struct jr_node *row, *job;
    enum jr_status st = new_case("update", JR_S("generated"), ret);

    if (st == JR_OK)
        st = random_old(k, &old);
    if (st == JR_OK && percent(k, 60))
        st = put_status(jr_doc_root(old), jr_gen_suspended_status(&k->m));
    if (st != JR_OK)
        return st;
    row = jr_doc_root(*ret);
    st = put_update(row, jr_doc_root(old), NULL);
    job = jr_get(row, "job");
    if (st == JR_OK && percent(k, 90))
        st = apply_some(k, JR_FAULT_CHANGE, 1 + jr_make_below(&k->m, 4), job);
    if (st == JR_OK && percent(k, 15))
        st = apply_some(k, JR_FAULT_CREATE, 1, job);
    if (st == JR_OK && k->g->server == NULL && percent(k, 10))
        st = set_gate(row, PICK(&k->m, gates), false);
    if (st == JR_OK && k->g->server == NULL && percent(k, 60))
        st = set_scheduling_gates(k, row);
    return st;
}

static enum jr_status random_status(struct making *k, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old = NULL;
    struct jr_node *row;
    enum jr_status st = new_case("updateStatus", JR_S("generated"), ret);

    if (st == JR_OK)
        st = random_old(k, &old);
    if (st == JR_OK && percent(k, 60))
        st = put_status(jr_doc_root(old), k->g->server == NULL ? jr_gen_status(&k->m)
                                                               : jr_gen_suspended_status(&k->m));
    row = jr_doc_root(*ret);
    if (st == JR_OK)
        st = put_update(row, jr_doc_root(old), NULL);
    return st == JR_OK ? put_status(jr_get(row, "job"), jr_gen_status(&k->m)) : st;
}

/** A CronJob of a Job that may have faults. */
static enum jr_status random_cron_create(struct making *k, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    struct jr_node *row;
    enum jr_status st = new_case("create", JR_S("generated"), ret);

    if (st == JR_OK)
        st = make_job(k, percent(k, 80) ? JR_JOB_GEN_VALID : JR_JOB_GEN_NEARLY, &job);
    if (st == JR_OK)
        st = apply_some(k, JR_FAULT_CREATE, jr_make_below(&k->m, 3), jr_doc_root(job));
    if (st == JR_OK)
        st = wrap(&job);
    if (st == JR_OK)
        st = apply_some(k, JR_FAULT_CRON, jr_make_below(&k->m, 2), jr_doc_root(job));
    row = jr_doc_root(*ret);
    if (st == JR_OK)
        st = jr_set_str(row, "kind", JR_S("CronJob"));
    return st == JR_OK ? jr_set_copy(row, JR_S("job"), jr_doc_root(job), NULL) : st;
}

static enum jr_status random_cron_update(struct making *k, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old = NULL;
    struct jr_node *row;
    enum jr_status st = new_case("update", JR_S("generated"), ret);

    if (st == JR_OK)
        st = make_stored(k, &old);
    if (st == JR_OK)
        st = wrap(&old);
    if (st == JR_OK)
        st = store_cron(jr_doc_root(old), NULL, &k->g->profile);
    row = jr_doc_root(*ret);
    if (st == JR_OK)
        st = jr_set_str(row, "kind", JR_S("CronJob"));
    if (st == JR_OK)
        st = put_update(row, jr_doc_root(old), NULL);
    return st == JR_OK ? apply_some(k, JR_FAULT_CRON, jr_make_below(&k->m, 3), jr_get(row, "job"))
                       : st;
}

/* ---- the whole ---- */

void jr_case_gen_init(struct jr_case_gen *g, const struct jr_fault_tables *tables, uint64_t seed)
{
    *g = (struct jr_case_gen){ .tables = tables, .profile = jr_profile_default() };
    (void)jr_rand_of_seed(&g->seed, seed * 0x9e3779b97f4a7c15U); /* far apart */
}

enum jr_status jr_case_gen_ask(struct jr_case_gen *g, struct jr_kube_version version,
                               const char *server, const char *gates, struct jr_error *err)
{
    struct jr_str rest = jr_str(gates);
    struct jr_flag_list list = { .n = 0 };

    g->server = server;
    g->gates = gates;
    g->profile = jr_profile_of(version);
    while (list.n < JR_FLAG_LIST_MAX && jr_str_cut(&rest, ',', &list.v[list.n]))
        list.n++;
    return jr_profile_set_gates(&g->profile, &list, "--gates", err);
}

static bool skipped(const struct jr_case_gen *g, const struct jr_fault *f)
{
    if (f->kind == JR_FAULT_CHANGE || f->kind == JR_FAULT_UNASKED)
        return true;
    return g->server != NULL && !jr_fault_can_be_asked(g->tables, f, &g->profile);
}

/** Whether an API server would store the Job, by our own rules. */
static bool is_storable(const struct making *k, const struct jr_node *job)
{
    OBJECT validated = { 0 };
    JR_ARENA arena = { 0 };
    struct jr_doc *copy = NULL;
    struct jr_errlist errs;

    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    if (jr_doc_of(job, &copy) != JR_OK ||
        open_tree(&jr_schema_job, copy, &validated, NULL) != JR_OK)
        return false;
    jr_job_validate_create(&validated, &k->g->profile, &errs);
    return errs.failed == JR_OK && errs.n == 0;
}

static enum jr_status try_fault(struct making *k, const struct jr_fault *f, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *base = NULL;
    enum jr_status st =
        jr_fault_has_old(f) ? make_stored(k, &base) : make_job(k, JR_JOB_GEN_VALID, &base);

    /* What the row makes of it has to be storable; see is_storable. */
    if (st == JR_OK && k->g->server != NULL && jr_fault_has_old(f))
        jr_remove(jr_get(jr_doc_root(base), "spec"), JR_S("scheduling"), NULL);
    return st == JR_OK ? jr_case_of_fault(f, jr_doc_root(base), &k->g->profile, ret) : st;
}

/** An old object that a row makes of a Job with a success policy, say, can't be stored: another Job
 * then, a few times. */
static enum jr_status fault_case(struct making *k, const struct jr_fault *f, struct jr_doc **ret)
{
    enum jr_status st = try_fault(k, f, ret);

    for (size_t i = 0; i < 20 && st == JR_OK && k->g->server != NULL && !jr_fault_is_cron(f) &&
                       jr_get(jr_doc_root(*ret), "old") != NULL &&
                       !is_storable(k, jr_get(jr_doc_root(*ret), "old"));
         i++) {
        jr_doc_free(jr_steal(ret));
        st = try_fault(k, f, ret);
    }
    return st;
}

static enum jr_status random_case(struct making *k, struct jr_doc **ret)
{
    if (percent(k, 10))
        return percent(k, 50) ? random_cron_create(k, ret) : random_cron_update(k, ret);
    if (percent(k, 50))
        return random_create(k, ret);
    return percent(k, 60) ? random_update(k, ret) : random_status(k, ret);
}

/** What the server has been told, our side is told with each case. */
static enum jr_status put_gates(struct making *k, struct jr_node *row)
{
    struct jr_str rest = jr_str(k->g->gates), state, name;
    enum jr_status st = JR_OK;

    while (st == JR_OK && jr_str_cut(&rest, ',', &state) && jr_str_cut(&state, '=', &name))
        st = set_gate(row, TEXT(&k->m, "%.*s", JR_P(name)), jr_str_is(state, "true"));
    return st;
}

static enum jr_status finish(struct making *k, struct jr_node *row)
{
    struct jr_node *old = jr_get(row, "old");
    const char *name = old == NULL ? NULL : TEXT(&k->m, "case-%zu", k->number);
    enum jr_status st = jr_set_i64(row, "id", (int64_t)k->number);

    if (st == JR_OK)
        st = put_gates(k, row);
    if (st == JR_OK)
        st = fit_server(k, jr_get(row, "job"), name);
    return st == JR_OK && old != NULL ? fit_server(k, old, name) : st;
}

enum jr_status jr_case_next(struct jr_case_gen *g, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_rand_seeded own;
    struct making k = { .g = g };
    enum jr_status st;

    while (g->next < g->tables->n && skipped(g, &g->tables->v[g->next]))
        g->next++;
    k.number = g->next++;
    k.m.g = &k.jobs;
    k.m.r = jr_rand_of_seed(&own, g->seed.state++);
    jr_arena_init(&k.m.arena, 0);
    jr_job_gen_init(&k.jobs, 0, JR_JOB_GEN_VALID);
    k.jobs.unknown = false;
    if (k.number < g->tables->n)
        st = fault_case(&k, &g->tables->v[k.number], &doc);
    else
        st = random_case(&k, &doc);
    if (st == JR_OK)
        st = finish(&k, jr_doc_root(doc));
    jr_arena_done(&k.m.arena);
    if (st == JR_OK && k.m.failed)
        st = JR_NOMEM;
    if (st == JR_OK)
        *ret = jr_steal(&doc);
    return st;
}
