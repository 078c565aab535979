#include "devcluster/apiserver/admission.h"

#include "common/api/review.h"
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
static enum jr_status selector_matches(struct jr_dev_op *op, const struct jr_node *node,
                                       const struct jr_labels *labels, bool *ret)
{
    struct jr_selector sel = { .set = true };
    struct jr_type_error wrong;
    enum jr_status st;

    *ret = true;
    if (jr_unset(node))
        return JR_OK;
    st = jr_schema_decode_tree(&jr_schema_label_selector, node, 0, &op->arena, &sel, &wrong);
    *ret = st == JR_OK && wrong.why == NULL && jr_selector_matches(&sel, labels);
    return st;
}

static enum jr_status labels_of(struct jr_dev_op *op, const struct jr_node *root,
                                struct jr_labels *ret)
{
    const struct jr_node *map = jr_path(root, "metadata.labels");

    *ret = (struct jr_labels){ NULL, 0 };
    ret->v = jr_arena_calloc(&op->arena, jr_size(map), sizeof(*ret->v));
    if (ret->v == NULL)
        return JR_NOMEM;
    if (jr_node_kind(map) != JR_OBJECT)
        return JR_OK;
    for (const struct jr_node *n = jr_first(map); n != NULL; n = jr_next(n))
        ret->v[ret->n++] = (struct jr_label){ jr_key(n), jr_node_str(n) };
    return JR_OK;
}

static enum jr_status selectors_match(struct jr_dev_op *op, const struct jr_node *hook, bool *ret)
{
    const struct jr_dev_object *ns =
        jr_dev_find(op->store, &jr_dev_resources[JR_DEV_NAMESPACES], JR_S(""), op->namespace);
    struct jr_labels labels = { NULL, 0 };
    enum jr_status st = JR_OK;
    bool match = true;

    if (op->doc != NULL)
        st = labels_of(op, jr_doc_root(op->doc), &labels);
    if (st == JR_OK && op->res->namespaced && ns != NULL)
        st = selector_matches(op, jr_get(hook, "namespaceSelector"), &ns->meta.labels, &match);
    if (st == JR_OK && match && op->res->id == JR_DEV_NAMESPACES)
        st = selector_matches(op, jr_get(hook, "namespaceSelector"), &labels, &match);
    *ret = match;
    if (st != JR_OK || !match)
        return st;
    /* The new object or the old one. */
    *ret = false;
    if (op->doc != NULL)
        st = selector_matches(op, jr_get(hook, "objectSelector"), &labels, ret);
    if (st == JR_OK && !*ret && op->old != NULL)
        st = selector_matches(op, jr_get(hook, "objectSelector"), &op->old->meta.labels, ret);
    return st;
}

static enum jr_status fill_client(struct jr_dev_op *op, const struct jr_node *client,
                                  struct jr_dev_hook *h)
{
    struct jr_str url = jr_get_str(client, "url");
    struct jr_str ca = jr_get_str(client, "caBundle"), copy;
    const struct jr_node *service = jr_get(client, "service");
    JR_BUF pem = { 0 };

    jr_buf_init(&pem, (size_t)4 << 20);
    if (ca.n > 0 && jr_base64_decode(ca, &pem) == JR_OK) {
        if (!jr_arena_str(&op->arena, jr_buf_str(&pem), &copy))
            return JR_NOMEM;
        h->ca_pem = copy.p;
    }
    if (url.n > 0)
        h->url = jr_arena_printf(&op->arena, "%.*s%ctimeout=%ds", JR_P(url),
                                 jr_str_find(url, '?') < 0 ? '?' : '&', h->timeout_s);
    else
        h->service =
            jr_arena_printf(&op->arena, "%.*s/%.*s", JR_P(jr_get_str(service, "namespace")),
                            JR_P(jr_get_str(service, "name")));
    return h->url == NULL && h->service == NULL ? JR_NOMEM : JR_OK;
}

static enum jr_status add_hook(struct jr_dev_op *op, const struct jr_node *node, bool mutating,
                               struct jr_dev_hook ***tail)
{
    struct jr_dev_hook *h = jr_arena_calloc(&op->arena, 1, sizeof(*h));
    struct jr_str effects = jr_get_str(node, "sideEffects");

    if (h == NULL)
        return JR_NOMEM;
    h->mutating = mutating;
    h->fail = !jr_str_is(jr_get_str(node, "failurePolicy"), "Ignore");
    h->side_effects = !jr_str_is(effects, "None") && !jr_str_is(effects, "NoneOnDryRun");
    h->timeout_s = (int)jr_node_i64_or(jr_get(node, "timeoutSeconds"), TIMEOUT_DEFAULT_S);
    h->name = jr_arena_printf(&op->arena, "%.*s", JR_P(jr_get_str(node, "name")));
    if (h->name == NULL || fill_client(op, jr_get(node, "clientConfig"), h) != JR_OK)
        return JR_NOMEM;
    **tail = h;
    *tail = &h->next;
    return JR_OK;
}

static enum jr_status collect_config(struct jr_dev_op *op, const struct jr_dev_object *config,
                                     bool mutating, struct jr_dev_hook ***tail)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st = jr_dev_object_open(config, &doc);

    if (st != JR_OK)
        return JR_NOMEM;
    for (const struct jr_node *h = jr_first(jr_get(jr_doc_root(doc), "webhooks"));
         h != NULL && st == JR_OK; h = jr_next(h)) {
        bool match = false;

        for (const struct jr_node *r = jr_first(jr_get(h, "rules")); r != NULL; r = jr_next(r))
            match = match || rule_matches(r, op);
        if (match)
            st = selectors_match(op, h, &match);
        if (st == JR_OK && match)
            st = add_hook(op, h, mutating, tail);
    }
    return st;
}

enum jr_status jr_dev_hooks_collect(struct jr_dev_op *op, bool mutating)
{
    const struct jr_dev_list *configs =
        &op->store->lists[mutating ? JR_DEV_MUTATING_CONFIGS : JR_DEV_VALIDATING_CONFIGS];
    struct jr_dev_hook **tail = &op->hooks;
    enum jr_status st = JR_OK;

    op->hooks = NULL;
    /* Webhooks are never asked about themselves. */
    if (op->res->id != JR_DEV_MUTATING_CONFIGS && op->res->id != JR_DEV_VALIDATING_CONFIGS) {
        for (size_t i = 0; i < configs->n && st == JR_OK; i++)
            st = collect_config(op, configs->v[i], mutating, &tail);
    }
    op->hook = op->hooks;
    return st;
}

/* ---- asking ---- */

/* The call failed: failurePolicy decides. */
static enum jr_status failed(struct jr_dev_op *op, const char *fmt, ...) JR_PRINTF(2, 3);
static enum jr_status failed(struct jr_dev_op *op, const char *fmt, ...)
{
    JR_BUF why = { 0 };
    va_list ap;
    struct jr_cause cause = { .field = { NULL, 0 } };
    struct jr_api_status s = {
        .code = 500,
        .status = JR_S("Failure"),
        .reason = JR_S("InternalError"),
        .details = { .causes = { .v = &cause, .n = 1 } },
    };
    const char *text;

    if (!op->hook->fail)
        return JR_OK;
    jr_buf_init(&why, (size_t)1 << 20);
    (void)jr_buf_addf(&why, "failed calling webhook \"%s\": ", op->hook->name);
    va_start(ap, fmt);
    enum jr_status st = jr_buf_vaddf(&why, fmt, ap);
    va_end(ap);
    if (st != JR_OK)
        return JR_NOMEM;
    cause.message = jr_buf_str(&why);
    text = jr_arena_printf(&op->arena, "Internal error occurred: %s", why.p);
    s.message = jr_str(text);
    return text == NULL ? JR_NOMEM : jr_dev_refuse(op, &s);
}

enum jr_status jr_dev_hook_begin(struct jr_dev_op *op, bool *ret_call)
{
    const struct jr_dev_hook *h = op->hook;
    enum jr_status st;

    *ret_call = false;
    if (op->dry_run && h->side_effects)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "admission webhook \"%s\" does not support dry run", h->name);
    if (h->url == NULL)
        return failed(op,
                      "service %s can't be called: the devcluster has no services, use "
                      "clientConfig.url",
                      h->service);
    jr_dev_uid(op->store, op->review_uid);
    st = jr_dev_review_write(op);
    if (st != JR_OK)
        return st;
    op->call = (struct jr_dev_webhook){
        .name = h->name,
        .url = h->url,
        .ca_pem = h->ca_pem,
        .body = jr_buf_str(&op->review),
        .timeout_s = h->timeout_s,
    };
    *ret_call = true;
    return JR_OK;
}

/* ---- answers ---- */

static enum jr_status denied(struct jr_dev_op *op, const struct jr_node *status)
{
    int64_t code = jr_node_i64_or(jr_get(status, "code"), 403);
    struct jr_str message = jr_get_str(status, "message");
    struct jr_str reason = jr_get_str(status, "reason");
    struct jr_api_status s = {
        .code = code < 400 || code > 599 ? (code < 400 && code > 0 ? 400 : 403) : (int32_t)code,
        .status = JR_S("Failure"),
        .reason = reason,
    };
    const char *text;

    if (status == NULL || (message.n == 0 && reason.n == 0))
        text = jr_arena_printf(&op->arena,
                               "admission webhook \"%s\" denied the request without explanation",
                               op->hook->name);
    else if (message.n > 0)
        text = jr_arena_printf(&op->arena, "admission webhook \"%s\" denied the request: %.*s",
                               op->hook->name, JR_P(message));
    else
        text = jr_arena_printf(&op->arena, "admission webhook \"%s\" denied the request: %.*s",
                               op->hook->name, JR_P(reason));
    s.message = jr_str(text);
    return text == NULL ? JR_NOMEM : jr_dev_refuse(op, &s);
}

static enum jr_status apply_patch(struct jr_dev_op *op, const struct jr_node *response,
                                  bool *ret_patched)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *patch = NULL;
    struct jr_str encoded = jr_get_str(response, "patch");
    struct jr_error err = { 0 };
    char text[800];
    JR_BUF json = { 0 };
    enum jr_status st;

    if (encoded.n == 0)
        return JR_OK;
    if (!jr_str_is(jr_get_str(response, "patchType"), "JSONPatch"))
        return failed(op, "invalid response: webhook returned response.patch but not "
                          "response.patchType JSONPatch");
    if (!op->hook->mutating)
        return JR_OK;
    jr_buf_init(&json, (size_t)64 << 20);
    st = jr_base64_decode(encoded, &json);
    if (st == JR_OK)
        st = jr_doc_parse(jr_buf_str(&json), &JR_GATE_LENIENT, &patch, &err);
    if (st == JR_OK)
        st = jr_patch_apply(op->doc, jr_doc_root(patch), &err);
    if (st == JR_NOMEM)
        return st;
    if (st != JR_OK)
        return failed(op, "the patch can't be applied: %s", jr_error_text(&err, text, 800));
    *ret_patched = jr_size(jr_doc_root(patch)) > 0;
    return JR_OK;
}

static enum jr_status judge(struct jr_dev_op *op, const struct jr_node *root, bool *ret_patched)
{
    const struct jr_node *response = jr_get(root, "response");
    enum jr_status st = JR_OK;

    if (!jr_str_is(jr_get_str(root, "kind"), "AdmissionReview") ||
        (!jr_str_is(jr_get_str(root, "apiVersion"), "admission.k8s.io/v1")))
        return failed(op,
                      "expected webhook response of admission.k8s.io/v1, "
                      "Kind=AdmissionReview, got %.*s, Kind=%.*s",
                      JR_P(jr_get_str(root, "apiVersion")), JR_P(jr_get_str(root, "kind")));
    if (jr_unset(response))
        return failed(op, "webhook response was absent");
    if (!jr_str_is(jr_get_str(response, "uid"), op->review_uid))
        return failed(op, "expected response.uid=\"%s\", got \"%.*s\"", op->review_uid,
                      JR_P(jr_get_str(response, "uid")));
    for (const struct jr_node *w = jr_first(jr_get(response, "warnings")); w != NULL && st == JR_OK;
         w = jr_next(w))
        st = jr_dev_warn(op, jr_node_str(w));
    if (st == JR_OK && !jr_node_bool_or(jr_get(response, "allowed"), false))
        return denied(op, jr_get(response, "status"));
    return st == JR_OK ? apply_patch(op, response, ret_patched) : st;
}

enum jr_status jr_dev_hook_end(struct jr_dev_op *op, const struct jr_dev_webhook_result *result,
                               bool *ret_patched)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { 0 };

    *ret_patched = false;
    if (result->failed)
        return failed(op, "failed to call webhook: Post \"%s\": %s", op->hook->url,
                      result->error == NULL ? "no answer" : result->error);
    if (result->status < 200 || result->status > 299)
        return failed(op, "failed to call webhook: the server answered with status %d",
                      result->status);
    enum jr_status st = jr_doc_parse(result->body, &JR_GATE_LENIENT, &doc, &err);
    if (st == JR_NOMEM)
        return st;
    if (st != JR_OK)
        return failed(op, "the answer is no AdmissionReview: %s", err.msg);
    return judge(op, jr_doc_root(doc), ret_patched);
}
