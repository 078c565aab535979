/* SPDX-License-Identifier: Apache-2.0 */
/* Two CAs of one name, and a certificate that the first one has signed. */
#ifndef JR_TEST_CERTS_PKI_H
#define JR_TEST_CERTS_PKI_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "certs/check.h"

#define NOW jr_time_s(1772366400)
#define DAYS(n) jr_time_s(1772366400 + INT64_C(86400) * (n))

struct pki {
    struct jr_cert ca, other, leaf;
};

/** For so many days: the first CA, the other one, the certificate for these three names. 0: good,
 * as cmocka's setups return it. */
static inline int pki_make(struct pki *p, const char *const *names, unsigned ca_days,
                           unsigned other_days, unsigned leaf_days)
{
    return jr_cert_make_ca("test", NOW, ca_days, &p->ca, NULL) != JR_OK ||
           jr_cert_make_ca("test", NOW, other_days, &p->other, NULL) != JR_OK ||
           jr_cert_make_serving(&p->ca, names, 3, NOW, leaf_days, &p->leaf, NULL) != JR_OK;
}

static inline int pki_teardown(void **state)
{
    struct pki *p = *state;

    jr_cert_done(&p->ca);
    jr_cert_done(&p->other);
    jr_cert_done(&p->leaf);
    return 0;
}

#endif
