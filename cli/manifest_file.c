/* SPDX-License-Identifier: Apache-2.0 */
/* Reads manifests, makes files, walks folders in the order of names. */
#include "cli/manifest_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/base/memory.h"

/* ---- one file ---- */

enum jr_status jr_input_read(const char *path, struct jr_buf *out, struct jr_error *err)
{
    JR_CLOSE int opened = -1;
    int fd = STDIN_FILENO;
    char chunk[65536];

    if (strcmp(path, "-") != 0) {
        fd = opened = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return jr_fail_errno(err, errno, path, "can't open");
    }
    for (;;) {
        ssize_t n = read(fd, chunk, sizeof(chunk));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return jr_fail_errno(err, errno, path, "can't read");
        if (n == 0)
            return JR_OK;
        enum jr_status st = jr_need(jr_buf_add(out, (struct jr_str){ chunk, (size_t)n }));
        if (st != JR_OK)
            return jr_fail(err, st, path, "more than %zu bytes", out->max);
    }
}

enum jr_status jr_file_make(const char *path, struct jr_str text, struct jr_error *err)
{
    JR_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        return jr_fail_errno(err, errno, path, "can't open for writing");
    return jr_file_write_all(fd, text, path, err);
}

/* ---- folders ---- */

struct walk {
    const struct jr_files_sink *sink;
    size_t found;
    bool flat; /* not below the folder */
};

struct names {
    char **v;
    size_t n;
    size_t cap;
};

static void names_done(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->v[i]);
    free(names->v);
}

static void names_add(struct names *names, const char *name)
{
    names->v = jr_xvec_room(names->v, names->n, &names->cap, sizeof(*names->v));
    names->v[names->n++] = jr_xstrdup(name);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void file_error(const struct walk *w, const char *path, int errnum, const char *what)
{
    struct jr_error err = { .status = JR_OK };

    (void)jr_fail_errno(&err, errnum, NULL, "%s", what);
    w->sink->fault(w->sink->ctx, path, err.msg);
}

static void closedirp(DIR **dir)
{
    if (*dir != NULL)
        (void)closedir(*dir);
}

/** The names in a folder, sorted; false if it can't be read (a fault then). */
static bool list(const struct walk *w, const char *path, struct names *ret)
{
    JR_CLEANUP(closedirp) DIR *dir = opendir(path);
    const struct dirent *e;

    if (dir == NULL) {
        file_error(w, path, errno, "can't open");
        return false;
    }
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's is safe for streams of one's own */
    for (errno = 0; (e = readdir(dir)) != NULL; errno = 0) {
        if (e->d_name[0] != '.')
            names_add(ret, e->d_name);
    }
    if (errno != 0) {
        file_error(w, path, errno, "can't read");
        return false;
    }
    if (ret->n > 0)
        qsort(ret->v, ret->n, sizeof(*ret->v), compare);
    return true;
}

static bool is_manifest(const char *name)
{
    struct jr_str s = jr_str(name);

    return jr_str_ends(s, JR_S(".yaml")) || jr_str_ends(s, JR_S(".yml")) ||
           jr_str_ends(s, JR_S(".json"));
}

static void walk_folder(struct walk *w, const char *path);

static void walk_entry(struct walk *w, const char *path)
{
    struct stat st;
    bool link;

    if (lstat(path, &st) != 0) {
        file_error(w, path, errno, "can't look at it");
        return;
    }
    link = S_ISLNK(st.st_mode);
    if (link && stat(path, &st) != 0) {
        if (is_manifest(path))
            file_error(w, path, errno, "can't follow the link");
        return;
    }
    if (S_ISDIR(st.st_mode) && !link && !w->flat)
        walk_folder(w, path);
    if (!S_ISREG(st.st_mode) || !is_manifest(path))
        return;
    w->found++;
    w->sink->file(w->sink->ctx, path);
}

static void walk_folder(struct walk *w, const char *path)
{
    JR_CLEANUP(names_done) struct names names = { NULL, 0, 0 };
    const bool slash = jr_str_ends(jr_str(path), JR_S("/"));

    if (!list(w, path, &names))
        return;
    for (size_t i = 0; i < names.n; i++) {
        JR_BUF entry = { 0 };

        jr_buf_init(&entry, PATH_MAX);
        if (jr_need(jr_buf_addf(&entry, "%s%s%s", path, slash ? "" : "/", names.v[i])) == JR_OK)
            walk_entry(w, entry.p);
        else
            file_error(w, path, ENAMETOOLONG, "can't read");
    }
}

void jr_files_walk(const char *path, const struct jr_files_sink *sink)
{
    struct walk w = { .sink = sink };
    struct stat st;

    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        walk_folder(&w, path);
        if (w.found == 0)
            sink->fault(sink->ctx, path, "no *.yaml, *.yml or *.json in it");
        return;
    }
    sink->file(sink->ctx, path);
}

void jr_files_list(const char *folder, const struct jr_files_sink *sink)
{
    walk_folder(&(struct walk){ .sink = sink, .flat = true }, folder);
}

void jr_files_beside(struct jr_str file, struct jr_str path, struct jr_buf *out)
{
    if (!jr_str_starts(path, JR_S("/")))
        (void)jr_buf_add(out, jr_str_head(file, (size_t)(jr_str_rfind(file, '/') + 1)));
    (void)jr_buf_add(out, path);
}
