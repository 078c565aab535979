/* SPDX-License-Identifier: Apache-2.0 */
/* The mutating side is idempotent, loses nothing, and comes to the same in any order. */
#include "tests/unit/webhook/idempotent.h"

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

/* ---- one webhook ---- */

/** The annotation tells of the patch: both or neither, and it ends where it should. */
static void check_annotation(const char *name, const struct answer *a)
{
    const struct jr_node *notes = jr_get(a->response, "auditAnnotations");
    struct jr_str rest = jr_get_str(notes, "defaulted"), entry;

    if ((a->patch != NULL) != (rest.p != NULL))
        fail_msg("%s: %s", name, a->patch != NULL ? "a patch without words" : "only words");
    if (rest.n > 10240)
        fail_msg("%s: an annotation of %zu bytes", name, rest.n);
    while (jr_str_cut(&rest, ',', &entry)) {
        ptrdiff_t equals = jr_str_rfind(entry, '=');

        if (equals <= 0 || (size_t)equals + 1 == entry.n)
            fail_msg("%s: not path=rule: %.*s", name, JR_P(entry));
    }
}

static void ask_create(enum jr_endpoint e, const char *name, const struct jr_node *object,
                       struct answer *ret)
{
    JR_CLEANUP(answer_done) struct answer dry = { .st = JR_OK };
    JR_FREE char *sent = text_of(object);
    JR_FREE char *body = create_review(e, sent, false);
    JR_FREE char *dry_body = create_review(e, sent, true);

    ask(e, jr_str(body), ret);
    if (ret->st != JR_OK)
        fail_msg("%s: no result: %s", name, ret->err.msg);
    check_annotation(name, ret);
    ask(e, jr_str(dry_body), &dry);
    if (dry.st != JR_OK || !jr_node_equal(jr_doc_root(dry.doc), jr_doc_root(ret->doc)))
        fail_msg("%s: another answer on a dry run", name);
}

/** Sends the object, and makes it what the answer says. False where it was denied. */
static bool mutate(enum jr_endpoint e, const char *name, struct jr_doc *object)
{
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    struct jr_error err;

    ask_create(e, name, jr_doc_root(object), &a);
    if (a.patch != NULL && jr_patch_apply(object, jr_doc_root(a.patch), &err) != JR_OK)
        fail_msg("%s: the patch does not apply: %s", name, err.msg);
    return a.allowed;
}

/** The patched copy; NULL where it was denied. */
static struct jr_doc *mutated(enum jr_endpoint e, const char *name, const struct jr_node *object)
{
    struct jr_doc *copy = NULL;

    assert_int_equal(jr_doc_of(object, &copy), JR_OK);
    if (mutate(e, name, copy))
        return copy;
    jr_doc_free(copy);
    return NULL;
}

struct jr_doc *mutate_idempotently(enum jr_endpoint e, const char *name,
                                   const struct jr_node *object)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *strange = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *strange_after = NULL;
    JR_CLEANUP(answer_done) struct answer again = { .st = JR_OK };
    struct jr_doc *after = mutated(e, name, object);

    assert_int_equal(jr_doc_of(object, &strange), JR_OK);
    sprinkle(jr_doc_root(strange), 12);
    strange_after = mutated(e, name, jr_doc_root(strange));
    if ((after == NULL) != (strange_after == NULL))
        fail_msg("%s: unknown members change the result", name);
    if (after == NULL)
        return NULL;
    kept(name, object, jr_doc_root(after), (struct jr_str){ NULL, 0 });
    kept(name, jr_doc_root(strange), jr_doc_root(strange_after), (struct jr_str){ NULL, 0 });
    ask_create(e, name, jr_doc_root(after), &again);
    if (!again.allowed || again.patch != NULL)
        fail_msg("%s: a second mutation changes something, too", name);
    return after;
}

/* ---- among other webhooks ---- */

/** The Pod template of a Job or a CronJob, with its metadata and spec there. */
static struct jr_node *template_of(struct jr_doc *object)
{
    struct jr_node *root = jr_doc_root(object), *at = jr_path(root, "spec.jobTemplate.spec");

    if (at == NULL)
        at = jr_get(root, "spec");
    if (jr_ensure_object(at, "template", &at) != JR_OK ||
        jr_ensure_object(at, "metadata", NULL) != JR_OK ||
        jr_ensure_object(at, "spec", NULL) != JR_OK)
        return NULL;
    return at;
}

/** Puts the entry into a list, unless there is one of this name. */
static void add_named(struct jr_node *object, const char *list, const char *entry)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = doc_of(jr_str(entry));
    struct jr_node *at;

    if (jr_ensure_array(object, list, &at) != JR_OK)
        return;
    for (const struct jr_node *n = jr_first(at); n != NULL; n = jr_next(n)) {
        if (jr_str_eq(jr_get_str(n, "name"), jr_get_str(jr_doc_root(doc), "name")))
            return;
    }
    assert_int_equal(jr_insert_copy(at, jr_size(at), jr_doc_root(doc), NULL), JR_OK);
}

/** One that adds a sidecar, as a mesh does. */
static void inject(struct jr_doc *object)
{
    struct jr_node *template = template_of(object), *at;

    if (template == NULL)
        return;
    add_named(jr_get(template, "spec"), "containers",
              "{\"name\":\"mesh\",\"image\":\"mesh\",\"ports\":[{\"containerPort\":15001}]}");
    if (jr_ensure_object(jr_get(template, "metadata"), "annotations", &at) == JR_OK)
        assert_int_equal(jr_set_str(at, "mesh", JR_S("on")), JR_OK);
}

/** One that decides where Pods run, and gives them a volume and a label. */
static void place(struct jr_doc *object)
{
    struct jr_node *template = template_of(object), *at;

    if (template == NULL)
        return;
    add_named(jr_get(template, "spec"), "volumes", "{\"name\":\"scratch\"}");
    if (jr_ensure_object(jr_get(template, "spec"), "nodeSelector", &at) == JR_OK)
        assert_int_equal(jr_set_str(at, "pool", JR_S("batch")), JR_OK);
    if (jr_ensure_object(jr_get(template, "metadata"), "labels", &at) == JR_OK)
        assert_int_equal(jr_set_str(at, "pool", JR_S("batch")), JR_OK);
}

/** The object after all three in this order, "oip": ours, inject, place. NULL: denied. */
static struct jr_doc *through(enum jr_endpoint e, const char *name, const struct jr_node *object,
                              const char *order)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *seen = NULL; /* by us last */

    assert_int_equal(jr_doc_of(object, &doc), JR_OK);
    for (; *order != '\0'; order++) {
        if (*order == 'i')
            inject(doc);
        else if (*order == 'p')
            place(doc);
        else if (!mutate(e, name, doc))
            return NULL;
        else
            assert_int_equal(jr_doc_of(jr_doc_root(doc), &seen), JR_OK);
    }
    if (!jr_node_equal(jr_doc_root(doc), jr_doc_root(seen)) && !mutate(e, name, doc))
        return NULL;
    jr_remove(jr_get(jr_doc_root(doc), "metadata"), JR_S("labels"), NULL);
    return jr_steal(&doc);
}

void check_any_order(enum jr_endpoint e, const char *name, const struct jr_node *object)
{
    static const char *const orders[] = { "oip", "opi", "iop", "poi", "ipo", "pio" };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *first = through(e, name, object, orders[0]);

    for (size_t i = 1; i < JR_ARRAY_SIZE(orders); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *other = through(e, name, object, orders[i]);

        if ((first == NULL) != (other == NULL))
            fail_msg("%s: the order %s changes the result", name, orders[i]);
        if (first != NULL && !jr_node_equal(jr_doc_root(first), jr_doc_root(other))) {
            JR_FREE char *a = text_of(jr_doc_root(first));
            JR_FREE char *b = text_of(jr_doc_root(other));

            fail_msg("%s: after %s\n%s\nafter %s\n%s", name, orders[0], a, orders[i], b);
        }
    }
}
