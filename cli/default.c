#include "cli/default.h"

#include <stdio.h>

#include "cli/diff.h"
#include "common/api/job.h"
#include "common/job/defaults.h"
#include "common/json/yaml.h"

#define TEXT_MAX ((size_t)256 << 20)

/** A stream on its way through. */
struct run {
    const struct jr_default_options *options;
    bool json; /* the output's format */
    struct jr_buf before;
    struct jr_buf after;
    size_t documents;
    size_t jobs;
    size_t others;
};

/** JSON by its first character, as kubectl guesses. */
static bool is_json(struct jr_str text)
{
    text = jr_str_trim(text);
    return text.n > 0 && (text.p[0] == '{' || text.p[0] == '[');
}

static enum jr_status print(const struct run *r, const struct jr_node *node, struct jr_buf *out)
{
    if (r->json)
        return jr_node_print_pretty(node, out);
    if (r->documents > 0)
        (void)jr_buf_adds(out, "---\n");
    return jr_yaml_print(node, out);
}

/* ---- one object ---- */

static bool is_job(const struct jr_node *object)
{
    return jr_str_is(jr_get_str(object, "kind"), "Job") &&
           jr_str_is(jr_get_str(object, "apiVersion"), "batch/v1");
}

/** Puts line, column and field before the message. */
static enum jr_status located(const struct jr_positions *positions, const char *prefix,
                              enum jr_status st, struct jr_error *err)
{
    char path[sizeof(err->path)];
    unsigned line, column;

    if (err == NULL || st == JR_NOMEM)
        return st;
    jr_error_in(err, prefix);
    jr_positions_find(positions, err->path, &line, &column);
    memcpy(path, err->path, sizeof(path));
    err->path[0] = '\0';
    if (path[0] == '\0')
        return jr_wrap(err, st, "line %u, column %u", line, column);
    return jr_wrap(err, st, "line %u, column %u: %s", line, column, path);
}

/** Defaulting passes over members of a wrong type; the API server refuses them. */
static enum jr_status check_types(const struct jr_node *job, struct jr_error *err)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *decoded = NULL;
    JR_BUF text = { 0 };
    enum jr_status st;

    jr_buf_init(&text, TEXT_MAX);
    st = jr_node_print(job, &text);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "Job");
    return jr_job_decode(jr_buf_str(&text), &decoded, err);
}

/** Generated labels may be what metadata.labels takes over: defaults come before and after. */
static enum jr_status complete(const struct jr_default_options *options, struct jr_node *job)
{
    struct jr_node *meta;
    enum jr_status st = JR_OK;

    if (options->uid != NULL && options->uid[0] != '\0') {
        st = jr_ensure_object(job, "metadata", &meta);
        if (st == JR_OK)
            st = jr_set_str(meta, "uid", jr_str(options->uid));
    }
    if (st == JR_OK)
        st = jr_job_default(job, &options->profile);
    if (st == JR_OK)
        st = jr_job_generate(job);
    return st == JR_OK ? jr_job_default(job, &options->profile) : st;
}

static enum jr_status take_object(struct run *r, struct jr_node *object,
                                  const struct jr_positions *positions, const char *prefix,
                                  struct jr_error *err)
{
    enum jr_status st;

    if (!is_job(object)) {
        r->others++;
        return JR_OK;
    }
    st = check_types(object, err);
    if (st != JR_OK)
        return located(positions, prefix, st, err);
    r->jobs++;
    st = complete(r->options, object);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "defaulting");
}

/* ---- documents ---- */

/** kind List of version v1, and the lists of one kind that a server gives. */
static bool is_list(const struct jr_node *object)
{
    return jr_str_ends(jr_get_str(object, "kind"), JR_S("List")) &&
           jr_node_kind(jr_get(object, "items")) == JR_ARRAY;
}

static enum jr_status take_items(struct run *r, struct jr_node *list,
                                 const struct jr_positions *positions, struct jr_error *err)
{
    enum jr_status st = JR_OK;
    size_t i = 0;

    for (struct jr_node *item = jr_first(jr_get(list, "items")); item != NULL && st == JR_OK;
         item = jr_next(item), i++) {
        char prefix[64];

        (void)snprintf(prefix, sizeof(prefix), "items[%zu]", i);
        st = take_object(r, item, positions, prefix, err);
    }
    return st;
}

static enum jr_status take_document(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                    struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *own = doc;
    JR_CLEANUP(jr_positions_freep) struct jr_positions *positions = pos;
    struct jr_node *root = jr_doc_root(own);
    struct run *r = ctx;
    enum jr_status st = JR_OK;

    if (r->options->diff_name != NULL)
        st = print(r, root, &r->before);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "output");
    st = is_list(root) ? take_items(r, root, positions, err)
                       : take_object(r, root, positions, "", err);
    if (st != JR_OK)
        return st;
    st = print(r, root, &r->after);
    r->documents++;
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "output");
}

static enum jr_status write_result(struct run *r, struct jr_buf *out)
{
    const char *name = r->options->diff_name;
    JR_BUF a = { 0 }, b = { 0 };

    if (name == NULL)
        return jr_buf_add(out, jr_buf_str(&r->after));
    jr_buf_init(&a, TEXT_MAX);
    jr_buf_init(&b, TEXT_MAX);
    (void)jr_buf_addf(&a, "a/%s", name);
    if (a.failed != JR_OK || jr_buf_addf(&b, "b/%s", name) != JR_OK)
        return JR_NOMEM;
    return jr_diff_write(jr_buf_str(&r->before), a.p, jr_buf_str(&r->after), b.p, out);
}

enum jr_status jr_default_text(struct jr_str text, const struct jr_default_options *options,
                               struct jr_buf *out, size_t *ret_jobs, size_t *ret_others,
                               struct jr_error *err)
{
    struct run r = { .options = options };
    enum jr_status st;

    r.json =
        options->format == JR_FORMAT_JSON || (options->format == JR_FORMAT_SAME && is_json(text));
    jr_buf_init(&r.before, TEXT_MAX);
    jr_buf_init(&r.after, TEXT_MAX);
    st = jr_yaml_read(text, &(struct jr_yaml_limits){ .max_bytes = TEXT_MAX }, take_document, &r,
                      err);
    if (st == JR_OK) {
        st = write_result(&r, out);
        if (st != JR_OK)
            (void)jr_fail(err, st, NULL, "output");
    }
    jr_buf_done(&r.before);
    jr_buf_done(&r.after);
    *ret_jobs = r.jobs;
    *ret_others = r.others;
    return st;
}
