/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve audit: a cluster's objects, or those of a dump, by policies. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/audit.h"
#include "cli/audit_cluster.h"
#include "cli/commands.h"
#include "cli/manifest_file.h"
#include "cli/policy_input.h"
#include "cli/profile_flags.h"
#include "cli/stream.h"
#include "common/base/memory.h"
#include "common/base/show.h"

enum format { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = { "text", "json", NULL };

struct config {
    struct jr_policy_flags policies;
    struct jr_profile_flags profile;
    int output; /* enum format */
    struct jr_cluster_flags cluster;
    const char *namespace;
    bool all_namespaces;
    int64_t timeout_ms;
};

static const struct jr_flag table[] = {
    JR_POLICY_FLAG_ROWS(struct config, policies),
    JR_PROFILE_FLAG_ROWS(struct config, profile),
    { .name = "output",
      .letter = 'o',
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, output),
      .initial = "text",
      .choices = formats,
      .help = "The format to write." },
    JR_CLUSTER_FLAG_ROWS(struct config, cluster),
    { .name = "namespace",
      .letter = 'n',
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, namespace),
      .help = "Without files: only the Jobs and CronJobs of this `namespace`." },
    { .name = "all-namespaces",
      .letter = 'A',
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, all_namespaces),
      .help = "Those of all namespaces, as without -n." },
    { .name = "timeout",
      .type = JR_FLAG_DURATION,
      .offset = offsetof(struct config, timeout_ms),
      .initial = "10m",
      .min = 1,
      .max = 86400000,
      .help = "The `time` after which the audit of a cluster is given up." },
    { .name = NULL },
};
const struct jr_flags jr_cli_audit_flags = {
    .program = "jobreeve audit",
    .summary =
        "Says which Jobs and CronJobs that are there already violate JobPolicies.\n\n"
        "Without files: those of a cluster, by the policies of --policy or else the cluster's "
        "own.\n"
        "With files, folders or -: a dump, as of kubectl get jobs,cronjobs,namespaces -A -o yaml;\n"
        "JobPolicies in it are used where --policy names none. Objects are evaluated as if they "
        "were\n"
        "made now. Exit codes: 0 none violates a policy, but for finished Jobs; 1 some do; 2 wrong "
        "use,\n"
        "unreadable input, a policy that can't be decided, or no answer.",
    .args = "[FILE|DIR|-]...",
    .table = table,
    .about = jr_cli_about,
};

/* ---- a dump ---- */

struct dump {
    struct jr_cli_policies *policies;
    const struct jr_profile *profile;
    struct jr_policy_audit audit;
    const char *path; /* of the file at hand */
    bool learning;    /* Namespaces; the objects are for the second reading */
    size_t objects;
    struct jr_buf input; /* standard input, which is read once */
    bool has_input;
    bool failed;
};

static enum jr_status take_object(void *ctx, const struct jr_manifest *m, struct jr_error *err)
{
    struct dump *d = ctx;
    const struct jr_str namespace = jr_get_str(jr_get(m->node, "metadata"), "namespace");
    struct jr_policy_audited object = { .kind = jr_admission_kind_find(m->api_version, m->kind),
                                        .root = m->node };
    struct jr_policy_context context;
    unsigned line, column;
    JR_BUF where = { 0 };

    (void)err;
    if (d->learning) {
        jr_cli_policies_learn(d->policies, m->node);
        return JR_OK;
    }
    if (object.kind == NULL)
        return JR_OK;
    d->objects++;
    jr_positions_place(m->positions, m->place, &line, &column);
    jr_buf_init(&where, JR_BUF_BY_INPUT);
    jr_must(jr_buf_addf(&where, "%s:%u", d->path, line));
    object.where = jr_buf_str(&where);
    (void)jr_cli_policies_context(d->policies, namespace, &context);
    jr_must(jr_policy_audit_add(&d->audit, &object, &context, d->profile));
    return JR_OK;
}

static enum jr_status read_input(struct dump *d, const char *path, struct jr_buf *file,
                                 struct jr_str *ret, struct jr_error *err)
{
    struct jr_buf *to = strcmp(path, "-") == 0 ? &d->input : file;
    enum jr_status st = JR_OK;

    if (to == file || !d->has_input)
        st = jr_input_read(path, to, err);
    d->has_input |= to == &d->input;
    *ret = jr_buf_str(to);
    return st;
}

static void add_fault(void *ctx, const char *path, const char *why)
{
    struct dump *d = ctx;

    jr_show_error("%s: %s", path, why);
    d->failed = true;
}

static void read_file(void *ctx, const char *path)
{
    const struct jr_yaml_limits limits = { .max_bytes = JR_STREAM_MAX_BYTES, .dup = JR_DUP_LAST };
    struct dump *d = ctx;
    const struct jr_stream_sink sink = { .object = take_object, .ctx = d };
    struct jr_error err = { .status = JR_OK };
    struct jr_str text;
    JR_BUF file = { 0 };

    jr_buf_init(&file, JR_STREAM_MAX_BYTES);
    d->path = path;
    if (read_input(d, path, &file, &text, &err) == JR_OK &&
        jr_stream_read(text, &limits, &sink, &err) == JR_OK)
        return;
    if (d->learning)
        add_fault(d, path, err.msg);
}

static void read_dump(struct dump *d, int n, char **args)
{
    const struct jr_files_sink sink = { read_file, add_fault, d };

    for (int i = 0; i < n; i++) {
        if (strcmp(args[i], "-") == 0)
            read_file(d, args[i]);
        else
            jr_files_walk(args[i], &sink);
    }
}

/* ---- the command ---- */

static enum jr_status write_audit(const struct config *config, const struct jr_policy_audit *audit,
                                  size_t objects, struct jr_error *err)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, JR_BUF_BY_INPUT);
    if (config->output == FORMAT_JSON)
        jr_audit_write_json(audit, objects, &out);
    else
        jr_audit_write_text(audit, objects, &out);
    jr_must(out.failed);
    if (!jr_buf_print(&out, stdout))
        return jr_fail_errno(err, errno, NULL, "can't write to standard output");
    return JR_OK;
}

static void dump_done(struct dump *d)
{
    jr_policy_audit_done(&d->audit);
    jr_buf_done(&d->input);
}

/** Namespaces first: they may stand behind the objects in them. */
static int audit_dump(const struct config *config, const struct jr_profile *profile,
                      struct jr_cli_policies *policies, int n, char **args, struct jr_error *err)
{
    JR_CLEANUP(dump_done)
    struct dump d = { .policies = policies, .profile = profile, .learning = true };

    jr_buf_init(&d.input, JR_STREAM_MAX_BYTES);
    jr_must(jr_policy_audit_init(&d.audit, &policies->set, true));
    read_dump(&d, n, args);
    d.learning = false;
    read_dump(&d, n, args);
    if (write_audit(config, &d.audit, d.objects, err) != JR_OK || d.failed)
        return 2;
    return jr_audit_exit_code(&d.audit);
}

struct cluster {
    const struct config *config;
    int code;
};

static enum jr_status on_audited(void *ctx, const struct jr_policy_audit *audit, size_t objects,
                                 struct jr_error *err)
{
    struct cluster *c = ctx;

    c->code = jr_audit_exit_code(audit);
    return write_audit(c->config, audit, objects, err);
}

static int audit_cluster(struct config *config, const struct jr_profile *profile,
                         struct jr_cli_policies *policies, struct jr_error *err)
{
    struct cluster c = { config, 0 };
    int signal = 0;
    const struct jr_audit_cluster_options options = {
        .cluster = config->cluster,
        .namespace = config->all_namespaces ? NULL : config->namespace,
        .progress = isatty(STDERR_FILENO) == 1,
        .timeout_ms = config->timeout_ms,
        .profile = profile,
        .trusted = { config->policies.trusted.v, config->policies.trusted.n },
        .policies = policies,
        .on_audited = on_audited,
        .ctx = &c,
        .signal = &signal,
    };
    const enum jr_status st = jr_audit_cluster(&options, err);

    if (st != JR_OK)
        return 2;
    return signal != 0 ? 128 + signal : c.code;
}

/** The dump's own policies, where --policy names none. */
static void use_own_policies(struct jr_policy_flags *flags, int n, char **args)
{
    for (int i = 0; i < n && flags->files.n == (size_t)i && i < JR_FLAG_LIST_MAX; i++)
        flags->files.v[flags->files.n++] = jr_str(args[i]);
}

int jr_cli_audit(int argc, char **argv)
{
    JR_CLEANUP(jr_cli_policies_done) struct jr_cli_policies policies = { .given = false };
    struct config config;
    struct jr_profile profile;
    struct jr_error err = { .status = JR_OK };
    char text[sizeof(err.path) + sizeof(err.msg) + 8];
    int args = 0, code = jr_flags_start(&jr_cli_audit_flags, argc, argv, &config, &args);
    enum jr_status st;

    if (code >= 0)
        return code;
    if (config.policies.files.n == 0)
        use_own_policies(&config.policies, args, argv + 1);
    st = jr_profile_of_flags(&config.profile, &profile, &err);
    if (st == JR_OK)
        st = jr_cli_policies_read(&policies, &config.policies,
                                  jr_clock_system.wall(jr_clock_system.self), &err);
    if (st == JR_OK)
        code = args > 0 ? audit_dump(&config, &profile, &policies, args, argv + 1, &err)
                        : audit_cluster(&config, &profile, &policies, &err);
    if (st == JR_OK && err.status == JR_OK)
        return code;
    jr_show_error("jobreeve audit: %s", jr_error_text(&err, text, sizeof(text)));
    return 2;
}
