/* SPDX-License-Identifier: Apache-2.0 */
/* The process around the controller: loop, transport, listeners, signals. */
#ifndef JR_CONTROLLER_APP_APP_H
#define JR_CONTROLLER_APP_APP_H

#include "controller/app/options.h"

/** Runs until it is told to stop (0), the right to lead is lost or something breaks (1), or can't
 * start (2, 1 without memory). The config has passed its check. */
int jr_controller_run(const struct jr_controller_config *config);

#endif
