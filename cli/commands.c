#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "common/base/cleanup.h"

static int version(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        (void)fputs("jobreeve version: takes no arguments\n", stderr);
        return 2;
    }
    (void)puts("jobreeve " JR_VERSION);
    return 0;
}

static int help(int argc, char **argv);

static const struct {
    const char *name;
    const char *what;
    int (*run)(int argc, char **argv);
} commands[] = {
    { "check", "say whether an API server would take Jobs and CronJobs", jr_cli_check },
    { "default", "print Jobs as the API server would store them", jr_cli_default },
    { "version", "print the version", version },
    { "help", "this", help },
};

static int help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    (void)puts("usage: jobreeve COMMAND [FLAG]... [FILE]...\n\ncommands:");
    for (size_t i = 0; i < JR_ARRAY_SIZE(commands); i++)
        (void)printf("  %-10s%s\n", commands[i].name, commands[i].what);
    (void)puts("\njobreeve COMMAND --help says more.");
    return 0;
}

int jr_cli_main(int argc, char **argv)
{
    if (argc < 2) {
        (void)help(argc, argv);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(argc, argv);
    if (strcmp(argv[1], "--version") == 0)
        return version(1, argv);
    for (size_t i = 0; i < JR_ARRAY_SIZE(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    (void)fprintf(stderr, "jobreeve: no command '%s': see jobreeve help\n", argv[1]);
    return 2;
}
