/* SPDX-License-Identifier: Apache-2.0 */
/* The list of conditions in status. */
#include "controller/reconcile/internal.h"

bool jr_condition_ensure(struct jr_sync *s, const char *type, const char *status,
                         struct jr_str reason, struct jr_str message)
{
    struct jr_job_conditions *list = &s->status.conditions;
    struct jr_job_condition *v;
    size_t at = 0;

    while (at < list->n && !jr_str_is(list->v[at].type, type))
        at++;
    if (at == list->n && strcmp(status, "False") == 0)
        return false;
    if (at < list->n && jr_str_is(list->v[at].status, status) &&
        jr_str_eq(list->v[at].reason, reason) && jr_str_eq(list->v[at].message, message))
        return false;
    v = jr_xarena_calloc(&s->keep, list->n + 1, sizeof(*v)); /* the list itself is the Job's */
    if (list->n > 0)
        memcpy(v, list->v, list->n * sizeof(*v));
    v[at] = (struct jr_job_condition){ .type = jr_str(type),
                                       .status = jr_str(status),
                                       .last_probe_time = s->now,
                                       .last_transition_time = s->now,
                                       .reason = reason,
                                       .message = message };
    list->v = v;
    list->n += at == list->n;
    return true;
}
