/* SPDX-License-Identifier: Apache-2.0 */
/* What a server would know of an object, and a manifest doesn't say; inside of this folder. */
#ifndef JR_ADMISSION_MANIFEST_H
#define JR_ADMISSION_MANIFEST_H

#include "common/admission/admission.h"

/** What a server reads into every object: its namespace and no managedFields; on create also its
 * uid, its name, and nothing that a client can't decide. Before defaulting. Errors: JR_NOMEM. */
enum jr_status jr_manifest_begin(const struct jr_admission_request *r) JR_MUST_USE;
/** On update: what was generated for the old object, and resource versions. After defaulting.
 * Errors: JR_NOMEM. */
enum jr_status jr_manifest_complete(const struct jr_admission_request *r) JR_MUST_USE;

#endif
