/* SPDX-License-Identifier: Apache-2.0 */
/* The patches, operation by operation. */
#include "webhook/certs/registration_patch.h"

#include <stdio.h>

#include "certs/check.h"
#include "common/base/base64.h"
#include "common/base/memory.h"
#include "common/json/write.h"

#define VALUE_MAX ((size_t)4 << 20)
#define CAS_MAX 128 /* of a bundle that is taken over; the keeper's own has a few */

/** A patch on its way; it begins with the first operation. */
struct patch {
    struct jr_writer w;
    const struct jr_node *configuration;
    bool begun;
};

static struct patch patch_of(const struct jr_node *configuration, struct jr_buf *out)
{
    return (struct patch){ jr_writer_on(out), configuration, false };
}

static void begin_object(struct patch *p, const char *op, const char *path)
{
    jr_w_object(&p->w);
    jr_w_kstr(&p->w, "op", jr_str(op));
    jr_w_kstr(&p->w, "path", jr_str(path));
}

/** Begins an operation; what it needs beside is the caller's to add, and the end of the object. */
static void begin_operation(struct patch *p, const char *op, const char *path)
{
    if (!p->begun) {
        jr_w_array(&p->w);
        /* the API server compares it with what it has, and answers 409 */
        begin_object(p, "replace", "/metadata/resourceVersion");
        jr_w_kstr(&p->w, "value",
                  jr_get_str(jr_get(p->configuration, "metadata"), "resourceVersion"));
        jr_w_object_end(&p->w);
    }
    p->begun = true;
    begin_object(p, op, path);
}

static void set_text(struct patch *p, const char *op, const char *path, struct jr_str value)
{
    begin_operation(p, op, path);
    jr_w_kstr(&p->w, "value", value);
    jr_w_object_end(&p->w);
}

static void end_patch(struct patch *p)
{
    if (p->begun)
        jr_w_array_end(&p->w);
    jr_must(p->w.out->failed);
}

/* ---- whom to trust ---- */

void jr_patch_bundle(const struct jr_node *configuration, struct jr_str bundle, struct jr_buf *out)
{
    struct patch p = patch_of(configuration, out);
    JR_BUF b64 = { 0 };
    size_t i = 0;

    jr_buf_init(&b64, JR_BUF_BY_INPUT);
    jr_must(jr_base64_encode(bundle, &b64));
    for (const struct jr_node *n = jr_first(jr_get(configuration, "webhooks")); n != NULL;
         n = jr_next(n), i++) {
        const struct jr_node *client = jr_get(n, "clientConfig");
        char path[64];

        if (jr_node_kind(client) != JR_OBJECT ||
            jr_str_eq(jr_get_str(client, "caBundle"), jr_buf_str(&b64)))
            continue;
        (void)snprintf(path, sizeof(path), "/webhooks/%zu/clientConfig/caBundle", i);
        set_text(&p, "add", path, jr_buf_str(&b64)); /* replaces one that is there */
    }
    end_patch(&p);
}

void jr_configuration_trusts(const struct jr_node *configuration, char **bundle)
{
    for (const struct jr_node *n = jr_first(jr_get(configuration, "webhooks")); n != NULL;
         n = jr_next(n)) {
        const struct jr_str b64 = jr_get_str(jr_get(n, "clientConfig"), "caBundle");
        JR_BUF pem = { 0 };

        jr_buf_init(&pem, VALUE_MAX);
        if (jr_need(jr_base64_decode(b64, &pem)) == JR_OK)
            jr_cert_bundle_add(bundle, jr_buf_str(&pem), CAS_MAX);
    }
}

/* ---- whose it is ---- */

static void write_owner(struct jr_writer *w, struct jr_str namespace, struct jr_str uid)
{
    jr_w_object(w);
    jr_w_kstr(w, "apiVersion", JR_S("v1"));
    jr_w_kstr(w, "kind", JR_S("Namespace"));
    jr_w_kstr(w, "name", namespace);
    jr_w_kstr(w, "uid", uid);
    jr_w_object_end(w);
}

void jr_patch_owner(const struct jr_node *configuration, struct jr_str namespace, struct jr_str uid,
                    struct jr_buf *out)
{
    const struct jr_node *owners = jr_path(configuration, "metadata.ownerReferences");
    struct patch p = patch_of(configuration, out);
    const char *op = "add";
    char path[64] = "/metadata/ownerReferences/-";
    size_t i = 0;

    for (const struct jr_node *n = jr_first(owners); n != NULL; n = jr_next(n), i++) {
        if (jr_str_eq(jr_get_str(n, "uid"), uid))
            return;
        if (jr_str_is(jr_get_str(n, "kind"), "Namespace") &&
            jr_str_eq(jr_get_str(n, "name"), namespace)) {
            op = "replace";
            (void)snprintf(path, sizeof(path), "/metadata/ownerReferences/%zu", i);
        }
    }
    if (jr_size(owners) == 0)
        (void)snprintf(path, sizeof(path), "/metadata/ownerReferences");
    begin_operation(&p, op, path);
    jr_w_key(&p.w, "value");
    if (jr_size(owners) == 0)
        jr_w_array(&p.w);
    write_owner(&p.w, namespace, uid);
    if (jr_size(owners) == 0)
        jr_w_array_end(&p.w);
    jr_w_object_end(&p.w);
    end_patch(&p);
}

/* ---- failing closed ---- */

/** One for JobPolicies stays Ignore: a policy has to be repaired while no replica answers, too. */
static bool is_for_policies(const struct jr_node *hook)
{
    for (const struct jr_node *r = jr_first(jr_get(hook, "rules")); r != NULL; r = jr_next(r)) {
        for (const struct jr_node *g = jr_first(jr_get(r, "apiGroups")); g != NULL;
             g = jr_next(g)) {
            if (jr_str_is(jr_node_str(g), "policy.jobreeve.dev"))
                return true;
        }
    }
    return false;
}

static bool is_low(const struct jr_node *hook)
{
    return jr_str_is(jr_get_str(hook, "failurePolicy"), "Ignore") && !is_for_policies(hook);
}

bool jr_policy_is_low(const struct jr_node *configuration)
{
    const struct jr_node *annotations = jr_path(configuration, "metadata.annotations");

    if (!jr_str_is(jr_get_str(annotations, JR_FAILURE_POLICY_ANNOTATION), "Fail"))
        return false;
    for (const struct jr_node *n = jr_first(jr_get(configuration, "webhooks")); n != NULL;
         n = jr_next(n)) {
        if (is_low(n))
            return true;
    }
    return false;
}

void jr_patch_policy(const struct jr_node *configuration, struct jr_buf *out)
{
    struct patch p = patch_of(configuration, out);
    size_t i = 0;

    for (const struct jr_node *n = jr_first(jr_get(configuration, "webhooks")); n != NULL;
         n = jr_next(n), i++) {
        char path[64];

        if (!is_low(n))
            continue;
        (void)snprintf(path, sizeof(path), "/webhooks/%zu/failurePolicy", i);
        set_text(&p, "replace", path, JR_S("Fail"));
    }
    end_patch(&p);
}

void jr_patch_manager(const struct jr_node *configuration, struct jr_buf *out)
{
    struct patch p = patch_of(configuration, out);
    size_t i = 0;

    for (const struct jr_node *n = jr_first(jr_path(configuration, "metadata.managedFields"));
         n != NULL; n = jr_next(n), i++) {
        char path[64];

        if (!jr_str_is(jr_get_str(n, "manager"), JR_FAILURE_POLICY_MANAGER))
            continue;
        (void)snprintf(path, sizeof(path), "/metadata/managedFields/%zu", i);
        begin_operation(&p, "remove", path);
        jr_w_object_end(&p.w);
        break; /* the next one's place has moved: it is seen next time */
    }
    end_patch(&p);
}
