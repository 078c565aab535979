/* SPDX-License-Identifier: Apache-2.0 */
/* The warnings for a Pod template: the order of all parts, and the PodSpec's own fields. */
#include <stdarg.h>

#include "common/base/string_set.h"
#include "common/pod/annotations.h"
#include "common/pod/warning_parts.h"
#include "common/rules/ip.h"
#include "common/schema/quantity.h"

/* Nobody reads more. */
#define WARNINGS_MAX 1000
#define MILLI (-3)

/* ---- the list ---- */

const char *jr_warning_id(enum jr_warning id)
{
    static const char *const ids[JR_WARNING_COUNT] = {
#define X(name, id, origin, about) id,
        JR_WARNING_MAP(X)
#undef X
    };

    return ids[id];
}

bool jr_warn_full(const struct jr_warnings *w)
{
    return w->failed != JR_OK || w->list.n >= WARNINGS_MAX;
}

/** Makes room for one more. Both arrays grow alike. */
static bool grow_warnings(struct jr_warnings *w)
{
    size_t cap = w->cap;
    struct jr_str *v = jr_arena_room(w->arena, w->list.v, w->list.n, &cap, sizeof(*v));
    struct jr_warning_about *about =
        jr_arena_room(w->arena, w->about, w->list.n, &w->cap, sizeof(*about));

    if (v == NULL || about == NULL)
        return false;
    w->list.v = v;
    w->about = about;
    return true;
}

void jr_warnings_add(struct jr_warnings *w, enum jr_warning id, const struct jr_field_path *path,
                     const char *fmt, ...)
{
    const size_t n = w->list.n;
    JR_BUF text = { 0 };
    va_list ap;

    if (jr_warn_full(w))
        return;
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    if (jr_field_path_write(path, &text) == JR_OK && path != NULL)
        (void)jr_buf_adds(&text, ": ");
    va_start(ap, fmt);
    (void)jr_buf_vaddf(&text, fmt, ap);
    va_end(ap);
    if (text.failed != JR_OK || !grow_warnings(w) ||
        !jr_arena_str(w->arena, jr_buf_str(&text), &w->list.v[n]) ||
        !jr_field_path_keep(path, n > 0 ? w->about[n - 1].path : NULL, w->arena,
                            &w->about[n].path)) {
        w->failed = JR_NOMEM;
        return;
    }
    w->about[n].id = id;
    w->list.n++;
}

const char *jr_warn_quote(struct jr_warnings *w, struct jr_str s)
{
    JR_BUF quoted = { 0 };
    struct jr_str kept = JR_S("");

    jr_buf_init(&quoted, JR_BUF_BY_INPUT);
    if (jr_field_quote(s, &quoted) != JR_OK || !jr_arena_str(w->arena, jr_buf_str(&quoted), &kept))
        w->failed = JR_NOMEM;
    return kept.p;
}

/* ---- single fields ---- */

static const struct {
    const char *key;
    const char *words;
} deprecated_annotations[] = {
    { "scheduler.alpha.kubernetes.io/critical-pod",
      "non-functional in v1.16+; use the \"priorityClassName\" field instead" },
    { "security.alpha.kubernetes.io/sysctls",
      "non-functional in v1.11+; use the \"sysctls\" field instead" },
    { "security.alpha.kubernetes.io/unsafe-sysctls",
      "non-functional in v1.11+; use the \"sysctls\" field instead" },
};

static void warn_annotations(struct jr_warnings *w, const struct jr_node *annotations)
{
    const struct jr_field_path meta = JR_FIELD(w->at, "metadata");
    const struct jr_field_path path = JR_FIELD(&meta, "annotations");

    for (size_t i = 0; i < JR_ARRAY_SIZE(deprecated_annotations); i++) {
        if (jr_get(annotations, deprecated_annotations[i].key) != NULL)
            jr_warnings_add(w, JR_WARNING_ANNOTATION_DEPRECATED,
                            &JR_FIELD_KEY(&path, jr_str(deprecated_annotations[i].key)), "%s",
                            deprecated_annotations[i].words);
    }
}

/** Warns where two objects of a list say the same. */
static void warn_twice(struct jr_warnings *w, const struct jr_node *list, const char *name,
                       const char *member)
{
    const struct jr_field_path spec = JR_WARN_POD(w);
    const struct jr_field_path path = JR_FIELD(&spec, name);
    struct jr_string_set seen = JR_STRING_SET(w);

    JR_WARN_EACH(e, list, &path, w) {
        const struct jr_str s = jr_get_str(e.node, member);

        if (!jr_string_set_add(&seen, s))
            jr_warnings_add(w, JR_WARNING_ENTRY_DUPLICATE, &JR_FIELD(&e.path, member),
                            "duplicate %s %s", member, jr_warn_quote(w, s));
    }
}

static void warn_pull_secrets(struct jr_warnings *w, const struct jr_node *pod)
{
    const struct jr_node *secrets = jr_get(pod, "imagePullSecrets");
    const struct jr_field_path spec = JR_WARN_POD(w);
    const struct jr_field_path path = JR_FIELD(&spec, "imagePullSecrets");

    warn_twice(w, secrets, "imagePullSecrets", "name");
    JR_WARN_EACH(s, secrets, &path, w) {
        if (jr_get_str(s.node, "name").n == 0)
            jr_warnings_add(w, JR_WARNING_PULL_SECRET_EMPTY, &JR_FIELD(&s.path, "name"),
                            "invalid empty name \"\"");
    }
}

void jr_warn_fraction(struct jr_warnings *w, const struct jr_node *quantities, const char *name,
                      const struct jr_field_path *path)
{
    const struct jr_node *node = jr_get(quantities, name);
    JR_BUF shown = { 0 };
    struct jr_quantity q;

    if (node == NULL || jr_quantity_of(node, &q) != JR_OK)
        return;
    if (jr_kube_has(w->version, JR_CHANGE_WHOLE_QUANTITIES_EXACT)
            ? jr_quantity_whole(&q)
            : jr_quantity_scaled(&q, MILLI) % 1000 == 0)
        return;
    jr_buf_init(&shown, 4 * (size_t)JR_QUANTITY_DIGITS);
    if (jr_quantity_write(&q, &shown) != JR_OK)
        w->failed = JR_NOMEM;
    else
        jr_warnings_add(w, JR_WARNING_FRACTIONAL_BYTES, &JR_FIELD_KEY(path, jr_str(name)),
                        "fractional byte value %s is invalid, must be an integer",
                        jr_warn_quote(w, jr_buf_str(&shown)));
}

static void warn_overhead(struct jr_warnings *w, const struct jr_node *pod)
{
    const struct jr_node *overhead = jr_get(pod, "overhead");
    const struct jr_field_path spec = JR_WARN_POD(w);
    const struct jr_field_path path = JR_FIELD(&spec, "overhead");

    jr_warn_fraction(w, overhead, "memory", &path);
    jr_warn_fraction(w, overhead, "ephemeral-storage", &path);
}

static void warn_grace(struct jr_warnings *w, const struct jr_node *pod)
{
    static const char name[] = "terminationGracePeriodSeconds";
    const struct jr_field_path spec = JR_WARN_POD(w);

    if (jr_node_i64_or(jr_get(pod, name), 0) < 0)
        jr_warnings_add(w, JR_WARNING_GRACE_PERIOD_NEGATIVE, &JR_FIELD(&spec, name),
                        "must be >= 0; negative values are invalid and will be treated as 1");
}

/* ---- addresses ---- */

static void warn_ip(struct jr_warnings *w, struct jr_str s, const struct jr_field_path *path)
{
    char text[JR_IP_TEXT_MAX];
    struct jr_ip ip;

    if (!jr_ip_parse(s, &ip))
        return;
    (void)jr_ip_format(&ip, text);
    if (ip.padded || ip.mapped)
        jr_warnings_add(w, JR_WARNING_ADDRESS_NON_STANDARD, path,
                        "non-standard IP address %s %s: use \"%s\"", jr_warn_quote(w, s),
                        jr_kube_has(w->version, JR_CHANGE_ADDRESSES_ARE_INVALID)
                            ? "is invalid"
                            : "will be considered invalid in a future Kubernetes release",
                        text);
    else if (!ip.v4 && !jr_str_is(s, text))
        jr_warnings_add(w, JR_WARNING_ADDRESS_NOT_CANONICAL, path,
                        "IPv6 address %s should be in RFC 5952 canonical format (\"%s\")",
                        jr_warn_quote(w, s), text);
}

static void warn_ips(struct jr_warnings *w, const struct jr_node *pod)
{
    const struct jr_field_path spec = JR_WARN_POD(w);
    const struct jr_field_path dns = JR_FIELD(&spec, "dnsConfig");
    const struct jr_field_path servers = JR_FIELD(&dns, "nameservers");
    const struct jr_field_path aliases = JR_FIELD(&spec, "hostAliases");

    JR_WARN_EACH(s, jr_path(pod, "dnsConfig.nameservers"), &servers, w)
        warn_ip(w, jr_node_str(s.node), &s.path);
    JR_WARN_EACH(a, jr_get(pod, "hostAliases"), &aliases, w)
        warn_ip(w, jr_get_str(a.node, "ip"), &JR_FIELD(&a.path, "ip"));
}

/* ---- the template ---- */

static void warn_seccomp(struct jr_warnings *w, const struct jr_node *template)
{
    const struct jr_node *annotations = jr_path(template, "metadata.annotations");
    const struct jr_field_path meta = JR_FIELD(w->at, "metadata");
    const struct jr_field_path path = JR_FIELD(&meta, "annotations");

    if (jr_unset(jr_path(template, "spec.securityContext.seccompProfile")) &&
        jr_get(annotations, JR_SECCOMP_ANNOTATION) != NULL)
        jr_warnings_add(w, JR_WARNING_SECCOMP_ANNOTATION,
                        &JR_FIELD_KEY(&path, JR_S(JR_SECCOMP_ANNOTATION)),
                        "non-functional in v1.27+; use the \"seccompProfile\" field instead");
}

void jr_pod_template_warnings(const struct jr_node *template, const struct jr_field_path *path,
                              const struct jr_profile *profile, struct jr_warnings *w)
{
    const struct jr_node *pod = jr_get(template, "spec");

    w->at = path;
    w->version = profile->version;
    jr_warn_node_labels(w, pod);
    jr_warn_spread(w, pod);
    warn_annotations(w, jr_path(template, "metadata.annotations"));
    jr_warn_volumes(w, pod);
    if (jr_kube_has(w->version, JR_CHANGE_WARNS_OF_OVERLAPS))
        jr_warn_overlaps(w, pod);
    warn_twice(w, jr_get(pod, "hostAliases"), "hostAliases", "ip");
    warn_pull_secrets(w, pod);
    warn_overhead(w, pod);
    warn_seccomp(w, template);
    jr_warn_containers(w, template);
    jr_warn_ports(w, pod);
    warn_grace(w, pod);
    jr_warn_pod_affinity(w, pod);
    if (jr_kube_has(w->version, JR_CHANGE_WARNS_OF_ADDRESSES))
        warn_ips(w, pod);
}
