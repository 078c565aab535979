/* SPDX-License-Identifier: Apache-2.0 */
/* metav1.Status from text and to text. */
#include "common/api/meta.h"

#include "common/api/status_write.h"
#include "common/base/utf8.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

/* What is kept of an answer, which may hold whatever a webhook has to say: as much as anybody
 * reads, and enough to validate by. */
#define TEXT_MAX ((size_t)16 << 10)
#define CAUSES_MAX 100

#define STATUS(member) AT(struct jr_api_status, member)

TYPE_WITH(cause, "StatusCause", DECODED(struct jr_cause),
    STRING("reason", AT(struct jr_cause, reason)),
    STRING("message", AT(struct jr_cause, message)),
    STRING("field", AT(struct jr_cause, field)));

TYPE(details, "StatusDetails",
    STRING("name", STATUS(details.name)),
    STRING("group", STATUS(details.group)),
    STRING("kind", STATUS(details.kind)),
    STRING("uid", STATUS(details.uid)),
    LIST("causes", cause, STATUS(details.causes), FIRST(CAUSES_MAX)),
    INT32("retryAfterSeconds", STATUS(details.retry_after_s)));

TYPE(list_meta, "ListMeta", STRING("continue", STATUS(continue_token)));

TYPE(status, "Status",
    STRUCT("metadata", list_meta, FLAT),
    STRING("status", STATUS(status)),
    STRING("message", STATUS(message)),
    STRING("reason", STATUS(reason)),
    STRUCT_PTR("details", details, FLAT),
    INT32("code", STATUS(code)));

static void cut(struct jr_str *text)
{
    *text = jr_utf8_head(*text, TEXT_MAX);
}

enum jr_status jr_api_status_decode(struct jr_str text, struct jr_arena *arena,
                                    struct jr_api_status *ret, struct jr_error *err)
{
    struct jr_api_status s = { 0 };
    enum jr_status st = jr_decode_lenient(text, arena, true, jr_schema_decode, &status, &s, err);

    if (st != JR_OK)
        return st;
    cut(&s.message);
    for (size_t i = 0; i < s.details.causes.n; i++) {
        cut(&s.details.causes.v[i].reason);
        cut(&s.details.causes.v[i].message);
        cut(&s.details.causes.v[i].field);
    }
    *ret = s;
    return JR_OK;
}

bool jr_api_status_has_cause(const struct jr_api_status *s, struct jr_str reason)
{
    for (size_t i = 0; i < s->details.causes.n; i++) {
        if (jr_str_eq(s->details.causes.v[i].reason, reason))
            return true;
    }
    return false;
}

static bool has_details(const struct jr_api_status *s)
{
    return s->details.name.n > 0 || s->details.group.n > 0 || s->details.kind.n > 0 ||
           s->details.uid.n > 0 || s->details.causes.n > 0 || s->details.retry_after_s != 0;
}

static void write_details(const struct jr_api_status *s, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_opt_kstr(w, "name", s->details.name);
    jr_w_opt_kstr(w, "group", s->details.group);
    jr_w_opt_kstr(w, "kind", s->details.kind);
    jr_w_opt_kstr(w, "uid", s->details.uid);
    if (s->details.causes.n > 0) {
        jr_w_key(w, "causes");
        jr_w_array(w);
        for (size_t i = 0; i < s->details.causes.n; i++) {
            const struct jr_cause *c = &s->details.causes.v[i];

            jr_w_object(w);
            jr_w_opt_kstr(w, "reason", c->reason);
            jr_w_opt_kstr(w, "message", c->message);
            jr_w_opt_kstr(w, "field", c->field);
            jr_w_object_end(w);
        }
        jr_w_array_end(w);
    }
    if (s->details.retry_after_s != 0)
        jr_w_ki64(w, "retryAfterSeconds", s->details.retry_after_s);
    jr_w_object_end(w);
}

void jr_api_status_write_members(const struct jr_api_status *s, struct jr_writer *w)
{
    jr_w_key(w, "metadata");
    jr_w_object(w);
    jr_w_object_end(w);
    jr_w_opt_kstr(w, "status", s->status);
    jr_w_opt_kstr(w, "message", s->message);
    jr_w_opt_kstr(w, "reason", s->reason);
    if (has_details(s)) {
        jr_w_key(w, "details");
        write_details(s, w);
    }
    if (s->code != 0)
        jr_w_ki64(w, "code", s->code);
}

enum jr_status jr_api_status_write(const struct jr_api_status *s, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S("Status"));
    jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_api_status_write_members(s, &w);
    jr_w_object_end(&w);
    return out->failed;
}
