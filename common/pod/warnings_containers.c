/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings for containers. */
#include "common/json/members.h"
#include "common/pod/annotations.h"
#include "common/pod/walk.h"
#include "common/pod/warning_parts.h"

/** A template while its containers are looked at. */
struct look {
    struct jr_warnings *w;
    struct jr_members annotations;
    const struct jr_node *app_armor; /* the Pod's profile */
};

/* ---- profiles in annotations ---- */

/** The container's annotation with that prefix, NULL if there is none. */
static const struct jr_node *annotation(struct look *l, const struct jr_node *container,
                                        const char *prefix)
{
    const struct jr_str key =
        JR_FORMAT(l->w, "%s%.*s", prefix, JR_P(jr_get_str(container, "name")));

    return jr_members_get(&l->annotations, key);
}

/** Whether the profile says what the annotation says. */
static bool says_the_same(const struct jr_node *profile, struct jr_str value)
{
    const struct jr_str type = jr_get_str(profile, "type");
    const struct jr_node *file = jr_get(profile, "localhostProfile");
    const struct jr_str named = jr_str_from(value, sizeof(JR_PROFILE_LOCAL) - 1);

    if (jr_str_is(value, JR_PROFILE_UNCONFINED))
        return jr_str_is(type, "Unconfined") && jr_unset(file);
    if (jr_str_is(value, JR_PROFILE_DEFAULT))
        return jr_str_is(type, "RuntimeDefault") && jr_unset(file);
    return jr_str_starts(value, JR_S(JR_PROFILE_LOCAL)) && named.n > 0 &&
           jr_str_is(type, "Localhost") && jr_str_eq(jr_node_str(file), named);
}

static void warn_profiles(struct look *l, const struct jr_node *container)
{
    const struct jr_node *context = jr_get(container, "securityContext");
    const struct jr_field_path meta = JR_FIELD(l->w->at, "metadata");
    const struct jr_field_path path = JR_FIELD(&meta, "annotations");
    const struct jr_node *a;

    if (jr_unset(jr_get(context, "seccompProfile"))) {
        a = annotation(l, container, JR_SECCOMP_CONTAINER);
        if (a != NULL)
            jr_warnings_add(l->w, JR_WARNING_SECCOMP_ANNOTATION, &JR_FIELD_KEY(&path, jr_key(a)),
                            "non-functional in v1.27+; use the \"seccompProfile\" field instead");
    }
    if (jr_unset(jr_get(context, "appArmorProfile"))) {
        a = annotation(l, container, JR_APP_ARMOR_CONTAINER);
        if (a != NULL && (!jr_kube_has(l->w->version, JR_CHANGE_APP_ARMOR_ANNOTATION_MAY_REPEAT) ||
                          !says_the_same(l->app_armor, jr_node_str(a))))
            jr_warnings_add(l->w, JR_WARNING_APP_ARMOR_ANNOTATION, &JR_FIELD_KEY(&path, jr_key(a)),
                            "deprecated since v1.30; use the \"appArmorProfile\" field instead");
    }
}

/* ---- resources, env ---- */

static void warn_resources(struct jr_warnings *w, const struct jr_container_walk *c)
{
    static const char *const names[] = { "memory", "ephemeral-storage" };
    static const char *const kinds[] = { "limits", "requests" };
    const struct jr_node *resources = jr_get(c->container, "resources");
    const struct jr_field_path path = JR_FIELD(&c->at, "resources");

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        for (size_t k = 0; k < JR_ARRAY_SIZE(kinds); k++) {
            if (jr_get(resources, kinds[k]) != NULL)
                jr_warn_fraction(w, jr_get(resources, kinds[k]), names[i],
                                 &JR_FIELD(&path, kinds[k]));
        }
    }
}

/** Whether a second definition loses the first one: it doesn't refer to it as $(NAME). */
static bool hides_previous(struct jr_warnings *w, const struct jr_node *env)
{
    const struct jr_str name = jr_get_str(env, "name"), value = jr_get_str(env, "value");
    const struct jr_str ref = JR_FORMAT(w, "$(%.*s)", JR_P(name));

    if (!jr_unset(jr_get(env, "valueFrom")) || jr_str_eq(value, ref))
        return true;
    return value.n == 0 || memmem(value.p, value.n, ref.p, ref.n) == NULL;
}

static void warn_env(struct jr_warnings *w, const struct jr_container_walk *c)
{
    const struct jr_field_path path = JR_FIELD(&c->at, "env");
    struct jr_string_set seen = JR_STRING_SET(w);

    JR_WARN_EACH(e, jr_get(c->container, "env"), &path, w) {
        const struct jr_str name = jr_get_str(e.node, "name");

        if (!jr_string_set_add(&seen, name) && hides_previous(w, e.node))
            jr_warnings_add(
                w, JR_WARNING_ENV_HIDDEN, &e.path,
                "hides previous definition of %s, which may be dropped when using apply",
                jr_warn_quote(w, name));
    }
}

void jr_warn_containers(struct jr_warnings *w, const struct jr_node *template)
{
    const struct jr_node *annotations = jr_path(template, "metadata.annotations");
    const struct jr_field_path spec = JR_WARN_POD(w);
    struct jr_container_walk c = { .pod = jr_get(template, "spec"), .path = &spec };
    struct look l = { .w = w,
                      .app_armor = jr_path(template, "spec.securityContext.appArmorProfile") };

    if (jr_node_kind(annotations) != JR_OBJECT)
        annotations = NULL;
    jr_members_init(&l.annotations, annotations, w->arena, &w->failed);
    while (!jr_warn_full(w) && jr_container_next(&c)) {
        warn_profiles(&l, c.container);
        warn_resources(w, &c);
        warn_env(w, &c);
    }
}
