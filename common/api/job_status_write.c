/* SPDX-License-Identifier: Apache-2.0 */
/* A Job to text: with another status, all else as it was. */
#include "common/api/job.h"

#include "common/api/parts.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

/* Members of objects in the source are read with a decoder, so that keys come unescaped, and
 * copied to the writer as text. */

static bool is_one_of(struct jr_str key, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (jr_str_is(key, *names))
            return true;
    }
    return false;
}

enum jr_status jr_copy_unknown(struct jr_writer *w, struct jr_str object, const char *const *known)
{
    JR_ARENA arena = { 0 };
    struct jr_decoder d;
    struct jr_str key, value;
    enum jr_status st;
    bool more;

    if (object.n == 0)
        return JR_OK;
    jr_arena_init(&arena, 0);
    jr_decoder_init(&d, object, &arena, false);
    d.reader.lenient = true;
    st = jr_decode_object_begin(&d, &more, NULL);
    while (st == JR_OK && more) {
        st = jr_decode_object_next(&d, &key, &more, NULL);
        if (st == JR_OK && more)
            st = jr_reader_skip(&d.reader, &value, NULL);
        if (st == JR_OK && more && !is_one_of(key, known)) {
            jr_w_keyn(w, key);
            jr_w_raw(w, value);
        }
    }
    return st;
}

/* ---- status ---- */

/** The elements of status.conditions in the source, to find those members of theirs that we don't
 * know. Borrowed from the source but for the array. */
struct old_conditions {
    struct old_condition {
        struct jr_str text;
        struct jr_str type;
    } * v;
    size_t n;
};
struct old_status {
    struct jr_str text; /* the status object, {NULL, 0} = absent */
    struct jr_str uncounted;
    struct old_conditions conditions;
    size_t at; /* behind the condition that was asked for last */
};

TYPE_WITH(old_condition, "JobCondition", DECODED(struct old_condition),
    STRING("type", AT(struct old_condition, type)));

TYPE(old_status, "JobStatus",
    LIST("conditions", old_condition, AT(struct old_status, conditions), WITH_TEXT),
    ANY("uncountedTerminatedPods", AT(struct old_status, uncounted)));

/** Looks on from the last one and once around: a list that kept its order, as ours do, is gone
 * through once, however long another writer has made it. */
static struct jr_str old_condition_text(struct old_status *old, struct jr_str type)
{
    const size_t n = old == NULL ? 0 : old->conditions.n;

    for (size_t i = 0; i < n; i++) {
        const struct old_condition *c = &old->conditions.v[(old->at + i) % n];

        if (jr_str_eq(c->type, type)) {
            old->at = (old->at + i) % n + 1;
            return c->text;
        }
    }
    return (struct jr_str){ NULL, 0 };
}

static enum jr_status write_conditions(const struct jr_job_conditions *c, struct old_status *old,
                                       struct jr_writer *w)
{
    static const char *const known[] = {
        "type", "status", "lastProbeTime", "lastTransitionTime", "reason", "message", NULL
    };
    enum jr_status st = JR_OK;

    jr_w_key(w, "conditions");
    jr_w_array(w);
    for (size_t i = 0; i < c->n && st == JR_OK; i++) {
        jr_w_object(w);
        jr_w_kstr(w, "type", c->v[i].type);
        jr_w_kstr(w, "status", c->v[i].status);
        jr_w_opt_ktime(w, "lastProbeTime", c->v[i].last_probe_time);
        jr_w_opt_ktime(w, "lastTransitionTime", c->v[i].last_transition_time);
        jr_w_opt_kstr(w, "reason", c->v[i].reason);
        jr_w_opt_kstr(w, "message", c->v[i].message);
        st = jr_copy_unknown(w, old_condition_text(old, c->v[i].type), known);
        jr_w_object_end(w);
    }
    jr_w_array_end(w);
    return st;
}

static void write_strs(struct jr_writer *w, const char *key, const struct jr_strs *s)
{
    if (s->n == 0)
        return;
    jr_w_key(w, key);
    jr_w_array(w);
    for (size_t i = 0; i < s->n; i++)
        jr_w_str(w, s->v[i]);
    jr_w_array_end(w);
}

static void write_counter(struct jr_writer *w, const char *key, int32_t v)
{
    if (v != 0)
        jr_w_ki64(w, key, v);
}

/** The whole status object; old (may be NULL) gives what we don't know. */
static enum jr_status write_status(const struct jr_job_status *s, struct old_status *old,
                                   struct jr_writer *w)
{
    static const char *const known[] = { "conditions",
                                         "startTime",
                                         "completionTime",
                                         "active",
                                         "succeeded",
                                         "failed",
                                         "terminating",
                                         "completedIndexes",
                                         "ready",
                                         "failedIndexes",
                                         "uncountedTerminatedPods",
                                         NULL };
    static const char *const known_uncounted[] = { "succeeded", "failed", NULL };
    enum jr_status st = JR_OK;

    jr_w_object(w);
    if (s->conditions.n > 0)
        st = write_conditions(&s->conditions, old, w);
    jr_w_opt_ktime(w, "startTime", s->start_time);
    jr_w_opt_ktime(w, "completionTime", s->completion_time);
    write_counter(w, "active", s->active);
    write_counter(w, "succeeded", s->succeeded);
    write_counter(w, "failed", s->failed);
    jr_w_opt_ki32(w, "terminating", s->terminating);
    jr_w_opt_kstr(w, "completedIndexes", s->completed_indexes);
    if (s->failed_indexes.p != NULL)
        jr_w_kstr(w, "failedIndexes", s->failed_indexes);
    if (s->uncounted.set) {
        jr_w_key(w, "uncountedTerminatedPods");
        jr_w_object(w);
        write_strs(w, "succeeded", &s->uncounted.succeeded);
        write_strs(w, "failed", &s->uncounted.failed);
        if (old != NULL && st == JR_OK)
            st = jr_copy_unknown(w, old->uncounted, known_uncounted);
        jr_w_object_end(w);
    }
    jr_w_opt_ki32(w, "ready", s->ready);
    if (old != NULL && st == JR_OK)
        st = jr_copy_unknown(w, old->text, known);
    jr_w_object_end(w);
    return st == JR_OK ? w->out->failed : st;
}

enum jr_status jr_job_status_write(const struct jr_job_status *st, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    return write_status(st, NULL, &w);
}

/* ---- the object around it ---- */

struct old_object {
    struct jr_str api_version;
    struct jr_str kind;
    struct jr_str metadata;
    struct jr_str status;
};
TYPE(old_object, "Job",
    ANY("kind", AT(struct old_object, kind)),
    ANY("apiVersion", AT(struct old_object, api_version)),
    ANY("metadata", AT(struct old_object, metadata)),
    ANY("status", AT(struct old_object, status)));

static enum jr_status write_metadata(struct jr_str metadata, struct jr_str resource_version,
                                     struct jr_writer *w)
{
    static const char *const known[] = { "resourceVersion", NULL };
    enum jr_status st;

    jr_w_key(w, "metadata");
    if (resource_version.n == 0 && metadata.n > 0) {
        jr_w_raw(w, metadata);
        return JR_OK;
    }
    jr_w_object(w);
    st = jr_copy_unknown(w, metadata, known);
    jr_w_opt_kstr(w, "resourceVersion", resource_version);
    jr_w_object_end(w);
    return st;
}

static void write_or(struct jr_writer *w, const char *key, struct jr_str raw, const char *fallback)
{
    if (raw.n == 0) {
        jr_w_kstr(w, key, jr_str(fallback));
    } else {
        jr_w_key(w, key);
        jr_w_raw(w, raw);
    }
}

enum jr_status jr_job_write_with_status(const struct jr_job *job, const struct jr_job_status *st,
                                        struct jr_str resource_version, struct jr_buf *out)
{
    static const char *const known[] = { "kind", "apiVersion", "metadata", "status", NULL };
    JR_ARENA arena = { 0 };
    struct jr_writer w = jr_writer_on(out);
    struct old_object object = { 0 };
    struct old_status old = { 0 };
    enum jr_status rc;

    if (job->template_dropped)
        return JR_INVALID;
    jr_arena_init(&arena, 0);
    rc = jr_decode_lenient(job->raw, &arena, false, jr_schema_decode, &old_object, &object, NULL);
    if (rc == JR_OK && object.status.n > 0)
        rc = jr_decode_lenient(object.status, &arena, false, jr_schema_decode, &old_status, &old,
                               NULL);
    if (rc != JR_OK)
        return rc;
    old.text = object.status;
    jr_w_object(&w);
    write_or(&w, "kind", object.kind, "Job");
    write_or(&w, "apiVersion", object.api_version, "batch/v1");
    rc = write_metadata(object.metadata, resource_version, &w);
    if (rc == JR_OK)
        rc = jr_copy_unknown(&w, job->raw, known);
    if (rc != JR_OK)
        return rc;
    jr_w_key(&w, "status");
    rc = write_status(st, &old, &w);
    jr_w_object_end(&w);
    return rc == JR_OK ? out->failed : rc;
}
