/* SPDX-License-Identifier: Apache-2.0 */
/* Parses paths, and walks objects along them. */
#include "common/policy/limit_path.h"

#include "common/policy/policy.h"
#include "common/schema/kube_version.h"
#include "common/schema/suggest.h"

/* ---- parsing ---- */

struct parsing {
    struct jr_limit_path *path;
    struct jr_arena *arena;
    struct jr_str rest;
    const struct jr_schema_type *root;
    const struct jr_schema_type *in; /* whose field comes next; NULL: none may */
    bool is_open;                    /* a list or a map that no brackets have opened */
    struct jr_limit_step steps[JR_LIMIT_STEPS_MAX];
    struct jr_field_path fields[JR_LIMIT_STEPS_MAX]; /* of the steps so far, for suggestions */
    const char *why;
    enum jr_status failed;
};

static bool refuse(struct parsing *p, const char *why)
{
    if (why == NULL)
        p->failed = JR_NOMEM;
    p->why = why;
    return false;
}

/** Adds a step, whose name may lie in p->path->text. */
static bool add_step(struct parsing *p, struct jr_limit_step step)
{
    struct jr_limit_path *path = p->path;
    const struct jr_field_path *parent = path->n == 0 ? NULL : &p->fields[path->n - 1];

    if (path->n == JR_LIMIT_STEPS_MAX - 1) /* one is left for a key */
        return refuse(p, "is too deep");
    p->fields[path->n] = (struct jr_field_path){ .parent = parent, .name = step.name, .key = true };
    if (step.kind == JR_STEP_FIELD)
        p->fields[path->n].key = false;
    else if (path->field->kind == JR_SCHEMA_LIST)
        p->fields[path->n] = JR_FIELD_AT(parent, 0);
    path->steps[path->n++] = step;
    return true;
}

/** Puts "[*]" in the place of each pair of brackets. */
static const char *with_stars(const char *text, struct jr_arena *arena)
{
    struct jr_str rest = jr_str(text);
    const char *out = "";

    while (rest.n > 0 && out != NULL) {
        const ptrdiff_t open = jr_str_find(rest, '['), close = jr_str_find(rest, ']');
        const struct jr_str plain =
            open < 0 || close < open ? rest : jr_str_head(rest, (size_t)open);

        out = jr_arena_printf(arena, "%s%.*s%s", out, JR_P(plain), plain.n < rest.n ? "[*]" : "");
        rest = plain.n < rest.n ? jr_str_from(rest, (size_t)close + 1) : JR_S("");
    }
    return out;
}

static bool refuse_field(struct parsing *p, struct jr_str name)
{
    const struct jr_field_path *parent = p->path->n == 0 ? NULL : &p->fields[p->path->n - 1];
    const struct jr_field_path path = { .parent = parent, .name = name };
    const char *meant = NULL;

    if (p->path->n == 0 && jr_str_is(name, "spec"))
        return refuse(p, "begins below the spec: leave out \"spec.\"");
    if (jr_suggest(p->root, p->in, &path, JR_KUBE_NEWEST, p->arena, &meant) != JR_OK)
        return refuse(p, NULL);
    if (meant != NULL && (meant = with_stars(meant, p->arena)) == NULL)
        return refuse(p, NULL);
    return refuse(p,
                  jr_arena_printf(p->arena, "%s has no field \"%.*s\"%s%s", p->in->name, JR_P(name),
                                  meant == NULL ? "" : ": ", meant == NULL ? "" : meant));
}

static bool parse_field(struct parsing *p)
{
    size_t n = 0;
    struct jr_str name;
    const struct jr_schema_field *f;

    while (n < p->rest.n && p->rest.p[n] != '.' && p->rest.p[n] != '[')
        n++;
    name = jr_str_head(p->rest, n);
    if (p->in == NULL)
        return refuse(p, jr_arena_printf(p->arena, "\"%s\" %s", p->path->field->name,
                                         p->is_open ? "is a list or a map: \"[*]\" behind it is "
                                                      "each element, \"[KEY]\" one of them"
                                                    : "has no fields"));
    f = jr_schema_find(p->in, name, NULL);
    if (f == NULL)
        return refuse_field(p, name);
    if (!add_step(p, (struct jr_limit_step){ JR_STEP_FIELD, name, { NULL, 0 } }))
        return false;
    p->rest = jr_str_from(p->rest, n);
    p->path->field = f;
    p->path->kind = f->kind;
    p->in = f->kind == JR_SCHEMA_STRUCT ? f->of : NULL;
    p->is_open = f->kind == JR_SCHEMA_LIST || f->kind == JR_SCHEMA_STRING_MAP ||
                 f->kind == JR_SCHEMA_QUANTITIES || f->kind == JR_SCHEMA_STRINGS ||
                 f->kind == JR_SCHEMA_INT32S || f->kind == JR_SCHEMA_INT64S;
    return true;
}

/** Tells what an element or an entry is. */
static enum jr_schema_kind element_of(enum jr_schema_kind kind)
{
    if (kind == JR_SCHEMA_LIST)
        return JR_SCHEMA_STRUCT;
    if (kind == JR_SCHEMA_QUANTITIES)
        return JR_SCHEMA_QUANTITY;
    return kind == JR_SCHEMA_INT32S || kind == JR_SCHEMA_INT64S ? JR_SCHEMA_INT64
                                                                : JR_SCHEMA_STRING;
}

/** The text between the brackets; false: there is no second one. */
static bool take_key(struct parsing *p, struct jr_str *ret)
{
    const ptrdiff_t close = jr_str_find(p->rest, ']');

    if (close < 2)
        return refuse(p, close < 0 ? "has a '[' without a ']'" : "has nothing between '[' and ']'");
    *ret = jr_str_head(jr_str_from(p->rest, 1), (size_t)close - 1);
    p->rest = jr_str_from(p->rest, (size_t)close + 1);
    return true;
}

/** Whether the key is a number where elements have texts, and a position in the list is meant. */
static bool is_position(const struct jr_schema_field *f, const struct jr_limit_step *step)
{
    const struct jr_schema_field *key =
        step->merge_key.n > 0 ? jr_schema_find(f->of, step->merge_key, NULL) : NULL;
    size_t digits = 0;

    while (digits < step->name.n && step->name.p[digits] >= '0' && step->name.p[digits] <= '9')
        digits++;
    return digits == step->name.n && key != NULL && key->kind == JR_SCHEMA_STRING;
}

static bool parse_brackets(struct parsing *p)
{
    const struct jr_schema_field *f = p->path->field;
    struct jr_limit_step step = { .kind = JR_STEP_EACH };
    const bool is_map =
        p->path->kind == JR_SCHEMA_STRING_MAP || p->path->kind == JR_SCHEMA_QUANTITIES;

    if (!p->is_open)
        return refuse(p, "has brackets behind what is neither a list nor a map");
    if (!take_key(p, &step.name))
        return false;
    if (f->kind == JR_SCHEMA_LIST)
        step.merge_key = jr_schema_merge_key(f);
    if (!jr_str_is(step.name, "*")) {
        if (!is_map && step.merge_key.n == 0)
            return refuse(p, jr_arena_printf(p->arena,
                                             "has a key behind \"%s\", whose elements have none: "
                                             "\"[*]\" is each of them",
                                             f->name));
        if (is_position(f, &step))
            return refuse(p, jr_arena_printf(p->arena,
                                             "has a number where the %.*s of one of \"%s\" "
                                             "belongs: \"[*]\" is each of them",
                                             JR_P(step.merge_key), f->name));
        step.kind = jr_is_glob(step.name) ? JR_STEP_KEYS : JR_STEP_KEY;
    }
    if (!add_step(p, step))
        return false;
    p->in = f->kind == JR_SCHEMA_LIST ? f->of : NULL;
    p->path->kind = element_of(f->kind);
    p->is_open = false;
    return true;
}

static bool parse_next(struct parsing *p)
{
    if (p->path->n > 0 && p->rest.p[0] == '[')
        return parse_brackets(p);
    if (p->path->n > 0) {
        if (p->rest.p[0] != '.')
            return refuse(p, "must have '.' between its fields");
        p->rest = jr_str_from(p->rest, 1);
    }
    if (p->rest.n == 0 || p->rest.p[0] == '.' || p->rest.p[0] == '[')
        return refuse(p, "lacks the name of a field");
    return parse_field(p);
}

/** Whether it leads through a list, or to several entries of a map. */
static bool is_of_list(const struct jr_limit_step *step)
{
    return step->kind > JR_STEP_KEY || step->merge_key.n > 0;
}

/** Notes how far there is one node only. */
static void set_head(struct jr_limit_path *p)
{
    p->n_head = 0;
    while (p->n_head < p->n && !is_of_list(&p->steps[p->n_head]))
        p->n_head++;
}

static const struct jr_schema_type *const roots[] = {
    [JR_LIMIT_OF_SPEC] = &jr_schema_job_spec,
    [JR_LIMIT_OF_METADATA] = &jr_schema_object_meta,
    [JR_LIMIT_OF_CRON_JOB] = &jr_schema_cron_job_spec,
};

enum jr_status jr_limit_path_parse(enum jr_limit_root root, struct jr_str text,
                                   struct jr_arena *arena, struct jr_limit_path *ret,
                                   const char **ret_why)
{
    struct parsing p = { .path = ret, .arena = arena };
    bool going = true;

    *ret = (struct jr_limit_path){ .root = root, .steps = p.steps };
    *ret_why = NULL;
    p.root = p.in = roots[root];
    if (!jr_arena_str(arena, text, &ret->text))
        return JR_NOMEM;
    p.rest = ret->text;
    if (text.n == 0)
        going = refuse(&p, "must not be empty");
    while (going && p.rest.n > 0)
        going = parse_next(&p);
    *ret_why = p.why;
    ret->steps = jr_arena_calloc(arena, ret->n + 1, sizeof(*ret->steps)); /* one for a key */
    if (ret->steps == NULL)
        return JR_NOMEM;
    memcpy(ret->steps, p.steps, ret->n * sizeof(*ret->steps));
    set_head(ret);
    return p.failed;
}

enum jr_status jr_limit_path_add_key(struct jr_limit_path *p, struct jr_str key,
                                     struct jr_arena *arena)
{
    const char *text = jr_arena_printf(arena, "%.*s[%.*s]", JR_P(p->text), JR_P(key));

    if (text == NULL)
        return JR_NOMEM;
    p->steps[p->n++] = (struct jr_limit_step){ JR_STEP_KEY, key, { NULL, 0 } };
    p->text = jr_str(text);
    p->n_head = p->n;
    p->kind = element_of(p->kind);
    p->field = NULL;
    return JR_OK;
}

/* ---- walking ---- */

/** Returns the key of an entry or an element; that of a port is a number. */
static struct jr_str key_of(const struct jr_limit_step *step, const struct jr_node *node)
{
    const struct jr_node *key;

    if (step->merge_key.n == 0)
        return jr_key(node);
    key = jr_getn(node, step->merge_key);
    return jr_node_kind(key) == JR_NUMBER ? jr_node_number(key) : jr_node_str(key);
}

static const struct jr_node *member(const struct jr_node *of, struct jr_str name)
{
    const struct jr_node *n = jr_getn(of, name);

    return jr_unset(n) ? NULL : n;
}

/** Whether the step takes the element or the entry. */
static bool takes(const struct jr_limit_step *step, const struct jr_node *node)
{
    if (step->kind == JR_STEP_EACH)
        return true;
    return step->kind == JR_STEP_KEY ? jr_str_eq(step->name, key_of(step, node))
                                     : jr_glob_matches(step->name, key_of(step, node));
}

/** Goes on from node, the element with that index, to one that the step takes; false: there is
 * none. */
static bool place(struct jr_limit_walk *w, size_t i, const struct jr_node *node)
{
    const struct jr_limit_step *step = &w->path->steps[i];

    while (node != NULL && !takes(step, node)) {
        node = jr_next(node);
        w->index[i]++;
    }
    w->at[i + 1] = node;
    return node != NULL;
}

/** Takes the steps from i on; where one has nothing it returns that, else how many there are. */
static size_t descend(struct jr_limit_walk *w, size_t i)
{
    for (; i < w->path->n; i++) {
        const struct jr_limit_step *step = &w->path->steps[i];

        w->index[i] = 0;
        if (!is_of_list(step))
            w->at[i + 1] = member(w->at[i], step->name);
        else if (!place(w, i, jr_first(w->at[i])) && step->kind != JR_STEP_KEY)
            return i;
    }
    return i;
}

/** Moves the last step before i that can be moved, and sets *i behind it; false: there is none. */
static bool advance(struct jr_limit_walk *w, size_t *i)
{
    while (*i > w->path->n_head) {
        const size_t step = --*i;

        /* A list may have several elements with one key, as env does: the last one counts. */
        if (!is_of_list(&w->path->steps[step]) || w->at[step + 1] == NULL)
            continue;
        w->index[step]++;
        if (place(w, step, jr_next(w->at[step + 1]))) {
            *i = step + 1;
            return true;
        }
    }
    return false;
}

void jr_limit_walk_begin(struct jr_limit_walk *w, const struct jr_limit_path *p,
                         const struct jr_node *root)
{
    for (size_t i = 0; i < p->n_head && root != NULL; i++)
        root = member(root, p->steps[i].name);
    w->path = p;
    w->begun = false;
    w->at[p->n_head] = root;
}

bool jr_limit_walk_next(struct jr_limit_walk *w)
{
    size_t i = w->begun ? w->path->n : w->path->n_head;

    if (w->begun && !advance(w, &i))
        return false;
    w->begun = true;
    while ((i = descend(w, i)) < w->path->n) {
        if (!advance(w, &i))
            return false;
    }
    return true;
}

const struct jr_field_path *jr_limit_walk_path(const struct jr_limit_walk *w,
                                               const struct jr_field_path *root,
                                               struct jr_field_path room[JR_LIMIT_STEPS_MAX])
{
    for (size_t i = 0; i < w->path->n; i++) {
        const struct jr_limit_step *step = &w->path->steps[i];
        const struct jr_field_path *parent = i == 0 ? root : &room[i - 1];
        const struct jr_node *to = is_of_list(step) ? w->at[i + 1] : NULL;

        if (step->kind == JR_STEP_FIELD)
            room[i] = (struct jr_field_path){ .parent = parent, .name = step->name };
        else if (to != NULL && jr_key(to).p == NULL)
            room[i] = JR_FIELD_AT(parent, w->index[i]);
        else
            room[i] = JR_FIELD_KEY(parent, to != NULL ? jr_key(to) : step->name);
    }
    return w->path->n == 0 ? root : &room[w->path->n - 1];
}

bool jr_limit_walk_same(const struct jr_limit_walk *a, const struct jr_limit_walk *b)
{
    for (size_t i = a->path->n_head; i < a->path->n; i++) {
        const struct jr_limit_step *step = &a->path->steps[i];

        if (step->kind > JR_STEP_KEY &&
            !jr_str_eq(key_of(step, a->at[i + 1]), key_of(step, b->at[i + 1])))
            return false;
    }
    return true;
}
