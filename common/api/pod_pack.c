/* SPDX-License-Identifier: Apache-2.0 */
/* A Pod as the controller keeps it: one allocation, with the texts behind the struct. */
#include "common/api/job.h"
#include "common/api/pod_draft.h"

#define KNOWN UINT32_C(0x80000000) /* the rest is an index into well_known */

/* Texts that most Pods of Jobs carry: they cost nothing. */
#define TEXT(lit)               \
    {                           \
        "" lit, sizeof(lit) - 1 \
    }
static const struct jr_str well_known[] = {
    TEXT(JR_LABEL_CONTROLLER_UID),
    TEXT(JR_LABEL_JOB_NAME),
    TEXT(JR_LABEL_CONTROLLER_UID_LEGACY),
    TEXT(JR_LABEL_JOB_NAME_LEGACY),
    TEXT(JR_COMPLETION_INDEX),
    TEXT(JR_JOB_TRACKING_FINALIZER),
    TEXT("batch/v1"),
    TEXT("Job"),
    TEXT("default"),
    TEXT("True"),
    TEXT("False"),
    TEXT("Unknown"),
    TEXT("PodReadyToStartContainers"),
    TEXT("PodScheduled"),
    TEXT("Initialized"),
    TEXT("ContainersReady"),
    TEXT("Ready"),
    TEXT("DisruptionTarget"),
    TEXT("0"),
    TEXT(""),
};

/** A Pod in the making: all of it, in memory that has room for the longest it can get. Each text
 * stands behind its length; equal ones stand there once. */
struct image {
    char *p;
    size_t n;
    uint32_t seen[32]; /* the last ones, for reuse; a ring */
    size_t seen_n;
};

#define LENGTH_MAX ((size_t)5) /* bytes of a text's length: seven bits each, the low ones first */

static size_t put_length(char *to, size_t n)
{
    size_t i = 0;

    for (; n >= 128; n >>= 7)
        to[i++] = (char)(unsigned char)(n | 128);
    to[i++] = (char)n;
    return i;
}

static struct jr_str text_at(const char *base, uint32_t at)
{
    const unsigned char *p = (const unsigned char *)base + at;
    struct jr_str s = { NULL, 0 };
    unsigned shift = 0;

    for (; *p >= 128; shift += 7)
        s.n |= (size_t)(*p++ & 127) << shift;
    s.n |= (size_t)*p++ << shift;
    s.p = (const char *)p;
    return s;
}

static struct jr_pod_text find_text(const struct image *image, struct jr_str s)
{
    size_t have = image->seen_n;

    for (uint32_t i = 0; i < JR_ARRAY_SIZE(well_known); i++) {
        if (jr_str_eq(s, well_known[i]))
            return (struct jr_pod_text){ KNOWN | i };
    }
    if (have > JR_ARRAY_SIZE(image->seen))
        have = JR_ARRAY_SIZE(image->seen);
    for (size_t i = 0; i < have; i++) {
        if (jr_str_eq(s, text_at(image->p, image->seen[i])))
            return (struct jr_pod_text){ image->seen[i] };
    }
    return (struct jr_pod_text){ 0 };
}

static struct jr_pod_text put_text(struct image *image, struct jr_str s)
{
    struct jr_pod_text t = { 0 };

    if (s.p == NULL)
        return t;
    t = find_text(image, s);
    if (t.at != 0)
        return t;
    t.at = (uint32_t)image->n;
    image->n += put_length(image->p + image->n, s.n);
    if (s.n > 0)
        memcpy(image->p + image->n, s.p, s.n);
    image->n += s.n;
    image->seen[image->seen_n++ % JR_ARRAY_SIZE(image->seen)] = t.at;
    return t;
}

static struct jr_str str_at(const char *base, struct jr_pod_text t)
{
    if (t.at == 0)
        return (struct jr_str){ NULL, 0 };
    return (t.at & KNOWN) != 0 ? well_known[t.at & ~KNOWN] : text_at(base, t.at);
}

/** The texts of a Pod that are borrowed in full length: they point into the Pod itself. */
struct plain {
    struct jr_str *str;
    struct jr_pod_text text;
};
#define N_PLAIN 3

static void list_plain(struct jr_pod *pod, struct plain v[N_PLAIN])
{
    struct jr_str *const all[N_PLAIN] = { &pod->namespace, &pod->name, &pod->uid };

    for (size_t i = 0; i < N_PLAIN; i++)
        v[i].str = all[i];
}

/** Where the arrays lie behind the struct, the one with the widest elements first. */
struct layout {
    size_t conditions, containers, labels, finalizers, texts;
};

static struct layout layout_of(const struct jr_pod_draft *d)
{
    struct layout l = { .conditions = sizeof(struct jr_pod) };

    l.containers = l.conditions + d->conditions.n * sizeof(struct jr_pod_condition);
    l.labels = l.containers +
               (d->containers.n + d->init_containers.n) * sizeof(struct jr_container_status);
    l.finalizers = l.labels + d->labels.n * sizeof(struct jr_pod_label);
    l.texts = l.finalizers + d->finalizers.n * sizeof(struct jr_pod_text);
    return l;
}

/** The most bytes that the texts can take. */
static size_t texts_max(const struct jr_pod_draft *d)
{
    const struct jr_str plain[] = { d->pod.namespace,
                                    d->pod.name,
                                    d->pod.uid,
                                    d->resource_version,
                                    d->completion_index,
                                    d->controller == NULL ? JR_S("") : d->controller->name,
                                    d->controller == NULL ? JR_S("") : d->controller->uid,
                                    d->controller == NULL ? JR_S("") : d->controller->api_version,
                                    d->controller == NULL ? JR_S("") : d->controller->kind,
                                    d->index_failure_count,
                                    d->index_ignored_failure_count,
                                    d->node_name };
    size_t n = 0;

    for (size_t i = 0; i < JR_ARRAY_SIZE(plain); i++)
        n += plain[i].n + LENGTH_MAX;
    for (size_t i = 0; i < d->labels.n; i++)
        n += d->labels.v[i].key.n + d->labels.v[i].value.n + 2 * LENGTH_MAX;
    for (size_t i = 0; i < d->finalizers.n; i++)
        n += d->finalizers.v[i].n + LENGTH_MAX;
    for (size_t i = 0; i < d->conditions.n; i++)
        n += d->conditions.v[i].type.n + d->conditions.v[i].status.n + 2 * LENGTH_MAX;
    for (size_t i = 0; i < d->containers.n; i++)
        n += d->containers.v[i].name.n + LENGTH_MAX;
    for (size_t i = 0; i < d->init_containers.n; i++)
        n += d->init_containers.v[i].name.n + LENGTH_MAX;
    return n;
}

/** An array of n elements in the Pod; NULL where there are none. */
static void *array_at(char *base, size_t at, size_t n)
{
    return n == 0 ? NULL : base + at;
}

/** Lets the Pod's arrays be where they lie. */
static void set_arrays(struct jr_pod *pod, const struct jr_pod_draft *d, const struct layout *l)
{
    char *base = (char *)pod;

    pod->conditions.n = d->conditions.n;
    pod->conditions.v = array_at(base, l->conditions, pod->conditions.n);
    pod->containers.n = d->containers.n + d->init_containers.n;
    pod->containers.v = array_at(base, l->containers, pod->containers.n);
    pod->labels.n = d->labels.n;
    pod->labels.v = array_at(base, l->labels, pod->labels.n);
    pod->finalizers.n = d->finalizers.n;
    pod->finalizers.v = array_at(base, l->finalizers, pod->finalizers.n);
}

static void put_containers(struct image *image, struct jr_container_status *to,
                           const struct jr_container_drafts *from)
{
    for (size_t i = 0; i < from->n; i++) {
        to[i] = from->v[i].status;
        to[i].name = put_text(image, from->v[i].name);
    }
}

static void put_arrays(struct image *image, struct jr_pod *pod, const struct jr_pod_draft *d)
{
    for (size_t i = 0; i < d->labels.n; i++)
        pod->labels.v[i] = (struct jr_pod_label){ put_text(image, d->labels.v[i].key),
                                                  put_text(image, d->labels.v[i].value) };
    for (size_t i = 0; i < d->finalizers.n; i++)
        pod->finalizers.v[i] = put_text(image, d->finalizers.v[i]);
    for (size_t i = 0; i < d->conditions.n; i++)
        pod->conditions.v[i] =
            (struct jr_pod_condition){ put_text(image, d->conditions.v[i].type),
                                       put_text(image, d->conditions.v[i].status) };
    put_containers(image, pod->containers.v, &d->containers);
    if (d->init_containers.n > 0)
        put_containers(image, pod->containers.v + d->containers.n, &d->init_containers);
}

static void put_fields(struct image *image, struct jr_pod *pod, const struct jr_pod_draft *d)
{
    if (d->controller != NULL) {
        pod->controller.api_version = put_text(image, d->controller->api_version);
        pod->controller.kind = put_text(image, d->controller->kind);
        pod->controller.name = put_text(image, d->controller->name);
        pod->controller.uid = put_text(image, d->controller->uid);
    }
    pod->resource_version = put_text(image, d->resource_version);
    pod->completion_index = put_text(image, d->completion_index);
    pod->index_failure_count = put_text(image, d->index_failure_count);
    pod->index_ignored_failure_count = put_text(image, d->index_ignored_failure_count);
    pod->node_name = put_text(image, d->node_name);
}

/** A Pod's size changes a little with each of its events. What one leaves behind is of use to the
 * next if there are few sizes; less by what the allocator itself puts in front. */
static size_t round_up(size_t n)
{
    return ((n + sizeof(size_t) + 63) & ~(size_t)63) - sizeof(size_t);
}

/** Makes the image in the arena, then the Pod, a copy. */
enum jr_status jr_pod_pack(const struct jr_pod_draft *d, struct jr_arena *arena,
                           struct jr_pod **ret)
{
    const struct layout l = layout_of(d);
    const size_t max = l.texts + texts_max(d);
    struct plain plain[N_PLAIN];
    struct image image = { .n = l.texts };
    struct jr_pod *pod;
    size_t size;

    if (max >= KNOWN)
        return JR_LIMIT;
    image.p = jr_arena_alloc(arena, max);
    if (image.p == NULL)
        return JR_NOMEM;
    pod = (struct jr_pod *)(void *)image.p;
    *pod = d->pod;
    set_arrays(pod, d, &l);
    list_plain(pod, plain);
    for (size_t i = 0; i < N_PLAIN; i++)
        plain[i].text = put_text(&image, *plain[i].str);
    put_fields(&image, pod, d);
    put_arrays(&image, pod, d);
    size = round_up(image.n);
    pod = malloc(size);
    if (pod == NULL)
        return JR_NOMEM;
    memcpy(pod, image.p, image.n);
    pod->refs = 1;
    pod->size_bytes = (uint32_t)size;
    set_arrays(pod, d, &l);
    list_plain(pod, plain);
    for (size_t i = 0; i < N_PLAIN; i++)
        *plain[i].str = str_at((const char *)pod, plain[i].text);
    *ret = pod;
    return JR_OK;
}

struct jr_str jr_pod_str(const struct jr_pod *pod, struct jr_pod_text t)
{
    return str_at((const char *)pod, t);
}
