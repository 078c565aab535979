/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop: descriptors (epoll), timers (heap), signals. One thread. With a virtual clock
 * there are no descriptors and time jumps to the next timer: that is how the simulation runs the
 * same code. */
#ifndef JR_BASE_LOOP_H
#define JR_BASE_LOOP_H

#include "common/base/clock.h"
#include "common/base/deadline.h"
#include "common/base/error.h"
#include "common/base/turn.h"

struct jr_loop;
struct jr_timer;
struct jr_loop_fd;

/** A loop over real descriptors. clock is copied; its monotonic side drives the timers. */
enum jr_status jr_loop_new(const struct jr_clock *clock, struct jr_loop **ret,
                           struct jr_error *err) JR_MUST_USE;
/** A loop without descriptors; v (borrowed) is advanced to the next timer whenever nothing is
 * ready. */
enum jr_status jr_loop_new_virtual(struct jr_clock_virtual *v, struct jr_loop **ret,
                                   struct jr_error *err) JR_MUST_USE;
/** Frees the loop with all timers and watches that are left; none of them is called. */
void jr_loop_free(struct jr_loop *loop);
JR_DEFINE_CLEANUP(struct jr_loop *, jr_loop_free)

/** The clock of the loop; read anew at each call (no stale copies). */
const struct jr_clock *jr_loop_clock(const struct jr_loop *loop);
struct jr_mono jr_loop_mono(const struct jr_loop *loop);
struct jr_time jr_loop_wall(const struct jr_loop *loop);

/** Calls fn(ctx) once, delay_ns from now (<= 0: in the next turn). Equal times run in the order
 * they were set. The handle is valid until fn is called or jr_timer_cancel. ret may be NULL. */
enum jr_status jr_loop_after(struct jr_loop *loop, int64_t delay_ns, void (*fn)(void *ctx),
                             void *ctx, struct jr_timer **ret) JR_MUST_USE;
/** Cancels and forgets; *t becomes NULL. NULL-safe. A callback that runs sets its own handle to
 * NULL itself. */
void jr_timer_cancel(struct jr_loop *loop, struct jr_timer **t);
/** When t is due. */
struct jr_mono jr_timer_due(const struct jr_timer *t);

#define JR_LOOP_READ 1u
#define JR_LOOP_WRITE 2u
/** Watches fd (borrowed) level-triggered. Errors and hang-ups are reported as both events.
 * JR_UNSUPPORTED on a virtual loop. */
enum jr_status jr_loop_fd_add(struct jr_loop *loop, int fd, unsigned events,
                              void (*fn)(void *ctx, int fd, unsigned events), void *ctx,
                              struct jr_loop_fd **ret, struct jr_error *err) JR_MUST_USE;
enum jr_status jr_loop_fd_change(struct jr_loop *loop, struct jr_loop_fd *w,
                                 unsigned events) JR_MUST_USE;
/** Stops watching; safe from inside any callback, also w's own; *w becomes NULL. To be called
 * before fd is closed. */
void jr_loop_fd_cancel(struct jr_loop *loop, struct jr_loop_fd **w);
/** Blocks signo for the thread and delivers it as a call (signalfd). */
enum jr_status jr_loop_signal(struct jr_loop *loop, int signo, void (*fn)(void *ctx, int signo),
                              void *ctx, struct jr_error *err) JR_MUST_USE;

/** Runs until jr_loop_stop, or, on a virtual loop, until nothing is left to do. */
enum jr_status jr_loop_run(struct jr_loop *loop, struct jr_error *err) JR_MUST_USE;
/** One turn: ready descriptors (waiting at most until the next timer, and at most max_wait_ns; < 0
 * no bound), then due timers. On a virtual loop: due timers; if there were none, time moves to the
 * next timer, but no further than max_wait_ns. Returns in *ret_idle whether there was nothing to do
 * at all. */
enum jr_status jr_loop_turn(struct jr_loop *loop, int64_t max_wait_ns, bool *ret_idle,
                            struct jr_error *err) JR_MUST_USE;
/** When there is something to do next: INT64_MAX where nothing is left. For who turns several
 * virtual loops in one time. */
struct jr_mono jr_loop_next(const struct jr_loop *loop);
/** Until when a callback may go on in this turn: other work, the Lease and probes among it, waits
 * for as long as a turn lasts. Whoever has more to do calls itself by jr_loop_after(..., 0, ...).
 * All callbacks of one turn share its time, and each may take one step where it is over. Without
 * end on a virtual loop, whose time stands still in a turn. */
#define JR_LOOP_TURN_NS (10 * JR_MSEC)
struct jr_deadline jr_loop_deadline(const struct jr_loop *loop);
/** The longest turn so far; zero on a virtual loop. */
struct jr_turn_longest jr_loop_longest(const struct jr_loop *loop);
/** Sticky: a run that starts later returns at once. */
void jr_loop_stop(struct jr_loop *loop);

#endif
