/* SPDX-License-Identifier: Apache-2.0 */
/* kubectl apply: what a manifest comes to beside the object that is stored. */
#ifndef JR_CLI_APPLY_H
#define JR_CLI_APPLY_H

#include "common/admission/admission.h"

/** Admits as jr_admit does. On update a manifest (no uid, no resourceVersion) becomes beforehand
 * the object that `kubectl apply` would have the API server store over r->old: the manifest changes
 * what it says and what was said before, and nothing else. Before was the annotation
 * kubectl.kubernetes.io/last-applied-configuration of r->old or, where r->old is a manifest without
 * it, r->old itself, which becomes what a server stores of it. Without either nothing is removed,
 * as kubectl does it after a warning. A manifest with an element without its merge key, which
 * kubectl refuses, stays as it is written, and is refused for that. */
enum jr_status jr_cli_admit(const struct jr_admission_request *r, struct jr_admission_result *ret,
                            struct jr_error *err) JR_MUST_USE;

#endif
