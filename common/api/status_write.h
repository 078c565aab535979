/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a Status, for writers that nest it (an AdmissionReview's answer). */
#ifndef JR_API_STATUS_WRITE_H
#define JR_API_STATUS_WRITE_H

#include "common/api/meta.h"
#include "common/json/write.h"

/** All members but kind and apiVersion, into the object that w has begun. */
void jr_api_status_write_members(const struct jr_api_status *s, struct jr_writer *w);

#endif
