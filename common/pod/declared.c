/* SPDX-License-Identifier: Apache-2.0 */
/* Declarative rules of a Pod template, which the API server runs behind all others since 1.38, and
 * only of what an update changes. Source: docs/reference/versions.md. */
#include "common/base/utf8.h"
#include "common/pod/image.h"
#include "common/pod/parts.h"
#include "common/rules/check.h"
#include "common/schema/equal.h"

static bool is_same(const struct jr_pair *parent, const struct jr_schema_type *type,
                    const char *name)
{
    return parent->update &&
           jr_schema_equal(type, name, jr_get(parent->now, name), jr_get(parent->was, name));
}

/* ---- seccomp profiles of OCI registries ---- */

#define REF_MAX 1024
#define LOCAL_PROFILE_MAX 4096

/** In characters. */
static bool is_longer(struct jr_str s, size_t max)
{
    size_t n = 0;
    uint32_t rune;
    bool bad;

    for (size_t i = 0; i < s.n && n <= max; n++)
        i += jr_utf8_next(jr_str_from(s, i), &rune, &bad);
    return n > max;
}

static void check_ref(const struct jr_pair *oci, const struct jr_field_path *path,
                      struct jr_errlist *errs)
{
    const struct jr_str ref = jr_get_str(oci->now, "ref");
    JR_BUF fault = { 0 };

    if (oci->update && !jr_unset(oci->was) && jr_str_eq(ref, jr_get_str(oci->was, "ref")))
        return;
    if (ref.n == 0) {
        jr_violation(errs, JR_RULE_SECCOMP_OCI_REF_REQUIRED, path);
        return;
    }
    if (is_longer(ref, REF_MAX)) {
        jr_violation(errs, JR_RULE_SECCOMP_OCI_REF_LENGTH, path);
        return;
    }
    jr_buf_init(&fault, JR_BUF_BY_INPUT);
    if (jr_image_pinned_fault(ref, &fault) != JR_OK)
        errs->failed = JR_NOMEM;
    else if (fault.n > 0)
        jr_rule_violated_text(errs, JR_RULE_SECCOMP_OCI_REF, path, jr_errlist_quote(errs, ref),
                              jr_buf_str(&fault));
}

/** A path below the folder of profiles on the node. */
static void check_local_profile(const struct jr_node *local, const struct jr_field_path *path,
                                struct jr_errlist *errs)
{
    const struct jr_str file = jr_node_str(local);

    if (is_longer(file, LOCAL_PROFILE_MAX))
        jr_violation(errs, JR_RULE_SECCOMP_OCI_LOCAL_LENGTH, path);
    else if (file.n == 0)
        jr_violation(errs, JR_RULE_SECCOMP_OCI_LOCAL_REQUIRED, path);
    else
        jr_validate_name(errs, JR_RULE_SECCOMP_OCI_LOCAL, path, file, jr_name_descending_path);
}

/** The member of a union that its type names: set with it, and else not. */
static void check_member(const struct jr_pair *p, const char *name, const char *type,
                         enum jr_rule rule, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    const struct jr_pair named = jr_pair_member(p, name);
    const bool set = !jr_unset(named.now);
    const bool wanted = jr_str_is(jr_get_str(p->now, "type"), type);

    if (p->update && !jr_unset(p->was) && set == !jr_unset(named.was) &&
        jr_str_eq(jr_get_str(p->now, "type"), jr_get_str(p->was, "type")))
        return;
    if (set != wanted)
        jr_rule_violatedf(errs, rule, &JR_FIELD(path, name), JR_S("\"\""),
                          "%s be specified when `type` is \"%s\"", set ? "may only" : "must", type);
}

static void check_base(const struct jr_pair *base, const struct jr_field_path *path,
                       struct jr_errlist *errs)
{
    static const char *const types[] = { "Localhost", "RuntimeDefault", NULL };
    const struct jr_field_path type_path = JR_FIELD(path, "type");
    const struct jr_str type = jr_get_str(base->now, "type");
    const struct jr_pair local = jr_pair_member(base, "localhostProfile");

    check_member(base, "localhostProfile", "Localhost", JR_RULE_SECCOMP_OCI_BASE_UNION, path, errs);
    if (!base->update || jr_unset(base->was) || !jr_str_eq(type, jr_get_str(base->was, "type"))) {
        if (type.n == 0)
            jr_violation(errs, JR_RULE_SECCOMP_OCI_BASE_REQUIRED, &type_path);
        else
            jr_validate_choice(JR_RULE_SECCOMP_OCI_BASE, types, type, &type_path, errs);
    }
    if (!jr_unset(local.now) && (!base->update || jr_unset(local.was) ||
                                 !jr_str_eq(jr_node_str(local.now), jr_node_str(local.was))))
        check_local_profile(local.now, &JR_FIELD(path, "localhostProfile"), errs);
}

static void check_profile(const struct jr_pair *p, const struct jr_field_path *path,
                          struct jr_errlist *errs)
{
    const struct jr_field_path at = JR_FIELD(path, "oci");
    const struct jr_pair oci = jr_pair_member(p, "oci");
    const struct jr_pair base = jr_pair_member(&oci, "baseProfile");

    check_member(p, "oci", "OCI", JR_RULE_SECCOMP_OCI_UNION, path, errs);
    if (jr_unset(oci.now))
        return;
    check_ref(&oci, &JR_FIELD(&at, "ref"), errs);
    if (!jr_unset(base.now))
        check_base(&base, &JR_FIELD(&at, "baseProfile"), errs);
}

static void check_context(const struct jr_pair *context, const struct jr_field_path *path,
                          struct jr_errlist *errs)
{
    const struct jr_pair profile = jr_pair_member(context, "seccompProfile");

    if (jr_unset(profile.now) || is_same(context, &jr_schema_security_context, "seccompProfile"))
        return;
    check_profile(&profile, &JR_FIELD(path, "seccompProfile"), errs);
}

/* ---- the whole ---- */

static void check_containers(const struct jr_pair *spec, const char *list,
                             const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_field_path at = JR_FIELD(path, list);

    if (is_same(spec, &jr_schema_pod_spec, list))
        return;
    JR_EACH_AT(e, jr_get(spec->now, list), &at, errs)
        check_context(&(const struct jr_pair){ .now = jr_get(e.node, "securityContext") },
                      &JR_FIELD(&e.path, "securityContext"), errs);
}

static void check_tolerations(const struct jr_pair *spec, const struct jr_field_path *path,
                              struct jr_errlist *errs)
{
    const struct jr_field_path at = JR_FIELD(path, "tolerations");

    if (is_same(spec, &jr_schema_pod_spec, "tolerations"))
        return;
    JR_EACH_AT(e, jr_get(spec->now, "tolerations"), &at, errs) {
        const struct jr_str key = jr_get_str(e.node, "key");

        if (key.n > 0)
            jr_validate_name(errs, JR_RULE_TOLERATION_KEY, &JR_FIELD(&e.path, "key"), key,
                             jr_name_key);
    }
}

void jr_pod_template_validate_declared(const struct jr_node *template, const struct jr_node *old,
                                       const struct jr_field_path *path, struct jr_errlist *errs)
{
    static const char *const lists[] = { "initContainers", "containers", "ephemeralContainers" };
    const struct jr_pair spec = { jr_get(template, "spec"), jr_get(old, "spec"), old != NULL };
    const struct jr_pair context = jr_pair_member(&spec, "securityContext");
    const struct jr_field_path at = JR_FIELD(path, "spec");

    for (size_t i = 0; i < JR_ARRAY_SIZE(lists); i++)
        check_containers(&spec, lists[i], &at, errs);
    check_context(&context, &JR_FIELD(&at, "securityContext"), errs);
    check_tolerations(&spec, &at, errs);
}
