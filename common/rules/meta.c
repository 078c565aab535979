/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of metadata. */
#include "common/rules/meta.h"

#include "common/base/string_set.h"
#include "common/json/write.h"
#include "common/rules/check.h"

/* ---- names ---- */

static void check_generate_name(const struct jr_meta *meta, const struct jr_field_path *path,
                                struct jr_errlist *errs)
{
    const struct jr_str name = meta->generate_name;
    const struct jr_name_errors faults = jr_name_prefix(name, errs);

    if (name.n > 0)
        jr_rule_faults(errs, JR_RULE_META_GENERATE_NAME, &JR_FIELD(path, "generateName"), name,
                       &faults);
}

static void check_namespace(const struct jr_meta *meta, const struct jr_field_path *meta_path,
                            struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(meta_path, "namespace");

    if (meta->namespace.n == 0)
        jr_violation(errs, JR_RULE_META_NAMESPACE_REQUIRED, &path);
    else
        jr_validate_name(errs, JR_RULE_META_NAMESPACE, &path, meta->namespace, jr_name_dns_label);
}

static void check_names(const struct jr_meta *meta, const struct jr_field_path *path,
                        struct jr_errlist *errs)
{
    const struct jr_field_path name_path = JR_FIELD(path, "name");

    check_generate_name(meta, path, errs);
    if (meta->name.n == 0)
        jr_violation(errs, JR_RULE_META_NAME_REQUIRED, &name_path);
    else
        jr_validate_name(errs, JR_RULE_META_NAME, &name_path, meta->name, jr_name_subdomain);
    check_namespace(meta, path, errs);
}

/** As part of a URL's path, which is all that the API server asks of names by itself. */
static void check_segments(const struct jr_meta *meta, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    const struct jr_field_path generate_path = JR_FIELD(path, "generateName");
    const struct jr_field_path name_path = JR_FIELD(path, "name");
    const struct jr_name_errors name = jr_name_segment(meta->name);

    jr_validate_name(errs, JR_RULE_META_GENERATE_NAME, &generate_path, meta->generate_name,
                     jr_name_segment_prefix);
    if (meta->name.n == 0)
        jr_violation(errs, JR_RULE_META_NAME_REQUIRED, &name_path);
    else
        jr_rule_faults(errs, JR_RULE_META_NAME, &name_path, meta->name, &name);
    check_namespace(meta, path, errs);
}

/* ---- ownerReferences ---- */

/** The version in "group/version" or "version"; "" where there is none. */
static struct jr_str api_version_version(struct jr_str s)
{
    ptrdiff_t slash = jr_str_find(s, '/');
    struct jr_str version = slash < 0 ? s : jr_str_from(s, (size_t)slash + 1);

    return jr_str_find(version, '/') >= 0 ? JR_S("") : version;
}

#define OWNERS_SHOWN 100

static void write_owner(const struct jr_owner_ref *o, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "apiVersion", o->api_version);
    jr_w_kstr(w, "kind", o->kind);
    jr_w_kstr(w, "name", o->name);
    jr_w_kstr(w, "uid", o->uid);
    if (o->controller.set)
        jr_w_kbool(w, "controller", o->controller.v);
    if (o->block_owner_deletion.set)
        jr_w_kbool(w, "blockOwnerDeletion", o->block_owner_deletion.v);
    jr_w_object_end(w);
}

/** References as Go's encoder writes them: a list, or one. Of a long list the first: each error
 * shows it again. */
static struct jr_str shown_owners(const struct jr_owner_ref *v, size_t n, bool list,
                                  struct jr_errlist *errs)
{
    struct jr_str text = JR_NO_VALUE;
    JR_BUF b = { 0 };
    struct jr_writer w;

    jr_buf_init(&b, JR_BUF_BY_INPUT);
    w = jr_writer_on(&b);
    if (list)
        jr_w_array(&w);
    for (size_t i = 0; i < n && i < OWNERS_SHOWN; i++)
        write_owner(&v[i], &w);
    if (list)
        jr_w_array_end(&w);
    if (b.failed != JR_OK || !jr_arena_str(errs->arena, jr_buf_str(&b), &text))
        errs->failed = JR_NOMEM;
    return text;
}

static void check_owner(const struct jr_owner_ref *o, const struct jr_field_path *path,
                        struct jr_errlist *errs)
{
    if (o->api_version.n == 0)
        jr_violation_text(errs, JR_RULE_META_OWNER_VERSION_EMPTY, &JR_FIELD(path, "apiVersion"),
                          o->api_version);
    else if (api_version_version(o->api_version).n == 0)
        jr_violation_text(errs, JR_RULE_META_OWNER_VERSION, &JR_FIELD(path, "apiVersion"),
                          o->api_version);
    if (o->kind.n == 0)
        jr_rule_violated(errs, JR_RULE_META_OWNER_KIND, &JR_FIELD(path, "kind"), JR_S("\"\""));
    if (o->name.n == 0)
        jr_rule_violated(errs, JR_RULE_META_OWNER_NAME, &JR_FIELD(path, "name"), JR_S("\"\""));
    if (o->uid.n == 0)
        jr_rule_violated(errs, JR_RULE_META_OWNER_UID, &JR_FIELD(path, "uid"), JR_S("\"\""));
    if (jr_str_is(o->api_version, "v1") && jr_str_is(o->kind, "Event"))
        jr_rule_violated(errs, JR_RULE_META_OWNER_BANNED, path, shown_owners(o, 1, false, errs));
}

static void check_owners(const struct jr_owner_refs *owners, const struct jr_field_path *meta,
                         struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(meta, "ownerReferences");
    const struct jr_owner_ref *first = NULL;

    for (size_t i = 0; i < owners->n && jr_errlist_going(errs); i++) {
        const struct jr_owner_ref *o = &owners->v[i];

        /* upstream leaves the index out, up to 1.36 */
        check_owner(o,
                    jr_kube_has(errs->version, JR_CHANGE_OWNER_INDEX_SHOWN)
                        ? &JR_FIELD_AT(&path, i)
                        : &JR_FIELD_HIDDEN_AT(&path, i),
                    errs);
        if (!jr_bool_or(o->controller, false))
            continue;
        if (first != NULL)
            jr_rule_violatedf(
                errs, JR_RULE_META_OWNER_CONTROLLERS, &path,
                shown_owners(owners->v, owners->n, true, errs),
                "Only one reference can have Controller set to true. Found \"true\" in "
                "references for %.*s/%.*s and %.*s/%.*s",
                JR_P(first->kind), JR_P(first->name), JR_P(o->kind), JR_P(o->name));
        else
            first = o;
    }
}

/* ---- finalizers ---- */

static void check_finalizers(const struct jr_strs *finalizers, const struct jr_field_path *meta,
                             struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(meta, "finalizers");

    for (size_t i = 0; i < finalizers->n && jr_errlist_going(errs); i++) {
        jr_validate_name(errs, JR_RULE_META_FINALIZER, &JR_FIELD_HIDDEN_AT(&path, i),
                         finalizers->v[i], jr_name_key);
    }
    if (jr_strs_has(finalizers, JR_S("orphan")) &&
        jr_strs_has(finalizers, JR_S("foregroundDeletion")))
        jr_rule_violated(errs, JR_RULE_META_FINALIZER_CLASH, &path,
                         JR_S("[\"orphan\",\"foregroundDeletion\"]"));
}

static void check_standard_finalizers(const struct jr_strs *finalizers,
                                      const struct jr_field_path *meta, struct jr_errlist *errs)
{
    static const char *const standard[] = { "kubernetes", "orphan", "foregroundDeletion" };
    const struct jr_field_path path = JR_FIELD(meta, "finalizers");

    for (size_t i = 0; i < finalizers->n && jr_errlist_going(errs); i++) {
        bool known = jr_str_find(finalizers->v[i], '/') >= 0;

        for (size_t k = 0; k < JR_ARRAY_SIZE(standard); k++)
            known = known || jr_str_is(finalizers->v[i], standard[k]);
        if (!known)
            jr_violation_text(errs, JR_RULE_META_FINALIZER_STANDARD, &JR_FIELD_AT(&path, i),
                              finalizers->v[i]);
    }
}

/* ---- create ---- */

/** All but the names. */
static void check_rest(const struct jr_meta *meta, const struct jr_field_path *path,
                       struct jr_errlist *errs)
{
    if (meta->generation < 0)
        jr_violation_int(errs, JR_RULE_META_GENERATION, &JR_FIELD(path, "generation"),
                         meta->generation);
    jr_validate_labels(&meta->labels, &JR_FIELD(path, "labels"), JR_RULE_META_LABEL_KEY,
                       JR_RULE_META_LABEL_VALUE, errs);
    jr_validate_annotations(&meta->annotations, &JR_FIELD(path, "annotations"),
                            JR_RULE_META_ANNOTATION_KEY, JR_RULE_META_ANNOTATIONS_SIZE, errs);
    check_owners(&meta->owner_refs, path, errs);
    check_finalizers(&meta->finalizers, path, errs);
}

void jr_validate_meta(const struct jr_meta *meta, struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(NULL, "metadata");

    check_names(meta, &path, errs);
    check_rest(meta, &path, errs);
    check_standard_finalizers(&meta->finalizers, &path, errs);
}

/* ---- update ---- */

/** On an object that is being deleted, no finalizer may be added. */
static void check_new_finalizers(const struct jr_meta *meta, const struct jr_meta *old,
                                 const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_str *extra = jr_arena_calloc(errs->arena, meta->finalizers.n, sizeof(*extra));
    struct jr_string_set had = JR_STRING_SET(errs);
    JR_BUF list = jr_errlist_words(errs);
    size_t n = 0, shown = 0;

    for (size_t i = 0; i < old->finalizers.n; i++)
        (void)jr_string_set_add(&had, old->finalizers.v[i]);
    if (extra == NULL) {
        errs->failed = JR_NOMEM;
        return;
    }
    for (size_t i = 0; i < meta->finalizers.n; i++) {
        if (!jr_string_set_has(&had, meta->finalizers.v[i]))
            extra[n++] = meta->finalizers.v[i];
    }
    if (n == 0)
        return;
    qsort(extra, n, sizeof(*extra), jr_str_order);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && jr_str_eq(extra[i], extra[i - 1]))
            continue;
        (void)jr_buf_adds(&list, shown++ > 0 ? ", " : "");
        if (jr_field_quote(extra[i], &list) != JR_OK)
            break;
    }
    if (list.failed != JR_OK) {
        errs->failed = list.failed;
        return;
    }
    jr_rule_violatedf(errs, JR_RULE_META_NEW_FINALIZER, &JR_FIELD(path, "finalizers"), JR_NO_VALUE,
                      "no new finalizers can be added if the object is being deleted, found new "
                      "finalizers []string{%.*s}",
                      JR_P(jr_buf_str(&list)));
}

static void check_names_kept(const struct jr_meta *meta, const struct jr_meta *old,
                             const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (!jr_str_eq(meta->name, old->name))
        jr_violation_text(errs, JR_RULE_META_NAME_IMMUTABLE, &JR_FIELD(path, "name"), meta->name);
    if (!jr_str_eq(meta->namespace, old->namespace))
        jr_violation_text(errs, JR_RULE_META_NAMESPACE_IMMUTABLE, &JR_FIELD(path, "namespace"),
                          meta->namespace);
}

/** shown: with the new value, which declarative rules don't show. */
static void check_identity_kept(const struct jr_meta *meta, const struct jr_meta *old, bool shown,
                                const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct {
        const char *name;
        enum jr_rule rule;
        struct jr_time now;
        struct jr_time was;
    } times[] = {
        { "creationTimestamp", JR_RULE_META_CREATION_IMMUTABLE, meta->creation_timestamp,
          old->creation_timestamp },
        { "deletionTimestamp", JR_RULE_META_DELETION_IMMUTABLE, meta->deletion_timestamp,
          old->deletion_timestamp },
    };
    const struct jr_opt_i64 now = meta->deletion_grace_period_s;
    const struct jr_opt_i64 was = old->deletion_grace_period_s;

    if (!jr_str_eq(meta->uid, old->uid))
        jr_rule_violated(errs, JR_RULE_META_UID_IMMUTABLE, &JR_FIELD(path, "uid"),
                         shown ? jr_errlist_quote(errs, meta->uid) : JR_S("null"));
    for (size_t i = 0; i < JR_ARRAY_SIZE(times); i++) {
        if (jr_time_cmp(times[i].now, times[i].was) != 0)
            jr_rule_violated(errs, times[i].rule, &JR_FIELD(path, times[i].name),
                             shown ? jr_rule_time(errs, times[i].now) : JR_S("null"));
    }
    if (now.set != was.set || (now.set && now.v != was.v))
        jr_rule_violated(errs, JR_RULE_META_GRACE_IMMUTABLE,
                         &JR_FIELD(path, "deletionGracePeriodSeconds"),
                         now.set && shown ? jr_errlist_int(errs, now.v) : JR_S("null"));
}

static void check_generation(const struct jr_meta *meta, const struct jr_meta *old,
                             const struct jr_field_path *path, struct jr_errlist *errs)
{
    const bool cleared = meta->generation == 0 && old->generation != 0 &&
                         jr_rule_exists(JR_RULE_META_GENERATION_CLEARED, errs->version);

    if (cleared || meta->generation < old->generation)
        jr_violation_int(errs,
                         cleared ? JR_RULE_META_GENERATION_CLEARED : JR_RULE_META_GENERATION_LOWER,
                         &JR_FIELD(path, "generation"), meta->generation);
}

static void check_update(const struct jr_meta *meta, const struct jr_meta *old,
                         const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (jr_time_set(old->deletion_timestamp))
        check_new_finalizers(meta, old, path, errs);
    if (meta->resource_version.n == 0)
        jr_rule_violated(errs, JR_RULE_META_RESOURCE_VERSION, &JR_FIELD(path, "resourceVersion"),
                         JR_S("\"\""));
    check_generation(meta, old, path, errs);
    check_names_kept(meta, old, path, errs);
    check_identity_kept(meta, old, true, path, errs);
    jr_validate_labels(&meta->labels, &JR_FIELD(path, "labels"), JR_RULE_META_LABEL_KEY,
                       JR_RULE_META_LABEL_VALUE, errs);
    jr_validate_annotations(&meta->annotations, &JR_FIELD(path, "annotations"),
                            JR_RULE_META_ANNOTATION_KEY, JR_RULE_META_ANNOTATIONS_SIZE, errs);
    check_owners(&meta->owner_refs, path, errs);
}

void jr_validate_meta_update(const struct jr_meta *meta, const struct jr_meta *old,
                             struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(NULL, "metadata");

    check_update(meta, old, &path, errs);
    check_standard_finalizers(&meta->finalizers, &path, errs);
}

void jr_validate_meta_any_update(const struct jr_meta *meta, const struct jr_meta *old,
                                 struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(NULL, "metadata");

    check_segments(meta, &path, errs);
    check_rest(meta, &path, errs);
    check_update(meta, old, &path, errs);
}

/* ---- declarative rules ---- */

static void require_names(const struct jr_owner_ref *o, const struct jr_field_path *path,
                          struct jr_errlist *errs)
{
    const struct {
        struct jr_str text;
        const char *name;
        enum jr_rule rule;
    } rows[] = {
        { o->api_version, "apiVersion", JR_RULE_META_OWNER_VERSION_EMPTY },
        { o->kind, "kind", JR_RULE_META_OWNER_KIND },
        { o->name, "name", JR_RULE_META_OWNER_NAME },
        { o->uid, "uid", JR_RULE_META_OWNER_UID },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (rows[i].text.n == 0)
            jr_rule_violated_text(errs, rows[i].rule, &JR_FIELD(path, rows[i].name), JR_NO_VALUE,
                                  JR_S(""));
    }
}

void jr_validate_meta_declared(const struct jr_meta *meta, const struct jr_meta *old,
                               bool same_owners, struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(NULL, "metadata");
    const struct jr_field_path owners = JR_FIELD(&path, "ownerReferences");

    if (meta->generation < 0 && (old == NULL || meta->generation != old->generation))
        jr_violation_int(errs, JR_RULE_META_GENERATION, &JR_FIELD(&path, "generation"),
                         meta->generation);
    if (old != NULL)
        check_identity_kept(meta, old, false, &path, errs);
    for (size_t i = 0; i < meta->owner_refs.n && !same_owners && jr_errlist_going(errs); i++)
        require_names(&meta->owner_refs.v[i], &JR_FIELD_AT(&owners, i), errs);
}
