/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of env and envFrom. */
#include "common/pod/parts.h"
#include "common/pod/walk.h"

/* ---- the sources of a variable ---- */

static void check_field(struct jr_pod_check *p, const struct jr_node *ref,
                        const struct jr_field_path *path)
{
    static const char *const fields[] = { "metadata.name",
                                          "metadata.namespace",
                                          "metadata.uid",
                                          "spec.nodeName",
                                          "spec.serviceAccountName",
                                          "status.hostIP",
                                          "status.hostIPs",
                                          "status.podIP",
                                          "status.podIPs",
                                          NULL };

    jr_pod_check_field_ref(p, ref, fields, path);
}

static struct jr_name_errors backstep_faults(struct jr_str s)
{
    struct jr_name_errors f = { .n = 0 };

    if (jr_name_steps_back(s))
        f.v[f.n++] = JR_WORDS_BACKSTEP;
    return f;
}

static const struct jr_field_rule config_map_rules[] = {
    JR_SYNTAX(JR_ALWAYS, "name", CONFIG_KEY_NAME, jr_name_subdomain),
    JR_NAME("key", CONFIG_KEY_REQUIRED, CONFIG_KEY, jr_name_config_key),
    { .name = NULL },
};
static const struct jr_field_rule secret_rules[] = {
    JR_SYNTAX(JR_ALWAYS, "name", SECRET_KEY_NAME, jr_name_subdomain),
    JR_NAME("key", SECRET_KEY_REQUIRED, SECRET_KEY, jr_name_config_key),
    { .name = NULL },
};
static const struct jr_field_rule file_rules[] = {
    JR_NAME("key", FILE_KEY_REQUIRED, FILE_KEY, jr_name_env),
    JR_NAME("volumeName", FILE_KEY_VOLUME_REQUIRED, FILE_KEY_VOLUME, jr_name_dns_label),
    JR_NAME("path", FILE_KEY_PATH_REQUIRED, FILE_KEY_PATH, backstep_faults),
    { .name = NULL },
};
static const struct jr_field_rule source_rules[] = {
    JR_CALL(JR_IF_SET, "fieldRef", check_field),
    JR_CALL(JR_IF_SET, "resourceFieldRef", jr_pod_check_resource_ref),
    JR_RULES_OF("configMapKeyRef", config_map_rules),
    JR_RULES_OF("secretKeyRef", secret_rules),
    { .name = NULL },
};

/* ---- env ---- */

/** The file that a variable comes from, NULL if there is none. */
static const struct jr_node *file_key(const struct jr_pod_check *p, const struct jr_node *env)
{
    const struct jr_node *ref = jr_get(jr_get(env, "valueFrom"), "fileKeyRef");

    return p->opts->env_files && !jr_unset(ref) ? ref : NULL;
}

static void check_source_count(struct jr_pod_check *p, size_t n, bool has_value,
                               const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;
    const struct jr_str none = jr_errlist_quote(errs, JR_S(""));

    if (n == 0)
        jr_rule_violatedf(
            errs, JR_RULE_ENV_SOURCE_REQUIRED, path, none,
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`%s",
            p->opts->env_files ? ", `secretKeyRef` or `fileKeyRef`" : " or `secretKeyRef`");
    else if (has_value)
        jr_rule_violated(errs, JR_RULE_ENV_SOURCE_WITH_VALUE, path, none);
    else if (n > 1)
        jr_rule_violated(errs, JR_RULE_ENV_SOURCES, path, none);
}

static void check_value_from(struct jr_pod_check *p, const struct jr_node *env,
                             const struct jr_field_path *path)
{
    const struct jr_node *from = jr_get(env, "valueFrom"), *file = file_key(p, env);
    size_t n = file != NULL ? 1 : 0;

    if (jr_unset(from))
        return;
    for (const struct jr_field_rule *source = source_rules; source->name != NULL; source++)
        n += !jr_unset(jr_get(from, source->name));
    jr_pod_check_fields(p, source_rules, from, path);
    if (file != NULL)
        jr_pod_check_fields(p, file_rules, file, &JR_FIELD(path, "fileKeyRef"));
    check_source_count(p, n, jr_get_str(env, "value").n > 0, path);
}

void jr_pod_check_env(struct jr_pod_check *p, const struct jr_node *env,
                      const struct jr_field_path *path)
{
    static const struct jr_field_rule rules[] = {
        JR_NAME("name", ENV_NAME_REQUIRED, ENV_NAME, jr_name_env),
        { .name = NULL },
    };
    static const struct jr_field_rule narrow_rules[] = {
        JR_NAME("name", ENV_NAME_REQUIRED, ENV_NAME, jr_name_env_narrow),
        { .name = NULL },
    };

    jr_pod_check_fields(p, p->opts->narrow_env_names ? narrow_rules : rules, env, path);
    check_value_from(p, env, &JR_FIELD(path, "valueFrom"));
}

/* ---- envFrom ---- */

static bool check_env_from_source(const struct jr_node *from, const char *member,
                                  enum jr_rule required, enum jr_rule rule,
                                  const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_node *ref = jr_get(from, member);
    const struct jr_field_path at = JR_FIELD(path, member);
    const struct jr_field_path name_path = JR_FIELD(&at, "name");
    const struct jr_str name = jr_get_str(ref, "name");
    struct jr_name_errors faults;

    if (jr_unset(ref))
        return false;
    faults = jr_name_prefix(name, errs);
    if (name.n == 0)
        jr_violation(errs, required, &name_path);
    else
        jr_rule_faults(errs, rule, &name_path, name, &faults);
    return true;
}

void jr_pod_check_env_from(struct jr_pod_check *p, const struct jr_node *from,
                           const struct jr_field_path *path)
{
    static const struct jr_field_rule rules[] = {
        JR_SYNTAX(JR_IF_TEXT, "prefix", ENV_FROM_PREFIX, jr_name_env),
        { .name = NULL },
    };
    static const struct jr_field_rule narrow_rules[] = {
        JR_SYNTAX(JR_IF_TEXT, "prefix", ENV_FROM_PREFIX, jr_name_env_narrow),
        { .name = NULL },
    };
    struct jr_errlist *errs = p->errs;
    bool config_map, secret;

    jr_pod_check_fields(p, p->opts->narrow_env_names ? narrow_rules : rules, from, path);
    config_map = check_env_from_source(from, "configMapRef", JR_RULE_ENV_FROM_CONFIG_REQUIRED,
                                       JR_RULE_ENV_FROM_CONFIG, path, errs);
    secret = check_env_from_source(from, "secretRef", JR_RULE_ENV_FROM_SECRET_REQUIRED,
                                   JR_RULE_ENV_FROM_SECRET, path, errs);
    /* these two are said of the whole list */
    if (!config_map && !secret)
        jr_violation_text(errs, JR_RULE_ENV_FROM_SOURCE_REQUIRED, path->parent, JR_S(""));
    else if (config_map && secret)
        jr_violation_text(errs, JR_RULE_ENV_FROM_SOURCES, path->parent, JR_S(""));
}

/* ---- the volumes of fileKeyRefs ---- */

/** Names of volumes; of those with the same name the last one counts, good or not. */
struct file_volumes {
    struct jr_string_set all;
    struct jr_string_set empty_dirs;
};

static struct file_volumes file_volumes_of(const struct jr_node *volumes, struct jr_errlist *errs)
{
    const struct jr_node **list = jr_list_nodes(volumes, errs);
    struct file_volumes v = { .all = JR_STRING_SET(errs), .empty_dirs = JR_STRING_SET(errs) };

    for (size_t n = list == NULL ? 0 : jr_size(volumes); n-- > 0;) {
        const struct jr_str name = jr_get_str(list[n], "name");

        if (jr_string_set_add(&v.all, name) && !jr_unset(jr_get(list[n], "emptyDir")))
            (void)jr_string_set_add(&v.empty_dirs, name);
    }
    return v;
}

static void check_file_volumes(struct jr_pod_check *p, const struct jr_node *container,
                               const struct file_volumes *volumes, const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;

    JR_EACH_AT(e, jr_get(container, "env"), &JR_FIELD(path, "env"), errs) {
        const struct jr_field_path from = JR_FIELD(&e.path, "valueFrom");
        const struct jr_field_path key = JR_FIELD(&from, "fileKeyRef");
        const struct jr_field_path name_path = JR_FIELD(&key, "volumeName");
        const struct jr_node *ref = file_key(p, e.node);
        const struct jr_str name = jr_get_str(ref, "volumeName");

        if (ref == NULL)
            continue;
        if (!jr_string_set_has(&volumes->all, name))
            jr_violation_text(errs, JR_RULE_FILE_KEY_VOLUME_FOUND, &name_path, name);
        else if (!jr_string_set_has(&volumes->empty_dirs, name))
            jr_violation_text(errs, JR_RULE_FILE_KEY_VOLUME_TYPE, &name_path, name);
    }
}

void jr_pod_check_file_keys(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const struct file_volumes volumes = file_volumes_of(jr_get(p->spec, "volumes"), p->errs);
    struct jr_container_walk w = { .pod = p->spec, .path = path };

    while (jr_errlist_going(p->errs) && jr_container_next(&w))
        check_file_volumes(p, w.container, &volumes, &w.at);
}
