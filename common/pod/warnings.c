#include "common/pod/warnings.h"

#include "common/rules/quantity.h"
#include "common/rules/texts.h"

/* Nobody reads more; and of ports each pair counts. */
#define WARNINGS_MAX 1000
#define PORTS_MAX 2000
#define MILLI (-3)

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

static const struct {
    const char *label;
    const char *words;
} deprecated_labels[] = {
    { "beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead" },
    { "beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead" },
    { "failure-domain.beta.kubernetes.io/region",
      "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead" },
    { "failure-domain.beta.kubernetes.io/zone",
      "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead" },
    { "beta.kubernetes.io/instance-type",
      "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead" },
    { "app.kubernetes.io/created-by", "deprecated since v1.9" },
    { "scheduler.alpha.kubernetes.io/preferAvoidPods",
      "deprecated since v1.22; use Taints and Tolerations instead" },
    { "node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead" },
};

static void warn_node_selector(struct jr_warnings *w, const struct jr_node *pod)
{
    for (const struct jr_node *m = jr_first(jr_get(pod, "nodeSelector")); m != NULL;
         m = jr_next(m)) {
        for (size_t i = 0; i < JR_ARRAY_SIZE(deprecated_labels); i++) {
            if (jr_str_is(jr_key(m), deprecated_labels[i].label))
                JR_WARN(w, "%s.spec.nodeSelector[%s]: %s", w->at, deprecated_labels[i].label,
                        deprecated_labels[i].words);
        }
    }
}

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

static const struct {
    const char *source;
    const char *words;
} deprecated_volumes[] = {
    { "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+" },
    { "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+" },
    { "scaleIO", "deprecated in v1.16, non-functional in v1.22+" },
    { "flocker", "deprecated in v1.22, non-functional in v1.25+" },
    { "storageos", "deprecated in v1.22, non-functional in v1.25+" },
    { "quobyte", "deprecated in v1.22, non-functional in v1.25+" },
    { "glusterfs", "deprecated in v1.25, non-functional in v1.26+" },
    { "cephfs", "deprecated in v1.28, non-functional in v1.31+" },
    { "rbd", "deprecated in v1.28, non-functional in v1.31+" },
};

static void warn_volumes(struct jr_warnings *w, const struct jr_node *pod)
{
    size_t i = 0;

    for (const struct jr_node *v = jr_first(jr_get(pod, "volumes")); v != NULL;
         v = jr_next(v), i++) {
        for (size_t k = 0; k < JR_ARRAY_SIZE(deprecated_volumes); k++) {
            const char *source = deprecated_volumes[k].source;

            if (jr_unset(jr_get(v, source)))
                continue;
            /* upstream's path is the field's name in Go with a lower case letter in front */
            if (strcmp(source, "storageos") == 0)
                source = "storageOS";
            JR_WARN(w, "%s.spec.volumes[%zu].%s: %s", w->at, i, source,
                    deprecated_volumes[k].words);
        }
    }
}

static void quoted(struct jr_warnings *w, struct jr_str s, struct jr_buf *out)
{
    jr_buf_init(out, 4 * s.n + 16);
    if (jr_field_quote(s, out) != JR_OK)
        w->failed = out->failed;
}

static void warn_pull_secrets(struct jr_warnings *w, const struct jr_node *pod)
{
    const struct jr_node *secrets = jr_get(pod, "imagePullSecrets");
    struct jr_texts seen = { .arena = w->arena };
    size_t i = 0;

    for (const struct jr_node *s = jr_first(secrets); s != NULL; s = jr_next(s), i++) {
        const struct jr_str name = jr_get_str(s, "name");
        JR_BUF text = { 0 };

        if (jr_texts_add(&seen, name))
            continue;
        quoted(w, name, &text);
        JR_WARN(w, "%s.spec.imagePullSecrets[%zu].name: duplicate name %.*s", w->at, i,
                JR_P(jr_buf_str(&text)));
    }
    i = 0;
    for (const struct jr_node *s = jr_first(secrets); s != NULL; s = jr_next(s), i++) {
        if (jr_get_str(s, "name").n == 0)
            JR_WARN(w, "%s.spec.imagePullSecrets[%zu].name: invalid empty name \"\"", w->at, i);
    }
    if (seen.failed)
        w->failed = JR_NOMEM;
}

/** Whether a second definition loses the first one: it doesn't refer to it as $(NAME). */
static bool hides_previous(const struct jr_node *env, struct jr_arena *arena)
{
    const struct jr_str name = jr_get_str(env, "name"), value = jr_get_str(env, "value");
    const char *ref = jr_arena_printf(arena, "$(%.*s)", JR_P(name));

    if (!jr_unset(jr_get(env, "valueFrom")) || ref == NULL || jr_str_is(value, ref))
        return true;
    return value.n == 0 || memmem(value.p, value.n, ref, strlen(ref)) == NULL;
}

static void warn_env(struct jr_warnings *w, const struct jr_node *env, const char *list, size_t at)
{
    struct jr_texts seen = { .arena = w->arena };
    size_t i = 0;

    for (const struct jr_node *e = jr_first(env); e != NULL; e = jr_next(e), i++) {
        const struct jr_str name = jr_get_str(e, "name");
        JR_BUF text = { 0 };

        if (jr_texts_add(&seen, name) || !hides_previous(e, w->arena))
            continue;
        quoted(w, name, &text);
        JR_WARN(w,
                "%s.spec.%s[%zu].env[%zu]: hides previous definition of %.*s, which may "
                "be dropped when using apply",
                w->at, list, at, i, JR_P(jr_buf_str(&text)));
    }
    if (seen.failed)
        w->failed = JR_NOMEM;
}

/** Bytes come whole. */
static void warn_fraction(struct jr_warnings *w, const struct jr_node *quantities, const char *name,
                          const char *path)
{
    const struct jr_node *node = jr_get(quantities, name);
    JR_BUF shown = { 0 }, text = { 0 };
    struct jr_quantity q, rounded;

    if (node == NULL || jr_quantity_of(node, &q) != JR_OK)
        return;
    rounded = q;
    (void)jr_quantity_round_up(&rounded, MILLI);
    if (jr_quantity_whole(&rounded))
        return;
    jr_buf_init(&shown, 4 * (size_t)JR_QUANTITY_DIGITS);
    if (jr_quantity_write(&q, &shown) != JR_OK)
        w->failed = shown.failed;
    quoted(w, jr_buf_str(&shown), &text);
    JR_WARN(w, "%s[%s]: fractional byte value %.*s is invalid, must be an integer", path, name,
            JR_P(jr_buf_str(&text)));
}

static const char *const byte_resources[] = { "memory", "ephemeral-storage" };

static void warn_overhead(struct jr_warnings *w, const struct jr_node *pod)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(byte_resources); i++)
        warn_fraction(w, jr_get(pod, "overhead"), byte_resources[i],
                      jr_arena_printf(w->arena, "%s.spec.overhead", w->at));
}

static void warn_resources(struct jr_warnings *w, const struct jr_node *resources, const char *list,
                           size_t at)
{
    static const char *const kinds[] = { "limits", "requests" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(byte_resources); i++) {
        for (size_t k = 0; k < JR_ARRAY_SIZE(kinds); k++) {
            const char *path = jr_arena_printf(w->arena, "%s.spec.%s[%zu].resources.%s", w->at,
                                               list, at, kinds[k]);

            if (path == NULL)
                w->failed = JR_NOMEM;
            else
                warn_fraction(w, jr_get(resources, kinds[k]), byte_resources[i], path);
        }
    }
}

/* In the order in which upstream visits them. */
static const char *const container_lists[] = { "initContainers", "containers",
                                               "ephemeralContainers" };

static void warn_containers(struct jr_warnings *w, const struct jr_node *pod)
{
    for (size_t k = 0; k < JR_ARRAY_SIZE(container_lists); k++) {
        size_t i = 0;

        for (const struct jr_node *c = jr_first(jr_get(pod, container_lists[k])); c != NULL;
             c = jr_next(c), i++) {
            warn_resources(w, jr_get(c, "resources"), container_lists[k], i);
            warn_env(w, jr_get(c, "env"), container_lists[k], i);
        }
    }
}

/* ---- ports of all containers ---- */

struct port {
    const char *path;
    int64_t port;
    struct jr_str protocol;
    int64_t host_port;
    struct jr_str host_ip;
    struct jr_str name;
};
struct ports {
    struct port *v;
    size_t n;
};

static size_t count_ports(const struct jr_node *pod)
{
    size_t n = 0;

    for (size_t k = 0; k < JR_ARRAY_SIZE(container_lists); k++) {
        for (const struct jr_node *c = jr_first(jr_get(pod, container_lists[k])); c != NULL;
             c = jr_next(c))
            n += jr_size(jr_get(c, "ports"));
    }
    return n;
}

static void list_ports(struct jr_warnings *w, const struct jr_node *container, const char *list,
                       size_t at, struct ports *ports)
{
    size_t i = 0;

    for (const struct jr_node *p = jr_first(jr_get(container, "ports")); p != NULL;
         p = jr_next(p), i++) {
        struct port *to = &ports->v[ports->n++];

        *to = (struct port){
            .path = jr_arena_printf(w->arena, "%s.spec.%s[%zu].ports[%zu]", w->at, list, at, i),
            .port = jr_node_i64_or(jr_get(p, "containerPort"), 0),
            .protocol = jr_get_str(p, "protocol"),
            .host_port = jr_node_i64_or(jr_get(p, "hostPort"), 0),
            .host_ip = jr_get_str(p, "hostIP"),
            .name = jr_get_str(p, "name"),
        };
        if (to->path == NULL)
            w->failed = JR_NOMEM;
    }
}

static void warn_port_pair(struct jr_warnings *w, const struct port *p, const struct port *other)
{
    bool same_ip = jr_str_eq(p->host_ip, other->host_ip);

    if (p->port != other->port || !jr_str_eq(p->protocol, other->protocol))
        return;
    if (same_ip && p->host_port == other->host_port)
        JR_WARN(w, "%s: duplicate port definition with %s", p->path, other->path);
    else if (p->host_port == 0 || other->host_port == 0)
        JR_WARN(w, "%s: overlapping port definition with %s", p->path, other->path);
    else if (p->host_port == other->host_port && (p->host_ip.n == 0) != (other->host_ip.n == 0))
        JR_WARN(w, "%s: dangerously ambiguous port definition with %s", p->path, other->path);
}

static void warn_port(struct jr_warnings *w, const struct ports *ports, size_t i)
{
    const struct port *p = &ports->v[i];

    if (p->host_ip.n > 0 && p->host_port == 0)
        JR_WARN(w,
                "%s: hostIP set without hostPort: {Name:%.*s HostPort:0 ContainerPort:%lld "
                "Protocol:%.*s HostIP:%.*s}",
                p->path, JR_P(p->name), (long long)p->port, JR_P(p->protocol), JR_P(p->host_ip));
    for (size_t k = 0; k < i; k++)
        warn_port_pair(w, p, &ports->v[k]);
}

static void warn_port_name(struct jr_warnings *w, const struct ports *ports, size_t i)
{
    const struct port *p = &ports->v[i];
    JR_BUF name = { 0 };
    size_t k = 0;

    while (k < i && !jr_str_eq(p->name, ports->v[k].name))
        k++;
    if (p->name.n == 0 || k == i)
        return;
    quoted(w, p->name, &name);
    JR_WARN(
        w,
        "%s: duplicate port name %.*s with %s, services and probes that select ports by name will "
        "use %s",
        p->path, JR_P(jr_buf_str(&name)), ports->v[k].path, ports->v[k].path);
}

static void warn_ports(struct jr_warnings *w, const struct jr_node *pod)
{
    const size_t n = count_ports(pod);
    struct ports ports = { NULL, 0 };

    if (n == 0 || n > PORTS_MAX)
        return;
    ports.v = jr_arena_calloc(w->arena, n, sizeof(*ports.v));
    if (ports.v == NULL) {
        w->failed = JR_NOMEM;
        return;
    }
    for (size_t k = 0; k < JR_ARRAY_SIZE(container_lists); k++) {
        size_t i = 0;

        for (const struct jr_node *c = jr_first(jr_get(pod, container_lists[k])); c != NULL;
             c = jr_next(c), i++)
            list_ports(w, c, container_lists[k], i, &ports);
    }
    for (size_t i = 0; i < ports.n && w->failed == JR_OK; i++)
        warn_port(w, &ports, i);
    for (size_t i = 0; i < ports.n && w->failed == JR_OK; i++)
        warn_port_name(w, &ports, i);
}

void jr_pod_template_warnings(const struct jr_node *template, const char *path,
                              struct jr_warnings *w)
{
    const struct jr_node *pod = jr_get(template, "spec");

    w->at = path;
    warn_node_selector(w, pod);
    warn_annotations(w, jr_path(template, "metadata.annotations"));
    warn_volumes(w, pod);
    warn_pull_secrets(w, pod);
    warn_overhead(w, pod);
    warn_containers(w, pod);
    warn_ports(w, pod);
    if (jr_node_i64_or(jr_get(pod, "terminationGracePeriodSeconds"), 0) < 0)
        JR_WARN(w,
                "%s.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid "
                "and will be treated as 1",
                w->at);
}
