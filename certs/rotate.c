#include "certs/rotate.h"

#include <stdio.h>

#include "certs/check.h"

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
    size_t n = 1;
    char *text, *p;

    for (size_t i = 0; i < JR_ARRAY_SIZE(parts); i++)
        n += parts[i] == NULL ? 0 : strlen(parts[i]) + 1;
    text = p = malloc(n);
    if (text == NULL)
        return NULL;
    *p = '\0';
    for (size_t i = 0; i < JR_ARRAY_SIZE(parts); i++) {
        size_t len = parts[i] == NULL ? 0 : strlen(parts[i]);

        if (len == 0)
            continue;
        memcpy(p, parts[i], len + 1);
        p += len;
        if (p[-1] != '\n') {
            *p++ = '\n';
            *p = '\0';
        }
    }
    return text;
}

/* ---- checking ---- */

static bool is_empty(const struct jr_certs *c)
{
    return c->ca.cert_pem == NULL && c->ca.key_pem == NULL && c->serving.cert_pem == NULL &&
           c->serving.key_pem == NULL;
}

/** Says which of the Secret's keys an error is about. */
static enum jr_status at(struct jr_error *err, enum jr_status st, const char *key)
{
    if (st != JR_OK && err != NULL)
        (void)snprintf(err->path, sizeof(err->path), "%s", key);
    return st;
}

static enum jr_status check_begun(const struct jr_cert_life *life, struct jr_time now,
                                  const char *key, struct jr_error *err)
{
    char from[JR_TIME_MAX], here[JR_TIME_MAX];

    if (jr_time_cmp(life->from, now) <= 0)
        return JR_OK;
    return jr_fail(err, JR_INVALID, key,
                   "the certificate is not valid before %s, and here it is %s: a clock is wrong",
                   jr_time_format(life->from, from), jr_time_format(now, here));
}

/** A certificate with its key. */
static enum jr_status check_pair(const struct jr_cert *c, const char *cert_name,
                                 const char *key_name, struct jr_time now, struct jr_error *err)
{
    const struct jr_cert alone = { c->cert_pem, NULL };
    struct jr_cert_life life;
    enum jr_status st;

    if (c->cert_pem == NULL || c->key_pem == NULL)
        return jr_fail(err, JR_INVALID, c->cert_pem == NULL ? cert_name : key_name,
                       "is missing, though the Secret is not empty");
    st = jr_cert_check(c, &life, err);
    if (st != JR_OK)
        return at(err, st, jr_cert_check(&alone, &life, NULL) == JR_OK ? key_name : cert_name);
    return check_begun(&life, now, cert_name, err);
}

static enum jr_status check_ca(const char *pem, const char *name, struct jr_error *err)
{
    struct jr_cert_life life;

    return pem == NULL ? JR_OK : at(err, jr_cert_check_bundle(pem, &life, err), name);
}

enum jr_status jr_certs_check(const struct jr_certs *c, struct jr_time now, struct jr_error *err)
{
    enum jr_status st;

    if (is_empty(c))
        return JR_OK;
    st = check_pair(&c->ca, "ca.crt", "ca.key", now, err);
    if (st == JR_OK)
        st = check_ca(c->ca.cert_pem, "ca.crt", err);
    if (st == JR_OK)
        st = check_pair(&c->serving, "tls.crt", "tls.key", now, err);
    if (st == JR_OK && (c->next_ca.cert_pem != NULL || c->next_ca.key_pem != NULL))
        st = check_pair(&c->next_ca, "next-ca.crt", "next-ca.key", now, err);
    if (st == JR_OK)
        st = check_ca(c->next_ca.cert_pem, "next-ca.crt", err);
    if (st == JR_OK)
        st = check_ca(c->old_ca_pem, "old-ca.crt", err);
    if (st == JR_OK && !jr_cert_signed_by(c->serving.cert_pem, c->ca.cert_pem))
        return jr_fail(err, JR_INVALID, "tls.crt", "is not signed by ca.crt");
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
    return (struct jr_time){ l->from.ns + (l->until.ns - l->from.ns) / 3 * 2 };
}

static bool over(struct jr_time t, struct jr_time now)
{
    return jr_time_cmp(t, now) <= 0;
}

static void sooner(int64_t *wait_ns, struct jr_time t, struct jr_time now)
{
    if (t.ns - now.ns < *wait_ns)
        *wait_ns = t.ns - now.ns;
}

enum jr_certs_step jr_certs_plan(const struct jr_certs *c, const struct jr_certs_options *o,
                                 struct jr_time now, bool trusted, int64_t *ret_wait_ns)
{
    const bool next = c->next_ca.cert_pem != NULL;
    struct jr_cert_life ca, serving;

    *ret_wait_ns = 0;
    if (is_empty(c))
        return JR_CERTS_MAKE_ALL;
    ca = life_of(&c->ca);
    serving = life_of(&c->serving);
    if (over(ca.until, now))
        return JR_CERTS_MAKE_ALL;
    if (next && trusted)
        return JR_CERTS_SWITCH;
    if (over(two_thirds(&serving), now) ||
        !jr_cert_names_all(c->serving.cert_pem, o->names, o->n_names))
        return JR_CERTS_RENEW;
    if (!next && over(two_thirds(&ca), now))
        return JR_CERTS_MAKE_NEXT;
    if (c->old_ca_pem != NULL && over(c->old_until, now))
        return JR_CERTS_DROP_OLD;
    *ret_wait_ns = INT64_MAX;
    sooner(ret_wait_ns, two_thirds(&serving), now);
    if (!next)
        sooner(ret_wait_ns, two_thirds(&ca), now);
    if (c->old_ca_pem != NULL)
        sooner(ret_wait_ns, c->old_until, now);
    return JR_CERTS_KEEP;
}

/* ---- doing ---- */

/** Puts a new certificate in the place of another. */
static void replace(struct jr_cert *c, struct jr_cert *by)
{
    jr_cert_done(c);
    *c = *by;
    *by = (struct jr_cert){ NULL, NULL };
}

static enum jr_status make_all(struct jr_certs *c, const struct jr_certs_options *o,
                               struct jr_time now, struct jr_error *err)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs made = { .old_ca_pem = NULL };
    enum jr_status st = jr_cert_make_ca(o->common_name, now, o->ca_days, &made.ca, err);

    if (st == JR_OK)
        st = jr_cert_make_serving(&made.ca, o->names, o->n_names, now, o->serving_days,
                                  &made.serving, err);
    if (st != JR_OK)
        return st;
    jr_certs_done(c);
    *c = made;
    made = (struct jr_certs){ .old_ca_pem = NULL };
    return JR_OK;
}

static enum jr_status switch_ca(struct jr_certs *c, const struct jr_certs_options *o,
                                struct jr_time now, struct jr_error *err)
{
    JR_CLEANUP(jr_cert_done) struct jr_cert serving = { NULL, NULL };
    struct jr_time until = life_of(&c->serving).until;
    enum jr_status st = jr_cert_make_serving(&c->next_ca, o->names, o->n_names, now,
                                             o->serving_days, &serving, err);

    if (st != JR_OK)
        return st;
    free(c->old_ca_pem);
    c->old_ca_pem = c->ca.cert_pem;
    c->old_until = until;
    c->ca.cert_pem = NULL;
    replace(&c->ca, &c->next_ca);
    replace(&c->serving, &serving);
    return JR_OK;
}

static enum jr_status renew(struct jr_certs *c, const struct jr_certs_options *o,
                            struct jr_time now, struct jr_error *err)
{
    JR_CLEANUP(jr_cert_done) struct jr_cert serving = { NULL, NULL };
    enum jr_status st =
        jr_cert_make_serving(&c->ca, o->names, o->n_names, now, o->serving_days, &serving, err);

    if (st == JR_OK)
        replace(&c->serving, &serving);
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
        return jr_cert_make_ca(o->common_name, now, o->ca_days, &c->next_ca, err);
    case JR_CERTS_SWITCH:
        return switch_ca(c, o, now, err);
    case JR_CERTS_RENEW:
        return renew(c, o, now, err);
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
        [JR_CERTS_KEEP] = "it was gone",
        [JR_CERTS_MAKE_ALL] = "new CA and serving certificate",
        [JR_CERTS_MAKE_NEXT] = "next CA, not yet signing",
        [JR_CERTS_SWITCH] = "the next CA signs from now on",
        [JR_CERTS_RENEW] = "new serving certificate",
        [JR_CERTS_DROP_OLD] = "old CA dropped",
    };

    return texts[step];
}
