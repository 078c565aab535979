/* SPDX-License-Identifier: Apache-2.0 */
/* admission-cases --rows: prints each row of the tables of faults (tests/vectors/faults) on the
 * smallest Job, as JSON lines; its name is "RULE#N", the rule's N-th row.
 * admission-cases [--server NAMESPACE [--kubernetes-version V] [--gates Name=true,...]]
 * [--tables DIR] N SEED: prints N cases of admission as JSON lines, for admission-validate,
 * tests/bench/upstream's validate and admission-server. First the rows of the tables (default:
 * tests/vectors/faults), so that N had better be more than there are. --server: only what an API
 * server can be asked, for Jobs in that namespace; its version (default: 1.36.0), and the feature
 * gates that it was started with. */
#include <stdio.h>

#include "common/base/num.h"
#include "tests/support/job_cases.h"

static const char usage[] = "usage: admission-cases --rows\n"
                            "       admission-cases [--server NAMESPACE [--kubernetes-version V] "
                            "[--gates Name=true,...]] [--tables DIR] N SEED\n";

static enum jr_status print(const struct jr_doc *doc, struct jr_buf *line)
{
    jr_buf_reset(line);
    if (jr_node_print(jr_doc_root_const(doc), line) != JR_OK || jr_buf_addc(line, '\n') != JR_OK)
        return line->failed;
    return fwrite(line->p, 1, line->n, stdout) == line->n ? JR_OK : JR_IO;
}

static enum jr_status run(struct jr_case_gen *g, uint64_t n)
{
    JR_BUF line = { 0 };
    enum jr_status st = JR_OK;

    jr_buf_init(&line, (size_t)256 << 20);
    for (uint64_t i = 0; i < n && st == JR_OK; i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

        st = jr_case_next(g, &doc);
        if (st == JR_OK)
            st = print(doc, &line);
    }
    return st == JR_OK && fflush(stdout) != 0 ? JR_IO : st;
}

/** The row's case. n: how many rows of its rule there were before. */
static enum jr_status print_row(const struct jr_fault *f, size_t n, const struct jr_node *base,
                                struct jr_buf *line)
{
    const struct jr_profile profile = jr_profile_default();
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    char name[128];
    enum jr_status st = jr_case_of_fault(f, base, &profile, &doc);

    (void)snprintf(name, sizeof(name), "%.*s#%zu", JR_P(f->rule), n + 1);
    if (st == JR_OK)
        st = jr_set_str(jr_doc_root(doc), "name", jr_str(name));
    return st == JR_OK ? print(doc, line) : st;
}

static enum jr_status print_rows(struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *base = NULL;
    JR_BUF line = { 0 };
    struct jr_fault_tables t;
    enum jr_status st = jr_fault_tables_load(JR_FAULTS_FOLDER, &t, err);

    if (st != JR_OK)
        return st;
    jr_buf_init(&line, (size_t)256 << 20);
    st = jr_doc_parse(jr_str(jr_case_smallest_job), &JR_READER_STRICT, &base, err);
    for (size_t i = 0; i < t.first[JR_FAULT_CHANGE] && st == JR_OK; i++) {
        size_t n = 0;

        for (size_t k = 0; k < i; k++)
            n += jr_str_eq(t.v[k].rule, t.v[i].rule);
        st = print_row(&t.v[i], n, jr_doc_root(base), &line);
    }
    jr_fault_tables_done(&t);
    return st == JR_OK && fflush(stdout) != 0 ? JR_IO : st;
}

static int fail(enum jr_status st, const struct jr_error *err)
{
    char words[1024];

    if (st == JR_OK)
        return 0;
    (void)fprintf(stderr, "admission-cases: %s: %s\n", jr_status_text(st),
                  jr_error_text(err, words, sizeof(words)));
    return 2;
}

int main(int argc, char **argv)
{
    const char *folder = JR_FAULTS_FOLDER;
    struct jr_fault_tables tables;
    struct jr_case_gen g;
    struct jr_error err = { 0 };
    const char *server = NULL, *version_text = NULL, *gates = NULL;
    struct jr_kube_version version = JR_KUBE_DESCRIBED;
    uint64_t n, seed;
    int i = 1;
    enum jr_status st;

    if (argc == 2 && strcmp(argv[1], "--rows") == 0)
        return fail(print_rows(&err), &err);
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--server") == 0 && i + 1 < argc)
            server = argv[++i];
        else if (strcmp(argv[i], "--kubernetes-version") == 0 && i + 1 < argc)
            version_text = argv[++i];
        else if (strcmp(argv[i], "--gates") == 0 && i + 1 < argc)
            gates = argv[++i];
        else if (strcmp(argv[i], "--tables") == 0 && i + 1 < argc)
            folder = argv[++i];
        else
            break;
    }
    if (argc - i != 2 || jr_parse_u64(jr_str(argv[i]), &n) != JR_OK ||
        jr_parse_u64(jr_str(argv[i + 1]), &seed) != JR_OK) {
        (void)fputs(usage, stderr);
        return 2;
    }
    st = version_text == NULL ? JR_OK : jr_kube_version_parse(jr_str(version_text), &version, &err);
    if (st == JR_OK)
        st = jr_fault_tables_load(folder, &tables, &err);
    if (st == JR_OK) {
        jr_case_gen_init(&g, &tables, seed);
        st = jr_case_gen_ask(&g, version, server, gates, &err);
        if (st == JR_OK)
            st = run(&g, n);
        jr_fault_tables_done(&tables);
    }
    return fail(st, &err);
}
