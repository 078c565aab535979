/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the files of --policy-file, all or none. */
#include "common/policy/watch/policy_files.h"

#include "common/base/file.h"
#include "common/base/memory.h"
#include "common/policy/load.h"

#define FILE_MAX ((size_t)16 << 20)

struct jr_policy_files {
    struct jr_policy_store *store;
    struct jr_log *log;
    const char **paths;
    size_t n;
    struct jr_buf *texts; /* as they were read last; one a path */
    bool read;            /* they were, once */
    bool selects_namespaces;
};

struct jr_policy_files *jr_policy_files_new(const struct jr_flag_list *paths,
                                            struct jr_policy_store *store, struct jr_log *log)
{
    struct jr_policy_files *f = jr_xcalloc(1, sizeof(*f));

    f->store = store;
    f->log = log;
    f->paths = jr_xcalloc(paths->n, sizeof(*f->paths));
    f->texts = jr_xcalloc(paths->n, sizeof(*f->texts));
    for (; f->n < paths->n; f->n++) {
        f->paths[f->n] = jr_xstrndup(paths->v[f->n]);
        jr_buf_init(&f->texts[f->n], FILE_MAX);
    }
    return f;
}

const char *const *jr_policy_files_paths(const struct jr_policy_files *f)
{
    return f->paths;
}

bool jr_policy_files_select_namespaces(const struct jr_policy_files *f)
{
    return f->selects_namespaces;
}

/* ---- reading ---- */

/** Reads all of them into texts. *ret_changed: one isn't as it was. */
static enum jr_status read_all(const struct jr_policy_files *f, struct jr_buf *texts,
                               bool *ret_changed, struct jr_error *err)
{
    for (size_t i = 0; i < f->n; i++) {
        enum jr_status st;

        jr_buf_init(&texts[i], FILE_MAX);
        st = jr_need(jr_file_read(f->paths[i], &texts[i], err));
        if (st != JR_OK)
            return st;
        *ret_changed |= !f->read || !jr_str_eq(jr_buf_str(&texts[i]), jr_buf_str(&f->texts[i]));
    }
    return JR_OK;
}

static void log_problems(const struct jr_policy_files *f, const struct jr_policy_loading *l)
{
    for (size_t i = 0; i < l->n_problems; i++) {
        const struct jr_policy_problem *p = &l->problems[i];
        const struct jr_kv pairs[] = {
            JR_STR("file", p->file),     JR_INT("line", p->line),   JR_INT("column", p->column),
            JR_STR("policy", p->policy), JR_STR("field", p->field), JR_STR("why", p->message),
        };

        jr_log_write(f->log, p->warning ? JR_LOG_WARN : JR_LOG_ERROR,
                     p->warning ? "a policy's file" : "a policy's file is wrong", pairs,
                     JR_ARRAY_SIZE(pairs));
    }
}

/* ---- putting them in force ---- */

static void put_all(struct jr_policy_files *f, struct jr_policy_loading *l)
{
    f->selects_namespaces = false;
    jr_policy_store_begin(f->store, JR_POLICY_OF_FILE);
    for (size_t i = 0; i < l->n; i++) {
        struct jr_job_policy *p = jr_policy_loading_take(l, i);

        f->selects_namespaces |= jr_policy_selects_namespaces(p);
        jr_policy_store_put(f->store, JR_POLICY_OF_FILE, p);
    }
    jr_policy_store_sweep(f->store, JR_POLICY_OF_FILE, NULL);
    jr_policy_store_publish(f->store);
}

static enum jr_status fail_with(const struct jr_policy_problem *p, struct jr_error *err)
{
    struct jr_policy_problem rest = *p;
    enum jr_status st;
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    rest.file = (struct jr_str){ NULL, 0 }; /* the error has its place */
    rest.line = 0;
    jr_policy_problem_write(&rest, &text);
    jr_must(text.failed);
    st = jr_fail(err, JR_INVALID, p->file.p, "%.*s",
                 JR_P(jr_str_head(jr_str_from(jr_buf_str(&text), strlen(": ")), 200)));
    return p->line > 0 ? jr_error_at(err, st, p->line, p->column) : st;
}

static enum jr_status load_texts(struct jr_policy_files *f, const struct jr_buf *texts,
                                 struct jr_time now, struct jr_error *err)
{
    JR_CLEANUP(jr_policy_loading_done) struct jr_policy_loading l;
    struct jr_policy_set set;

    jr_policy_loading_init(&l, now);
    for (size_t i = 0; i < f->n; i++)
        jr_must(jr_policy_load(&l, jr_str(f->paths[i]), jr_buf_str(&texts[i])));
    jr_must(jr_policy_loaded(&l, &set));
    log_problems(f, &l);
    for (size_t i = 0; i < l.n_problems; i++) {
        if (!l.problems[i].warning)
            return fail_with(&l.problems[i], err);
    }
    put_all(f, &l);
    return JR_OK;
}

enum jr_status jr_policy_files_load(struct jr_policy_files *f, struct jr_time now,
                                    bool *ret_changed, struct jr_error *err)
{
    struct jr_buf *texts = jr_xcalloc(f->n, sizeof(*texts)), *old = f->texts;
    enum jr_status st;

    *ret_changed = false;
    st = read_all(f, texts, ret_changed, err);
    if (st == JR_OK && *ret_changed)
        st = load_texts(f, texts, now, err);
    if (st == JR_OK) {
        f->texts = texts;
        f->read = true;
    } else {
        old = texts;
    }
    for (size_t i = 0; i < f->n; i++)
        jr_buf_done(&old[i]);
    free(old);
    return st;
}

void jr_policy_files_free(struct jr_policy_files *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < f->n; i++) {
        free((char *)(uintptr_t)f->paths[i]);
        jr_buf_done(&f->texts[i]);
    }
    free(f->paths);
    free(f->texts);
    free(f);
}
