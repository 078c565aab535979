/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/admission/answer.h"

#include "common/json/write.h"
#include "common/schema/unknown_fields.h"

/** A case while it is answered. */
struct asked {
    const struct jr_node *row;
    const struct jr_kube_version *version; /* NULL: 1.36.0 */
    struct jr_profile profile;
    bool prepared;
    const struct jr_admission_kind *kind;
    enum jr_admission_operation operation;
    struct jr_answer *a;
};

static enum jr_status set_gates(struct asked *q, struct jr_error *err)
{
    const struct jr_node *gates = jr_get(q->row, "gates");
    enum jr_status st = JR_OK;

    q->profile = q->version == NULL ? jr_profile_default() : jr_profile_of(*q->version);
    for (const struct jr_node *g = jr_first(gates); g != NULL && st == JR_OK; g = jr_next(g)) {
        st = jr_profile_set(&q->profile, jr_key(g), jr_node_kind(g) == JR_TRUE, q->version == NULL,
                            err);
        if (q->version != NULL)
            st = JR_OK;
    }
    return st == JR_OK ? JR_OK : JR_INVALID;
}

/** A copy of the row's member, as the version decodes it, defaulted unless it is prepared already.
 */
static enum jr_status open_member(const struct asked *q, const char *member, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st = jr_doc_of(jr_get(q->row, member), &doc);

    if (st == JR_OK)
        jr_schema_prune(q->kind->schema, jr_doc_root(doc), q->profile.version.minor);
    if (st == JR_OK && !q->prepared)
        st = q->kind->set_defaults(jr_doc_root(doc), &q->profile);
    if (st == JR_OK)
        *ret = jr_steal(&doc);
    return st;
}

/** Decodes the tree, which is taken. What can't be decoded is an answer too, as the API server's
 * 400. */
static enum jr_status open_object(const struct asked *q, struct jr_doc **doc, bool old)
{
    struct jr_answer *a = q->a;
    enum jr_status st =
        open_tree(q->kind->schema, jr_steal(doc), old ? &a->old : &a->object, &a->decode_error);

    if (st == JR_OK || st == JR_NOMEM)
        return st;
    a->decoded = st;
    return JR_OK;
}

static struct jr_admission_request request_of(const struct asked *q, struct jr_node *object,
                                              struct jr_node *old)
{
    return (struct jr_admission_request){ .kind = q->kind,
                                          .operation = q->operation,
                                          .source = JR_ADMISSION_MANIFEST,
                                          .profile = &q->profile,
                                          .object = object,
                                          .old = old };
}

static enum jr_status validate(const struct asked *q)
{
    struct jr_answer *a = q->a;

    const struct jr_admission_request r =
        request_of(q, jr_doc_root(a->object.doc),
                   q->operation == JR_ADMISSION_CREATE ? NULL : jr_doc_root(a->old.doc));

    return jr_admission_validate(&r, &a->result, NULL);
}

static enum jr_status answer(struct asked *q)
{
    const bool update = q->operation != JR_ADMISSION_CREATE;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old = NULL;
    struct jr_answer *a = q->a;
    enum jr_status st = open_member(q, "job", &doc);

    if (st == JR_OK && update)
        st = open_member(q, "old", &old);
    if (st == JR_OK)
        st = jr_doc_of(jr_doc_root(doc), &a->defaulted);
    if (st == JR_OK && !q->prepared) {
        const struct jr_admission_request r =
            request_of(q, jr_doc_root(doc), update ? jr_doc_root(old) : NULL);
        st = jr_admission_prepare(&r);
    }
    if (st == JR_OK)
        st = open_object(q, &doc, false);
    if (st == JR_OK && update)
        st = open_object(q, &old, true);
    if (st != JR_OK || a->decoded != JR_OK)
        return st;
    return validate(q);
}

enum jr_status jr_answer_case(const struct jr_node *row, const struct jr_kube_version *version,
                              struct jr_answer *ret, struct jr_error *err)
{
    struct asked q = { .row = row, .version = version, .a = ret };
    const struct jr_str op = jr_get_str(row, "op"), kind = jr_get_str(row, "kind");
    bool create = jr_str_is(op, "create"), update = jr_str_is(op, "update");
    enum jr_status st;

    *ret = (struct jr_answer){ .decoded = JR_OK };
    jr_arena_init(&ret->arena, 0);
    jr_admission_result_init(&ret->result, &ret->arena);
    q.prepared = jr_node_bool_or(jr_get(row, "prepared"), false);
    if (jr_get(row, "job") == NULL || (!create && jr_get(row, "old") == NULL))
        return jr_fail(err, JR_INVALID, NULL, "no case: job or old is missing");
    if (!create && !update && !jr_str_is(op, "updateStatus"))
        return jr_fail(err, JR_INVALID, NULL, "unknown operation \"%.*s\"", JR_P(op));
    q.operation = create ? JR_ADMISSION_CREATE : update ? JR_ADMISSION_UPDATE : JR_ADMISSION_STATUS;
    q.kind = jr_admission_kind_find(JR_S("batch/v1"), kind.n > 0 ? kind : JR_S("Job"));
    if (q.kind == NULL)
        return jr_fail(err, JR_INVALID, NULL, "unknown kind \"%.*s\"", JR_P(kind));
    st = set_gates(&q, err);
    return st == JR_OK ? answer(&q) : st;
}

void jr_answer_done(struct jr_answer *a)
{
    jr_doc_free(a->defaulted);
    jr_object_done(&a->object);
    jr_object_done(&a->old);
    jr_arena_done(&a->arena);
}

/* ---- as JSON ---- */

static void write_error(struct jr_writer *w, const struct jr_field_error *e)
{
    JR_BUF message = { 0 };

    jr_buf_init(&message, SIZE_MAX / 2);
    if (jr_field_error_write(e, &message) != JR_OK)
        w->out->failed = message.failed;
    jr_w_object(w);
    jr_w_kstr(w, "type", jr_str(jr_field_error_reason(e->type)));
    jr_w_kstr(w, "field", e->field);
    jr_w_kstr(w, "detail", e->detail);
    jr_w_kstr(w, "message", jr_buf_str(&message));
    jr_w_kstr(w, "rule", jr_str(e->rule));
    jr_w_object_end(w);
}

static void write_node(struct jr_writer *w, const char *key, const struct jr_node *node)
{
    JR_BUF text = { 0 };

    if (node == NULL)
        return;
    jr_buf_init(&text, SIZE_MAX / 2);
    if (jr_node_print(node, &text) != JR_OK)
        w->out->failed = text.failed;
    jr_w_key(w, key);
    jr_w_raw(w, jr_buf_str(&text));
}

/* A warning of ours is a declared difference: no API server gives it, so answers leave it out. */
static const enum jr_warning_origin origins[JR_WARNING_COUNT] = {
#define X(name, id, origin, about) JR_WARNING_OF_##origin,
    JR_WARNING_MAP(X)
#undef X
};

enum jr_status jr_answer_write(const struct jr_answer *a, const struct jr_node *id,
                               struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);
    char words[1024];

    jr_w_object(&w);
    write_node(&w, "id", id);
    if (a->decoded != JR_OK)
        jr_w_kstr(&w, "decodeError", jr_str(jr_error_text(&a->decode_error, words, sizeof(words))));
    jr_w_key(&w, "errors");
    jr_w_array(&w);
    for (size_t i = 0; i < a->result.errs.n && a->decoded == JR_OK; i++)
        write_error(&w, &a->result.errs.v[i]);
    jr_w_array_end(&w);
    jr_w_key(&w, "warnings");
    jr_w_array(&w);
    for (size_t i = 0; i < a->result.warnings.list.n; i++) {
        if (origins[a->result.warnings.about[i].id] == JR_WARNING_OF_API)
            jr_w_str(&w, a->result.warnings.list.v[i]);
    }
    jr_w_array_end(&w);
    if (a->decoded == JR_OK) {
        write_node(&w, "defaulted", jr_doc_root_const(a->defaulted));
        write_node(&w, "prepared", a->object.root);
    }
    jr_w_object_end(&w);
    return jr_buf_addc(out, '\n');
}
