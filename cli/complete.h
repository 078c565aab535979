/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates for the word at the cursor, out of the commands' own tables. Pure. */
#ifndef JR_CLI_COMPLETE_H
#define JR_CLI_COMPLETE_H

#include "cli/commands.h"

/** What a shell's completion does beside the candidates; the values are those of cobra's
 * ShellCompDirective, which kubectl takes of its plugins. */
enum jr_complete_directive {
    JR_COMPLETE_FILES = 0,
    JR_COMPLETE_ERROR = 1,
    JR_COMPLETE_NO_FILES = 4,
    JR_COMPLETE_FOLDERS = 16
};

/** Names that a cluster has, where they are asked for. */
enum jr_complete_names {
    JR_COMPLETE_NONE,
    JR_COMPLETE_JOBS,
    JR_COMPLETE_CRONJOBS,
    JR_COMPLETE_PODS,
    JR_COMPLETE_NAMESPACES
};

struct jr_completion {
    enum jr_complete_directive directive;
    enum jr_complete_names names; /* still to be asked for, and to be added by jr_complete_name */
    const char *word;             /* which they have to begin with; borrowed from the words */
    const char *namespace;        /* of flags before the word; NULL: none; likewise the next two */
    const char *kubeconfig;
    const char *context;
};

/** Completes the last of n words, which stand behind the program's name; n = 0 is one empty word.
 * Appends the candidates, a line each: the word, and behind a tab what it is. Behind "--flag=" they
 * are values alone. */
struct jr_completion jr_complete(const struct jr_cli_command *commands, int n, char **words,
                                 struct jr_buf *out);
/** Appends an object's name as a candidate, if it goes on what is typed and has no character but
 * those of names: others might be something to a shell. */
void jr_complete_name(const struct jr_completion *c, struct jr_str name, struct jr_buf *out);

#endif
