/* SPDX-License-Identifier: Apache-2.0 */
/* kubectl apply: what a manifest comes to beside the object that is stored. */
#ifndef JR_CLI_APPLY_H
#define JR_CLI_APPLY_H

#include "common/admission/admission.h"

/** Makes of r->object, if it is a manifest (no metadata.uid, no resourceVersion), the object that
 * `kubectl apply` would have the API server store over r->old: the manifest changes what it says
 * and what was said before, and nothing else. Before was the annotation
 * kubectl.kubernetes.io/last-applied-configuration of r->old or, where r->old is a manifest without
 * it, r->old itself, which becomes what a server stores of it. Without either nothing is removed,
 * as kubectl does it after a warning. Leaves both as they are where the API server would refuse the
 * manifest as it is written: a wrong type, an element without its merge key. */
void jr_cli_apply(const struct jr_admission_request *r);

#endif
