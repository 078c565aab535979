/* SPDX-License-Identifier: Apache-2.0 */
/* The certificates of a webhook that has its own: what the keepers of them keep in one Secret, and
 * what has to be done about it now. Pure: the Secret is written, under its resourceVersion, and the
 * webhook configurations are patched elsewhere.
 *
 * A CA goes in three steps, whether its time has come or somebody has deleted the Secret: the next
 * one is trusted before it signs (MAKE_NEXT), both are while replicas change over (SWITCH), and the
 * former one no longer than that (DROP_OLD). */
#ifndef JR_CERTS_ROTATE_H
#define JR_CERTS_ROTATE_H

#include "certs/make.h"

/** What the Secret holds. Zeroed: nothing yet. Without ca and serving, but with a next CA: the
 * Secret was deleted, and nothing of it is written back, as it may have leaked. */
struct jr_certs {
    struct jr_cert ca;        /* ca.crt, ca.key: signs serving certificates */
    struct jr_cert serving;   /* tls.crt, tls.key */
    struct jr_cert next_ca;   /* next-ca.crt, next-ca.key: will sign when all callers trust it; may
                                 be empty */
    char *old_ca_pem;         /* old-ca.crt: signed what a replica may still serve; may be NULL */
    struct jr_time old_until; /* old-ca-until: when it is dropped, whatever replicas serve */
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
 * one. */
char *jr_certs_bundle(const struct jr_certs *c);

/** Whether there is neither a CA nor a next one. */
bool jr_certs_none(const struct jr_certs *c);
/** Checks that the Secret's parts fit together: pairs are pairs, CAs are CAs, and the serving
 * certificate is one of theirs. An empty one is fine. Errors: JR_INVALID, with err->path the
 * Secret's key ("tls.key"). */
enum jr_status jr_certs_check(const struct jr_certs *c, struct jr_error *err) JR_MUST_USE;

enum jr_certs_step {
    JR_CERTS_KEEP,
    JR_CERTS_MAKE_ALL, /* nothing is there nor trusted, the CA has ended, or begins in the future by
                          a clock that was wrong: nobody can lose by a new one */
    JR_CERTS_MAKE_NEXT, /* two thirds of the CA's life are over, or it is gone: a next one goes into
                           the bundle */
    JR_CERTS_SWITCH,    /* the next CA is trusted everywhere: it signs, the former becomes old */
    JR_CERTS_RENEW,    /* a new serving certificate: two thirds of its life, or a name is missing */
    JR_CERTS_DROP_OLD, /* nobody serves what the old CA has signed, or its time is over */
};
/** What is known beside the Secret. */
struct jr_certs_view {
    struct jr_time now;
    bool trusted; /* the whole bundle stands in every webhook configuration, and has for long enough
                     that API servers know it */
    bool all_by_ca; /* every replica was asked, and serves what the present CA has signed */
};
/** By so much clocks may differ. */
#define JR_CERTS_SKEW_NS (INT64_C(3600) * JR_SEC)
/** For so long after the switch an old CA stays whose Secret was deleted, where replicas can't be
 * asked what they serve; one whose time had come stays until the last of what it has signed ends.
 */
#define JR_CERTS_OLD_NS (INT64_C(3600) * JR_SEC)

/** What is to be done with a Secret that has passed its check, and in how many nanoseconds there
 * may be something again. */
enum jr_certs_step jr_certs_plan(const struct jr_certs *c, const struct jr_certs_options *o,
                                 const struct jr_certs_view *v, int64_t *ret_wait_ns);
/** Does a step. A serving certificate keeps the names of the one before, beside those of the
 * options, but for one that is renewed because of its age: so keepers that disagree about names
 * don't undo each other's work, and what nobody asks for any more goes with time. On an error c is
 * as before. Errors: as jr_cert_make_serving. */
enum jr_status jr_certs_apply(struct jr_certs *c, enum jr_certs_step step,
                              const struct jr_certs_options *o, struct jr_time now,
                              struct jr_error *err) JR_MUST_USE;
/** Words for the log. */
const char *jr_certs_step_text(enum jr_certs_step step);

#endif
