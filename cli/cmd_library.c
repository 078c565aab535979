/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve policy library: ready policies to standard output. */
#include <errno.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/library.h"
#include "common/base/show.h"

#define MAX_OUTPUT ((size_t)1 << 20)

struct config {
    struct jr_flag_list set;
};

static const struct jr_flag table[] = {
    { .name = "set",
      .type = JR_FLAG_LIST,
      .offset = offsetof(struct config, set),
      .initial = "",
      .whole = true,
      .help = "Another value for a setting, as `KEY=VALUE`, the value in YAML: maxSeconds=3600,\n"
              "'registries=[registry.example.com]'." },
    { .name = NULL },
};

const struct jr_flags jr_cli_library_flags = {
    .program = "jobreeve policy library",
    .summary =
        "Prints a ready policy as YAML, or lists all of them. They are those of the chart, with "
        "its\n"
        "settings and their defaults, which are printed as comments: for kubectl apply, "
        "--policy and\n"
        "repositories, without Helm.\n\n"
        "Exit codes: 0 fine, 2 wrong use: no such policy or setting, or a value that it can't "
        "have.",
    .args = "[NAME]",
    .table = table,
    .about = jr_cli_about,
};

static int refuse(const struct jr_error *err)
{
    char text[sizeof(err->path) + sizeof(err->msg) + 8];

    jr_show_error("jobreeve policy library: %s", jr_error_text(err, text, sizeof(text)));
    return 2;
}

int jr_cli_library(int argc, char **argv)
{
    struct config config;
    struct jr_error err = { .status = JR_OK };
    JR_BUF out = { 0 };
    int args = 0, code = jr_flags_start(&jr_cli_library_flags, argc, argv, &config, &args);

    if (code >= 0)
        return code;
    if (args > 1 || (args == 0 && config.set.n > 0)) {
        jr_show_error("jobreeve policy library: expected the name of one policy");
        return 2;
    }
    jr_buf_init(&out, MAX_OUTPUT);
    if (args == 0)
        jr_library_list(&out);
    else if (jr_library_write(jr_str(argv[1]), &config.set, &out, &err) != JR_OK)
        return refuse(&err);
    if (out.failed != JR_OK)
        (void)jr_fail(&err, JR_LIMIT, NULL, "too much to print");
    else if (!jr_buf_print(&out, stdout))
        (void)jr_fail_errno(&err, errno, NULL, "can't write to standard output");
    return err.status == JR_OK ? 0 : refuse(&err);
}
