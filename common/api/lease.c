/* SPDX-License-Identifier: Apache-2.0 */
/* Leases from text and to text. */
#include "common/api/lease.h"

#include "common/api/parts.h"
#include "common/json/write.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

enum jr_status jr_lease_decode(struct jr_str text, struct jr_arena *arena, struct jr_lease *ret,
                               struct jr_error *err)
{
    struct jr_lease l = { 0 };
    enum jr_status st =
        jr_decode_lenient(text, arena, true, jr_schema_decode, &jr_schema_lease, &l, err);

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

/** What an old object has beside; {NULL, 0}: nothing. */
struct old_lease {
    struct jr_str meta, spec; /* source text */
};
TYPE(old_lease, "Lease",
    ANY("metadata", AT(struct old_lease, meta)),
    ANY("spec", AT(struct old_lease, spec)));

/** managedFields are the server's to keep; who leaves them out changes nothing about them. */
static enum jr_status write_meta(struct jr_writer *w, const struct jr_meta *m, struct jr_str old)
{
    static const char *const known[] = { "name", "namespace", "resourceVersion", "managedFields",
                                         NULL };
    enum jr_status st;

    jr_w_key(w, "metadata");
    jr_w_object(w);
    jr_w_opt_kstr(w, "name", m->name);
    jr_w_opt_kstr(w, "namespace", m->namespace);
    jr_w_opt_kstr(w, "resourceVersion", m->resource_version);
    st = jr_copy_unknown(w, old, known);
    jr_w_object_end(w);
    return st;
}

static enum jr_status write_spec(struct jr_writer *w, const struct jr_lease *l, struct jr_str old)
{
    static const char *const known[] = { "holderIdentity", "leaseDurationSeconds", "acquireTime",
                                         "renewTime",      "leaseTransitions",     NULL };
    enum jr_status st;

    jr_w_key(w, "spec");
    jr_w_object(w);
    if (l->holder_identity.p != NULL) /* "" says released */
        jr_w_kstr(w, "holderIdentity", l->holder_identity);
    jr_w_opt_ki32(w, "leaseDurationSeconds", l->lease_duration_s);
    write_micro(w, "acquireTime", l->acquire_time);
    write_micro(w, "renewTime", l->renew_time);
    jr_w_opt_ki32(w, "leaseTransitions", l->lease_transitions);
    st = jr_copy_unknown(w, old, known);
    jr_w_object_end(w);
    return st;
}

static enum jr_status write_lease(const struct jr_lease *l, const struct old_lease *old,
                                  struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);
    enum jr_status st;

    jr_w_object(&w);
    jr_w_kstr(&w, "apiVersion", JR_S("coordination.k8s.io/v1"));
    jr_w_kstr(&w, "kind", JR_S("Lease"));
    st = write_meta(&w, &l->meta, old->meta);
    if (st == JR_OK)
        st = write_spec(&w, l, old->spec);
    jr_w_object_end(&w);
    return st == JR_OK ? out->failed : st;
}

enum jr_status jr_lease_write(const struct jr_lease *l, struct jr_buf *out)
{
    return write_lease(l, &(struct old_lease){ 0 }, out);
}

enum jr_status jr_lease_replace(struct jr_str text, const struct jr_lease *l, struct jr_buf *out)
{
    struct old_lease old = { 0 };
    JR_ARENA arena = { 0 };
    enum jr_status st;

    jr_arena_init(&arena, 0);
    st = jr_decode(text, &arena, false, jr_schema_decode, &old_lease, &old, NULL);
    return st == JR_OK ? write_lease(l, &old, out) : st;
}
