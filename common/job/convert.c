#include "common/job/convert.h"

#include <stdio.h>

#include "common/rules/each.h"
#include "common/schema/schema.h"

#define V1 "batch/v1"
#define EXTENSIONS "extensions/v1beta1"

/* Where autoSelector means something. */
enum selection {
    SELECTION_SAME,     /* nowhere: manualSelector, as in v1 */
    SELECTION_OLD,      /* autoSelector, and what its absence meant */
    SELECTION_IF_GIVEN, /* no server ever took it: what the author meant, where it is set */
};

/** Kinds of old versions, and what became of them. */
static const struct old_kind {
    const char *api_version, *kind;
    const char *now; /* NULL: nothing */
    enum selection selection;
} old_kinds[] = {
    { EXTENSIONS, "Job", "Job", SELECTION_OLD },
    { "batch/v1beta1", "Job", "Job", SELECTION_IF_GIVEN },
    { "batch/v1beta1", "CronJob", "CronJob", SELECTION_SAME },
    { "batch/v2alpha1", "Job", "Job", SELECTION_IF_GIVEN },
    { "batch/v2alpha1", "CronJob", "CronJob", SELECTION_SAME },
    { "batch/v2alpha1", "ScheduledJob", "CronJob", SELECTION_SAME },
    { "batch/v1beta1", "JobTemplate", NULL, SELECTION_SAME },
    { "batch/v2alpha1", "JobTemplate", NULL, SELECTION_SAME },
};

static const struct old_kind *find_kind(struct jr_str api_version, struct jr_str kind)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(old_kinds); i++) {
        if (jr_str_is(api_version, old_kinds[i].api_version) && jr_str_is(kind, old_kinds[i].kind))
            return &old_kinds[i];
    }
    return NULL;
}

/* ---- selection ---- */

struct jr_opt_bool jr_convert_selection(struct jr_opt_bool in)
{
    return jr_bool_or(in, false) ? (struct jr_opt_bool){ .set = false } : JR_BOOL(true);
}

static enum jr_status get_bool(const struct jr_node *spec, const char *name, const char *path,
                               struct jr_opt_bool *ret, struct jr_error *err)
{
    const struct jr_node *node = jr_get(spec, name);
    enum jr_kind kind = jr_node_kind(node);

    *ret = (struct jr_opt_bool){ .set = false };
    if (jr_unset(node))
        return JR_OK;
    if (kind != JR_TRUE && kind != JR_FALSE)
        return jr_fail(err, JR_TYPE, path, "expected true or false");
    *ret = JR_BOOL(kind == JR_TRUE);
    return JR_OK;
}

/** The member as an object; *ret is NULL where it is unset. */
static enum jr_status get_object(const struct jr_node *parent, const char *name, const char *path,
                                 struct jr_node **ret, struct jr_error *err)
{
    struct jr_node *node = jr_get(parent, name);

    *ret = jr_unset(node) ? NULL : node;
    if (*ret != NULL && jr_node_kind(node) != JR_OBJECT)
        return jr_fail(err, JR_TYPE, path, "expected an object");
    return JR_OK;
}

/** What a Job selects by; read whole before anything is changed. */
struct selecting {
    struct jr_opt_bool automatic;
    struct jr_opt_bool manual;
    struct jr_node *spec, *selector, *labels; /* NULL: unset */
};

static enum jr_status read_selecting(const struct jr_node *job, struct selecting *s,
                                     struct jr_error *err)
{
    struct jr_node *template = NULL, *meta = NULL;
    enum jr_status st = get_object(job, "spec", "spec", &s->spec, err);

    if (st == JR_OK)
        st = get_bool(s->spec, "autoSelector", "spec.autoSelector", &s->automatic, err);
    if (st == JR_OK)
        st = get_bool(s->spec, "manualSelector", "spec.manualSelector", &s->manual, err);
    if (st == JR_OK)
        st = get_object(s->spec, "selector", "spec.selector", &s->selector, err);
    if (st == JR_OK)
        st = get_object(s->spec, "template", "spec.template", &template, err);
    if (st == JR_OK)
        st = get_object(template, "metadata", "spec.template.metadata", &meta, err);
    if (st == JR_OK)
        st = get_object(meta, "labels", "spec.template.metadata.labels", &s->labels, err);
    return st;
}

/** The old default of a selector: extensions/v1beta1 took the template's labels. */
static enum jr_status default_selector(const struct selecting *s, struct jr_error *err)
{
    struct jr_node *selector;
    enum jr_status st;

    if (s->selector != NULL)
        return JR_OK;
    if (s->spec == NULL || jr_size(s->labels) == 0)
        return jr_fail(err, JR_NOTFOUND, "spec.selector",
                       "expected a selector, or labels of the template to select by, since "
                       "autoSelector is not true");
    st = jr_set_object(s->spec, "selector", &selector);
    if (st == JR_OK)
        st = jr_set_copy(selector, JR_S("matchLabels"), s->labels, NULL);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "selector");
}

static enum jr_status convert_selection(struct jr_node *job, enum selection how,
                                        struct jr_error *err)
{
    struct selecting s = { .spec = NULL };
    struct jr_opt_bool manual;
    enum jr_status st = how == SELECTION_SAME ? JR_OK : read_selecting(job, &s, err);

    if (st != JR_OK || how == SELECTION_SAME || (how == SELECTION_IF_GIVEN && !s.automatic.set))
        return st;
    manual = jr_convert_selection(s.automatic);
    if (s.manual.set && s.manual.v != jr_bool_or(manual, false))
        return jr_fail(err, JR_INVALID, "spec.manualSelector",
                       "contradicts autoSelector, which is %s and goes first in this version: "
                       "expected one of them only",
                       !s.automatic.set ? "unset"
                       : s.automatic.v  ? "true"
                                        : "false");
    if (manual.set)
        st = default_selector(&s, err);
    if (st != JR_OK)
        return st;
    jr_remove(s.spec, JR_S("autoSelector"), NULL);
    if (manual.set)
        st = jr_set_bool(s.spec, "manualSelector", manual.v);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "Job");
}

/* ---- objects ---- */

/** Items of a list may lack both. */
static enum jr_status rename_kind(struct jr_node *object, const char *now, bool list)
{
    char kind[32];
    enum jr_status st = JR_OK;

    if (jr_get(object, "apiVersion") != NULL)
        st = jr_set_str(object, "apiVersion", JR_S(V1));
    if (st != JR_OK || jr_get(object, "kind") == NULL)
        return st;
    (void)snprintf(kind, sizeof(kind), "%s%s", now, list ? "List" : "");
    return jr_set_str(object, "kind", jr_str(kind));
}

enum jr_status jr_convert_to_v1(struct jr_node *object, struct jr_str api_version,
                                struct jr_str kind, bool *ret, struct jr_error *err)
{
    const struct old_kind *old = find_kind(api_version, kind);
    bool list = false;
    enum jr_status st = JR_OK;

    if (old == NULL && jr_str_ends(kind, JR_S("List"))) {
        old = find_kind(api_version, jr_str_head(kind, kind.n - strlen("List")));
        list = true;
    }
    if (old == NULL) {
        *ret = false;
        return JR_OK;
    }
    if (old->now == NULL)
        return jr_fail(err, JR_UNSUPPORTED, "kind", V1 " has no %s", old->kind);
    if (!list)
        st = convert_selection(object, old->selection, err);
    if (st != JR_OK)
        return st;
    st = rename_kind(object, old->now, list);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "%s", old->kind);
    *ret = true;
    return JR_OK;
}

enum jr_status jr_convert_job_to_v1beta1(struct jr_node *job, struct jr_error *err)
{
    struct selecting s = { .spec = NULL };
    struct jr_opt_bool automatic;
    enum jr_status st = read_selecting(job, &s, err);

    if (st != JR_OK)
        return st;
    if (s.automatic.set)
        return jr_fail(err, JR_INVALID, "spec.autoSelector", "no member of " V1);
    automatic = jr_convert_selection(s.manual);
    jr_remove(s.spec, JR_S("manualSelector"), NULL);
    if (automatic.set && s.spec == NULL)
        st = jr_set_object(job, "spec", &s.spec);
    if (st == JR_OK && automatic.set)
        st = jr_set_bool(s.spec, "autoSelector", automatic.v);
    if (st == JR_OK)
        st = jr_set_str(job, "apiVersion", JR_S(EXTENSIONS));
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "Job");
}

/* ---- what batch/v1 knows ---- */

static void unknown_in(const struct jr_node *object, const struct jr_schema_type *type,
                       const char *prefix, void (*fn)(void *ctx, const char *path), void *ctx)
{
    char path[256];

    if (jr_node_kind(object) != JR_OBJECT)
        return;
    JR_EACH(m, object) {
        struct jr_str key = jr_key(m);

        if (jr_schema_find(type, key, NULL) != NULL)
            continue;
        (void)snprintf(path, sizeof(path), "%s%.*s", prefix, JR_P(key));
        fn(ctx, path);
    }
}

void jr_convert_unknown(const struct jr_node *object, struct jr_str kind,
                        void (*fn)(void *ctx, const char *path), void *ctx)
{
    const struct jr_node *spec = jr_get(object, "spec");
    const struct jr_node *template = jr_get(spec, "jobTemplate");

    unknown_in(object, &jr_schema_job, "", fn, ctx); /* a CronJob's members have the same names */
    if (jr_str_is(kind, "Job")) {
        unknown_in(spec, &jr_schema_job_spec, "spec.", fn, ctx);
        return;
    }
    unknown_in(spec, &jr_schema_cron_job_spec, "spec.", fn, ctx);
    unknown_in(template, &jr_schema_job_template_spec, "spec.jobTemplate.", fn, ctx);
    unknown_in(jr_get(template, "spec"), &jr_schema_job_spec, "spec.jobTemplate.spec.", fn, ctx);
}
