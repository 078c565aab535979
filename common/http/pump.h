/* SPDX-License-Identifier: Apache-2.0 */
/* Drives a libmicrohttpd daemon from the event loop: its epoll descriptor is watched, its time-outs
 * are timers, no thread. */
#ifndef JR_HTTP_PUMP_H
#define JR_HTTP_PUMP_H

#include "common/base/loop.h"

struct MHD_Daemon;
struct jr_pump;

/** daemon (borrowed) was started with MHD_USE_EPOLL and without a polling thread. */
enum jr_status jr_pump_new(struct jr_loop *loop, struct MHD_Daemon *daemon, struct jr_pump **ret,
                           struct jr_error *err) JR_MUST_USE;
/** To be called after MHD_resume_connection: lets the daemon run in the next turn. */
void jr_pump_kick(struct jr_pump *p);
/** To be called before MHD_stop_daemon. */
void jr_pump_free(struct jr_pump *p);
JR_DEFINE_CLEANUP(struct jr_pump *, jr_pump_free)

#endif
