/* SPDX-License-Identifier: Apache-2.0 */
#include "common/policy/watch/crd.h"

#include "common/base/memory.h"
#include "common/kube/requester.h"

#define RETRY_CAP_NS (10 * JR_SEC)

struct jr_crd {
    struct jr_requester q;
    struct jr_crd_handler h;
    struct jr_log *log;
    char *path;
    char *uid;       /* NULL: not known yet */
    uint64_t number; /* of the question that is asked, or was last */
    bool asking;     /* its answer is due */
    bool again;      /* the next question waits for that */
    unsigned failures;
};

static void get(void *ctx);

/** Whether it is the right one, and stays. */
static bool is_right(struct jr_crd *c, const struct jr_node *crd)
{
    const struct jr_node *meta = jr_get(crd, "metadata");
    const struct jr_str uid = jr_get_str(meta, "uid");

    if (!jr_unset(jr_get(meta, "deletionTimestamp")))
        return false;
    if (c->uid == NULL)
        c->uid = jr_xstrndup(uid);
    return jr_str_eq(jr_str(c->uid), uid);
}

static void ask(struct jr_crd *c)
{
    c->number++;
    c->asking = true;
    get(c);
}

static void on_answer(void *ctx, const struct jr_kube_result *r)
{
    struct jr_crd *c = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };
    bool there = false;

    if (!jr_kube_is_gone(r)) {
        if (jr_kube_object(r, &doc, &err) != JR_OK) {
            if (c->failures == 0)
                jr_warn(
                    c->log,
                    "the CustomResourceDefinition can't be read: what was deleted stays in force",
                    JR_CSTR("path", c->path), JR_ERR(&err));
            jr_requester_retry(&c->q, c->failures++, RETRY_CAP_NS, 0.2, get);
            return;
        }
        there = is_right(c, jr_doc_root_const(doc));
    }
    c->failures = 0;
    c->asking = false;
    if (there)
        c->h.on_there(c->h.ctx, c->number);
    else
        c->h.on_lost(c->h.ctx);
    if (c->again && !c->asking) {
        c->again = false;
        ask(c);
    }
}

static void get(void *ctx)
{
    struct jr_crd *c = ctx;

    jr_requester_get(&c->q, c->path, on_answer);
}

uint64_t jr_crd_ask(struct jr_crd *c)
{
    if (c->asking) {
        c->again = true;
        return c->number + 1;
    }
    ask(c);
    return c->number;
}

void jr_crd_forget(struct jr_crd *c)
{
    free(c->uid);
    c->uid = NULL;
}

struct jr_crd *jr_crd_new(const struct jr_env *env, const char *name,
                          const struct jr_crd_handler *handler, struct jr_log *log)
{
    struct jr_crd *c = jr_xcalloc(1, sizeof(*c));

    c->q = (struct jr_requester){ .env = *env, .ctx = c };
    c->h = *handler;
    c->log = log;
    c->path = jr_xasprintf("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/%s", name);
    return c;
}

void jr_crd_free(struct jr_crd *c)
{
    if (c == NULL)
        return;
    jr_requester_done(&c->q);
    free(c->path);
    free(c->uid);
    free(c);
}
