/* SPDX-License-Identifier: Apache-2.0 */
/* admission-server --server URL --ca FILE --cert FILE --key FILE --namespace NAME: asks an API
 * server about the cases of admission that come on stdin, one JSON line each (admission-cases
 * --server NAME), and prints its answers in the protocol of admission-validate. New objects are
 * only tried (dry run); the old object of an update is created first, with its status. "skipped" is
 * what could not be asked, and why; "cut" a connection that was cut twice, which is what is seen of
 * a panic. Exit codes: 0 all answered, 2 wrong use, or the server can't be asked. */
#include <getopt.h>
#include <stdio.h>

#include "common/json/write.h"
#include "tests/admission/client.h"
#include "tests/admission/lines.h"

/* what admission-cases gives each object */
#define CASE_UID "8d1f6c1e-0b6a-4a53-9c1d-2f7a90b1c0de"
#define TRY "dryRun=All&fieldValidation=Ignore"
#define TEXT_MAX_BYTES ((size_t)64 << 20)

/** The run, and the case that is asked. */
struct asking {
    struct jr_client *client;
    const char *namespace;
    const struct jr_node *row;
    struct jr_buf path;
    struct jr_error *err;
};

static enum jr_status set_path(struct asking *a, const char *name, const char *subresource,
                               const char *query)
{
    jr_buf_reset(&a->path);
    (void)jr_buf_addf(&a->path, "/apis/batch/v1/namespaces/%s/%s", a->namespace,
                      jr_str_is(jr_get_str(a->row, "kind"), "CronJob") ? "cronjobs" : "jobs");
    if (name != NULL)
        (void)jr_buf_addf(&a->path, "/%s%s", name, subresource);
    if (query != NULL)
        (void)jr_buf_addf(&a->path, "?%s", query);
    return a->path.failed;
}

static enum jr_status ask(struct asking *a, const char *method, const struct jr_node *body,
                          const struct jr_reply **ret)
{
    JR_BUF text = { 0 };
    enum jr_status st;

    jr_buf_init(&text, TEXT_MAX_BYTES);
    st = jr_node_print(body, &text);
    if (st != JR_OK)
        return jr_fail(a->err, st, NULL, "the body");
    return jr_client_ask(a->client, method, a->path.p, jr_buf_str(&text), ret, a->err);
}

/** Asks twice where the connection was cut: a panic comes again, another reason does not. For dry
 * runs, which change nothing. */
static enum jr_status ask_twice(struct asking *a, const char *method, const struct jr_node *body,
                                const struct jr_reply **ret)
{
    enum jr_status st = ask(a, method, body, ret);

    return st == JR_REMOTE ? ask(a, method, body, ret) : st;
}

/* ---- the old object ---- */

/** Entries that were generated for the case's uid. */
static void drop_generated(struct jr_node *map)
{
    for (struct jr_node *m = jr_first(map), *next; m != NULL; m = next) {
        next = jr_next(m);
        if (jr_str_is(jr_node_str(m), CASE_UID))
            jr_remove(map, jr_key(m), NULL);
    }
}

/** What the server gives itself, and what would have other controllers touch the object. */
static void drop_given(struct jr_node *job)
{
    static const char *const names[] = {
        "uid",          "resourceVersion", "generation", "ownerReferences", "creationTimestamp",
        "managedFields"
    };
    struct jr_node *meta = jr_get(job, "metadata");

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++)
        jr_remove(meta, jr_str(names[i]), NULL);
    if (jr_get(meta, "deletionTimestamp") == NULL)
        jr_remove(meta, JR_S("finalizers"), NULL);
    drop_generated(jr_path(job, "spec.template.metadata.labels"));
    drop_generated(jr_path(job, "spec.selector.matchLabels"));
}

static enum jr_status parse_reply(const struct jr_reply *reply, struct jr_doc **ret,
                                  struct jr_error *err)
{
    const struct jr_reader_opts opts = { .max_bytes = TEXT_MAX_BYTES, .dup = JR_DUP_LAST };

    return jr_doc_parse(jr_buf_str(&reply->body), &opts, ret, err);
}

static const char *name_of(const struct jr_doc *job)
{
    return jr_get_str(jr_get(jr_doc_root_const(job), "metadata"), "name").p;
}

/** Gives the stored object the old one's status. */
static enum jr_status store_status(struct asking *a, struct jr_doc **stored,
                                   struct jr_doc **refusal)
{
    const struct jr_node *status = jr_path(a->row, "old.status");
    const struct jr_reply *reply;
    enum jr_status st;

    if (jr_size(status) == 0)
        return JR_OK;
    st = jr_set_copy(jr_doc_root(*stored), JR_S("status"), status, NULL);
    if (st == JR_OK)
        st = set_path(a, name_of(*stored), "/status", NULL);
    if (st == JR_OK)
        st = ask(a, "PUT", jr_doc_root(*stored), &reply);
    if (st != JR_OK || reply->code != 200)
        return st == JR_OK ? parse_reply(reply, refusal, a->err) : st;
    jr_doc_free(jr_steal(stored));
    return parse_reply(reply, stored, a->err);
}

/** Deletes the stored object, which its finalizers hold, if the old one is being deleted. */
static enum jr_status delete_stored(struct asking *a, struct jr_doc **stored)
{
    const struct jr_reply *reply;
    enum jr_status st;

    if (jr_path(a->row, "old.metadata.deletionTimestamp") == NULL)
        return JR_OK;
    st = set_path(a, name_of(*stored), "", "propagationPolicy=Background");
    if (st == JR_OK)
        st = jr_client_ask(a->client, "DELETE", a->path.p, JR_S(""), &reply, a->err);
    if (st != JR_OK)
        return st;
    jr_doc_free(jr_steal(stored));
    return parse_reply(reply, stored, a->err);
}

/** Creates the old object, with its status. *ret_refusal says why it can't be. */
static enum jr_status store_old(struct asking *a, struct jr_doc **ret_stored,
                                struct jr_doc **ret_refusal)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old = NULL;
    const struct jr_reply *reply;
    enum jr_status st = jr_doc_of(jr_get(a->row, "old"), &old);

    if (st != JR_OK)
        return st;
    drop_given(jr_doc_root(old));
    st = set_path(a, NULL, NULL, "fieldValidation=Ignore");
    if (st == JR_OK)
        st = ask(a, "POST", jr_doc_root(old), &reply);
    if (st != JR_OK || reply->code != 201)
        return st == JR_OK ? parse_reply(reply, ret_refusal, a->err) : st;
    st = parse_reply(reply, ret_stored, a->err);
    if (st == JR_OK)
        st = delete_stored(a, ret_stored);
    return st == JR_OK ? store_status(a, ret_stored, ret_refusal) : st;
}

/* ---- the new object ---- */

/** The text with the case's uid made the stored one's. */
static enum jr_status print_with_uid(const struct jr_node *job, struct jr_str uid,
                                     struct jr_buf *out)
{
    JR_BUF text = { 0 };
    struct jr_str rest;
    enum jr_status st;

    jr_buf_init(&text, TEXT_MAX_BYTES);
    st = jr_node_print(job, &text);
    rest = jr_buf_str(&text);
    while (st == JR_OK && rest.n > 0) {
        const char *p = memmem(rest.p, rest.n, CASE_UID, strlen(CASE_UID));
        size_t n = p == NULL ? rest.n : (size_t)(p - rest.p);

        st = jr_buf_add(out, jr_str_head(rest, n));
        if (st == JR_OK && p != NULL)
            st = jr_buf_add(out, uid);
        rest = jr_str_from(rest, p == NULL ? n : n + strlen(CASE_UID));
    }
    return st;
}

/** The case's new object, as an update of the stored one. */
static enum jr_status fit_new(const struct asking *a, const struct jr_node *stored,
                              struct jr_doc **ret)
{
    const struct jr_node *meta = jr_get(stored, "metadata");
    struct jr_node *new_meta;
    JR_BUF text = { 0 };
    enum jr_status st;

    jr_buf_init(&text, TEXT_MAX_BYTES);
    st = print_with_uid(jr_get(a->row, "job"), jr_get_str(meta, "uid"), &text);
    if (st == JR_OK)
        st = jr_doc_parse(jr_buf_str(&text), &JR_READER_LENIENT, ret, a->err);
    if (st != JR_OK)
        return st;
    new_meta = jr_get(jr_doc_root(*ret), "metadata");
    if (jr_get_str(new_meta, "resourceVersion").n > 0)
        st = jr_set_str(new_meta, "resourceVersion", jr_get_str(meta, "resourceVersion"));
    return st;
}

/* ---- answers ---- */

static void write_status(struct jr_writer *w, long code, const struct jr_node *status)
{
    const struct jr_node *causes = jr_path(status, "details.causes");

    if (code != 422) {
        jr_w_kstr(w, code == 400 ? "decodeError" : "skipped", jr_get_str(status, "message"));
        causes = NULL;
    }
    jr_w_key(w, "errors");
    jr_w_array(w);
    for (const struct jr_node *c = jr_first(causes); c != NULL; c = jr_next(c)) {
        jr_w_object(w);
        jr_w_kstr(w, "type", jr_get_str(c, "reason"));
        jr_w_kstr(w, "field", jr_get_str(c, "field"));
        jr_w_kstr(w, "message", jr_get_str(c, "message"));
        jr_w_object_end(w);
    }
    jr_w_array_end(w);
}

static void write_warnings(struct jr_writer *w, struct jr_str warnings)
{
    struct jr_str one;

    jr_w_key(w, "warnings");
    jr_w_array(w);
    while (jr_str_cut(&warnings, '\n', &one))
        jr_w_str(w, one);
    jr_w_array_end(w);
}

static enum jr_status write_answer(const struct asking *a, const struct jr_reply *reply,
                                   struct jr_buf *out)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_writer w = jr_writer_on(out);
    JR_BUF text = { 0 };
    enum jr_status st = parse_reply(reply, &doc, a->err);

    if (st != JR_OK)
        return st;
    jr_buf_init(&text, TEXT_MAX_BYTES);
    jr_w_object(&w);
    jr_w_ki64(&w, "id", jr_node_i64_or(jr_get(a->row, "id"), 0));
    if (reply->code == 200 || reply->code == 201) {
        st = jr_node_print(jr_doc_root(doc), &text);
        jr_w_key(&w, "prepared");
        jr_w_raw(&w, jr_buf_str(&text));
    } else {
        write_status(&w, reply->code, jr_doc_root(doc));
    }
    write_warnings(&w, jr_buf_str(&reply->warnings));
    jr_w_object_end(&w);
    (void)jr_buf_addc(out, '\n');
    return st == JR_OK ? out->failed : st;
}

static enum jr_status write_short(const struct asking *a, const char *what, struct jr_str text,
                                  struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_ki64(&w, "id", jr_node_i64_or(jr_get(a->row, "id"), 0));
    jr_w_kstr(&w, what, text);
    jr_w_object_end(&w);
    return jr_buf_addc(out, '\n');
}

static enum jr_status answer_create(struct asking *a, struct jr_buf *out)
{
    const struct jr_reply *reply;
    enum jr_status st = set_path(a, NULL, NULL, TRY);

    if (st == JR_OK)
        st = ask_twice(a, "POST", jr_get(a->row, "job"), &reply);
    return st == JR_OK ? write_answer(a, reply, out) : st;
}

static enum jr_status answer_update(struct asking *a, bool status, struct jr_buf *out)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *stored = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *refusal = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    const struct jr_reply *reply;
    enum jr_status st = store_old(a, &stored, &refusal);

    if (st == JR_OK && refusal != NULL)
        return write_short(a, "skipped", jr_get_str(jr_doc_root(refusal), "message"), out);
    if (st == JR_OK)
        st = fit_new(a, jr_doc_root(stored), &job);
    if (st == JR_OK)
        st = set_path(a, name_of(stored), status ? "/status" : "", TRY);
    if (st == JR_OK)
        st = ask_twice(a, "PUT", jr_doc_root(job), &reply);
    return st == JR_OK ? write_answer(a, reply, out) : st;
}

static enum jr_status answer(struct asking *a, struct jr_buf *out)
{
    const struct jr_str op = jr_get_str(a->row, "op");
    enum jr_status st;

    if (jr_str_is(op, "create"))
        st = answer_create(a, out);
    else
        st = answer_update(a, jr_str_is(op, "updateStatus"), out);
    return st == JR_REMOTE ? write_short(a, "cut", jr_str(a->err->msg), out) : st;
}

static enum jr_status run(struct asking *a, struct jr_lines *in)
{
    JR_BUF out = { 0 };
    enum jr_status st;

    jr_buf_init(&out, TEXT_MAX_BYTES);
    for (;;) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

        st = jr_lines_next(in, &doc, a->err);
        if (st != JR_OK || doc == NULL)
            return st;
        a->row = jr_doc_root(doc);
        jr_buf_reset(&out);
        st = answer(a, &out);
        if (st != JR_OK)
            return jr_wrap(a->err, st, "line %zu", in->number);
        if (fwrite(out.p, 1, out.n, stdout) != out.n || fflush(stdout) != 0)
            return jr_fail(a->err, JR_IO, NULL, "cannot write");
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "server", required_argument, NULL, 's' },    { "ca", required_argument, NULL, 'a' },
        { "cert", required_argument, NULL, 'c' },      { "key", required_argument, NULL, 'k' },
        { "namespace", required_argument, NULL, 'n' }, { NULL, 0, NULL, 0 },
    };
    struct jr_client_options where = { NULL, NULL, NULL, NULL };
    struct jr_lines in = jr_lines_on(stdin, "stdin");
    struct jr_error err = { 0 };
    struct asking a = { .err = &err };
    char words[1024];
    enum jr_status st;
    int c;

    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        const char **const to = c == 's'   ? &where.server
                                : c == 'a' ? &where.ca
                                : c == 'c' ? &where.cert
                                : c == 'k' ? &where.key
                                : c == 'n' ? &a.namespace
                                           : NULL;

        if (to == NULL)
            return 2;
        *to = optarg;
    }
    if (where.server == NULL || where.ca == NULL || where.cert == NULL || where.key == NULL ||
        a.namespace == NULL || optind != argc) {
        (void)fputs("usage: admission-server --server URL --ca FILE --cert FILE --key FILE "
                    "--namespace NAME\n",
                    stderr);
        return 2;
    }
    jr_buf_init(&a.path, (size_t)1 << 16);
    st = jr_client_new(&where, &a.client);
    if (st == JR_OK)
        st = run(&a, &in);
    jr_client_free(a.client);
    jr_buf_done(&a.path);
    jr_lines_done(&in);
    if (st == JR_OK)
        return 0;
    (void)fprintf(stderr, "admission-server: %s: %s\n", jr_status_text(st),
                  jr_error_text(&err, words, sizeof(words)));
    return 2;
}
