/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve completion: the script for one shell. */
#include <stdio.h>

#include "cli/completion.h"

#define MAX_SCRIPT ((size_t)1 << 20)

static const struct jr_flag table[] = { { .name = NULL } };

const struct jr_flags jr_cli_completion_flags = {
    .program = "jobreeve completion",
    .summary =
        "Prints a script that completes jobreeve's commands, flags and files, for bash, zsh\n"
        "or fish. For this session of bash: . <(jobreeve completion bash)",
    .args = "bash|zsh|fish",
    .table = table,
    .about = jr_cli_about,
};

static int print(enum jr_shell shell)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, MAX_SCRIPT);
    if (jr_completion_write(shell, jr_cli_commands, &out) != JR_OK ||
        fwrite(out.p, 1, out.n, stdout) != out.n || fflush(stdout) != 0) {
        (void)fputs("jobreeve completion: can't write the script\n", stderr);
        return 2;
    }
    return 0;
}

int jr_cli_completion(int argc, char **argv)
{
    int args = 0, code = jr_flags_start(&jr_cli_completion_flags, argc, argv, NULL, &args);

    if (code >= 0)
        return code;
    for (int i = 0; args == 1 && jr_shell_names[i] != NULL; i++) {
        if (strcmp(argv[1], jr_shell_names[i]) == 0)
            return print((enum jr_shell)i);
    }
    (void)fputs("jobreeve completion: expected bash, zsh or fish\n", stderr);
    return 2;
}
