/* SPDX-License-Identifier: Apache-2.0 */
/* Which Jobs are ours, by spec.managedBy. */
#include "controller/reconcile/sync.h"

bool jr_job_is_ours(const struct jr_job *job, const struct jr_reconcile_options *options)
{
    struct jr_str by = job->spec.managed_by;

    if (options->replace_builtin)
        return by.p == NULL || jr_str_is(by, JR_MANAGED_BY_BUILTIN) || !options->managed_by_others;
    return by.p != NULL && jr_str_eq(by, options->managed_by);
}
