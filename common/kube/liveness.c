/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of liveness.h, as functions of times. */
#include "common/kube/liveness.h"

/* The worst case over HTTP/2: a probe is answered, and nothing comes after its answer; the next one
 * goes out AGAIN_NS later, and its answer is due ANSWER_NS after that: 31 s. Over HTTP/1.1, which
 * can't be asked: TRUSTED_NS and JR_LIVENESS_REQUEST_NS, 40 s. The rest of the bound is for the
 * list that says what became of a request without an answer. */
#define TRUSTED_NS (10 * JR_SEC)
#define WAITED_NS (5 * JR_SEC)
#define ANSWER_NS (JR_LIVENESS_ANSWER_MS * JR_MSEC)
/* From probe to probe. A probe has come to its end by then, and with it all that waits on a
 * connection that doesn't answer: else the next probe would be what waits there. */
#define AGAIN_NS (ANSWER_NS + JR_SEC)

void jr_liveness_open(struct jr_liveness *l, struct jr_mono now)
{
    *l = (struct jr_liveness){ .opened = now, .heard = now, .waits = now };
}

bool jr_liveness_trusted(const struct jr_liveness *l, struct jr_mono now)
{
    return now.ns - l->heard.ns < TRUSTED_NS;
}

bool jr_liveness_ask(struct jr_liveness *l, struct jr_mono now, int64_t *after_ns)
{
    int64_t due = l->heard.ns + TRUSTED_NS;

    if (due < l->waits.ns + WAITED_NS)
        due = l->waits.ns + WAITED_NS;
    if (l->asked.ns != 0 && due < l->asked.ns + AGAIN_NS)
        due = l->asked.ns + AGAIN_NS;
    *after_ns = due - now.ns;
    if (*after_ns > 0)
        return false;
    l->asked = now;
    *after_ns = AGAIN_NS;
    return true;
}

bool jr_liveness_suspect(struct jr_mono opened, struct jr_mono heard, struct jr_mono sent)
{
    return opened.ns <= sent.ns && heard.ns <= sent.ns;
}
