/* A stored object: immutable and counted, its text ready to be sent. */
#ifndef JR_DEVCLUSTER_APISERVER_OBJECT_H
#define JR_DEVCLUSTER_APISERVER_OBJECT_H

#include "common/api/meta.h"
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
    struct jr_arena arena; /* all that follows lies in it */
    struct jr_str key;     /* "namespace/name" or "name" */
    struct jr_str text;    /* compact JSON, kind and apiVersion first */
    struct jr_dev_marks marks;
    struct jr_meta meta;
    struct jr_str fields[JR_DEV_FIELDS_MAX]; /* values of res->fields, in its order */
};

/** Appends root as text of a resource: kind, apiVersion and metadata first, in the API server's
 * order, managedFields left out, with this resourceVersion (n = 0: none). marks may be NULL. */
enum jr_status jr_dev_text_write(const struct jr_dev_resource *res, const struct jr_node *root,
                                 struct jr_str resource_version, struct jr_buf *out,
                                 struct jr_dev_marks *marks) JR_MUST_USE;
/** Makes an object of a tree, with this revision (0: without a resourceVersion). Errors: JR_NOMEM,
 * and those of the decoder, with the field's path, for metadata of the wrong type. */
enum jr_status jr_dev_object_new(const struct jr_dev_resource *res, const struct jr_node *root,
                                 uint64_t revision, struct jr_time now, struct jr_dev_object **ret,
                                 struct jr_error *err) JR_MUST_USE;
struct jr_dev_object *jr_dev_object_ref(struct jr_dev_object *o);
void jr_dev_object_unref(struct jr_dev_object *o);
static inline void jr_dev_object_unrefp(struct jr_dev_object **o)
{
    jr_dev_object_unref(*o);
}
/** The object as a tree, to be changed. */
enum jr_status jr_dev_object_open(const struct jr_dev_object *o, struct jr_doc **ret) JR_MUST_USE;

enum jr_dev_form {
    JR_DEV_FORM_OBJECT, /* as it is */
    JR_DEV_FORM_ITEM,   /* without kind and apiVersion, as in a list */
    JR_DEV_FORM_PARTIAL /* PartialObjectMetadata */
};
/** Appends the text in some form, with another revision than its own if that is not 0. */
enum jr_status jr_dev_object_write(const struct jr_dev_object *o, enum jr_dev_form form,
                                   uint64_t revision, struct jr_buf *out) JR_MUST_USE;

bool jr_dev_object_has_finalizer(const struct jr_dev_object *o, const char *finalizer);
/** deletionTimestamp is set. */
static inline bool jr_dev_object_dying(const struct jr_dev_object *o)
{
    return jr_time_set(o->meta.deletion_timestamp);
}

#endif
