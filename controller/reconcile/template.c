/* SPDX-License-Identifier: Apache-2.0 */
/* Pods out of the Job's template. Its text is spliced in, so that fields which this code doesn't
 * know survive. */
#include "common/schema/decode.h"
#include "common/schema/macros.h"
#include "controller/reconcile/internal.h"
#include "controller/reconcile/pod_patches.h"

/* What the API server leaves of a generated name's base. */
#define GENERATED_NAME_MAX ((size_t)58)
#define INDEX_ENV "JOB_COMPLETION_INDEX"

/* ---- names ---- */

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/** Whether "<job>-" may begin a Pod's name: a DNS subdomain once something follows. */
static bool is_prefix(struct jr_str job)
{
    if (job.n == 0 || job.n > 252 || !is_alnum(job.p[0]))
        return false;
    for (size_t i = 0; i < job.n; i++) {
        char c = job.p[i];

        if (!is_alnum(c) && c != '-' && c != '.')
            return false;
        if (i > 0 && ((c == '.' && job.p[i - 1] == '-') || (job.p[i - 1] == '.' && !is_alnum(c))))
            return false;
    }
    return true;
}

struct jr_str jr_pod_generate_name(struct jr_arena *a, struct jr_str job, int32_t index)
{
    struct jr_str tail;

    if (index < 0)
        return jr_xarena_text(a, is_prefix(job) ? "%.*s-" : "%.*s", JR_P(job));
    tail = jr_xarena_text(a, "-%d-", (int)index);
    job = jr_str_head(job, GENERATED_NAME_MAX - tail.n);
    return jr_xarena_text(a, "%.*s%.*s", JR_P(job), JR_P(tail));
}

/* ---- going through the template ---- */

/** Where it is spliced in. */
struct splice {
    struct jr_writer w;
    struct jr_arena *a;
    enum jr_status st; /* of what couldn't be read; sticks */
};

/** Begins to go through an object or an array; false: it is null. */
static bool open_text(struct splice *p, struct jr_decoder *d, struct jr_str text, bool object)
{
    bool present = false;

    if (p->st != JR_OK)
        return false;
    jr_decoder_init(d, text, p->a, false);
    d->reader.lenient = true;
    p->st = jr_need(object ? jr_decode_object_begin(d, &present, NULL)
                           : jr_decode_array_begin(d, &present, NULL));
    return p->st == JR_OK && present;
}

/** The next member, or (key NULL) element. */
static bool next_value(struct splice *p, struct jr_decoder *d, struct jr_str *key,
                       struct jr_str *value)
{
    bool more = false;

    if (p->st != JR_OK)
        return false;
    p->st = key != NULL ? jr_decode_object_next(d, key, &more, NULL)
                        : jr_decode_array_next(d, &more, NULL);
    if (p->st == JR_OK && more)
        p->st = jr_reader_skip(&d->reader, value, NULL);
    return jr_need(p->st) == JR_OK && more;
}

/* ---- the environment of Indexed Jobs ---- */

static void write_index_env(struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "name", JR_S(INDEX_ENV));
    jr_w_kobject(w, "valueFrom");
    jr_w_kobject(w, "fieldRef");
    jr_w_kstr(w, "fieldPath", JR_S("metadata.labels['" JR_COMPLETION_INDEX "']"));
    jr_w_object_end(w);
    jr_w_object_end(w);
    jr_w_object_end(w);
}

TYPE_WITH(env_var, "EnvVar", DECODED(struct jr_str), STRING("name", ALONE(struct jr_str)));

/** The list `env` (n = 0: absent) with the index, unless it has a variable of that name. */
static void write_env(struct splice *p, struct jr_str env)
{
    struct jr_strs names = { NULL, 0 };
    struct jr_decoder d;
    struct jr_str value;

    if (env.n > 0)
        p->st = jr_need(
            jr_decode_lenient(env, p->a, false, jr_schema_decode_list, &env_var, &names, NULL));
    if (jr_strs_has(&names, JR_S(INDEX_ENV))) {
        jr_w_raw(&p->w, env);
        return;
    }
    jr_w_array(&p->w);
    if (names.n > 0 && open_text(p, &d, env, false)) {
        while (next_value(p, &d, NULL, &value))
            jr_w_raw(&p->w, value);
    }
    write_index_env(&p->w);
    jr_w_array_end(&p->w);
}

static void write_container(struct splice *p, struct jr_str container)
{
    struct jr_decoder d;
    struct jr_str key, value;
    bool env = false;

    jr_w_object(&p->w);
    if (open_text(p, &d, container, true)) {
        while (next_value(p, &d, &key, &value)) {
            jr_w_keyn(&p->w, key);
            if (jr_str_is(key, "env")) {
                write_env(p, value);
                env = true;
            } else {
                jr_w_raw(&p->w, value);
            }
        }
    }
    if (!env) {
        jr_w_key(&p->w, "env");
        write_env(p, JR_S(""));
    }
    jr_w_object_end(&p->w);
}

static void write_containers(struct splice *p, struct jr_str list)
{
    struct jr_decoder d;
    struct jr_str value;

    if (!open_text(p, &d, list, false)) {
        jr_w_raw(&p->w, list);
        return;
    }
    jr_w_array(&p->w);
    while (next_value(p, &d, NULL, &value))
        write_container(p, value);
    jr_w_array_end(&p->w);
}

/** The members of the Pod's spec, in the Pod group if there is one. indexed: less hostname, which
 * each index has of its own, and with its index for the containers. */
static void write_spec_members(struct splice *p, struct jr_str spec, bool indexed,
                               struct jr_str pod_group)
{
    struct jr_decoder d;
    struct jr_str key, value;

    if (!open_text(p, &d, spec, true))
        return;
    while (next_value(p, &d, &key, &value)) {
        if ((indexed && jr_str_is(key, "hostname")) ||
            (pod_group.n > 0 && jr_str_is(key, "schedulingGroup"))) /* null, if it is there */
            continue;
        jr_w_keyn(&p->w, key);
        if (indexed && (jr_str_is(key, "containers") || jr_str_is(key, "initContainers")))
            write_containers(p, value);
        else
            jr_w_raw(&p->w, value);
    }
    if (pod_group.n > 0) {
        jr_w_kobject(&p->w, "schedulingGroup");
        jr_w_kstr(&p->w, "podGroupName", pod_group);
        jr_w_object_end(&p->w);
    }
}

/* ---- the Pod ---- */

TYPE(template, "PodTemplateSpec", ANY("spec", ALONE(struct jr_str)));

enum jr_status jr_template_open(struct jr_sync *s, struct jr_template *ret)
{
    struct jr_str raw = s->job->spec.template.raw, spec = { NULL, 0 };
    JR_BUF b = { .max = JR_BUF_BY_INPUT };
    struct splice p = { jr_writer_on(&b), jr_stage_arena(s), JR_OK };

    if (raw.n > 0)
        p.st =
            jr_need(jr_decode_lenient(raw, p.a, false, jr_schema_decode, &template, &spec, NULL));
    if (spec.n == 0)
        spec = JR_S("{}");
    ret->spec = spec;
    if (!s->indexed && s->gang.pod_group.n == 0)
        return p.st;
    if (!s->indexed)
        jr_w_object(&p.w);
    write_spec_members(&p, spec, s->indexed, s->gang.pod_group);
    if (!s->indexed)
        jr_w_object_end(&p.w);
    ret->spec = jr_stage_body(s, &b);
    return p.st;
}

/** The template's labels or annotations, with those of our own, which replace equal ones. */
static void write_map(struct jr_writer *w, const struct jr_labels *map, const struct jr_label *own,
                      size_t n_own)
{
    for (size_t i = 0; i < map->n; i++) {
        bool replaced = false;

        for (size_t j = 0; j < n_own; j++)
            replaced = replaced || jr_str_eq(own[j].key, map->v[i].key);
        if (replaced)
            continue;
        jr_w_keyn(w, map->v[i].key);
        jr_w_str(w, map->v[i].value);
    }
    for (size_t j = 0; j < n_own; j++) {
        jr_w_keyn(w, own[j].key);
        jr_w_str(w, own[j].value);
    }
}

static struct jr_str number(struct jr_sync *s, int64_t v)
{
    return jr_xarena_text(jr_stage_arena(s), "%lld", (long long)v);
}

/** KEP-3850: the failures of the Pods of this index so far. */
static size_t failure_counts(struct jr_sync *s, const struct jr_rpod *held, struct jr_label *out)
{
    int64_t counted = 0, ignored = 0;
    size_t n = 0;

    if (held != NULL) {
        counted = jr_index_count(held->pod);
        ignored = jr_index_failures(held->pod) - counted;
        if (jr_failure_counts(s, held->pod))
            counted++;
        else
            ignored++;
    }
    out[n++] = (struct jr_label){ JR_S(JR_INDEX_FAILURE_COUNT), number(s, counted) };
    if (ignored > 0)
        out[n++] = (struct jr_label){ JR_S(JR_INDEX_IGNORED_FAILURE_COUNT), number(s, ignored) };
    return n;
}

static void write_maps(struct jr_sync *s, struct jr_writer *w, int32_t index,
                       const struct jr_rpod *held)
{
    struct jr_label own[3] = { 0 };
    size_t n = 0;

    if (index >= 0)
        own[n++] = (struct jr_label){ JR_S(JR_COMPLETION_INDEX), number(s, index) };
    jr_w_kobject(w, "labels");
    write_map(w, &s->job->spec.template.labels, own, n);
    jr_w_object_end(w);
    if (s->per_index)
        n += failure_counts(s, held, own + n);
    if (n == 0 && s->job->spec.template.annotations.n == 0)
        return;
    jr_w_kobject(w, "annotations");
    write_map(w, &s->job->spec.template.annotations, own, n);
    jr_w_object_end(w);
}

static void write_metadata(struct jr_sync *s, struct jr_writer *w, int32_t index,
                           const struct jr_rpod *held)
{
    const struct jr_strs *finalizers = &s->job->spec.template.finalizers;
    struct jr_str tracking = s->snap.options->tracking_finalizer;
    const struct jr_meta *m = &s->job->meta;

    jr_w_kobject(w, "metadata");
    jr_w_kstr(w, "generateName", jr_pod_generate_name(jr_stage_arena(s), m->name, index));
    jr_w_kstr(w, "namespace", s->snap.namespace);
    write_maps(s, w, index, held);
    jr_w_karray(w, "finalizers");
    for (size_t i = 0; i < finalizers->n; i++)
        jr_w_str(w, finalizers->v[i]);
    if (!jr_strs_has(finalizers, tracking))
        jr_w_str(w, tracking);
    jr_w_array_end(w);
    jr_w_karray(w, "ownerReferences");
    jr_owner_write(s->job, w);
    jr_w_array_end(w);
    jr_w_object_end(w);
}

struct jr_str jr_template_pod(struct jr_sync *s, const struct jr_template *t, int32_t index,
                              const struct jr_rpod *held)
{
    JR_BUF b = { .max = JR_BUF_BY_INPUT };
    struct jr_writer w = jr_writer_on(&b);

    jr_w_object(&w);
    jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_w_kstr(&w, "kind", JR_S("Pod"));
    write_metadata(s, &w, index, held);
    if (index < 0) {
        jr_w_key(&w, "spec");
        jr_w_raw(&w, t->spec);
    } else {
        jr_w_kobject(&w, "spec");
        jr_w_kstr(
            &w, "hostname",
            jr_xarena_text(jr_stage_arena(s), "%.*s-%d", JR_P(s->job->meta.name), (int)index));
        if (t->spec.n > 0)
            (void)jr_buf_addc(&b, ',');
        (void)jr_buf_add(&b, t->spec);
        jr_w_object_end(&w);
    }
    jr_w_object_end(&w);
    return jr_stage_body(s, &b);
}
