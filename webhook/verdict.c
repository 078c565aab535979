#include "webhook/verdict.h"

#include <stdarg.h>
#include <stdio.h>

static struct jr_str JR_PRINTF(3, 0) text_of(char *buf, size_t cap, const char *fmt, va_list ap)
{
    int n = vsnprintf(buf, cap, fmt, ap);

    return jr_str(n < 0 ? "" : buf);
}

enum jr_status jr_verdict_deny(struct jr_verdict *v, int32_t code, const char *reason,
                               const char *fmt, ...)
{
    struct jr_error e;
    char text[sizeof(e.msg)];
    struct jr_str message;
    va_list ap;

    va_start(ap, fmt);
    message = text_of(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (!jr_arena_str(v->arena, message, &message))
        return JR_NOMEM;
    v->denied = true;
    v->status = (struct jr_api_status){
        .code = code,
        .status = JR_S("Failure"),
        .reason = jr_str(reason),
        .message = message,
    };
    return JR_OK;
}

/* Of a string that is shown as a value. */
#define VALUE_MAX ((size_t)8 << 10)

struct jr_errlist jr_verdict_errors(const struct jr_verdict *v)
{
    struct jr_errlist errs;

    jr_errlist_init(&errs, v->arena);
    errs.deadline = v->deadline;
    errs.max_bytes = v->error_bytes;
    errs.max_value_bytes = v->error_bytes == 0 ? 0 : VALUE_MAX;
    return errs;
}

/* Where there are so many errors that the list is full, the first of them will do. */
#define CAUSES_MAX 1000

enum jr_status jr_verdict_judge(struct jr_verdict *v, const struct jr_errlist *errs,
                                const char *kind, const struct jr_node *object)
{
    const struct jr_node *meta = jr_get(object, "metadata");
    struct jr_str name = jr_get_str(meta, "name");
    struct jr_errlist first = *errs;
    enum jr_status st;

    if (errs->failed == JR_LIMIT && errs->n > 0) {
        first.failed = JR_OK;
        first.n = first.n < CAUSES_MAX ? first.n : CAUSES_MAX;
    }
    if (first.failed != JR_OK)
        return first.failed;
    if (first.n == 0)
        return JR_OK;
    if (name.n == 0)
        name = jr_get_str(meta, "generateName");
    if (!jr_arena_str(v->arena, jr_field_shown(name, VALUE_MAX),
                      &name)) /* the tree ends before the verdict does */
        return JR_NOMEM;
    st = jr_errlist_status(&first, JR_S("batch"), jr_str(kind), name, &v->status);
    v->denied = st == JR_OK;
    v->field = first.v[0].field;
    v->rule = first.v[0].rule;
    v->name = name;
    return st;
}

enum jr_status jr_verdict_unreadable(struct jr_verdict *v, const char *kind,
                                     const struct jr_error *why, struct jr_error *err)
{
    char text[sizeof(why->path) + sizeof(why->msg) + 8];

    if (why->status == JR_NOMEM)
        return jr_fail(err, JR_NOMEM, NULL, "the object");
    return jr_verdict_deny(v, 400, "BadRequest",
                           "%s in version \"v1\" cannot be handled as a %s: %s", kind, kind,
                           jr_error_text(why, text, sizeof(text)));
}

bool jr_object_deleting(const struct jr_node *obj)
{
    return !jr_unset(jr_get(jr_get(obj, "metadata"), "deletionTimestamp"));
}
