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

/** A key of a ConfigMap or of a Secret, which has the same rules. */
static void check_key(const struct jr_node *ref, enum jr_rule name_rule, enum jr_rule required,
                      enum jr_rule rule, const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_field_path key_path = JR_FIELD(path, "key");
    const struct jr_str name = jr_get_str(ref, "name"), key = jr_get_str(ref, "key");

    jr_validate_name(errs, name_rule, &JR_FIELD(path, "name"), name, jr_name_subdomain);
    if (key.n == 0)
        jr_violation(errs, required, &key_path);
    else
        jr_validate_name(errs, rule, &key_path, key, jr_name_config_key);
}

static void check_config_map(struct jr_pod_check *p, const struct jr_node *ref,
                             const struct jr_field_path *path)
{
    check_key(ref, JR_RULE_CONFIG_KEY_NAME, JR_RULE_CONFIG_KEY_REQUIRED, JR_RULE_CONFIG_KEY, path,
              p->errs);
}

static void check_secret(struct jr_pod_check *p, const struct jr_node *ref,
                         const struct jr_field_path *path)
{
    check_key(ref, JR_RULE_SECRET_KEY_NAME, JR_RULE_SECRET_KEY_REQUIRED, JR_RULE_SECRET_KEY, path,
              p->errs);
}

static struct jr_faults backstep_faults(struct jr_str s)
{
    struct jr_faults f = { .n = 0 };

    if (jr_name_steps_back(s))
        f.v[f.n++] = JR_WORDS_BACKSTEP;
    return f;
}

static void check_file(struct jr_pod_check *p, const struct jr_node *ref,
                       const struct jr_field_path *path)
{
    static const struct {
        const char *name;
        enum jr_rule required;
        enum jr_rule rule;
        struct jr_faults (*check)(struct jr_str s);
    } rows[] = {
        { "key", JR_RULE_FILE_KEY_REQUIRED, JR_RULE_FILE_KEY, jr_name_env },
        { "volumeName", JR_RULE_FILE_KEY_VOLUME_REQUIRED, JR_RULE_FILE_KEY_VOLUME,
          jr_name_dns_label },
        { "path", JR_RULE_FILE_KEY_PATH_REQUIRED, JR_RULE_FILE_KEY_PATH, backstep_faults },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_field_path at = JR_FIELD(path, rows[i].name);
        const struct jr_str s = jr_get_str(ref, rows[i].name);
        const struct jr_faults faults = rows[i].check(s);

        if (s.n == 0)
            jr_violation(p->errs, rows[i].required, &at);
        else
            jr_rule_faults(p->errs, rows[i].rule, &at, s, &faults);
    }
}

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
        jr_rule_brokenf(errs, JR_RULE_ENV_SOURCE_REQUIRED, path, none,
                        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`%s",
                        p->opts->env_files ? ", `secretKeyRef` or `fileKeyRef`"
                                           : " or `secretKeyRef`");
    else if (has_value)
        jr_rule_broken(errs, JR_RULE_ENV_SOURCE_WITH_VALUE, path, none);
    else if (n > 1)
        jr_rule_broken(errs, JR_RULE_ENV_SOURCES, path, none);
}

static void check_value_from(struct jr_pod_check *p, const struct jr_node *env,
                             const struct jr_field_path *path)
{
    static const struct {
        const char *name;
        void (*check)(struct jr_pod_check *p, const struct jr_node *ref,
                      const struct jr_field_path *path);
    } sources[] = {
        { "fieldRef", check_field },
        { "resourceFieldRef", jr_pod_check_resource_ref },
        { "configMapKeyRef", check_config_map },
        { "secretKeyRef", check_secret },
    };
    const struct jr_node *from = jr_get(env, "valueFrom"), *file = file_key(p, env);
    size_t n = 0;

    if (jr_unset(from))
        return;
    for (size_t i = 0; i < JR_ARRAY_SIZE(sources); i++) {
        const struct jr_node *ref = jr_get(from, sources[i].name);

        if (jr_unset(ref))
            continue;
        n++;
        sources[i].check(p, ref, &JR_FIELD(path, sources[i].name));
    }
    if (file != NULL) {
        n++;
        check_file(p, file, &JR_FIELD(path, "fileKeyRef"));
    }
    check_source_count(p, n, jr_get_str(env, "value").n > 0, path);
}

void jr_pod_check_env(struct jr_pod_check *p, const struct jr_node *env,
                      const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;

    JR_EACH_AT(e, env, path, errs) {
        const struct jr_field_path name_path = JR_FIELD(&e.path, "name");
        const struct jr_str name = jr_get_str(e.node, "name");

        if (name.n == 0)
            jr_violation(errs, JR_RULE_ENV_NAME_REQUIRED, &name_path);
        else
            jr_validate_name(errs, JR_RULE_ENV_NAME, &name_path, name, jr_name_env);
        check_value_from(p, e.node, &JR_FIELD(&e.path, "valueFrom"));
    }
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
    struct jr_faults faults;

    if (jr_unset(ref))
        return false;
    faults = jr_name_prefix(name, errs);
    if (name.n == 0)
        jr_violation(errs, required, &name_path);
    else
        jr_rule_faults(errs, rule, &name_path, name, &faults);
    return true;
}

void jr_pod_check_env_from(struct jr_pod_check *p, const struct jr_node *env_from,
                           const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;

    JR_EACH_AT(e, env_from, path, errs) {
        const struct jr_str prefix = jr_get_str(e.node, "prefix");
        bool config_map, secret;

        if (prefix.n > 0)
            jr_validate_name(errs, JR_RULE_ENV_FROM_PREFIX, &JR_FIELD(&e.path, "prefix"), prefix,
                             jr_name_env);
        config_map = check_env_from_source(e.node, "configMapRef", JR_RULE_ENV_FROM_CONFIG_REQUIRED,
                                           JR_RULE_ENV_FROM_CONFIG, &e.path, errs);
        secret = check_env_from_source(e.node, "secretRef", JR_RULE_ENV_FROM_SECRET_REQUIRED,
                                       JR_RULE_ENV_FROM_SECRET, &e.path, errs);
        /* these two are said of the whole list */
        if (!config_map && !secret)
            jr_violation_text(errs, JR_RULE_ENV_FROM_SOURCE_REQUIRED, path, JR_S(""));
        else if (config_map && secret)
            jr_violation_text(errs, JR_RULE_ENV_FROM_SOURCES, path, JR_S(""));
    }
}

/* ---- the volumes of fileKeyRefs ---- */

/** Names of volumes; of those with the same name the last one counts, good or not. */
struct file_volumes {
    struct jr_texts all;
    struct jr_texts empty_dirs;
};

static struct file_volumes file_volumes_of(const struct jr_node *volumes, struct jr_errlist *errs)
{
    const struct jr_node **list = jr_list_nodes(volumes, errs);
    struct file_volumes v = { .all = JR_TEXTS(errs), .empty_dirs = JR_TEXTS(errs) };

    for (size_t n = list == NULL ? 0 : jr_size(volumes); n-- > 0;) {
        const struct jr_str name = jr_get_str(list[n], "name");

        if (jr_texts_add(&v.all, name) && !jr_unset(jr_get(list[n], "emptyDir")))
            (void)jr_texts_add(&v.empty_dirs, name);
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
        if (!jr_texts_has(&volumes->all, name))
            jr_violation_text(errs, JR_RULE_FILE_KEY_VOLUME_FOUND, &name_path, name);
        else if (!jr_texts_has(&volumes->empty_dirs, name))
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
