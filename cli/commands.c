/* The table of commands; jobreeve version and help. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/show.h"

static const struct jr_flag no_flags[] = { { .name = NULL } };

static const struct jr_flags version_flags = {
    .program = "jobreeve version",
    .summary = "Prints the version.",
    .table = no_flags,
};
static const struct jr_flags help_flags = {
    .program = "jobreeve help",
    .summary = "Lists the commands, or prints a command's flags.",
    .args = "[COMMAND]",
    .table = no_flags,
};

static int version(int argc, char **argv)
{
    int code = jr_flags_start(&version_flags, argc, argv, NULL, NULL);

    if (code >= 0)
        return code;
    return puts("jobreeve " JR_VERSION) < 0 || fflush(stdout) != 0 ? 2 : 0;
}

static int help(int argc, char **argv);

const struct jr_cli_command jr_cli_commands[] = {
    { "check", "say whether an API server would take Jobs and CronJobs", jr_cli_check,
      &jr_cli_check_flags, JR_TAKES_FILES },
    { "default", "print Jobs as the API server would store them", jr_cli_default,
      &jr_cli_default_flags, JR_TAKES_FILES },
    { "convert", "turn Jobs and CronJobs of old versions into batch/v1", jr_cli_convert,
      &jr_cli_convert_flags, JR_TAKES_FILES },
    { "audit", "say which Jobs and CronJobs of a cluster violate JobPolicies", jr_cli_audit,
      &jr_cli_audit_flags, JR_TAKES_FILES },
    { "completion", "print a completion script for a shell", jr_cli_completion,
      &jr_cli_completion_flags, JR_TAKES_SHELL },
    { "version", "print the version", version, &version_flags, JR_TAKES_NOTHING },
    { "help", "list the commands, or explain one", help, &help_flags, JR_TAKES_COMMAND },
    { .name = NULL },
};

static const struct jr_cli_command *find_command(const char *name)
{
    for (const struct jr_cli_command *c = jr_cli_commands; c->name != NULL; c++) {
        if (strcmp(name, c->name) == 0)
            return c;
    }
    jr_show_error("jobreeve: no command '%s': see jobreeve help", name);
    return NULL;
}

static int list_commands(FILE *out)
{
    (void)fputs("Usage: jobreeve COMMAND [FLAG]... [ARGUMENT]...\n\n"
                "Kubernetes Jobs offline: the rules of the API server, without a cluster.\n\n"
                "Commands:\n",
                out);
    for (const struct jr_cli_command *c = jr_cli_commands; c->name != NULL; c++)
        (void)fprintf(out, "  %-12s%s\n", c->name, c->what);
    (void)fputs("\nSee jobreeve COMMAND --help for its flags.\n", out);
    return fflush(out) != 0 ? 2 : 0;
}

static int help(int argc, char **argv)
{
    char ask[] = "--help";
    const struct jr_cli_command *command;
    int args = 0, code = jr_flags_start(&help_flags, argc, argv, NULL, &args);

    if (code >= 0)
        return code;
    if (args == 0)
        return list_commands(stdout);
    if (args > 1) {
        (void)fputs("jobreeve help: expected one COMMAND\n", stderr);
        return 2;
    }
    command = find_command(argv[1]);
    if (command == NULL)
        return 2;
    return command->run(2, (char *[]){ argv[1], ask, NULL });
}

int jr_cli_main(int argc, char **argv)
{
    const struct jr_cli_command *command;

    if (argc < 2) {
        (void)list_commands(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return list_commands(stdout);
    if (strcmp(argv[1], "--version") == 0)
        return version(1, argv);
    command = find_command(argv[1]);
    return command == NULL ? 2 : command->run(argc - 1, argv + 1);
}
