#include "cli/manifest.h"

#include <errno.h>

#define FILE_MAX_BYTES ((size_t)64 << 20)

/* ---- the file ---- */

static void close_file(FILE **f)
{
    if (*f != NULL)
        (void)fclose(*f);
}

static const char *shown(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

enum jr_status jr_manifest_load(const char *file, FILE *in, struct jr_buf *text,
                                struct jr_error *err)
{
    JR_CLEANUP(close_file) FILE *own = NULL;
    char chunk[16384];
    size_t n;

    if (strcmp(file, "-") != 0) {
        own = fopen(file, "rbe");
        if (own == NULL)
            return jr_fail_errno(err, errno, file, "cannot open");
        in = own;
    }
    jr_buf_init(text, FILE_MAX_BYTES);
    while (text->failed == JR_OK && (n = fread(chunk, 1, sizeof(chunk), in)) > 0)
        (void)jr_buf_add(text, (struct jr_str){ chunk, n });
    if (ferror(in) != 0)
        return jr_fail_errno(err, errno, shown(file), "cannot read");
    if (text->failed != JR_OK)
        return jr_fail(err, text->failed, shown(file), "more than %zu bytes", FILE_MAX_BYTES);
    return JR_OK;
}

bool jr_manifest_is_json(struct jr_str text)
{
    text = jr_str_trim(text);
    return text.n > 0 && (text.p[0] == '{' || text.p[0] == '[');
}

/* ---- the objects in it ---- */

struct reading {
    const char *file;
    jr_manifest_fn *fn;
    void *ctx;
    bool ours; /* the error is the caller's: it is located already */
};

void jr_manifest_locate(const struct jr_manifest *m, struct jr_error *err)
{
    char field[sizeof(err->path)];
    char at[64];
    unsigned line, column;

    jr_error_in(err, m->prefix);
    jr_positions_find(m->positions, err->path, &line, &column);
    (void)snprintf(at, sizeof(at), "%u:%u", line, column);
    memcpy(field, err->path, sizeof(field));
    (void)snprintf(err->path, sizeof(err->path), "%.*s:%s%s%.*s", 120, shown(m->file), at,
                   field[0] == '\0' ? "" : ": ", 100, field);
}

static enum jr_status give(struct reading *r, const struct jr_node *object,
                           const struct jr_positions *positions, const char *prefix,
                           struct jr_error *err)
{
    struct jr_manifest m = {
        .file = r->file, .object = object, .positions = positions, .prefix = prefix
    };
    unsigned column;
    enum jr_status st;

    jr_positions_find(positions, prefix, &m.line, &column);
    st = r->fn(r->ctx, &m, err);
    r->ours = st != JR_OK;
    return st;
}

/** kind List of version v1, and the lists of one kind that a server gives. */
static bool is_list(const struct jr_node *object)
{
    return jr_str_ends(jr_get_str(object, "kind"), JR_S("List")) &&
           jr_node_kind(jr_get(object, "items")) == JR_ARRAY;
}

static enum jr_status read_document(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                    struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *own = doc;
    JR_CLEANUP(jr_positions_freep) struct jr_positions *positions = pos;
    const struct jr_node *root = jr_doc_root_const(own);
    struct reading *r = ctx;
    enum jr_status st = JR_OK;
    size_t i = 0;

    if (!is_list(root))
        return give(r, root, positions, "", err);
    for (const struct jr_node *item = jr_first(jr_get(root, "items")); item != NULL && st == JR_OK;
         item = jr_next(item), i++) {
        char prefix[64];

        (void)snprintf(prefix, sizeof(prefix), "items[%zu]", i);
        st = give(r, item, positions, prefix, err);
    }
    return st;
}

enum jr_status jr_manifest_read(const char *file, struct jr_str text, jr_manifest_fn *fn, void *ctx,
                                struct jr_error *err)
{
    const struct jr_yaml_limits limits = { .max_bytes = FILE_MAX_BYTES };
    struct reading r = { .file = file, .fn = fn, .ctx = ctx };
    enum jr_status st = jr_yaml_read(text, &limits, read_document, &r, err);

    if (st != JR_OK && !r.ours) {
        const char *name = shown(file);
        char path[sizeof(err->path)];

        (void)snprintf(path, sizeof(path), "%.*s%s%.*s", 120, name,
                       err->path[0] == '\0' ? "" : ": ", 100, err->path);
        memcpy(err->path, path, sizeof(path));
    }
    return st;
}
