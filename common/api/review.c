/* AdmissionReviews: the request from text, the answer to text. */
#include "common/api/review.h"

#include "common/api/status_write.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

/* ---- the request ---- */

#define REQUEST(member) AT(struct jr_review_request, member)

TYPE_WITH(gvk, "GroupVersionKind", ONCE,
    STRING("group", AT(struct jr_gvk, group)),
    STRING("version", AT(struct jr_gvk, version)),
    STRING("kind", AT(struct jr_gvk, kind)));

TYPE_WITH(gvr, "GroupVersionResource", ONCE,
    STRING("group", AT(struct jr_gvr, group)),
    STRING("version", AT(struct jr_gvr, version)),
    STRING("resource", AT(struct jr_gvr, resource)));

TYPE_WITH(user_info, "UserInfo", ONCE, STRING("username", REQUEST(username)));

TYPE_WITH(request, "AdmissionRequest", ONCE,
    STRING("uid", REQUEST(uid)),
    STRUCT("kind", gvk, REQUEST(kind)),
    STRUCT("resource", gvr, REQUEST(resource)),
    STRING("subResource", REQUEST(sub_resource)),
    STRING("name", REQUEST(name)),
    STRING("namespace", REQUEST(namespace)),
    STRING("operation", REQUEST(operation)),
    STRUCT("userInfo", user_info, FLAT),
    ANY("object", REQUEST(object)),
    ANY("oldObject", REQUEST(old_object)),
    BOOL_PTR("dryRun", REQUEST(dry_run)));

TYPE_WITH(review, "AdmissionReview", ONCE,
    STRING("kind", AT(struct jr_review, kind)),
    STRING("apiVersion", AT(struct jr_review, api_version)),
    STRUCT_PTR("request", request, AT(struct jr_review, request)));

enum jr_status jr_review_decode(struct jr_str body, struct jr_arena *arena, struct jr_review *ret,
                                struct jr_error *err)
{
    struct jr_review r = { .bytes = body.n };
    struct jr_decoder d;
    enum jr_status st;

    jr_decoder_init(&d, body, arena, false);
    st = jr_decode_all(&d, jr_schema_decode, &review, &r, err);
    if (st != JR_OK)
        return st;
    r.counts = d.gate.counts;
    *ret = r;
    return JR_OK;
}

enum jr_status jr_review_object(const struct jr_tape *object, struct jr_doc **ret,
                                struct jr_error *err)
{
    const struct jr_gate_opts opts = { .dup = JR_DUP_REJECT,
                                       .leave_out = { "metadata", "managedFields" } };

    return jr_doc_build(object, &opts, ret, err);
}

/* ---- the answer ---- */

static void write_patch(struct jr_writer *w, struct jr_str patch)
{
    if (patch.n == 0)
        return;
    jr_w_key(w, "patch");
    jr_w_raw(w, JR_S("\""));
    if (jr_base64_encode(patch, w->out) != JR_OK)
        return; /* it sticks to the buffer */
    (void)jr_buf_addc(w->out, '"');
    jr_w_kstr(w, "patchType", JR_S("JSONPatch"));
}

static void write_response(const struct jr_review_answer *a, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "uid", a->uid);
    jr_w_kbool(w, "allowed", a->allowed);
    if (a->status != NULL) {
        jr_w_key(w, "status");
        jr_w_object(w);
        jr_api_status_write_members(a->status, w);
        jr_w_object_end(w);
    }
    write_patch(w, a->patch);
    if (a->audit_annotations.n > 0) {
        jr_w_key(w, "auditAnnotations");
        jr_w_object(w);
        for (size_t i = 0; i < a->audit_annotations.n; i++) {
            jr_w_keyn(w, a->audit_annotations.v[i].key);
            jr_w_str(w, a->audit_annotations.v[i].value);
        }
        jr_w_object_end(w);
    }
    if (a->warnings.n > 0) {
        jr_w_key(w, "warnings");
        jr_w_array(w);
        for (size_t i = 0; i < a->warnings.n; i++)
            jr_w_str(w, a->warnings.v[i]);
        jr_w_array_end(w);
    }
    jr_w_object_end(w);
}

enum jr_status jr_review_write(const struct jr_review_answer *a, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S("AdmissionReview"));
    jr_w_kstr(&w, "apiVersion", a->api_version);
    jr_w_key(&w, "response");
    write_response(a, &w);
    jr_w_object_end(&w);
    return out->failed;
}

/* ---- base64 (RFC 4648, section 4) ---- */

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum jr_status jr_base64_encode(struct jr_str in, struct jr_buf *out)
{
    const unsigned char *p = (const unsigned char *)in.p;

    (void)jr_buf_reserve(out, in.n / 3 * 4 + 4);
    for (size_t i = 0; i < in.n && out->failed == JR_OK; i += 3) {
        size_t have = in.n - i < 3 ? in.n - i : 3;
        uint32_t v = (uint32_t)p[i] << 16;
        char quad[4] = "====";

        v |= have > 1 ? (uint32_t)p[i + 1] << 8 : 0;
        v |= have > 2 ? (uint32_t)p[i + 2] : 0;
        quad[0] = base64_digits[v >> 18 & 63];
        quad[1] = base64_digits[v >> 12 & 63];
        if (have > 1)
            quad[2] = base64_digits[v >> 6 & 63];
        if (have > 2)
            quad[3] = base64_digits[v & 63];
        (void)jr_buf_add(out, (struct jr_str){ quad, sizeof(quad) });
    }
    return out->failed;
}

/** The value of a digit, -1 for anything else. */
static int base64_value(char c)
{
    const char *at = c == '\0' ? NULL : strchr(base64_digits, c);

    return at == NULL ? -1 : (int)(at - base64_digits);
}

/** Decodes four digits, the last `pad` of them '='. The bits that padding leaves over must be 0. */
static bool base64_quad(const char *p, size_t pad, struct jr_buf *out)
{
    uint32_t v = 0;
    char bytes[3];

    for (size_t i = 0; i < 4; i++) {
        int digit = i >= 4 - pad ? 0 : base64_value(p[i]);

        if (digit < 0)
            return false;
        v = v << 6 | (uint32_t)digit;
    }
    if (pad > 0 && (v & (pad == 1 ? 0xffu : 0xffffu)) != 0)
        return false;
    bytes[0] = (char)(v >> 16 & 0xff);
    bytes[1] = (char)(v >> 8 & 0xff);
    bytes[2] = (char)(v & 0xff);
    (void)jr_buf_add(out, (struct jr_str){ bytes, 3 - pad });
    return true;
}

enum jr_status jr_base64_decode(struct jr_str in, struct jr_buf *out)
{
    size_t start = out->n;
    size_t pad = 0;

    if (in.n % 4 != 0)
        return JR_SYNTAX;
    if (in.n > 0 && in.p[in.n - 1] == '=')
        pad = in.p[in.n - 2] == '=' ? 2 : 1;
    (void)jr_buf_reserve(out, in.n / 4 * 3 + 1);
    for (size_t i = 0; i < in.n && out->failed == JR_OK; i += 4) {
        if (base64_quad(in.p + i, i + 4 == in.n ? pad : 0, out))
            continue;
        if (out->failed == JR_OK) { /* leave no half behind */
            out->n = start;
            if (out->p != NULL)
                out->p[start] = '\0';
        }
        return JR_SYNTAX;
    }
    return out->failed;
}
