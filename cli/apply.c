/* SPDX-License-Identifier: Apache-2.0 */
/* The three-way merge of a manifest, the one before, and what is stored. */
#include "cli/apply.h"

#include "common/apply/strategic.h"
#include "common/base/memory.h"
#include "common/schema/decode_tree.h"
#include "common/schema/strict.h"

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

static bool is_manifest(const struct jr_node *object)
{
    const struct jr_node *meta = jr_get(object, "metadata");

    return jr_get_str(meta, "uid").n == 0 && jr_get_str(meta, "resourceVersion").n == 0;
}

/** Whether a server would decode it. */
static bool has_right_types(const struct jr_admission_request *r, const struct jr_node *object)
{
    struct jr_type_error wrong = { .why = NULL };
    JR_ARENA arena = { 0 };

    jr_arena_init(&arena, 0);
    jr_must(
        jr_schema_type_error(r->kind->schema, object, r->profile->version.minor, &arena, &wrong));
    return wrong.why == NULL;
}

/** What was applied last; NULL: not known. To be freed. */
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

/** Makes of a manifest what a create stores. */
static void store(const struct jr_admission_request *r, struct jr_node *manifest)
{
    jr_must(jr_set_str(jr_get(manifest, "metadata"), "uid", r->uid));
    jr_must(r->kind->set_defaults(manifest, r->profile));
    if (r->kind->generate != NULL)
        jr_must(r->kind->generate(manifest, NULL));
}

void jr_cli_apply(const struct jr_admission_request *r)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *last = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *live = NULL;
    struct jr_node *root;

    if (r->operation != JR_ADMISSION_UPDATE || !is_manifest(r->object) ||
        !has_right_types(r, r->object) || !has_right_types(r, r->old))
        return;
    jr_schema_prune(r->kind->schema, r->object, r->profile->version.minor);
    jr_schema_prune(r->kind->schema, r->old, r->profile->version.minor);
    last = last_applied(r->old);
    if (is_manifest(r->old))
        store(r, r->old);
    jr_must(jr_doc_of(r->old, &live));
    root = jr_doc_root(live);
    jr_strategic_forget(r->kind->schema, root, last == NULL ? NULL : jr_doc_root_const(last),
                        r->object);
    if (jr_strategic_apply(r->kind->schema, root, r->object, NULL) == JR_OK)
        jr_must(jr_node_assign(r->object, root));
}
