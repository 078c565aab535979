/* SPDX-License-Identifier: Apache-2.0 */
/* admission-vectors FILE [ROWS VERSION]: runs every vector of a file, prints each difference and a
 * last line "N passed, N failed". ROWS is a file of what versions of Kubernetes expect instead: of
 * these VERSION's are taken, and the last line ends with ", N by rows of VERSION". Exit codes: 0
 * all passed, 1 differences or no vector, 2 wrong use or unreadable file. */
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

/** What is run, and how it went. */
struct run {
    struct jr_kube_version version;
    struct jr_str rows_of; /* the version as the rows name it */
    const struct jr_node *rows;
    size_t passed, failed, by_rows;
};

/** What the version expects of that vector, NULL: what the vector says. */
static const struct jr_node *row_of(struct run *r, struct jr_str name)
{
    for (const struct jr_node *v = jr_first(r->rows); v != NULL; v = jr_next(v)) {
        if (!jr_str_eq(jr_get_str(v, "version"), r->rows_of) ||
            !jr_str_eq(jr_get_str(v, "name"), name))
            continue;
        r->by_rows++;
        return jr_get(v, "expect");
    }
    return NULL;
}

static bool run_one(struct run *r, const struct jr_node *vector)
{
    const struct jr_str name = jr_get_str(vector, "name");
    struct jr_error err = { 0 };
    JR_BUF out = { 0 };
    char text[1024];
    size_t differences = 0;
    enum jr_status st;

    jr_buf_init(&out, (size_t)64 << 20);
    st = jr_vector_run(vector, r->version, row_of(r, name), &out, &differences, &err);
    if (st == JR_OK && differences == 0)
        return true;
    printf("%.*s\n%.*s", JR_P(name), JR_P(jr_buf_str(&out)));
    if (st != JR_OK)
        printf("  %s: %s\n", jr_status_text(st), jr_error_text(&err, text, sizeof(text)));
    return false;
}

static enum jr_status load(const char *path, struct jr_doc **ret, struct jr_error *err)
{
    const struct jr_reader_opts opts = { .max_bytes = FILE_MAX_BYTES, .dup = JR_DUP_REJECT };
    JR_BUF text = { 0 };
    enum jr_status st;

    jr_buf_init(&text, FILE_MAX_BYTES);
    st = read_file(path, &text, err);
    if (st == JR_OK)
        st = jr_doc_parse(jr_buf_str(&text), &opts, ret, err);
    if (st == JR_OK && jr_node_kind(jr_doc_root(*ret)) != JR_ARRAY)
        st = jr_fail(err, JR_TYPE, path, "not an array of vectors");
    return st;
}

int main(int argc, char **argv)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *rows = NULL;
    struct run r = { .version = JR_KUBE_DESCRIBED };
    struct jr_error err = { 0 };
    char words[1024];
    enum jr_status st;

    if (argc != 2 && argc != 4) {
        (void)fprintf(stderr, "usage: admission-vectors FILE [ROWS VERSION]\n");
        return 2;
    }
    st = load(argv[1], &doc, &err);
    if (st == JR_OK && argc == 4) {
        r.rows_of = jr_str(argv[3]);
        st = load(argv[2], &rows, &err);
    }
    if (st == JR_OK && argc == 4)
        st = jr_kube_version_parse(r.rows_of, &r.version, &err);
    if (st != JR_OK) {
        (void)fprintf(stderr, "admission-vectors: %s\n", jr_error_text(&err, words, sizeof(words)));
        return 2;
    }
    r.rows = rows == NULL ? NULL : jr_doc_root(rows);
    for (const struct jr_node *v = jr_first(jr_doc_root(doc)); v != NULL; v = jr_next(v)) {
        if (run_one(&r, v))
            r.passed++;
        else
            r.failed++;
    }
    printf("%zu passed, %zu failed", r.passed, r.failed);
    if (argc == 4)
        printf(", %zu by rows of %s", r.by_rows, argv[3]);
    printf("\n");
    return r.failed == 0 && r.passed > 0 ? 0 : 1;
}
