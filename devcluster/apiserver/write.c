/* The engine of writes: start, mutating webhooks, prove, validating webhooks, commit; and the entry
 * points of the store. */
#include "devcluster/apiserver/admission.h"

#define TRIES_MAX 5
#define ANSWER_MAX ((size_t)512 << 20)

static enum jr_status enter(struct jr_dev_op *op)
{
    enum jr_status st = op->write->start(op);

    op->phase = JR_DEV_PHASE_MUTATING;
    return st == JR_OK ? jr_dev_hooks_collect(op, true) : st;
}

/* Out of webhooks in this phase: on to the next one. *ret_done: the answer is there. */
static enum jr_status next_phase(struct jr_dev_op *op, bool *ret_done)
{
    enum jr_status st;
    bool again = false;

    *ret_done = false;
    if (op->phase == JR_DEV_PHASE_MUTATING) {
        op->phase = JR_DEV_PHASE_VALIDATING;
        st = op->write->prove(op);
        return st == JR_OK ? jr_dev_hooks_collect(op, false) : st;
    }
    st = op->write->commit(op, &again);
    if (st != JR_OK || !again) {
        *ret_done = true;
        return st;
    }
    if (++op->tries >= TRIES_MAX)
        return jr_dev_refuse_modified(op, op->name);
    return enter(op);
}

static enum jr_status run(struct jr_dev_op *op, enum jr_dev_next *ret_next)
{
    enum jr_status st = JR_OK;
    bool call = false, done = false;

    while (st == JR_OK && !done) {
        if (op->hook == NULL) {
            st = next_phase(op, &done);
            continue;
        }
        st = jr_dev_hook_begin(op, &call);
        if (st == JR_OK && call) {
            *ret_next = JR_DEV_NEXT_WEBHOOK;
            return JR_OK;
        }
        op->hook = op->hook->next;
    }
    *ret_next = JR_DEV_NEXT_ANSWER;
    return st;
}

static enum jr_status settle(enum jr_status st, enum jr_dev_next *ret_next)
{
    if (st == JR_DENIED) {
        *ret_next = JR_DEV_NEXT_ANSWER;
        return JR_OK;
    }
    return st == JR_OK ? JR_OK : JR_NOMEM;
}

static enum jr_status dispatch(struct jr_dev_op *op, const struct jr_dev_request *req)
{
    if (jr_str_is(op->sub, "binding"))
        return jr_dev_bind(op, req->body);
    switch (op->verb) {
    case JR_DEV_GET:
        return jr_dev_get(op);
    case JR_DEV_LIST:
        return jr_dev_list(op);
    case JR_DEV_WATCH:
        return jr_dev_watch_begin(op);
    case JR_DEV_CREATE:
        return jr_dev_create_begin(op, req->body);
    case JR_DEV_UPDATE:
        return jr_dev_update_begin(op, req->body);
    case JR_DEV_PATCH:
        return jr_dev_patch_begin(op, req->body);
    case JR_DEV_DELETE:
        return jr_dev_delete_begin(op, req->body);
    case JR_DEV_DELETE_COLLECTION:
        return jr_dev_delete_collection(op, req->body);
    }
    return JR_NOMEM;
}

static enum jr_status begin(struct jr_dev_op *op, const struct jr_dev_request *req,
                            enum jr_dev_next *ret_next)
{
    struct jr_str special;
    enum jr_status st = jr_dev_request_parse(op, req, &special);

    *ret_next = JR_DEV_NEXT_ANSWER;
    if (st == JR_OK && op->res == NULL)
        return jr_dev_discover(op, req, special);
    if (st == JR_OK)
        st = jr_dev_negotiate(op, req->accept);
    if (st == JR_OK)
        st = dispatch(op, req);
    if (st == JR_OK && op->watch != NULL)
        *ret_next = JR_DEV_NEXT_WATCH;
    if (st != JR_OK || op->write == NULL)
        return st;
    st = enter(op);
    return st == JR_OK ? run(op, ret_next) : st;
}

enum jr_status jr_dev_begin(struct jr_dev_store *s, const struct jr_dev_request *req,
                            struct jr_time now, struct jr_dev_op **ret, enum jr_dev_next *ret_next)
{
    struct jr_dev_op *op = calloc(1, sizeof(*op));

    if (op == NULL)
        return JR_NOMEM;
    op->store = s;
    op->now = now;
    jr_arena_init(&op->arena, 0);
    jr_buf_init(&op->answer.body, ANSWER_MAX);
    jr_buf_init(&op->review, ANSWER_MAX);
    enum jr_status st = settle(begin(op, req, ret_next), ret_next);
    if (st != JR_OK)
        jr_dev_op_free(op);
    else
        *ret = op;
    return st;
}

enum jr_status jr_dev_resume(struct jr_dev_store *s, struct jr_dev_op *op,
                             const struct jr_dev_webhook_result *result, struct jr_time now,
                             enum jr_dev_next *ret_next)
{
    bool patched = false;
    enum jr_status st;

    (void)s;
    op->now = now;
    st = jr_dev_hook_end(op, result, &patched);
    if (st == JR_OK && patched && op->write->patched != NULL)
        st = op->write->patched(op);
    if (st == JR_OK) {
        op->hook = op->hook->next;
        st = run(op, ret_next);
    }
    return settle(st, ret_next);
}

const struct jr_dev_answer *jr_dev_op_answer(const struct jr_dev_op *op)
{
    return &op->answer;
}

const struct jr_dev_webhook *jr_dev_op_webhook(const struct jr_dev_op *op)
{
    return &op->call;
}

bool jr_dev_op_wrote(const struct jr_dev_op *op)
{
    return op->wrote;
}

void jr_dev_op_free(struct jr_dev_op *op)
{
    if (op == NULL)
        return;
    jr_dev_watch_free(op->watch);
    jr_dev_object_unref(op->old);
    jr_doc_free(op->old_doc);
    jr_doc_free(op->doc);
    jr_doc_free(op->input);
    jr_buf_done(&op->answer.body);
    jr_buf_done(&op->review);
    jr_arena_done(&op->arena);
    free(op);
}
