/* SPDX-License-Identifier: Apache-2.0 */
/* AdmissionReviews: the request from text, the answer to text. */
#include "common/api/admission_review.h"
#include "common/base/base64.h"

#include "common/api/status_write.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

/* ---- the request ---- */

#define REQUEST(member) AT(struct jr_admission_review_request, member)

TYPE_WITH(gvk, "GroupVersionKind", ONCE,
    STRING("group", AT(struct jr_gvk, group)),
    STRING("version", AT(struct jr_gvk, version)),
    STRING("kind", AT(struct jr_gvk, kind)));

TYPE_WITH(gvr, "GroupVersionResource", ONCE,
    STRING("group", AT(struct jr_gvr, group)),
    STRING("version", AT(struct jr_gvr, version)),
    STRING("resource", AT(struct jr_gvr, resource)));

TYPE_WITH(user_info, "UserInfo", ONCE,
    STRING("username", REQUEST(username)),
    STRINGS("groups", REQUEST(groups)));

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
    STRING("kind", AT(struct jr_admission_review, kind)),
    STRING("apiVersion", AT(struct jr_admission_review, api_version)),
    STRUCT_PTR("request", request, AT(struct jr_admission_review, request)));

enum jr_status jr_admission_review_decode(struct jr_str body, struct jr_arena *arena,
                                          struct jr_admission_review *ret, struct jr_error *err)
{
    struct jr_admission_review r = { .bytes = body.n };
    struct jr_decoder d;
    enum jr_status st;

    jr_decoder_init(&d, body, arena, false);
    st = jr_decode_all(&d, jr_schema_decode, &review, &r, err);
    if (st != JR_OK)
        return st;
    r.counts = d.reader.counts;
    *ret = r;
    return JR_OK;
}

enum jr_status jr_admission_review_object(const struct jr_tape *object, struct jr_doc **ret,
                                          struct jr_error *err)
{
    const struct jr_reader_opts opts = { .dup = JR_DUP_REJECT,
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

static void write_response(const struct jr_admission_review_response *a, struct jr_writer *w)
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

enum jr_status jr_admission_review_write(const struct jr_admission_review_response *a,
                                         struct jr_buf *out)
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
