/* SPDX-License-Identifier: Apache-2.0 */
/* Converts Jobs and CronJobs of old API versions. */
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

/* ---- paths ---- */

#define SEGMENT(parent_, name_)                                   \
    {                                                             \
        .parent = (parent_), .name = { name_, sizeof(name_) - 1 } \
    }

static const struct jr_field_path kind_path = SEGMENT(NULL, "kind");
static const struct jr_field_path spec_path = SEGMENT(NULL, "spec");
static const struct jr_field_path auto_path = SEGMENT(&spec_path, "autoSelector");
static const struct jr_field_path manual_path = SEGMENT(&spec_path, "manualSelector");
static const struct jr_field_path selector_path = SEGMENT(&spec_path, "selector");
static const struct jr_field_path template_path = SEGMENT(&spec_path, "template");
static const struct jr_field_path meta_path = SEGMENT(&template_path, "metadata");
static const struct jr_field_path labels_path = SEGMENT(&meta_path, "labels");

/** Where and how a conversion fails. */
struct failure {
    const struct jr_field_path **at; /* may be NULL */
    struct jr_error *err;
};

static enum jr_status fail_at(const struct failure *f, enum jr_status st,
                              const struct jr_field_path *at, const char *why)
{
    JR_BUF path = { 0 };

    jr_buf_init(&path, JR_FIELD_PATH_BYTES);
    if (jr_field_path_write(at, &path) != JR_OK)
        return jr_fail(f->err, JR_NOMEM, NULL, "path");
    if (f->at != NULL)
        *f->at = at;
    return jr_fail(f->err, st, path.p, "%s", why);
}

/* ---- selection ---- */

struct jr_opt_bool jr_convert_selection(struct jr_opt_bool in)
{
    return jr_bool_or(in, false) ? (struct jr_opt_bool){ .set = false } : JR_BOOL(true);
}

static enum jr_status get_bool(const struct jr_node *job, const struct jr_field_path *path,
                               struct jr_opt_bool *ret, const struct failure *f)
{
    const struct jr_node *node = jr_field_find(job, path);
    enum jr_kind kind = jr_node_kind(node);

    *ret = (struct jr_opt_bool){ .set = false };
    if (jr_unset(node))
        return JR_OK;
    if (kind != JR_TRUE && kind != JR_FALSE)
        return fail_at(f, JR_TYPE, path, "expected true or false");
    *ret = JR_BOOL(kind == JR_TRUE);
    return JR_OK;
}

/** The member as an object; *ret is NULL where it is unset. */
static enum jr_status get_object(const struct jr_node *job, const struct jr_field_path *path,
                                 struct jr_node **ret, const struct failure *f)
{
    struct jr_node *node = jr_field_find(job, path);

    *ret = jr_unset(node) ? NULL : node;
    if (*ret != NULL && jr_node_kind(node) != JR_OBJECT)
        return fail_at(f, JR_TYPE, path, "expected an object");
    return JR_OK;
}

/** What a Job selects by; read whole before anything is changed. */
struct selecting {
    struct jr_opt_bool automatic;
    struct jr_opt_bool manual;
    struct jr_node *spec, *selector, *labels; /* NULL: unset */
};

static enum jr_status read_selecting(const struct jr_node *job, struct selecting *s,
                                     const struct failure *f)
{
    struct jr_node *passed;
    enum jr_status st = get_object(job, &spec_path, &s->spec, f);

    if (st == JR_OK)
        st = get_bool(job, &auto_path, &s->automatic, f);
    if (st == JR_OK)
        st = get_bool(job, &manual_path, &s->manual, f);
    if (st == JR_OK)
        st = get_object(job, &selector_path, &s->selector, f);
    if (st == JR_OK)
        st = get_object(job, &template_path, &passed, f);
    if (st == JR_OK)
        st = get_object(job, &meta_path, &passed, f);
    return st == JR_OK ? get_object(job, &labels_path, &s->labels, f) : st;
}

/** The old default of a selector: extensions/v1beta1 took the template's labels. */
static enum jr_status default_selector(const struct selecting *s, const struct failure *f)
{
    struct jr_node *selector;
    enum jr_status st;

    if (s->selector != NULL)
        return JR_OK;
    if (s->spec == NULL || jr_size(s->labels) == 0)
        return fail_at(f, JR_NOTFOUND, &selector_path,
                       "expected a selector, or labels of the template to select by, since "
                       "autoSelector is not true");
    st = jr_set_object(s->spec, "selector", &selector);
    if (st == JR_OK)
        st = jr_set_copy(selector, JR_S("matchLabels"), s->labels, NULL);
    return st == JR_OK ? JR_OK : jr_fail(f->err, st, NULL, "selector");
}

#define CONTRADICTS(state)                                                                   \
    "contradicts autoSelector, which is " state " and goes first in this version: expected " \
    "one of them only"

static enum jr_status convert_selection(struct jr_node *job, enum selection how,
                                        const struct failure *f)
{
    struct selecting s = { .spec = NULL };
    struct jr_opt_bool manual;
    enum jr_status st = how == SELECTION_SAME ? JR_OK : read_selecting(job, &s, f);

    if (st != JR_OK || how == SELECTION_SAME || (how == SELECTION_IF_GIVEN && !s.automatic.set))
        return st;
    manual = jr_convert_selection(s.automatic);
    if (s.manual.set && s.manual.v != jr_bool_or(manual, false))
        return fail_at(f, JR_INVALID, &manual_path,
                       !s.automatic.set ? CONTRADICTS("unset")
                       : s.automatic.v  ? CONTRADICTS("true")
                                        : CONTRADICTS("false"));
    if (manual.set)
        st = default_selector(&s, f);
    if (st != JR_OK)
        return st;
    jr_remove(s.spec, JR_S("autoSelector"), NULL);
    if (manual.set)
        st = jr_set_bool(s.spec, "manualSelector", manual.v);
    return st == JR_OK ? JR_OK : jr_fail(f->err, st, NULL, "Job");
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
                                struct jr_str kind, bool *ret, const struct jr_field_path **ret_at,
                                struct jr_error *err)
{
    const struct failure f = { ret_at, err };
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
        return fail_at(&f, JR_UNSUPPORTED, &kind_path, V1 " has no JobTemplate");
    if (!list)
        st = convert_selection(object, old->selection, &f);
    if (st != JR_OK)
        return st;
    st = rename_kind(object, old->now, list);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "%s", old->kind);
    *ret = true;
    return JR_OK;
}

/* ---- what batch/v1 knows ---- */

/** Who is told of unknown members. */
struct receiver {
    void (*fn)(void *ctx, const struct jr_field_path *path);
    void *ctx;
};

static void unknown_in(const struct jr_node *object, const struct jr_schema_type *type,
                       const struct jr_field_path *path, const struct receiver *to)
{
    if (jr_node_kind(object) != JR_OBJECT)
        return;
    JR_EACH(m, object) {
        const struct jr_field_path at = { .parent = path, .name = jr_key(m) };

        if (jr_schema_find(type, jr_key(m), NULL) == NULL)
            to->fn(to->ctx, &at);
    }
}

void jr_convert_unknown(const struct jr_node *object, struct jr_str kind,
                        void (*fn)(void *ctx, const struct jr_field_path *path), void *ctx)
{
    const struct jr_node *spec = jr_get(object, "spec");
    const struct jr_node *template = jr_get(spec, "jobTemplate");
    const struct jr_field_path job_path = JR_FIELD(&spec_path, "jobTemplate");
    const struct receiver to = { fn, ctx };

    unknown_in(object, &jr_schema_job, NULL, &to); /* a CronJob's members have the same names */
    if (jr_str_is(kind, "Job")) {
        unknown_in(spec, &jr_schema_job_spec, &spec_path, &to);
        return;
    }
    unknown_in(spec, &jr_schema_cron_job_spec, &spec_path, &to);
    unknown_in(template, &jr_schema_job_template_spec, &job_path, &to);
    unknown_in(jr_get(template, "spec"), &jr_schema_job_spec, &JR_FIELD(&job_path, "spec"), &to);
}
