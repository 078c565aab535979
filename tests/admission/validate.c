/* SPDX-License-Identifier: Apache-2.0 */
/* admission-validate [--kubernetes-version V]: answers the cases of admission that come on stdin,
 * one JSON line each, by a line each on stdout; the same protocol as tests/bench/upstream's
 * validate. Exit codes: 0 all answered, 2 something was no case. */
#include "tests/admission/answer.h"
#include "tests/admission/lines.h"

static enum jr_status answer_line(const struct jr_doc *doc, const struct jr_kube_version *version,
                                  struct jr_buf *out, struct jr_error *err)
{
    const struct jr_node *row = jr_doc_root_const(doc);
    struct jr_answer a;
    enum jr_status st = jr_answer_case(row, version, &a, err);

    if (st == JR_OK)
        st = jr_answer_write(&a, jr_get(row, "id"), out);
    jr_answer_done(&a);
    return st;
}

static enum jr_status run(struct jr_lines *in, const struct jr_kube_version *version,
                          struct jr_error *err)
{
    JR_BUF out = { 0 };
    enum jr_status st;

    jr_buf_init(&out, (size_t)256 << 20);
    for (;;) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

        st = jr_lines_next(in, &doc, err);
        if (st != JR_OK || doc == NULL)
            return st;
        jr_buf_reset(&out);
        st = answer_line(doc, version, &out, err);
        if (st != JR_OK)
            return jr_wrap(err, st, "line %zu", in->number);
        if (fwrite(out.p, 1, out.n, stdout) != out.n || fflush(stdout) != 0)
            return jr_fail(err, JR_IO, NULL, "cannot write");
    }
}

int main(int argc, char **argv)
{
    const bool versioned = argc == 3 && strcmp(argv[1], "--kubernetes-version") == 0;
    struct jr_lines in = jr_lines_on(stdin, "stdin");
    struct jr_kube_version version;
    struct jr_error err = { 0 };
    char words[1024];
    enum jr_status st = JR_OK;

    if (argc != 1 && !versioned)
        st = jr_fail(&err, JR_USAGE, NULL, "expected: admission-validate [--kubernetes-version V]");
    else if (versioned)
        st = jr_kube_version_parse(jr_str(argv[2]), &version, &err);
    if (st == JR_OK)
        st = run(&in, versioned ? &version : NULL, &err);

    jr_lines_done(&in);
    if (st == JR_OK)
        return 0;
    (void)fprintf(stderr, "admission-validate: %s\n", jr_error_text(&err, words, sizeof(words)));
    return 2;
}
