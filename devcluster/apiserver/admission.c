/* SPDX-License-Identifier: Apache-2.0 */
/* Admission webhooks: whom to ask, and what their answers do. */
#include "common/base/base64.h"
#include "devcluster/apiserver/admission.h"

#include "common/api/admission_review.h"
#include "common/json/patch.h"
#include "common/rules/selector.h"
#include "common/schema/decode_tree.h"

#define TIMEOUT_DEFAULT_S 10

/* ---- which webhooks ---- */

/* Whether a list of texts has v or "*"; an absent list has nothing. */
static bool has(const struct jr_node *list, const char *v)
{
    for (const struct jr_node *n = jr_first(list); n != NULL; n = jr_next(n)) {
        if (jr_str_is(jr_node_str(n), "*") || jr_str_is(jr_node_str(n), v))
            return true;
    }
    return false;
}

/* "jobs", "jobs/status", "jobs/x", "x/status"; an asterisk stands for any name, alone only for
 * resources themselves. */
static bool resource_matches(struct jr_str pattern, const struct jr_dev_op *op)
{
    ptrdiff_t slash = jr_str_find(pattern, '/');
    struct jr_str plural = slash < 0 ? pattern : jr_str_head(pattern, (size_t)slash);
    struct jr_str sub = slash < 0 ? JR_S("") : jr_str_from(pattern, (size_t)slash + 1);

    if (!jr_str_is(plural, "*") && !jr_str_is(plural, op->res->plural))
        return false;
    return jr_str_is(sub, "*") || jr_str_eq(sub, op->sub);
}

static bool rule_matches(const struct jr_node *rule, const struct jr_dev_op *op)
{
    struct jr_str scope = jr_get_str(rule, "scope");
    bool any = false;

    if (!has(jr_get(rule, "operations"), op->write->operation) ||
        !has(jr_get(rule, "apiGroups"), op->res->group) ||
        !has(jr_get(rule, "apiVersions"), op->res->version))
        return false;
    if (jr_str_is(scope, op->res->namespaced ? "Cluster" : "Namespaced"))
        return false;
    for (const struct jr_node *r = jr_first(jr_get(rule, "resources")); r != NULL; r = jr_next(r))
        any = any || resource_matches(jr_node_str(r), op);
    return any;
}

/* An absent selector matches everything here. */
static bool selector_matches(struct jr_dev_op *op, const struct jr_node *node,
                             const struct jr_labels *labels)
{
    struct jr_selector sel = { .set = true };
    struct jr_type_error wrong;

    if (jr_unset(node))
        return true;
    jr_must(jr_schema_decode_tree(&jr_schema_label_selector, node, 0, &op->arena, &sel, &wrong));
    return wrong.why == NULL && jr_selector_matches(&sel, labels);
}

static struct jr_labels labels_of(struct jr_dev_op *op, const struct jr_node *root)
{
    const struct jr_node *map = jr_path(root, "metadata.labels");
    struct jr_labels labels = { jr_xarena_calloc(&op->arena, jr_size(map), sizeof(*labels.v)), 0 };

    for (const struct jr_node *n = jr_first(map); n != NULL; n = jr_next(n))
        labels.v[labels.n++] = (struct jr_label){ jr_key(n), jr_node_str(n) };
    return labels;
}

static bool selectors_match(struct jr_dev_op *op, const struct jr_node *hook)
{
    const struct jr_dev_object *ns =
        jr_dev_find(op->store, &jr_dev_resources[JR_DEV_NAMESPACES], JR_S(""), op->namespace);
    const struct jr_node *by_namespace = jr_get(hook, "namespaceSelector");
    const struct jr_node *by_object = jr_get(hook, "objectSelector");
    struct jr_labels labels = { NULL, 0 };

    if (op->doc != NULL)
        labels = labels_of(op, jr_doc_root(op->doc));
    if (op->res->namespaced && ns != NULL && !selector_matches(op, by_namespace, &ns->meta.labels))
        return false;
    if (op->res->id == JR_DEV_NAMESPACES && !selector_matches(op, by_namespace, &labels))
        return false;
    /* The new object or the old one. */
    return (op->doc != NULL && selector_matches(op, by_object, &labels)) ||
           (op->old != NULL && selector_matches(op, by_object, &op->old->meta.labels));
}

static void fill_client(struct jr_dev_op *op, const struct jr_node *client, struct jr_dev_hook *h)
{
    struct jr_str url = jr_get_str(client, "url");
    struct jr_str ca = jr_get_str(client, "caBundle");
    const struct jr_node *service = jr_get(client, "service");
    JR_BUF pem = { 0 };

    jr_buf_init(&pem, JR_BUF_BY_INPUT);
    if (ca.n > 0 && jr_need(jr_base64_decode(ca, &pem)) == JR_OK)
        h->ca_pem = jr_xarena_str(&op->arena, jr_buf_str(&pem)).p;
    if (url.n > 0)
        h->url = jr_dev_printf(op, "%.*s%ctimeout=%ds", JR_P(url),
                               jr_str_find(url, '?') < 0 ? '?' : '&', h->timeout_s);
    else
        h->service = jr_dev_printf(op, "%.*s/%.*s", JR_P(jr_get_str(service, "namespace")),
                                   JR_P(jr_get_str(service, "name")));
}

static struct jr_dev_hook *make_hook(struct jr_dev_op *op, const struct jr_node *node,
                                     bool mutating)
{
    struct jr_dev_hook *h = jr_xarena_calloc(&op->arena, 1, sizeof(*h));
    struct jr_str effects = jr_get_str(node, "sideEffects");

    h->mutating = mutating;
    h->fail = !jr_str_is(jr_get_str(node, "failurePolicy"), "Ignore");
    h->side_effects = !jr_str_is(effects, "None") && !jr_str_is(effects, "NoneOnDryRun");
    h->timeout_s = (int)jr_node_i64_or(jr_get(node, "timeoutSeconds"), TIMEOUT_DEFAULT_S);
    h->name = jr_xarena_str(&op->arena, jr_get_str(node, "name")).p;
    fill_client(op, jr_get(node, "clientConfig"), h);
    return h;
}

static bool any_rule_matches(const struct jr_dev_op *op, const struct jr_node *hook)
{
    const struct jr_node *r = jr_first(jr_get(hook, "rules"));

    while (r != NULL && !rule_matches(r, op))
        r = jr_next(r);
    return r != NULL;
}

void jr_dev_hooks_collect(struct jr_dev_op *op, bool mutating)
{
    const struct jr_dev_objects *configs =
        &op->store->lists[mutating ? JR_DEV_MUTATING_CONFIGS : JR_DEV_VALIDATING_CONFIGS];
    struct jr_dev_hook **tail = &op->hook;
    /* Webhooks are never asked about themselves. */
    bool asked = op->res->id != JR_DEV_MUTATING_CONFIGS && op->res->id != JR_DEV_VALIDATING_CONFIGS;

    op->hook = NULL;
    for (size_t i = 0; asked && i < configs->n; i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = jr_dev_object_open(configs->v[i]);

        for (const struct jr_node *h = jr_first(jr_get(jr_doc_root(doc), "webhooks")); h != NULL;
             h = jr_next(h)) {
            if (!any_rule_matches(op, h) || !selectors_match(op, h))
                continue;
            *tail = make_hook(op, h, mutating);
            tail = &(*tail)->next;
        }
    }
}

/* ---- asking ---- */

/* The call failed: failurePolicy decides. */
static bool call_failed(struct jr_dev_op *op, const char *why)
{
    struct jr_cause cause = {
        .message =
            jr_str(jr_dev_printf(op, "failed calling webhook \"%s\": %s", op->hook->name, why)),
    };
    const struct jr_api_status s = {
        .code = 500,
        .reason = JR_S("InternalError"),
        .details = { .causes = { .v = &cause, .n = 1 } },
    };

    return !op->hook->fail ||
           jr_dev_refuse(op, s, "Internal error occurred: %.*s", JR_P(cause.message));
}

bool jr_dev_hook_begin(struct jr_dev_op *op, bool *ret_call)
{
    const struct jr_dev_hook *h = op->hook;

    *ret_call = false;
    if (op->dry_run && h->side_effects)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "admission webhook \"%s\" does not support dry run", h->name);
    if (h->url == NULL)
        return call_failed(
            op, jr_dev_printf(op,
                              "service %s can't be called: the devcluster has no services, use "
                              "clientConfig.url",
                              h->service));
    jr_dev_uid(op->store, op->review_uid);
    jr_dev_review_write(op);
    op->call = (struct jr_dev_webhook){
        .name = h->name,
        .url = h->url,
        .ca_pem = h->ca_pem,
        .body = jr_buf_str(&op->review),
        .timeout_s = h->timeout_s,
    };
    *ret_call = true;
    return true;
}

/* ---- answers ---- */

static bool refuse_denied(struct jr_dev_op *op, const struct jr_node *status)
{
    int64_t code = jr_node_i64_or(jr_get(status, "code"), 403);
    struct jr_str message = jr_get_str(status, "message");
    const struct jr_api_status s = {
        .code = code < 400 || code > 599 ? (code < 400 && code > 0 ? 400 : 403) : (int32_t)code,
        .reason = jr_get_str(status, "reason"),
    };

    if (message.n == 0)
        message = s.reason;
    return jr_dev_refuse(op, s, "admission webhook \"%s\" denied the request%s%.*s", op->hook->name,
                         message.n == 0 ? " without explanation" : ": ", JR_P(message));
}

static bool apply_patch(struct jr_dev_op *op, const struct jr_node *response, bool *ret_patched)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *patch = NULL;
    struct jr_str encoded = jr_get_str(response, "patch");
    struct jr_error err = { 0 };
    char text[800];
    JR_BUF json = { 0 };
    enum jr_status st;

    if (encoded.n == 0)
        return true;
    if (!jr_str_is(jr_get_str(response, "patchType"), "JSONPatch"))
        return call_failed(op, "invalid response: webhook returned response.patch but not "
                               "response.patchType JSONPatch");
    if (!op->hook->mutating || op->doc == NULL)
        return true;
    jr_buf_init(&json, (size_t)64 << 20);
    st = jr_base64_decode(encoded, &json);
    if (st == JR_OK)
        st = jr_doc_parse(jr_buf_str(&json), &JR_READER_LENIENT, &patch, &err);
    if (st == JR_OK)
        st = jr_patch_apply(op->doc, jr_doc_root(patch), &err);
    if (jr_need(st) != JR_OK)
        return call_failed(op, jr_dev_printf(op, "the patch can't be applied: %s",
                                             jr_error_text(&err, text, sizeof(text))));
    *ret_patched = jr_size(jr_doc_root(patch)) > 0;
    return true;
}

static bool apply_response(struct jr_dev_op *op, const struct jr_node *root, bool *ret_patched)
{
    const struct jr_node *response = jr_get(root, "response");

    if (!jr_str_is(jr_get_str(root, "kind"), "AdmissionReview") ||
        (!jr_str_is(jr_get_str(root, "apiVersion"), "admission.k8s.io/v1")))
        return call_failed(op, jr_dev_printf(op,
                                             "expected webhook response of admission.k8s.io/v1, "
                                             "Kind=AdmissionReview, got %.*s, Kind=%.*s",
                                             JR_P(jr_get_str(root, "apiVersion")),
                                             JR_P(jr_get_str(root, "kind"))));
    if (jr_unset(response))
        return call_failed(op, "webhook response was absent");
    if (!jr_str_is(jr_get_str(response, "uid"), op->review_uid))
        return call_failed(op, jr_dev_printf(op, "expected response.uid=\"%s\", got \"%.*s\"",
                                             op->review_uid, JR_P(jr_get_str(response, "uid"))));
    for (const struct jr_node *w = jr_first(jr_get(response, "warnings")); w != NULL;
         w = jr_next(w))
        jr_dev_warn(op, jr_node_str(w));
    if (!jr_node_bool_or(jr_get(response, "allowed"), false))
        return refuse_denied(op, jr_get(response, "status"));
    return apply_patch(op, response, ret_patched);
}

bool jr_dev_hook_end(struct jr_dev_op *op, const struct jr_dev_webhook_result *result,
                     bool *ret_patched)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { 0 };

    *ret_patched = false;
    if (result->failed)
        return call_failed(op, jr_dev_printf(op, "failed to call webhook: Post \"%s\": %s",
                                             op->hook->url,
                                             result->error == NULL ? "no answer" : result->error));
    if (result->status < 200 || result->status > 299)
        return call_failed(op, jr_dev_printf(op,
                                             "failed to call webhook: the server answered with "
                                             "status %d",
                                             result->status));
    if (jr_need(jr_doc_parse(result->body, &JR_READER_LENIENT, &doc, &err)) != JR_OK)
        return call_failed(op, jr_dev_printf(op, "the answer is no AdmissionReview: %s", err.msg));
    return apply_response(op, jr_doc_root(doc), ret_patched);
}
