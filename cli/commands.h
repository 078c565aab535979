/* The commands of jobreeve. Each takes its arguments (argv[0] is its own name) and returns the exit
 * code: 0, 1 for findings, 2 for a wrong use or unreadable input. */
#ifndef JR_CLI_COMMANDS_H
#define JR_CLI_COMMANDS_H

int jr_cli_check(int argc, char **argv);
int jr_cli_default(int argc, char **argv);
int jr_cli_main(int argc, char **argv);

#endif
