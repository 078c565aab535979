/* The defaults of what reconciliation is to be. */
#include "controller/reconcile/options.h"

#include "common/api/job.h"

struct jr_reconcile_options jr_reconcile_options_default(void)
{
    return (struct jr_reconcile_options){
        .replace_builtin = true,
        .managed_by = JR_S("jobreeve.dev/controller"),
        .tracking_finalizer = JR_S(JR_JOB_TRACKING_FINALIZER),
        .mutable_scheduling_directives = true,
        .stale_controller_consistency = true,
        .workload_with_job = false,
    };
}
