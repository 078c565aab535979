/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve check: the flags, files in, reports out, the exit code. */
#include <errno.h>
#include <stdio.h>

#include "cli/apply.h"
#include "cli/check_files.h"
#include "cli/commands.h"
#include "cli/manifest_file.h"
#include "cli/output.h"
#include "cli/profile_flags.h"
#include "cli/stream.h"
#include "common/base/memory.h"
#include "common/base/show.h"

#define MAX_REPORT ((size_t)1 << 30)
#define MAX_OUTPUTS 16

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct config {
    struct jr_flag_list outputs;
    const char *namespace;
    const char *old;
    int subresource; /* 1: status */
    struct jr_profile_flags profile;
    struct jr_policy_flags policies;
    bool strict;
    bool warnings_as_errors;
    bool quiet;
    bool verbose;
    int color;
};

static const char *const subresources[] = { "none", "status", NULL };
static const char *const colors[] = { "auto", "always", "never", NULL };
static const char *const formats[] = {
#define X(id, name) name,
    JR_OUTPUT_MAP(X)
#undef X
        NULL,
};

static const struct jr_flag table[] = {
    { .name = "output",
      .letter = 'o',
      .type = JR_FLAG_LIST,
      .offset = offsetof(struct config, outputs),
      .initial = "text",
      .choices = formats,
      .help =
          "The `format` to write: text, json, sarif, junit or github; FORMAT=FILE writes it to a "
          "file.\nSeveral with commas between, or the flag again; one may go to standard "
          "output." },
    JR_NAMESPACE_FLAG_ROW(struct config, namespace),
    { .name = "old",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, old),
      .help = "Validate updates: the `file` has the existing objects, found by kind, namespace and "
              "name.\n"
              "What is not in it is validated as a create. An object with neither uid nor "
              "resourceVersion is\n"
              "a manifest, which changes what it says and what the one before it said, as with "
              "kubectl apply;\n"
              "others are taken as they are, as in a PUT." },
    { .name = "subresource",
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, subresource),
      .initial = "none",
      .choices = subresources,
      .help = "With --old: validate updates of the status." },
    JR_PROFILES_FLAG_ROWS(struct config, profile),
    JR_POLICY_FLAG_ROWS(struct config, policies),
    JR_POD_SECURITY_FLAG_ROW(struct config, policies),
    { .name = "strict",
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, strict),
      .help =
          "Unknown and duplicate fields are errors (fieldValidation=Strict), and so are policies "
          "that aren't\nevaluated; else they are warnings." },
    { .name = "warnings-as-errors",
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, warnings_as_errors),
      .help = "Exit with 1 for warnings too." },
    { .name = "quiet",
      .letter = 'q',
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, quiet),
      .help = "Errors only: neither warnings nor the summary." },
    { .name = "verbose",
      .letter = 'v',
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, verbose),
      .help = "Notes too: fields of the Pod template that are not validated." },
    { .name = "color",
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, color),
      .initial = "auto",
      .choices = colors,
      .help = "Color text and show source lines; auto: on a terminal, without color where NO_COLOR "
              "is set." },
    { .name = NULL },
};
const struct jr_flags jr_cli_check_flags = {
    .program = "jobreeve check",
    .summary =
        "Says whether an API server would take Jobs and CronJobs, and where they are wrong.\n\n"
        "Reads YAML and JSON: files, folders (*.yaml, *.yml, *.json below them), - or nothing for\n"
        "standard input. JobPolicies and their test suites are checked themselves, other kinds "
        "are\n"
        "skipped. Objects are validated as on create: what a server sets (uid, timestamps, "
        "status)\n"
        "is ignored, a missing namespace is that of -n. A Job exported from a cluster carries "
        "labels\n"
        "and a selector with its old uid, which a new Job may not have: --old with the same file\n"
        "validates it as it is stored.\n\n"
        "Exit codes: 0 fine, 1 errors found, 2 wrong use or unreadable input.",
    .args = "[FILE|DIR|-]...",
    .table = table,
    .about = jr_cli_about,
};

static int wrong_use(const char *why)
{
    jr_show_error("jobreeve check: %s", why);
    jr_show_error("See jobreeve check --help.");
    return 2;
}

/* ---- where to write ---- */

struct outputs {
    struct {
        enum jr_output_format format;
        struct jr_str file; /* n = 0: standard output; behind it in argv is a NUL or a comma */
    } v[MAX_OUTPUTS];
    size_t n;
};

static enum jr_status add_output(struct outputs *o, struct jr_str text, struct jr_error *err)
{
    ptrdiff_t eq = jr_str_find(text, '=');
    struct jr_str name = eq < 0 ? text : jr_str_head(text, (size_t)eq);
    struct jr_str file = eq < 0 ? JR_S("") : jr_str_from(text, (size_t)eq + 1);
    enum jr_output_format format = jr_output_find(name);

    if (format == JR_OUTPUT_COUNT)
        return jr_fail(err, JR_USAGE, "--output",
                       "expected text, json, sarif, junit or github, not \"%.*s\"", JR_P(name));
    if (eq >= 0 && file.n == 0)
        return jr_fail(err, JR_USAGE, "--output", "expected a file after \"%.*s=\"", JR_P(name));
    if (jr_str_is(file, "-"))
        file = JR_S("");
    for (size_t i = 0; i < o->n; i++) {
        if (jr_str_eq(o->v[i].file, file))
            return file.n == 0
                       ? jr_fail(err, JR_USAGE, "--output",
                                 "one format may go to standard output, not two: "
                                 "FORMAT=FILE writes to a file")
                       : jr_fail(err, JR_USAGE, "--output", "%.*s is there twice", JR_P(file));
    }
    if (o->n == MAX_OUTPUTS)
        return jr_fail(err, JR_USAGE, "--output", "more than %d", MAX_OUTPUTS);
    o->v[o->n].format = format;
    o->v[o->n++].file = file;
    return JR_OK;
}

/* ---- Namespaces ---- */

/** What can't be read is told of when it is checked. */
static void learn_file(void *ctx, const char *path)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_STREAM_MAX_BYTES);
    if (jr_input_read(path, &text, NULL) == JR_OK)
        (void)jr_need(jr_cli_policies_learn_text(ctx, jr_buf_str(&text)));
}

static void pass_over(void *ctx, const char *path, const char *why)
{
    (void)ctx;
    (void)path;
    (void)why;
}

/** Namespaces among the manifests, wherever they stand: policies may select by their labels. Not
 * those of standard input, which is read once. */
static void learn_namespaces(struct jr_cli_policies *p, int n, char **args)
{
    const struct jr_files_sink sink = { learn_file, pass_over, p };
    bool needed = false;

    for (size_t i = 0; p->given && i < p->set.n; i++)
        needed |= jr_policy_selects_namespaces(p->set.v[i]);
    for (int i = 0; needed && i < n; i++) {
        if (strcmp(args[i], "-") != 0)
            jr_files_walk(args[i], &sink);
    }
}

static enum jr_status read_existing(const char *path, struct jr_existing *existing,
                                    struct jr_error *err)
{
    JR_BUF text = { 0 };
    enum jr_status st;

    jr_buf_init(&text, JR_STREAM_MAX_BYTES);
    st = jr_input_read(path, &text, err);
    if (st != JR_OK)
        return st;
    st = jr_existing_read(existing, jr_buf_str(&text), err);
    if (st != JR_OK)
        jr_error_in(err, path);
    return st;
}

/* ---- writing ---- */

static struct jr_output_style style_of(const struct config *config, bool terminal)
{
    const char *no_color = secure_getenv("NO_COLOR"), *term = secure_getenv("TERM");
    bool plain =
        (no_color != NULL && no_color[0] != '\0') || (term != NULL && strcmp(term, "dumb") == 0);

    return (struct jr_output_style){
        .color =
            config->color == COLOR_ALWAYS || (config->color == COLOR_AUTO && terminal && !plain),
        .source = config->color == COLOR_ALWAYS || terminal,
    };
}

static enum jr_status write_one(const struct config *config, const struct jr_report *r,
                                enum jr_output_format format, struct jr_str file,
                                struct jr_error *err)
{
    const struct jr_output_style style =
        style_of(config, file.n == 0 && isatty(STDOUT_FILENO) == 1);
    JR_FREE char *path = jr_xstrndup(file);
    JR_BUF out = { 0 };

    jr_buf_init(&out, 2 * MAX_REPORT);
    if (jr_output_write(r, format, &style, &out) != JR_OK)
        return jr_fail(err, JR_LIMIT, NULL, "can't write %s", jr_output_name(format));
    if (file.n > 0)
        return jr_file_make(path, jr_buf_str(&out), err);
    if (!jr_buf_print(&out, stdout))
        return jr_fail_errno(err, errno, NULL, "can't write to standard output");
    return JR_OK;
}

static void print_rest(const struct jr_report *r, bool summary)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, MAX_REPORT);
    jr_output_all_unreadable(r, &out);
    if (summary)
        jr_output_summary(r, &out);
    (void)jr_buf_print(&out, stderr);
}

static enum jr_status write_all(const struct config *config, const struct outputs *outputs,
                                const struct jr_report *r, struct jr_error *err)
{
    enum jr_status st = JR_OK;
    bool text = false;

    if (r->failed != JR_OK)
        return jr_fail(err, r->failed, NULL, "too much to report");
    for (size_t i = 0; i < outputs->n && st == JR_OK; i++) {
        st = write_one(config, r, outputs->v[i].format, outputs->v[i].file, err);
        text = text || (outputs->v[i].format == JR_OUTPUT_TEXT && outputs->v[i].file.n == 0);
    }
    print_rest(r, text && !config->quiet);
    return st;
}

/* ---- the command ---- */

struct run {
    struct config config;
    struct outputs outputs;
    struct jr_existing existing;
    struct jr_cli_policies policies;
    struct jr_report report;
};

static void run_done(struct run *r)
{
    jr_existing_done(&r->existing);
    jr_cli_policies_done(&r->policies);
    jr_report_done(&r->report);
}

static enum jr_status run_check(struct run *r, int n, char **args, struct jr_error *err)
{
    const struct config *config = &r->config;
    struct jr_check_options options = {
        .namespace = config->namespace,
        .existing = config->old == NULL ? NULL : &r->existing,
        .policies = &r->policies,
        .status = config->subresource == 1,
        .strict = config->strict,
        .warnings_as_errors = config->warnings_as_errors,
        .now = jr_clock_system.wall(jr_clock_system.self),
        .quiet = config->quiet,
        .verbose = config->verbose,
    };
    enum jr_status st =
        jr_flags_check(&jr_cli_check_flags, &(struct jr_flag_rule){ .flag = NULL }, config, err);

    if (st == JR_OK)
        st = jr_cli_profiles_of_flags(&config->profile, &options.profiles, err);
    for (size_t i = 0; i < config->outputs.n && st == JR_OK; i++)
        st = add_output(&r->outputs, config->outputs.v[i], err);
    r->existing.namespace = config->namespace;
    r->report.compared = config->old != NULL;
    if (st == JR_OK && config->old != NULL)
        st = read_existing(config->old, &r->existing, err);
    r->policies.strict = config->strict;
    r->policies.quiet = config->quiet;
    if (st == JR_OK)
        st = jr_cli_policies_read(&r->policies, &config->policies, options.now, err);
    if (st != JR_OK)
        return st;
    r->report.not_evaluated = r->policies.loading.not_evaluated;
    learn_namespaces(&r->policies, n, args);
    jr_check_files(&r->report, &options, n, args);
    return write_all(config, &r->outputs, &r->report, err);
}

int jr_cli_check(int argc, char **argv)
{
    JR_CLEANUP(run_done) struct run r = { .outputs = { .n = 0 } };
    struct jr_error err = { .status = JR_OK };
    char text[sizeof(err.path) + sizeof(err.msg) + 8];
    int args = 0;
    int code = jr_flags_start(&jr_cli_check_flags, argc, argv, &r.config, &args);

    if (code >= 0)
        return code;
    jr_report_init(&r.report, MAX_REPORT);
    if (r.config.subresource != 0 && r.config.old == NULL)
        return wrong_use("--subresource needs --old: a status is validated against what was there");
    if (args == 0 && isatty(STDIN_FILENO) == 1)
        return wrong_use("expected files, folders, or - for standard input");
    if (!jr_check_stdin_once(r.config.old, args, argv + 1))
        return wrong_use("standard input can be read once");
    if (run_check(&r, args, argv + 1, &err) != JR_OK) {
        jr_show_error("jobreeve check: %s", jr_error_text(&err, text, sizeof(text)));
        return 2;
    }
    return jr_report_exit_code(&r.report);
}
