/* SPDX-License-Identifier: Apache-2.0 */
#include "common/base/base64.h"
#include "tests/unit/webhook/ask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/api/admission_review.h"
#include "common/json/write.h"

#define BIG ((size_t)64 << 20)

static void put_ref(struct jr_writer *w, const struct pieces *p, const char *key, const char *last,
                    const char *value)
{
    jr_w_key(w, key);
    jr_w_object(w);
    jr_w_kstr(w, "group", jr_str(p->group == NULL ? "batch" : p->group));
    jr_w_kstr(w, "version", jr_str(p->version == NULL ? "v1" : p->version));
    jr_w_kstr(w, last, jr_str(value));
    jr_w_object_end(w);
}

static void put_raw(struct jr_writer *w, const char *key, const char *text)
{
    jr_w_key(w, key);
    if (text == NULL)
        jr_w_null(w);
    else
        jr_w_raw(w, jr_str(text));
}

char *review_of(const struct pieces *p)
{
    JR_BUF b = { 0 };
    struct jr_writer w = jr_writer_on(&b);
    char *text = NULL;
    size_t n;

    jr_buf_init(&b, BIG);
    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S("AdmissionReview"));
    jr_w_kstr(&w, "apiVersion",
              jr_str(p->api_version == NULL ? "admission.k8s.io/v1" : p->api_version));
    jr_w_key(&w, "request");
    jr_w_object(&w);
    jr_w_kstr(&w, "uid", JR_S("u-1"));
    put_ref(&w, p, "kind", "kind", p->kind == NULL ? "Job" : p->kind);
    put_ref(&w, p, "resource", "resource", p->resource == NULL ? "jobs" : p->resource);
    if (p->sub_resource != NULL)
        jr_w_kstr(&w, "subResource", jr_str(p->sub_resource));
    jr_w_kstr(&w, "name", JR_S("pi"));
    jr_w_kstr(&w, "namespace", JR_S("ns"));
    jr_w_kstr(&w, "operation", jr_str(p->operation));
    if (p->user_info != NULL)
        put_raw(&w, "userInfo", p->user_info);
    put_raw(&w, "object", p->object);
    put_raw(&w, "oldObject", p->old_object);
    jr_w_kbool(&w, "dryRun", p->dry_run);
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    assert_int_equal(jr_buf_take(&b, &text, &n), JR_OK);
    return text;
}

char *create_review(enum jr_endpoint e, const char *object, bool dry_run)
{
    bool cron = e == JR_ENDPOINT_MUTATE_CRON_JOB || e == JR_ENDPOINT_VALIDATE_CRON_JOB;
    const struct pieces p = { .kind = cron ? "CronJob" : "Job",
                              .resource = cron ? "cronjobs" : "jobs",
                              .operation = "CREATE",
                              .object = object,
                              .dry_run = dry_run };

    return review_of(&p);
}

static struct jr_doc *patch_of(const struct jr_node *response)
{
    struct jr_str b64 = jr_get_str(response, "patch");
    struct jr_doc *doc;
    JR_BUF b = { 0 };

    jr_buf_init(&b, BIG);
    if (b64.p == NULL)
        return NULL;
    assert_true(jr_str_is(jr_get_str(response, "patchType"), "JSONPatch"));
    assert_int_equal(jr_base64_decode(b64, &b), JR_OK);
    doc = doc_of(jr_buf_str(&b));
    assert_true(jr_size(jr_doc_root(doc)) > 0);
    return doc;
}

enum jr_status answer_review(enum jr_endpoint e, struct jr_str body,
                             const struct jr_review_settings *settings, struct jr_arena *arena,
                             struct jr_buf *out, struct jr_review_outcome *ret,
                             struct jr_error *err)
{
    struct jr_admission_review r;
    enum jr_status st;

    jr_arena_init(arena, jr_review_read_cost(body.n));
    st = jr_review_read(body, arena, &r, err);
    if (st != JR_OK)
        return st;
    arena->limit += jr_review_cost(&r, settings->policies);
    jr_buf_init(out, jr_review_answer_max(&r, settings->policies));
    return jr_review_answer_for(e, &r, settings, arena, out, ret, err);
}

void ask_by(enum jr_endpoint e, struct jr_str body, const struct jr_review_settings *settings,
            struct answer *ret)
{
    JR_ARENA arena = { 0 };
    JR_BUF out = { 0 };
    const struct jr_node *status;

    memset(ret, 0, sizeof(*ret));
    ret->st = answer_review(e, body, settings, &arena, &out, &ret->outcome, &ret->err);
    if (ret->st != JR_OK)
        return;
    ret->doc = doc_of(jr_buf_str(&out));
    ret->response = jr_get(jr_doc_root(ret->doc), "response");
    ret->allowed = jr_node_bool_or(jr_get(ret->response, "allowed"), false);
    assert_int_equal(ret->allowed, ret->outcome.allowed);
    status = jr_get(ret->response, "status");
    ret->code = jr_node_i64_or(jr_get(status, "code"), 0);
    ret->message = jr_get_str(status, "message");
    ret->patch = patch_of(ret->response);
    assert_int_equal(ret->patch != NULL, ret->outcome.patched);
    assert_true(jr_str_is(jr_get_str(jr_doc_root(ret->doc), "kind"), "AdmissionReview"));
}

void ask_with(enum jr_endpoint e, struct jr_str body, const struct jr_profile *profile,
              struct answer *ret)
{
    const struct jr_profiles profiles = jr_profiles_of(profile);
    const struct jr_review_settings settings = { .profiles = &profiles,
                                                 .controller_name = ASK_CONTROLLER };

    ask_by(e, body, &settings, ret);
}

void ask(enum jr_endpoint e, struct jr_str body, struct answer *ret)
{
    const struct jr_profile profile = jr_profile_default();

    ask_with(e, body, &profile, ret);
}

void answer_done(struct answer *a)
{
    jr_doc_free(a->doc);
    jr_doc_free(a->patch);
    a->doc = a->patch = NULL;
}

char *slurp(const char *path)
{
    FILE *f = fopen(path, "rbe");
    JR_BUF b = { 0 };
    char chunk[65536], *text = NULL;
    size_t n;

    if (f == NULL)
        return NULL;
    jr_buf_init(&b, BIG);
    while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
        (void)jr_buf_add(&b, (struct jr_str){ chunk, n });
    (void)fclose(f);
    assert_int_equal(jr_buf_take(&b, &text, &n), JR_OK);
    return text;
}

char *text_of(const struct jr_node *n)
{
    JR_BUF b = { 0 };
    char *text = NULL;
    size_t len;

    jr_buf_init(&b, BIG);
    assert_int_equal(jr_node_print(n, &b), JR_OK);
    assert_int_equal(jr_buf_take(&b, &text, &len), JR_OK);
    return text;
}

void want_answer(const char *name, const struct answer *a, int64_t code, const char *message,
                 bool patch)
{
    if (a->st != JR_OK)
        fail_msg("%s: %s", name, a->err.msg);
    if (a->allowed != (code == 0) || a->code != code || (a->patch != NULL) != patch ||
        (message != NULL && (a->message.p == NULL || strstr(a->message.p, message) == NULL)))
        fail_msg("%s: allowed %d, code %d, patch %d, message %.*s", name, a->allowed, (int)a->code,
                 a->patch != NULL, JR_P(a->message));
}
