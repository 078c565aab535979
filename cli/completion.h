/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts by which shells complete jobreeve's lines: each asks jobreeve __complete. Pure. */
#ifndef JR_CLI_COMPLETION_H
#define JR_CLI_COMPLETION_H

/** "bash", "zsh", "fish"; ended by NULL. */
extern const char *const jr_shell_names[];
/** Their scripts, in the same order. */
extern const char *const jr_completion_scripts[];

#endif
