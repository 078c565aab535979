/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files of a command line and hands their texts to check.c. */
#include "cli/check_files.h"

#include "cli/manifest_file.h"
#include "cli/stream.h"

struct reading {
    struct jr_report *report;
    const struct jr_check_options *options;
};

static void check_file(void *ctx, const char *path)
{
    struct reading *r = ctx;
    struct jr_error err = { .status = JR_OK };
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_STREAM_MAX_BYTES);
    if (jr_input_read(path, &text, &err) != JR_OK)
        jr_report_unreadable(r->report, jr_str(path), 0, 0, jr_str(err.msg));
    else
        jr_check_text(r->report, jr_str(path), jr_buf_str(&text), r->options);
}

static void add_fault(void *ctx, const char *path, const char *why)
{
    struct reading *r = ctx;

    jr_report_unreadable(r->report, jr_str(path), 0, 0, jr_str(why));
}

void jr_check_files(struct jr_report *r, const struct jr_check_options *options, int n, char **args)
{
    struct reading reading = { r, options };
    const struct jr_files_sink sink = { check_file, add_fault, &reading };

    r->versions = jr_versions_of(&options->profiles);
    if (n == 0)
        check_file(&reading, "-");
    for (int i = 0; i < n; i++)
        jr_files_walk(args[i], &sink);
}

bool jr_check_stdin_once(const char *other, int n, char **args)
{
    int times = (n == 0) + (other != NULL && strcmp(other, "-") == 0);

    for (int i = 0; i < n; i++)
        times += strcmp(args[i], "-") == 0;
    return times <= 1;
}
