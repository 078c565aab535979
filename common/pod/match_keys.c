#include "common/pod/selector.h"
#include "common/rules/texts.h"

static void check_keys(const struct jr_node *keys, const struct jr_node *selector,
                       const struct jr_field_path *path, struct jr_errlist *errs)
{
    size_t i = 0;

    if (jr_size(keys) > 0 && jr_unset(selector)) {
        jr_rule_broken(errs, JR_RULE_MATCH_KEYS_ALONE, path, JR_NO_VALUE);
        return;
    }
    for (const struct jr_node *k = jr_first(keys); k != NULL && jr_errlist_going(errs);
         k = jr_next(k), i++) {
        const struct jr_faults faults = jr_name_key(jr_node_str(k));

        jr_rule_faults(errs, JR_RULE_MATCH_KEY, &JR_FIELD_AT(path, i), jr_node_str(k), &faults);
    }
}

/** Adds s to a set whose failure is the list's. */
static bool add(struct jr_texts *set, struct jr_str s, struct jr_errlist *errs)
{
    bool added = jr_texts_add(set, s);

    if (set->failed)
        errs->failed = JR_NOMEM;
    return added;
}

/** The last key that is text: keys may repeat, and the last one is blamed. */
static size_t last_of(const struct jr_node *keys, struct jr_str text)
{
    size_t i = 0, found = 0;

    for (const struct jr_node *k = jr_first(keys); k != NULL; k = jr_next(k), i++) {
        if (jr_str_eq(jr_node_str(k), text))
            found = i;
    }
    return found;
}

/** The API server has merged the keys into the selector before it looks: a key whose value it
 * doesn't find twice there is fine. */
static void check_selected_twice(const struct jr_node *keys, const struct jr_node *selector,
                                 const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_texts match = { .arena = errs->arena }, selected = { .arena = errs->arena };

    for (const struct jr_node *k = jr_first(keys); k != NULL && jr_errlist_going(errs);
         k = jr_next(k))
        (void)add(&match, jr_node_str(k), errs);
    for (const struct jr_node *l = jr_first(jr_get(selector, "matchLabels"));
         l != NULL && jr_errlist_going(errs); l = jr_next(l))
        (void)add(&selected, jr_key(l), errs);
    for (const struct jr_node *r = jr_first(jr_get(selector, "matchExpressions"));
         r != NULL && errs->failed == JR_OK; r = jr_next(r)) {
        const struct jr_str key = jr_get_str(r, "key");

        if (!add(&selected, key, errs) && jr_texts_has(&match, key))
            jr_rule_broken(errs, JR_RULE_MATCH_KEY_SELECTED, &JR_FIELD_AT(path, last_of(keys, key)),
                           jr_errlist_quote(errs, key));
    }
}

static void check_mismatched(const struct jr_node *match, const struct jr_node *mismatch,
                             const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_texts keys = { .arena = errs->arena };
    size_t i = 0;

    for (const struct jr_node *k = jr_first(mismatch); k != NULL && jr_errlist_going(errs);
         k = jr_next(k))
        (void)add(&keys, jr_node_str(k), errs);
    for (const struct jr_node *k = jr_first(match); k != NULL && jr_errlist_going(errs);
         k = jr_next(k), i++) {
        if (jr_texts_has(&keys, jr_node_str(k)))
            jr_rule_broken(errs, JR_RULE_MATCH_KEY_MISMATCHED, &JR_FIELD_AT(path, i),
                           jr_errlist_quote(errs, jr_node_str(k)));
    }
}

void jr_pod_check_match_keys(const struct jr_node *match, const struct jr_node *mismatch,
                             const struct jr_node *selector, const struct jr_field_path *path,
                             struct jr_errlist *errs)
{
    const struct jr_field_path match_path = JR_FIELD(path, "matchLabelKeys");

    check_keys(match, selector, &match_path, errs);
    check_keys(mismatch, selector, &JR_FIELD(path, "mismatchLabelKeys"), errs);
    check_selected_twice(match, selector, path, errs);
    check_mismatched(match, mismatch, &match_path, errs);
}

void jr_pod_check_match_keys_early(const struct jr_node *match, const struct jr_node *selector,
                                   const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_texts selected = { .arena = errs->arena };
    size_t i = 0;

    if (jr_size(match) == 0)
        return;
    if (jr_unset(selector))
        jr_rule_broken(errs, JR_RULE_MATCH_KEYS_ALONE, path, JR_NO_VALUE);
    for (const struct jr_node *l = jr_first(jr_get(selector, "matchLabels"));
         l != NULL && jr_errlist_going(errs); l = jr_next(l))
        (void)add(&selected, jr_key(l), errs);
    for (const struct jr_node *r = jr_first(jr_get(selector, "matchExpressions"));
         r != NULL && jr_errlist_going(errs); r = jr_next(r))
        (void)add(&selected, jr_get_str(r, "key"), errs);
    for (const struct jr_node *k = jr_first(match); k != NULL && jr_errlist_going(errs);
         k = jr_next(k), i++) {
        const struct jr_field_path at = JR_FIELD_AT(path, i);
        const struct jr_faults faults = jr_name_key(jr_node_str(k));

        jr_rule_faults(errs, JR_RULE_MATCH_KEY, &at, jr_node_str(k), &faults);
        if (jr_texts_has(&selected, jr_node_str(k)))
            jr_rule_broken(errs, JR_RULE_MATCH_KEY_SELECTED, &at,
                           jr_errlist_quote(errs, jr_node_str(k)));
    }
}
