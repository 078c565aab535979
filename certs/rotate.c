/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be done about the certificates in the Secret, and doing it. */
#include "certs/rotate.h"

#include <stdio.h>

#include "certs/check.h"
#include "common/base/buf.h"
#include "common/base/memory.h"

void jr_certs_done(struct jr_certs *c)
{
    jr_cert_done(&c->ca);
    jr_cert_done(&c->serving);
    jr_cert_done(&c->next_ca);
    free(c->old_ca_pem);
    *c = (struct jr_certs){ .old_ca_pem = NULL };
}

char *jr_certs_bundle(const struct jr_certs *c)
{
    const char *parts[] = { c->ca.cert_pem, c->next_ca.cert_pem, c->old_ca_pem };
    JR_BUF text = { 0 };
    char *all;
    size_t n;

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < JR_ARRAY_SIZE(parts); i++) {
        (void)jr_buf_add(&text, jr_str(parts[i]));
        if (text.n > 0 && text.p[text.n - 1] != '\n')
            (void)jr_buf_addc(&text, '\n');
    }
    jr_must(jr_buf_take(&text, &all, &n));
    return all;
}

/* ---- checking ---- */

bool jr_certs_none(const struct jr_certs *c)
{
    return c->ca.cert_pem == NULL && c->ca.key_pem == NULL && c->serving.cert_pem == NULL &&
           c->serving.key_pem == NULL && c->next_ca.cert_pem == NULL && c->next_ca.key_pem == NULL;
}

/** A deleted Secret is being replaced: there is a next CA alone. */
static bool is_replaced(const struct jr_certs *c)
{
    return c->ca.cert_pem == NULL && c->ca.key_pem == NULL && c->serving.cert_pem == NULL &&
           c->serving.key_pem == NULL && c->next_ca.cert_pem != NULL;
}

/** Says which of the Secret's keys an error is about. */
static enum jr_status name_key(struct jr_error *err, enum jr_status st, const char *key)
{
    if (st != JR_OK && err != NULL)
        (void)snprintf(err->path, sizeof(err->path), "%s", key);
    return st;
}

/** A certificate with its key. */
static enum jr_status check_pair(const struct jr_cert *c, const char *cert_name,
                                 const char *key_name, struct jr_error *err)
{
    const struct jr_cert alone = { c->cert_pem, NULL };
    struct jr_cert_life life;
    enum jr_status st;

    if (c->cert_pem == NULL || c->key_pem == NULL)
        return jr_fail(err, JR_INVALID, c->cert_pem == NULL ? cert_name : key_name,
                       "is missing, though the Secret is not empty");
    st = jr_cert_check(c, &life, err);
    if (st != JR_OK)
        return name_key(err, st,
                        jr_cert_check(&alone, &life, NULL) == JR_OK ? key_name : cert_name);
    return JR_OK;
}

static enum jr_status check_ca(const char *pem, const char *name, struct jr_error *err)
{
    struct jr_cert_life life;

    return pem == NULL ? JR_OK : name_key(err, jr_cert_check_bundle(pem, &life, err), name);
}

/** The CA that signs, and what it has signed. */
static enum jr_status check_present(const struct jr_certs *c, struct jr_error *err)
{
    enum jr_status st = check_pair(&c->ca, "ca.crt", "ca.key", err);

    if (st == JR_OK)
        st = check_ca(c->ca.cert_pem, "ca.crt", err);
    if (st == JR_OK)
        st = check_pair(&c->serving, "tls.crt", "tls.key", err);
    if (st == JR_OK && !jr_cert_signed_by(c->serving.cert_pem, c->ca.cert_pem))
        return jr_fail(err, JR_INVALID, "tls.crt", "is not signed by ca.crt");
    return st;
}

enum jr_status jr_certs_check(const struct jr_certs *c, struct jr_error *err)
{
    enum jr_status st = JR_OK;

    if (!jr_certs_none(c) && !is_replaced(c))
        st = check_present(c, err);
    if (st == JR_OK && (c->next_ca.cert_pem != NULL || c->next_ca.key_pem != NULL))
        st = check_pair(&c->next_ca, "next-ca.crt", "next-ca.key", err);
    if (st == JR_OK)
        st = check_ca(c->next_ca.cert_pem, "next-ca.crt", err);
    if (st == JR_OK)
        st = check_ca(c->old_ca_pem, "old-ca.crt", err);
    return st;
}

/* ---- planning ---- */

static struct jr_cert_life life_of(const struct jr_cert *c)
{
    const struct jr_cert alone = { c->cert_pem, NULL };
    struct jr_cert_life life;

    /* It has passed; one that had not would be over. */
    return jr_cert_check(&alone, &life, NULL) == JR_OK ? life
                                                       : (struct jr_cert_life){ { 0 }, { 0 } };
}

/** When two thirds of a life are over. */
static struct jr_time two_thirds(const struct jr_cert_life *l)
{
    return jr_time_later(l->from, jr_time_diff(l->until, l->from) / 3 * 2);
}

static bool is_over(struct jr_time t, struct jr_time now)
{
    return jr_time_cmp(t, now) <= 0;
}

/** Whether it isn't valid yet, by more than clocks may differ: who made it had a wrong one. */
static bool is_early(const struct jr_cert_life *l, struct jr_time now)
{
    return jr_time_diff(l->from, now) > JR_CERTS_SKEW_NS;
}

static void wait_no_longer(int64_t *wait_ns, struct jr_time t, struct jr_time now)
{
    if (jr_time_diff(t, now) < *wait_ns)
        *wait_ns = jr_time_diff(t, now);
}

/** There is a next CA alone, or nothing. */
static enum jr_certs_step plan_anew(const struct jr_certs *c, const struct jr_certs_view *v,
                                    int64_t *ret_wait_ns)
{
    struct jr_cert_life next;

    if (jr_certs_none(c))
        return c->old_ca_pem == NULL ? JR_CERTS_MAKE_ALL : JR_CERTS_MAKE_NEXT;
    next = life_of(&c->next_ca);
    if (is_over(next.until, v->now) || is_early(&next, v->now))
        return JR_CERTS_MAKE_NEXT;
    if (v->trusted)
        return JR_CERTS_SWITCH;
    *ret_wait_ns = jr_time_diff(next.until, v->now);
    return JR_CERTS_KEEP;
}

/** Whether a serving certificate's time has come. */
static bool is_due(const struct jr_cert *serving, struct jr_time now)
{
    const struct jr_cert_life life = life_of(serving);

    return is_over(two_thirds(&life), now) || is_early(&life, now);
}

static void plan_wait(const struct jr_certs *c, struct jr_time now, int64_t *ret_wait_ns)
{
    const struct jr_cert_life ca = life_of(&c->ca), serving = life_of(&c->serving);

    *ret_wait_ns = INT64_MAX;
    wait_no_longer(ret_wait_ns, two_thirds(&serving), now);
    if (c->next_ca.cert_pem == NULL)
        wait_no_longer(ret_wait_ns, two_thirds(&ca), now);
    if (c->old_ca_pem != NULL)
        wait_no_longer(ret_wait_ns, c->old_until, now);
}

enum jr_certs_step jr_certs_plan(const struct jr_certs *c, const struct jr_certs_options *o,
                                 const struct jr_certs_view *v, int64_t *ret_wait_ns)
{
    const bool next = c->next_ca.cert_pem != NULL;
    struct jr_cert_life ca;

    *ret_wait_ns = 0;
    if (jr_certs_none(c) || is_replaced(c))
        return plan_anew(c, v, ret_wait_ns);
    ca = life_of(&c->ca);
    if (is_over(ca.until, v->now) || is_early(&ca, v->now))
        return JR_CERTS_MAKE_ALL;
    if (next && v->trusted)
        return JR_CERTS_SWITCH;
    if (is_due(&c->serving, v->now) ||
        !jr_cert_names_all(c->serving.cert_pem, o->names, o->n_names))
        return JR_CERTS_RENEW;
    if (!next && is_over(two_thirds(&ca), v->now))
        return JR_CERTS_MAKE_NEXT;
    if (c->old_ca_pem != NULL && (v->all_by_ca || is_over(c->old_until, v->now)))
        return JR_CERTS_DROP_OLD;
    plan_wait(c, v->now, ret_wait_ns);
    return JR_CERTS_KEEP;
}

/* ---- doing ---- */

#define OLD_MAX 128 /* CAs: somebody deletes the Secret again and again */

/** Puts a new certificate in the place of another. */
static void replace_cert(struct jr_cert *c, struct jr_cert *by)
{
    jr_cert_done(c);
    *c = *by;
    *by = (struct jr_cert){ NULL, NULL };
}

static bool is_among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/** Our names, and those that the certificate before has beside them. */
static enum jr_status all_names(const struct jr_certs_options *o, const char *before,
                                struct jr_arena *a, const char *const **ret, size_t *ret_n,
                                struct jr_error *err)
{
    const char *const *had;
    const char **all;
    size_t n_had = 0, n = 0;
    enum jr_status st = jr_cert_names(before, a, &had, &n_had, err);

    if (st != JR_OK)
        return st;
    all = jr_xarena_calloc(a, o->n_names + n_had, sizeof(*all));
    for (size_t i = 0; i < o->n_names; i++)
        all[n++] = o->names[i];
    for (size_t i = 0; i < n_had; i++) {
        if (!is_among(had[i], o->names, o->n_names))
            all[n++] = had[i];
    }
    *ret = all;
    *ret_n = n;
    return JR_OK;
}

/** A serving certificate by ca; before: whose names it keeps, NULL: none's. */
static enum jr_status sign_serving(const struct jr_cert *ca, const struct jr_certs_options *o,
                                   const char *before, struct jr_time now, struct jr_cert *ret,
                                   struct jr_error *err)
{
    JR_ARENA arena = { 0 };
    const char *const *names = o->names;
    size_t n = o->n_names;
    enum jr_status st = JR_OK;

    jr_arena_init(&arena, 0);
    if (before != NULL)
        st = all_names(o, before, &arena, &names, &n, err);
    return st == JR_OK ? jr_cert_make_serving(ca, names, n, now, o->serving_days, ret, err) : st;
}

static enum jr_status make_all(struct jr_certs *c, const struct jr_certs_options *o,
                               struct jr_time now, struct jr_error *err)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs made = { .old_ca_pem = NULL };
    enum jr_status st = jr_cert_make_ca(o->common_name, now, o->ca_days, &made.ca, err);

    if (st == JR_OK)
        st = sign_serving(&made.ca, o, c->serving.cert_pem, now, &made.serving, err);
    if (st != JR_OK)
        return st;
    jr_certs_done(c);
    *c = made;
    made = (struct jr_certs){ .old_ca_pem = NULL };
    return JR_OK;
}

static enum jr_status make_next(struct jr_certs *c, const struct jr_certs_options *o,
                                struct jr_time now, struct jr_error *err)
{
    JR_CLEANUP(jr_cert_done) struct jr_cert next = { NULL, NULL };
    enum jr_status st = jr_cert_make_ca(o->common_name, now, o->ca_days, &next, err);

    if (st == JR_OK)
        replace_cert(&c->next_ca, &next);
    return st;
}

/** The CA that signs becomes an old one. */
static void grow_old(struct jr_certs *c)
{
    const struct jr_time until = life_of(&c->serving).until;

    jr_cert_bundle_add(&c->old_ca_pem, jr_str(c->ca.cert_pem), OLD_MAX);
    if (jr_time_cmp(until, c->old_until) > 0)
        c->old_until = until;
}

static enum jr_status switch_ca(struct jr_certs *c, const struct jr_certs_options *o,
                                struct jr_time now, struct jr_error *err)
{
    JR_CLEANUP(jr_cert_done) struct jr_cert serving = { NULL, NULL };
    enum jr_status st = sign_serving(&c->next_ca, o, c->serving.cert_pem, now, &serving, err);

    if (st != JR_OK)
        return st;
    if (c->ca.cert_pem != NULL)
        grow_old(c);
    else
        c->old_until = jr_time_later(now, JR_CERTS_OLD_NS);
    replace_cert(&c->ca, &c->next_ca);
    replace_cert(&c->serving, &serving);
    return JR_OK;
}

static enum jr_status renew_serving(struct jr_certs *c, const struct jr_certs_options *o,
                                    struct jr_time now, struct jr_error *err)
{
    JR_CLEANUP(jr_cert_done) struct jr_cert serving = { NULL, NULL };
    const char *before = is_due(&c->serving, now) ? NULL : c->serving.cert_pem;
    enum jr_status st = sign_serving(&c->ca, o, before, now, &serving, err);

    if (st == JR_OK)
        replace_cert(&c->serving, &serving);
    return st;
}

enum jr_status jr_certs_apply(struct jr_certs *c, enum jr_certs_step step,
                              const struct jr_certs_options *o, struct jr_time now,
                              struct jr_error *err)
{
    switch (step) {
    case JR_CERTS_KEEP:
        break;
    case JR_CERTS_MAKE_ALL:
        return make_all(c, o, now, err);
    case JR_CERTS_MAKE_NEXT:
        return make_next(c, o, now, err);
    case JR_CERTS_SWITCH:
        return switch_ca(c, o, now, err);
    case JR_CERTS_RENEW:
        return renew_serving(c, o, now, err);
    case JR_CERTS_DROP_OLD:
        free(c->old_ca_pem);
        c->old_ca_pem = NULL;
        c->old_until = (struct jr_time){ 0 };
        break;
    }
    return JR_OK;
}

const char *jr_certs_step_text(enum jr_certs_step step)
{
    static const char *const texts[] = {
        [JR_CERTS_KEEP] = "nothing",
        [JR_CERTS_MAKE_ALL] = "new CA and serving certificate",
        [JR_CERTS_MAKE_NEXT] = "next CA, not yet signing",
        [JR_CERTS_SWITCH] = "the next CA signs from now on",
        [JR_CERTS_RENEW] = "new serving certificate",
        [JR_CERTS_DROP_OLD] = "old CA dropped",
    };

    return texts[step];
}
