/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve completion: the script for one shell. */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

static const struct jr_flag table[] = { { .name = NULL } };

const struct jr_flags jr_cli_completion_flags = {
    .program = "jobreeve completion",
    .summary =
        "Prints a script that completes jobreeve's commands, flags, files and the names of a "
        "cluster's\n"
        "objects, for bash, zsh or fish. For this session of bash: . <(jobreeve completion bash)",
    .args = "bash|zsh|fish",
    .table = table,
    .about = jr_cli_about,
};

int jr_cli_completion(int argc, char **argv)
{
    int args = 0, code = jr_flags_start(&jr_cli_completion_flags, argc, argv, NULL, &args);

    if (code >= 0)
        return code;
    for (int i = 0; args == 1 && jr_shell_names[i] != NULL; i++) {
        if (strcmp(argv[1], jr_shell_names[i]) == 0)
            return fputs(jr_completion_scripts[i], stdout) < 0 || fflush(stdout) != 0 ? 2 : 0;
    }
    (void)fputs("jobreeve completion: expected bash, zsh or fish\n", stderr);
    return 2;
}
