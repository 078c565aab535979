/* SPDX-License-Identifier: Apache-2.0 */
/* Signals by name. */
#ifndef JR_BASE_SIGNALS_H
#define JR_BASE_SIGNALS_H

/** "SIGTERM", for log lines; "another signal" where it is none that we handle. Constant text. */
const char *jr_signal_text(int signo);

#endif
