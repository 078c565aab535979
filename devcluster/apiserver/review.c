/* SPDX-License-Identifier: Apache-2.0 */
/* The AdmissionReview that a webhook is asked with. */
#include "common/json/write.h"
#include "devcluster/apiserver/admission.h"

static void write_kind(struct jr_writer *w, const char *key, const struct jr_dev_resource *res,
                       const char *last, const char *value)
{
    jr_w_key(w, key);
    jr_w_object(w);
    jr_w_kstr(w, "group", jr_str(res->group));
    jr_w_kstr(w, "version", jr_str(res->version));
    jr_w_kstr(w, last, jr_str(value));
    jr_w_object_end(w);
}

static void write_user(struct jr_writer *w, struct jr_str user)
{
    jr_w_key(w, "userInfo");
    jr_w_object(w);
    jr_w_kstr(w, "username", user);
    jr_w_key(w, "groups");
    jr_w_array(w);
    jr_w_str(w, JR_S("system:masters"));
    jr_w_str(w, JR_S("system:authenticated"));
    jr_w_array_end(w);
    jr_w_object_end(w);
}

static void write_delete_options(const struct jr_dev_op *op, struct jr_writer *w)
{
    const struct jr_dev_delete_options *d = &op->del;

    if (d->grace_s.set)
        jr_w_ki64(w, "gracePeriodSeconds", d->grace_s.v);
    if (d->uid.n > 0 || d->resource_version.n > 0) {
        jr_w_key(w, "preconditions");
        jr_w_object(w);
        jr_w_opt_kstr(w, "uid", d->uid);
        jr_w_opt_kstr(w, "resourceVersion", d->resource_version);
        jr_w_object_end(w);
    }
    if (d->orphan.set)
        jr_w_kbool(w, "orphanDependents", d->orphan.v);
    jr_w_opt_kstr(w, "propagationPolicy", d->policy);
}

static void write_options(const struct jr_dev_op *op, struct jr_writer *w)
{
    const char *kind = op->verb == JR_DEV_CREATE   ? "CreateOptions"
                       : op->verb == JR_DEV_DELETE ? "DeleteOptions"
                                                   : "UpdateOptions";

    jr_w_key(w, "options");
    jr_w_object(w);
    jr_w_kstr(w, "kind", jr_str(kind));
    jr_w_kstr(w, "apiVersion", JR_S("meta.k8s.io/v1"));
    if (op->verb == JR_DEV_DELETE)
        write_delete_options(op, w);
    if (op->dry_run) {
        jr_w_key(w, "dryRun");
        jr_w_array(w);
        jr_w_str(w, JR_S("All"));
        jr_w_array_end(w);
    }
    if (op->verb != JR_DEV_DELETE) {
        jr_w_opt_kstr(w, "fieldManager", jr_dev_param(op, "fieldManager"));
        jr_w_opt_kstr(w, "fieldValidation", jr_dev_param(op, "fieldValidation"));
    }
    jr_w_object_end(w);
}

/* The object in the making, with the version it has. */
static void write_object(struct jr_dev_op *op, struct jr_writer *w)
{
    JR_BUF text = { 0 };
    const struct jr_node *root = jr_doc_root(op->doc);
    struct jr_dev_marks marks;

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_dev_text_write(op->res, root, jr_get_str(jr_get(root, "metadata"), "resourceVersion"), &text,
                      &marks);
    jr_must(text.failed);
    jr_w_raw(w, jr_buf_str(&text));
}

static void write_about(struct jr_dev_op *op, struct jr_writer *w)
{
    const struct jr_dev_resource *res = op->res;
    struct jr_str name = op->name;

    if (name.n == 0 && op->doc != NULL)
        name = jr_get_str(jr_get(jr_doc_root(op->doc), "metadata"), "name");
    jr_w_kstr(w, "uid", jr_str(op->review_uid));
    write_kind(w, "kind", res, "kind", res->kind);
    write_kind(w, "resource", res, "resource", res->plural);
    jr_w_opt_kstr(w, "subResource", op->sub);
    write_kind(w, "requestKind", res, "kind", res->kind);
    write_kind(w, "requestResource", res, "resource", res->plural);
    jr_w_opt_kstr(w, "requestSubResource", op->sub);
    jr_w_opt_kstr(w, "name", name);
    jr_w_opt_kstr(w, "namespace", op->namespace);
    jr_w_kstr(w, "operation", jr_str(op->write->operation));
    write_user(w, op->user);
}

void jr_dev_review_write(struct jr_dev_op *op)
{
    struct jr_writer w = jr_writer_on(&op->review);

    jr_buf_reset(&op->review);
    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S("AdmissionReview"));
    jr_w_kstr(&w, "apiVersion", JR_S("admission.k8s.io/v1"));
    jr_w_key(&w, "request");
    jr_w_object(&w);
    write_about(op, &w);
    jr_w_key(&w, "object");
    if (op->doc != NULL && op->verb != JR_DEV_DELETE)
        write_object(op, &w);
    else
        jr_w_null(&w);
    jr_w_key(&w, "oldObject");
    if (op->old != NULL)
        jr_w_raw(&w, op->old->text);
    else
        jr_w_null(&w);
    jr_w_kbool(&w, "dryRun", op->dry_run);
    write_options(op, &w);
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    jr_must(op->review.failed);
}
