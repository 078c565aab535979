#include "common/api/meta.h"

#include "common/api/parts.h"

static const struct jr_field owner_ref_fields[] = {
    { "apiVersion", offsetof(struct jr_owner_ref, api_version), jr_decode_str, NULL },
    { "kind", offsetof(struct jr_owner_ref, kind), jr_decode_str, NULL },
    { "name", offsetof(struct jr_owner_ref, name), jr_decode_str, NULL },
    { "uid", offsetof(struct jr_owner_ref, uid), jr_decode_str, NULL },
    { "controller", offsetof(struct jr_owner_ref, controller), jr_decode_opt_bool, NULL },
    { "blockOwnerDeletion", offsetof(struct jr_owner_ref, block_owner_deletion), jr_decode_opt_bool,
      NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc owner_ref_desc = { owner_ref_fields };
const struct jr_array_desc jr_owner_refs_desc = { sizeof(struct jr_owner_ref), jr_decode_object,
                                                  &owner_ref_desc, 0 };

static const struct jr_field meta_fields[] = {
    { "name", offsetof(struct jr_meta, name), jr_decode_str, NULL },
    { "generateName", offsetof(struct jr_meta, generate_name), jr_decode_str, NULL },
    { "namespace", offsetof(struct jr_meta, namespace), jr_decode_str, NULL },
    { "uid", offsetof(struct jr_meta, uid), jr_decode_str, NULL },
    { "resourceVersion", offsetof(struct jr_meta, resource_version), jr_decode_str, NULL },
    { "generation", offsetof(struct jr_meta, generation), jr_decode_i64, NULL },
    { "creationTimestamp", offsetof(struct jr_meta, creation_timestamp), jr_decode_time, NULL },
    { "deletionTimestamp", offsetof(struct jr_meta, deletion_timestamp), jr_decode_time, NULL },
    { "deletionGracePeriodSeconds", offsetof(struct jr_meta, deletion_grace_period_s),
      jr_decode_opt_i64, NULL },
    { "labels", offsetof(struct jr_meta, labels), jr_decode_labels, NULL },
    { "annotations", offsetof(struct jr_meta, annotations), jr_decode_labels, NULL },
    { "ownerReferences", offsetof(struct jr_meta, owner_refs), jr_decode_array,
      &jr_owner_refs_desc },
    { "finalizers", offsetof(struct jr_meta, finalizers), jr_decode_strs, NULL },
    { NULL, 0, NULL, NULL },
};
const struct jr_object_desc jr_meta_desc = { meta_fields };

static const struct jr_array_desc strs_desc = { sizeof(struct jr_str), jr_decode_text, NULL, 0 };

static const struct jr_field selector_req_fields[] = {
    { "key", offsetof(struct jr_selector_req, key), jr_decode_str, NULL },
    { "operator", offsetof(struct jr_selector_req, op), jr_decode_str, NULL },
    { "values", offsetof(struct jr_selector_req, values), jr_decode_strs, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc selector_req_desc = { selector_req_fields };
static const struct jr_array_desc selector_reqs_desc = { sizeof(struct jr_selector_req),
                                                         jr_decode_object, &selector_req_desc, 0 };
static const struct jr_field selector_fields[] = {
    { "matchLabels", offsetof(struct jr_selector, match_labels), jr_decode_labels, NULL },
    { "matchExpressions", offsetof(struct jr_selector, match_expressions), jr_decode_array,
      &selector_reqs_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc selector_desc = { selector_fields };

enum jr_status jr_decode_peek_null(const struct jr_decoder *d, bool *ret, struct jr_error *err)
{
    struct jr_gate ahead = d->gate;
    struct jr_tok tok;
    enum jr_status st = jr_gate_next(&ahead, &tok, err);

    if (st == JR_OK)
        *ret = tok.kind == JR_TOK_NULL;
    return st;
}

enum jr_status jr_decode_present(struct jr_decoder *d, void *out, const void *arg,
                                 struct jr_error *err)
{
    enum jr_status st;
    bool null;

    st = jr_decode_peek_null(d, &null, err);
    if (st != JR_OK)
        return st;
    if (!null)
        *(bool *)out = true;
    return jr_decode_object(d, out, arg, err);
}

enum jr_status jr_decode_text(struct jr_decoder *d, void *out, const void *arg,
                              struct jr_error *err)
{
    struct jr_str *s = out;
    enum jr_status st = jr_decode_str(d, s, arg, err);

    if (st == JR_OK && s->p == NULL)
        *s = JR_S("");
    return st;
}

/** How many members the object ahead has; the reader stays before it. */
static enum jr_status count_members(const struct jr_decoder *d, size_t *ret, struct jr_error *err)
{
    struct jr_gate ahead = d->gate;
    enum jr_status st;
    struct jr_tok tok;
    size_t n = 0;

    st = jr_gate_next(&ahead, &tok, err);
    if (st != JR_OK || tok.kind != JR_TOK_OBJECT) {
        *ret = 0;
        return st;
    }
    for (;;) {
        st = jr_gate_next(&ahead, &tok, err);
        if (st != JR_OK || tok.kind == JR_TOK_OBJECT_END)
            break;
        n++;
        st = jr_gate_skip(&ahead, NULL, err);
        if (st != JR_OK)
            break;
    }
    *ret = n;
    return st;
}

enum jr_status jr_decode_labels(struct jr_decoder *d, void *out, const void *arg,
                                struct jr_error *err)
{
    struct jr_labels labels = { NULL, 0 };
    enum jr_status st;
    bool more;
    size_t n;

    st = count_members(d, &n, err);
    if (st == JR_OK)
        st = jr_decode_object_begin(d, &more, err);
    if (st != JR_OK || !more)
        return st;
    labels.v = jr_arena_calloc(d->arena, n, sizeof(*labels.v));
    if (labels.v == NULL)
        return jr_decode_fail(d, JR_NOMEM, err, "%zu entries", n);
    for (;;) {
        struct jr_str key;

        st = jr_decode_object_next(d, &key, &more, err);
        if (st != JR_OK || !more || labels.n >= n)
            break;
        labels.v[labels.n].key = key;
        st = jr_decode_text(d, &labels.v[labels.n].value, arg, err);
        if (st != JR_OK)
            break;
        labels.n++;
    }
    if (st == JR_OK)
        *(struct jr_labels *)out = labels;
    return st;
}

enum jr_status jr_decode_selector(struct jr_decoder *d, void *out, const void *arg,
                                  struct jr_error *err)
{
    (void)arg;
    return jr_decode_present(d, out, &selector_desc, err);
}

enum jr_status jr_decode_strs(struct jr_decoder *d, void *out, const void *arg,
                              struct jr_error *err)
{
    (void)arg;
    return jr_decode_array(d, out, &strs_desc, err);
}

struct jr_str jr_labels_get(const struct jr_labels *l, struct jr_str key)
{
    for (size_t i = l->n; i > 0; i--) { /* of equal keys the last counts, as in Go */
        if (jr_str_eq(l->v[i - 1].key, key))
            return l->v[i - 1].value;
    }
    return (struct jr_str){ NULL, 0 };
}

bool jr_strs_has(const struct jr_strs *s, struct jr_str v)
{
    for (size_t i = 0; i < s->n; i++) {
        if (jr_str_eq(s->v[i], v))
            return true;
    }
    return false;
}

const struct jr_owner_ref *jr_meta_controller(const struct jr_meta *m)
{
    for (size_t i = 0; i < m->owner_refs.n; i++) {
        if (jr_bool_or(m->owner_refs.v[i].controller, false))
            return &m->owner_refs.v[i];
    }
    return NULL;
}
