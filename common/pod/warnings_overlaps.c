/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings for projected volumes whose paths overlap. */
#include "common/pod/warning_parts.h"

/* Files of a volume that go where another one goes, or into it as if it were a folder. */

/** A file of a volume, or of one of the sources of a projected one. */
struct file {
    struct jr_str path;
    const char *source; /* shown behind the path; NULL where the volume is the source */
    size_t index;       /* in the order of the volume */
    size_t parent;      /* place of the nearest file that this one is in or equal to, or NONE */
    size_t end;         /* place behind the last file that is in this one or equal to it */
};
#define NONE SIZE_MAX

/** The files of a volume: sorted so that those in another one come behind it. Files have places
 * there, and indexes in the order of the volume. */
struct files {
    struct file *v;
    size_t n;
    size_t cap;
    size_t *place; /* of each index */
    size_t *found; /* room for indexes */
    size_t *gaps;  /* of a projected one: before which indexes it has a source without anything */
    size_t n_gaps;
};

static unsigned rank(char c)
{
    return c == '/' ? 0 : (unsigned)(unsigned char)c + 1U;
}

/** '/' before all other characters, equal paths in their order. */
static int by_path(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    const size_t n = x->path.n < y->path.n ? x->path.n : y->path.n;

    for (size_t i = 0; i < n; i++) {
        if (x->path.p[i] != y->path.p[i])
            return rank(x->path.p[i]) < rank(y->path.p[i]) ? -1 : 1;
    }
    if (x->path.n != y->path.n)
        return x->path.n < y->path.n ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int by_number(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

static bool is_in(struct jr_str path, struct jr_str folder)
{
    return jr_str_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/');
}

/** Sorts, and finds out what lies in what. */
static void arrange(struct files *f)
{
    size_t open = NONE; /* the innermost file that the next one may be in */

    if (f->n > 0)
        qsort(f->v, f->n, sizeof(*f->v), by_path);
    for (size_t i = 0; i <= f->n; i++) {
        while (open != NONE && (i == f->n || !is_in(f->v[i].path, f->v[open].path))) {
            f->v[open].end = i;
            open = f->v[open].parent;
        }
        if (i == f->n)
            break;
        f->v[i].parent = open;
        f->place[f->v[i].index] = i;
        open = i;
    }
}

static const char *shown_file(struct jr_warnings *w, const struct file *f)
{
    const char *quoted = jr_warn_quote(w, f->path);

    return f->source == NULL ? quoted : JR_FORMAT(w, "%s (%s)", quoted, f->source).p;
}

/** Warns of the files before that one, in their order. */
static void warn_file(struct jr_warnings *w, struct files *f, const struct file *file,
                      const char *volume, const char *kind)
{
    size_t n = 0;

    for (size_t i = file->parent; i != NONE; i = f->v[i].parent) {
        if (f->v[i].index < file->index)
            f->found[n++] = f->v[i].index;
    }
    for (size_t i = f->place[file->index] + 1; i < file->end; i++) {
        if (f->v[i].index < file->index)
            f->found[n++] = f->v[i].index;
    }
    qsort(f->found, n, sizeof(*f->found), by_number);
    for (size_t i = 0; i < n && !jr_warn_full(w); i++)
        jr_warnings_add(w, JR_WARNING_VOLUME_PATHS_OVERLAP, NULL,
                        "volume %s (%s): overlapping paths: %s with %s", volume, kind,
                        shown_file(w, file), shown_file(w, &f->v[f->place[f->found[i]]]));
}

static void warn_files(struct jr_warnings *w, struct files *f, const char *volume, const char *kind)
{
    f->place = jr_arena_calloc(w->arena, f->n + 1, sizeof(*f->place));
    f->found = jr_arena_calloc(w->arena, f->n + 1, sizeof(*f->found));
    if (f->place == NULL || f->found == NULL) {
        w->failed = JR_NOMEM;
        return;
    }
    arrange(f);
    for (size_t i = 0, gap = 0; i <= f->n && !jr_warn_full(w); i++) {
        for (; gap < f->n_gaps && f->gaps[gap] == i; gap++)
            jr_warnings_add(w, JR_WARNING_VOLUME_WITHOUT_SOURCES, NULL,
                            "volume %s (%s) has no sources provided", volume, kind);
        if (i < f->n)
            warn_file(w, f, &f->v[f->place[i]], volume, kind);
    }
}

/* ---- which files there are ---- */

/** Adds a file, unless its path is empty. */
static void add_file(struct jr_warnings *w, struct files *f, struct jr_str path, const char *source)
{
    struct file *v;

    while (path.n > 0 && path.p[path.n - 1] == '/')
        path.n--;
    if (path.n == 0)
        return;
    v = jr_arena_room(w->arena, f->v, f->n, &f->cap, sizeof(*v));
    if (v == NULL) {
        w->failed = JR_NOMEM;
        return;
    }
    f->v = v;
    f->v[f->n] = (struct file){ .path = path, .source = source, .index = f->n };
    f->n++;
}

static void add_items(struct jr_warnings *w, struct files *f, const struct jr_node *items,
                      const char *source)
{
    JR_EACH(i, items)
        add_file(w, f, jr_get_str(i, "path"), source);
}

/** `KIND "NAME"` */
static const char *named(struct jr_warnings *w, const char *kind, struct jr_str name)
{
    return JR_FORMAT(w, "%s %s", kind, jr_warn_quote(w, name)).p;
}

/* ---- volumes of one source ---- */

static const struct {
    const char *source;
    const char *kind;
    const char *name; /* the member with its name, NULL if it has none */
} plain[] = {
    { "configMap", "ConfigMap", "name" },
    { "secret", "Secret", "secretName" },
    { "downwardAPI", "DownwardAPI", NULL },
};

static void warn_plain(struct jr_warnings *w, const struct jr_node *volume, const char *name)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(plain) && !jr_warn_full(w); i++) {
        const struct jr_node *source = jr_get(volume, plain[i].source);
        const char *kind = plain[i].kind;
        struct files f = { .n = 0 };

        add_items(w, &f, jr_get(source, "items"), NULL);
        if (f.n > 1 && plain[i].name != NULL)
            kind = named(w, kind, jr_get_str(source, plain[i].name));
        if (f.n > 1)
            warn_files(w, &f, name, kind);
    }
}

/* ---- projected ones ---- */

static void add_certificate(struct jr_warnings *w, struct files *f, const struct jr_node *source)
{
    static const struct {
        const char *name;
        const char *shown;
    } rows[] = {
        { "certificateChainPath", "PodCertificate chain" },
        { "keyPath", "PodCertificate key" },
        { "credentialBundlePath", "PodCertificate credential bundle" },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        add_file(w, f, jr_get_str(source, rows[i].name), rows[i].shown);
}

static const char *const projections[] = { "configMap",          "secret",
                                           "downwardAPI",        "serviceAccountToken",
                                           "clusterTrustBundle", "podCertificate" };

/** Whether one of the kinds that we know is there. */
static bool has_source(const struct jr_node *projection)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(projections); i++) {
        if (!jr_unset(jr_get(projection, projections[i])))
            return true;
    }
    return false;
}

/** The first one that is there counts. */
static void add_projection(struct jr_warnings *w, struct files *f, const struct jr_node *p)
{
    const struct jr_node *map = jr_get(p, "configMap"), *secret = jr_get(p, "secret");
    const struct jr_node *downward = jr_get(p, "downwardAPI");
    const struct jr_node *token = jr_get(p, "serviceAccountToken");
    const struct jr_node *bundle = jr_get(p, "clusterTrustBundle");
    struct jr_str name = jr_get_str(bundle, "name");

    if (!jr_unset(jr_get(map, "items")))
        add_items(w, f, jr_get(map, "items"), named(w, "ConfigMap", jr_get_str(map, "name")));
    else if (!jr_unset(jr_get(secret, "items")))
        add_items(w, f, jr_get(secret, "items"), named(w, "Secret", jr_get_str(secret, "name")));
    else if (!jr_unset(jr_get(downward, "items")))
        add_items(w, f, jr_get(downward, "items"), "DownwardAPI");
    else if (!jr_unset(token))
        add_file(w, f, jr_get_str(token, "path"), "ServiceAccountToken");
    else if (jr_unset(bundle))
        add_certificate(w, f, jr_get(p, "podCertificate"));
    else
        add_file(w, f, jr_get_str(bundle, "path"),
                 named(w, "ClusterTrustBundle",
                       name.p != NULL ? name : jr_get_str(bundle, "signerName")));
}

static void warn_projected(struct jr_warnings *w, const struct jr_node *projected, const char *name)
{
    const struct jr_node *sources = jr_get(projected, "sources");
    struct files f = { .gaps = jr_arena_calloc(w->arena, jr_size(sources), sizeof(*f.gaps)) };

    if (f.gaps == NULL) {
        w->failed = JR_NOMEM;
        return;
    }
    JR_EACH_WARNED(p, sources, w) {
        if (has_source(p))
            add_projection(w, &f, p);
        else
            f.gaps[f.n_gaps++] = f.n;
    }
    if (!jr_warn_full(w))
        warn_files(w, &f, name, "Projected");
}

void jr_warn_overlaps(struct jr_warnings *w, const struct jr_node *pod)
{
    JR_EACH_WARNED(v, jr_get(pod, "volumes"), w) {
        const char *name = jr_warn_quote(w, jr_get_str(v, "name"));

        warn_plain(w, v, name);
        if (!jr_warn_full(w))
            warn_projected(w, jr_get(v, "projected"), name);
    }
}
