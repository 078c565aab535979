#include "cli/cli.h"
#include "cli/linediff.h"
#include "cli/manifest.h"
#include "common/api/job.h"
#include "common/job/defaults.h"

enum format { FORMAT_AS_INPUT, FORMAT_YAML, FORMAT_JSON };
static const char *const format_names[] = { "as-input", "yaml", "json", NULL };

struct options {
    int output; /* enum format */
    bool diff;
    const char *uid;
};

#define AT(member) offsetof(struct options, member)
static const struct jr_flag table[] = {
    { "output", JR_FLAG_ENUM, AT(output), .dflt = "as-input", .choices = format_names,
      .letter = 'o', .help = "How Jobs are written: each input's own `format`, yaml or json." },
    { "diff", JR_FLAG_BOOL, AT(diff), .dflt = "false",
      .help = "Prints what would change, as a unified diff, instead of the Jobs." },
    { "uid", JR_FLAG_STR, AT(uid), .dflt = "",
      .help = "The `uid` that the API server gives the Job: with it selector and labels are "
              "complete. Without it they are left to the API server, but for the labels with the "
              "Job's name." },
    { .name = NULL },
};

const struct jr_flags jr_cli_default_flags = {
    .program = "jobreeve default",
    .summary = "Prints Jobs as the API server would store them: defaults of the Job and of its Pod "
               "template,\nlabels and selector. FILE is YAML or JSON, - is standard input; all "
               "documents and the items\nof Lists are read, other kinds are passed over.",
    .args = "FILE...",
    .table = table,
};

/** One file on its way through. */
struct run {
    const struct options *options;
    const struct jr_cli_io *io;
    bool json;      /* the output's format */
    size_t printed; /* Jobs written so far */
    struct jr_buf out;
    struct jr_linediff diff;
    struct jr_arena texts; /* what the diff borrows */
};

/* ---- one Job ---- */

static enum jr_status print(const struct run *r, const struct jr_node *job, struct jr_buf *out)
{
    return r->json ? jr_node_print_pretty(job, out) : jr_yaml_print(job, out);
}

/** A wrong type would be passed over by defaulting; the API server refuses it. */
static enum jr_status check_types(const struct jr_manifest *m, struct jr_error *err)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    JR_BUF text = { 0 };
    enum jr_status st;

    jr_buf_init(&text, SIZE_MAX / 2);
    st = jr_node_print(m->object, &text);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "Job");
    st = jr_job_decode(jr_buf_str(&text), &job, err);
    if (st != JR_OK)
        jr_manifest_locate(m, err);
    return st;
}

/** Generated labels may be what metadata.labels takes over: defaults come before and after. */
static enum jr_status complete(const struct run *r, struct jr_node *job)
{
    const struct jr_profile profile = jr_profile_default();
    struct jr_node *meta;
    enum jr_status st = JR_OK;

    if (r->options->uid[0] != '\0') {
        st = jr_ensure_object(job, "metadata", &meta);
        if (st == JR_OK)
            st = jr_set_str(meta, "uid", jr_str(r->options->uid));
    }
    if (st == JR_OK)
        st = jr_job_default(job, &profile);
    if (st == JR_OK)
        st = jr_job_generate(job);
    return st == JR_OK ? jr_job_default(job, &profile) : st;
}

static enum jr_status keep(struct run *r, const struct jr_node *job, struct jr_str *ret)
{
    JR_BUF text = { 0 };
    enum jr_status st;

    jr_buf_init(&text, SIZE_MAX / 2);
    st = print(r, job, &text);
    if (st != JR_OK)
        return st;
    return jr_arena_str(&r->texts, jr_buf_str(&text), ret) ? JR_OK : JR_NOMEM;
}

static enum jr_status add_diff(struct run *r, const struct jr_node *before,
                               const struct jr_node *after)
{
    struct jr_str a, b;
    enum jr_status st = keep(r, before, &a);

    if (st == JR_OK && r->printed > 0 && !r->json)
        st = jr_linediff_add(&r->diff, JR_S("---\n"), JR_S("---\n"));
    if (st == JR_OK)
        st = keep(r, after, &b);
    return st == JR_OK ? jr_linediff_add(&r->diff, a, b) : st;
}

static enum jr_status add_job(struct run *r, const struct jr_node *job)
{
    if (r->printed > 0 && !r->json)
        (void)jr_buf_adds(&r->out, "---\n");
    return print(r, job, &r->out);
}

static bool is_job(const struct jr_node *object)
{
    return jr_str_is(jr_get_str(object, "kind"), "Job") &&
           jr_str_is(jr_get_str(object, "apiVersion"), "batch/v1");
}

static void note_other(const struct run *r, const struct jr_manifest *m)
{
    const struct jr_str kind = jr_get_str(m->object, "kind");
    const struct jr_str version = jr_get_str(m->object, "apiVersion");
    const struct jr_str name = jr_get_str(jr_get(m->object, "metadata"), "name");

    (void)fprintf(r->io->err, "%s:%u: %.*s%s%.*s%s%.*s is no batch/v1 Job: passed over\n",
                  strcmp(m->file, "-") == 0 ? "standard input" : m->file, m->line, JR_P(version),
                  version.n > 0 ? " " : "", kind.n > 0 ? (int)kind.n : 6,
                  kind.n > 0 ? kind.p : "object", name.n > 0 ? " " : "", JR_P(name));
}

static enum jr_status take(void *ctx, const struct jr_manifest *m, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct run *r = ctx;
    enum jr_status st;

    if (!is_job(m->object)) {
        note_other(r, m);
        return JR_OK;
    }
    st = check_types(m, err);
    if (st != JR_OK)
        return st;
    st = jr_doc_of(m->object, &doc);
    if (st == JR_OK)
        st = complete(r, jr_doc_root(doc));
    if (st == JR_OK)
        st = r->options->diff ? add_diff(r, m->object, jr_doc_root(doc))
                              : add_job(r, jr_doc_root(doc));
    r->printed++;
    return st == JR_OK ? JR_OK : jr_fail(err, st, m->file, "defaulting");
}

/* ---- files ---- */

static enum jr_status write_diff(struct run *r, const char *file, struct jr_error *err)
{
    JR_BUF a = { 0 }, b = { 0 };

    jr_buf_init(&a, 4096);
    jr_buf_init(&b, 4096);
    (void)jr_buf_addf(&a, "a/%s", file);
    if (jr_buf_addf(&b, "b/%s", file) != JR_OK || a.failed != JR_OK)
        return jr_fail(err, JR_LIMIT, file, "the name is too long");
    return jr_linediff_write(&r->diff, a.p, b.p, &r->out);
}

static enum jr_status run_file(struct run *r, const char *file, struct jr_error *err)
{
    JR_BUF text = { 0 };
    enum jr_status st = jr_manifest_load(file, r->io->in, &text, err);

    if (st != JR_OK)
        return st;
    r->json = r->options->output == FORMAT_JSON ||
              (r->options->output == FORMAT_AS_INPUT && jr_manifest_is_json(jr_buf_str(&text)));
    st = jr_manifest_read(file, jr_buf_str(&text), take, r, err);
    if (st == JR_OK && r->options->diff)
        st = write_diff(r, file, err);
    return st;
}

static int run_one(const struct options *o, const char *file, size_t *printed,
                   const struct jr_cli_io *io)
{
    struct run r = { .options = o, .io = io, .printed = o->diff ? 0 : *printed };
    struct jr_error err = { .status = JR_OK };
    int code = JR_CLI_FINE;

    jr_buf_init(&r.out, SIZE_MAX / 2);
    jr_arena_init(&r.texts, 0);
    jr_linediff_init(&r.diff);
    if (run_file(&r, file, &err) != JR_OK || jr_cli_put(io->out, &r.out, &err) != JR_OK)
        code = jr_cli_fail(&jr_cli_default_flags, &err, io);
    *printed = r.printed;
    jr_linediff_done(&r.diff);
    jr_arena_done(&r.texts);
    jr_buf_done(&r.out);
    return code;
}

int jr_cli_default(int argc, char **argv, const struct jr_cli_io *io)
{
    struct options o;
    size_t printed = 0;
    int args = 0;
    int code = jr_cli_flags(&jr_cli_default_flags, argc, argv, &o, &args, io);

    if (code >= 0)
        return code;
    if (args == 0) {
        (void)fputs("jobreeve default: which FILE? - is standard input\n"
                    "Try `jobreeve default --help`.\n",
                    io->err);
        return JR_CLI_USAGE;
    }
    code = JR_CLI_FINE;
    for (int i = 1; i <= args; i++) {
        int one = run_one(&o, argv[i], &printed, io);

        if (one > code)
            code = one;
    }
    return code;
}
