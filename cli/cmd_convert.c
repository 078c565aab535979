/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve convert: Jobs and CronJobs of old versions as batch/v1. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/convert.h"
#include "cli/rewrite_files.h"
#include "common/base/flags.h"

struct config {
    struct jr_rewrite_flags output;
    int to;
};

/* No API server has taken an older version for years: there is nobody to write one for. */
static const char *const versions[] = { "v1", NULL };

static const struct jr_flag table[] = {
    JR_REWRITE_FLAG_ROWS(struct config, output),
    { .name = "to",
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, to),
      .initial = "v1",
      .choices = versions,
      .help = "The `version` of batch to convert to." },
    { .name = NULL },
};

const struct jr_flags jr_cli_convert_flags = {
    .program = "jobreeve convert",
    .summary =
        "Converts Jobs of extensions/v1beta1, with their autoSelector, and CronJobs of\n"
        "batch/v1beta1 and batch/v2alpha1 to batch/v1. Other kinds are printed as they are,\n"
        "comments are lost. A file with an object that can't be converted prints nothing but the\n"
        "reason. Standard input is read for -, or without a FILE.",
    .args = "[FILE|-]...",
    .table = table,
    .about = jr_cli_about,
};

int jr_cli_convert(int argc, char **argv)
{
    struct config config;
    struct jr_rewrite rw = { .object = jr_convert_manifest };
    int args = 0;
    int code = jr_flags_start(&jr_cli_convert_flags, argc, argv, &config, &args);

    if (code >= 0)
        return code;
    return jr_rewrite_files("jobreeve convert", rw, &config.output,
                            "objects are not of an old version and unchanged", args, argv + 1);
}
