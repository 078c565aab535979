/* SPDX-License-Identifier: Apache-2.0 */
/* The offline's side of the comparison: cases of admission as files for `jobreeve check` and
 * `default`, and their output as answers in the protocol of admission-validate. admission-offline
 * split DIR   cases on stdin: the new objects to DIR/create, DIR/update and DIR/updateStatus, as
 * ID.json; the old ones to DIR/update.old.json and DIR/updateStatus.old.json, each a List
 * admission-offline join DIR    cases on stdin: answers on stdout, by DIR/create.json,
 * DIR/update.json and DIR/updateStatus.json (check -v -o json) and DIR/default/ID.json Exit codes:
 * 0 done, 2 wrong use or unreadable files. */
#include <errno.h>
#include <sys/stat.h>

#include "common/json/write.h"
#include "tests/admission/lines.h"

#define TEXT_MAX_BYTES ((size_t)512 << 20)

enum op { CREATE, UPDATE, STATUS, OPS };
static const char *const ops[OPS] = { "create", "update", "updateStatus" };

/** The run. */
struct offline {
    const char *folder;
    struct jr_lines in;
    struct jr_arena arena;
    struct jr_doc *reports[OPS];
    struct jr_error *err;
};

static const char *path_of(struct offline *d, const char *name, int64_t id)
{
    return id < 0 ? jr_arena_printf(&d->arena, "%s/%s", d->folder, name)
                  : jr_arena_printf(&d->arena, "%s/%s/%lld.json", d->folder, name, (long long)id);
}

static enum op op_of(const struct jr_node *row)
{
    for (size_t i = 0; i < OPS; i++) {
        if (jr_str_is(jr_get_str(row, "op"), ops[i]))
            return (enum op)i;
    }
    return CREATE;
}

static int64_t id_of(const struct jr_node *row)
{
    return jr_node_i64_or(jr_get(row, "id"), 0);
}

/* ---- files ---- */

static enum jr_status write_file(struct offline *d, const char *path, const struct jr_node *node)
{
    JR_BUF text = { 0 };
    FILE *f;
    bool written;

    jr_buf_init(&text, TEXT_MAX_BYTES);
    if (path == NULL || jr_node_print(node, &text) != JR_OK)
        return jr_fail(d->err, JR_NOMEM, path, "cannot print");
    f = fopen(path, "wbe");
    if (f == NULL)
        return jr_fail_errno(d->err, errno, path, "cannot open");
    written = fwrite(text.p, 1, text.n, f) == text.n;
    return fclose(f) == 0 && written ? JR_OK : jr_fail(d->err, JR_IO, path, "cannot write");
}

/** The file's one value; *ret NULL: there is no such file, or nothing in it. */
static enum jr_status read_file(struct offline *d, const char *path, struct jr_doc **ret)
{
    FILE *f = path == NULL ? NULL : fopen(path, "rbe");
    const struct jr_reader_opts opts = { .max_bytes = TEXT_MAX_BYTES,
                                         .dup = JR_DUP_LAST,
                                         .max_values = TEXT_MAX_BYTES };
    JR_BUF text = { 0 };
    char chunk[16384];
    size_t n;

    *ret = NULL;
    if (f == NULL)
        return path == NULL ? JR_NOMEM : JR_OK;
    jr_buf_init(&text, TEXT_MAX_BYTES);
    while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
        (void)jr_buf_add(&text, (struct jr_str){ chunk, n });
    (void)fclose(f);
    if (text.failed != JR_OK || text.n == 0)
        return text.failed;
    return jr_doc_parse(jr_buf_str(&text), &opts, ret, d->err);
}

/* ---- split ---- */

static enum jr_status make_folders(struct offline *d)
{
    for (size_t i = 0; i < OPS; i++) {
        const char *path = path_of(d, ops[i], -1);

        if (path == NULL || (mkdir(path, 0777) != 0 && errno != EEXIST))
            return jr_fail_errno(d->err, errno, path, "cannot make the folder");
    }
    return JR_OK;
}

static enum jr_status new_list(struct jr_doc **ret)
{
    return jr_doc_parse(JR_S("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[]}"),
                        &JR_READER_STRICT, ret, NULL);
}

static enum jr_status split_case(struct offline *d, const struct jr_node *row,
                                 struct jr_node *const *items)
{
    enum op op = op_of(row);
    const struct jr_node *old = jr_get(row, "old");
    enum jr_status st = write_file(d, path_of(d, ops[op], id_of(row)), jr_get(row, "job"));

    if (st != JR_OK || old == NULL)
        return st;
    return jr_insert_copy(items[op], jr_size(items[op]), old, NULL);
}

static enum jr_status split(struct offline *d)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *updates = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *statuses = NULL;
    struct jr_node *items[OPS] = { NULL };
    enum jr_status st = make_folders(d);

    if (st == JR_OK)
        st = new_list(&updates);
    if (st == JR_OK)
        st = new_list(&statuses);
    if (st != JR_OK)
        return st;
    items[UPDATE] = jr_get(jr_doc_root(updates), "items");
    items[STATUS] = jr_get(jr_doc_root(statuses), "items");
    for (;;) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

        st = jr_lines_next(&d->in, &doc, d->err);
        if (st == JR_OK && doc != NULL)
            st = split_case(d, jr_doc_root(doc), items);
        if (st != JR_OK)
            return st;
        if (doc == NULL)
            break;
    }
    st = write_file(d, path_of(d, "update.old.json", -1), jr_doc_root(updates));
    if (st == JR_OK)
        st = write_file(d, path_of(d, "updateStatus.old.json", -1), jr_doc_root(statuses));
    return st;
}

/* ---- join ---- */

/** The finding's member of that name, under another name or the same. */
static void copy_str(struct jr_writer *w, const char *to, const struct jr_node *f, const char *from)
{
    if (jr_get(f, from) != NULL)
        jr_w_kstr(w, to, jr_get_str(f, from));
}

static bool is_type(const struct jr_node *finding, const char *type)
{
    return jr_str_is(jr_get_str(finding, "type"), type);
}

static void write_findings(struct jr_writer *w, const struct jr_node *object)
{
    const struct jr_node *const findings = jr_get(object, "findings");

    jr_w_key(w, "errors");
    jr_w_array(w);
    for (const struct jr_node *f = jr_first(findings); f != NULL; f = jr_next(f)) {
        if (!jr_str_is(jr_get_str(f, "level"), "error") || is_type(f, "BadRequest") ||
            is_type(f, "NoKindMatch"))
            continue;
        jr_w_object(w);
        copy_str(w, "type", f, "type");
        copy_str(w, "field", f, "field");
        copy_str(w, "detail", f, "detail");
        copy_str(w, "message", f, "message");
        copy_str(w, "rule", f, "rule");
        jr_w_object_end(w);
    }
    jr_w_array_end(w);
    jr_w_key(w, "warnings");
    jr_w_array(w);
    for (const struct jr_node *f = jr_first(findings); f != NULL; f = jr_next(f)) {
        if (is_type(f, "Warning"))
            jr_w_str(w, jr_get_str(f, "message"));
    }
    jr_w_array_end(w);
    jr_w_key(w, "unvalidated");
    jr_w_array(w);
    for (const struct jr_node *f = jr_first(findings); f != NULL; f = jr_next(f)) {
        if (is_type(f, "NotJudged"))
            jr_w_str(w, jr_get_str(f, "field"));
    }
    jr_w_array_end(w);
}

static enum jr_status write_defaulted(struct offline *d, struct jr_writer *w, int64_t id)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_BUF text = { 0 };
    enum jr_status st = read_file(d, path_of(d, "default", id), &doc);

    if (st != JR_OK || doc == NULL)
        return st;
    jr_buf_init(&text, TEXT_MAX_BYTES);
    st = jr_node_print(jr_doc_root(doc), &text);
    jr_w_key(w, "prepared");
    jr_w_raw(w, jr_buf_str(&text));
    return st;
}

/** The words of a 400, {NULL, 0} if it is none; a kind that the server has not is one too. */
static struct jr_str refusal(const struct jr_node *object)
{
    if (object == NULL)
        return JR_S("no Job: passed over");
    if (jr_node_i64_or(jr_path(object, "answer.code"), 0) == 400)
        return jr_get_str(jr_get(object, "answer"), "message");
    for (const struct jr_node *f = jr_first(jr_get(object, "findings")); f != NULL;
         f = jr_next(f)) {
        if (is_type(f, "NoKindMatch"))
            return jr_get_str(f, "message");
    }
    return (struct jr_str){ NULL, 0 };
}

/** The report's object of that file, NULL if none was validated: they come in any order. */
static const struct jr_node *find_object(const struct offline *d, enum op op, int64_t id)
{
    char name[64];

    (void)snprintf(name, sizeof(name), "/%lld.json", (long long)id);
    for (const struct jr_node *o = jr_first(jr_get(jr_doc_root(d->reports[op]), "objects"));
         o != NULL; o = jr_next(o)) {
        if (jr_str_ends(jr_get_str(o, "file"), jr_str(name)))
            return o;
    }
    return NULL;
}

static enum jr_status join_case(struct offline *d, const struct jr_node *row, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);
    enum op op = op_of(row);
    const struct jr_node *object = find_object(d, op, id_of(row));
    const struct jr_str refused = refusal(object);
    enum jr_status st = JR_OK;

    jr_w_object(&w);
    jr_w_ki64(&w, "id", id_of(row));
    if (refused.p != NULL)
        jr_w_kstr(&w, "decodeError", refused);
    write_findings(&w, object);
    if (refused.p == NULL && jr_path(object, "answer.code") == NULL)
        st = write_defaulted(d, &w, id_of(row));
    jr_w_object_end(&w);
    (void)jr_buf_addc(out, '\n');
    return st == JR_OK ? out->failed : st;
}

static enum jr_status join(struct offline *d)
{
    JR_BUF out = { 0 };
    enum jr_status st = JR_OK;

    for (size_t i = 0; i < OPS && st == JR_OK; i++) {
        const char *name = jr_arena_printf(&d->arena, "%s.json", ops[i]);

        st = name == NULL ? JR_NOMEM : read_file(d, path_of(d, name, -1), &d->reports[i]);
    }
    jr_buf_init(&out, TEXT_MAX_BYTES);
    while (st == JR_OK) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

        jr_buf_reset(&out);
        st = jr_lines_next(&d->in, &doc, d->err);
        if (st != JR_OK || doc == NULL)
            return st;
        st = join_case(d, jr_doc_root(doc), &out);
        if (st == JR_OK && fwrite(out.p, 1, out.n, stdout) != out.n)
            st = jr_fail(d->err, JR_IO, NULL, "cannot write");
    }
    return st;
}

int main(int argc, char **argv)
{
    struct jr_error err = { 0 };
    struct offline d = { .in = jr_lines_on(stdin, "stdin"), .err = &err };
    bool splits = argc == 3 && strcmp(argv[1], "split") == 0;
    char words[1024];
    enum jr_status st;

    if (!splits && !(argc == 3 && strcmp(argv[1], "join") == 0)) {
        (void)fputs("usage: admission-offline split|join DIR < CASES\n", stderr);
        return 2;
    }
    d.folder = argv[2];
    jr_arena_init(&d.arena, 0);
    st = splits ? split(&d) : join(&d);
    for (size_t i = 0; i < OPS; i++)
        jr_doc_free(d.reports[i]);
    jr_arena_done(&d.arena);
    jr_lines_done(&d.in);
    if (st == JR_OK && fflush(stdout) == 0)
        return 0;
    (void)fprintf(stderr, "admission-offline: %s: %s\n", jr_status_text(st),
                  jr_error_text(&err, words, sizeof(words)));
    return 2;
}
