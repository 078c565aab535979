#include "cli/cli.h"

#include <errno.h>

static int run_version(int argc, char **argv, const struct jr_cli_io *io);
static int run_help(int argc, char **argv, const struct jr_cli_io *io);

static const struct jr_cli_command commands[] = {
    { "default", "Prints Jobs as the API server would store them.", &jr_cli_default_flags,
      jr_cli_default },
    { "help", "Says how a command is used.", NULL, run_help },
    { "version", "Prints the version.", NULL, run_version },
};

static const struct jr_cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(commands); i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static void print_usage(FILE *to)
{
    (void)fputs("Usage: jobreeve COMMAND [flags] [FILE...]\n\n"
                "The rules of Kubernetes Jobs at the desk.\n\nCommands:\n",
                to);
    for (size_t i = 0; i < JR_ARRAY_SIZE(commands); i++)
        (void)fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    (void)fputs("\n`jobreeve help COMMAND` tells more.\n", to);
}

static int wrong_use(const struct jr_cli_io *io, const char *what, const char *name)
{
    (void)fprintf(io->err, "jobreeve: %s%s%s%s\nTry `jobreeve help`.\n", what, name[0] ? " \"" : "",
                  name, name[0] ? "\"" : "");
    return JR_CLI_USAGE;
}

/** What was written has arrived. */
static int flushed(const struct jr_cli_io *io, int code)
{
    if (fflush(io->out) == 0 && ferror(io->out) == 0)
        return code;
    (void)fputs("jobreeve: cannot write the output\n", io->err);
    return JR_CLI_FAILED;
}

enum jr_status jr_cli_put(FILE *to, const struct jr_buf *b, struct jr_error *err)
{
    if (b->failed != JR_OK)
        return jr_fail(err, b->failed, NULL, "output");
    if (b->n > 0 && fwrite(b->p, 1, b->n, to) != b->n)
        return jr_fail_errno(err, errno, NULL, "cannot write the output");
    return JR_OK;
}

static int print_flags(const struct jr_flags *f, const struct jr_cli_io *io)
{
    struct jr_error err = { .status = JR_OK };
    JR_BUF text = { 0 };
    enum jr_status st;

    jr_buf_init(&text, (size_t)1 << 20);
    st = jr_flags_help(f, &text);
    if (st == JR_OK)
        st = jr_cli_put(io->out, &text, &err);
    return st == JR_OK ? JR_CLI_FINE : JR_CLI_FAILED;
}

int jr_cli_fail(const struct jr_flags *f, const struct jr_error *err, const struct jr_cli_io *io)
{
    char text[sizeof(err->path) + sizeof(err->msg) + 8];

    (void)fprintf(io->err, "%s: %s\n", f->program, jr_error_text(err, text, sizeof(text)));
    return err->status == JR_NOMEM ? JR_CLI_FAILED : JR_CLI_USAGE;
}

int jr_cli_flags(const struct jr_flags *f, int argc, char **argv, void *config, int *ret_args,
                 const struct jr_cli_io *io)
{
    enum jr_flags_asked asked = JR_FLAGS_RUN;
    struct jr_error err = { .status = JR_OK };

    if (jr_flags_parse(f, argc, argv, config, &asked, ret_args, &err) != JR_OK) {
        int code = jr_cli_fail(f, &err, io);

        (void)fprintf(io->err, "Try `%s --help`.\n", f->program);
        return code;
    }
    switch (asked) {
    case JR_FLAGS_HELP:
        return print_flags(f, io);
    case JR_FLAGS_VERSION:
        return run_version(1, argv, io);
    case JR_FLAGS_RUN:
        break;
    }
    return -1;
}

static int run_version(int argc, char **argv, const struct jr_cli_io *io)
{
    if (argc > 1)
        return wrong_use(io, "version takes no argument", argv[1]);
    (void)fprintf(io->out, "jobreeve %s\n", JR_VERSION);
    return JR_CLI_FINE;
}

static int run_help(int argc, char **argv, const struct jr_cli_io *io)
{
    const struct jr_cli_command *c;

    if (argc < 2) {
        print_usage(io->out);
        return JR_CLI_FINE;
    }
    c = find_command(argv[1]);
    if (c == NULL)
        return wrong_use(io, "unknown command", argv[1]);
    if (c->flags != NULL)
        return print_flags(c->flags, io);
    (void)fprintf(io->out, "Usage: jobreeve %s\n\n%s\n", c->name, c->summary);
    return JR_CLI_FINE;
}

int jr_cli_run(int argc, char **argv, const struct jr_cli_io *io)
{
    const struct jr_cli_command *c;
    const char *name = argc > 1 ? argv[1] : "";

    if (name[0] == '\0') {
        print_usage(io->err);
        return JR_CLI_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0)
        name = "version";
    else if (name[0] == '-')
        return wrong_use(io, "unknown flag", name);
    c = find_command(name);
    if (c == NULL)
        return wrong_use(io, "unknown command", name);
    return flushed(io, c->run(argc - 1, argv + 1, io));
}
