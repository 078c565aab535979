#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/default.h"
#include "common/base/flags.h"

#define MAX_INPUT ((size_t)64 << 20)
#define MAX_OUTPUT ((size_t)256 << 20)

struct config {
    int format;
    bool diff;
    const char *uid;
};

static const char *const formats[] = { "same", "yaml", "json", NULL };

static const struct jr_flag table[] = {
    { .name = "output",
      .letter = 'o',
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, format),
      .dflt = "same",
      .choices = formats,
      .help = "The `format` to print; same: as the input." },
    { .name = "diff",
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, diff),
      .help = "Print what changes, as a unified diff, instead of the objects." },
    { .name = "uid",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, uid),
      .help = "The `uid` that the Job will have: labels and selector are completed with it." },
    { .name = NULL },
};
static const struct jr_flags flags = {
    .program = "jobreeve default",
    .summary = "Prints Jobs with the defaults, labels and selector that the API server gives them.",
    .args = "FILE|-",
    .table = table,
};

static enum jr_status read_all(const char *path, struct jr_buf *out, struct jr_error *err)
{
    JR_CLOSE int opened = -1;
    int fd = STDIN_FILENO;
    char chunk[65536];

    if (strcmp(path, "-") != 0) {
        fd = opened = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return jr_fail_errno(err, errno, path, "can't open");
    }
    for (;;) {
        ssize_t n = read(fd, chunk, sizeof(chunk));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return jr_fail_errno(err, errno, path, "can't read");
        if (n == 0)
            return JR_OK;
        enum jr_status st = jr_buf_add(out, (struct jr_str){ chunk, (size_t)n });
        if (st != JR_OK)
            return jr_fail(err, st, path, "more than %zu bytes", MAX_INPUT);
    }
}

static enum jr_status run(const struct config *config, const char *path, struct jr_error *err)
{
    JR_BUF in = { 0 };
    JR_BUF out = { 0 };
    size_t jobs = 0, others = 0;
    const struct jr_default_options options = {
        .profile = jr_profile_default(),
        .format = (enum jr_text_format)config->format,
        .uid = config->uid,
        .diff_name = config->diff ? path : NULL,
    };

    jr_buf_init(&in, MAX_INPUT);
    jr_buf_init(&out, MAX_OUTPUT);
    enum jr_status st = read_all(path, &in, err);
    if (st != JR_OK)
        return st;
    st = jr_default_text(jr_buf_str(&in), &options, &out, &jobs, &others, err);
    if (st != JR_OK) {
        jr_error_in(err, path);
        return st;
    }
    if (others > 0)
        (void)fprintf(stderr,
                      "jobreeve default: %s: %zu of %zu objects are no Jobs and unchanged\n", path,
                      others, others + jobs);
    if (fwrite(out.p, 1, out.n, stdout) != out.n || fflush(stdout) != 0)
        return jr_fail_errno(err, errno, NULL, "can't write the output");
    return JR_OK;
}

int jr_cli_default(int argc, char **argv)
{
    struct config config;
    struct jr_error err = { 0 };
    char text[800];
    int args = 0;
    int code = jr_flags_start(&flags, argc, argv, &config, &args);

    if (code >= 0)
        return code;
    if (args != 1) {
        (void)fputs("jobreeve default: expected one FILE, or - for standard input\n", stderr);
        return 2;
    }
    if (run(&config, argv[1], &err) != JR_OK) {
        (void)fprintf(stderr, "jobreeve default: %s\n", jr_error_text(&err, text, sizeof(text)));
        return 2;
    }
    return 0;
}
