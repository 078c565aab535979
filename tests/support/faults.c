/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/faults.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/arena.h"
#include "common/base/num.h"
#include "common/json/patch.h"

#define TABLE_MAX_BYTES ((size_t)4 << 20)
#define GATES "/gates/"

/* ---- $repeat ---- */

static enum jr_status repeat(struct jr_node *node, const struct jr_node *what, int64_t n)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_node *list = NULL;
    JR_BUF text = { 0 };
    enum jr_status st = jr_doc_new(&doc);

    if (st == JR_OK && jr_node_kind(what) == JR_STRING) {
        jr_buf_init(&text, TABLE_MAX_BYTES);
        for (int64_t i = 0; i < n; i++)
            st = jr_buf_add(&text, jr_node_str(what));
        if (st == JR_OK)
            st = jr_set_str(jr_doc_root(doc), "v", jr_buf_str(&text));
    } else if (st == JR_OK) {
        st = jr_set_array(jr_doc_root(doc), "v", &list);
        for (int64_t i = 0; i < n && st == JR_OK; i++)
            st = jr_insert_copy(list, (size_t)i, what, NULL);
    }
    return st == JR_OK ? jr_node_assign(node, jr_get(jr_doc_root(doc), "v")) : st;
}

static enum jr_status expand(struct jr_node *node)
{
    const struct jr_node *r = jr_get(node, "$repeat");
    enum jr_status st = JR_OK;

    if (r != NULL)
        return repeat(node, jr_at(r, 0), jr_node_i64_or(jr_at(r, 1), 0));
    for (struct jr_node *c = jr_first(node); c != NULL && st == JR_OK; c = jr_next(c))
        st = expand(c);
    return st;
}

/* ---- loading ---- */

static const char *const prefixes[JR_FAULT_KINDS] = {
    [JR_FAULT_CREATE] = "create-",     [JR_FAULT_PREPARED] = "prepared-",
    [JR_FAULT_UPDATE] = "update-",     [JR_FAULT_STATUS] = "status-",
    [JR_FAULT_CRON] = "cron-rules-",   [JR_FAULT_CRON_PREPARED] = "cron-prepared-",
    [JR_FAULT_CHANGE] = "change-",     [JR_FAULT_UNASKED] = "unasked-",
    [JR_FAULT_WARNINGS] = "warnings-", [JR_FAULT_CRON_WARNINGS] = "cron-warnings-",
};

static enum jr_status read_table(const char *path, struct jr_doc **ret, struct jr_error *err)
{
    FILE *f = fopen(path, "rbe");
    JR_BUF text = { 0 };
    char chunk[16384];
    size_t n;
    bool bad;
    enum jr_status st;

    if (f == NULL)
        return jr_fail_errno(err, errno, path, "cannot open");
    jr_buf_init(&text, TABLE_MAX_BYTES);
    while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
        (void)jr_buf_add(&text, (struct jr_str){ chunk, n });
    bad = ferror(f) != 0;
    (void)fclose(f);
    if (bad || text.failed != JR_OK)
        return jr_fail(err, JR_IO, path, "cannot read");
    st = jr_doc_parse(jr_buf_str(&text), &JR_READER_STRICT, ret, err);
    if (st != JR_OK)
        return jr_wrap(err, st, "%s", path);
    if (jr_node_kind(jr_doc_root(*ret)) != JR_ARRAY)
        return jr_fail(err, JR_INVALID, path, "not a list of rows");
    return expand(jr_doc_root(*ret));
}

/** Takes what says the version off the row's end. */
static enum jr_status take_version(struct jr_node *row, struct jr_kube_version *ret,
                                   struct jr_error *err)
{
    const size_t last = jr_size(row) - 1;
    const struct jr_node *version = jr_get(jr_at(row, last), "kubernetes");

    *ret = JR_KUBE_DESCRIBED;
    if (version == NULL)
        return JR_OK;
    if (jr_kube_version_parse(jr_node_str(version), ret, err) != JR_OK)
        return JR_INVALID;
    jr_remove_child(row, jr_at(row, last));
    return JR_OK;
}

static enum jr_status add_table(struct jr_fault_tables *t, enum jr_fault_kind kind,
                                const char *folder, const char *name, struct jr_error *err)
{
    struct jr_doc **docs = reallocarray(t->docs, t->n_docs + 1, sizeof(*docs));
    char **names;
    char *path;
    size_t line = 1; /* the rows begin on the second one */
    enum jr_status st;

    if (docs == NULL)
        return JR_NOMEM;
    t->docs = docs;
    names = reallocarray(t->names, t->n_docs + 1, sizeof(*names));
    if (names == NULL)
        return JR_NOMEM;
    t->names = names;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return JR_NOMEM;
    names[t->n_docs] = path;
    docs[t->n_docs++] = NULL;
    st = read_table(path, &docs[t->n_docs - 1], err);
    if (st != JR_OK)
        return st;
    for (struct jr_node *row = jr_first(jr_doc_root(docs[t->n_docs - 1])); row != NULL;
         row = jr_next(row)) {
        struct jr_fault *v = reallocarray(t->v, t->n + 1, sizeof(*v));
        struct jr_kube_version version;

        if (v == NULL)
            return JR_NOMEM;
        t->v = v;
        st = take_version(row, &version, err);
        if (st != JR_OK)
            return jr_wrap(err, st, "%s:%zu", path, line + 1);
        v[t->n++] = (struct jr_fault){
            kind,    kind == JR_FAULT_CHANGE ? JR_S("") : jr_node_str(jr_first(row)),
            path,    ++line,
            version, row
        };
    }
    return JR_OK;
}

enum jr_status jr_fault_tables_load(const char *folder, struct jr_fault_tables *ret,
                                    struct jr_error *err)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, NULL, alphasort);
    enum jr_status st = JR_OK;

    *ret = (struct jr_fault_tables){ .n = 0 };
    if (n < 0)
        return jr_fail_errno(err, errno, folder, "cannot list");
    for (size_t kind = 0; kind < JR_FAULT_KINDS; kind++) {
        ret->first[kind] = ret->n;
        for (int i = 0; i < n && st == JR_OK; i++) {
            if (jr_str_starts(jr_str(entries[i]->d_name), jr_str(prefixes[kind])))
                st = add_table(ret, (enum jr_fault_kind)kind, folder, entries[i]->d_name, err);
        }
    }
    ret->first[JR_FAULT_KINDS] = ret->n;
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
    if (st == JR_OK && ret->n == 0)
        st = jr_fail(err, JR_INVALID, folder, "no tables of faults");
    if (st != JR_OK)
        jr_fault_tables_done(ret);
    return st;
}

void jr_fault_tables_done(struct jr_fault_tables *t)
{
    for (size_t i = 0; i < t->n_docs; i++) {
        jr_doc_free(t->docs[i]);
        free(t->names[i]);
    }
    free(t->docs);
    free(t->names);
    free(t->v);
    *t = (struct jr_fault_tables){ .n = 0 };
}

/* ---- applying ---- */

/** "a~1b" is a/b, "m~0n" m~n. */
static bool unescape(struct jr_arena *arena, struct jr_str token, struct jr_str *ret)
{
    JR_BUF b = { 0 };

    jr_buf_init(&b, TABLE_MAX_BYTES);
    for (size_t i = 0; i < token.n; i++) {
        char c = token.p[i];

        if (c == '~' && i + 1 < token.n)
            c = token.p[++i] == '1' ? '/' : '~';
        (void)jr_buf_addc(&b, c);
    }
    return b.failed == JR_OK && jr_arena_str(arena, jr_buf_str(&b), ret);
}

static bool is_index(struct jr_str token)
{
    uint64_t i;

    return jr_str_is(token, "-") || jr_parse_u64(token, &i) == JR_OK;
}

/** The child that token names, made as `as` where it is missing; an element past the end is
 * appended. *ret NULL: the parent can't have one. */
static enum jr_status child(struct jr_node *parent, struct jr_str token, const struct jr_node *as,
                            struct jr_node **ret)
{
    uint64_t i = 0;

    if (jr_node_kind(parent) == JR_OBJECT) {
        *ret = jr_getn(parent, token);
        return *ret != NULL ? JR_OK : jr_set_copy(parent, token, as, ret);
    }
    *ret = NULL;
    if (jr_node_kind(parent) != JR_ARRAY)
        return JR_OK;
    if (jr_str_is(token, "-") || jr_parse_u64(token, &i) != JR_OK || i > jr_size(parent))
        i = jr_size(parent);
    *ret = jr_at(parent, i);
    return *ret != NULL ? JR_OK : jr_insert_copy(parent, i, as, ret);
}

static enum jr_status remove_child(struct jr_node *parent, struct jr_str token)
{
    uint64_t i;

    if (jr_node_kind(parent) == JR_OBJECT)
        jr_remove(parent, token, NULL);
    else if (jr_node_kind(parent) == JR_ARRAY && jr_parse_u64(token, &i) == JR_OK)
        jr_remove_child(parent, jr_at(parent, i));
    return JR_OK;
}

/** Puts the value there: as a merge patch where both are objects. */
static enum jr_status put(struct jr_node *at, const struct jr_node *value)
{
    return jr_node_kind(value) == JR_OBJECT ? jr_merge_apply(at, value) : jr_node_assign(at, value);
}

/** Takes the part up to the next slash off the pointer, which begins with one. */
static struct jr_str next_part(struct jr_str *pointer)
{
    struct jr_str body = jr_str_from(*pointer, 1);
    ptrdiff_t slash = jr_str_find(body, '/');

    *pointer = slash < 0 ? JR_S("") : jr_str_from(body, (size_t)slash);
    return slash < 0 ? body : jr_str_head(body, (size_t)slash);
}

/** models: what missing objects and lists begin as. */
static enum jr_status put_at(struct jr_node *at, struct jr_str pointer, const struct jr_node *value,
                             struct jr_arena *arena, const struct jr_node *models)
{
    struct jr_str token;
    enum jr_status st = JR_OK;

    while (pointer.n > 0 && st == JR_OK && at != NULL) {
        if (!unescape(arena, next_part(&pointer), &token))
            return JR_NOMEM;
        if (pointer.n == 0 && jr_node_kind(value) == JR_NULL)
            return remove_child(at, token);
        if (pointer.n > 1 && is_index(jr_str_head(jr_str_from(pointer, 1), 1)))
            st = child(at, token, jr_get(models, "list"), &at);
        else
            st = child(at, token, jr_get(models, "object"), &at);
    }
    return st == JR_OK && at != NULL ? put(at, value) : st;
}

enum jr_status jr_fault_put(struct jr_node *job, struct jr_str pointer, const struct jr_node *value)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *models = NULL;
    JR_ARENA arena = { 0 };
    enum jr_status st =
        jr_doc_parse(JR_S("{\"list\":[],\"object\":{}}"), &JR_READER_STRICT, &models, NULL);

    jr_arena_init(&arena, 0);
    return st == JR_OK ? put_at(job, pointer, value, &arena, jr_doc_root(models)) : st;
}

bool jr_fault_is_cron(const struct jr_fault *f)
{
    return f->kind == JR_FAULT_CRON || f->kind == JR_FAULT_CRON_PREPARED ||
           f->kind == JR_FAULT_CRON_WARNINGS;
}

bool jr_fault_has_old(const struct jr_fault *f)
{
    return jr_node_kind(jr_at(f->row, 1)) == JR_OBJECT;
}

static bool is_gate(const struct jr_node *pointer)
{
    return jr_str_starts(jr_node_str(pointer), JR_S(GATES));
}

/** Of a row that has an old object, the gates that it asks for; NULL: none. */
static const struct jr_node *update_gates(const struct jr_fault *f)
{
    return jr_fault_has_old(f) ? jr_at(f->row, 3) : NULL;
}

/** Whether that gate is in that state. */
static bool has_gate(const struct jr_profile *profile, struct jr_str name,
                     const struct jr_node *state)
{
    struct jr_profile set = *profile;

    return jr_profile_set(&set, name, jr_node_kind(state) == JR_TRUE, true, NULL) == JR_OK &&
           memcmp(set.gates, profile->gates, sizeof(set.gates)) == 0;
}

bool jr_fault_can_be_asked(const struct jr_fault_tables *t, const struct jr_fault *f,
                           const struct jr_profile *server)
{
    for (size_t i = t->first[JR_FAULT_UNASKED]; i < t->first[JR_FAULT_UNASKED + 1]; i++) {
        const struct jr_node *row = t->v[i].row;

        if (jr_str_eq(f->rule, t->v[i].rule) &&
            (jr_at(row, 2) == NULL || !has_gate(server, jr_node_str(jr_at(row, 2)), jr_at(row, 3))))
            return false;
    }
    for (const struct jr_node *n = jr_first(f->row); n != NULL; n = jr_next(n)) {
        if (is_gate(n) && !has_gate(server, jr_str_from(jr_node_str(n), strlen(GATES)), jr_next(n)))
            return false;
    }
    for (const struct jr_node *n = jr_first(update_gates(f)); n != NULL; n = jr_next(n)) {
        if (!has_gate(server, jr_key(n), n))
            return false;
    }
    return f->kind != JR_FAULT_PREPARED && f->kind != JR_FAULT_CRON_PREPARED;
}

/** Puts the row's pairs, those about gates or the others, into the object. */
static enum jr_status put_pairs(const struct jr_fault *f, bool gates, struct jr_node *object)
{
    const struct jr_node *pointer = jr_at(f->row, 1);
    enum jr_status st = JR_OK;

    while (pointer != NULL && st == JR_OK) {
        const struct jr_node *value = jr_next(pointer);

        if (value == NULL)
            return JR_INVALID;
        if (is_gate(pointer) == gates)
            st = jr_fault_put(object, jr_node_str(pointer), value);
        pointer = jr_next(value);
    }
    return st;
}

enum jr_status jr_fault_apply(const struct jr_fault *f, struct jr_node *job)
{
    return put_pairs(f, false, job);
}

enum jr_status jr_fault_put_gates(const struct jr_fault *f, struct jr_node *row)
{
    if (!jr_fault_has_old(f))
        return put_pairs(f, true, row);
    return update_gates(f) == NULL ? JR_OK : jr_set_copy(row, JR_S("gates"), update_gates(f), NULL);
}

const struct jr_node *jr_fault_old(const struct jr_fault *f)
{
    return jr_at(f->row, 1);
}

const struct jr_node *jr_fault_new(const struct jr_fault *f)
{
    return jr_at(f->row, 2);
}
