/* SPDX-License-Identifier: Apache-2.0 */
/* admission-compare [-r] [-s] [-d] [-l] [-k VERSION] CASES UPSTREAM OURS: the answers of two
 * programs to the same cases, all JSON lines. Prints each disagreement, how often each of our rules
 * was hit (-r), and a last line of counts. -k: they are of this version of Kubernetes (1.36.0),
 * which says what rules there are. -s: upstream is an API server, which gives uids, versions and
 * times of its own. -d: our objects are only completed, not written: without generation, their
 * status as it was sent, none on status updates. -l: ours are the rules alone, which leave types
 * within the Pod template to a schema: what only upstream can't decode is no difference. What is
 * not compared is printed, a line each, for the caller to hold to a list: "skipped: ", "cut: ",
 * "left to a schema: " and the case, "not validated: " and the field. Exit codes: 0 all agree, 1
 * differences, 2 wrong use or unreadable files. */
#include <errno.h>
#include <unistd.h>

#include "tests/admission/difference.h"
#include "tests/admission/hits.h"
#include "tests/admission/lines.h"

enum file { CASES, UPSTREAM, OURS, FILES };

/** The run. */
struct run {
    struct jr_lines files[FILES];
    struct jr_doc *docs[FILES];
    struct jr_rule_hits hits;
    size_t creates;
    size_t updates;
    size_t status_updates;
    size_t refused;
    size_t skipped; /* the server could not be asked */
    size_t differ;
    bool server;
    bool offline;
    bool library;
    size_t undecoded; /* by upstream alone, with -l */
    struct jr_buf unvalidated;
};

static size_t total(const struct run *r)
{
    return r->creates + r->updates + r->status_updates;
}

static void count(struct run *r)
{
    const struct jr_str op = jr_get_str(jr_doc_root(r->docs[CASES]), "op");

    if (jr_str_is(op, "create"))
        r->creates++;
    else if (jr_str_is(op, "update"))
        r->updates++;
    else
        r->status_updates++;
    if (jr_answer_refuses(jr_doc_root(r->docs[UPSTREAM])))
        r->refused++;
    jr_rule_hits_of_answer(&r->hits, jr_doc_root(r->docs[OURS]));
}

/** Errors about metadata.labels. */
static void drop_label_errors(struct jr_node *errors)
{
    size_t i = 0;

    for (struct jr_node *e = jr_first(errors), *next; e != NULL; e = next) {
        next = jr_next(e);
        if (jr_str_is(jr_get_str(e, "field"), "metadata.labels"))
            jr_remove_child(errors, jr_at(errors, i));
        else
            i++;
    }
}

/** What only a server gives. Labels that a Job has not are the template's; in a server both are one
 * map, into which the generated labels go as well, unless a webhook has changed the Job. */
static void drop_given(struct run *r)
{
    static const char *const names[] = { "creationTimestamp", "managedFields", "resourceVersion",
                                         "deletionTimestamp", "deletionGracePeriodSeconds" };
    bool labels = jr_size(jr_path(jr_doc_root(r->docs[CASES]), "job.metadata.labels")) > 0;

    for (size_t i = UPSTREAM; i <= OURS; i++) {
        struct jr_node *answer = jr_doc_root(r->docs[i]);
        struct jr_node *meta = jr_path(answer, "prepared.metadata");

        for (size_t k = 0; k < JR_ARRAY_SIZE(names); k++)
            jr_remove(meta, jr_str(names[k]), NULL);
        if (r->offline && jr_str_is(jr_get_str(jr_doc_root(r->docs[CASES]), "op"), "updateStatus"))
            jr_remove(answer, JR_S("prepared"), NULL);
        else if (r->offline) {
            jr_remove(meta, JR_S("generation"), NULL);
            jr_remove(jr_get(answer, "prepared"), JR_S("status"), NULL);
        }
        if (labels)
            continue;
        jr_remove(meta, JR_S("labels"), NULL);
        drop_label_errors(jr_get(answer, "errors"));
    }
}

/** Names what is not compared, and what upstream says of it. */
static void name_excluded(const struct jr_node *row, const char *why, struct jr_str words)
{
    printf("%s: case %lld, %.*s %.*s%s%.*s\n", why, (long long)jr_node_i64_or(jr_get(row, "id"), 0),
           JR_P(jr_get_str(row, "op")), JR_P(jr_get_str(row, "name")), words.n > 0 ? ": " : "",
           JR_P(words));
}

/** A case that is compared, but all that can be said is that ours refuses, too: by which rules. */
static void name_cut(const struct jr_node *row, const struct jr_node *ours)
{
    JR_BUF rules = { 0 };

    jr_buf_init(&rules, (size_t)1 << 20);
    for (const struct jr_node *e = jr_first(jr_get(ours, "errors")); e != NULL; e = jr_next(e))
        (void)jr_buf_addf(&rules, "%s%.*s", rules.n > 0 ? " " : "", JR_P(jr_get_str(e, "rule")));
    name_excluded(row, "cut", jr_buf_str(&rules));
}

/** Whether the case is not compared at all. */
static bool exclude(struct run *r)
{
    const struct jr_node *row = jr_doc_root(r->docs[CASES]);
    const struct jr_node *a = jr_doc_root(r->docs[UPSTREAM]), *b = jr_doc_root(r->docs[OURS]);

    if (jr_get(a, "skipped") != NULL) {
        r->skipped++;
        name_excluded(row, "skipped", jr_get_str(a, "skipped"));
        return true;
    }
    if (r->library && jr_get(a, "decodeError") != NULL && jr_get(b, "decodeError") == NULL) {
        r->undecoded++;
        name_excluded(row, "left to a schema", jr_get_str(a, "decodeError"));
        return true;
    }
    if (jr_get(a, "cut") != NULL)
        name_cut(row, b);
    return false;
}

static enum jr_status compare_one(struct run *r, struct jr_error *err)
{
    const struct jr_node *row = jr_doc_root(r->docs[CASES]);
    const struct jr_node *a = jr_doc_root(r->docs[UPSTREAM]), *b = jr_doc_root(r->docs[OURS]);
    JR_BUF out = { 0 };
    size_t n = 0;
    enum jr_status st;

    if (!jr_node_equal(jr_get(row, "id"), jr_get(a, "id")) ||
        !jr_node_equal(jr_get(row, "id"), jr_get(b, "id")))
        return jr_fail(err, JR_INVALID, NULL, "case %zu: the answers have other ids", total(r) + 1);
    if (exclude(r))
        return JR_OK;
    count(r);
    if (r->server)
        drop_given(r);
    jr_buf_init(&out, (size_t)256 << 20);
    st = jr_answer_difference(a, b, &out, &r->unvalidated, &n);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "case %zu", total(r));
    if (n == 0)
        return JR_OK;
    r->differ++;
    printf("case %lld, %.*s %.*s\n%.*s", (long long)jr_node_i64_or(jr_get(row, "id"), 0),
           JR_P(jr_get_str(row, "op")), JR_P(jr_get_str(row, "name")), JR_P(jr_buf_str(&out)));
    return JR_OK;
}

static void free_docs(struct run *r)
{
    for (size_t i = 0; i < FILES; i++) {
        jr_doc_free(r->docs[i]);
        r->docs[i] = NULL;
    }
}

static enum jr_status compare_all(struct run *r, struct jr_error *err)
{
    for (;;) {
        enum jr_status st = JR_OK;
        size_t ended = 0;

        for (size_t i = 0; i < FILES && st == JR_OK; i++) {
            st = jr_lines_next(&r->files[i], &r->docs[i], err);
            ended += r->docs[i] == NULL;
        }
        if (st == JR_OK && ended > 0)
            return ended == FILES
                       ? JR_OK
                       : jr_fail(err, JR_INVALID, NULL,
                                 "the files are not equally long: %zu cases so far", total(r));
        if (st == JR_OK)
            st = compare_one(r, err);
        free_docs(r);
        if (st != JR_OK)
            return st;
    }
}

static enum jr_status open_files(struct run *r, char **names, struct jr_error *err)
{
    for (size_t i = 0; i < FILES; i++) {
        FILE *f = fopen(names[i], "rbe");

        if (f == NULL)
            return jr_fail_errno(err, errno, names[i], "cannot open");
        r->files[i] = jr_lines_on(f, names[i]);
        r->files[i].blank_uids = r->server;
    }
    return JR_OK;
}

static void done(struct run *r)
{
    free_docs(r);
    for (size_t i = 0; i < FILES; i++) {
        jr_lines_done(&r->files[i]);
        if (r->files[i].file != NULL)
            (void)fclose(r->files[i].file);
    }
}

/** Errors at fields that we do not validate. */
static void print_unvalidated(const struct run *r)
{
    struct jr_str rest = jr_buf_str(&r->unvalidated), path;
    size_t n = 0;

    while (jr_str_cut(&rest, '\n', &path)) {
        printf("not validated: %.*s\n", JR_P(path));
        n++;
    }
    if (n > 0)
        printf("%zu errors at fields that are not validated\n", n);
}

static void print_counts(const struct run *r)
{
    print_unvalidated(r);
    if (r->undecoded > 0)
        printf("%zu left to a schema\n", r->undecoded);
    if (r->skipped > 0)
        printf("%zu skipped\n", r->skipped);
    printf("%zu creates, %zu updates, %zu status updates; %zu refused (%zu %%); %zu agree, %zu "
           "differ\n",
           r->creates, r->updates, r->status_updates, r->refused,
           total(r) == 0 ? 0 : 100 * r->refused / total(r), total(r) - r->differ, r->differ);
}

int main(int argc, char **argv)
{
    struct run r = { .hits.version = JR_KUBE_DESCRIBED };
    bool rules = false;
    int c;
    struct jr_error err = { 0 };
    char words[1024];
    enum jr_status st;

    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    while ((c = getopt(argc, argv, "rsdlk:")) != -1) {
        rules = rules || c == 'r';
        r.server = r.server || c == 's';
        r.offline = r.offline || c == 'd';
        r.library = r.library || c == 'l';
        if (c == '?' ||
            (c == 'k' && jr_kube_version_parse(jr_str(optarg), &r.hits.version, &err) != JR_OK))
            return 2;
    }
    if (argc - optind != FILES) {
        (void)fprintf(stderr, "usage: admission-compare [-r] [-s] [-d] [-l] [-k VERSION] CASES "
                              "UPSTREAM OURS\n");
        return 2;
    }
    jr_buf_init(&r.unvalidated, (size_t)64 << 20);
    st = rules ? jr_rule_hits_begin(&r.hits, &err) : JR_OK;
    if (st == JR_OK)
        st = open_files(&r, argv + optind, &err);
    if (st == JR_OK)
        st = compare_all(&r, &err);
    done(&r);
    if (st != JR_OK) {
        (void)fprintf(stderr, "admission-compare: %s\n", jr_error_text(&err, words, sizeof(words)));
        return 2;
    }
    if (total(&r) == 0) {
        (void)fprintf(stderr, "admission-compare: no case was compared\n");
        return 2;
    }
    if (rules)
        jr_rule_hits_print(&r.hits, stdout);
    print_counts(&r);
    jr_buf_done(&r.unvalidated);
    return r.differ == 0 ? 0 : 1;
}
