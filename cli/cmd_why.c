/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve why: what holds a Job or CronJob up, from a cluster or from a dump. */
#include <errno.h>
#include <stdio.h>

#include "cli/asked.h"
#include "cli/cluster.h"
#include "cli/commands.h"
#include "cli/evidence_file.h"
#include "cli/fetch.h"
#include "cli/why_output.h"
#include "common/base/memory.h"
#include "common/base/show.h"

enum format { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = { "text", "json", NULL };

struct config {
    struct jr_cluster_flags cluster;
    const char *namespace;
    const char *file;
    const char *now;
    bool exit_code;
    int output; /* enum format */
};

static const struct jr_flag table[] = {
    JR_CLUSTER_FLAG_ROWS(struct config, cluster),
    { .name = "namespace",
      .letter = 'n',
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, namespace),
      .help = "The `namespace` of the Job; default: the context's." },
    { .name = "filename",
      .letter = 'f',
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, file),
      .help =
          "Reads this `file`, as of jobreeve dump or kubectl get -o json, instead of a cluster; "
          "- is standard input." },
    { .name = "now",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, now),
      .help = "The `time`, in RFC 3339, at which it is asked; default: now, and of a file the "
              "newest time in it." },
    { .name = "exit-code",
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, exit_code),
      .help = "Exits with 3 where somebody has to act (hand), or nothing can help (never)." },
    { .name = "output",
      .letter = 'o',
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, output),
      .initial = "text",
      .choices = formats,
      .help = "The `format` to write: text or json." },
    { .name = NULL },
};
const struct jr_flags jr_cli_why_flags = {
    .program = "jobreeve why",
    .summary =
        "Says whether a Job goes on by itself, what holds it up, whose move it is, and what to "
        "do.\n\n"
        "Verdicts: moves, it goes on by itself; hand, somebody has to act; never, nothing can "
        "make\n"
        "it succeed any more; over, it has ended; unknown, what couldn't be read leaves that "
        "open.\n"
        "It needs to get, list and watch Jobs, Pods and events of the namespace; what else it may\n"
        "read makes it more exact. It changes nothing.\n\n"
        "Exit codes: 0 answered, 2 wrong use or no connection, 3 see --exit-code, 4 not found,\n"
        "5 refused, 130 interrupted.",
    .args = "job/NAME|cronjob/NAME|pod/NAME",
    .table = table,
    .about = jr_cli_about,
};

struct asking {
    const struct config *config;
    struct jr_asked asked;
    struct jr_cluster cluster;
    struct jr_evidence *evidence;
    struct jr_diagnosis *diagnosis;
    struct jr_error err;
};

static void asking_done(struct asking *a)
{
    jr_diagnosis_free(a->diagnosis);
    jr_evidence_free(a->evidence);
    jr_cluster_close(&a->cluster);
}

/** Reads --now; unset without it. */
static enum jr_status read_now(struct asking *a, struct jr_time *ret)
{
    *ret = (struct jr_time){ 0 };
    if (a->config->now != NULL && jr_time_parse(jr_str(a->config->now), ret) != JR_OK)
        return jr_fail(&a->err, JR_USAGE, "--now",
                       "expected a time in RFC 3339, as 2026-03-01T12:00:00Z, got \"%s\"",
                       a->config->now);
    return JR_OK;
}

static enum jr_status diagnose_file(struct asking *a, struct jr_time now)
{
    const char *ns = a->config->namespace;
    struct jr_time read_at;
    const enum jr_status st = jr_evidence_read(a->evidence, a->config->file, &read_at, &a->err);

    if (st != JR_OK)
        return st;
    now = jr_time_set(now) ? now : read_at;
    jr_evidence_is_file(a->evidence);
    jr_evidence_seal(a->evidence);
    a->diagnosis =
        jr_diagnose(a->evidence, a->asked.kind, ns != NULL ? jr_str(ns) : JR_S("default"),
                    a->asked.name, jr_time_set(now) ? now : jr_evidence_newest(a->evidence));
    if (a->diagnosis == NULL)
        return jr_fail(&a->err, JR_NOTFOUND, a->config->file, "there is no %s %.*s in namespace %s",
                       a->asked.kind, JR_P(a->asked.name), ns != NULL ? ns : "default");
    return JR_OK;
}

static enum jr_status diagnose_cluster(struct asking *a, struct jr_time now)
{
    const struct jr_fetch_options options = { .flags = &a->config->cluster,
                                              .program = "jobreeve why",
                                              .namespace = a->config->namespace,
                                              .asked = &a->asked,
                                              .now = now };

    return jr_fetch_diagnosis(&a->cluster, &options, a->evidence, &a->diagnosis, &a->err);
}

static enum jr_status diagnose(struct asking *a)
{
    struct jr_time now;
    const enum jr_status st = read_now(a, &now);

    if (st != JR_OK)
        return st;
    a->evidence = jr_evidence_new();
    if (a->config->file != NULL)
        return diagnose_file(a, now);
    return diagnose_cluster(a, now);
}

static enum jr_status print(const struct asking *a, struct jr_error *err)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, JR_BUF_BY_INPUT);
    if (a->config->output == FORMAT_JSON)
        jr_why_json(a->diagnosis, &out);
    else
        jr_why_text(a->diagnosis, &out);
    jr_must(out.failed);
    if (!jr_buf_print(&out, stdout))
        return jr_fail_errno(err, errno, "standard output", "write");
    return JR_OK;
}

int jr_cli_why(int argc, char **argv)
{
    JR_CLEANUP(asking_done) struct asking a = { .config = NULL };
    struct config config;
    char text[sizeof(a.err.path) + sizeof(a.err.msg) + 8];
    int args = 0, code = jr_flags_start(&jr_cli_why_flags, argc, argv, &config, &args);

    if (code >= 0)
        return code;
    a.config = &config;
    if (jr_asked_parse(args, argv + 1, &a.asked, &a.err) == JR_OK && diagnose(&a) == JR_OK &&
        print(&a, &a.err) == JR_OK) {
        const enum jr_verdict v = a.diagnosis->verdict;

        return config.exit_code && (v == JR_VERDICT_HAND || v == JR_VERDICT_NEVER) ? 3 : 0;
    }
    if (a.cluster.signal != 0)
        return 128 + a.cluster.signal;
    jr_show_error("jobreeve why: %s", jr_error_text(&a.err, text, sizeof(text)));
    return jr_asked_exit_code(a.err.status);
}
