/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of the annotations that have a meaning to the API server. */
#include "common/pod/annotations.h"

#include "common/json/members.h"
#include "common/pod/pod_parts.h"
#include "common/pod/walk.h"

/* ---- annotations by themselves ---- */

/** An integer of 32 bits, without '+' and without zeros in front of a positive one. */
static bool is_cost(struct jr_str s)
{
    int64_t v;

    if (s.n == 0 || s.p[0] == '+' || (s.p[0] == '0' && s.n > 1))
        return false;
    return jr_parse_go_int(s, &v) == JR_OK && v >= INT32_MIN && v <= INT32_MAX;
}

bool jr_pod_deletion_cost_ok(const struct jr_node *annotations)
{
    const struct jr_node *cost = jr_get(annotations, JR_DELETION_COST_ANNOTATION);

    return cost == NULL || is_cost(jr_node_str(cost));
}

static void check_seccomp(struct jr_str value, const struct jr_field_path *path,
                          struct jr_errlist *errs)
{
    static const char *const known[] = { JR_PROFILE_DEFAULT, JR_PROFILE_DOCKER,
                                         JR_PROFILE_UNCONFINED, NULL };
    const struct jr_str file = jr_str_from(value, sizeof(JR_PROFILE_LOCAL) - 1);

    if (jr_one_of(value, known))
        return;
    if (jr_str_starts(value, JR_S(JR_PROFILE_LOCAL)))
        jr_validate_name(errs, JR_RULE_SECCOMP_PROFILE_PATH, path, file, jr_name_descending_path);
    else
        jr_violation_text(errs, JR_RULE_SECCOMP_ANNOTATION, path, value);
}

static void check_seccomps(const struct jr_node *annotations, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    const struct jr_node *of_pod = jr_get(annotations, JR_SECCOMP_ANNOTATION);

    if (of_pod != NULL)
        check_seccomp(jr_node_str(of_pod), &JR_FIELD(path, JR_SECCOMP_ANNOTATION), errs);
    JR_EACH_GOING(a, annotations, errs) {
        if (jr_str_starts(jr_key(a), JR_S(JR_SECCOMP_CONTAINER)))
            check_seccomp(jr_node_str(a), &JR_FIELD(path, jr_key(a).p), errs);
    }
}

static void check_app_armor(struct jr_str value, const struct jr_field_path *path,
                            struct jr_errlist *errs)
{
    static const char *const known[] = { "", JR_PROFILE_DEFAULT, JR_PROFILE_UNCONFINED, NULL };
    const struct jr_str quoted = jr_errlist_quote(errs, value);

    if (!jr_one_of(value, known) && !jr_str_starts(value, JR_S(JR_PROFILE_LOCAL)))
        jr_rule_violatedf(errs, JR_RULE_APP_ARMOR_ANNOTATION, path, quoted,
                          "invalid AppArmor profile name: %.*s", JR_P(quoted));
}

static void check_app_armors(struct jr_pod_check *p, const struct jr_node *annotations,
                             const struct jr_field_path *path)
{
    const size_t prefix = sizeof(JR_APP_ARMOR_CONTAINER) - 1;
    struct jr_string_set names = JR_STRING_SET(p->errs);
    struct jr_container_walk w = { .pod = p->spec };

    while (jr_container_next(&w))
        (void)jr_string_set_add(&names, jr_get_str(w.container, "name"));
    JR_EACH_GOING(a, annotations, p->errs) {
        const struct jr_field_path at = JR_FIELD_KEY(path, jr_key(a));
        const struct jr_str name = jr_str_from(jr_key(a), prefix);

        if (!jr_str_starts(jr_key(a), JR_S(JR_APP_ARMOR_CONTAINER)))
            continue;
        if (!jr_string_set_has(&names, name))
            jr_violation_text(p->errs, JR_RULE_APP_ARMOR_ANNOTATION_CONTAINER, &at, name);
        check_app_armor(jr_node_str(a), &at, p->errs);
    }
}

void jr_pod_check_annotations(struct jr_pod_check *p, const struct jr_node *annotations,
                              const struct jr_field_path *path)
{
    const struct jr_node *mirror = jr_get(annotations, JR_MIRROR_ANNOTATION);
    const struct jr_str tolerations = jr_get_str(annotations, JR_TOLERATIONS_ANNOTATION);

    if (mirror != NULL && jr_get_str(p->spec, "nodeName").n == 0)
        jr_violation_text(p->errs, JR_RULE_MIRROR_NODE,
                          &JR_FIELD_KEY(path, JR_S(JR_MIRROR_ANNOTATION)), jr_node_str(mirror));
    if (tolerations.n > 0)
        jr_pod_check_old_tolerations(p, tolerations, path);
    if (!p->opts->any_deletion_cost && !jr_pod_deletion_cost_ok(annotations))
        jr_violation_text(p->errs, JR_RULE_DELETION_COST,
                          &JR_FIELD_KEY(path, JR_S(JR_DELETION_COST_ANNOTATION)),
                          jr_get_str(annotations, JR_DELETION_COST_ANNOTATION));
    check_seccomps(annotations, path, p->errs);
    check_app_armors(p, annotations, path);
}

/* ---- annotations beside fields of the same meaning ---- */

/** A kind of profile. */
struct kind {
    const char *field;
    const char *pod;         /* annotation of the Pod, NULL if there is none */
    const char *container;   /* annotation of a container, without its name */
    const char *fallback[2]; /* values for RuntimeDefault */
    enum jr_rule type_rule;
    enum jr_rule profile_rule;
};

static const struct kind seccomp = {
    .field = "seccompProfile",
    .pod = JR_SECCOMP_ANNOTATION,
    .container = JR_SECCOMP_CONTAINER,
    .fallback = { JR_PROFILE_DEFAULT, JR_PROFILE_DOCKER },
    .type_rule = JR_RULE_SECCOMP_TYPE_MATCH,
    .profile_rule = JR_RULE_SECCOMP_PROFILE_MATCH,
};
static const struct kind app_armor = {
    .field = "appArmorProfile",
    .container = JR_APP_ARMOR_CONTAINER,
    .fallback = { JR_PROFILE_DEFAULT, JR_PROFILE_DEFAULT },
    .type_rule = JR_RULE_APP_ARMOR_TYPE_MATCH,
    .profile_rule = JR_RULE_APP_ARMOR_PROFILE_MATCH,
};

/** Both are there; path: of the profile. */
static void compare(const struct kind *k, struct jr_str annotation, const struct jr_node *profile,
                    const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str type = jr_get_str(profile, "type");
    const struct jr_node *file = jr_get(profile, "localhostProfile");
    bool local = jr_str_starts(annotation, JR_S(JR_PROFILE_LOCAL));
    const struct jr_str annotated = jr_str_from(annotation, sizeof(JR_PROFILE_LOCAL) - 1);
    bool same = true;

    if (jr_str_is(type, "Unconfined"))
        same = jr_str_is(annotation, JR_PROFILE_UNCONFINED);
    else if (jr_str_is(type, "RuntimeDefault"))
        same = jr_str_is(annotation, k->fallback[0]) || jr_str_is(annotation, k->fallback[1]);
    else if (jr_str_is(type, "Localhost"))
        same = local;
    else if (jr_str_is(type, "OCI"))
        same = k != &seccomp || !jr_kube_has(errs->version, JR_CHANGE_OCI_AND_ML_DSA);
    if (!same)
        jr_violation(errs, k->type_rule, &JR_FIELD(path, "type"));
    else if (jr_str_is(type, "Localhost") &&
             (jr_unset(file) || !jr_str_eq(annotated, jr_node_str(file))))
        jr_violation(errs, k->profile_rule, &JR_FIELD(path, "localhostProfile"));
}

/** fallback: the profile of a container that has none, may be NULL. */
static void compare_containers(struct jr_pod_check *p, const struct kind *k,
                               const struct jr_members *annotations, const struct jr_node *fallback,
                               const struct jr_field_path *path)
{
    struct jr_container_walk w = { .pod = p->spec, .path = path };

    while (jr_container_next(&w)) {
        const struct jr_field_path context = JR_FIELD(&w.at, "securityContext");
        const struct jr_node *profile = jr_get(jr_get(w.container, "securityContext"), k->field);
        const struct jr_str key =
            JR_FORMAT(p->errs, "%s%.*s", k->container, JR_P(jr_get_str(w.container, "name")));
        const struct jr_node *annotation = jr_members_get(annotations, key);

        if (jr_unset(profile))
            profile = fallback;
        if (annotation != NULL && !jr_unset(profile))
            compare(k, jr_node_str(annotation), profile, &JR_FIELD(&context, k->field), p->errs);
    }
}

void jr_pod_check_old_profiles(struct jr_pod_check *p, const struct jr_node *annotations,
                               const struct jr_field_path *path)
{
    const struct jr_node *context = jr_get(p->spec, "securityContext");
    const struct jr_field_path context_path = JR_FIELD(path, "securityContext");
    const struct jr_node *of_pod = jr_get(annotations, seccomp.pod);
    struct jr_members by_key;

    if (jr_node_kind(annotations) != JR_OBJECT)
        return;
    jr_members_init(&by_key, annotations, p->errs->arena, &p->errs->failed);
    if (of_pod != NULL && !jr_unset(jr_get(context, seccomp.field)))
        compare(&seccomp, jr_node_str(of_pod), jr_get(context, seccomp.field),
                &JR_FIELD(&context_path, seccomp.field), p->errs);
    compare_containers(p, &seccomp, &by_key, NULL, path);
    if (!jr_str_is(jr_get_str(jr_get(p->spec, "os"), "name"), "windows"))
        compare_containers(p, &app_armor, &by_key, jr_get(context, app_armor.field), path);
}
