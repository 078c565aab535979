/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve default: Jobs with what the API server adds. */
#include <stdio.h>

#include "cli/apply.h"
#include "cli/commands.h"
#include "cli/default.h"
#include "cli/profile_flags.h"
#include "cli/rewrite_files.h"
#include "common/base/show.h"

struct config {
    struct jr_rewrite_flags output;
    const char *namespace;
    const char *uid;
    struct jr_profile_flags profile;
    struct jr_policy_flags policies;
};

static const struct jr_flag table[] = {
    JR_REWRITE_FLAG_ROWS(struct config, output),
    JR_NAMESPACE_FLAG_ROW(struct config, namespace),
    { .name = "uid",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, uid),
      .help = "The `uid` that the Job will have: labels and selector are generated with it." },
    JR_PROFILE_FLAG_ROWS(struct config, profile),
    JR_POLICY_FLAG_ROWS(struct config, policies),
    { .name = NULL },
};

const struct jr_flags jr_cli_default_flags = {
    .program = "jobreeve default",
    .summary =
        "Prints Jobs with the defaults, labels and selector that the API server gives them.\n"
        "Other kinds are printed as they are. Standard input is read for -, or without a FILE.",
    .args = "[FILE|-]...",
    .table = table,
    .about = jr_cli_about,
};

int jr_cli_default(int argc, char **argv)
{
    struct config config;
    JR_CLEANUP(jr_cli_policies_done) struct jr_cli_policies policies = { .given = false };
    struct jr_default_options options = { .policies = &policies };
    struct jr_rewrite rw = { .object = jr_default_object, .ctx = &options };
    struct jr_error err = { .status = JR_OK };
    char text[sizeof(err.path) + sizeof(err.msg) + 8];
    int args = 0;
    int code = jr_flags_start(&jr_cli_default_flags, argc, argv, &config, &args);

    if (code >= 0)
        return code;
    if (jr_flags_check(&jr_cli_default_flags, &(struct jr_flag_rule){ .flag = NULL }, &config,
                       &err) != JR_OK ||
        jr_profile_of_flags(&config.profile, &options.profile, &err) != JR_OK ||
        jr_cli_policies_read(&policies, &config.policies,
                             jr_clock_system.wall(jr_clock_system.self), &err) != JR_OK) {
        jr_show_error("jobreeve default: %s", jr_error_text(&err, text, sizeof(text)));
        return 2;
    }
    if (config.uid != NULL && config.uid[0] != '\0' &&
        jr_name_label_value(jr_str(config.uid)).n > 0) {
        jr_show_error(
            "jobreeve default: --uid: expected a uid, which is the value of a label too, not "
            "\"%s\"",
            config.uid);
        return 2;
    }
    options.namespace = config.namespace;
    options.uid = config.uid;
    return jr_rewrite_files("jobreeve default", rw, &config.output,
                            "objects are no Jobs of batch/v1 and unchanged", args, argv + 1);
}
