/* The certificates of a webhook that manages its own: what any number of replicas keep in one
 * Secret, and what has to be done about it now. Pure: the Secret is written, under its
 * resourceVersion, and the webhook configurations are patched elsewhere. */
#ifndef JR_CERTS_ROTATE_H
#define JR_CERTS_ROTATE_H

#include "certs/make.h"

/** What the Secret holds. Zeroed: nothing yet. */
struct jr_certs {
    struct jr_cert ca;        /* ca.crt, ca.key: signs serving certificates */
    struct jr_cert serving;   /* tls.crt, tls.key */
    struct jr_cert next_ca;   /* next-ca.crt, next-ca.key: will sign when all callers trust it; may
                                 be empty */
    char *old_ca_pem;         /* old-ca.crt: signed what a replica may still serve; may be NULL */
    struct jr_time old_until; /* old-ca-until: when the last of these ends */
};
/** Frees, and wipes the keys; safe on zeroed ones and twice. */
void jr_certs_done(struct jr_certs *c);

struct jr_certs_options {
    const char *common_name;  /* of CAs */
    const char *const *names; /* DNS names and IP addresses to serve under */
    size_t n_names;
    unsigned ca_days;      /* 3,650 */
    unsigned serving_days; /* 90, at most a third of ca_days */
};

/** All CAs that callers have to trust, as PEM from malloc: the one that signs, the next and the old
 * one. NULL without memory. */
char *jr_certs_bundle(const struct jr_certs *c);

/** Proves that the Secret's parts fit together: pairs are pairs, CAs are CAs, the serving
 * certificate is one of theirs, and none begins in the future, which is a wrong clock somewhere.
 * An empty one is fine. Errors: JR_INVALID, with err->path the Secret's key ("tls.key"); JR_NOMEM.
 */
enum jr_status jr_certs_check(const struct jr_certs *c, struct jr_time now,
                              struct jr_error *err) JR_MUST_USE;

enum jr_certs_step {
    JR_CERTS_KEEP,
    JR_CERTS_MAKE_ALL,  /* nothing is there, or the CA has ended: nobody can lose by a new one */
    JR_CERTS_MAKE_NEXT, /* two thirds of the CA's life are over: a next one goes into the bundle */
    JR_CERTS_SWITCH,    /* the next CA is trusted everywhere: it signs, the former becomes old */
    JR_CERTS_RENEW,     /* a new serving certificate: two thirds of its life, or other names */
    JR_CERTS_DROP_OLD,  /* what the old CA has signed has ended */
};
/** What is to be done with a Secret that has passed its check, and in how many nanoseconds there
 * may be something again.
 * @param trusted  the whole bundle stands in every webhook configuration, and has for long enough
 *                 that API servers know it */
enum jr_certs_step jr_certs_plan(const struct jr_certs *c, const struct jr_certs_options *o,
                                 struct jr_time now, bool trusted, int64_t *ret_wait_ns);
/** Does a step. On an error c is as before. Errors: as jr_cert_make_serving. */
enum jr_status jr_certs_apply(struct jr_certs *c, enum jr_certs_step step,
                              const struct jr_certs_options *o, struct jr_time now,
                              struct jr_error *err) JR_MUST_USE;
/** Words for the log. */
const char *jr_certs_step_text(enum jr_certs_step step);

#endif
