/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and drops fields of a Pod by pattern. */
#include "common/pod/fields.h"

#include "common/pod/walk.h"

/** Called with the object that may have the member; true ends the search. */
typedef bool found_fn(struct jr_node *object, struct jr_str member);

static bool visit_pattern(struct jr_node *at, const char *pattern, found_fn *found);

static bool visit_each(struct jr_node *list, const char *pattern, found_fn *found)
{
    for (struct jr_node *e = jr_first(list); e != NULL; e = jr_next(e)) {
        if (visit_pattern(e, pattern, found))
            return true;
    }
    return false;
}

static bool visit_containers(struct jr_node *spec, const char *pattern, found_fn *found)
{
    for (size_t i = 0; i < JR_CONTAINER_LISTS; i++) {
        if (visit_each(jr_get(spec, jr_container_lists[i]), pattern, found))
            return true;
    }
    return false;
}

/** Recurses as deep as the pattern is long. */
static bool visit_pattern(struct jr_node *at, const char *pattern, found_fn *found)
{
    const struct jr_str name = { pattern, strcspn(pattern, ".[") };
    const char *rest = pattern + name.n;

    if (jr_node_kind(at) != JR_OBJECT)
        return false;
    if (jr_str_is(name, "*"))
        return visit_containers(at, rest + 1, found);
    if (*rest == '\0')
        return found(at, name);
    if (strcmp(rest, "[]") == 0)
        return jr_size(jr_getn(at, name)) > 0 && found(at, name);
    if (*rest == '[')
        return visit_each(jr_getn(at, name), rest + strlen("[]."), found);
    return visit_pattern(jr_getn(at, name), rest + 1, found);
}

static bool is_set(struct jr_node *object, struct jr_str member)
{
    return !jr_unset(jr_getn(object, member));
}

static bool drop_member(struct jr_node *object, struct jr_str member)
{
    jr_remove(object, member, NULL);
    return false;
}

bool jr_pod_has(const struct jr_node *spec, const char *pattern)
{
    /* nothing is changed: is_set only looks */
    return spec != NULL && visit_pattern((struct jr_node *)(uintptr_t)spec, pattern, is_set);
}

void jr_pod_drop(struct jr_node *spec, const char *pattern)
{
    (void)visit_pattern(spec, pattern, drop_member);
}
