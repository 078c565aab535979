/* The whole webhook but for its sockets. The first byte says how the rest is used: a body for the
 * mutating (m) or the validating (v) side; an object that is created (M, V); or two objects with a
 * newline between, the second one old, of an update (U) or of a status update (S). */
#include <stdint.h>
#include <stdlib.h>

#include "common/api/review.h"
#include "common/json/patch.h"
#include "webhook/review.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

/** Answers; false where the body is no review. What must hold for every answer is checked. */
static bool answered(enum jr_endpoint e, struct jr_str body, struct jr_buf *out,
                     struct jr_review_outcome *o)
{
    const struct jr_profile profile = jr_profile_default();
    const struct jr_gate_opts gate = { .dup = JR_DUP_REJECT };
    JR_ARENA arena = { 0 };
    struct jr_error err = { .status = JR_OK };
    enum jr_status st;

    jr_arena_init(&arena, 0);
    jr_buf_init(out, jr_review_answer_max(body));
    st = jr_review_answer_for(e, body, &profile, &arena, out, o, &err);
    must(arena.used <= jr_review_cost(body));
    if (st != JR_OK) {
        must(err.http == 400 || err.http == 413);
        must(err.msg[0] != 0);
        return false;
    }
    must(jr_gate_check(jr_buf_str(out), &gate, NULL) == JR_OK);
    must(o->allowed == (o->code == 0));
    return true;
}

static void add_object(struct jr_buf *b, const char *key, struct jr_str text)
{
    (void)jr_buf_addf(b, ",\"%s\":", key);
    (void)jr_buf_add(b, text);
}

/** A review about a Job, with these objects in it as they are. */
static void make_review(struct jr_buf *b, const char *operation, const char *sub,
                        struct jr_str object, struct jr_str old)
{
    jr_buf_init(b, object.n + old.n + 1000);
    (void)jr_buf_addf(
        b,
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{"
        "\"uid\":\"u\",\"kind\":{\"group\":\"batch\",\"version\":\"v1\",\"kind\":\"Job\"},"
        "\"resource\":{\"group\":\"batch\",\"version\":\"v1\",\"resource\":\"jobs\"},"
        "\"subResource\":\"%s\",\"operation\":\"%s\"",
        sub, operation);
    add_object(b, "object", object);
    if (old.n > 0)
        add_object(b, "oldObject", old);
    (void)jr_buf_adds(b, "}}");
    must(b->failed == JR_OK);
}

/** Applies the answer's patch to the object; false where there is none. */
static bool patched(struct jr_str answer, struct jr_str object, struct jr_buf *ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *patch = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    const struct jr_gate_opts gate = { .dup = JR_DUP_REJECT };
    struct jr_str b64;
    JR_BUF text = { 0 };

    jr_buf_init(&text, answer.n);
    must(jr_doc_parse(answer, &gate, &doc, NULL) == JR_OK);
    b64 = jr_get_str(jr_get(jr_doc_root_const(doc), "response"), "patch");
    if (b64.p == NULL)
        return false;
    must(jr_base64_decode(b64, &text) == JR_OK);
    must(jr_doc_parse(jr_buf_str(&text), &gate, &patch, NULL) == JR_OK);
    must(jr_doc_parse(object, &gate, &job, NULL) == JR_OK);
    must(jr_patch_apply(job, jr_doc_root_const(patch), NULL) == JR_OK);
    must(jr_node_print(jr_doc_root_const(job), ret) == JR_OK);
    return true;
}

/** Mutated once, a Job needs no second mutation. */
static void mutate_twice(struct jr_str object)
{
    const struct jr_str none = { NULL, 0 };
    const struct jr_gate_opts gate = { .dup = JR_DUP_REJECT };
    struct jr_review_outcome o;
    JR_BUF body = { 0 };
    JR_BUF again = { 0 };
    JR_BUF out = { 0 };
    JR_BUF out_again = { 0 };
    JR_BUF after = { 0 };

    jr_buf_init(&after, (size_t)1 << 30);
    make_review(&body, "CREATE", "", object, none);
    if (!answered(JR_ENDPOINT_MUTATE_JOB, jr_buf_str(&body), &out, &o) ||
        jr_gate_check(object, &gate, NULL) != JR_OK || /* it may close the review's own braces */
        !patched(jr_buf_str(&out), object, &after))
        return;
    make_review(&again, "CREATE", "", jr_buf_str(&after), none);
    must(answered(JR_ENDPOINT_MUTATE_JOB, jr_buf_str(&again), &out_again, &o));
    must(o.allowed && !o.patched);
}

static void validate(const char *operation, const char *sub, struct jr_str object,
                     struct jr_str old)
{
    struct jr_review_outcome o;
    JR_BUF body = { 0 };
    JR_BUF out = { 0 };

    make_review(&body, operation, sub, object, old);
    (void)answered(JR_ENDPOINT_VALIDATE_JOB, jr_buf_str(&body), &out, &o);
}

static void ask(enum jr_endpoint e, struct jr_str body)
{
    struct jr_review_outcome o;
    JR_BUF out = { 0 };

    (void)answered(e, body, &out, &o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str rest = { (const char *)data + 1, size - 1 }, object = { NULL, 0 };

    if (size < 2 || size > 200000)
        return 0;
    switch (data[0]) {
    case 'm':
        ask(JR_ENDPOINT_MUTATE_JOB, rest);
        break;
    case 'v':
        ask(JR_ENDPOINT_VALIDATE_JOB, rest);
        break;
    case 'M':
        mutate_twice(rest);
        break;
    case 'V':
        validate("CREATE", "", rest, object);
        break;
    case 'U':
    case 'S':
        if (jr_str_cut(&rest, '\n', &object))
            validate("UPDATE", data[0] == 'S' ? "status" : "", object, rest);
        break;
    }
    return 0;
}
