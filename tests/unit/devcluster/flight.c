/* SPDX-License-Identifier: Apache-2.0 */
#include "common/base/base64.h"
#include "tests/unit/devcluster/flight.h"

#include <stdio.h>

#include "common/api/admission_review.h"

void configure(struct api *a, const char *path, const char *name, const char *rules,
               const char *more)
{
    char body[2048];

    (void)snprintf(
        body, sizeof(body),
        "{\"metadata\":{\"name\":\"%s\"},\"webhooks\":[{\"name\":\"%s.test.io\","
        "\"admissionReviewVersions\":[\"v1\"],\"sideEffects\":\"None\",\"clientConfig\":{"
        "\"url\":\"https://127.0.0.1:9443/%s\"},\"rules\":[%s]%s}]}",
        name, name, name, rules, more);
    if (api_call(a, "POST", path, body, NULL) != 201)
        fail_msg("%s", a->text.p);
}

static void look(struct flight *f)
{
    jr_doc_free(f->review);
    f->review = NULL;
    if (f->next == JR_DEV_NEXT_WEBHOOK)
        assert_int_equal(
            jr_doc_parse(jr_dev_op_webhook(f->op)->body, &JR_READER_STRICT, &f->review, NULL),
            JR_OK);
}

void begin(struct flight *f, struct api *a, const char *method, const char *path, const char *body,
           const char *type)
{
    const struct jr_dev_request req = {
        .method = method, .path = path, .content_type = type, .body = jr_str(body), .user = "admin"
    };

    *f = (struct flight){ .api = a };
    f->next = jr_dev_begin(a->store, &req, a->now, &f->op);
    look(f);
}

void answer_raw(struct flight *f, const struct jr_dev_webhook_result *r)
{
    assert_int_equal(f->next, JR_DEV_NEXT_WEBHOOK);
    f->next = jr_dev_resume(f->op, r, f->api->now);
    look(f);
}

void answer(struct flight *f, const char *response, const char *patch)
{
    JR_BUF body = { 0 };

    jr_buf_init(&body, 65536);
    (void)jr_buf_addf(&body,
                      "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
                      "\"response\":{\"uid\":\"%s\",%s",
                      api_get_in(jr_doc_root(f->review), "/request/uid"), response);
    if (patch != NULL) {
        (void)jr_buf_adds(&body, ",\"patchType\":\"JSONPatch\",\"patch\":\"");
        assert_int_equal(jr_base64_encode(jr_str(patch), &body), JR_OK);
        (void)jr_buf_adds(&body, "\"");
    }
    (void)jr_buf_adds(&body, "}}");
    answer_raw(f, &(struct jr_dev_webhook_result){ .status = 200, .body = jr_buf_str(&body) });
}

void allow(struct flight *f)
{
    answer(f, "\"allowed\":true", NULL);
}

const char *asked(struct flight *f, const char *pointer)
{
    assert_non_null(f->review);
    return api_get_in(jr_doc_root(f->review), pointer);
}

void end(struct flight *f, int status, const char *words)
{
    const struct jr_dev_answer *a = jr_dev_op_answer(f->op);

    assert_int_equal(f->next, JR_DEV_NEXT_ANSWER);
    if (a->status != status || strstr(a->body.p, words) == NULL)
        fail_msg("%d %s", a->status, a->body.p);
    jr_dev_op_free(f->op);
    jr_doc_free(f->review);
}
