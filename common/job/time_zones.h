/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the IANA time zone database, and what their clocks say from 2025 on. */
#ifndef JR_JOB_TIME_ZONES_H
#define JR_JOB_TIME_ZONES_H

#include "common/base/str.h"

/** The release of the database: 2026c. */
extern const char jr_time_zones_release[];
/** Whether name is one of them, by the letter. */
bool jr_time_zone_known(struct jr_str name);

/** A change of a zone's clocks. */
struct jr_zone_change {
    int64_t at;     /* seconds since 1970 */
    int32_t offset; /* from then on: seconds east of UTC */
};
/* Four a year, for more years than a zone is opened for. */
#define JR_ZONE_CHANGES_MAX 96
/** A zone's clocks over some years. */
struct jr_zone {
    int32_t first; /* the offset before the first change */
    struct jr_zone_change v[JR_ZONE_CHANGES_MAX];
    size_t n;
};
#define JR_ZONE_FIRST_YEAR 2025
#define JR_ZONE_YEARS_MAX 10
/** Opens a zone for the years from `year` on, those beside them included. "" is UTC. False: there
 * is no such zone, or the years are others than are known. */
bool jr_zone_open(struct jr_str name, int64_t year, int years, struct jr_zone *ret);
/** Returns the offset at a moment, and between which moments it holds. */
int32_t jr_zone_offset(const struct jr_zone *z, int64_t at, int64_t *ret_start, int64_t *ret_end);

#endif
