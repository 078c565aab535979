/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of a Job as the webhook gets them, in a Job and in a CronJob's template: mutated,
 * validated as new, as an update that changes nothing, as one that is refused, and as an update of
 * the same list the other way round. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/num.h"
#include "tests/bench/lists/lists.h"
#include "webhook/review/review.h"

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
#define VOLUMES_THEN_MOUNTS \
    "],\"initContainers\":[{\"name\":\"i\",\"image\":\"i:1\",\"volumeMounts\":["
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
/* Two lists of the same members, which rules compare: BETWEEN ends the first and begins the second.
 */
#define PAIR(NAME, OPEN, ITEM, BETWEEN, SECOND, CLOSE, ...) \
    PAIR_(NAME, OPEN, ITEM, BETWEEN, SECOND, CLOSE, __VA_ARGS__)
#define PAIR_(NAME, OPEN, ITEM, BETWEEN, SECOND, CLOSE, BEFORE, AFTER)                          \
    {                                                                                           \
        .name = (NAME), .prepare = prepare, .work = work, .done = done, .before = BEFORE,       \
        .item = (ITEM), .between = (BETWEEN), .second = (SECOND), .after = AFTER, .brackets = { \
            OPEN,                                                                               \
            CLOSE                                                                               \
        }                                                                                       \
    }
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
    PAIR("volumes and mounts", '[', "{\"name\":\"%s\",\"emptyDir\":{}}", VOLUMES_THEN_MOUNTS,
         "{\"name\":\"%s\",\"mountPath\":\"/%s\"}", ']', IN_POD("\"volumes\":", "}]")),
    PAIR("image volumes and mounts", '[', "{\"name\":\"%s\",\"image\":{\"reference\":\"i:1\"}}",
         VOLUMES_THEN_MOUNTS, "{\"name\":\"%s\",\"mountPath\":\"/%s\",\"subPath\":\"a\"}", ']',
         IN_POD("\"volumes\":", "}]")),
    PAIR("volumes and devices", '[',
         "{\"name\":\"%s\",\"persistentVolumeClaim\":{\"claimName\":\"c\"}}",
         "],\"initContainers\":[{\"name\":\"i\",\"image\":\"i:1\",\"volumeDevices\":[",
         "{\"name\":\"%s\",\"devicePath\":\"/%s\"}", ']', IN_POD("\"volumes\":", "}]")),
    PAIR("mounts and devices", '[', "{\"name\":\"%s\",\"mountPath\":\"/%s\"}",
         "],\"volumeDevices\":[", "{\"name\":\"%s\",\"devicePath\":\"/%s\"}", ']',
         IN_CONTAINER("\"volumeMounts\":", "")),
    PAIR("volumes and env of files", '[', "{\"name\":\"%s\",\"emptyDir\":{}}",
         "],\"initContainers\":[{\"name\":\"i\",\"image\":\"i:1\",\"env\":[",
         "{\"name\":\"%s\",\"valueFrom\":{\"fileKeyRef\":{\"volumeName\":\"%s\",\"path\":\"a\","
         "\"key\":\"k\"}}}",
         ']', IN_POD("\"volumes\":", "}]")),
    PAIR("claims of Pod and container", '[', "{\"name\":\"%s\",\"resourceClaimName\":\"%s\"}",
         "],\"initContainers\":[{\"name\":\"i\",\"image\":\"i:1\",\"resources\":{\"claims\":[",
         "{\"name\":\"%s\"}", ']', IN_POD("\"resourceClaims\":", "}}]")),
    PAIR("limits and requests", '{', "\"example.com/%s\":\"2\"", "},\"requests\":{",
         "\"example.com/%s\":\"1\"", '}', IN_CONTAINER("\"resources\":{\"limits\":", "}")),
    PAIR("requests of Pod and container", '{', "\"hugepages-%s\":\"2Mi\"",
         "}},\"initContainers\":[{\"name\":\"i\",\"image\":\"i:1\",\"resources\":{\"requests\":{",
         "\"hugepages-%s\":\"2Mi\"", '}', IN_POD("\"resources\":{\"requests\":", "}}]")),
    PAIR("containers and AppArmor annotations", '{',
         "\"container.apparmor.security.beta.kubernetes.io/%s\":\"unconfined\"",
         "}},\"spec\":{" POD ",\"initContainers\":[",
         "{\"name\":\"%s\",\"image\":\"i:1\",\"securityContext\":{\"appArmorProfile\":{\"type\":"
         "\"RuntimeDefault\"}}}",
         ']',
         HEAD("},\"spec\":{\"selector\":{" SELECTOR
              "},\"template\":{\"metadata\":{\"labels\":{" LABELS "},\"annotations\":"),
         "}}}}"),
    PAIR("containers and initContainers", '[', "{\"name\":\"%s\",\"image\":\"i:1\"}",
         "],\"initContainers\":[",
         "{\"name\":\"%s\",\"image\":\"i:1\",\"restartPolicy\":\"Always\",\"resizePolicy\":[{"
         "\"resourceName\":\"cpu\",\"restartPolicy\":\"NotRequired\"}]}",
         ']',
         HEAD("},\"spec\":{\"selector\":{" SELECTOR
              "},\"template\":{\"metadata\":{\"labels\":{" LABELS
              "}},\"spec\":{\"restartPolicy\":\"Never\",\"containers\":"),
         "}}}}"),
    PAIR("selector and template.labels", '{', "\"%s\":\"v\"",
         "}},\"template\":{\"spec\":{" POD "},\"metadata\":{\"labels\":{", "\"%s\":\"v\"", '}',
         HEAD("},\"spec\":{\"manualSelector\":true,\"selector\":{\"matchLabels\":"), "}}}}"),
    LIST("status.conditions", "{\"type\":\"%s\",\"status\":\"True\"}",
         IN_STATUS("\"conditions\":", "")),
    LIST("uncountedTerminatedPods", "\"%s\"",
         IN_STATUS("\"uncountedTerminatedPods\":{\"failed\":[],\"succeeded\":", "}")),
    ROW_("completedIndexes", "%s", '"', '"', true, IN_STATUS("\"completedIndexes\":", "")),
};
const size_t n_review_kinds = JR_ARRAY_SIZE(review_kinds);

/* ---- texts ---- */

static void add_item(const struct kind *k, const char *item, const char *member, size_t number,
                     struct jr_buf *b)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%zu", number);
    for (const char *p = item; *p != '\0'; p++) {
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

static void add_items(const struct kind *k, const char *item, const struct members *m,
                      bool backwards, struct jr_buf *b)
{
    for (size_t i = 0; i < m->n; i++) {
        const size_t at = backwards ? m->n - 1 - i : i;

        if (i > 0)
            (void)jr_buf_addc(b, ',');
        /* the numbers have the order of the members, whose last digits they are */
        add_item(k, item, m->v[at], number_of(m->v[at], i), b);
    }
}

static void add_job(const struct kind *k, const struct members *m, bool backwards, struct jr_buf *b)
{
    (void)jr_buf_adds(b, k->before);
    (void)jr_buf_addc(b, k->brackets[0]);
    add_items(k, k->item, m, backwards, b);
    if (k->second != NULL) {
        (void)jr_buf_adds(b, k->between);
        add_items(k, k->second, m, backwards, b);
    }
    (void)jr_buf_addc(b, k->brackets[1]);
    (void)jr_buf_adds(b, k->after);
}

/* What a review says of the object that is stored. */
enum stored {
    NONE,
    SAME,
    BACKWARDS,
    OTHER, /* of another uid: refused, whatever else there is */
};

/** A review of each kind of list. */
static const struct asked_row {
    const char *operation, *sub;
    enum jr_endpoint endpoint;
    enum stored stored;
} asked_rows[] = {
    { "CREATE", "", JR_ENDPOINT_MUTATE_JOB, NONE },
    { "CREATE", "", JR_ENDPOINT_VALIDATE_JOB, NONE },
    { "UPDATE", "", JR_ENDPOINT_VALIDATE_JOB, SAME },
    { "UPDATE", "", JR_ENDPOINT_VALIDATE_JOB, BACKWARDS },
    { "UPDATE", "", JR_ENDPOINT_VALIDATE_JOB, OTHER },
    { "UPDATE", "status", JR_ENDPOINT_VALIDATE_JOB, BACKWARDS },
    { "CREATE", "", JR_ENDPOINT_MUTATE_CRON_JOB, NONE },
    { "CREATE", "", JR_ENDPOINT_VALIDATE_CRON_JOB, NONE },
    { "UPDATE", "", JR_ENDPOINT_VALIDATE_CRON_JOB, BACKWARDS },
    { "UPDATE", "", JR_ENDPOINT_VALIDATE_CRON_JOB, OTHER },
};
#define ASKED JR_ARRAY_SIZE(asked_rows)

struct asked {
    const char *name;
    struct jr_buf body[ASKED];
};

static bool is_cron_job(const struct asked_row *row)
{
    return row->endpoint == JR_ENDPOINT_MUTATE_CRON_JOB ||
           row->endpoint == JR_ENDPOINT_VALIDATE_CRON_JOB;
}

/** The Job, or a CronJob that makes such Jobs. */
static void add_object(const struct kind *k, const struct members *m, const struct asked_row *row,
                       enum stored as, struct jr_buf *b)
{
    const size_t from = b->n;
    char *uid;

    if (is_cron_job(row))
        (void)jr_buf_adds(
            b, "{\"apiVersion\":\"batch/v1\",\"kind\":\"CronJob\",\"metadata\":{\"name\":"
               "\"pi\",\"namespace\":\"ns\",\"uid\":\"" UID
               "\",\"resourceVersion\":\"7\"},\"spec\":{\"schedule\":\"* * * * *\","
               "\"jobTemplate\":");
    add_job(k, m, as == BACKWARDS, b);
    if (is_cron_job(row))
        (void)jr_buf_adds(b, "}}");
    uid = b->failed == JR_OK ? strstr(b->p + from, UID) : NULL;
    if (uid == NULL)
        lists_die(k->name, "out of memory");
    if (as == OTHER)
        uid[0] = '0';
}

static void add_review(const struct kind *k, const struct members *m, const struct asked_row *row,
                       struct jr_buf *b)
{
    const char *kind = is_cron_job(row) ? "CronJob" : "Job";

    jr_buf_init(b, (size_t)1 << 30);
    (void)jr_buf_addf(
        b,
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":"
        "\"u\",\"kind\":{\"group\":\"batch\",\"version\":\"v1\",\"kind\":\"%s\"},\"resource\":{"
        "\"group\":\"batch\",\"version\":\"v1\",\"resource\":\"%s\"},\"operation\":\"%s\","
        "\"subResource\":\"%s\",\"namespace\":\"ns\",\"name\":\"pi\",\"object\":",
        kind, is_cron_job(row) ? "cronjobs" : "jobs", row->operation, row->sub);
    add_object(k, m, row, NONE, b);
    if (row->stored != NONE) {
        (void)jr_buf_adds(b, ",\"oldObject\":");
        add_object(k, m, row, row->stored, b);
    }
    (void)jr_buf_adds(b, "}}");
    if (b->failed != JR_OK)
        lists_die(k->name, "out of memory");
}

struct jr_buf review_text(const struct kind *k, const struct members *m)
{
    struct jr_buf b;

    add_review(k, m, &asked_rows[1], &b);
    return b;
}

static void *prepare(const struct kind *k, const struct members *m)
{
    struct asked *a = calloc(1, sizeof(*a));

    if (a == NULL)
        lists_die(k->name, "out of memory");
    a->name = k->name;
    for (size_t i = 0; i < ASKED; i++)
        add_review(k, m, &asked_rows[i], &a->body[i]);
    return a;
}

static void work(void *prepared)
{
    const struct asked *a = prepared;

    for (size_t i = 0; i < ASKED; i++) {
        const struct jr_review_settings settings = { .profiles = lists_profiles() };
        struct jr_error err = { .status = JR_OK };
        struct jr_admission_review review;
        JR_ARENA arena = { 0 };
        JR_BUF out = { 0 };
        enum jr_status st = jr_review_read(jr_buf_str(&a->body[i]), &arena, &review, &err);

        if (st == JR_OK) {
            jr_buf_init(&out, jr_review_answer_max(&review, NULL));
            st = jr_review_answer_for(asked_rows[i].endpoint, &review, &settings, &arena, &out,
                                      NULL, &err);
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
