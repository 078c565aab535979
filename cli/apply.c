/* SPDX-License-Identifier: Apache-2.0 */
/* A manifest's namespace, and its three-way merge with the one before and what is stored. */
#include "cli/apply.h"

#include "common/apply/strategic.h"
#include "common/base/memory.h"

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

void jr_cli_set_namespace(const struct jr_manifest *m, const char *namespace)
{
    const struct jr_node *was = jr_get(jr_get(m->node, "metadata"), "namespace");
    struct jr_node *meta;

    /* The decoder refuses what is no text. */
    if (namespace == NULL || jr_admission_kind_find(m->api_version, m->kind) == NULL ||
        !(jr_unset(was) || (jr_node_kind(was) == JR_STRING && jr_node_str(was).n == 0)) ||
        jr_need(jr_ensure_object(m->node, "metadata", &meta)) != JR_OK)
        return;
    jr_must(jr_set_str(meta, "namespace", jr_str(namespace)));
}

static bool is_manifest(const struct jr_node *object)
{
    const struct jr_node *meta = jr_get(object, "metadata");

    return jr_get_str(meta, "uid").n == 0 && jr_get_str(meta, "resourceVersion").n == 0;
}

/** Returns what was applied last, the caller's to free; NULL: nobody knows. */
static struct jr_doc *last_applied(const struct jr_node *old)
{
    const struct jr_str text = jr_get_str(jr_path(old, "metadata.annotations"), LAST_APPLIED);
    struct jr_doc *last = NULL;

    if (text.n > 0 && jr_need(jr_doc_parse(text, &JR_READER_LENIENT, &last, NULL)) == JR_OK)
        return last;
    if (is_manifest(old))
        jr_must(jr_doc_of(old, &last));
    return last;
}

/** Makes of r->object what is to be stored, and of an old manifest what a create stores. */
static void merge(const struct jr_admission_request *r)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *last = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *live = NULL;
    const struct jr_schema_type *schema = r->kind->schema;

    last = last_applied(r->old);
    if (is_manifest(r->old)) {
        jr_must(jr_set_str(jr_get(r->old, "metadata"), "uid", r->uid));
        jr_must(r->kind->set_defaults(r->old, r->profile));
        if (r->kind->generate != NULL)
            jr_must(r->kind->generate(r->old, NULL));
    }
    jr_must(jr_doc_of(r->old, &live));
    jr_strategic_forget(schema, jr_doc_root(live), last == NULL ? NULL : jr_doc_root_const(last),
                        r->object);
    jr_strategic_prune(schema, jr_doc_root(live), r->object);
    if (jr_strategic_apply(schema, jr_doc_root(live), r->object, NULL) == JR_OK)
        jr_must(jr_node_assign(r->object, jr_doc_root(live)));
}

enum jr_status jr_cli_admit(const struct jr_admission_request *r, struct jr_admission_result *ret,
                            struct jr_error *err)
{
    if (r->operation == JR_ADMISSION_UPDATE && is_manifest(r->object)) {
        const enum jr_status st = jr_admission_decode(r, ret, err);

        if (st != JR_OK || ret->refused)
            return st;
        merge(r);
    }
    return jr_admit(r, ret, err);
}
