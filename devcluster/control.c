/* SPDX-License-Identifier: Apache-2.0 */
/* /devcluster/faults and /devcluster/hold. */
#include "common/base/memory.h"
#include "devcluster/exchange.h"

static enum jr_status put_setting(struct jr_dev_exchange *ex, bool hold, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st = jr_need(jr_doc_parse(jr_buf_str(&ex->body), &JR_READER_STRICT, &doc, err));

    if (st != JR_OK)
        return st;
    return hold ? jr_dev_hold_set(ex->server->faults, jr_doc_root(doc), err)
                : jr_dev_faults_set(ex->server->faults, jr_doc_root(doc), err);
}

/* Requests that were held are never carried out: their client is dead. Its watches end too. */
static void release(struct jr_dev_server *s)
{
    for (struct jr_dev_exchange *ex = s->exchanges; ex != NULL; ex = ex->next) {
        bool watches = ex->watching && jr_dev_hold_on(s->faults, jr_str(ex->user_agent));
        if (ex->state == JR_DEV_EX_HELD || watches) {
            ex->state = JR_DEV_EX_ABORT;
            jr_dev_exchange_wake(ex);
        }
    }
    jr_dev_hold_clear(s->faults);
}

void jr_dev_exchange_control(struct jr_dev_exchange *ex)
{
    struct jr_error err = { 0 };
    char text[600];
    enum jr_status st = JR_OK;
    bool hold = strcmp(ex->path, "/devcluster/hold") == 0;
    bool change = strcmp(ex->path, "/devcluster/faults") == 0 && strcmp(ex->method, "GET") != 0;

    if (strcmp(ex->path, "/devcluster/drop-watches") == 0 && strcmp(ex->method, "POST") == 0) {
        jr_dev_server_drop_watches(ex->server);
    } else if (!hold && strcmp(ex->path, "/devcluster/faults") != 0) {
        jr_dev_exchange_fail(ex, 404, "NotFound",
                             "there are /devcluster/faults, hold and drop-watches");
        return;
    } else if (strcmp(ex->method, "PUT") == 0) {
        st = put_setting(ex, hold, &err);
    } else if (strcmp(ex->method, "DELETE") == 0 && hold) {
        release(ex->server);
    } else if (strcmp(ex->method, "DELETE") == 0) {
        jr_dev_faults_clear(ex->server->faults);
    } else if (strcmp(ex->method, "GET") != 0) {
        jr_dev_exchange_fail(ex, 405, "MethodNotAllowed", "GET, PUT or DELETE");
        return;
    }
    if (st != JR_OK) {
        jr_dev_exchange_fail(ex, 400, "BadRequest", jr_error_text(&err, text, sizeof(text)));
        return;
    }
    /* Rules that are gone have no effect any more. */
    for (struct jr_dev_exchange *e = ex->server->exchanges; e != NULL && change; e = e->next)
        jr_dev_exchange_end_fault(e);
    ex->status = 200;
    ex->state = JR_DEV_EX_READY;
    jr_dev_faults_write(ex->server->faults, &ex->text);
}
