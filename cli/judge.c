#include "cli/judge.h"

#include "common/schema/decode_tree.h"

#define GENERATED_BASE_MAX 58

/* ---- steps ---- */

/** A judgement under way. */
struct judging {
    const struct jr_judge_case *c;
    struct jr_arena *arena;
    struct jr_judgement *verdict;
    struct jr_error *err;
};

static enum jr_admission_operation operation_of(const struct jr_judge_case *c)
{
    if (c->old == NULL)
        return JR_ADMISSION_CREATE;
    return c->status ? JR_ADMISSION_STATUS : JR_ADMISSION_UPDATE;
}

static enum jr_status refuse(struct judging *j, const char *why, const char *path)
{
    const char *kind = j->c->kind->kind;
    struct jr_str at, words;

    j->verdict->refused = jr_arena_printf(
        j->arena, "%s in version \"v1\" cannot be handled as a %s: %s", kind, kind, why);
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

static enum jr_status prepare_create(const struct jr_judge_case *c, struct jr_node *root)
{
    enum jr_status st = begin_object(root);

    if (st == JR_OK)
        st = c->kind->dflt(root, c->profile);
    if (st == JR_OK)
        st = c->kind->prepare_create(root, c->profile);
    if (st == JR_OK && jr_admission_shares_labels(c->kind, c->object))
        st = jr_admission_share_labels(root);
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

    return st == JR_OK && c->kind->generate != NULL ? c->kind->generate(root) : st;
}

/** Updates: what is no whole object is taken for a manifest. */
static enum jr_status prepare_update(const struct jr_judge_case *c, struct jr_node *root,
                                     struct jr_node *old)
{
    struct jr_node *meta = jr_get(root, "metadata"), *was = jr_get(old, "metadata");
    const bool whole = jr_get_str(meta, "uid").n > 0 || jr_get_str(meta, "resourceVersion").n > 0;
    enum jr_status st = c->kind->dflt(old, c->profile);

    if (st == JR_OK)
        st = c->kind->dflt(root, c->profile);
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
    return jr_admission_prepare(c->kind, operation_of(c), root, old, c->profile);
}

/** Types were checked before anything was done to it: what can't be opened now is want of memory.
 */
static enum jr_status validate(struct judging *j, const struct jr_node *root,
                               const struct jr_node *old_root)
{
    const struct jr_judge_case *c = j->c;
    JR_OBJECT_OPEN object = { .root = NULL };
    JR_OBJECT_OPEN old = { .root = NULL };
    struct jr_errlist *errs = &j->verdict->errs;
    enum jr_status st = jr_object_open(c->kind->schema, root, 0, &object, j->err);

    if (st == JR_OK && old_root != NULL)
        st = jr_object_open(c->kind->schema, old_root, 0, &old, j->err);
    if (st != JR_OK)
        return st;
    jr_admission_validate(c->kind, operation_of(c), &object, &old, c->profile, errs);
    if (errs->failed != JR_OK)
        return jr_fail(j->err, errs->failed, NULL, "can't validate it");
    if (errs->n > 0)
        return JR_OK;
    st = jr_admission_warnings(c->kind, operation_of(c), &object, &old, errs->arena,
                               &j->verdict->warnings);
    return st == JR_OK ? st : jr_fail(j->err, st, NULL, "can't validate it");
}

static enum jr_status run(struct judging *j)
{
    const struct jr_judge_case *c = j->c;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old = NULL;
    enum jr_status st = open_copy(c->object, &doc);

    if (st == JR_OK && c->old != NULL)
        st = open_copy(c->old, &old);
    if (st == JR_OK && c->old == NULL)
        st = prepare_create(c, jr_doc_root(doc));
    else if (st == JR_OK)
        st = prepare_update(c, jr_doc_root(doc), jr_doc_root(old));
    if (st == JR_OK &&
        !jr_arena_str(j->arena, jr_get_str(jr_get(jr_doc_root(doc), "metadata"), "name"),
                      &j->verdict->name))
        st = JR_NOMEM;
    if (st != JR_OK)
        return jr_fail(j->err, st, NULL, "can't prepare it");
    return validate(j, jr_doc_root_const(doc), old == NULL ? NULL : jr_doc_root_const(old));
}

enum jr_status jr_judge(const struct jr_judge_case *c, struct jr_arena *arena,
                        struct jr_judgement *ret, struct jr_error *err)
{
    struct judging j = { .c = c, .arena = arena, .verdict = ret, .err = err };
    const struct jr_schema_type *schema = c->kind->schema;
    struct jr_type_error wrong = { .why = NULL };
    enum jr_status st = JR_OK;

    *ret = (struct jr_judgement){ .refused = NULL };
    jr_errlist_init(&ret->errs, arena);
    if (c->old != NULL) {
        st = jr_schema_type_error(schema, c->old, c->profile->minor, arena, &wrong);
        if (st == JR_OK && wrong.why != NULL)
            return jr_fail(err, JR_INVALID, wrong.path, "%s", wrong.why);
    }
    if (st == JR_OK)
        st = jr_schema_type_error(schema, c->object, c->profile->minor, arena, &wrong);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "can't look at its types");
    return wrong.why == NULL ? run(&j) : refuse(&j, wrong.why, wrong.path);
}
