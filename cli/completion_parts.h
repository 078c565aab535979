/* SPDX-License-Identifier: Apache-2.0 */
/* What the scripts for the shells have in common. Failures stick to the buffers. */
#ifndef JR_CLI_COMPLETION_PARTS_H
#define JR_CLI_COMPLETION_PARTS_H

#include "cli/completion.h"

/** What stands behind a flag. */
enum jr_value_kind {
    JR_VALUE_NONE,  /* it takes no value */
    JR_VALUE_WORDS, /* one of its `choices` */
    JR_VALUE_FILE,  /* by the name of the value in the help text */
    JR_VALUE_FOLDER,
    JR_VALUE_TEXT,
};

enum jr_value_kind jr_completion_value(const struct jr_flag *f);
/** The first sentence of a flag's help, without back quotes, with a backslash before each of the
 * characters in `escape`; ' becomes '\'' where it is among them. */
void jr_completion_brief(const char *help, const char *escape, struct jr_buf *out);
/** Words with blanks between. */
void jr_completion_words(const char *const *words, struct jr_buf *out);
/** The names of all commands, with blanks between. */
void jr_completion_commands(const struct jr_cli_command *commands, struct jr_buf *out);

/** The names of all ready policies, with blanks between. */
void jr_completion_policies(struct jr_buf *out);

/** A command, or a subcommand. */
struct jr_completion_item {
    const struct jr_cli_command *commands; /* all */
    const struct jr_cli_command *group;    /* whose subcommand it is; NULL: it is a command */
    const struct jr_cli_command *command;
    struct jr_buf *out;
};
/** Calls fn for each that takes flags and arguments itself. */
void jr_completion_each(const struct jr_cli_command *commands, struct jr_buf *out,
                        void (*fn)(const struct jr_completion_item *i));
/** Appends its whole name: "policy facts". */
void jr_completion_name(const struct jr_completion_item *i);

void jr_completion_bash(const struct jr_cli_command *commands, struct jr_buf *out);
void jr_completion_zsh(const struct jr_cli_command *commands, struct jr_buf *out);
void jr_completion_fish(const struct jr_cli_command *commands, struct jr_buf *out);

#endif
