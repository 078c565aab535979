/* SPDX-License-Identifier: Apache-2.0 */
/* Which Pods are the Job's: those it controls and its selector matches, and those nobody controls
 * and its selector matches, which it adopts. */
#include "controller/reconcile/internal.h"

#include "common/api/field_error.h"
#include "common/rules/selector.h"
#include "controller/reconcile/pod_patches.h"

enum claim { IGNORE, KEEP, ADOPT, ADOPT_REFUSED, RELEASE };

static enum claim claim_of(const struct jr_sync *s, const struct jr_pod *pod)
{
    bool deleted = jr_time_set(s->job->meta.deletion_timestamp);
    bool match;

    if (!jr_str_eq(pod->namespace, s->snap.namespace))
        return IGNORE;
    if (pod->controller.set && !jr_str_eq(jr_pod_str(pod, pod->controller.uid), s->job->meta.uid))
        return IGNORE;
    match = jr_selector_matches_pod(&s->job->spec.selector, pod);
    if (pod->controller.set) {
        if (match)
            return KEEP;
        return deleted ? IGNORE : RELEASE;
    }
    if (deleted || !match || jr_time_set(pod->deletion_timestamp) || s->snap.options->account_only)
        return IGNORE;
    /* Adopted and counted before; the cache lags behind. Adopted again it would count again. */
    return jr_strset_has(&s->awaited, pod->uid) ? IGNORE : ADOPT;
}

/* ---- what came of it ---- */

#define ERRORS_SHOWN 10
#define ERROR_BYTES ((size_t)1 << 10) /* of one that is shown */

/** Errors as upstream's aggregate: one alone as it is, several in brackets, equal ones once. A
 * namespace may have any number of Pods, and a webhook refuse them in any number of words: the
 * first ones are shown, the rest is counted. */
struct errors {
    struct jr_str shown[ERRORS_SHOWN];
    size_t n;
    size_t more;
};

static void add_error(struct errors *e, struct jr_str text)
{
    text = jr_field_shown(text, ERROR_BYTES);
    if (jr_strs_has(&(struct jr_strs){ e->shown, e->n }, text))
        return;
    if (e->n < ERRORS_SHOWN)
        e->shown[e->n++] = text;
    else
        e->more++;
}

/** Into the sync's arena. */
static struct jr_str errors_text(struct jr_sync *s, const struct errors *e)
{
    JR_BUF b = { .max = JR_BUF_BY_INPUT };

    if (e->n == 1)
        return jr_xarena_str(&s->keep, e->shown[0]);
    for (size_t i = 0; i < e->n; i++) {
        (void)jr_buf_adds(&b, i == 0 ? "[" : ", ");
        (void)jr_buf_add(&b, e->shown[i]);
    }
    if (e->more > 0)
        (void)jr_buf_addf(&b, ", and %zu more", e->more);
    jr_must(jr_buf_addc(&b, ']'));
    return jr_xarena_str(&s->keep, jr_buf_str(&b));
}

static const struct jr_stage *take_some(struct jr_sync *s, const struct jr_results *r)
{
    const size_t n = s->snap.n_pods, from = s->cursor;

    (void)r;
    for (; s->cursor < n && !jr_slice_over(s, from); s->cursor++) {
        const struct jr_pod *pod = s->snap.pods[s->cursor];
        const unsigned char claim = s->claims[s->cursor];

        if (claim != KEEP && claim != ADOPT)
            continue;
        /* An adopted Pod counts at once, though the cached one shows no finalizer yet. */
        s->pods[s->n_pods] = (struct jr_rpod){
            .pod = pod,
            .at = s->n_pods,
            .finalizer =
                claim == ADOPT || jr_pod_has_finalizer(pod, s->snap.options->tracking_finalizer),
        };
        s->n_pods++;
    }
    return s->cursor < n ? jr_emit_nothing(s, take_some) : NULL;
}

/** No two of these are equal. */
static void adoption_error(struct jr_sync *s, const struct jr_pod *pod, struct errors *e)
{
    if (e->n < ERRORS_SHOWN)
        add_error(e, jr_xarena_text(jr_stage_arena(s), "can't adopt Pod %.*s/%.*s (%.*s): %.*s",
                                    JR_P(pod->namespace), JR_P(pod->name), JR_P(pod->uid),
                                    JR_P(s->live_error)));
    else
        e->more++;
}

/** One patch's result: whether the Pod stays claimed, and the error if there is one. */
static void read_patch(struct jr_sync *s, const struct jr_op_result *r, unsigned char *claim,
                       struct errors *e)
{
    bool release = *claim == RELEASE;

    jr_note_pod_version(s, r);
    if (r->outcome == JR_OP_OK)
        return;
    *claim = IGNORE;
    if (jr_result_gone(r))
        return;
    /* 422 on a release: the Pod has been made anew under its name, or released by someone else. */
    if (!release || r->outcome != JR_OP_REFUSED || r->http != 422)
        add_error(e, jr_result_message(r));
}

static const struct jr_stage *after_patches(struct jr_sync *s, const struct jr_results *r)
{
    struct errors e = { .n = 0 };
    size_t at = 0;

    for (size_t i = 0; i < s->snap.n_pods; i++) {
        if (s->claims[i] == ADOPT_REFUSED)
            adoption_error(s, s->snap.pods[i], &e);
        else if (s->claims[i] == ADOPT || s->claims[i] == RELEASE)
            read_patch(s, jr_result(r, at++), &s->claims[i], &e);
    }
    if (e.n > 0)
        return jr_emit_done(s, errors_text(s, &e));
    s->pods = jr_xarena_calloc(&s->keep, s->snap.n_pods, sizeof(*s->pods));
    s->cursor = 0;
    return take_some(s, NULL);
}

static struct jr_op patch_of(struct jr_sync *s, const struct jr_pod *pod, bool adopt)
{
    return (struct jr_op){
        .kind = adopt ? JR_OP_ADOPT_POD : JR_OP_RELEASE_POD,
        .pod = pod,
        .body = (adopt ? jr_adopt_patch : jr_release_patch)(
            jr_stage_arena(s), s->snap.options->tracking_finalizer, s->job, pod),
        .after = -1,
    };
}

/** The stage of the patches, if there are any. */
static const struct jr_stage *send_patches(struct jr_sync *s)
{
    struct jr_op *ops;
    size_t n = 0;

    for (size_t i = 0; i < s->snap.n_pods; i++)
        n += s->claims[i] == ADOPT || s->claims[i] == RELEASE;
    if (n == 0)
        return after_patches(s, NULL);
    ops = jr_stage_ops(s, n);
    n = 0;
    for (size_t i = 0; i < s->snap.n_pods; i++) {
        if (s->claims[i] == ADOPT || s->claims[i] == RELEASE)
            ops[n++] = patch_of(s, s->snap.pods[i], s->claims[i] == ADOPT);
    }
    return jr_emit(s, JR_STAGE_CLAIM, JR_MODE_SEQUENCE, ops, n, after_patches);
}

/* ---- the live recheck ---- */

/** Why the live Job must not adopt; n = 0: it may. */
static struct jr_str live_error(struct jr_sync *s, const struct jr_job *live)
{
    const struct jr_meta *m = &s->job->meta;
    char when[JR_TIME_MAX];

    if (!jr_str_eq(live->meta.uid, m->uid))
        return jr_xarena_text(&s->keep,
                              "can't recheck DeletionTimestamp: original Job %.*s/%.*s is gone: "
                              "got uid %.*s, wanted %.*s",
                              JR_P(m->namespace), JR_P(m->name), JR_P(live->meta.uid),
                              JR_P(m->uid));
    if (jr_time_set(live->meta.deletion_timestamp))
        return jr_xarena_text(&s->keep, "%.*s/%.*s has just been deleted at %s", JR_P(m->namespace),
                              JR_P(m->name), jr_time_format(live->meta.deletion_timestamp, when));
    return JR_S("");
}

static const struct jr_stage *after_live(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);
    JR_CLEANUP(jr_job_unrefp) struct jr_job *live = NULL;
    struct jr_str why = JR_S("malformed answer");

    if (res->outcome != JR_OP_OK)
        why = jr_result_message(res);
    else if (jr_need(jr_job_decode(res->body, &live, NULL)) == JR_OK)
        why = JR_S("");
    s->live_error =
        why.n == 0 ? live_error(s, live)
                   : jr_xarena_text(&s->keep, "can't recheck DeletionTimestamp: %.*s", JR_P(why));
    for (size_t i = 0; s->live_error.n > 0 && i < s->snap.n_pods; i++) {
        if (s->claims[i] == ADOPT)
            s->claims[i] = ADOPT_REFUSED;
    }
    return send_patches(s);
}

static const struct jr_stage *claim_some(struct jr_sync *s, const struct jr_results *r)
{
    const size_t n = s->snap.n_pods, from = s->cursor;

    (void)r;
    for (; s->cursor < n && !jr_slice_over(s, from); s->cursor++)
        s->claims[s->cursor] = (unsigned char)claim_of(s, s->snap.pods[s->cursor]);
    if (s->cursor < n)
        return jr_emit_nothing(s, claim_some);
    if (n == 0 || memchr(s->claims, ADOPT, n) == NULL)
        return send_patches(s);
    return jr_emit_one(s, JR_STAGE_GET_JOB, JR_OP_GET_JOB, JR_S(""), after_live);
}

const struct jr_stage *jr_claim(struct jr_sync *s)
{
    /* One that can't be read matches nothing: every Pod would be released. */
    if (!s->job->spec.selector.set || !jr_selector_valid(&s->job->spec.selector))
        return jr_emit_done(s, JR_S("couldn't convert Job selector: it is missing or malformed"));
    s->claims = jr_xarena_calloc(&s->keep, s->snap.n_pods, sizeof(*s->claims));
    s->awaited = jr_strset_make(&s->keep, &s->snap.awaited);
    s->finalizer_lost = jr_strset_make(&s->keep, &s->snap.finalizer_lost);
    s->cursor = 0;
    return claim_some(s, NULL);
}
