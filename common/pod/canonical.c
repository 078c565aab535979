/* SPDX-License-Identifier: Apache-2.0 */
/* Canonicalizes a Pod spec: quantities, divisors, and the two names of the service account. */
#include "common/pod/canonical.h"

#include "common/rules/check.h"
#include "common/schema/quantity.h"

static enum jr_status canonicalize_quantity(struct jr_node *member)
{
    struct jr_quantity q;
    JR_BUF text = { 0 };
    enum jr_status st = jr_quantity_of(member, &q);

    if (st != JR_OK)
        return st == JR_NOMEM ? st : JR_OK;
    jr_buf_init(&text, (size_t)1 << 16);
    st = jr_quantity_write(&q, &text);
    if (st != JR_OK || jr_str_eq(jr_node_str(member), jr_buf_str(&text)))
        return st;
    return jr_node_assign_str(member, jr_buf_str(&text));
}

static enum jr_status canonicalize_quantities(struct jr_node *map)
{
    enum jr_status st = JR_OK;

    for (struct jr_node *m = jr_first(map), *next; m != NULL && st == JR_OK; m = next) {
        next = jr_next(m);
        st = canonicalize_quantity(m);
    }
    return st;
}

static enum jr_status canonicalize_members(struct jr_node *node);

static enum jr_status canonicalize_member(struct jr_node *member)
{
    static const char *const maps[] = { "limits", "requests", "overhead", NULL };
    static const char *const single[] = { "sizeLimit", "divisor", NULL };
    /* maps of texts, whose keys are anything */
    static const char *const texts[] = {
        "annotations", "labels", "matchLabels", "nodeSelector", "options", "volumeAttributes", NULL
    };
    const struct jr_str name = jr_key(member);

    if (jr_one_of(name, maps))
        return jr_node_kind(member) == JR_OBJECT ? canonicalize_quantities(member) : JR_OK;
    if (jr_one_of(name, single))
        return canonicalize_quantity(member);
    if (jr_one_of(name, texts))
        return JR_OK;
    if (jr_str_is(name, "resourceFieldRef") && jr_node_kind(member) == JR_OBJECT &&
        jr_unset(jr_get(member, "divisor")))
        return jr_set_str(member, "divisor", JR_S("0"));
    return canonicalize_members(member);
}

static enum jr_status canonicalize_members(struct jr_node *node)
{
    enum jr_status st = JR_OK;

    for (struct jr_node *m = jr_first(node), *next; m != NULL && st == JR_OK; m = next) {
        next = jr_next(m);
        st = jr_node_kind(node) == JR_ARRAY ? canonicalize_members(m) : canonicalize_member(m);
    }
    return st;
}

static enum jr_status complete_account(struct jr_node *spec)
{
    const struct jr_str name = jr_get_str(spec, "serviceAccountName");
    const struct jr_str old = jr_get_str(spec, "serviceAccount");

    if (name.n == 0 && old.n > 0)
        return jr_set_str(spec, "serviceAccountName", old);
    if (name.n > 0 && !jr_str_eq(name, old))
        return jr_set_str(spec, "serviceAccount", name);
    return JR_OK;
}

enum jr_status jr_pod_spec_canonicalize(struct jr_node *spec)
{
    enum jr_status st;

    if (jr_node_kind(spec) != JR_OBJECT)
        return JR_OK;
    st = complete_account(spec);
    return st == JR_OK ? canonicalize_members(spec) : st;
}
