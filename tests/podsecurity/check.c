/* SPDX-License-Identifier: Apache-2.0 */
/* pod-security-check: reads cases as cases.py writes them, and prints what each template violates,
 * a line each: [{"reason": R, "detail": D}, ...]. */
#include "common/json/write.h"
#include "common/podsecurity/pod_security.h"
#include "tests/admission/lines.h"

static enum jr_status answer(const struct jr_node *line, struct jr_buf *out, struct jr_error *err)
{
    struct jr_pod_security s;
    struct jr_pod_security_faults faults;
    struct jr_writer w = jr_writer_on(out);
    JR_ARENA arena = { 0 };

    jr_arena_init(&arena, 0);
    if (!jr_pod_security_level_read(jr_get_str(line, "level"), &s.level) ||
        !jr_pod_security_version_read(jr_get_str(line, "version"), &s.minor))
        return jr_fail(err, JR_INVALID, NULL, "expected a level and a version");
    if (jr_pod_security_check(&s, jr_get(line, "template"), &arena, &faults) != JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "the template");
    jr_buf_reset(out);
    jr_w_array(&w);
    for (size_t i = 0; i < faults.n; i++) {
        jr_w_object(&w);
        jr_w_kstr(&w, "reason", faults.v[i].reason);
        jr_w_kstr(&w, "detail", faults.v[i].detail);
        jr_w_object_end(&w);
    }
    jr_w_array_end(&w);
    return jr_buf_addc(out, '\n');
}

static enum jr_status run(struct jr_lines *lines, struct jr_buf *out, struct jr_error *err)
{
    for (;;) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
        enum jr_status st = jr_lines_next(lines, &doc, err);

        if (st == JR_OK && doc == NULL)
            return fflush(stdout) == 0 ? JR_OK : JR_IO;
        if (st == JR_OK)
            st = answer(jr_doc_root_const(doc), out, err);
        if (st == JR_OK && fwrite(out->p, 1, out->n, stdout) != out->n)
            st = JR_IO;
        if (st != JR_OK)
            return st;
    }
}

int main(void)
{
    struct jr_lines lines = jr_lines_on(stdin, "stdin");
    struct jr_error err = { .status = JR_OK };
    enum jr_status st;
    JR_BUF out = { 0 };

    jr_buf_init(&out, (size_t)64 << 20);
    st = run(&lines, &out, &err);
    if (st != JR_OK)
        (void)fprintf(stderr, "pod-security-check: %s\n", err.msg);
    jr_lines_done(&lines);
    return st == JR_OK ? 0 : 1;
}
