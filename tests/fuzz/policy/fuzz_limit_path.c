/* SPDX-License-Identifier: Apache-2.0 */
/* "PATH NL SPEC": a path of limits.fields, walked over what a tenant sent. Each value that is there
 * lies where its path says, and two walks over one object are at the same. */
#include <stdlib.h>

#include "common/policy/limit_path.h"
#include "tests/fuzz/fuzz.h"

#define VALUES_MAX 10000

static void check_value(const struct jr_limit_walk *w, const struct jr_node *spec)
{
    struct jr_field_path room[JR_LIMIT_STEPS_MAX];
    const struct jr_field_path *path = jr_limit_walk_path(w, NULL, room);

    MUST(jr_limit_walk_same(w, w));
    if (w->at[w->path->n] != NULL)
        MUST(jr_field_find(spec, path) == w->at[w->path->n]);
}

static void check_walk(const struct jr_limit_path *path, const struct jr_node *spec)
{
    struct jr_limit_walk w;

    jr_limit_walk_begin(&w, path, spec);
    for (size_t i = 0; i < VALUES_MAX && jr_limit_walk_next(&w); i++)
        check_value(&w, spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str text = view_of(data, size), path_text;
    struct jr_limit_path path;
    const char *why = NULL;
    struct jr_doc *doc = NULL;
    JR_ARENA arena = { 0 };

    if (!jr_str_cut(&text, '\n', &path_text))
        return 0;
    jr_arena_init(&arena, 0);
    MUST(jr_limit_path_parse(JR_LIMIT_OF_SPEC, path_text, &arena, &path, &why) == JR_OK);
    if (why != NULL) {
        MUST(why[0] != '\0');
        return 0;
    }
    MUST(path.n <= JR_LIMIT_STEPS_MAX && path.n_head <= path.n);
    if (jr_doc_parse(text, &JR_READER_STRICT, &doc, NULL) != JR_OK)
        return 0;
    DOC *own = doc;
    check_walk(&path, jr_doc_root_const(own));
    return 0;
}
