/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of matchLabelKeys and mismatchLabelKeys. */
#include "common/base/string_set.h"
#include "common/pod/selector.h"

static void check_keys(const struct jr_node *keys, const struct jr_node *selector,
                       const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (jr_size(keys) > 0 && jr_unset(selector)) {
        jr_violation(errs, JR_RULE_MATCH_KEYS_ALONE, path);
        return;
    }
    JR_EACH_AT(k, keys, path, errs) {
        jr_validate_name(errs, JR_RULE_MATCH_KEY, &k.path, jr_node_str(k.node), jr_name_key);
    }
}

struct place {
    struct jr_str key;
    size_t at;
};

static int by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const int c = jr_str_cmp(x->key, y->key);

    return c != 0 ? c : (x->at > y->at) - (x->at < y->at);
}

/** Where the keys stand, sorted. NULL without memory. */
static struct place *places_of(const struct jr_node *keys, struct jr_errlist *errs)
{
    struct place *v = jr_arena_calloc(errs->arena, jr_size(keys), sizeof(*v));
    size_t i = 0;

    if (v == NULL) {
        errs->failed = JR_NOMEM;
        return NULL;
    }
    JR_EACH(k, keys) {
        v[i] = (struct place){ jr_node_str(k), i };
        i++;
    }
    qsort(v, i, sizeof(*v), by_key);
    return v;
}

/** The last of n keys that is text: keys may repeat, and the last one is blamed. */
static size_t last_of(const struct place *places, size_t n, struct jr_str text)
{
    size_t lo = 0, hi = n;

    while (lo < hi) { /* the first one above */
        const size_t mid = lo + (hi - lo) / 2;

        if (jr_str_cmp(places[mid].key, text) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo == 0 ? 0 : places[lo - 1].at;
}

/** The API server has merged the keys into the selector before it looks: a key whose value it
 * doesn't find twice there is fine. */
static void check_selected_twice(const struct jr_node *keys, const struct jr_node *selector,
                                 const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_string_set match = JR_STRING_SET(errs), selected = JR_STRING_SET(errs);
    const size_t n = jr_node_kind(keys) == JR_ARRAY ? jr_size(keys) : 0;
    const struct place *places = NULL;

    JR_EACH_GOING(k, keys, errs)
        (void)jr_string_set_add(&match, jr_node_str(k));
    JR_EACH_GOING(l, jr_get(selector, "matchLabels"), errs)
        (void)jr_string_set_add(&selected, jr_key(l));
    for (const struct jr_node *r = jr_first(jr_get(selector, "matchExpressions"));
         r != NULL && errs->failed == JR_OK; r = jr_next(r)) {
        const struct jr_str key = jr_get_str(r, "key");

        if (jr_string_set_add(&selected, key) || !jr_string_set_has(&match, key))
            continue;
        if (places == NULL)
            places = places_of(keys, errs);
        if (places != NULL)
            jr_violation_text(errs, JR_RULE_MATCH_KEY_SELECTED,
                              &JR_FIELD_AT(path, last_of(places, n, key)), key);
    }
}

static void check_mismatched(const struct jr_node *match, const struct jr_node *mismatch,
                             const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_string_set keys = JR_STRING_SET(errs);

    JR_EACH_GOING(k, mismatch, errs)
        (void)jr_string_set_add(&keys, jr_node_str(k));
    JR_EACH_AT(k, match, path, errs) {
        if (jr_string_set_has(&keys, jr_node_str(k.node)))
            jr_violation_text(errs, JR_RULE_MATCH_KEY_MISMATCHED, &k.path, jr_node_str(k.node));
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
    struct jr_string_set selected = JR_STRING_SET(errs);

    if (jr_size(match) == 0)
        return;
    if (jr_unset(selector))
        jr_violation(errs, JR_RULE_MATCH_KEYS_ALONE, path);
    JR_EACH_GOING(l, jr_get(selector, "matchLabels"), errs)
        (void)jr_string_set_add(&selected, jr_key(l));
    JR_EACH_GOING(r, jr_get(selector, "matchExpressions"), errs)
        (void)jr_string_set_add(&selected, jr_get_str(r, "key"));
    JR_EACH_AT(k, match, path, errs) {
        jr_validate_name(errs, JR_RULE_MATCH_KEY, &k.path, jr_node_str(k.node), jr_name_key);
        if (jr_string_set_has(&selected, jr_node_str(k.node)))
            jr_violation_text(errs, JR_RULE_MATCH_KEY_SELECTED, &k.path, jr_node_str(k.node));
    }
}
