#include "common/pod/unjudged.h"

#include <stddef.h>

/* What an API server says of these depends on how it was started (--allow-privileged). */
const char *const jr_pod_unjudged[] = {
    "spec.containers[*].securityContext.privileged",
    "spec.initContainers[*].securityContext.privileged",
    "spec.securityContext.windowsOptions.hostProcess",
    "spec.containers[*].securityContext.windowsOptions.hostProcess",
    "spec.initContainers[*].securityContext.windowsOptions.hostProcess",
    NULL,
};
