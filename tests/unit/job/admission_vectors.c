/* admission-vectors FILE: runs every vector of a file, prints each difference and a last line
 * "N passed, N failed". Exit codes: 0 all passed, 1 differences or no vector, 2 wrong use or
 * unreadable file. */
#include <errno.h>
#include <stdio.h>

#include "tests/unit/job/vectors.h"

#define FILE_MAX_BYTES ((size_t)256 << 20)

static enum jr_status read_file(const char *path, struct jr_buf *out, struct jr_error *err)
{
    FILE *f = fopen(path, "rbe");
    char chunk[65536];
    size_t n;
    bool bad;

    if (f == NULL)
        return jr_fail_errno(err, errno, path, "cannot open");
    while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0 && out->failed == JR_OK)
        (void)jr_buf_add(out, (struct jr_str){ chunk, n });
    bad = ferror(f) != 0;
    (void)fclose(f);
    if (bad)
        return jr_fail(err, JR_IO, path, "cannot read");
    return out->failed == JR_OK ? JR_OK : jr_fail(err, out->failed, path, "too large");
}

static bool run_one(const struct jr_node *vector)
{
    const struct jr_str name = jr_get_str(vector, "name");
    struct jr_error err = { 0 };
    JR_BUF out = { 0 };
    char text[1024];
    size_t differences = 0;
    enum jr_status st;

    jr_buf_init(&out, (size_t)64 << 20);
    st = jr_vector_run(vector, &out, &differences, &err);
    if (st == JR_OK && differences == 0)
        return true;
    printf("%.*s\n%.*s", JR_P(name), JR_P(jr_buf_str(&out)));
    if (st != JR_OK)
        printf("  %s: %s\n", jr_status_text(st), jr_error_text(&err, text, sizeof(text)));
    return false;
}

int main(int argc, char **argv)
{
    const struct jr_reader_opts opts = { .max_bytes = FILE_MAX_BYTES, .dup = JR_DUP_REJECT };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    size_t passed = 0, failed = 0;
    struct jr_error err = { 0 };
    JR_BUF text = { 0 };
    char words[1024];
    enum jr_status st;

    if (argc != 2) {
        (void)fprintf(stderr, "usage: admission-vectors FILE\n");
        return 2;
    }
    jr_buf_init(&text, FILE_MAX_BYTES);
    st = read_file(argv[1], &text, &err);
    if (st == JR_OK)
        st = jr_doc_parse(jr_buf_str(&text), &opts, &doc, &err);
    if (st == JR_OK && jr_node_kind(jr_doc_root(doc)) != JR_ARRAY)
        st = jr_fail(&err, JR_TYPE, argv[1], "not an array of vectors");
    if (st != JR_OK) {
        (void)fprintf(stderr, "admission-vectors: %s\n", jr_error_text(&err, words, sizeof(words)));
        return 2;
    }
    for (const struct jr_node *v = jr_first(jr_doc_root(doc)); v != NULL; v = jr_next(v)) {
        if (run_one(v))
            passed++;
        else
            failed++;
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
