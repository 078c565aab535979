/* SPDX-License-Identifier: Apache-2.0 */
/* core/v1 Event, as a controller writes it. */
#ifndef JR_API_EVENT_H
#define JR_API_EVENT_H

#include "common/api/meta.h"

/** The object that an event is about. */
struct jr_event_object {
    struct jr_str api_version;
    struct jr_str kind;
    struct jr_str namespace;
    struct jr_str name;
    struct jr_str uid;
    struct jr_str resource_version;
};

struct jr_event {
    struct jr_str name; /* <object>.<unix nanoseconds in hex> */
    struct jr_str namespace;
    struct jr_event_object involved;
    struct jr_str type; /* Normal, Warning */
    struct jr_str reason;
    struct jr_str message; /* cut to 1024 bytes when written, at a character */
    struct jr_str component;
    struct jr_time first_timestamp;
    struct jr_time last_timestamp;
    int32_t count;
};
/** Appends the whole object. */
enum jr_status jr_event_write(const struct jr_event *e, struct jr_buf *out) JR_MUST_USE;
/** Appends the strategic merge patch of a repeat: {"count":N,"lastTimestamp":T,"message":M}. */
enum jr_status jr_event_write_repeat(const struct jr_event *e, struct jr_buf *out) JR_MUST_USE;

#endif
