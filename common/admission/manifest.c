/* SPDX-License-Identifier: Apache-2.0 */
/* The server's part of a write, where there is no server. */
#include "common/admission/manifest.h"

#define GENERATED_BASE_MAX 58

static enum jr_status set_if_absent(struct jr_node *meta, const char *key, struct jr_str value)
{
    return jr_get_str(meta, key).n > 0 || value.n == 0 ? JR_OK : jr_set_str(meta, key, value);
}

static enum jr_status begin_object(struct jr_node *root)
{
    struct jr_node *meta = NULL;
    enum jr_status st = jr_ensure_object(root, "metadata", &meta);

    if (st != JR_OK)
        return st;
    jr_remove(meta, JR_S("managedFields"), NULL);
    jr_remove(meta, JR_S("selfLink"), NULL);
    return set_if_absent(meta, "namespace", JR_S("default"));
}

/** What a client can't decide on create: the server drops it, gives a uid and resolves
 * generateName. */
static enum jr_status begin_create(struct jr_node *root, struct jr_str uid)
{
    static const char *const wiped[] = { "creationTimestamp", "deletionTimestamp",
                                         "deletionGracePeriodSeconds", "generation" };
    struct jr_node *meta = jr_get(root, "metadata");
    struct jr_str base = jr_str_head(jr_get_str(meta, "generateName"), GENERATED_BASE_MAX);
    char name[GENERATED_BASE_MAX + sizeof(JR_ADMISSION_SUFFIX)];
    enum jr_status st = jr_set_str(meta, "uid", uid);

    for (size_t i = 0; i < JR_ARRAY_SIZE(wiped); i++)
        jr_remove(meta, jr_str(wiped[i]), NULL);
    if (st != JR_OK || jr_get_str(meta, "name").n > 0 || base.n == 0)
        return st;
    memcpy(name, base.p, base.n);
    memcpy(name + base.n, JR_ADMISSION_SUFFIX, sizeof(JR_ADMISSION_SUFFIX) - 1);
    return jr_set_str(meta, "name",
                      (struct jr_str){ name, base.n + sizeof(JR_ADMISSION_SUFFIX) - 1 });
}

enum jr_status jr_manifest_begin(const struct jr_admission_request *r)
{
    enum jr_status st = begin_object(r->object);

    if (st == JR_OK && r->old != NULL)
        return begin_object(r->old);
    return st == JR_OK ? begin_create(r->object, r->uid) : st;
}

/** As it is, or will be, stored under this uid. */
static enum jr_status generate(const struct jr_admission_kind *kind, struct jr_node *root,
                               struct jr_str uid)
{
    enum jr_status st = set_if_absent(jr_get(root, "metadata"), "uid", uid);

    return st == JR_OK && kind->generate != NULL ? kind->generate(root, NULL) : st;
}

enum jr_status jr_manifest_complete(const struct jr_admission_request *r)
{
    struct jr_node *meta = jr_get(r->object, "metadata"), *was = jr_get(r->old, "metadata");
    enum jr_status st = JR_OK;

    if (jr_get_str(was, "uid").n == 0)
        st = generate(r->kind, r->old, r->uid);
    if (st == JR_OK)
        st = set_if_absent(was, "resourceVersion", JR_S("1"));
    if (st == JR_OK)
        st = set_if_absent(meta, "resourceVersion", jr_get_str(was, "resourceVersion"));
    return st;
}
