/* SPDX-License-Identifier: Apache-2.0 */
/* Texts through a command that changes manifests; its remarks as lines. */
#ifndef JR_TESTS_CLI_REWRITE_H
#define JR_TESTS_CLI_REWRITE_H

#include "cli/rewrite.h"

/** What came of a text. */
struct outcome {
    enum jr_status status;
    struct jr_rewritten counts;
    struct jr_error err;
    struct jr_buf out;
    struct jr_buf remarks; /* LINE:COLUMN: PATH: TEXT */
};

static inline void outcome_done(struct outcome *o)
{
    jr_buf_done(&o->out);
    jr_buf_done(&o->remarks);
}
#define OUTCOME JR_CLEANUP(outcome_done) struct outcome

static inline void take_remark(void *ctx, const struct jr_remark *r)
{
    (void)jr_buf_addf(ctx, "%u:%u: %s%s: %s\n", r->line, r->column, r->warning ? "warning: " : "",
                      r->path, r->text);
}

static inline void rewrite(struct outcome *o, struct jr_rewrite rw, const char *text,
                           const struct jr_rewritten *before)
{
    *o = (struct outcome){ .status = JR_OK };
    jr_buf_init(&o->out, 1 << 20);
    jr_buf_init(&o->remarks, 1 << 20);
    rw.remark = take_remark;
    rw.remark_ctx = &o->remarks;
    o->status = jr_rewrite_text(&rw, jr_str(text), before, &o->out, &o->counts, &o->err);
}

static inline bool has(const struct jr_buf *b, const char *part)
{
    return b->p != NULL && strstr(b->p, part) != NULL;
}

#endif
