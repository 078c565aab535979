/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values that limits are about, and keeps what many limits read. */
#include "common/policy/limit_values.h"

#include "common/base/hash.h"
#include "common/pod/image.h"
#include "common/schema/equal.h"

/* ---- values ---- */

const struct jr_node *jr_limit_root_of(const struct jr_limit *l, const struct jr_policy_job *job)
{
    if (l->of.root == JR_LIMIT_OF_CRON_JOB)
        return jr_get(job->cron_job, "spec");
    return jr_get(job->root, l->of.root == JR_LIMIT_OF_METADATA ? "metadata" : "spec");
}

int jr_limit_bound_cmp(const struct jr_limit_bound *a, const struct jr_limit_bound *b)
{
    if (a->kind == JR_BOUND_NONE || a->kind != b->kind)
        return 0;
    if (a->kind == JR_BOUND_QUANTITY)
        return a->q == NULL || b->q == NULL ? 0 : jr_quantity_cmp(a->q, b->q);
    return a->v < b->v ? -1 : a->v > b->v;
}

/** Reads a value as what the bound is; room: for a quantity. */
static bool read_as(enum jr_limit_bound_kind kind, const struct jr_node *node,
                    struct jr_limit_bound *ret, struct jr_quantity *room)
{
    *ret = (struct jr_limit_bound){ .kind = kind, .q = room };
    switch (kind) {
    case JR_BOUND_NUMBER:
        return jr_node_i64(node, &ret->v) == JR_OK;
    case JR_BOUND_QUANTITY:
        return jr_quantity_of(node, room) == JR_OK && jr_quantity_sign(room) >= 0;
    case JR_BOUND_DURATION:
        return jr_parse_duration_ms(jr_node_str(node), &ret->v) == JR_OK && ret->v >= 0;
    case JR_BOUND_NONE:
        break;
    }
    return false;
}

/** Returns a text, number or bool as JSON has it, a text without its quotes. */
struct jr_str jr_limit_text_of(const struct jr_node *node)
{
    const enum jr_kind kind = jr_node_kind(node);

    if (kind == JR_TRUE || kind == JR_FALSE)
        return kind == JR_TRUE ? JR_S("true") : JR_S("false");
    return kind == JR_NUMBER ? jr_node_number(node) : jr_node_str(node);
}

/** Whether a field is there: not what an API server would leave out, nor an empty text. */
bool jr_limit_is_set(const struct jr_limit *l, const struct jr_node *node)
{
    if (node == NULL || (jr_node_kind(node) == JR_STRING && jr_node_str(node).n == 0))
        return false;
    return l->of.field == NULL || l->of.steps[l->of.n - 1].kind != JR_STEP_FIELD ||
           !jr_schema_is_zero(l->of.field, node);
}

static bool tolerates(const struct jr_node *tolerations, struct jr_str key)
{
    JR_EACH(t, tolerations) {
        const struct jr_str k = jr_get_str(t, "key");

        if (k.n == 0 ? jr_str_is(jr_get_str(t, "operator"), "Exists") : jr_str_eq(k, key))
            return true;
    }
    return false;
}

static const struct jr_node *amount_of(const struct jr_node *resources, const char *side,
                                       struct jr_str key)
{
    const struct jr_node *amount = jr_getn(jr_get(resources, side), key);

    return jr_unset(amount) ? NULL : amount;
}

/** Finds what a container or a Pod has of a resource: of requests also its limit, which a Pod gets
 * for its request. */
static const struct jr_node *amount_as(const struct jr_limit *l, const struct jr_node *resources)
{
    const struct jr_node *request =
        l->as == JR_LIMIT_AS_REQUEST ? amount_of(resources, "requests", l->key) : NULL;

    return request != NULL ? request : amount_of(resources, "limits", l->key);
}

static bool is_zero(const struct jr_node *amount)
{
    struct jr_quantity q;

    return jr_quantity_of(amount, &q) == JR_OK && jr_quantity_sign(&q) == 0;
}

/** Whether the limit is on what the Pod itself has of a resource, which it need not have. */
bool jr_limit_is_of_pod(const struct jr_limit *l)
{
    return (l->as == JR_LIMIT_AS_REQUEST || l->as == JR_LIMIT_AS_LIMIT) && l->of.n_head == l->of.n;
}

/** Finds a container's amount, or the Pod's own, which also meets `required` for its containers: 0
 * doesn't. */
static struct jr_limit_value amount_value(const struct jr_limit *l, const struct jr_limit_walk *at,
                                          const struct jr_policy_job *job)
{
    const struct jr_node *of_pod = amount_as(l, jr_path(job->root, "spec.template.spec.resources"));
    struct jr_limit_value v = { .node = of_pod, .set = of_pod != NULL };

    if (!jr_limit_is_of_pod(l)) {
        v.node = amount_as(l, jr_get(at->at[l->of.n_head + 1], "resources"));
        v.set = v.node != NULL ? !jr_bool_or(l->required, false) || !is_zero(v.node)
                               : of_pod != NULL && !is_zero(of_pod);
    }
    v.text = jr_limit_text_of(v.node);
    return v;
}

/** Finds the Job's name, or one that an API server may make: five characters behind a prefix. */
static struct jr_limit_value name_value(const struct jr_policy_job *job, struct jr_buf *room)
{
    const struct jr_node *meta = jr_get(job->root, "metadata");
    struct jr_limit_value v = { .node = meta, .text = jr_get_str(meta, "name"), .set = true };

    if (v.text.n > 0)
        return v;
    (void)jr_buf_addf(room, "%.*sxxxxx", JR_P(jr_get_str(meta, "generateName")));
    v.text = jr_buf_str(room);
    return v;
}

/** Reads the value that a walk has come to. room: for a text that is in no object. */
struct jr_limit_value jr_limit_value_at(struct jr_evaluation *e, const struct jr_limit *l,
                                        const struct jr_limit_walk *at, bool old,
                                        struct jr_buf *room)
{
    const struct jr_policy_job *job = old ? &e->r->old : &e->r->job;
    const struct jr_node *node = at->at[l->of.n];
    struct jr_limit_value v = { .node = node, .text = jr_limit_text_of(node) };

    switch (l->as) {
    case JR_LIMIT_AS_IS:
        v.set = jr_limit_is_set(l, node);
        break;
    case JR_LIMIT_AS_SUSPEND:
        v.set = jr_node_bool_or(node, false);
        break;
    case JR_LIMIT_AS_TOLERATION:
        v.set = tolerates(node, l->key);
        break;
    case JR_LIMIT_AS_NAME:
        return name_value(job, room);
    case JR_LIMIT_AS_REQUEST:
    case JR_LIMIT_AS_LIMIT:
        return amount_value(l, at, job);
    case JR_LIMIT_AS_IMAGE:
        v.set = v.text.n > 0;
        if (v.set && jr_image_write_full(v.text, room) == JR_OK)
            v.text = jr_buf_str(room);
        break;
    case JR_LIMIT_AS_JOBS_PER_DAY:
    case JR_LIMIT_AS_SHORTEST_INTERVAL:
    case JR_LIMIT_AS_JOBS_AT_ONCE:
        v = (struct jr_limit_value){ .is_fact = true };
        v.set = jr_evaluation_cron_fact(e, l->as, old, &v.number);
        break;
    }
    return v;
}

/** Reads a value as what a bound is; room: for a quantity. */
bool jr_limit_value_read(enum jr_limit_bound_kind kind, const struct jr_limit_value *v,
                         struct jr_limit_bound *ret, struct jr_quantity *room)
{
    if (kind == JR_BOUND_QUANTITY && v->quantity != NULL)
        *ret = (struct jr_limit_bound){ .kind = kind, .q = v->quantity };
    else if (v->is_fact || (kind == JR_BOUND_NUMBER && v->is_number))
        *ret = (struct jr_limit_bound){ .kind = kind, .v = v->number };
    else
        return read_as(kind, v->node, ret, room);
    return true;
}

bool jr_limit_passes_over(const struct jr_limit *l, const struct jr_limit_walk *at)
{
    static const char *const generated[] = { "controller-uid", "job-name",
                                             "batch.kubernetes.io/controller-uid",
                                             "batch.kubernetes.io/job-name", NULL };

    return l->skips_generated && jr_one_of(jr_key(at->at[l->of.n]), generated);
}

/* ---- values that are known ---- */

#define PROBES 8

uint64_t jr_limit_reading(const struct jr_limit *l)
{
    const char how[] = { (char)l->of.root, (char)l->as, (char)jr_bool_or(l->required, false) };

    return jr_hash_more(jr_hash_more(jr_hash(l->of.text), l->key),
                        (struct jr_str){ how, sizeof(how) });
}

/** Takes memory for what is known. NULL: what there may be is used up, or e->failed says that there
 * is none. */
static void *keep(struct jr_evaluation *e, const void *what, size_t n)
{
    void *p;

    if (e->known.used + n > JR_POLICY_KNOWN_MAX)
        return NULL;
    p = jr_arena_alloc(&e->known, n == 0 ? 1 : n);
    if (p == NULL)
        e->failed = JR_NOMEM;
    else if (n > 0)
        memcpy(p, what, n);
    return p;
}

/** Makes a value independent of where it was read, and reads what bounds may ask for. */
static bool keep_value(struct jr_evaluation *e, const struct jr_limit *l, struct jr_limit_value *v)
{
    struct jr_quantity q;

    if (l->as == JR_LIMIT_AS_NAME || l->as == JR_LIMIT_AS_IMAGE) {
        v->text.p = keep(e, v->text.p, v->text.n);
        if (v->text.p == NULL)
            return false;
    }
    if (v->is_fact || v->node == NULL)
        return true;
    v->is_number = jr_node_i64(v->node, &v->number) == JR_OK;
    if (l->of.kind != JR_SCHEMA_QUANTITY && l->as != JR_LIMIT_AS_REQUEST &&
        l->as != JR_LIMIT_AS_LIMIT)
        return true;
    if (jr_quantity_of(v->node, &q) != JR_OK || jr_quantity_sign(&q) < 0)
        return true;
    v->quantity = keep(e, &q, sizeof(q));
    return v->quantity != NULL;
}

/** Reads what the limit looks at. Returns how many values there are, or one more than are kept
 * where one can't be. */
static size_t read_each(struct jr_evaluation *e, const struct jr_limit *l,
                        struct jr_limit_value v[JR_LIMIT_KNOWN_MAX])
{
    struct jr_limit_walk *at = &e->walk;
    JR_BUF room = { 0 };
    size_t n = 0;

    jr_buf_init(&room, JR_BUF_BY_INPUT);
    jr_limit_walk_begin(at, &l->of, jr_limit_root_of(l, &e->r->job));
    while (n <= JR_LIMIT_KNOWN_MAX && jr_limit_walk_next(at)) {
        if (jr_limit_passes_over(l, at))
            continue;
        if (n < JR_LIMIT_KNOWN_MAX) {
            jr_buf_reset(&room);
            v[n] = jr_limit_value_at(e, l, at, false, &room);
            if (room.failed != JR_OK)
                e->failed = JR_NOMEM;
            if (e->failed != JR_OK || !keep_value(e, l, &v[n]))
                return JR_LIMIT_KNOWN_MAX + 1;
        }
        n++;
    }
    return n;
}

JR_APART static void read_values(struct jr_evaluation *e, const struct jr_limit *l,
                                 struct jr_known_values *ret)
{
    struct jr_limit_value v[JR_LIMIT_KNOWN_MAX];

    ret->n = read_each(e, l, v);
    if (ret->n == 0 || ret->n > JR_LIMIT_KNOWN_MAX)
        return;
    for (size_t i = 0; i < ret->n; i++)
        ret->is_set |= v[i].set;
    ret->v = keep(e, v, ret->n * sizeof(v[0]));
    if (ret->v == NULL)
        ret->n = JR_LIMIT_KNOWN_MAX + 1;
}

struct jr_known_values *jr_limit_slot(struct jr_evaluation *e, uint64_t reading)
{
    for (size_t i = 0; i < PROBES; i++) {
        struct jr_known_values *slot = &e->values[(reading + i) % JR_EVALUATION_READINGS];

        if (slot->of == NULL || slot->reading == reading)
            return slot;
    }
    return NULL;
}

void jr_limit_read(struct jr_evaluation *e, const struct jr_limit *l, uint64_t reading,
                   struct jr_known_values *slot)
{
    slot->of = l;
    slot->reading = reading;
    read_values(e, l, slot);
}
