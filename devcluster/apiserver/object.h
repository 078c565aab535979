/* SPDX-License-Identifier: Apache-2.0 */
/* A stored object: immutable and counted, its text ready to be sent. */
#ifndef JR_DEVCLUSTER_APISERVER_OBJECT_H
#define JR_DEVCLUSTER_APISERVER_OBJECT_H

#include "common/api/meta.h"
#include "common/base/memory.h"
#include "common/json/doc.h"
#include "devcluster/apiserver/resource.h"

/** Where things are in an object's text. */
struct jr_dev_marks {
    size_t body_at; /* what follows kind and apiVersion */
    size_t meta_at; /* the value of metadata */
    size_t meta_n;
    size_t rv_at; /* the digits of resourceVersion; rv_n = 0: there is none */
    size_t rv_n;
};

struct jr_dev_object {
    unsigned refs;
    const struct jr_dev_resource *res;
    uint64_t revision;
    struct jr_time written;
    struct jr_link by_uid; /* while it is the current state */
    struct jr_arena arena; /* all that follows lies in it */
    struct jr_str key;     /* "namespace/name" or "name" */
    struct jr_str text;    /* compact JSON, kind and apiVersion first */
    struct jr_dev_marks marks;
    struct jr_meta meta;
    struct jr_str fields[JR_DEV_FIELDS_MAX]; /* values of res->fields, in its order */
};

/** Appends root as text of a resource: kind, apiVersion and metadata first, in the API server's
 * order, managedFields left out, with this resourceVersion (n = 0: none). Failures stick to out. */
void jr_dev_text_write(const struct jr_dev_resource *res, const struct jr_node *root,
                       struct jr_str resource_version, struct jr_buf *out,
                       struct jr_dev_marks *marks);
/** Makes an object of a tree, with this revision (0: without a resourceVersion). Errors: JR_LIMIT
 * (the text is too long), and those of the decoder, with the field's path, for metadata of the
 * wrong type. */
enum jr_status jr_dev_object_check(const struct jr_dev_resource *res, const struct jr_node *root,
                                   uint64_t revision, struct jr_time now,
                                   struct jr_dev_object **ret, struct jr_error *err) JR_MUST_USE;
/** The same of a tree that was checked. */
struct jr_dev_object *jr_dev_object_new(const struct jr_dev_resource *res,
                                        const struct jr_node *root, uint64_t revision,
                                        struct jr_time now);
struct jr_dev_object *jr_dev_object_ref(struct jr_dev_object *o);
void jr_dev_object_unref(struct jr_dev_object *o);
JR_DEFINE_CLEANUP(struct jr_dev_object *, jr_dev_object_unref)
/** The object as a tree, to be changed. */
struct jr_doc *jr_dev_object_open(const struct jr_dev_object *o);

enum jr_dev_form {
    JR_DEV_FORM_OBJECT, /* as it is */
    JR_DEV_FORM_ITEM,   /* without kind and apiVersion, as in a list */
    JR_DEV_FORM_PARTIAL /* PartialObjectMetadata */
};
/** Appends the text in some form, with another revision than its own if that is not 0. Failures
 * stick to out. */
void jr_dev_object_write(const struct jr_dev_object *o, enum jr_dev_form form, uint64_t revision,
                         struct jr_buf *out);

bool jr_dev_object_has_finalizer(const struct jr_dev_object *o, const char *finalizer);
/** deletionTimestamp is set. */
static inline bool jr_dev_object_dying(const struct jr_dev_object *o)
{
    return jr_time_set(o->meta.deletion_timestamp);
}

/** Objects, sorted by key where it is said. Whether they are counted is the owner's to say. */
struct jr_dev_objects {
    struct jr_dev_object **v;
    size_t n;
    size_t cap;
};
/** Ends one that counts its references. */
void jr_dev_objects_done(struct jr_dev_objects *l);
/** Puts o before the at-th; uncounted. */
void jr_dev_objects_insert(struct jr_dev_objects *l, size_t at, struct jr_dev_object *o);
void jr_dev_objects_remove(struct jr_dev_objects *l, size_t at);
/** Index of the first object of a sorted list whose key is not less. */
size_t jr_dev_objects_at(const struct jr_dev_objects *l, struct jr_str key);

#endif
