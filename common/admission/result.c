/* SPDX-License-Identifier: Apache-2.0 */
/* From refusals and violations to the API server's words. */
#include "common/admission/result.h"

#include <stdarg.h>

/* Where there are so many errors that a bounded list is full, the first of them will do. */
#define CAUSES_MAX 1000

void jr_admission_result_init(struct jr_admission_result *r, struct jr_arena *arena)
{
    *r = (struct jr_admission_result){ .arena = arena, .warnings.arena = arena };
    jr_errlist_init(&r->errs, arena);
}

enum jr_status jr_admission_refuse(struct jr_admission_result *r, int32_t code, const char *reason,
                                   const char *fmt, ...)
{
    const char *message;
    va_list ap;

    va_start(ap, fmt);
    message = jr_arena_vprintf(r->arena, fmt, ap);
    va_end(ap);
    if (message == NULL)
        return JR_NOMEM;
    r->refused = true;
    r->status = (struct jr_api_status){
        .code = code,
        .status = JR_S("Failure"),
        .reason = jr_str(reason),
        .message = jr_str(message),
    };
    return JR_OK;
}

enum jr_status jr_admission_refuse_object(struct jr_admission_result *r,
                                          const struct jr_admission_kind *kind, const char *why)
{
    return jr_admission_refuse(r, 400, "BadRequest",
                               "%s in version \"v1\" cannot be handled as a %s: %s", kind->kind,
                               kind->kind, why);
}

enum jr_status jr_admission_conclude(struct jr_admission_result *r,
                                     const struct jr_admission_kind *kind,
                                     const struct jr_node *object)
{
    return jr_admission_conclude_as(r, "batch", kind->kind, object);
}

enum jr_status jr_admission_conclude_as(struct jr_admission_result *r, const char *group,
                                        const char *kind, const struct jr_node *object)
{
    const struct jr_node *meta = jr_get(object, "metadata");
    struct jr_str name = jr_get_str(meta, "name");
    struct jr_errlist *errs = &r->errs;

    if (name.n == 0)
        name = jr_get_str(meta, "generateName");
    if (!jr_arena_str(r->arena, jr_field_shown(name, errs->max_value_bytes), &r->name))
        return JR_NOMEM;
    if (errs->failed == JR_LIMIT && errs->n > 0 && errs->max_bytes > 0) {
        errs->failed = JR_OK;
        errs->n = errs->n < CAUSES_MAX ? errs->n : CAUSES_MAX;
    }
    if (errs->failed != JR_OK || errs->n == 0)
        return errs->failed;
    return jr_errlist_status(errs, jr_str(group), jr_str(kind), r->name, &r->status);
}
