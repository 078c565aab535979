/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of a container's resources.claims. */
#include "common/pod/parts.h"

/** What a container's claims have named so far. */
struct named {
    struct jr_string_set keys;  /* "claim" or "claim/request" */
    struct jr_string_set bases; /* what is in front of the '/' */
};

/** "must be one of ...", with the Pod's claims sorted. */
static struct jr_str known_claims(const struct jr_string_set *claims, struct jr_errlist *errs)
{
    struct jr_str *sorted = jr_arena_calloc(errs->arena, claims->n, sizeof(*sorted));
    JR_BUF b = { 0 };
    size_t n = 0;

    for (size_t i = 0; sorted != NULL && i < claims->cap; i++) {
        if (claims->slots[i].p != NULL)
            sorted[n++] = claims->slots[i];
    }
    if (n > 1)
        qsort(sorted, n, sizeof(*sorted), jr_str_order);
    jr_buf_init(&b, (size_t)8 << 20);
    (void)jr_buf_adds(&b, "must be one of the names in pod.spec.resourceClaims");
    (void)jr_buf_adds(&b, n == 0 ? " which is empty" : ": ");
    for (size_t i = 0; i < n; i++) {
        (void)jr_buf_adds(&b, i > 0 ? ", " : "");
        (void)jr_buf_add(&b, sorted[i]);
    }
    if (sorted == NULL || b.failed != JR_OK)
        errs->failed = JR_NOMEM;
    return JR_FORMAT(errs, "%.*s", JR_P(jr_buf_str(&b)));
}

/** A whole claim, of which requests were named before: one error for each. */
static void check_overlaps(struct jr_str name, const struct named *named,
                           const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (!jr_string_set_has(&named->bases, name))
        return;
    for (size_t i = 0; i < named->keys.cap; i++) {
        const struct jr_str key = named->keys.slots[i];
        const ptrdiff_t slash = key.p == NULL ? -1 : jr_str_find(key, '/');

        if (slash >= 0 && jr_str_eq(jr_str_head(key, (size_t)slash), name))
            jr_violation_text(errs, JR_RULE_CLAIM_REF_TWICE, &JR_FIELD_HIDDEN(path, JR_S("name")),
                              name);
    }
}

static void check_named(const struct jr_node *claim, struct jr_str name, struct named *named,
                        const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str request = jr_get_str(claim, "request");
    struct jr_str key = name;
    ptrdiff_t slash;

    if (request.n > 0) {
        jr_validate_name(errs, JR_RULE_CLAIM_REF_REQUEST, &JR_FIELD(path, "request"), request,
                         jr_name_dns_label);
        key = JR_FORMAT(errs, "%.*s/%.*s", JR_P(name), JR_P(request));
    }
    if (jr_string_set_has(&named->keys, key))
        jr_violation_text(errs, JR_RULE_CLAIM_REF_TWICE, &JR_FIELD_HIDDEN(path, JR_S("name")), key);
    else if (request.n == 0)
        check_overlaps(name, named, path, errs);
    slash = jr_str_find(key, '/');
    (void)jr_string_set_add(&named->keys, key);
    if (slash >= 0)
        (void)jr_string_set_add(&named->bases, jr_str_head(key, (size_t)slash));
}

void jr_pod_check_claims(struct jr_pod_check *p, const struct jr_node *claims,
                         const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;
    struct named named = { .keys = JR_STRING_SET(errs), .bases = JR_STRING_SET(errs) };
    struct jr_str known = JR_NO_VALUE;

    JR_EACH_AT(c, claims, path, errs) {
        const struct jr_field_path name_path = JR_FIELD_HIDDEN(&c.path, JR_S("name"));
        const struct jr_str name = jr_get_str(c.node, "name");

        if (name.n == 0) {
            jr_violation(errs, JR_RULE_CLAIM_REF_REQUIRED, &c.path);
            continue;
        }
        if (jr_string_set_has(&named.keys, name)) /* the whole claim */
            jr_violation_text(errs, JR_RULE_CLAIM_REF_TWICE, &name_path, name);
        else
            check_named(c.node, name, &named, &c.path, errs);
        if (jr_string_set_has(&p->claims, name))
            continue;
        known = known.p == NULL ? known_claims(&p->claims, errs) : known;
        jr_rule_violated_text(errs, JR_RULE_CLAIM_REF, &name_path, jr_errlist_quote(errs, name),
                              known);
    }
}
