/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of answers: what is sent back instead of carrying a request out, and instead of what the
 * store has answered. */
#include "tests/sim/network_parts.h"

#include "common/base/memory.h"

static void refuse_for(struct sim_call *c, int code, const char *reason, const char *message,
                       int retry_after_s, const char *details, struct jr_dev_response *r)
{
    r->kind = JR_DEV_RESPONSE_WHOLE;
    r->status = code;
    r->retry_after_s = retry_after_s;
    r->body = jr_xarena_text(c->call->arena,
                             "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                             "\"status\":\"Failure\",\"message\":\"%s\",\"reason\":\"%s\",%s"
                             "\"code\":%d}",
                             message, reason, details, code);
    sim_trace(c->net->o.report, "%s<  %llu %d %s", c->about.client,
              (unsigned long long)c->about.number, code, reason);
}

/** What is answered instead of carrying a request out. */
static const struct {
    enum sim_fault fault;
    int code;
    bool wait; /* with Retry-After */
    const char *reason, *message, *details;
} refusals[] = {
    { SIM_FAULT_CONFLICT, 409, false, "Conflict", "the object has been modified", "" },
    { SIM_FAULT_TOO_MANY, 429, true, "TooManyRequests", "too many requests", "" },
    { SIM_FAULT_INTERNAL, 500, false, "InternalError", "Internal error occurred: simulated", "" },
    { SIM_FAULT_UNAVAILABLE, 503, false, "ServiceUnavailable", "the server is currently unable",
      "" },
    { SIM_FAULT_BUSY, 503, true, "ServiceUnavailable", "apiserver is shutting down", "" },
    { SIM_FAULT_GONE, 410, false, "Expired", "too old resource version", "" },
    { SIM_FAULT_UNAUTHORIZED, 401, false, "Unauthorized", "Unauthorized", "" },
    { SIM_FAULT_FORBIDDEN, 403, false, "Forbidden", "it is forbidden: User cannot do that", "" },
    { SIM_FAULT_QUOTA, 403, false, "Forbidden", "it is forbidden: exceeded quota: few", "" },
    { SIM_FAULT_DENIED, 403, false, "Forbidden", "admission webhook denied the request: policy",
      "" },
    { SIM_FAULT_BLOCKED, 403, false, "Forbidden", "admission webhook denied the request: no Pod",
      "" },
    { SIM_FAULT_BEHIND, 504, false, "Timeout", "Timeout: Too large resource version: 9, current: 1",
      "\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\","
      "\"message\":\"Too large resource version\"}],\"retryAfterSeconds\":1}," },
};

static bool is_refused(struct sim_call *c, struct jr_dev_response *instead)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(refusals); i++) {
        if (refusals[i].fault != c->fate.fault)
            continue;
        refuse_for(c, refusals[i].code, refusals[i].reason, refusals[i].message,
                   refusals[i].wait ? c->fate.retry_after_s : 0, refusals[i].details, instead);
        return true;
    }
    return c->fate.fault == SIM_FAULT_LOST_UNDONE;
}

bool sim_on_refuse(void *ctx, struct jr_dev_call *call, struct jr_dev_response *instead)
{
    struct sim_net *net = ctx;
    struct sim_call *c = call->data;

    net->o.report->counts.requests++;
    if (c->fate.fault == SIM_FAULT_COMPACT)
        jr_dev_compact(net->o.store, jr_dev_revision(net->o.store));
    if (!is_refused(c, instead))
        return false;
    sim_trace(net->o.report, "api  %llu %s %s %s (%s)", (unsigned long long)c->about.number,
              c->about.client, c->about.method, c->about.path, sim_fault_words(c->fate.fault));
    return true;
}

/** Cuts the body somewhere; that is noticed as a lost connection, or isn't. */
static void cut_body(const struct sim_call *c, struct jr_dev_response *r)
{
    struct sim_dice d = sim_dice(c->net->o.climate->seed, SIM_DICE_STREAM, c->about.number);

    if (!sim_chance(&d, 50))
        r->kind = JR_DEV_RESPONSE_LOST;
    r->body = jr_str_head(r->body, (size_t)sim_below(&d, r->body.n));
}

static void spoil_body(struct sim_call *c, struct jr_dev_response *r)
{
    JR_BUF poisoned = { 0 };

    if (c->about.verb == SIM_VERB_LIST && r->status == 200 && sim_is_poisoned(c, false)) {
        jr_buf_init(&poisoned, SIZE_MAX);
        jr_must(jr_buf_add(&poisoned, r->body));
        sim_poison_list(c, &poisoned);
        r->body = jr_xarena_str(c->call->arena, jr_buf_str(&poisoned));
    }
    if (c->fate.fault == SIM_FAULT_BODY_CUT)
        cut_body(c, r);
}

void sim_on_respond(void *ctx, struct jr_dev_call *call, const struct jr_dev_answer *a, bool wrote,
                    struct jr_dev_response *r)
{
    struct sim_net *net = ctx;
    struct sim_call *c = call->data;

    net->o.report->counts.writes += wrote;
    net->o.hooks.answered(net->o.hooks.ctx, &c->about, a, wrote);
    if (c->fate.fault == SIM_FAULT_LOST_DONE)
        *r = (struct jr_dev_response){ .kind = JR_DEV_RESPONSE_LOST };
    else if (c->fate.fault == SIM_FAULT_GATEWAY_DONE)
        refuse_for(c, 504, "Timeout", "Timeout: request did not complete within the allotted time",
                   0, "", r);
    else if (c->fate.fault == SIM_FAULT_HANG_DONE)
        r->kind = JR_DEV_RESPONSE_NEVER;
    else
        spoil_body(c, r);
}
