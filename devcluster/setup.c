/* SPDX-License-Identifier: Apache-2.0 */
/* Registrations, JobPolicies and faults as requests. */
#include "devcluster/setup.h"

#include <stdio.h>

#include "common/base/base64.h"
#include "common/base/file.h"
#include "common/base/memory.h"
#include "common/json/yaml.h"
#include "common/policy/load.h"
#include "devcluster/faults.h"

#define FILE_MAX_BYTES ((size_t)4 << 20)
#define REGISTRATION "/apis/admissionregistration.k8s.io/v1/"

/* Policies are validated by the webhook, and faults are for those who come after us. */
enum turn { TURN_WEBHOOKS, TURN_POLICIES, TURN_FAULTS };

/** Adds a request with that body, which is emptied, in its turn. */
static void add_step(struct jr_setup *s, enum turn turn, const struct jr_setup_step *step,
                     struct jr_buf *body)
{
    struct jr_setup_step new = *step;
    size_t at = s->n, n;

    new.turn = (int)turn;
    jr_must(jr_buf_take(body, &new.body, &n));
    s->v = jr_xvec_room(s->v, s->n, &s->cap, sizeof(*s->v));
    for (; at > 0 && s->v[at - 1].turn > new.turn; at--)
        s->v[at] = s->v[at - 1];
    s->v[at] = new;
    s->n++;
    s->n_policies += turn == TURN_POLICIES;
}

/* ---- webhooks ---- */

/** A webhook, as the chart names it. */
struct hook {
    const char *verb, *kind;
    const char *group, *version, *resource, *scope;
};
#define BATCH "batch", "v1"
static const struct hook mutating[] = {
    { "mutate", "job", BATCH, "jobs", "Namespaced" },
    { "mutate", "cronjob", BATCH, "cronjobs", "Namespaced" },
};
static const struct hook validating[] = {
    { "validate", "job", BATCH, "jobs", "Namespaced" },
    { "validate", "cronjob", BATCH, "cronjobs", "Namespaced" },
    { "validate", "jobpolicy", "policy.jobreeve.dev", "v1alpha1", "jobpolicies", "Cluster" },
};

static void add_hook(const struct hook *h, const char *address, struct jr_str ca,
                     struct jr_buf *out)
{
    (void)jr_buf_addf(out,
                      "{\"name\": \"%s.%s.jobreeve.dev\", \"clientConfig\": {\"url\": "
                      "\"https://%s/%s-",
                      h->verb, h->kind, address, h->verb);
    for (const char *p = h->group; *p != '\0'; p++)
        (void)jr_buf_addc(out, (char)(*p == '.' ? '-' : *p));
    (void)jr_buf_addf(out,
                      "-%s-%s\", \"caBundle\": \"%.*s\"}, "
                      "\"admissionReviewVersions\": [\"v1\"], \"sideEffects\": \"None\", "
                      "\"failurePolicy\": \"Fail\", \"matchPolicy\": \"Equivalent\", "
                      "\"timeoutSeconds\": 10, \"rules\": [{\"apiGroups\": [\"%s\"], "
                      "\"apiVersions\": [\"%s\"], \"operations\": [\"CREATE\", \"UPDATE\"], "
                      "\"resources\": [\"%s\"], \"scope\": \"%s\"}]}",
                      h->version, h->kind, JR_P(ca), h->group, h->version, h->resource, h->scope);
}

static void add_registration(struct jr_setup *s, const char *kind, const struct hook *hooks,
                             size_t n, const char *address, struct jr_str ca, const char *path)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    (void)jr_buf_addf(&text,
                      "{\"apiVersion\": \"admissionregistration.k8s.io/v1\", \"kind\": \"%s\", "
                      "\"metadata\": {\"name\": \"jobreeve\"}, \"webhooks\": [",
                      kind);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            (void)jr_buf_addc(&text, ',');
        add_hook(&hooks[i], address, ca, &text);
    }
    (void)jr_buf_adds(&text, "]}");
    add_step(s, TURN_WEBHOOKS, &(struct jr_setup_step){ .method = "POST", .path = path }, &text);
}

void jr_setup_webhooks(struct jr_setup *s, const char *address, const char *ca_pem)
{
    JR_BUF ca = { 0 };

    jr_buf_init(&ca, JR_BUF_BY_INPUT);
    jr_must(jr_base64_encode(jr_str(ca_pem), &ca));
    add_registration(s, "MutatingWebhookConfiguration", mutating, JR_ARRAY_SIZE(mutating), address,
                     jr_buf_str(&ca), REGISTRATION "mutatingwebhookconfigurations");
    add_registration(s, "ValidatingWebhookConfiguration", validating, JR_ARRAY_SIZE(validating),
                     address, jr_buf_str(&ca), REGISTRATION "validatingwebhookconfigurations");
}

/* ---- files ---- */

/** A file being read. */
struct reading {
    struct jr_setup *setup;
    struct jr_setup_step step; /* for each of its documents */
    enum turn turn;
};

static enum jr_status take_document(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                    struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *own = doc;
    const struct reading *r = ctx;
    JR_BUF text = { 0 };

    (void)err;
    jr_positions_free(pos);
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_must(jr_node_print(jr_doc_root_const(own), &text));
    add_step(r->setup, r->turn, &r->step, &text);
    return JR_OK;
}

typedef enum jr_status check_fn(const char *file, struct jr_str text, struct jr_error *err);
typedef enum jr_status take_fn(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                               struct jr_error *err);

/** Reads the file, which the step is from, and takes its documents; errors name it. check: of the
 * whole text, before; NULL: there is none. empty: what is said where it has no document. */
static enum jr_status add_file(struct reading *r, check_fn *check, take_fn *take, const char *empty,
                               struct jr_error *err)
{
    const struct jr_yaml_limits limits = { .max_bytes = FILE_MAX_BYTES };
    const size_t before = r->setup->n;
    const char *file = r->step.from;
    JR_FREE char *path = NULL;
    enum jr_status st;
    JR_BUF text = { 0 };

    jr_buf_init(&text, FILE_MAX_BYTES);
    st = jr_need(jr_file_read(file, &text, err));
    if (st == JR_OK && check != NULL)
        st = check(file, jr_buf_str(&text), err);
    if (st != JR_OK)
        return st;
    st = jr_need(jr_yaml_read(jr_buf_str(&text), &limits, take, r, err));
    if (st == JR_OK)
        return r->setup->n > before ? JR_OK : jr_fail(err, JR_INVALID, file, "%s", empty);
    path = jr_xasprintf("%s%s%s", file, err->path[0] == '\0' ? "" : ": ", err->path);
    (void)snprintf(err->path, sizeof(err->path), "%s", path);
    return st;
}

/** Says the first thing that is wrong with the policies, with its line and column. */
static enum jr_status check_policies(const char *file, struct jr_str text, struct jr_error *err)
{
    struct jr_policy_loading l;
    struct jr_policy_set set;
    enum jr_status st = JR_OK;

    /* An exception that has ended is a warning, of which nothing is said here. */
    jr_policy_loading_init(&l, (struct jr_time){ 0 });
    jr_must(jr_policy_load(&l, jr_str(file), text));
    jr_must(jr_policy_loaded(&l, &set));
    for (size_t i = 0; i < l.n_problems && st == JR_OK; i++) {
        JR_BUF words = { 0 };

        if (l.problems[i].warning)
            continue;
        jr_buf_init(&words, JR_BUF_BY_INPUT);
        jr_policy_problem_write(&l.problems[i], &words);
        st = jr_fail(err, JR_INVALID, NULL, "%s", words.p);
    }
    jr_policy_loading_done(&l);
    return st;
}

enum jr_status jr_setup_policies(struct jr_setup *s, const char *file, struct jr_error *err)
{
    struct reading r = { s,
                         { .method = "POST",
                           .path = "/apis/policy.jobreeve.dev/v1alpha1/jobpolicies",
                           .from = file },
                         TURN_POLICIES };

    return add_file(&r, check_policies, take_document, "there is no JobPolicy in it", err);
}

static enum jr_status check_faults(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                   struct jr_error *err)
{
    struct jr_dev_faults *faults = jr_dev_faults_new();
    enum jr_status st = jr_dev_faults_set(faults, jr_doc_root_const(doc), err);

    jr_dev_faults_free(faults);
    if (st == JR_OK)
        return take_document(ctx, doc, pos, err);
    jr_positions_free(pos);
    jr_doc_free(doc);
    return st;
}

enum jr_status jr_setup_faults(struct jr_setup *s, const char *file, struct jr_error *err)
{
    struct reading r = { s,
                         { .method = "PUT", .path = "/devcluster/faults", .from = file },
                         TURN_FAULTS };

    return add_file(&r, NULL, check_faults, "there are no rules in it", err);
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

    if (s->next == s->n || (s->v[s->next].turn == TURN_FAULTS && !s->is_faulty)) {
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
