/* admission-validate: answers the cases of admission that come on stdin, one JSON line each, by a
 * line each on stdout; the same protocol as tests/bench/upstream's validate. Exit codes: 0 all
 * answered, 2 something was no case. */
#include "tests/admission/answer.h"
#include "tests/admission/lines.h"

static enum jr_status answer_line(const struct jr_doc *doc, struct jr_buf *out,
                                  struct jr_error *err)
{
    const struct jr_node *row = jr_doc_root_const(doc);
    struct jr_answer a;
    enum jr_status st = jr_answer_case(row, &a, err);

    if (st == JR_OK)
        st = jr_answer_write(&a, jr_get(row, "id"), out);
    jr_answer_done(&a);
    return st;
}

static enum jr_status run(struct jr_lines *in, struct jr_error *err)
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
        st = answer_line(doc, &out, err);
        if (st != JR_OK)
            return jr_wrap(err, st, "line %zu", in->number);
        if (fwrite(out.p, 1, out.n, stdout) != out.n || fflush(stdout) != 0)
            return jr_fail(err, JR_IO, NULL, "cannot write");
    }
}

int main(void)
{
    struct jr_lines in = jr_lines_on(stdin, "stdin");
    struct jr_error err = { 0 };
    char words[1024];
    enum jr_status st = run(&in, &err);

    jr_lines_done(&in);
    if (st == JR_OK)
        return 0;
    (void)fprintf(stderr, "admission-validate: %s\n", jr_error_text(&err, words, sizeof(words)));
    return 2;
}
