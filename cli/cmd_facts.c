/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve policy facts: files in, facts out, what is wrong to standard error. */
#include <errno.h>
#include <stdio.h>

#include "cli/check_files.h"
#include "cli/commands.h"
#include "cli/facts.h"
#include "cli/output.h"
#include "common/base/memory.h"
#include "common/base/show.h"

#define MAX_OUTPUT ((size_t)1 << 30)

struct config {
    struct jr_flag_list trusted;
    int format; /* enum jr_facts_format */
};

static const char *const formats[] = { "text", "json", NULL };

static const struct jr_flag table[] = {
    { .name = "trusted-controllers",
      .type = JR_FLAG_LIST,
      .offset = offsetof(struct config, trusted),
      .initial = JR_POLICY_TRUSTED_CONTROLLERS,
      .help = "Values of managedBy, as `names`, whose controllers run Jobs as the built-in one "
              "does." },
    { .name = "output",
      .letter = 'o',
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, format),
      .initial = "text",
      .choices = formats,
      .help = "The `format` to write: text or json." },
    { .name = NULL },
};

const struct jr_flags jr_cli_facts_flags = {
    .program = "jobreeve policy facts",
    .summary =
        "Says what Jobs and CronJobs (as the Jobs that they would make) may come to: Pods, time,\n"
        "resources; and for each bound how it comes about, or why there is none. These are the\n"
        "facts that the budget of a JobPolicy is compared with.\n\n"
        "Reads YAML and JSON: files, folders (*.yaml, *.yml, *.json below them), - or nothing for\n"
        "standard input. Other kinds are skipped. Objects get an API server's defaults first; "
        "what\n"
        "is wrong with them is said on standard error, and those that a server would refuse have "
        "no\n"
        "facts.\n\n"
        "Exit codes: 0 fine, 1 errors found, 2 wrong use or unreadable input.",
    .args = "[FILE|DIR|-]...",
    .table = table,
    .about = jr_cli_about,
};

static int wrong_use(const char *why)
{
    jr_show_error("jobreeve policy facts: %s", why);
    jr_show_error("See jobreeve policy facts --help.");
    return 2;
}

static void print_findings(const struct jr_report *r)
{
    const struct jr_output_style style = { .color = false };
    JR_BUF out = { 0 };

    jr_buf_init(&out, MAX_OUTPUT);
    jr_output_text(r, &style, &out);
    jr_output_all_unreadable(r, &out);
    (void)jr_buf_print(&out, stderr);
}

static enum jr_status print_facts(const struct jr_report *r, const struct jr_buf *out,
                                  struct jr_error *err)
{
    if (r->failed != JR_OK || out->failed != JR_OK)
        return jr_fail(err, JR_LIMIT, NULL, "too much to report");
    if (!jr_buf_print(out, stdout))
        return jr_fail_errno(err, errno, NULL, "can't write to standard output");
    return JR_OK;
}

static int write_facts(struct config *config, int n, char **args)
{
    JR_CLEANUP(jr_report_done) struct jr_report report = { .failed = JR_OK };
    JR_BUF out = { 0 };
    struct jr_facts_output facts = { .format = (enum jr_facts_format)config->format,
                                     .trusted = { config->trusted.v, config->trusted.n },
                                     .out = &out };
    const struct jr_check_options options = { .profiles =
                                                  jr_cli_profiles_of_one(jr_profile_newest()),
                                              .stored = true,
                                              .jobs_only = true,
                                              .taken = jr_facts_take,
                                              .taken_ctx = &facts };
    struct jr_error err = { .status = JR_OK };
    char text[sizeof(err.path) + sizeof(err.msg) + 8];

    jr_report_init(&report, MAX_OUTPUT);
    jr_buf_init(&out, MAX_OUTPUT);
    jr_check_files(&report, &options, n, args);
    jr_facts_end(&facts);
    print_findings(&report);
    if (print_facts(&report, &out, &err) != JR_OK) {
        jr_show_error("jobreeve policy facts: %s", jr_error_text(&err, text, sizeof(text)));
        return 2;
    }
    return jr_report_exit_code(&report);
}

int jr_cli_facts(int argc, char **argv)
{
    struct config config;
    int args = 0, code = jr_flags_start(&jr_cli_facts_flags, argc, argv, &config, &args);

    if (code >= 0)
        return code;
    if (args == 0 && isatty(STDIN_FILENO) == 1)
        return wrong_use("expected files, folders, or - for standard input");
    if (!jr_check_stdin_once(NULL, args, argv + 1))
        return wrong_use("standard input can be read once");
    return write_facts(&config, args, argv + 1);
}
