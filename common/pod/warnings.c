#include "common/pod/annotations.h"
#include "common/pod/warning_parts.h"
#include "common/rules/ip.h"
#include "common/schema/quantity.h"

/* Nobody reads more. */
#define WARNINGS_MAX 1000
#define MILLI (-3)

/* ---- the list ---- */

bool jr_warn_full(const struct jr_warnings *w)
{
    return w->failed != JR_OK || w->list.n >= WARNINGS_MAX;
}

void jr_warn_text(struct jr_warnings *w, const char *text)
{
    size_t cap = w->cap == 0 ? 8 : w->cap * 2;
    struct jr_str *v = w->list.v;

    if (text != NULL && w->list.n >= WARNINGS_MAX)
        return;
    if (text != NULL && w->list.n == w->cap) {
        v = jr_arena_calloc(w->arena, cap, sizeof(*v));
        if (v != NULL && w->list.n > 0)
            memcpy(v, w->list.v, w->list.n * sizeof(*v));
        w->cap = cap;
    }
    if (text == NULL || v == NULL) {
        w->failed = JR_NOMEM;
        return;
    }
    w->list.v = v;
    w->list.v[w->list.n++] = jr_str(text);
}

const char *jr_warn_quote(struct jr_warnings *w, struct jr_str s)
{
    JR_BUF quoted = { 0 };
    struct jr_str kept = JR_S("");

    jr_buf_init(&quoted, SIZE_MAX / 2);
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
    for (size_t i = 0; i < JR_ARRAY_SIZE(deprecated_annotations); i++) {
        if (jr_get(annotations, deprecated_annotations[i].key) != NULL)
            JR_WARN(w, "%s.metadata.annotations[%s]: %s", w->at, deprecated_annotations[i].key,
                    deprecated_annotations[i].words);
    }
}

/** Warns where two objects of a list say the same. */
static void warn_twice(struct jr_warnings *w, const struct jr_node *list, const char *name,
                       const char *member)
{
    struct jr_texts seen = JR_TEXTS(w);

    JR_WARN_EACH(e, list, w) {
        const struct jr_str s = jr_get_str(e.node, member);

        if (!jr_texts_add(&seen, s))
            JR_WARN(w, "%s.spec.%s[%zu].%s: duplicate %s %s", w->at, name, e.index, member, member,
                    jr_warn_quote(w, s));
    }
}

static void warn_pull_secrets(struct jr_warnings *w, const struct jr_node *pod)
{
    const struct jr_node *secrets = jr_get(pod, "imagePullSecrets");

    warn_twice(w, secrets, "imagePullSecrets", "name");
    JR_WARN_EACH(s, secrets, w) {
        if (jr_get_str(s.node, "name").n == 0)
            JR_WARN(w, "%s.spec.imagePullSecrets[%zu].name: invalid empty name \"\"", w->at,
                    s.index);
    }
}

void jr_warn_fraction(struct jr_warnings *w, const struct jr_node *quantities, const char *name,
                      const char *path)
{
    const struct jr_node *node = jr_get(quantities, name);
    JR_BUF shown = { 0 };
    struct jr_quantity q;

    if (node == NULL || jr_quantity_of(node, &q) != JR_OK ||
        jr_quantity_scaled(&q, MILLI) % 1000 == 0)
        return;
    jr_buf_init(&shown, 4 * (size_t)JR_QUANTITY_DIGITS);
    if (jr_quantity_write(&q, &shown) != JR_OK)
        w->failed = JR_NOMEM;
    else
        JR_WARN(w, "%s[%s]: fractional byte value %s is invalid, must be an integer", path, name,
                jr_warn_quote(w, jr_buf_str(&shown)));
}

static void warn_overhead(struct jr_warnings *w, const struct jr_node *pod)
{
    const struct jr_node *overhead = jr_get(pod, "overhead");
    const char *path = JR_FORMAT(w, "%s.spec.overhead", w->at);

    jr_warn_fraction(w, overhead, "memory", path);
    jr_warn_fraction(w, overhead, "ephemeral-storage", path);
}

static void warn_grace(struct jr_warnings *w, const struct jr_node *pod)
{
    if (jr_node_i64_or(jr_get(pod, "terminationGracePeriodSeconds"), 0) < 0)
        JR_WARN(w,
                "%s.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid "
                "and will be treated as 1",
                w->at);
}

/* ---- addresses ---- */

/** path: below the spec; after: behind its index. */
static void warn_ip(struct jr_warnings *w, struct jr_str s, const char *path, size_t i,
                    const char *after)
{
    char text[JR_IP_TEXT_MAX];
    struct jr_ip ip;

    if (!jr_ip_parse(s, &ip))
        return;
    (void)jr_ip_format(&ip, text);
    if (ip.padded || ip.mapped)
        JR_WARN(w, "%s.spec.%s[%zu]%s: non-standard IP address %s is invalid: use \"%s\"", w->at,
                path, i, after, jr_warn_quote(w, s), text);
    else if (!ip.v4 && !jr_str_is(s, text))
        JR_WARN(
            w, "%s.spec.%s[%zu]%s: IPv6 address %s should be in RFC 5952 canonical format (\"%s\")",
            w->at, path, i, after, jr_warn_quote(w, s), text);
}

static void warn_ips(struct jr_warnings *w, const struct jr_node *pod)
{
    JR_WARN_EACH(s, jr_path(pod, "dnsConfig.nameservers"), w)
        warn_ip(w, jr_node_str(s.node), "dnsConfig.nameservers", s.index, "");
    JR_WARN_EACH(a, jr_get(pod, "hostAliases"), w)
        warn_ip(w, jr_get_str(a.node, "ip"), "hostAliases", a.index, ".ip");
}

/* ---- the template ---- */

static void warn_seccomp(struct jr_warnings *w, const struct jr_node *template)
{
    const struct jr_node *annotations = jr_path(template, "metadata.annotations");

    if (jr_unset(jr_path(template, "spec.securityContext.seccompProfile")) &&
        jr_get(annotations, JR_SECCOMP_ANNOTATION) != NULL)
        JR_WARN(w,
                "%s.metadata.annotations[" JR_SECCOMP_ANNOTATION
                "]: non-functional in v1.27+; use the \"seccompProfile\" field instead",
                w->at);
}

void jr_pod_template_warnings(const struct jr_node *template, const char *path,
                              struct jr_warnings *w)
{
    const struct jr_node *pod = jr_get(template, "spec");

    w->at = path;
    jr_warn_node_labels(w, pod);
    jr_warn_spread(w, pod);
    warn_annotations(w, jr_path(template, "metadata.annotations"));
    jr_warn_volumes(w, pod);
    jr_warn_overlaps(w, pod);
    warn_twice(w, jr_get(pod, "hostAliases"), "hostAliases", "ip");
    warn_pull_secrets(w, pod);
    warn_overhead(w, pod);
    warn_seccomp(w, template);
    jr_warn_containers(w, template);
    jr_warn_ports(w, pod);
    warn_grace(w, pod);
    jr_warn_pod_affinity(w, pod);
    warn_ips(w, pod);
}
