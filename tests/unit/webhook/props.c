#include "tests/unit/webhook/props.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "common/json/patch.h"
#include "tests/unit/webhook/ask.h"

#define UNKNOWN "x-from-a-newer-server"

/* Shapes and numbers that a careless reader would change. */
static const char unknown_value[] =
    "{\"big\":9007199254740993,\"float\":1.0,\"exp\":1e400,\"text\":\"\\u00e9\\u0000\\/"
    "\",\"null\":null,"
    "\"empty\":{},\"list\":[[],{},\"\",0,-0],\"completions\":null,\"job-name\":\"\"}";

static void add_unknown(struct jr_node *obj)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *v = doc_of(jr_str(unknown_value));

    assert_int_equal(jr_set_copy(obj, JR_S(UNKNOWN), jr_doc_root_const(v), NULL), JR_OK);
}

/** Into every object under the known structure; not into maps, where each member counts. */
static void sprinkle(struct jr_node *n, unsigned depth)
{
    static const char *const maps[] = { "labels",       "annotations",   "matchLabels",
                                        "nodeSelector", "limits",        "requests",
                                        "overhead",     "managedFields", "stringData" };

    if (depth == 0)
        return;
    for (struct jr_node *c = jr_first(n); c != NULL; c = jr_next(c)) {
        bool map = false;

        for (size_t i = 0; i < JR_ARRAY_SIZE(maps); i++)
            map = map || jr_str_is(jr_key(c), maps[i]);
        if (!map && !jr_str_is(jr_key(c), UNKNOWN))
            sprinkle(c, depth - 1);
    }
    if (jr_node_kind(n) == JR_OBJECT)
        add_unknown(n);
}

/** Fields of a probe, where 0 is the same as absent. */
static bool is_probe_number(struct jr_str key)
{
    static const char *const keys[] = { "timeoutSeconds", "periodSeconds", "successThreshold",
                                        "failureThreshold" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(keys); i++) {
        if (jr_str_is(key, keys[i]))
            return true;
    }
    return false;
}

static bool may_be_completed(const struct jr_node *was, struct jr_str parent)
{
    if (is_probe_number(jr_key(was)) && jr_str_is(jr_node_number(was), "0"))
        return true;
    if (jr_unset(was))
        return true;
    if (jr_node_kind(was) == JR_STRING && jr_node_str(was).n == 0)
        return true;
    return jr_str_is(parent, "limits") || jr_str_is(parent, "requests") ||
           jr_str_is(parent, "overhead");
}

/** Fails unless all of `was` is in `is`. */
static void kept(const char *name, const struct jr_node *was, const struct jr_node *is,
                 struct jr_str parent)
{
    const struct jr_node *w, *i;

    if (may_be_completed(was, parent))
        return;
    if (jr_node_kind(was) != jr_node_kind(is))
        fail_msg("%s: %.*s has become another type", name, JR_P(jr_key(was)));
    if (jr_str_is(jr_key(was), UNKNOWN) ||
        (jr_node_kind(was) != JR_OBJECT && jr_node_kind(was) != JR_ARRAY)) {
        JR_FREE char *before = text_of(was);
        JR_FREE char *after = text_of(is);

        if (strcmp(before, after) != 0)
            fail_msg("%s: %.*s was %s, is %s", name, JR_P(jr_key(was)), before, after);
        return;
    }
    if (jr_node_kind(was) == JR_ARRAY) {
        assert_int_equal(jr_size(was), jr_size(is));
        for (w = jr_first(was), i = jr_first(is); w != NULL; w = jr_next(w), i = jr_next(i))
            kept(name, w, i, jr_key(was));
        return;
    }
    for (w = jr_first(was); w != NULL; w = jr_next(w)) {
        i = jr_getn(is, jr_key(w));
        if (i == NULL)
            fail_msg("%s: %.*s is gone", name, JR_P(jr_key(w)));
        kept(name, w, i, jr_key(was));
    }
}

static void ask_create(const struct jr_node *job, struct answer *ret)
{
    JR_FREE char *object = text_of(job);
    const struct pieces p = { .operation = "CREATE", .object = object };
    JR_FREE char *body = review_of(&p);

    ask(JR_ENDPOINT_MUTATE_JOB, jr_str(body), ret);
}

/** The patched copy; NULL where it was denied. */
static struct jr_doc *mutated(const char *name, const struct jr_node *job)
{
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    struct jr_doc *copy = NULL;
    struct jr_error err;

    ask_create(job, &a);
    if (a.st != JR_OK)
        fail_msg("%s: no verdict: %s", name, a.err.msg);
    if (!a.allowed)
        return NULL;
    assert_int_equal(jr_doc_of(job, &copy), JR_OK);
    if (a.patch != NULL && jr_patch_apply(copy, jr_doc_root(a.patch), &err) != JR_OK)
        fail_msg("%s: the patch does not apply: %s", name, err.msg);
    return copy;
}

struct jr_doc *mutate_properties(const char *name, const struct jr_node *job)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *strange = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *strange_after = NULL;
    JR_CLEANUP(answer_done) struct answer again = { .st = JR_OK };
    struct jr_doc *after = mutated(name, job);

    assert_int_equal(jr_doc_of(job, &strange), JR_OK);
    sprinkle(jr_doc_root(strange), 12);
    strange_after = mutated(name, jr_doc_root(strange));
    if ((after == NULL) != (strange_after == NULL))
        fail_msg("%s: unknown members change the verdict", name);
    if (after == NULL)
        return NULL;
    kept(name, job, jr_doc_root(after), (struct jr_str){ NULL, 0 });
    kept(name, jr_doc_root(strange), jr_doc_root(strange_after), (struct jr_str){ NULL, 0 });
    ask_create(jr_doc_root(after), &again);
    if (!again.allowed || again.patch != NULL)
        fail_msg("%s: a second mutation changes something, too", name);
    return after;
}
