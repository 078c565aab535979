/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of projected volumes. */
#include "common/pod/selector.h"
#include "common/pod/volume_parts.h"

#define TOKEN_MIN_S 600
#define TOKEN_MAX_S ((int64_t)1 << 32)
#define CERTIFICATE_MIN_S 3600
#define CERTIFICATE_MAX_S (91 * 24 * 60 * 60)
#define CERTIFICATE_MAX_OWN_S (24 * 60 * 60) /* of Kubernetes' own signers */
#define SIGNER_DOMAIN_MAX 253
#define SIGNER_MAX 571
#define ANNOTATIONS_MAX ((size_t)256 << 10)

/** A projected volume while it is validated. */
struct projected {
    struct jr_pod_check *p;
    const struct jr_field_path *path; /* of the volume's source, which many errors are at */
    struct jr_string_set files;       /* where something goes already */
};

/** shown: what the error shows. */
static void check_twice(struct projected *v, struct jr_str file, struct jr_str shown)
{
    if (!jr_string_set_add(&v->files, file))
        jr_violation_text(v->p->errs, JR_RULE_PROJECTED_PATH_TWICE, v->path, shown);
}

/* ---- Secrets, ConfigMaps, the downward API, tokens ---- */

static void check_keys(struct projected *v, enum jr_rule name_rule, const struct jr_node *source,
                       const struct jr_field_path *path)
{
    if (jr_get_str(source, "name").n == 0)
        jr_violation(v->p->errs, name_rule, &JR_FIELD(path, "name"));
    JR_EACH_AT(c, jr_get(source, "items"), &JR_FIELD(path, "items"), v->p->errs) {
        const struct jr_str file = jr_get_str(c.node, "path");

        jr_volume_check_key(v->p, c.node, &c.path);
        if (file.n > 0)
            check_twice(v, file, jr_get_str(source, "name"));
    }
}

static void check_secret(struct projected *v, const struct jr_node *source,
                         const struct jr_field_path *path)
{
    check_keys(v, JR_RULE_PROJECTED_SECRET_NAME, source, path);
}

static void check_config_map(struct projected *v, const struct jr_node *source,
                             const struct jr_field_path *path)
{
    check_keys(v, JR_RULE_PROJECTED_CONFIG_MAP_NAME, source, path);
}

static void check_downward_api(struct projected *v, const struct jr_node *source,
                               const struct jr_field_path *path)
{
    JR_EACH_GOING(f, jr_get(source, "items"), v->p->errs) {
        const struct jr_str file = jr_get_str(f, "path");

        jr_volume_check_downward_file(v->p, f, path);
        if (file.n > 0)
            check_twice(v, file, file);
    }
}

static void check_token(struct projected *v, const struct jr_node *source,
                        const struct jr_field_path *path)
{
    const struct jr_field_path expires_path = JR_FIELD(path, "expirationSeconds");
    const struct jr_field_path file_path = JR_FIELD(v->path, "path"); /* sic */
    const struct jr_str file = jr_get_str(source, "path");
    const int64_t expires = jr_node_i64_or(jr_get(source, "expirationSeconds"), 0);
    struct jr_errlist *errs = v->p->errs;

    if (expires < TOKEN_MIN_S)
        jr_violation_int(errs, JR_RULE_PROJECTED_TOKEN_EARLY, &expires_path, expires);
    if (expires > TOKEN_MAX_S)
        jr_violation_int(errs, JR_RULE_PROJECTED_TOKEN_LATE, &expires_path, expires);
    if (file.n == 0)
        jr_violation(errs, JR_RULE_PROJECTED_TOKEN_PATH_REQUIRED, &file_path);
    else if (!v->p->opts->non_local_token_path)
        jr_volume_check_file_path(file, &file_path, errs);
}

/* ---- signers ---- */

/** The labels of a domain, or of the path behind it: the first bad one is told. */
static size_t check_signer_part(struct jr_str part,
                                struct jr_name_errors (*label_faults)(struct jr_str),
                                const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str value = jr_errlist_quote(errs, part);
    bool more = true, bad = false;
    size_t n = 0;

    for (struct jr_str rest = part, label; more; n++) { /* an empty label at the end is one */
        struct jr_name_errors faults;

        more = jr_str_find(rest, '.') >= 0;
        label = JR_S("");
        (void)jr_str_cut(&rest, '.', &label);
        faults = label_faults(label);
        for (size_t i = 0; i < faults.n && !bad; i++)
            jr_rule_violatedf(errs, JR_RULE_PROJECTED_SIGNER, path, value,
                              "validating label %.*s: %s", JR_P(jr_errlist_quote(errs, label)),
                              faults.v[i]);
        bad = bad || faults.n > 0;
    }
    return n;
}

static void signer_too_long(struct jr_errlist *errs, const struct jr_field_path *path, int max)
{
    jr_rule_violatedf(errs, JR_RULE_PROJECTED_SIGNER_LENGTH, path, JR_NO_VALUE,
                      jr_kube_has(errs->version, JR_CHANGE_TOO_LONG_SAYS_MAY)
                          ? "may not be more than %d bytes"
                          : "must have at most %d bytes",
                      max);
}

static void check_signer(struct jr_str name, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    const ptrdiff_t slash = jr_str_find(name, '/');
    const struct jr_str domain = jr_str_head(name, slash < 0 ? 0 : (size_t)slash);
    const struct jr_str rest = jr_str_from(name, slash < 0 ? 0 : (size_t)slash + 1);

    if (name.n == 0) {
        jr_violation(errs, JR_RULE_PROJECTED_SIGNER_REQUIRED, path);
        return;
    }
    if (slash < 0 || jr_str_find(rest, '/') >= 0) {
        jr_rule_violatedf(errs, JR_RULE_PROJECTED_SIGNER, path, jr_errlist_quote(errs, name),
                          "must be a fully qualified domain and path of the form "
                          "'example.com/signer-name'");
        return;
    }
    if (domain.n > SIGNER_DOMAIN_MAX)
        signer_too_long(errs, path, SIGNER_DOMAIN_MAX);
    if (check_signer_part(domain, jr_name_dns_label, path, errs) < 2)
        jr_rule_violatedf(errs, JR_RULE_PROJECTED_SIGNER, path, jr_errlist_quote(errs, domain),
                          "should be a domain with at least two segments separated by dots");
    (void)check_signer_part(rest, jr_name_subdomain, path, errs);
    if (name.n > SIGNER_MAX)
        signer_too_long(errs, path, SIGNER_MAX);
}

static bool is_own_signer(struct jr_str name)
{
    struct jr_str domain = JR_S("");

    (void)jr_str_cut(&name, '/', &domain);
    return jr_str_is(domain, "kubernetes.io") || jr_str_ends(domain, JR_S(".kubernetes.io"));
}

/* ---- trust bundles ---- */

/** A copy with one character for another. */
static struct jr_str replaced(struct jr_str s, char from, char to, struct jr_errlist *errs)
{
    char *copy = jr_arena_calloc(errs->arena, s.n + 1, 1);

    if (copy == NULL) {
        errs->failed = JR_NOMEM;
        return JR_S("");
    }
    memcpy(copy, s.p, s.n);
    for (size_t i = 0; i < s.n; i++) {
        if (copy[i] == from)
            copy[i] = to;
    }
    return (struct jr_str){ copy, s.n };
}

#define BUNDLE_NAME "not a valid clustertrustbundlename: "

/** Bundles of a signer have its name in front, colons for slashes and one behind it. */
static void check_bundle_name(struct jr_str name, const struct jr_field_path *path,
                              struct jr_errlist *errs)
{
    const struct jr_str value = jr_errlist_quote(errs, name);
    const ptrdiff_t colon = jr_str_rfind(name, ':');
    const struct jr_str signer = jr_str_head(name, colon < 0 ? 0 : (size_t)colon);
    const struct jr_name_errors faults = jr_name_subdomain(jr_str_from(name, (size_t)(colon + 1)));

    if (name.n == 0)
        jr_violation(errs, JR_RULE_PROJECTED_BUNDLE_NAME_REQUIRED, path);
    if (colon == 0) {
        jr_rule_violatedf(errs, JR_RULE_PROJECTED_BUNDLE_NAME, path, value,
                          BUNDLE_NAME
                          "ClusterTrustBundle without signer name must not have \":\" in its name");
    } else if (jr_str_find(signer, '/') >= 0) {
        jr_rule_violatedf(errs, JR_RULE_PROJECTED_BUNDLE_NAME, path, value,
                          BUNDLE_NAME "ClusterTrustBundle for signerName %.*s must be named with "
                                      "prefix %.*s:",
                          JR_P(replaced(signer, ':', '/', errs)),
                          JR_P(replaced(signer, '/', ':', errs)));
    } else {
        for (size_t i = 0; i < faults.n; i++)
            jr_rule_violatedf(errs, JR_RULE_PROJECTED_BUNDLE_NAME, path, value, BUNDLE_NAME "%s",
                              faults.v[i]);
    }
}

static void check_bundle_signer(const struct jr_node *source, const struct jr_field_path *path,
                                struct jr_errlist *errs)
{
    const struct jr_field_path signer_path = JR_FIELD(path, "signerName");
    const struct jr_str signer = jr_get_str(source, "signerName");

    if (signer.n == 0)
        jr_violation(errs, JR_RULE_PROJECTED_BUNDLE_SIGNER_REQUIRED, &signer_path);
    check_signer(signer, &signer_path, errs);
    jr_pod_check_selector(jr_get(source, "labelSelector"), false, &JR_FIELD(path, "labelSelector"),
                          errs);
}

static void check_bundle_origin(const struct jr_node *source, const struct jr_field_path *path,
                                struct jr_errlist *errs)
{
    const struct jr_node *name = jr_get(source, "name");
    const struct jr_node *selector = jr_get(source, "labelSelector");
    bool by_name = !jr_unset(name), by_signer = !jr_unset(jr_get(source, "signerName"));

    if (by_name && by_signer) {
        jr_violation_shown(errs, JR_RULE_PROJECTED_BUNDLE_BOTH, path, &jr_schema_volume_projection,
                           "clusterTrustBundle", source);
    } else if (by_name) {
        check_bundle_name(jr_node_str(name), &JR_FIELD(path, "name"), errs);
        if (!jr_unset(selector))
            jr_violation_json(errs, JR_RULE_PROJECTED_BUNDLE_NAME_SELECTOR,
                              &JR_FIELD(path, "labelSelector"), selector);
    } else if (by_signer) {
        check_bundle_signer(source, path, errs);
    } else {
        jr_violation(errs, JR_RULE_PROJECTED_BUNDLE_REQUIRED, path);
    }
}

static void check_bundle(struct projected *v, const struct jr_node *source,
                         const struct jr_field_path *path)
{
    const struct jr_field_path file_path = JR_FIELD(path, "path");
    const struct jr_str file = jr_get_str(source, "path");
    struct jr_errlist *errs = v->p->errs;

    check_bundle_origin(source, path, errs);
    if (file.n == 0)
        jr_violation(errs, JR_RULE_PROJECTED_BUNDLE_PATH_REQUIRED, &file_path);
    jr_volume_check_file_path(file, &file_path, errs);
    check_twice(v, file, file);
}

/* ---- certificates ---- */

static void check_annotations(const struct jr_node *map, const struct jr_field_path *path,
                              struct jr_errlist *errs)
{
    size_t size = 0;

    JR_EACH_GOING(m, map, errs) {
        const struct jr_str key = jr_lower_key(jr_key(m), errs);
        const struct jr_name_errors faults = jr_name_key(key);

        size += jr_key(m).n + jr_node_str(m).n;
        if (jr_key(m).n == 0)
            jr_violation(errs, JR_RULE_PROJECTED_ANNOTATION_REQUIRED, path);
        else
            jr_rule_faults(errs, JR_RULE_PROJECTED_ANNOTATION, path, key, &faults);
        if (key.n > 0 && faults.n == 0 && jr_str_find(key, '/') < 0)
            jr_rule_violatedf(errs, JR_RULE_PROJECTED_ANNOTATION, path, jr_errlist_quote(errs, key),
                              "must be a domain-prefixed key (such as \"acme.io/foo\")");
        if (!jr_errlist_going(errs))
            return;
    }
    if (size > ANNOTATIONS_MAX)
        jr_violation(errs, JR_RULE_PROJECTED_ANNOTATIONS_SIZE, path);
}

static void check_certificate_life(const struct jr_node *source, const struct jr_field_path *path,
                                   struct jr_errlist *errs)
{
    const struct jr_field_path at = JR_FIELD(path, "maxExpirationSeconds");
    const int max =
        is_own_signer(jr_get_str(source, "signerName")) ? CERTIFICATE_MAX_OWN_S : CERTIFICATE_MAX_S;
    int64_t life;

    if (jr_node_i64(jr_get(source, "maxExpirationSeconds"), &life) != JR_OK)
        return;
    if (life < CERTIFICATE_MIN_S)
        jr_violation_int(errs, JR_RULE_PROJECTED_CERTIFICATE_EARLY, &at, life);
    if (life > max)
        jr_rule_violatedf(errs, JR_RULE_PROJECTED_CERTIFICATE_LATE, &at, jr_errlist_int(errs, life),
                          "if provided, maxExpirationSeconds must be <= %d", max);
}

static void check_certificate_files(struct projected *v, const struct jr_node *source,
                                    const struct jr_field_path *path)
{
    static const char *const names[] = { "credentialBundlePath", "keyPath",
                                         "certificateChainPath" };
    size_t n = 0;

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        const struct jr_str file = jr_get_str(source, names[i]);

        if (file.n == 0)
            continue;
        n++;
        jr_volume_check_file_path(file, &JR_FIELD(path, names[i]), v->p->errs);
        check_twice(v, file, file);
    }
    if (n == 0)
        jr_violation(v->p->errs, JR_RULE_PROJECTED_CERTIFICATE_PATH_REQUIRED, path);
}

const char *const jr_ml_dsa_keys[] = { "MLDSA44", "MLDSA65", "MLDSA87", NULL };

static void check_certificate(struct projected *v, const struct jr_node *source,
                              const struct jr_field_path *path)
{
    static const char *const key_types[] = { "RSA3072",   "RSA4096", "ECDSAP256", "ECDSAP384",
                                             "ECDSAP521", "ED25519", NULL };
    static const char *const more_types[] = { "RSA3072",   "RSA4096", "ECDSAP256", "ECDSAP384",
                                              "ECDSAP521", "ED25519", "MLDSA44",   "MLDSA65",
                                              "MLDSA87",   NULL };
    const char *const *types = v->p->opts->ml_dsa_keys ? more_types : key_types;
    const struct jr_field_path type_path = JR_FIELD(path, "keyType");
    const struct jr_str type = jr_get_str(source, "keyType");
    struct jr_errlist *errs = v->p->errs;

    check_signer(jr_get_str(source, "signerName"), &JR_FIELD(path, "signerName"), errs);
    check_annotations(jr_get(source, "userAnnotations"), &JR_FIELD(path, "userAnnotations"), errs);
    if (!jr_one_of(type, types))
        jr_rule_unsupported(errs, JR_RULE_PROJECTED_KEY_TYPE, &type_path,
                            jr_errlist_quote(errs, type), types);
    check_certificate_life(source, path, errs);
    check_certificate_files(v, source, path);
}

/* ---- the whole ---- */

static const struct {
    const char *name;
    void (*check)(struct projected *v, const struct jr_node *source,
                  const struct jr_field_path *path);
} sources[] = {
    { "secret", check_secret },
    { "configMap", check_config_map },
    { "downwardAPI", check_downward_api },
    { "serviceAccountToken", check_token },
    { "clusterTrustBundle", check_bundle },
    { "podCertificate", check_certificate },
};

static void check_source(struct projected *v, const struct jr_node *source,
                         const struct jr_field_path *path)
{
    size_t n = 0;

    for (size_t i = 0; i < JR_ARRAY_SIZE(sources); i++) {
        const struct jr_node *node = jr_get(source, sources[i].name);

        if (jr_unset(node))
            continue;
        n++;
        sources[i].check(v, node, &JR_FIELD(path, sources[i].name));
        if (!jr_errlist_going(v->p->errs))
            return;
    }
    if (n > 1)
        jr_violation(v->p->errs, JR_RULE_PROJECTED_SOURCES, path);
}

void jr_volume_check_projected(struct jr_pod_check *p, const struct jr_node *source,
                               const struct jr_field_path *path)
{
    struct projected v = { .p = p, .path = path, .files = JR_STRING_SET(p->errs) };

    JR_EACH_AT(s, jr_get(source, "sources"), &JR_FIELD(path, "sources"), p->errs)
        check_source(&v, s.node, &s.path);
}
