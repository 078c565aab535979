#include "common/api/meta.h"

#include "common/api/parts.h"
#include "common/api/status_write.h"

/* What is kept of an answer, which may hold whatever a webhook has to say: as much as anybody
 * reads, and enough to judge by. */
#define TEXT_MAX ((size_t)16 << 10)
#define CAUSES_MAX 100

/** A string, or as much of it as is kept. */
static enum jr_status decode_text(struct jr_decoder *d, void *out, const void *arg,
                                  struct jr_error *err)
{
    struct jr_str *s = out;
    enum jr_status st = jr_decode_str(d, s, arg, err);

    if (st != JR_OK || s->n <= TEXT_MAX)
        return st;
    s->n = TEXT_MAX;
    while (s->n > 0 && ((unsigned char)s->p[s->n] & 0xc0) == 0x80) /* never half a character */
        s->n--;
    return JR_OK;
}

static const struct jr_field cause_fields[] = {
    { "reason", offsetof(struct jr_cause, reason), decode_text, NULL },
    { "message", offsetof(struct jr_cause, message), decode_text, NULL },
    { "field", offsetof(struct jr_cause, field), decode_text, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc cause_desc = { cause_fields };

/** The first causes; the others are passed over. */
static enum jr_status decode_causes(struct jr_decoder *d, void *out, const void *arg,
                                    struct jr_error *err)
{
    struct jr_cause *v = jr_arena_calloc(d->arena, CAUSES_MAX, sizeof(*v));
    struct jr_slice *causes = out;
    size_t n = 0;
    bool more;
    enum jr_status st = jr_decode_array_begin(d, &more, err);

    (void)arg;
    if (v == NULL)
        return jr_decode_fail(d, JR_NOMEM, err, "causes");
    while (st == JR_OK && more) {
        st = jr_decode_array_next(d, &more, err);
        if (st == JR_OK && more)
            st = n < CAUSES_MAX ? jr_decode_object(d, &v[n++], &cause_desc, err)
                                : jr_gate_skip(&d->gate, NULL, err);
    }
    if (st == JR_OK && n > 0)
        *causes = (struct jr_slice){ v, n };
    return st;
}

static const struct jr_field details_fields[] = {
    { "name", offsetof(struct jr_api_status, details.name), jr_decode_str, NULL },
    { "group", offsetof(struct jr_api_status, details.group), jr_decode_str, NULL },
    { "kind", offsetof(struct jr_api_status, details.kind), jr_decode_str, NULL },
    { "uid", offsetof(struct jr_api_status, details.uid), jr_decode_str, NULL },
    { "causes", offsetof(struct jr_api_status, details.causes), decode_causes, NULL },
    { "retryAfterSeconds", offsetof(struct jr_api_status, details.retry_after_s), jr_decode_i32,
      NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc details_desc = { details_fields };
static const struct jr_field status_meta_fields[] = {
    { "continue", offsetof(struct jr_api_status, continue_token), jr_decode_str, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc status_meta_desc = { status_meta_fields };
static const struct jr_field status_fields[] = {
    { "metadata", 0, jr_decode_object, &status_meta_desc },
    { "status", offsetof(struct jr_api_status, status), jr_decode_str, NULL },
    { "message", offsetof(struct jr_api_status, message), decode_text, NULL },
    { "reason", offsetof(struct jr_api_status, reason), jr_decode_str, NULL },
    { "details", 0, jr_decode_object, &details_desc },
    { "code", offsetof(struct jr_api_status, code), jr_decode_i32, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc status_desc = { status_fields };

enum jr_status jr_api_status_decode(struct jr_str text, struct jr_arena *arena,
                                    struct jr_api_status *ret, struct jr_error *err)
{
    struct jr_api_status s = { 0 };
    enum jr_status st =
        jr_decode_lenient(text, arena, true, jr_decode_object, &status_desc, &s, err);

    if (st == JR_OK)
        *ret = s;
    return st;
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
