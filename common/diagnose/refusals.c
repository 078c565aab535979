/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that the API server refuses, by what the Job controller's event quotes of it. The words are
 * those of the admission plugins; tests/diagnose/words.csv has them, with versions. */
#include "common/diagnose/internal.h"
#include "common/schema/quantity.h"

#define ERROR_CREATING "Error creating: "

/** A refusal that is looked at. */
struct refusal {
    struct question *q;
    struct jr_str message;
    struct jr_str namespace; /* of the Job */
    size_t pods;             /* how many are missing */
};

typedef struct finding *refusal_fn(const struct refusal *r);

static struct finding *find(const struct refusal *r, const char *id, enum jr_verdict verdict,
                            enum actor who, struct jr_str text)
{
    return jr_find(r->q, id, verdict, who, r->pods, text);
}

/** One that the template has to be changed for. */
static struct finding *find_template(const struct refusal *r, const char *id, struct jr_str text)
{
    struct finding *f =
        find(r, id, JR_VERDICT_HAND, ACTOR_AUTHOR,
             jr_text(r->q, "%.*s. %.*s", JR_P(text), JR_P(jr_where_template(r->q))));

    jr_suggest_template(r->q, f);
    return f;
}

/* ---- quotas ---- */

/** The quantity of a resource in "a=1,b=2"; false: it isn't there, or no quantity. */
static bool amount_of(struct jr_str list, struct jr_str resource, struct jr_quantity *ret)
{
    struct jr_str part;

    while (jr_str_cut(&list, ',', &part)) {
        struct jr_str name;

        if (jr_str_cut(&part, '=', &name) && jr_str_eq(jr_str_trim(name), resource))
            return jr_quantity_parse(jr_str_trim(part), ret) == JR_OK;
    }
    return false;
}

/** Whether one Pod asks for more of something than the quota has in all. */
static bool never_fits(struct jr_str requested, struct jr_str limited)
{
    struct jr_str part, rest = requested;

    while (jr_str_cut(&rest, ',', &part)) {
        struct jr_quantity want, most;
        struct jr_str name;

        if (jr_str_cut(&part, '=', &name) && jr_quantity_parse(jr_str_trim(part), &want) == JR_OK &&
            amount_of(limited, jr_str_trim(name), &most) && jr_quantity_cmp(&want, &most) > 0)
            return true;
    }
    return false;
}

static struct finding *quota_exceeded(const struct refusal *r)
{
    struct question *q = r->q;
    const struct jr_str name = jr_behind(r->message, "exceeded quota: ", ",");
    const struct jr_str requested = jr_behind(r->message, "requested: ", " ");
    const struct jr_str used = jr_behind(r->message, "used: ", " ");
    const struct jr_str limited = jr_behind(r->message, "limited: ", " ");
    const struct jr_str numbers = jr_text(
        q, "a Pod asks for %.*s; used: %.*s; allowed: %.*s",
        JR_P(jr_str_ends(requested, JR_S(",")) ? jr_str_head(requested, requested.n - 1)
                                               : requested),
        JR_P(jr_str_ends(used, JR_S(",")) ? jr_str_head(used, used.n - 1) : used), JR_P(limited));
    struct finding *f;

    if (jr_str_starts(requested, JR_S("count/"))) {
        f = find(
            r, "quota-objects", JR_VERDICT_HAND, ACTOR_AUTHOR,
            jr_text(q,
                    "The quota %.*s counts objects, finished ones as well, and allows no more: "
                    "%.*s. Old ones have to be deleted (a TTL does it), or the quota be raised.",
                    JR_P(name), JR_P(numbers)));
    } else if (never_fits(requested, limited)) {
        f = find_template(r, "quota-never",
                          jr_text(q, "The quota %.*s can never hold a Pod of the Job: %.*s",
                                  JR_P(name), JR_P(numbers)));
    } else {
        f = find(r, "quota-exceeded", JR_VERDICT_MOVES, ACTOR_NOBODY,
                 jr_text(q,
                         "The quota %.*s is used up, so that Pods are refused: %.*s. The "
                         "controller goes on trying, and makes them once there is room.",
                         JR_P(name), JR_P(numbers)));
    }
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe quota %.*s -n %.*s", JR_W(q, name),
                   JR_W(q, r->namespace));
    return f;
}

static struct finding *quota_must_specify(const struct refusal *r)
{
    struct question *q = r->q;
    struct finding *f = find_template(
        r, "quota-must-specify",
        jr_text(q,
                "The quota %.*s refuses all Pods that do not say their requests and limits, and "
                "these do not, however often it is tried: must specify %.*s",
                JR_P(jr_behind(r->message, "failed quota: ", ":")),
                JR_P(jr_quote(q, jr_behind(r->message, "must specify ", "")))));

    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get limitrange -n %.*s", JR_W(q, r->namespace));
    return f;
}

static struct finding *quota_unknown(const struct refusal *r)
{
    return find(r, "quota-unknown", JR_VERDICT_MOVES, ACTOR_NOBODY,
                jr_text(r->q, "The quota %.*s is new, and is not counted yet: Pods are made then.",
                        JR_P(jr_behind(r->message, "status unknown for quota: ", ","))));
}

static struct finding *limit_range(const struct refusal *r)
{
    struct question *q = r->q;
    struct finding *f =
        find_template(r, "limitrange",
                      jr_text(q, "Each Pod is refused by a LimitRange of the namespace: %.*s",
                              JR_P(jr_quote(q, jr_behind(r->message, "is forbidden: ", "")))));

    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe limitrange -n %.*s",
                   JR_W(q, r->namespace));
    return f;
}

/* ---- admission ---- */

static struct finding *pod_security(const struct refusal *r)
{
    struct question *q = r->q;
    struct finding *f = find_template(
        r, "pod-security",
        jr_text(q,
                "Each Pod is refused: the namespace %.*s enforces Pod Security \"%.*s\", which the "
                "template violates: %.*s",
                JR_P(r->namespace), JR_P(jr_behind(r->message, "violates PodSecurity \"", "\"")),
                JR_P(jr_quote(q, jr_behind(r->message, "\": ", "")))));

    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get namespace %.*s --show-labels",
                   JR_W(q, r->namespace));
    return f;
}

static struct finding *webhook_denied(const struct refusal *r)
{
    struct question *q = r->q;

    return find_template(
        r, "webhook-denied",
        jr_text(q, "Each Pod is refused by the admission webhook %.*s: %.*s",
                JR_P(jr_behind(r->message, "admission webhook \"", "\"")),
                JR_P(jr_quote(q, jr_behind(r->message, "denied the request: ", "")))));
}

static struct finding *policy_denied(const struct refusal *r)
{
    struct question *q = r->q;

    return find_template(
        r, "policy-denied",
        jr_text(q, "Each Pod is refused by the ValidatingAdmissionPolicy %.*s (binding %.*s): %.*s",
                JR_P(jr_behind(r->message, "ValidatingAdmissionPolicy '", "'")),
                JR_P(jr_behind(r->message, "with binding '", "'")),
                JR_P(jr_quote(q, jr_behind(r->message, "denied request: ", "")))));
}

static struct finding *webhook_down(const struct refusal *r)
{
    struct question *q = r->q;
    const struct jr_str host = jr_behind(r->message, "https://", ":/?\"");
    const struct jr_str call = jr_behind(r->message, "failed to call webhook: ", "");
    const struct jr_str why = jr_says(call, "\": ") ? jr_behind(call, "\": ", "") : call;
    struct jr_str rest = host, service = { NULL, 0 }, namespace = { NULL, 0 };
    const bool is_service = jr_str_cut(&rest, '.', &service) &&
                            jr_str_cut(&rest, '.', &namespace) && jr_str_starts(rest, JR_S("svc"));
    const struct jr_str at =
        is_service ? jr_text(q, "Service %.*s in %.*s", JR_P(service), JR_P(namespace)) : host;
    struct finding *f =
        find(r, "webhook-down", JR_VERDICT_HAND, ACTOR_ADMIN,
             jr_text(q,
                     "No Pod can be made: the API server has to ask the webhook %.*s (%.*s), and "
                     "cannot reach it: %.*s. Once that answers the Job goes on by itself.",
                     JR_P(jr_behind(r->message, "failed calling webhook \"", "\"")), JR_P(at),
                     JR_P(jr_quote(q, why))));

    if (is_service)
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get pods,endpointslices -n %.*s",
                       JR_W(q, namespace));
    jr_add_command(q, f, JR_NEXT_LOOKS,
                   "kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations");
    return f;
}

static struct finding *service_account(const struct refusal *r)
{
    struct question *q = r->q;
    const struct jr_str name = jr_behind(r->message, "serviceaccount \"", "\"");
    struct finding *f;

    if (name.n == 0)
        return find(r, "service-account", JR_VERDICT_HAND, ACTOR_AUTHOR,
                    jr_text(q, "Each Pod is refused: %.*s", JR_P(jr_quote(q, r->message))));
    f = find(
        r, "service-account-missing", JR_VERDICT_HAND, ACTOR_AUTHOR,
        jr_text(q,
                "Each Pod is refused: the service account %.*s does not exist in the namespace "
                "%.*s. Once it is made the Job goes on by itself.",
                JR_P(name), JR_P(r->namespace)));
    jr_add_command(q, f, JR_NEXT_CHANGES, "kubectl create serviceaccount %.*s -n %.*s",
                   JR_W(q, name), JR_W(q, r->namespace));
    return f;
}

static struct finding *priority_class(const struct refusal *r)
{
    struct question *q = r->q;
    struct finding *f =
        find_template(r, "priority-class-missing",
                      jr_text(q, "Each Pod is refused: there is no PriorityClass %.*s",
                              JR_P(jr_behind(r->message, "no PriorityClass with name ", " "))));

    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get priorityclasses");
    return f;
}

static struct finding *terminating(const struct refusal *r)
{
    struct question *q = r->q;
    struct finding *f = find(r, "namespace-terminating", JR_VERDICT_NEVER, ACTOR_ADMIN,
                             jr_text(q,
                                     "The namespace %.*s is being deleted: no Pod can be made in "
                                     "it any more.",
                                     JR_P(r->namespace)));

    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe namespace %.*s", JR_W(q, r->namespace));
    return f;
}

static struct finding *no_right(const struct refusal *r)
{
    return find(r, "controller-forbidden", JR_VERDICT_HAND, ACTOR_ADMIN,
                jr_text(r->q, "The Job controller is not allowed to make Pods: %.*s",
                        JR_P(jr_quote(r->q, r->message))));
}

/** Whether some container of the template has a request of a resource and no limit of it, which a
 * LimitRange then gives it. */
static bool takes_default_limit(const struct question *q, struct jr_str resource)
{
    const struct jr_node *list = jr_path(q->root, "spec.template.spec.containers");

    for (const struct jr_node *c = jr_first(list); c != NULL; c = jr_next(c)) {
        if (jr_getn(jr_path(c, "resources.requests"), resource) != NULL &&
            jr_getn(jr_path(c, "resources.limits"), resource) == NULL)
            return true;
    }
    return false;
}

static struct finding *invalid(const struct refusal *r)
{
    const struct jr_str resource = jr_behind(r->message, "must be less than or equal to ", " ");

    if (resource.n > 0 && takes_default_limit(r->q, resource)) {
        struct finding *f = find_template(
            r, "limitrange-default",
            jr_text(r->q,
                    "Each Pod is refused: its request of %.*s is above its limit, which is the "
                    "default of a LimitRange, since the template has none: %.*s",
                    JR_P(resource),
                    JR_P(jr_quote(r->q, jr_behind(r->message, "is invalid: ", "")))));

        jr_add_command(r->q, f, JR_NEXT_LOOKS, "kubectl describe limitrange -n %.*s",
                       JR_W(r->q, r->namespace));
        return f;
    }
    return find_template(r, "pod-invalid",
                         jr_text(r->q, "Each Pod is refused as invalid: %.*s",
                                 JR_P(jr_quote(r->q, jr_behind(r->message, "is invalid: ", "")))));
}

static struct finding *passing(const struct refusal *r)
{
    struct question *q = r->q;
    struct finding *f =
        find(r, "server-error", JR_VERDICT_MOVES, ACTOR_NOBODY,
             jr_text(q,
                     "Pods could not be made for an error of the API server, and it "
                     "is tried again: %.*s",
                     JR_P(jr_quote(q, r->message))));

    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe job %.*s -n %.*s",
                   JR_W(q, q->job->meta.name), JR_W(q, r->namespace));
    return f;
}

static struct finding *other(const struct refusal *r)
{
    return find_template(
        r, "refused", jr_text(r->q, "Each Pod is refused: %.*s", JR_P(jr_quote(r->q, r->message))));
}

static const struct {
    const char *words;
    refusal_fn *fn;
} refusals[] = {
    { "failed calling webhook", webhook_down },
    { "denied the request", webhook_denied },
    { "ValidatingAdmissionPolicy '", policy_denied },
    { "exceeded quota: ", quota_exceeded },
    { "must specify ", quota_must_specify },
    { "status unknown for quota", quota_unknown },
    { "violates PodSecurity", pod_security },
    { "error looking up service account", service_account },
    { "no PriorityClass with name", priority_class },
    { "because it is being terminated", terminating },
    { " usage per ", limit_range },
    { "max limit to request ratio", limit_range },
    { " cannot create resource ", no_right },
    { "is invalid: ", invalid },
    { "etcdserver", passing },
    { "timed out", passing },
    { "timeout", passing },
    { "connection refused", passing },
    { "Too Many Requests", passing },
    { "context deadline exceeded", passing },
    { "the server is currently unable", passing },
    { "did not complete", passing },
    { "try again", passing },
    { "", other },
};

bool jr_find_refusals(struct question *q, int64_t missing)
{
    const struct jr_event_view *e = jr_job_event(q, "FailedCreate", ERROR_CREATING);
    struct refusal r = { q, { NULL, 0 }, q->job->meta.namespace, (size_t)missing };
    struct finding *f = NULL;

    if (e == NULL)
        return false;
    r.message = jr_behind(e->message, ERROR_CREATING, "");
    for (size_t i = 0; i < JR_ARRAY_SIZE(refusals) && f == NULL; i++) {
        if (refusals[i].words[0] == '\0' || jr_says(r.message, refusals[i].words))
            f = refusals[i].fn(&r);
    }
    jr_since(f, e->first);
    jr_evidence_of(
        f, jr_text(q, "event FailedCreate of the Job, last at %.*s", JR_P(jr_moment(q, e->last))));
    return true;
}
