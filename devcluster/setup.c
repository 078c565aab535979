/* SPDX-License-Identifier: Apache-2.0 */
/* Registrations, JobPolicies and faults as requests. */
#include "devcluster/setup.h"

#include <stdio.h>

#include "common/base/base64.h"
#include "common/base/file.h"
#include "common/base/memory.h"
#include "common/json/yaml.h"

#define FILE_MAX_BYTES ((size_t)4 << 20)
#define REGISTRATION "/apis/admissionregistration.k8s.io/v1/"

/** Adds a request with that body, which is emptied. */
static void add_step(struct jr_setup *s, const char *method, const char *path, struct jr_buf *body,
                     const char *from)
{
    char *text = NULL;
    size_t n;

    jr_must(jr_buf_take(body, &text, &n));
    s->v = jr_xvec_room(s->v, s->n, &s->cap, sizeof(*s->v));
    s->v[s->n++] = (struct jr_setup_step){ method, path, text, from };
}

/* ---- webhooks ---- */

static void add_hook(const char *verb, const char *kind, const char *address, struct jr_str ca,
                     struct jr_buf *out)
{
    (void)jr_buf_addf(out,
                      "{\"name\": \"%s.%ss.jobreeve.dev\", \"clientConfig\": {\"url\": "
                      "\"https://%s/%s-batch-v1-%s\", \"caBundle\": \"%.*s\"}, "
                      "\"admissionReviewVersions\": [\"v1\"], \"sideEffects\": \"None\", "
                      "\"failurePolicy\": \"Fail\", \"matchPolicy\": \"Equivalent\", "
                      "\"timeoutSeconds\": 10, \"rules\": [{\"apiGroups\": [\"batch\"], "
                      "\"apiVersions\": [\"v1\"], \"operations\": [\"CREATE\", \"UPDATE\"], "
                      "\"resources\": [\"%ss\"], \"scope\": \"Namespaced\"}]}",
                      verb, kind, address, verb, kind, JR_P(ca), kind);
}

static void add_registration(struct jr_setup *s, const char *kind, const char *verb,
                             const char *path, const char *address, struct jr_str ca)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    (void)jr_buf_addf(&text,
                      "{\"apiVersion\": \"admissionregistration.k8s.io/v1\", \"kind\": \"%s\", "
                      "\"metadata\": {\"name\": \"jobreeve\"}, \"webhooks\": [",
                      kind);
    add_hook(verb, "job", address, ca, &text);
    (void)jr_buf_addc(&text, ',');
    add_hook(verb, "cronjob", address, ca, &text);
    (void)jr_buf_adds(&text, "]}");
    add_step(s, "POST", path, &text, NULL);
}

void jr_setup_webhooks(struct jr_setup *s, const char *address, const char *ca_pem)
{
    JR_BUF ca = { 0 };

    jr_buf_init(&ca, JR_BUF_BY_INPUT);
    jr_must(jr_base64_encode(jr_str(ca_pem), &ca));
    add_registration(s, "MutatingWebhookConfiguration", "mutate",
                     REGISTRATION "mutatingwebhookconfigurations", address, jr_buf_str(&ca));
    add_registration(s, "ValidatingWebhookConfiguration", "validate",
                     REGISTRATION "validatingwebhookconfigurations", address, jr_buf_str(&ca));
}

/* ---- files ---- */

/** A file being read. */
struct reading {
    struct jr_setup *setup;
    const char *file;
    const char *kind; /* of its documents; NULL: they are rules of faults */
};

static enum jr_status take_document(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                    struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *own = doc;
    const struct reading *r = ctx;
    const struct jr_node *root = jr_doc_root_const(own);
    JR_BUF text = { 0 };

    jr_positions_free(pos);
    if (r->kind != NULL && !jr_str_is(jr_get_str(root, "kind"), r->kind))
        return jr_fail(err, JR_INVALID, NULL, "kind: expected %s", r->kind);
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_must(jr_node_print(root, &text));
    if (r->kind != NULL)
        add_step(r->setup, "POST", "/apis/policy.jobreeve.dev/v1alpha1/jobpolicies", &text,
                 r->file);
    else
        add_step(r->setup, "PUT", "/devcluster/faults", &text, r->file);
    return JR_OK;
}

static enum jr_status read_file(struct jr_setup *s, const char *file, const char *kind,
                                struct jr_error *err)
{
    const struct jr_yaml_limits limits = { .max_bytes = FILE_MAX_BYTES };
    struct reading r = { s, file, kind };
    enum jr_status st;
    JR_BUF text = { 0 };

    jr_buf_init(&text, FILE_MAX_BYTES);
    st = jr_need(jr_file_read(file, &text, err));
    if (st != JR_OK)
        return st;
    st = jr_need(jr_yaml_read(jr_buf_str(&text), &limits, take_document, &r, err));
    if (st != JR_OK)
        (void)snprintf(err->path, sizeof(err->path), "%s", file);
    return st;
}

enum jr_status jr_setup_policies(struct jr_setup *s, const char *file, struct jr_error *err)
{
    return read_file(s, file, "JobPolicy", err);
}

enum jr_status jr_setup_faults(struct jr_setup *s, const char *file, struct jr_error *err)
{
    return read_file(s, file, NULL, err);
}

/* ---- requests ---- */

static void on_answer(void *ctx, const struct jr_kube_result *r)
{
    struct jr_setup *s = ctx;
    const struct jr_setup_step *step = &s->v[s->next];

    if (r->kind == JR_RESULT_OK) {
        s->next++;
        jr_setup_run(s);
        return;
    }
    (void)jr_fail(&s->err, JR_REMOTE, step->from, "%s%s%s", step->from == NULL ? step->path : "",
                  step->from == NULL ? ": " : "", r->error.msg);
    s->over(s->ctx);
}

void jr_setup_run(struct jr_setup *s)
{
    struct jr_http_request http = { .content_type = "application/json" };

    if (s->next == s->n) {
        s->over(s->ctx);
        return;
    }
    http.method = s->v[s->next].method;
    http.path = s->v[s->next].path;
    http.body = jr_str(s->v[s->next].body);
    s->q.ctx = s;
    jr_requester_send(&s->q, &http, on_answer);
}

void jr_setup_done(struct jr_setup *s)
{
    if (s->q.env.loop != NULL)
        jr_requester_done(&s->q);
    for (size_t i = 0; i < s->n; i++)
        free(s->v[i].body);
    free(s->v);
    s->v = NULL;
    s->n = 0;
}
