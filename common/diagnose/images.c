/* SPDX-License-Identifier: Apache-2.0 */
/* Images that can't be pulled, by the words of kubelets, runtimes and registries. */
#include "common/diagnose/internal.h"

/** What keeps an image from being pulled. */
struct image_fault {
    const char *id;
    enum jr_verdict verdict;
    enum actor who;
    const char *text; /* about the image */
};

static const struct image_fault missing = { "image-missing", JR_VERDICT_HAND, ACTOR_AUTHOR,
                                            "is not there: the registry does not have it" };
static const struct image_fault unauthorized = {
    "image-unauthorized", JR_VERDICT_HAND, ACTOR_AUTHOR,
    "is not given by the registry without other credentials (access denied)"
};
static const struct image_fault rate_limit = {
    "image-rate-limit", JR_VERDICT_MOVES, ACTOR_NOBODY,
    "is not given by the registry now: its rate limit is reached (429 Too Many Requests). The "
    "kubelet goes on trying; with credentials, or from a mirror, it comes sooner"
};
static const struct image_fault platform = { "image-platform", JR_VERDICT_HAND, ACTOR_AUTHOR,
                                             "does not exist for the node's platform" };
static const struct image_fault unreachable = {
    "image-registry", JR_VERDICT_HAND, ACTOR_ADMIN,
    "cannot be pulled: its registry is not found, or not trusted"
};
static const struct image_fault flaky = {
    "image-registry", JR_VERDICT_MOVES, ACTOR_NOBODY,
    "cannot be pulled at present: its registry does not answer as it should. The kubelet goes on "
    "trying"
};
static const struct image_fault disk = { "image-disk", JR_VERDICT_HAND, ACTOR_ADMIN,
                                         "cannot be pulled: the node's disk is full" };
static const struct image_fault name = { "image-name", JR_VERDICT_HAND, ACTOR_AUTHOR,
                                         "has an invalid name" };
static const struct image_fault never = {
    "image-never", JR_VERDICT_HAND, ACTOR_AUTHOR,
    "is not on the node, and imagePullPolicy Never forbids to pull it"
};
static const struct image_fault signature = { "image-signature", JR_VERDICT_HAND, ACTOR_AUTHOR,
                                              "has no signature that is accepted" };
static const struct image_fault other = { "image-pull", JR_VERDICT_HAND, ACTOR_AUTHOR,
                                          "cannot be pulled" };

/* In this order: the first that is said counts. */
static const struct {
    const char *words;
    const struct image_fault *fault;
} faults[] = {
    { "429 Too Many Requests", &rate_limit },
    { "toomanyrequests", &rate_limit },
    { "pull rate limit", &rate_limit },
    { "pull QPS exceeded", &rate_limit },
    { "rate exceeded", &rate_limit },
    { "no match for platform", &platform },
    { "no matching manifest", &platform },
    { "no space left on device", &disk },
    { "pull access denied", &unauthorized },
    { "authorization failed", &unauthorized },
    { "insufficient_scope", &unauthorized },
    { "no basic auth credentials", &unauthorized },
    { "authentication required", &unauthorized },
    { "unauthorized", &unauthorized },
    { "Unauthorized", &unauthorized },
    { "403 Forbidden", &unauthorized },
    { "denied: ", &unauthorized },
    { "access forbidden", &unauthorized },
    { "no such host", &unreachable },
    { "x509: ", &unreachable },
    { "server gave HTTP response to HTTPS client", &unreachable },
    { "manifest unknown", &missing },
    { "MANIFEST_UNKNOWN", &missing },
    { "not found", &missing },
    { "404 Not Found", &missing },
    { "code = NotFound", &missing },
    { "name unknown", &missing },
    { "does not exist", &missing },
    { "i/o timeout", &flaky },
    { "timeout", &flaky },
    { "deadline exceeded", &flaky },
    { "connection refused", &flaky },
    { "connection reset", &flaky },
    { "unexpected EOF", &flaky },
    { "registry is unavailable", &flaky },
    { "503 Service Unavailable", &flaky },
    { "502 Bad Gateway", &flaky },
    { "500 Internal Server Error", &flaky },
    { "network is unreachable", &flaky },
    { "server misbehaving", &flaky },
    { "invalid reference format", &name },
    { "couldn't parse image", &name },
};

static const struct image_fault *fault_of(struct jr_str reason, struct jr_str message)
{
    if (jr_str_is(reason, "InvalidImageName"))
        return &name;
    if (jr_str_is(reason, "ErrImageNeverPull"))
        return &never;
    if (jr_str_is(reason, "SignatureValidationFailed"))
        return &signature;
    if (jr_str_is(reason, "RegistryUnavailable"))
        return &flaky;
    for (size_t i = 0; i < JR_ARRAY_SIZE(faults); i++) {
        if (jr_says(message, faults[i].words))
            return faults[i].fault;
    }
    return &other;
}

/** The image in quotes in a kubelet's message, else that of the template. */
static struct jr_str image_of(const struct question *q, const struct jr_container_view *c,
                              struct jr_str message)
{
    const struct jr_str said = jr_behind(message, "image \"", "\"");

    if (c->image.n > 0)
        return c->image;
    return said.n > 0 ? said : jr_get_str(jr_container_of(q, c->name), "image");
}

/** The message that says why: the container's own may only say that it is tried again. */
static struct jr_str message_of(const struct question *q, const struct jr_pod_view *pod,
                                const struct jr_container_view *c, struct jr_str image)
{
    const struct jr_str own = c->state.waiting.message;
    const struct jr_event_view *e = NULL;
    size_t at = 0;

    if (fault_of(c->state.waiting.reason, own) != &other)
        return own;
    while ((e = jr_evidence_each_event(q->ev, "Pod", pod->meta.namespace, pod->meta.name, false,
                                       &at)) != NULL) {
        if (jr_str_is(e->reason, "Failed") && jr_says(e->message, "Failed to pull image") &&
            (image.n == 0 || memmem(e->message.p, e->message.n, image.p, image.n) != NULL))
            return e->message;
    }
    return own;
}

/** The pull secrets that the kubelet didn't find; n = 0: it says nothing of that. */
static struct jr_str missing_secrets(const struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_event_view *e = jr_pod_event(q, pod, "FailedToRetrieveImagePullSecret", NULL);

    return e != NULL ? jr_behind(e->message, "image pull secrets (", ")") : JR_S("");
}

static void suggest_secret(struct question *q, struct finding *f, struct jr_str secrets)
{
    struct jr_str first = secrets;

    if (secrets.n > 0) {
        (void)jr_str_cut(&secrets, ',', &first);
        jr_add_command(q, f, JR_NEXT_CHANGES,
                       "kubectl create secret docker-registry %.*s -n %.*s --docker-server SERVER "
                       "--docker-username USER --docker-password PASSWORD",
                       JR_W(q, jr_str_trim(first)), JR_W(q, q->job->meta.namespace));
    }
}

void jr_find_image(struct question *q, const struct jr_pod_view *pod,
                   const struct jr_container_view *c)
{
    const struct jr_str image = image_of(q, c, c->state.waiting.message);
    const struct jr_str message = message_of(q, pod, c, image);
    const struct image_fault *fault = fault_of(c->state.waiting.reason, message);
    const struct jr_str secrets = fault == &unauthorized ? missing_secrets(q, pod) : JR_S("");
    const bool by_author = fault->verdict == JR_VERDICT_HAND && fault->who == ACTOR_AUTHOR;
    const bool says_where = by_author && secrets.n == 0;
    struct jr_str more = { NULL, 0 };
    struct finding *f;

    if (fault == &other || fault == &unreachable || fault == &flaky || fault == &name)
        more = jr_text(q, ": %.*s", JR_P(jr_quote(q, message)));
    else if (secrets.n > 0)
        more =
            jr_text(q, "; the pull secret %.*s, which the Pod names, is not there", JR_P(secrets));
    f = jr_find(q, fault->id, fault->verdict, fault->who, 1,
                jr_text(q, "The image %.*s %s%.*s.%s%.*s", JR_P(image), fault->text, JR_P(more),
                        says_where ? " " : "", JR_P(says_where ? jr_where_template(q) : JR_S(""))));
    jr_since(f, pod->meta.creation_timestamp);
    jr_evidence_of(f, jr_text(q, "Pod %.*s: container %.*s waits: %.*s", JR_P(pod->meta.name),
                              JR_P(c->name), JR_P(c->state.waiting.reason)));
    suggest_secret(q, f, secrets);
    if (by_author)
        jr_suggest_template(q, f);
    jr_suggest_describe(q, f, pod);
}
