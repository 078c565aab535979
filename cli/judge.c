#include "cli/judge.h"

#include "common/job/cron_job.h"
#include "common/job/defaults.h"
#include "common/job/validate.h"
#include "common/schema/decode_tree.h"

#define GENERATED_BASE_MAX 58

/* ---- the kinds ---- */

/** An object and its old one on their way through the rules; the trees are defaulted and prepared.
 * old is NULL on create. */
struct proof {
    struct jr_doc *doc; /* taken over by prove */
    struct jr_doc *old;
    const struct jr_judge_case *c;
};

struct jr_kind_rules {
    const char *api_version;
    const char *kind;
    const char *template;
    enum dev_resource_id resource;
    enum jr_status (*dflt)(struct jr_node *node, const struct jr_profile *profile);
    /* Labels and the like, given uid and name; NULL: there are none. */
    enum jr_status (*generate)(struct jr_node *node);
    enum jr_status (*prepare_create)(struct jr_node *node, const struct jr_profile *profile);
    enum jr_status (*prepare_update)(struct jr_node *node, const struct jr_node *old,
                                     const struct jr_profile *profile);
    enum jr_status (*prepare_status)(struct jr_node *node, const struct jr_node *old);
    enum jr_status (*prove)(struct proof *p, struct jr_judgement *ret, struct jr_error *err);
};

static enum jr_status prove_job(struct proof *p, struct jr_judgement *ret, struct jr_error *err)
{
    JR_CLEANUP(jr_judged_done) struct jr_judged job = { 0 };
    JR_CLEANUP(jr_judged_done) struct jr_judged old = { 0 };
    enum jr_status st = jr_judged_of(jr_steal(&p->doc), false, &job, err);

    if (st == JR_OK && p->old != NULL)
        st = jr_judged_of(jr_steal(&p->old), false, &old, err);
    if (st != JR_OK)
        return st;
    if (p->c->old == NULL)
        jr_job_validate_create(&job, p->c->profile, &ret->errs);
    else if (p->c->status)
        jr_job_validate_status_update(&job, &old, p->c->profile, &ret->errs);
    else
        jr_job_validate_update(&job, &old, p->c->profile, &ret->errs);
    if (ret->errs.failed != JR_OK)
        return ret->errs.failed;
    if (ret->errs.n > 0 || p->c->status)
        return JR_OK;
    return jr_job_warnings(&job, p->c->old == NULL ? NULL : &old, ret->errs.arena, &ret->warnings);
}

/** Upstream has no rules for the status. */
static enum jr_status prove_cron_job(struct proof *p, struct jr_judgement *ret,
                                     struct jr_error *err)
{
    JR_CLEANUP(jr_judged_cron_done) struct jr_judged_cron cron_job = { 0 };
    JR_CLEANUP(jr_judged_cron_done) struct jr_judged_cron old = { 0 };
    enum jr_status st = jr_judged_cron_of(jr_steal(&p->doc), false, &cron_job, err);

    if (st == JR_OK && p->old != NULL)
        st = jr_judged_cron_of(jr_steal(&p->old), false, &old, err);
    if (st != JR_OK || p->c->status)
        return st;
    if (p->c->old == NULL)
        jr_cron_job_validate_create(&cron_job, p->c->profile, &ret->errs);
    else
        jr_cron_job_validate_update(&cron_job, &old, p->c->profile, &ret->errs);
    if (ret->errs.failed != JR_OK || ret->errs.n > 0)
        return ret->errs.failed;
    return jr_cron_job_warnings(&cron_job, p->c->old == NULL ? NULL : &old, ret->errs.arena,
                                &ret->warnings);
}

static const struct jr_kind_rules kinds[] = {
    { .api_version = "batch/v1",
      .kind = "Job",
      .template = "spec.template",
      .resource = DEV_JOBS,
      .dflt = jr_job_default,
      .generate = jr_job_generate,
      .prepare_create = jr_job_prepare_create,
      .prepare_update = jr_job_prepare_update,
      .prepare_status = jr_job_prepare_status_update,
      .prove = prove_job },
    { .api_version = "batch/v1",
      .kind = "CronJob",
      .template = "spec.jobTemplate.spec.template",
      .resource = DEV_CRONJOBS,
      .dflt = jr_cron_job_default,
      .prepare_create = jr_cron_job_prepare_create,
      .prepare_update = jr_cron_job_prepare_update,
      .prepare_status = jr_cron_job_prepare_status_update,
      .prove = prove_cron_job },
};

const struct jr_kind_rules *jr_judge_rules(struct jr_str api_version, struct jr_str kind)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++) {
        if (jr_str_is(kind, kinds[i].kind) && jr_str_is(api_version, kinds[i].api_version))
            return &kinds[i];
    }
    return NULL;
}

const char *jr_judge_template(const struct jr_kind_rules *rules)
{
    return rules->template;
}

const struct dev_resource *jr_judge_resource(const struct jr_kind_rules *rules)
{
    return &jr_dev_resources[rules->resource];
}

/* ---- steps ---- */

/** A judgement under way. */
struct judging {
    const struct jr_judge_case *c;
    struct jr_arena *arena;
    struct jr_judgement *verdict;
    struct jr_error *err;
};

static enum jr_status refuse(struct judging *j, const char *why, const char *path)
{
    const struct jr_kind_rules *rules = j->c->rules;
    struct jr_str at, words;

    j->verdict->refused =
        jr_arena_printf(j->arena, "%s in version \"v1\" cannot be handled as a %s: %s", rules->kind,
                        rules->kind, why);
    if (j->verdict->refused == NULL || !jr_arena_str(j->arena, jr_str(path), &at) ||
        !jr_arena_str(j->arena, jr_str(why), &words))
        return JR_NOMEM;
    j->verdict->refused_at = at.p;
    j->verdict->why = words.p;
    return JR_OK;
}

/** A copy, with what a server reads into every object: its namespace and no managedFields. */
static enum jr_status open_copy(const struct jr_node *node, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_node *meta = NULL;
    enum jr_status st = jr_doc_of(node, &doc);

    if (st == JR_OK)
        st = jr_ensure_object(jr_doc_root(doc), "metadata", &meta);
    if (st != JR_OK)
        return st;
    jr_remove(meta, JR_S("managedFields"), NULL);
    jr_remove(meta, JR_S("selfLink"), NULL);
    if (jr_get_str(meta, "namespace").n == 0)
        st = jr_set_str(meta, "namespace", JR_S("default"));
    if (st == JR_OK)
        *ret = jr_steal(&doc);
    return st;
}

/** What a client can't decide on create: the server drops it, gives a uid and resolves
 * generateName. */
static enum jr_status begin_object(struct jr_node *root)
{
    static const char *const wiped[] = { "creationTimestamp", "deletionTimestamp",
                                         "deletionGracePeriodSeconds", "generation" };
    struct jr_node *meta = jr_get(root, "metadata");
    struct jr_str base = jr_str_head(jr_get_str(meta, "generateName"), GENERATED_BASE_MAX);
    char name[GENERATED_BASE_MAX + sizeof(JR_JUDGE_SUFFIX)];
    enum jr_status st = jr_set_str(meta, "uid", JR_S(JR_JUDGE_UID));

    for (size_t i = 0; i < JR_ARRAY_SIZE(wiped); i++)
        jr_remove(meta, jr_str(wiped[i]), NULL);
    if (st != JR_OK || jr_get_str(meta, "name").n > 0 || base.n == 0)
        return st;
    memcpy(name, base.p, base.n);
    memcpy(name + base.n, JR_JUDGE_SUFFIX, sizeof(JR_JUDGE_SUFFIX) - 1);
    return jr_set_str(meta, "name", (struct jr_str){ name, base.n + sizeof(JR_JUDGE_SUFFIX) - 1 });
}

/** Defaulting makes metadata.labels and the template's labels one map, unless there is a reason to
 * copy the object before the labels are generated. */
static bool shares_labels(const struct jr_judge_case *c)
{
    const struct jr_node *meta = jr_get(c->object, "metadata");

    return c->rules->resource == DEV_JOBS && jr_size(jr_get(meta, "labels")) == 0 &&
           jr_get_str(meta, "name").n > 0 &&
           jr_size(jr_path(c->object, "spec.template.metadata.labels")) > 0;
}

static enum jr_status prepare_create(const struct jr_judge_case *c, struct jr_node *root)
{
    enum jr_status st = begin_object(root);

    if (st == JR_OK)
        st = c->rules->dflt(root, c->profile);
    if (st == JR_OK)
        st = c->rules->prepare_create(root, c->profile);
    if (st == JR_OK && shares_labels(c))
        st = jr_set_copy(jr_get(root, "metadata"), JR_S("labels"),
                         jr_path(root, "spec.template.metadata.labels"), NULL);
    return st;
}

static enum jr_status set_if_absent(struct jr_node *meta, const char *key, struct jr_str value)
{
    return jr_get_str(meta, key).n > 0 || value.n == 0 ? JR_OK : jr_set_str(meta, key, value);
}

/** A manifest as it is, or will be, stored under this uid. */
static enum jr_status complete(const struct jr_judge_case *c, struct jr_node *root,
                               struct jr_str uid)
{
    enum jr_status st = set_if_absent(jr_get(root, "metadata"), "uid", uid);

    return st == JR_OK && c->rules->generate != NULL ? c->rules->generate(root) : st;
}

/** Updates: what is no whole object is taken for a manifest. */
static enum jr_status prepare_update(const struct jr_judge_case *c, struct jr_node *root,
                                     struct jr_node *old)
{
    struct jr_node *meta = jr_get(root, "metadata"), *was = jr_get(old, "metadata");
    const bool whole = jr_get_str(meta, "uid").n > 0 || jr_get_str(meta, "resourceVersion").n > 0;
    enum jr_status st = c->rules->dflt(old, c->profile);

    if (st == JR_OK)
        st = c->rules->dflt(root, c->profile);
    if (st == JR_OK && jr_get_str(was, "uid").n == 0)
        st = complete(c, old, JR_S(JR_JUDGE_UID));
    if (st == JR_OK && !whole && !c->status)
        st = complete(c, root, jr_get_str(was, "uid"));
    if (st == JR_OK)
        st = set_if_absent(was, "resourceVersion", JR_S("1"));
    if (st == JR_OK)
        st = set_if_absent(meta, "resourceVersion", jr_get_str(was, "resourceVersion"));
    if (st != JR_OK)
        return st;
    return c->status ? c->rules->prepare_status(root, old)
                     : c->rules->prepare_update(root, old, c->profile);
}

/** The decoders know of types that the schema does not; their words are ours then. */
static enum jr_status prove(struct judging *j, struct proof *p)
{
    struct jr_error why = { .status = JR_OK };
    enum jr_status st = j->c->rules->prove(p, j->verdict, &why);

    if (st == JR_TYPE || st == JR_RANGE || st == JR_SYNTAX)
        return refuse(j, why.msg, why.path);
    return st == JR_OK ? st : jr_fail(j->err, st, NULL, "can't judge it");
}

static void proof_done(struct proof *p)
{
    jr_doc_free(p->doc);
    jr_doc_free(p->old);
}

static enum jr_status run(struct judging *j)
{
    const struct jr_judge_case *c = j->c;
    JR_CLEANUP(proof_done) struct proof p = { .c = c };
    enum jr_status st = open_copy(c->object, &p.doc);

    if (st == JR_OK && c->old != NULL)
        st = open_copy(c->old, &p.old);
    if (st == JR_OK && c->old == NULL)
        st = prepare_create(c, jr_doc_root(p.doc));
    else if (st == JR_OK)
        st = prepare_update(c, jr_doc_root(p.doc), jr_doc_root(p.old));
    if (st == JR_OK &&
        !jr_arena_str(j->arena, jr_get_str(jr_get(jr_doc_root(p.doc), "metadata"), "name"),
                      &j->verdict->name))
        st = JR_NOMEM;
    if (st != JR_OK)
        return jr_fail(j->err, st, NULL, "can't prepare it");
    return prove(j, &p);
}

enum jr_status jr_judge(const struct jr_judge_case *c, struct jr_arena *arena,
                        struct jr_judgement *ret, struct jr_error *err)
{
    struct judging j = { .c = c, .arena = arena, .verdict = ret, .err = err };
    const struct dev_resource *res = jr_judge_resource(c->rules);
    struct jr_type_error wrong = { .why = NULL };
    enum jr_status st = JR_OK;

    *ret = (struct jr_judgement){ .refused = NULL };
    jr_errlist_init(&ret->errs, arena);
    if (c->old != NULL) {
        st = jr_schema_type_error(res->schema, c->old, arena, &wrong);
        if (st == JR_OK && wrong.why != NULL)
            return jr_fail(err, JR_INVALID, wrong.path, "%s", wrong.why);
    }
    if (st == JR_OK)
        st = jr_schema_type_error(res->schema, c->object, arena, &wrong);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "can't look at its types");
    return wrong.why == NULL ? run(&j) : refuse(&j, wrong.why, wrong.path);
}
