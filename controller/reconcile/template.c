/* Pods out of the Job's template. Its text is spliced in, so that fields which this code doesn't
 * know survive. */
#include "common/schema/decode.h"
#include "common/schema/macros.h"
#include "controller/reconcile/internal.h"

#define MAX_POD_BYTES ((size_t)16 << 20)
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

const char *jr_pod_generate_name(struct jr_arena *a, struct jr_str job, int32_t index)
{
    const char *tail;

    if (index < 0)
        return jr_arena_printf(a, is_prefix(job) ? "%.*s-" : "%.*s", JR_P(job));
    tail = jr_arena_printf(a, "-%d-", (int)index);
    if (tail == NULL)
        return NULL;
    job = jr_str_head(job, GENERATED_NAME_MAX - strlen(tail));
    return jr_arena_printf(a, "%.*s%s", JR_P(job), tail);
}

/* ---- the environment of Indexed Jobs ---- */

static void write_index_env(struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "name", JR_S(INDEX_ENV));
    jr_w_key(w, "valueFrom");
    jr_w_object(w);
    jr_w_key(w, "fieldRef");
    jr_w_object(w);
    jr_w_kstr(w, "fieldPath", JR_S("metadata.labels['" JR_COMPLETION_INDEX "']"));
    jr_w_object_end(w);
    jr_w_object_end(w);
    jr_w_object_end(w);
}

TYPE_WITH(env_var, "EnvVar", DECODED(struct jr_str), STRING("name", ALONE(struct jr_str)));

/** The list `env` (n = 0: absent) with the index, unless it has a variable of that name. */
static enum jr_status write_env(struct jr_writer *w, struct jr_arena *a, struct jr_str env)
{
    struct jr_strs names = { NULL, 0 };
    struct jr_decoder d;
    struct jr_str value;
    enum jr_status st;
    bool more = false;

    if (env.n > 0) {
        st = jr_decode_lenient(env, a, false, jr_schema_decode_list, &env_var, &names, NULL);
        if (st != JR_OK)
            return st;
    }
    if (jr_strs_has(&names, JR_S(INDEX_ENV))) {
        jr_w_raw(w, env);
        return JR_OK;
    }
    jr_w_array(w);
    if (names.n > 0) {
        jr_decoder_init(&d, env, a, false);
        d.gate.lenient = true;
        st = jr_decode_array_begin(&d, &more, NULL);
        while (st == JR_OK && more) {
            st = jr_decode_array_next(&d, &more, NULL);
            if (st == JR_OK && more)
                st = jr_gate_skip(&d.gate, &value, NULL);
            if (st == JR_OK && more)
                jr_w_raw(w, value);
        }
        if (st != JR_OK)
            return st;
    }
    write_index_env(w);
    jr_w_array_end(w);
    return JR_OK;
}

static enum jr_status write_container(struct jr_writer *w, struct jr_arena *a,
                                      struct jr_str container)
{
    struct jr_decoder d;
    struct jr_str key, value;
    bool more, env = false;
    enum jr_status st;

    jr_decoder_init(&d, container, a, false);
    d.gate.lenient = true;
    st = jr_decode_object_begin(&d, &more, NULL);
    jr_w_object(w);
    while (st == JR_OK && more) {
        st = jr_decode_object_next(&d, &key, &more, NULL);
        if (st == JR_OK && more)
            st = jr_gate_skip(&d.gate, &value, NULL);
        if (st != JR_OK || !more)
            break;
        jr_w_keyn(w, key);
        if (jr_str_is(key, "env")) {
            st = write_env(w, a, value);
            env = true;
        } else {
            jr_w_raw(w, value);
        }
    }
    if (st == JR_OK && !env) {
        jr_w_key(w, "env");
        st = write_env(w, a, JR_S(""));
    }
    jr_w_object_end(w);
    return st;
}

static enum jr_status write_containers(struct jr_writer *w, struct jr_arena *a, struct jr_str list)
{
    struct jr_decoder d;
    struct jr_str value;
    enum jr_status st;
    bool more;

    jr_decoder_init(&d, list, a, false);
    d.gate.lenient = true;
    st = jr_decode_array_begin(&d, &more, NULL);
    if (st == JR_OK && !more) { /* null */
        jr_w_raw(w, list);
        return JR_OK;
    }
    jr_w_array(w);
    while (st == JR_OK && more) {
        st = jr_decode_array_next(&d, &more, NULL);
        if (st == JR_OK && more)
            st = jr_gate_skip(&d.gate, &value, NULL);
        if (st == JR_OK && more)
            st = write_container(w, a, value);
    }
    jr_w_array_end(w);
    return st;
}

/** The members of the Pod's spec, less hostname, which each index has of its own, and in the Pod
 * group if there is one. */
static enum jr_status write_spec_members(struct jr_writer *w, struct jr_arena *a,
                                         struct jr_str spec, struct jr_str pod_group)
{
    struct jr_decoder d;
    struct jr_str key, value;
    enum jr_status st;
    bool more;

    jr_decoder_init(&d, spec, a, false);
    d.gate.lenient = true;
    st = jr_decode_object_begin(&d, &more, NULL);
    while (st == JR_OK && more) {
        st = jr_decode_object_next(&d, &key, &more, NULL);
        if (st == JR_OK && more)
            st = jr_gate_skip(&d.gate, &value, NULL);
        if (st != JR_OK || !more)
            break;
        if (jr_str_is(key, "hostname") ||
            (pod_group.n > 0 && jr_str_is(key, "schedulingGroup"))) /* null, if it is there */
            continue;
        jr_w_keyn(w, key);
        if (jr_str_is(key, "containers") || jr_str_is(key, "initContainers"))
            st = write_containers(w, a, value);
        else
            jr_w_raw(w, value);
    }
    if (pod_group.n > 0) {
        jr_w_key(w, "schedulingGroup");
        jr_w_object(w);
        jr_w_kstr(w, "podGroupName", pod_group);
        jr_w_object_end(w);
    }
    return st;
}

/* ---- the Pod ---- */

TYPE(template, "PodTemplateSpec", ANY("spec", ALONE(struct jr_str)));

enum jr_status jr_template_open(struct jr_sync *s, struct jr_template *ret)
{
    struct jr_str raw = s->job->spec.template.raw, spec = { NULL, 0 };
    struct jr_arena *a = jr_turn(s);
    enum jr_status st = JR_OK;
    JR_BUF b = { 0 };
    struct jr_writer w;

    if (raw.n > 0)
        st = jr_decode_lenient(raw, a, false, jr_schema_decode, &template, &spec, NULL);
    if (spec.n == 0)
        spec = JR_S("{}");
    ret->spec = spec;
    if (st != JR_OK || !s->indexed)
        return st;
    jr_buf_init(&b, MAX_POD_BYTES);
    w = jr_writer_on(&b);
    st = write_spec_members(&w, a, spec, s->gang.pod_group);
    if (st == JR_OK)
        st = b.failed;
    if (st == JR_OK && !jr_arena_str(a, jr_buf_str(&b), &ret->spec))
        st = JR_NOMEM;
    return st;
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
    return jr_kept(s, jr_arena_printf(jr_turn(s), "%lld", (long long)v));
}

/** KEP-3850: the failures of the Pods of this index so far. */
static size_t failure_counts(struct jr_sync *s, const struct jr_rpod *held, struct jr_label *out)
{
    int64_t counted = 0, ignored = 0;
    size_t n = 0;

    if (held != NULL) {
        counted = jr_index_count(held->pod);
        ignored = jr_index_failures(held->pod) - counted;
        if (jr_failure_counts(s->job, held->pod))
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
    jr_w_key(w, "labels");
    jr_w_object(w);
    write_map(w, &s->job->spec.template.labels, own, n);
    jr_w_object_end(w);
    if (s->per_index)
        n += failure_counts(s, held, own + n);
    if (n == 0 && s->job->spec.template.annotations.n == 0)
        return;
    jr_w_key(w, "annotations");
    jr_w_object(w);
    write_map(w, &s->job->spec.template.annotations, own, n);
    jr_w_object_end(w);
}

static void write_metadata(struct jr_sync *s, struct jr_writer *w, int32_t index,
                           const struct jr_rpod *held)
{
    const struct jr_strs *finalizers = &s->job->spec.template.finalizers;
    struct jr_str tracking = s->snap.options->tracking_finalizer;
    const struct jr_meta *m = &s->job->meta;

    jr_w_object(w);
    jr_w_kstr(w, "generateName", jr_kept(s, jr_pod_generate_name(jr_turn(s), m->name, index)));
    jr_w_kstr(w, "namespace", s->snap.namespace);
    write_maps(s, w, index, held);
    jr_w_key(w, "finalizers");
    jr_w_array(w);
    for (size_t i = 0; i < finalizers->n; i++)
        jr_w_str(w, finalizers->v[i]);
    if (!jr_strs_has(finalizers, tracking))
        jr_w_str(w, tracking);
    jr_w_array_end(w);
    jr_w_key(w, "ownerReferences");
    jr_w_array(w);
    jr_owner_write(s, w);
    jr_w_array_end(w);
    jr_w_object_end(w);
}

enum jr_status jr_template_pod(struct jr_sync *s, const struct jr_template *t, int32_t index,
                               const struct jr_rpod *held, struct jr_str *ret)
{
    JR_BUF b = { 0 };
    struct jr_writer w;

    jr_buf_init(&b, MAX_POD_BYTES);
    w = jr_writer_on(&b);
    jr_w_object(&w);
    jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_w_kstr(&w, "kind", JR_S("Pod"));
    jr_w_key(&w, "metadata");
    write_metadata(s, &w, index, held);
    jr_w_key(&w, "spec");
    if (index < 0) {
        jr_w_raw(&w, t->spec);
    } else {
        jr_w_object(&w);
        jr_w_kstr(&w, "hostname",
                  jr_kept(s, jr_arena_printf(jr_turn(s), "%.*s-%d", JR_P(s->job->meta.name),
                                             (int)index)));
        if (t->spec.n > 0)
            (void)jr_buf_addc(&b, ',');
        (void)jr_buf_add(&b, t->spec);
        jr_w_object_end(&w);
    }
    jr_w_object_end(&w);
    if (b.failed != JR_OK)
        return b.failed;
    return jr_arena_str(jr_turn(s), jr_buf_str(&b), ret) ? JR_OK : JR_NOMEM;
}
