/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites one file after the other, to standard output or as diffs. */
#include "cli/rewrite_files.h"

#include <errno.h>
#include <stdio.h>

#include "cli/manifest_file.h"
#include "common/base/show.h"

#define MAX_INPUT ((size_t)64 << 20)
#define MAX_OUTPUT ((size_t)256 << 20)

const char *const jr_rewrite_formats[] = { "same", "yaml", "json", NULL };

/** What stays the same over all files, and what the last one left in the stream. */
struct job {
    const char *command;
    const char *others;
    const struct jr_rewrite_flags *flags;
    struct jr_rewrite rw;
    bool written; /* `last` is what stands in the stream */
    struct jr_rewritten last;
};

static void print_remark(void *ctx, const struct jr_remark *r)
{
    jr_show_error("%s:%u:%u: %s%s%s%s", (const char *)ctx, r->line, r->column,
                  r->warning ? "warning: " : "", r->path, r->path[0] == '\0' ? "" : ": ", r->text);
}

static enum jr_status write_all(const struct jr_buf *out, struct jr_error *err)
{
    if (!jr_buf_print(out, stdout))
        return jr_fail_errno(err, errno, NULL, "can't write the output");
    return JR_OK;
}

static enum jr_status one_file(struct job *job, char *path, struct jr_error *err)
{
    struct jr_rewrite rw = job->rw;
    struct jr_rewritten result;
    JR_BUF in = { 0 };
    JR_BUF out = { 0 };
    enum jr_status st;

    rw.format = (enum jr_text_format)job->flags->format;
    rw.diff_name = job->flags->diff ? path : NULL;
    rw.remark = print_remark;
    rw.remark_ctx = path;
    jr_buf_init(&in, MAX_INPUT);
    jr_buf_init(&out, MAX_OUTPUT);
    st = jr_input_read(path, &in, err);
    if (st != JR_OK)
        return st;
    st =
        jr_rewrite_text(&rw, jr_buf_str(&in), job->written ? &job->last : NULL, &out, &result, err);
    if (st != JR_OK) {
        jr_error_in(err, path);
        return st;
    }
    if (result.others > 0)
        jr_show_error("%s: %s: %zu of %zu %s", job->command, path, result.others,
                      result.others + result.taken, job->others);
    if (out.n > 0) {
        job->written = true;
        job->last = result;
    }
    return write_all(&out, err);
}

int jr_rewrite_files(const char *command, struct jr_rewrite rw,
                     const struct jr_rewrite_flags *flags, const char *others, int n,
                     char *const *files)
{
    struct job job = { .command = command, .others = others, .rw = rw, .flags = flags };
    char input[] = "-";
    char *const only_input[] = { input };
    int code = 0;

    if (n == 0) {
        files = only_input;
        n = 1;
    }
    for (int i = 0; i < n; i++) {
        struct jr_error err = { .status = JR_OK };
        char text[sizeof(err.path) + sizeof(err.msg) + 8];
        enum jr_status st = one_file(&job, files[i], &err);

        if (st == JR_OK)
            continue;
        jr_show_error("%s: %s", command, jr_error_text(&err, text, sizeof(text)));
        if (st != JR_DENIED)
            code = 2;
        else if (code == 0)
            code = 1;
    }
    return code;
}
