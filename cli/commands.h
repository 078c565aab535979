/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of jobreeve. Each takes its arguments (argv[0] is its own name) and returns the exit
 * code: 0, 1 for findings, 2 for a wrong use or unreadable input. */
#ifndef JR_CLI_COMMANDS_H
#define JR_CLI_COMMANDS_H

#include "common/base/flags.h"

/** What a command takes besides flags, for completion. */
enum jr_cli_takes {
    JR_TAKES_NOTHING,
    JR_TAKES_FILES,
    JR_TAKES_COMMAND,
    JR_TAKES_SHELL,
    JR_TAKES_POLICY,
    JR_TAKES_JOBS,  /* job/NAME */
    JR_TAKES_OBJECT /* job/NAME, cronjob/NAME, pod/NAME */
};

struct jr_cli_command {
    const char *name;
    const char *what;                  /* for the list of commands */
    int (*run)(int argc, char **argv); /* NULL: there are subcommands */
    const struct jr_flags *flags;      /* with subcommands: without rows */
    enum jr_cli_takes takes;
    const struct jr_cli_command *subs; /* ended as the list of all; NULL: there are none */
};

/** All of them, ended by { .name = NULL }. Help, man pages and completion are made of this. */
extern const struct jr_cli_command jr_cli_commands[];

extern const struct jr_flags jr_cli_check_flags;
int jr_cli_check(int argc, char **argv);
extern const struct jr_flags jr_cli_audit_flags;
int jr_cli_audit(int argc, char **argv);
extern const struct jr_flags jr_cli_convert_flags;
int jr_cli_convert(int argc, char **argv);
extern const struct jr_flags jr_cli_default_flags;
int jr_cli_default(int argc, char **argv);
extern const struct jr_flags jr_cli_completion_flags;
int jr_cli_completion(int argc, char **argv);
int jr_cli_complete(int argc, char **argv);
extern const struct jr_flags jr_cli_facts_flags;
int jr_cli_facts(int argc, char **argv);
extern const struct jr_flags jr_cli_library_flags;
int jr_cli_library(int argc, char **argv);
extern const struct jr_flags jr_cli_test_flags;
int jr_cli_test(int argc, char **argv);
extern const struct jr_flags jr_cli_wait_flags;
int jr_cli_wait(int argc, char **argv);
extern const struct jr_flags jr_cli_dump_flags;
int jr_cli_dump(int argc, char **argv);
extern const struct jr_flags jr_cli_status_flags;
int jr_cli_status(int argc, char **argv);
extern const struct jr_flags jr_cli_why_flags;
int jr_cli_why(int argc, char **argv);

/** The lines of --version that are jobreeve's own. */
void jr_cli_about(struct jr_buf *out);

int jr_cli_main(int argc, char **argv);

#endif
