/* SPDX-License-Identifier: Apache-2.0 */
/* The names of signals. */
#include "common/base/signals.h"

#include <signal.h>

const char *jr_signal_text(int signo)
{
    switch (signo) {
    case SIGTERM:
        return "SIGTERM";
    case SIGINT:
        return "SIGINT";
    case SIGHUP:
        return "SIGHUP";
    case SIGUSR1:
        return "SIGUSR1";
    default:
        return "another signal";
    }
}
