#include "common/api/lease.h"

#include "common/json/write.h"

static const struct jr_field spec_fields[] = {
    { "holderIdentity", offsetof(struct jr_lease, holder_identity), jr_decode_str, NULL },
    { "leaseDurationSeconds", offsetof(struct jr_lease, lease_duration_s), jr_decode_opt_i32,
      NULL },
    { "acquireTime", offsetof(struct jr_lease, acquire_time), jr_decode_time, NULL },
    { "renewTime", offsetof(struct jr_lease, renew_time), jr_decode_time, NULL },
    { "leaseTransitions", offsetof(struct jr_lease, lease_transitions), jr_decode_opt_i32, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc spec_desc = { spec_fields };
static const struct jr_field lease_fields[] = {
    { "metadata", offsetof(struct jr_lease, meta), jr_decode_object, &jr_meta_desc },
    { "spec", 0, jr_decode_object, &spec_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc lease_desc = { lease_fields };

enum jr_status jr_lease_decode(struct jr_str text, struct jr_arena *arena, struct jr_lease *ret,
                               struct jr_error *err)
{
    struct jr_lease l = { 0 };
    enum jr_status st =
        jr_decode_lenient(text, arena, true, jr_decode_object, &lease_desc, &l, err);

    if (st == JR_OK)
        *ret = l;
    return st;
}

static void write_micro(struct jr_writer *w, const char *key, struct jr_time t)
{
    char text[JR_TIME_MAX];

    if (jr_time_set(t))
        jr_w_kstr(w, key, jr_str(jr_time_format_micro(t, text)));
}

enum jr_status jr_lease_write(const struct jr_lease *l, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_kstr(&w, "apiVersion", JR_S("coordination.k8s.io/v1"));
    jr_w_kstr(&w, "kind", JR_S("Lease"));
    jr_w_key(&w, "metadata");
    jr_w_object(&w);
    jr_w_opt_kstr(&w, "name", l->meta.name);
    jr_w_opt_kstr(&w, "namespace", l->meta.namespace);
    jr_w_opt_kstr(&w, "resourceVersion", l->meta.resource_version);
    jr_w_object_end(&w);
    jr_w_key(&w, "spec");
    jr_w_object(&w);
    if (l->holder_identity.p != NULL) /* "" says released */
        jr_w_kstr(&w, "holderIdentity", l->holder_identity);
    jr_w_opt_ki32(&w, "leaseDurationSeconds", l->lease_duration_s);
    write_micro(&w, "acquireTime", l->acquire_time);
    write_micro(&w, "renewTime", l->renew_time);
    jr_w_opt_ki32(&w, "leaseTransitions", l->lease_transitions);
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    return out->failed;
}
