#include "common/pod/unjudged.h"

#include <stddef.h>

const char *const jr_pod_unjudged[] = {
    NULL,
};
