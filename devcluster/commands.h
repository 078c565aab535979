/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of jobreeve-devcluster. Each takes its arguments (argv[0] is its own name) and
 * returns the exit code: 0, 1 for a failure, 2 for a wrong use. */
#ifndef JR_DEVCLUSTER_COMMANDS_H
#define JR_DEVCLUSTER_COMMANDS_H

#include "common/base/flags.h"

extern const struct jr_flags jr_dev_serve_flags;
int jr_dev_serve(int argc, char **argv);
extern const struct jr_flags jr_dev_up_flags;
int jr_dev_up(int argc, char **argv);
extern const struct jr_flags jr_dev_kubelet_flags;
int jr_dev_kubelet(int argc, char **argv);
extern const struct jr_flags jr_dev_certs_flags;
int jr_dev_certs(int argc, char **argv);
/** The lines of --version that are jobreeve-devcluster's own. */
void jr_dev_about(struct jr_buf *out);
/** Picks the command: serve (also when none is named), up, kubelet or certs. */
int jr_dev_main(int argc, char **argv);

#endif
