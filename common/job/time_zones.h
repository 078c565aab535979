/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the IANA time zone database. */
#ifndef JR_JOB_TIME_ZONES_H
#define JR_JOB_TIME_ZONES_H

#include "common/base/str.h"

/** The release that the names are of: 2025c. */
extern const char jr_time_zones_release[];
/** Whether name is one of them, by the letter. */
bool jr_time_zone_known(struct jr_str name);

#endif
