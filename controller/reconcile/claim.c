/* Which Pods are the Job's: those it controls and its selector matches, and those nobody controls
 * and its selector matches, which it adopts. */
#include "controller/reconcile/internal.h"

#include "common/api/field_error.h"
#include "common/rules/selector.h"
#include "controller/reconcile/gang.h"

enum claim { IGNORE, KEEP, ADOPT, ADOPT_REFUSED, RELEASE };

static enum claim claim_of(const struct jr_sync *s, const struct jr_pod *pod)
{
    bool deleted = jr_time_set(s->job->meta.deletion_timestamp);
    bool match;

    if (!jr_str_eq(pod->namespace, s->snap.namespace))
        return IGNORE;
    if (pod->controller.set && !jr_str_eq(pod->controller.uid, s->job->meta.uid))
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

/* ---- patches ---- */

void jr_owner_write(const struct jr_sync *s, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "apiVersion", JR_S("batch/v1"));
    jr_w_kstr(w, "kind", JR_S("Job"));
    jr_w_kstr(w, "name", s->job->meta.name);
    jr_w_kstr(w, "uid", s->job->meta.uid);
    jr_w_kbool(w, "controller", true);
    jr_w_kbool(w, "blockOwnerDeletion", true);
    jr_w_object_end(w);
}

void jr_finalizer_write(const struct jr_sync *s, const char *key, struct jr_writer *w)
{
    jr_w_key(w, key);
    jr_w_array(w);
    jr_w_str(w, s->snap.options->tracking_finalizer);
    jr_w_array_end(w);
}

static void write_adopt(struct jr_sync *s, const struct jr_pod *pod, struct jr_writer *w)
{
    jr_w_key(w, "ownerReferences");
    jr_w_array(w);
    jr_owner_write(s, w);
    jr_w_array_end(w);
    jr_w_kstr(w, "uid", pod->uid);
    jr_finalizer_write(s, "finalizers", w);
}

static void write_release(struct jr_sync *s, const struct jr_pod *pod, struct jr_writer *w)
{
    jr_w_kstr(w, "uid", pod->uid);
    jr_w_key(w, "ownerReferences");
    jr_w_array(w);
    jr_w_object(w);
    jr_w_kstr(w, "$patch", JR_S("delete"));
    jr_w_kstr(w, "uid", s->job->meta.uid);
    jr_w_object_end(w);
    jr_w_array_end(w);
    jr_finalizer_write(s, "$deleteFromPrimitiveList/finalizers", w);
}

static enum jr_status patch(struct jr_sync *s, const struct jr_pod *pod, bool adopt,
                            struct jr_op *op)
{
    JR_BUF b = { 0 };
    struct jr_writer w;

    jr_buf_init(&b, (size_t)64 << 10);
    w = jr_writer_on(&b);
    jr_w_object(&w);
    jr_w_key(&w, "metadata");
    jr_w_object(&w);
    if (adopt)
        write_adopt(s, pod, &w);
    else
        write_release(s, pod, &w);
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    *op = (struct jr_op){ .kind = adopt ? JR_OP_ADOPT_POD : JR_OP_RELEASE_POD,
                          .pod = pod,
                          .after = -1 };
    if (b.failed != JR_OK)
        return b.failed;
    return jr_arena_str(jr_turn(s), jr_buf_str(&b), &op->body) ? JR_OK : JR_NOMEM;
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
static enum jr_status errors_text(struct jr_sync *s, const struct errors *e, struct jr_str *ret)
{
    JR_BUF b = { 0 };

    if (e->n == 1)
        return jr_arena_str(&s->keep, e->shown[0], ret) ? JR_OK : JR_NOMEM;
    jr_buf_init(&b, ERRORS_SHOWN * (ERROR_BYTES + 2) + 64);
    for (size_t i = 0; i < e->n; i++) {
        (void)jr_buf_adds(&b, i == 0 ? "[" : ", ");
        (void)jr_buf_add(&b, e->shown[i]);
    }
    if (e->more > 0)
        (void)jr_buf_addf(&b, ", and %zu more", e->more);
    if (jr_buf_addc(&b, ']') != JR_OK)
        return b.failed;
    return jr_arena_str(&s->keep, jr_buf_str(&b), ret) ? JR_OK : JR_NOMEM;
}

static enum jr_status take_some(struct jr_sync *s, const struct jr_results *r)
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
    return s->cursor < n ? jr_rest(s, take_some) : jr_gang(s);
}

/** The Pods that are the Job's from now on. */
static enum jr_status take_claimed(struct jr_sync *s)
{
    s->pods = jr_arena_calloc(&s->keep, s->snap.n_pods, sizeof(*s->pods));
    if (s->pods == NULL)
        return JR_NOMEM;
    s->cursor = 0;
    return take_some(s, NULL);
}

/** No two of these are equal. */
static void adoption_error(struct jr_sync *s, const struct jr_pod *pod, struct errors *e)
{
    if (e->n < ERRORS_SHOWN)
        add_error(e,
                  jr_kept(s, jr_arena_printf(jr_turn(s), "can't adopt Pod %.*s/%.*s (%.*s): %.*s",
                                             JR_P(pod->namespace), JR_P(pod->name), JR_P(pod->uid),
                                             JR_P(s->live_error))));
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

static enum jr_status after_patches(struct jr_sync *s, const struct jr_results *r)
{
    struct errors e = { .n = 0 };
    struct jr_str text;
    enum jr_status st;
    size_t at = 0;

    for (size_t i = 0; i < s->snap.n_pods; i++) {
        if (s->claims[i] == ADOPT_REFUSED)
            adoption_error(s, s->snap.pods[i], &e);
        else if (s->claims[i] == ADOPT || s->claims[i] == RELEASE)
            read_patch(s, jr_result(r, at++), &s->claims[i], &e);
    }
    if (e.n == 0)
        return take_claimed(s);
    st = errors_text(s, &e, &text);
    return st == JR_OK ? jr_emit_done(s, text) : st;
}

/** The stage of the patches, if there are any. */
static enum jr_status send_patches(struct jr_sync *s)
{
    enum jr_status st = JR_OK;
    struct jr_op *ops;
    size_t n = 0;

    for (size_t i = 0; i < s->snap.n_pods; i++)
        n += s->claims[i] == ADOPT || s->claims[i] == RELEASE;
    if (n == 0)
        return after_patches(s, NULL);
    ops = jr_arena_calloc(jr_turn(s), n, sizeof(*ops));
    if (ops == NULL)
        return JR_NOMEM;
    n = 0;
    for (size_t i = 0; i < s->snap.n_pods && st == JR_OK; i++) {
        if (s->claims[i] == ADOPT || s->claims[i] == RELEASE)
            st = patch(s, s->snap.pods[i], s->claims[i] == ADOPT, &ops[n++]);
    }
    if (st != JR_OK)
        return st;
    jr_emit(s, JR_STAGE_CLAIM, JR_MODE_SEQUENCE, ops, n, after_patches);
    return JR_OK;
}

/* ---- the live recheck ---- */

/** Why the live Job must not adopt, into s->live_error; n = 0: it may. */
static void judge_live(struct jr_sync *s, const struct jr_job *live)
{
    const struct jr_meta *m = &s->job->meta;
    char when[JR_TIME_MAX];

    if (!jr_str_eq(live->meta.uid, m->uid)) {
        s->live_error = jr_kept(
            s,
            jr_arena_printf(&s->keep,
                            "can't recheck DeletionTimestamp: original Job %.*s/%.*s is gone: "
                            "got uid %.*s, wanted %.*s",
                            JR_P(m->namespace), JR_P(m->name), JR_P(live->meta.uid), JR_P(m->uid)));
    } else if (jr_time_set(live->meta.deletion_timestamp)) {
        s->live_error =
            jr_kept(s, jr_arena_printf(&s->keep, "%.*s/%.*s has just been deleted at %s",
                                       JR_P(m->namespace), JR_P(m->name),
                                       jr_time_format(live->meta.deletion_timestamp, when)));
    }
}

static enum jr_status after_live(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);
    JR_CLEANUP(jr_job_unrefp) struct jr_job *live = NULL;
    struct jr_str why = JR_S("malformed answer");
    enum jr_status st = JR_INVALID;

    if (res->outcome == JR_OP_OK)
        st = jr_job_decode(res->body, &live, NULL);
    else
        why = jr_result_message(res);
    if (st == JR_NOMEM)
        return st;
    if (st == JR_OK)
        judge_live(s, live);
    else
        s->live_error = jr_kept(
            s, jr_arena_printf(&s->keep, "can't recheck DeletionTimestamp: %.*s", JR_P(why)));
    for (size_t i = 0; s->live_error.n > 0 && i < s->snap.n_pods; i++) {
        if (s->claims[i] == ADOPT)
            s->claims[i] = ADOPT_REFUSED;
    }
    return send_patches(s);
}

static enum jr_status claim_some(struct jr_sync *s, const struct jr_results *r)
{
    const size_t n = s->snap.n_pods, from = s->cursor;
    struct jr_op *op;

    (void)r;
    for (; s->cursor < n && !jr_slice_over(s, from); s->cursor++)
        s->claims[s->cursor] = (unsigned char)claim_of(s, s->snap.pods[s->cursor]);
    if (s->cursor < n)
        return jr_rest(s, claim_some);
    if (n == 0 || memchr(s->claims, ADOPT, n) == NULL)
        return send_patches(s);
    op = jr_arena_calloc(jr_turn(s), 1, sizeof(*op));
    if (op == NULL)
        return JR_NOMEM;
    *op = (struct jr_op){ .kind = JR_OP_GET_JOB, .after = -1 };
    jr_emit(s, JR_STAGE_GET_JOB, JR_MODE_SEQUENCE, op, 1, after_live);
    return JR_OK;
}

enum jr_status jr_claim(struct jr_sync *s)
{
    /* One that can't be read matches nothing: every Pod would be released. */
    if (!s->job->spec.selector.set || !jr_selector_valid(&s->job->spec.selector))
        return jr_emit_done(s, JR_S("couldn't convert Job selector: it is missing or malformed"));
    s->claims = jr_arena_alloc(&s->keep, s->snap.n_pods);
    if (s->claims == NULL || jr_strset_make(&s->keep, &s->snap.awaited, &s->awaited) != JR_OK ||
        jr_strset_make(&s->keep, &s->snap.spared, &s->spared) != JR_OK)
        return JR_NOMEM;
    s->cursor = 0;
    return claim_some(s, NULL);
}
