/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of a Job as the webhook gets them: each in an AdmissionReview that is mutated,
 * validated as new and validated as an update of the same list the other way round. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/num.h"
#include "tests/bench/lists/lists.h"
#include "webhook/review.h"

#define UID "8d1f6c1e-0b6a-4a53-9c1d-2f7a90b1c0de"
#define LABELS                                            \
    "\"batch.kubernetes.io/controller-uid\":\"" UID "\"," \
    "\"batch.kubernetes.io/job-name\":\"pi\",\"controller-uid\":\"" UID "\",\"job-name\":\"pi\""
#define SELECTOR "\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"" UID "\"}"
#define HEAD(META)                                                                 \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\"," \
    "\"namespace\":\"ns\",\"uid\":\"" UID "\",\"resourceVersion\":\"7\",\"generation\":1" META
#define POD "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]"
#define TEMPLATE "\"template\":{\"metadata\":{\"labels\":{" LABELS "}},\"spec\":{" POD "}}"

/* Where a list may be: text before and after it. */
#define IN_META(NAME) \
    HEAD(",\"" NAME "\":"), "},\"spec\":{\"selector\":{" SELECTOR "}," TEMPLATE "}}"
#define IN_SPEC(PATH, CLOSE) \
    HEAD("},\"spec\":{\"selector\":{" SELECTOR "}," PATH), CLOSE "," TEMPLATE "}}"
#define IN_TEMPLATE(PATH, CLOSE)                                                       \
    HEAD("},\"spec\":{\"selector\":{" SELECTOR "},\"template\":{\"metadata\":{" PATH), \
        CLOSE "},\"spec\":{" POD "}}}}"
#define IN_POD(PATH, CLOSE)                                                                        \
    HEAD("},\"spec\":{\"selector\":{" SELECTOR "},\"template\":{\"metadata\":{\"labels\":{" LABELS \
         "}},\"spec\":{" POD "," PATH),                                                            \
        CLOSE "}}}}"
#define IN_CONTAINER(PATH, CLOSE)                                                                  \
    HEAD("},\"spec\":{\"selector\":{" SELECTOR "},\"template\":{\"metadata\":{\"labels\":{" LABELS \
         "}},\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":"     \
         "\"i:1\"," PATH),                                                                         \
        CLOSE "}]}}}}"
#define IN_STATUS(PATH, CLOSE)                                                              \
    HEAD("},\"spec\":{\"selector\":{" SELECTOR "}," TEMPLATE "},\"status\":{\"startTime\":" \
         "\"2026-01-01T00:00:00Z\"," PATH),                                                 \
        CLOSE "}}"
#define AFFINITY(KIND, PATH) \
    "\"affinity\":{\"" KIND "\":{\"requiredDuringSchedulingIgnoredDuringExecution\":" PATH

static void *prepare(const struct kind *k, const struct members *m);
static void work(void *prepared);
static void done(void *prepared);

/* NOLINTBEGIN(bugprone-macro-parentheses): these are pieces of strings, and of initialisers */
#define ROW_(...) ROW_AS(__VA_ARGS__)
#define ROW_AS(NAME, ITEM, OPEN, CLOSE, NUMBERS, BEFORE, AFTER)                           \
    {                                                                                     \
        .name = (NAME), .prepare = prepare, .work = work, .done = done, .before = BEFORE, \
        .item = (ITEM), .after = AFTER, .brackets = { OPEN, CLOSE }, .numbers = (NUMBERS) \
    }
#define ROW(NAME, ITEM, OPEN, CLOSE, ...) ROW_(NAME, ITEM, OPEN, CLOSE, false, __VA_ARGS__)
/* NOLINTEND(bugprone-macro-parentheses) */
#define MAP(NAME, ...) ROW(NAME, "\"%s\":\"v\"", '{', '}', __VA_ARGS__)
#define LIST(NAME, ITEM, ...) ROW(NAME, ITEM, '[', ']', __VA_ARGS__)

const struct kind review_kinds[] = {
    MAP("metadata.labels", IN_META("labels")),
    MAP("metadata.annotations", IN_META("annotations")),
    LIST("metadata.finalizers", "\"a.b/%s\"", IN_META("finalizers")),
    LIST("metadata.ownerReferences",
         "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"%s\",\"uid\":\"%s\"}",
         IN_META("ownerReferences")),
    LIST("metadata.managedFields", "{\"manager\":\"%s\",\"fieldsV1\":{\"f:%s\":{}}}",
         IN_META("managedFields")),
    MAP("unknown members", IN_SPEC("\"unknown\":", "")),
    MAP("selector.matchLabels",
        HEAD("},\"spec\":{\"manualSelector\":true,\"selector\":{\"matchLabels\":"),
        "}," TEMPLATE "}}"),
    LIST("selector.matchExpressions", "{\"key\":\"%s\",\"operator\":\"DoesNotExist\"}",
         HEAD("},\"spec\":{\"manualSelector\":true,\"selector\":{" SELECTOR
              ",\"matchExpressions\":"),
         "}," TEMPLATE "}}"),
    LIST("selector values", "\"%s\"",
         HEAD("},\"spec\":{\"manualSelector\":true,\"selector\":{" SELECTOR
              ",\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":"),
         "}]}," TEMPLATE "}}"),
    LIST("podFailurePolicy.rules",
         "{\"action\":\"Ignore\",\"onPodConditions\":[{\"type\":\"%s\",\"status\":\"True\"}]}",
         IN_SPEC("\"podFailurePolicy\":{\"rules\":", "}")),
    LIST("onPodConditions", "{\"type\":\"%s\",\"status\":\"True\"}",
         IN_SPEC("\"podFailurePolicy\":{\"rules\":[{\"action\":\"Ignore\",\"onPodConditions\":",
                 "}]}")),
    ROW_("onExitCodes.values", "%s", '[', ']', true,
         IN_SPEC("\"podFailurePolicy\":{\"rules\":[{\"action\":\"Ignore\",\"onExitCodes\":{"
                 "\"operator\":\"In\",\"values\":",
                 "}}]}")),
    LIST("successPolicy.rules", "{\"succeededIndexes\":\"0-2\",\"x\":\"%s\"}",
         IN_SPEC("\"completionMode\":\"Indexed\",\"completions\":5,\"successPolicy\":{\"rules\":",
                 "}")),
    ROW_("succeededIndexes", "%s", '"', '"', true,
         IN_SPEC("\"completionMode\":\"Indexed\",\"completions\":1000000,\"successPolicy\":{"
                 "\"rules\":[{\"succeededIndexes\":",
                 "}]}")),
    MAP("template.labels", IN_TEMPLATE("\"labels\":", "")),
    MAP("template.annotations", IN_TEMPLATE("\"labels\":{" LABELS "},\"annotations\":", "")),
    ROW("AppArmor annotations",
        "\"container.apparmor.security.beta.kubernetes.io/%s\":\"unconfined\"", '{', '}',
        IN_TEMPLATE("\"labels\":{" LABELS "},\"annotations\":", "")),
    MAP("nodeSelector", IN_POD("\"nodeSelector\":", "")),
    LIST("tolerations", "{\"key\":\"%s\",\"operator\":\"Exists\"}", IN_POD("\"tolerations\":", "")),
    LIST("containers", "{\"name\":\"%s\",\"image\":\"i:1\"}",
         HEAD("},\"spec\":{\"selector\":{" SELECTOR
              "},\"template\":{\"metadata\":{\"labels\":{" LABELS
              "}},\"spec\":{\"restartPolicy\":\"Never\",\"containers\":"),
         "}}}}"),
    LIST("initContainers", "{\"name\":\"%s\",\"image\":\"i:1\"}",
         IN_POD("\"initContainers\":", "")),
    LIST("env", "{\"name\":\"%s\",\"value\":\"v\"}", IN_CONTAINER("\"env\":", "")),
    LIST("env from field",
         "{\"name\":\"%s\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":"
         "\"metadata.labels['%s']\"}}}",
         IN_CONTAINER("\"env\":", "")),
    LIST("envFrom", "{\"prefix\":\"%s\",\"configMapRef\":{\"name\":\"%s\"}}",
         IN_CONTAINER("\"envFrom\":", "")),
    LIST("args", "\"%s\"", IN_CONTAINER("\"args\":", "")),
    LIST("ports", "{\"name\":\"%s\",\"containerPort\":80}", IN_CONTAINER("\"ports\":", "")),
    ROW_("port numbers", "{\"containerPort\":%s,\"hostPort\":%s}", '[', ']', true,
         IN_CONTAINER("\"ports\":", "")),
    LIST("volumeMounts", "{\"name\":\"%s\",\"mountPath\":\"/%s\"}",
         IN_CONTAINER("\"volumeMounts\":", "")),
    LIST("volumeDevices", "{\"name\":\"%s\",\"devicePath\":\"/%s\"}",
         IN_CONTAINER("\"volumeDevices\":", "")),
    ROW("limits", "\"example.com/%s\":\"1\"", '{', '}',
        IN_CONTAINER("\"resources\":{\"limits\":", "}")),
    ROW("requests", "\"example.com/%s\":\"1500m\"", '{', '}',
        IN_CONTAINER("\"resources\":{\"requests\":", "}")),
    LIST("resources.claims", "{\"name\":\"%s\"}", IN_CONTAINER("\"resources\":{\"claims\":", "}")),
    LIST("resizePolicy", "{\"resourceName\":\"%s\",\"restartPolicy\":\"NotRequired\"}",
         IN_CONTAINER("\"resizePolicy\":", "")),
    LIST("capabilities", "\"%s\"",
         IN_CONTAINER("\"securityContext\":{\"capabilities\":{\"add\":", "}}")),
    LIST("httpHeaders", "{\"name\":\"%s\",\"value\":\"v\"}",
         IN_CONTAINER("\"lifecycle\":{\"preStop\":{\"httpGet\":{\"port\":80,\"httpHeaders\":",
                      "}}}")),
    LIST("volumes", "{\"name\":\"%s\",\"emptyDir\":{}}", IN_POD("\"volumes\":", "")),
    LIST("configMap items", "{\"key\":\"%s\",\"path\":\"%s\"}",
         IN_POD("\"volumes\":[{\"name\":\"a\",\"configMap\":{\"name\":\"m\",\"items\":", "}}]")),
    LIST("projected sources",
         "{\"secret\":{\"name\":\"%s\",\"items\":[{\"key\":\"%s\",\"path\":\"%s\"}]}}",
         IN_POD("\"volumes\":[{\"name\":\"a\",\"projected\":{\"sources\":", "}}]")),
    LIST("projected items", "{\"key\":\"%s\",\"path\":\"%s\"}",
         IN_POD("\"volumes\":[{\"name\":\"a\",\"projected\":{\"sources\":[{\"configMap\":{\"name\":"
                "\"m\",\"items\":",
                "}}]}}]")),
    MAP("volumeAttributes",
        IN_POD("\"volumes\":[{\"name\":\"a\",\"csi\":{\"driver\":\"d\",\"volumeAttributes\":",
               "}}]")),
    LIST("imagePullSecrets", "{\"name\":\"%s\"}", IN_POD("\"imagePullSecrets\":", "")),
    LIST("hostAliases", "{\"ip\":\"10.0.0.1\",\"hostnames\":[\"%s\"]}",
         IN_POD("\"hostAliases\":", "")),
    LIST("hostnames", "\"%s\"",
         IN_POD("\"hostAliases\":[{\"ip\":\"10.0.0.1\",\"hostnames\":", "}]")),
    LIST("dnsConfig.searches", "\"%s\"", IN_POD("\"dnsConfig\":{\"searches\":", "}")),
    LIST("dnsConfig.options", "{\"name\":\"%s\"}", IN_POD("\"dnsConfig\":{\"options\":", "}")),
    LIST("sysctls", "{\"name\":\"a.%s\",\"value\":\"1\"}",
         IN_POD("\"securityContext\":{\"sysctls\":", "}")),
    ROW_("supplementalGroups", "%s", '[', ']', true,
         IN_POD("\"securityContext\":{\"supplementalGroups\":", "}")),
    LIST("topologySpreadConstraints",
         "{\"maxSkew\":1,\"topologyKey\":\"%s\",\"whenUnsatisfiable\":\"DoNotSchedule\"}",
         IN_POD("\"topologySpreadConstraints\":", "")),
    LIST("spread matchLabelKeys", "\"%s\"",
         IN_POD("\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"z\","
                "\"whenUnsatisfiable\":\"DoNotSchedule\",\"labelSelector\":{},\"matchLabelKeys\":",
                "}]")),
    LIST("node affinity values", "\"%s\"",
         IN_POD(AFFINITY("nodeAffinity",
                         "{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"a\","
                         "\"operator\":\"In\",\"values\":"),
                "}]}]}}}")),
    LIST("node affinity terms", "{\"matchExpressions\":[{\"key\":\"%s\",\"operator\":\"Exists\"}]}",
         IN_POD(AFFINITY("nodeAffinity", "{\"nodeSelectorTerms\":"), "}}}")),
    LIST("Pod affinity terms", "{\"topologyKey\":\"%s\",\"labelSelector\":{}}",
         IN_POD(AFFINITY("podAffinity", ""), "}}")),
    LIST("affinity matchLabelKeys", "\"%s\"",
         IN_POD(AFFINITY("podAffinity",
                         "[{\"topologyKey\":\"z\",\"labelSelector\":{},\"matchLabelKeys\":"),
                "}]}}")),
    LIST("affinity expressions", "{\"key\":\"%s\",\"operator\":\"Exists\"}",
         IN_POD(AFFINITY("podAntiAffinity",
                         "[{\"topologyKey\":\"z\",\"labelSelector\":{\"matchExpressions\":"),
                "}}]}}")),
    LIST("affinity namespaces", "\"%s\"",
         IN_POD(AFFINITY("podAntiAffinity",
                         "[{\"topologyKey\":\"z\",\"labelSelector\":{},\"namespaces\":"),
                "}]}}")),
    LIST("readinessGates", "{\"conditionType\":\"%s\"}", IN_POD("\"readinessGates\":", "")),
    LIST("schedulingGates", "{\"name\":\"%s\"}", IN_POD("\"schedulingGates\":", "")),
    LIST("resourceClaims", "{\"name\":\"%s\",\"resourceClaimName\":\"%s\"}",
         IN_POD("\"resourceClaims\":", "")),
    MAP("overhead", IN_POD("\"overhead\":", "")),
    LIST("status.conditions", "{\"type\":\"%s\",\"status\":\"True\"}",
         IN_STATUS("\"conditions\":", "")),
    LIST("uncountedTerminatedPods", "\"%s\"",
         IN_STATUS("\"uncountedTerminatedPods\":{\"failed\":[],\"succeeded\":", "}")),
    ROW_("completedIndexes", "%s", '"', '"', true, IN_STATUS("\"completedIndexes\":", "")),
};
const size_t n_review_kinds = JR_ARRAY_SIZE(review_kinds);

/* ---- texts ---- */

static void add_item(const struct kind *k, const char *member, size_t number, struct jr_buf *b)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%zu", number);
    for (const char *p = k->item; *p != '\0'; p++) {
        if (p[0] != '%') {
            (void)jr_buf_addc(b, *p);
            continue;
        }
        (void)jr_buf_adds(b, k->numbers ? text : member);
        p++;
    }
}

/** A member's digits, or its place where they are none; small enough for a port. */
static size_t number_of(const char *member, size_t place)
{
    int64_t v;

    if (jr_parse_go_int(jr_str(member + 1), &v) != JR_OK)
        v = (int64_t)place;
    return 1 + (size_t)v % 65000;
}

static void add_job(const struct kind *k, const struct members *m, bool backwards, struct jr_buf *b)
{
    (void)jr_buf_adds(b, k->before);
    (void)jr_buf_addc(b, k->brackets[0]);
    for (size_t i = 0; i < m->n; i++) {
        const size_t at = backwards ? m->n - 1 - i : i;

        if (i > 0)
            (void)jr_buf_addc(b, ',');
        /* the numbers have the order of the members, whose last digits they are */
        add_item(k, m->v[at], number_of(m->v[at], i), b);
    }
    (void)jr_buf_addc(b, k->brackets[1]);
    (void)jr_buf_adds(b, k->after);
}

#define ASKED 4
struct asked {
    const char *name;
    enum jr_endpoint endpoint[ASKED];
    struct jr_buf body[ASKED];
};

static void add_review(const struct kind *k, const struct members *m, const char *operation,
                       const char *sub, struct jr_buf *b)
{
    jr_buf_init(b, (size_t)1 << 30);
    (void)jr_buf_addf(
        b,
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":"
        "\"u\",\"kind\":{\"group\":\"batch\",\"version\":\"v1\",\"kind\":\"Job\"},\"resource\":{"
        "\"group\":\"batch\",\"version\":\"v1\",\"resource\":\"jobs\"},\"operation\":\"%s\","
        "\"subResource\":\"%s\",\"namespace\":\"ns\",\"name\":\"pi\",\"object\":",
        operation, sub);
    add_job(k, m, false, b);
    if (strcmp(operation, "UPDATE") == 0) {
        (void)jr_buf_adds(b, ",\"oldObject\":");
        add_job(k, m, true, b);
    }
    (void)jr_buf_adds(b, "}}");
    if (b->failed != JR_OK)
        lists_die(k->name, "out of memory");
}

struct jr_buf review_text(const struct kind *k, const struct members *m)
{
    struct jr_buf b;

    add_review(k, m, "CREATE", "", &b);
    return b;
}

static void *prepare(const struct kind *k, const struct members *m)
{
    struct asked *a = calloc(1, sizeof(*a));

    if (a == NULL)
        lists_die(k->name, "out of memory");
    a->name = k->name;
    add_review(k, m, "CREATE", "", &a->body[0]);
    add_review(k, m, "CREATE", "", &a->body[1]);
    add_review(k, m, "UPDATE", "", &a->body[2]);
    add_review(k, m, "UPDATE", "status", &a->body[3]);
    a->endpoint[0] = JR_ENDPOINT_MUTATE_JOB;
    for (size_t i = 1; i < ASKED; i++)
        a->endpoint[i] = JR_ENDPOINT_VALIDATE_JOB;
    return a;
}

static void work(void *prepared)
{
    const struct asked *a = prepared;

    for (size_t i = 0; i < ASKED; i++) {
        const struct jr_profile described = jr_profile_default();
        const struct jr_profiles profiles = jr_profiles_of(&described);
        const struct jr_review_settings settings = { .profiles = &profiles };
        struct jr_error err = { .status = JR_OK };
        struct jr_review review;
        JR_ARENA arena = { 0 };
        JR_BUF out = { 0 };
        enum jr_status st = jr_review_read(jr_buf_str(&a->body[i]), &arena, &review, &err);

        if (st == JR_OK) {
            jr_buf_init(&out, jr_review_answer_max(&review));
            st = jr_review_answer_for(a->endpoint[i], &review, &settings, &arena, &out, NULL, &err);
        }
        if (st == JR_NOMEM)
            lists_die(a->name, err.msg);
    }
}

static void done(void *prepared)
{
    struct asked *a = prepared;

    for (size_t i = 0; i < ASKED; i++)
        jr_buf_done(&a->body[i]);
    free(a);
}
