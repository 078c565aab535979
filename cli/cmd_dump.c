/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve dump: what jobreeve why reads of a cluster, as a List, without what is secret. */
#include <errno.h>
#include <stdio.h>

#include "cli/asked.h"
#include "cli/cluster.h"
#include "cli/commands.h"
#include "cli/evidence_file.h"
#include "cli/fetch.h"
#include "cli/redact.h"
#include "common/base/memory.h"
#include "common/base/show.h"

struct config {
    struct jr_cluster_flags cluster;
    const char *namespace;
    bool full;
};

static const struct jr_flag table[] = {
    JR_CLUSTER_FLAG_ROWS(struct config, cluster),
    { .name = "namespace",
      .letter = 'n',
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, namespace),
      .help = "The `namespace` of the Job; default: the context's." },
    { .name = "full",
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, full),
      .help = "Leaves in what is secret, or looks so." },
    { .name = NULL },
};
const struct jr_flags jr_cli_dump_flags = {
    .program = "jobreeve dump",
    .summary =
        "Writes what jobreeve why reads, as a List in JSON: the Job, its Pods, the namespace's\n"
        "events, and what else the diagnosis goes by. jobreeve why -f says the same of it "
        "later.\n\n"
        "Left out, unless --full: the values of environment variables and headers, arguments that\n"
        "look secret, tokens, passwords in URLs, last-applied configurations. No Secrets and no\n"
        "ConfigMaps are read.\n\n"
        "Exit codes: 0 written, 2 wrong use or no connection, 4 not found, 5 refused,\n"
        "130 interrupted.",
    .args = "job/NAME|cronjob/NAME|pod/NAME",
    .table = table,
    .about = jr_cli_about,
};

struct dumping {
    const struct config *config;
    struct jr_asked asked;
    struct jr_cluster cluster;
    struct jr_evidence *evidence;
    struct jr_diagnosis *diagnosis;
    struct jr_buf items;
    struct jr_buf kinds; /* "Job,Pod": those that were read */
    struct jr_error err;
};

static void dumping_done(struct dumping *d)
{
    jr_diagnosis_free(d->diagnosis);
    jr_evidence_free(d->evidence);
    jr_cluster_close(&d->cluster);
    jr_buf_done(&d->items);
    jr_buf_done(&d->kinds);
}

/** Adds an object to the List; one that is no JSON object is left out. */
static void add_object(void *ctx, const char *api_version, const char *kind, struct jr_str text)
{
    const struct jr_reader_opts opts = { .dup = JR_DUP_LAST, .max_values = JR_OBJECT_VALUES_MAX };
    struct dumping *d = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_node *root;

    if (jr_need(jr_doc_parse(text, &opts, &doc, NULL)) != JR_OK)
        return;
    root = jr_doc_root(doc);
    if (jr_node_kind(root) != JR_OBJECT)
        return;
    jr_must(jr_set_str(root, "apiVersion", jr_str(api_version)));
    jr_must(jr_set_str(root, "kind", jr_str(kind)));
    if (!d->config->full)
        jr_must(jr_redact(root));
    if (d->items.n > 0)
        (void)jr_buf_adds(&d->items, ",\n");
    jr_must(jr_node_print(root, &d->items));
}

static void add_kind(void *ctx, const char *kind)
{
    struct dumping *d = ctx;

    (void)jr_buf_addf(&d->kinds, "%s%s", d->kinds.n > 0 ? "," : "", kind);
}

static enum jr_status print(struct dumping *d)
{
    char now[JR_TIME_MAX];

    if (printf("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{\"annotations\":{"
               "\"" JR_DUMP_TIME "\":\"%s\",\"" JR_DUMP_KINDS "\":\"%s\"}},\"items\":[\n",
               jr_time_format(d->diagnosis->now, now), d->kinds.n > 0 ? d->kinds.p : "") < 0 ||
        !jr_buf_print(&d->items, stdout) || printf("\n]}\n") < 0 || fflush(stdout) != 0)
        return jr_fail_errno(&d->err, errno, "standard output", "write");
    return JR_OK;
}

/** Says how kubectl makes the same, but for what is secret. */
static void print_command(const struct dumping *d)
{
    jr_show_error("jobreeve dump: kubectl get %s,pods,events -n %.*s -o json has the same objects, "
                  "and more of them, with what is secret",
                  strcmp(d->asked.kind, "CronJob") == 0 ? "cronjobs,jobs" : "jobs",
                  JR_P(d->diagnosis->namespace));
}

int jr_cli_dump(int argc, char **argv)
{
    JR_CLEANUP(dumping_done) struct dumping d = { .config = NULL };
    struct config config;
    char text[sizeof(d.err.path) + sizeof(d.err.msg) + 8];
    int args = 0, code = jr_flags_start(&jr_cli_dump_flags, argc, argv, &config, &args);
    const struct jr_fetch_options options = { .flags = &config.cluster,
                                              .program = "jobreeve dump",
                                              .namespace = config.namespace,
                                              .asked = &d.asked,
                                              .object = add_object,
                                              .read = add_kind,
                                              .ctx = &d };

    if (code >= 0)
        return code;
    d.config = &config;
    d.evidence = jr_evidence_new();
    jr_buf_init(&d.items, JR_BUF_BY_INPUT);
    jr_buf_init(&d.kinds, JR_BUF_BY_INPUT);
    if (jr_asked_parse(args, argv + 1, &d.asked, &d.err) == JR_OK &&
        jr_fetch_diagnosis(&d.cluster, &options, d.evidence, &d.diagnosis, &d.err) == JR_OK &&
        print(&d) == JR_OK) {
        print_command(&d);
        return 0;
    }
    if (d.cluster.signal != 0)
        return 128 + d.cluster.signal;
    jr_show_error("jobreeve dump: %s", jr_error_text(&d.err, text, sizeof(text)));
    return jr_asked_exit_code(d.err.status);
}
