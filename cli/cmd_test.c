/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve policy test: suites in, lines about cases and rules out. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/manifest_file.h"
#include "cli/output.h"
#include "cli/suite.h"
#include "cli/suites.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/show.h"

#define MAX_OUTPUT ((size_t)1 << 30)

struct config {
    bool verbose;
    int output; /* enum jr_output_format */
};

#define X(id, name) name,
static const char *const formats[] = { JR_OUTPUT_MAP(X) NULL };
#undef X

static const struct jr_flag table[] = {
    { .name = "verbose",
      .letter = 'v',
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, verbose),
      .help = "A line for each case that passed, too." },
    { .name = "output",
      .letter = 'o',
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, output),
      .initial = "text",
      .choices = formats,
      .help = "The `format` to write: text, json, sarif, junit or github, as check does." },
    { .name = NULL },
};

const struct jr_flags jr_cli_test_flags = {
    .program = "jobreeve policy test",
    .summary =
        "Runs test suites of JobPolicies: documents of the kind JobPolicyTest in these files and\n"
        "folders (*.yaml, *.yml, *.json below them), of the current folder where none is named.\n\n"
        "Prints each case that failed, a summary, and each rule (a limit, a ceiling of the budget, "
        "a\n"
        "default) that no case violates or no case meets: it is not tested.\n\n"
        "Exit codes: 0 all cases passed and all rules are tested, 1 if not, 2 wrong use or a suite "
        "or\n"
        "policy that can't be used.",
    .args = "[FILE|DIR]...",
    .table = table,
    .about = jr_cli_about,
};

static void run_file(void *ctx, const char *path)
{
    struct jr_suites *s = ctx;
    struct jr_error err = { .status = JR_OK };
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_STREAM_MAX_BYTES);
    if (jr_input_read(path, &text, &err) != JR_OK)
        jr_suites_fault(s, jr_str(path), err.msg);
    else
        jr_suites_text(s, jr_str(path), jr_buf_str(&text));
}

static void add_fault(void *ctx, const char *path, const char *why)
{
    jr_suites_fault(ctx, jr_str(path), why);
}

/** A path that leads to no suite is a mistake. */
static void run_path(struct jr_suites *s, const char *path)
{
    const struct jr_files_sink sink = { run_file, add_fault, s };
    const size_t before = s->n + s->faults;

    jr_files_walk(path, &sink);
    if (s->n + s->faults == before)
        jr_suites_fault(s, jr_str(path), "no " JR_SUITE_KIND " in it");
}

static void run_paths(struct jr_suites *s, int n, char **paths)
{
    if (n == 0)
        run_path(s, ".");
    for (int i = 0; i < n; i++)
        run_path(s, paths[i]);
    if (s->n > 0)
        jr_suites_end(s);
}

static int run_all(const struct config *config, int n, char **paths)
{
    JR_CLEANUP(jr_report_done) struct jr_report report = { .failed = JR_OK };
    const struct jr_output_style plain = { .color = false };
    const bool text = config->output == JR_OUTPUT_TEXT;
    JR_BUF out = { 0 }, err = { 0 };
    JR_CLEANUP(jr_suites_done)
    struct jr_suites s = {
        .now = jr_clock_system.wall(jr_clock_system.self),
        .verbose = config->verbose,
        .out = &out,
        .err = &err,
        .report = text ? NULL : &report,
    };

    jr_report_init(&report, MAX_OUTPUT);
    report.command = "jobreeve policy test";
    jr_buf_init(&out, MAX_OUTPUT);
    jr_buf_init(&err, MAX_OUTPUT);
    run_paths(&s, n, paths);
    if (!text) {
        jr_buf_reset(&out);
        report.files = s.n;
        if (report.failed == JR_OK)
            report.failed =
                jr_output_write(&report, (enum jr_output_format)config->output, &plain, &out);
    }
    (void)jr_buf_print(&err, stderr);
    if (report.failed != JR_OK || jr_need(out.failed) != JR_OK || jr_need(err.failed) != JR_OK ||
        !jr_buf_print(&out, stdout)) {
        jr_show_error("jobreeve policy test: can't write to standard output");
        return 2;
    }
    return jr_suites_exit_code(&s);
}

int jr_cli_test(int argc, char **argv)
{
    struct config config;
    int args = 0, code = jr_flags_start(&jr_cli_test_flags, argc, argv, &config, &args);

    return code >= 0 ? code : run_all(&config, args, argv + 1);
}
