/* SPDX-License-Identifier: Apache-2.0 */
/* Names read by the reader's tokens, as far as the text goes. */
#include "common/kube/object_id.h"

#include "common/json/reader.h"

#define NAME_BYTES_MAX ((size_t)260) /* a DNS subdomain in quotes */

static bool is_plain(char c)
{
    return c > ' ' && c < 127 && c != '\\';
}

/** The text of the next value, if it is a string that is its own text; else nothing. */
static enum jr_status read_name(struct jr_reader *g, struct jr_str *ret)
{
    struct jr_str raw;
    enum jr_status st = jr_reader_skip(g, &raw, NULL);

    *ret = (struct jr_str){ NULL, 0 };
    if (st != JR_OK || raw.n < 2 || raw.p[0] != '"' || raw.n > NAME_BYTES_MAX)
        return st;
    for (size_t i = 1; i + 1 < raw.n; i++) {
        if (!is_plain(raw.p[i]))
            return JR_OK;
    }
    *ret = (struct jr_str){ raw.p + 1, raw.n - 2 };
    return JR_OK;
}

/** Name and uid of the owner reference in the object ahead, if it is the controller's. */
static enum jr_status identify_owner(struct jr_reader *g, struct jr_object_id *id)
{
    struct jr_str name = { 0 }, uid = { 0 }, value = { 0 };
    bool controller = false;
    struct jr_tok t;
    enum jr_status st = jr_reader_next(g, &t, NULL);

    if (st == JR_OK && t.kind != JR_TOK_OBJECT)
        return JR_SYNTAX;
    while (st == JR_OK && (st = jr_reader_next(g, &t, NULL)) == JR_OK && t.kind == JR_TOK_KEY) {
        if (jr_str_is(t.raw, "uid")) {
            st = read_name(g, &uid);
        } else if (jr_str_is(t.raw, "name")) {
            st = read_name(g, &name);
        } else {
            const bool asked = jr_str_is(t.raw, "controller");

            st = jr_reader_skip(g, &value, NULL);
            controller |= asked && jr_str_is(value, "true");
        }
    }
    if (st == JR_OK && controller) {
        id->controller_name = name;
        id->controller_uid = uid;
    }
    return st;
}

static enum jr_status identify_owners(struct jr_reader *g, struct jr_object_id *id)
{
    struct jr_reader ahead = *g;
    struct jr_tok t;
    enum jr_status st = jr_reader_next(&ahead, &t, NULL);

    if (st != JR_OK || t.kind != JR_TOK_ARRAY)
        return jr_reader_skip(g, NULL, NULL);
    for (*g = ahead; st == JR_OK; ahead = *g) {
        st = jr_reader_next(&ahead, &t, NULL);
        if (st == JR_OK && t.kind == JR_TOK_ARRAY_END) {
            *g = ahead;
            return JR_OK;
        }
        if (st == JR_OK)
            st = identify_owner(g, id);
    }
    return st;
}

static void identify_meta(struct jr_reader *g, struct jr_object_id *id)
{
    struct jr_tok t;
    enum jr_status st = jr_reader_next(g, &t, NULL);

    if (st != JR_OK || t.kind != JR_TOK_OBJECT)
        return;
    while (st == JR_OK && jr_reader_next(g, &t, NULL) == JR_OK && t.kind == JR_TOK_KEY) {
        if (jr_str_is(t.raw, "namespace"))
            st = read_name(g, &id->namespace);
        else if (jr_str_is(t.raw, "name"))
            st = read_name(g, &id->name);
        else if (jr_str_is(t.raw, "uid"))
            st = read_name(g, &id->uid);
        else if (jr_str_is(t.raw, "resourceVersion"))
            st = read_name(g, &id->resource_version);
        else if (jr_str_is(t.raw, "ownerReferences"))
            st = identify_owners(g, id);
        else
            st = jr_reader_skip(g, NULL, NULL);
    }
}

/** Moves to the value of that member of the object ahead; false: it has none that is in sight. */
static bool find_member(struct jr_reader *g, const char *name)
{
    struct jr_tok t;
    enum jr_status st = jr_reader_next(g, &t, NULL);

    if (st != JR_OK || t.kind != JR_TOK_OBJECT)
        return false;
    while (st == JR_OK && jr_reader_next(g, &t, NULL) == JR_OK && t.kind == JR_TOK_KEY) {
        if (jr_str_is(t.raw, name))
            return true;
        st = jr_reader_skip(g, NULL, NULL);
    }
    return false;
}

static struct jr_object_id identify(struct jr_str text, bool event)
{
    struct jr_object_id id = { 0 };
    struct jr_reader g;

    jr_reader_init(&g, text, 0);
    g.lenient = true;
    if ((!event || find_member(&g, "object")) && find_member(&g, "metadata"))
        identify_meta(&g, &id);
    return id;
}

struct jr_object_id jr_object_identify(struct jr_str object)
{
    return identify(object, false);
}

struct jr_object_id jr_event_identify(struct jr_str line)
{
    return identify(line, true);
}
