/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of writes: start, mutating webhooks, validation, validating webhooks, commit; and the
 * entry points of the store. */
#include "devcluster/apiserver/admission.h"

#define TRIES_MAX 5
#define ANSWER_MAX ((size_t)512 << 20)

static bool start_write(struct jr_dev_op *op)
{
    op->mutated = false;
    if (!op->write->start(op))
        return false;
    jr_dev_hooks_collect(op, true);
    return true;
}

/* Out of webhooks in this phase: on to the next one. False: the answer is there. */
static bool next_phase(struct jr_dev_op *op)
{
    if (!op->mutated) {
        op->mutated = true;
        if (op->write->validate != NULL && !op->write->validate(op))
            return false;
        jr_dev_hooks_collect(op, false);
        return true;
    }
    op->stale = false;
    if (!op->write->commit(op) || !op->stale)
        return false;
    if (++op->tries >= TRIES_MAX)
        return jr_dev_refuse_modified(op, op->name);
    return start_write(op);
}

static enum jr_dev_next run_phases(struct jr_dev_op *op)
{
    bool call;

    for (;;) {
        if (op->hook == NULL) {
            if (!next_phase(op))
                return JR_DEV_NEXT_ANSWER;
            continue;
        }
        if (!jr_dev_hook_begin(op, &call))
            return JR_DEV_NEXT_ANSWER;
        if (call)
            return JR_DEV_NEXT_WEBHOOK;
        op->hook = op->hook->next;
    }
}

static bool dispatch(struct jr_dev_op *op, const struct jr_dev_request *req)
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
    return false;
}

static enum jr_dev_next begin_request(struct jr_dev_op *op, const struct jr_dev_request *req)
{
    struct jr_str special;

    if (!jr_dev_request_parse(op, req, &special))
        return JR_DEV_NEXT_ANSWER;
    if (op->res == NULL) {
        (void)jr_dev_discover(op, req, special);
        return JR_DEV_NEXT_ANSWER;
    }
    if (!jr_dev_negotiate(op, req->accept) || !dispatch(op, req))
        return JR_DEV_NEXT_ANSWER;
    if (op->watch != NULL)
        return JR_DEV_NEXT_WATCH;
    return op->write != NULL && start_write(op) ? run_phases(op) : JR_DEV_NEXT_ANSWER;
}

enum jr_dev_next jr_dev_begin(struct jr_dev_store *s, const struct jr_dev_request *req,
                              struct jr_time now, struct jr_dev_op **ret)
{
    struct jr_dev_op *op = *ret = jr_xcalloc(1, sizeof(*op));
    enum jr_dev_next next;

    op->store = s;
    op->now = now;
    jr_arena_init(&op->arena, 0);
    jr_buf_init(&op->answer.body, ANSWER_MAX);
    jr_buf_init(&op->review, ANSWER_MAX);
    next = begin_request(op, req);
    jr_must(op->answer.body.failed);
    return next;
}

enum jr_dev_next jr_dev_resume(struct jr_dev_op *op, const struct jr_dev_webhook_result *result,
                               struct jr_time now)
{
    bool patched = false;
    enum jr_dev_next next = JR_DEV_NEXT_ANSWER;

    op->now = now;
    if (jr_dev_hook_end(op, result, &patched) &&
        (!patched || op->write->patched == NULL || op->write->patched(op))) {
        op->hook = op->hook->next;
        next = run_phases(op);
    }
    jr_must(op->answer.body.failed);
    return next;
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
    free(op->warnings);
    jr_buf_done(&op->answer.body);
    jr_buf_done(&op->review);
    jr_arena_done(&op->arena);
    free(op);
}
