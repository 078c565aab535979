/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands; jobreeve version and help. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "common/base/about.h"
#include "common/base/show.h"
#include "common/curl/about.h"
#include "common/json/about.h"
#include "common/schema/kube_version.h"

#define VERSION_MAX 4096

static const struct jr_flag no_flags[] = { { .name = NULL } };

static const struct jr_flags version_flags = {
    .program = "jobreeve version",
    .summary = "Prints the version, and what the program was built of and runs with.",
    .table = no_flags,
    .about = jr_cli_about,
};
static const struct jr_flags help_flags = {
    .program = "jobreeve help",
    .summary = "Lists the commands, or prints a command's flags.",
    .args = "[COMMAND]...",
    .table = no_flags,
    .about = jr_cli_about,
};
static const struct jr_flags policy_flags = {
    .program = "jobreeve policy",
    .summary = "What Jobs may come to, ready policies, and tests of JobPolicies.",
    .args = "COMMAND",
    .table = no_flags,
    .about = jr_cli_about,
};
static const struct jr_flags root_flags = {
    .program = "jobreeve",
    .summary = "Kubernetes Jobs: the rules of the API server offline, and the ends of a cluster's.",
    .args = "COMMAND",
    .table = no_flags,
    .about = jr_cli_about,
};

void jr_cli_about(struct jr_buf *out)
{
    jr_kube_about(out);
    jr_json_about(out);
    jr_curl_about(out);
}

static int version(int argc, char **argv)
{
    JR_BUF out = { 0 };
    int code = jr_flags_start(&version_flags, argc, argv, NULL, NULL);

    if (code >= 0)
        return code;
    jr_buf_init(&out, VERSION_MAX);
    return jr_about(&root_flags, &out) == JR_OK && jr_buf_print(&out, stdout) ? 0 : 2;
}

static int help(int argc, char **argv);

static const struct jr_cli_command policy_commands[] = {
    { "facts", "say how many Pods Jobs may make, for how long, with which resources", jr_cli_facts,
      &jr_cli_facts_flags, JR_TAKES_FILES, NULL },
    { "library", "print ready policies", jr_cli_library, &jr_cli_library_flags, JR_TAKES_POLICY,
      NULL },
    { "test", "run test suites of JobPolicies", jr_cli_test, &jr_cli_test_flags, JR_TAKES_FILES,
      NULL },
    { .name = NULL },
};

const struct jr_cli_command jr_cli_commands[] = {
    { "check", "say whether an API server would take Jobs and CronJobs", jr_cli_check,
      &jr_cli_check_flags, JR_TAKES_FILES, NULL },
    { "default", "print Jobs as the API server would store them", jr_cli_default,
      &jr_cli_default_flags, JR_TAKES_FILES, NULL },
    { "convert", "turn Jobs and CronJobs of old versions into batch/v1", jr_cli_convert,
      &jr_cli_convert_flags, JR_TAKES_FILES, NULL },
    { "wait", "wait until Jobs of a cluster are over, and say how they ended", jr_cli_wait,
      &jr_cli_wait_flags, JR_TAKES_JOBS, NULL },
    { "why", "say what holds a Job or CronJob up, whose move it is, and what to do", jr_cli_why,
      &jr_cli_why_flags, JR_TAKES_OBJECT, NULL },
    { "status", "show Jobs with their reasons, or one Job's Pods over time", jr_cli_status,
      &jr_cli_status_flags, JR_TAKES_JOBS, NULL },
    { "dump", "write what why reads of a cluster, without what is secret", jr_cli_dump,
      &jr_cli_dump_flags, JR_TAKES_OBJECT, NULL },
    { "audit", "say which Jobs and CronJobs of a cluster violate JobPolicies", jr_cli_audit,
      &jr_cli_audit_flags, JR_TAKES_FILES, NULL },
    { "policy", "say what Jobs may come to, print ready policies, test JobPolicies", NULL,
      &policy_flags, JR_TAKES_NOTHING, policy_commands },
    { "completion", "print a completion script for a shell", jr_cli_completion,
      &jr_cli_completion_flags, JR_TAKES_SHELL, NULL },
    { "version", "print the version, and what this was built of", version, &version_flags,
      JR_TAKES_NOTHING, NULL },
    { "help", "list the commands, or explain one", help, &help_flags, JR_TAKES_COMMAND, NULL },
    { .name = NULL },
};

/** The program itself is a command with subcommands. */
static const struct jr_cli_command root = { .name = "jobreeve",
                                            .flags = &root_flags,
                                            .subs = jr_cli_commands };

/** The subcommand of that name; NULL: there is none, and that was said. */
static const struct jr_cli_command *find_command(const struct jr_cli_command *in, const char *name)
{
    const char *program = in->flags->program;

    for (const struct jr_cli_command *c = in->subs; c->name != NULL; c++) {
        if (strcmp(name, c->name) == 0)
            return c;
    }
    jr_show_error("%s: no command '%s': see %s --help", program, name, program);
    return NULL;
}

static int list_commands(const struct jr_cli_command *in, FILE *out)
{
    const struct jr_flags *f = in->flags;

    (void)fprintf(out, "Usage: %s %s [FLAG]... [ARGUMENT]...\n\n%s\n\nCommands:\n", f->program,
                  f->args, f->summary);
    for (const struct jr_cli_command *c = in->subs; c->name != NULL; c++)
        (void)fprintf(out, "  %-12s%s\n", c->name, c->what);
    (void)fprintf(out, "\nSee %s COMMAND --help for its flags.\n", f->program);
    return fflush(out) != 0 ? 2 : 0;
}

static int help(int argc, char **argv)
{
    char ask[] = "--help";
    const struct jr_cli_command *command = &root;
    int args = 0, code = jr_flags_start(&help_flags, argc, argv, NULL, &args);

    if (code >= 0)
        return code;
    for (int i = 1; i <= args; i++) {
        if (command->subs == NULL) {
            jr_show_error("jobreeve help: expected nothing behind '%s'", command->name);
            return 2;
        }
        command = find_command(command, argv[i]);
        if (command == NULL)
            return 2;
    }
    if (command->run == NULL)
        return list_commands(command, stdout);
    return command->run(2, (char *[]){ argv[args], ask, NULL });
}

static int run(const struct jr_cli_command *command, int argc, char **argv)
{
    while (command->subs != NULL) {
        if (argc < 2) {
            (void)list_commands(command, stderr);
            return 2;
        }
        if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
            return list_commands(command, stdout);
        if (strcmp(argv[1], "--version") == 0)
            return version(1, argv);
        command = find_command(command, argv[1]);
        if (command == NULL)
            return 2;
        argc--;
        argv++;
    }
    return command->run(argc, argv);
}

int jr_cli_main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "__complete") == 0)
        return jr_cli_complete(argc - 1, argv + 1);
    return run(&root, argc, argv);
}
