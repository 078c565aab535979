/* SPDX-License-Identifier: Apache-2.0 */
/* Completion scripts, made of the commands' own tables. Pure. */
#ifndef JR_CLI_COMPLETION_H
#define JR_CLI_COMPLETION_H

#include "cli/commands.h"

enum jr_shell { JR_SHELL_BASH, JR_SHELL_ZSH, JR_SHELL_FISH };
/** "bash", "zsh", "fish"; ended by NULL. */
extern const char *const jr_shell_names[];

/** Appends the script that completes jobreeve's commands, flags, their values and files. */
enum jr_status jr_completion_write(enum jr_shell shell, const struct jr_cli_command *commands,
                                   struct jr_buf *out) JR_MUST_USE;

#endif
