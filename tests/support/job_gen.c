/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/job_gen.h"

#include "tests/support/job_gen_make.h"
#include "tests/support/job_gen_scheduling.h"

/* ---- names and numbers ---- */

static const char *bad_name(struct jr_making *m)
{
    static const char *const names[] = { "",     "Upper", "a_b", "-a", "a-",
                                         "a..b", "a/b/c", "a b", "\n", "\xc3\xa9t\xc3\xa9",
                                         "a.b" };

    if (jr_make_percent(m, 20))
        return TEXT(m, "%0*d", (int)(60 + jr_make_below(m, 200)), 7);
    return PICK(m, names);
}

static const char *name(struct jr_making *m)
{
    static const char *const names[] = { "pi", "job-a", "nightly-report-2026", "a", "x1" };

    return jr_make_wrong(m) ? bad_name(m) : PICK(m, names);
}

/** A number in min..max, or, where something is wrong, one of the usual suspects. */
static const char *number(struct jr_making *m, long long min, long long max)
{
    static const char *const odd[] = { "-1",    "-2147483648", "2147483647", "100001",
                                       "10001", "0",           "99999" };
    static const char *const absurd[] = { "2147483648",          "1.5",   "1e2",
                                          "9223372036854775808", "\"1\"", "true" };

    if (jr_make_wrong(m))
        return m->g->kind == JR_JOB_GEN_HOSTILE && jr_make_percent(m, 30) ? PICK(m, absurd)
                                                                          : PICK(m, odd);
    return TEXT(m, "%lld", min + (long long)jr_make_below(m, (uint64_t)(max - min) + 1));
}

static const char *one_of(struct jr_making *m, const char *const *values, size_t n)
{
    return jr_make_quoted(m, jr_make_wrong(m) ? bad_name(m) : values[jr_make_below(m, n)]);
}
#define ONE_OF(m, values) one_of(m, values, JR_ARRAY_SIZE(values))

/* ---- metadata ---- */

static const char *labels(struct jr_making *m)
{
    static const char *const keys[] = { "app", "team", "example.com/tier", "job-name",
                                        "controller-uid" };
    struct jr_made o = { .n = 0 };
    /* generated keys are the user's only in Jobs that may be wrong */
    size_t known = m->g->kind == JR_JOB_GEN_VALID ? 3 : JR_ARRAY_SIZE(keys);

    for (size_t i = 0; i < known; i++) {
        if (jr_make_percent(m, i < 3 ? 30 : 4))
            jr_make_put_str(m, &o, keys[i], jr_make_wrong(m) ? bad_name(m) : "v1");
    }
    if (jr_make_wrong(m))
        jr_make_put_str(m, &o, "bad key", "v");
    return jr_make_text(m, &o, true);
}

static const char *finalizer(struct jr_making *m, size_t i)
{
    static const char *const values[] = { "example.com/keep", "orphan", "foregroundDeletion" };

    (void)i;
    return jr_make_quoted(m, jr_make_wrong(m) ? bad_name(m) : values[jr_make_below(m, 2)]);
}

static const char *owner(struct jr_making *m, size_t i)
{
    struct jr_made o = { .n = 0 };

    jr_make_put_str(m, &o, "apiVersion", jr_make_wrong(m) ? "" : "batch/v1");
    jr_make_put_str(m, &o, "kind", jr_make_wrong(m) ? "" : "CronJob");
    jr_make_put_str(m, &o, "name", jr_make_wrong(m) ? "" : "nightly");
    jr_make_put_str(m, &o, "uid",
                    jr_make_wrong(m) ? ""
                                     : TEXT(m, "0c1d2e3f-0000-4000-8000-00000000000%zu", i % 10));
    if (jr_make_percent(m, 80))
        jr_make_put(m, &o, "controller", "true");
    return jr_make_text(m, &o, false);
}

static const char *metadata(struct jr_making *m)
{
    struct jr_made o = { .n = 0 };
    bool generate = m->g->kind != JR_JOB_GEN_VALID && jr_make_percent(m, 15);

    if (generate)
        jr_make_put_str(m, &o, "generateName", jr_make_wrong(m) ? bad_name(m) : "batch-");
    else if (!jr_make_wrong(m))
        jr_make_put_str(m, &o, "name", name(m));
    if (!jr_make_wrong(m))
        jr_make_put_str(m, &o, "namespace", jr_make_wrong(m) ? bad_name(m) : "default");
    if (m->g->with_uid || jr_make_percent(m, 30))
        jr_make_put_str(m, &o, "uid", "8d1f6c1e-0b6a-4a53-9c1d-2f7a90b1c0de");
    if (jr_make_percent(m, 40))
        jr_make_put(m, &o, "labels", labels(m));
    if (jr_make_percent(m, 30))
        jr_make_put(m, &o, "annotations", labels(m));
    if (jr_make_percent(m, 15))
        jr_make_put(m, &o, "finalizers", jr_make_list(m, 1 + jr_make_below(m, 2), finalizer));
    if (jr_make_percent(m, 15))
        jr_make_put(m, &o, "ownerReferences", jr_make_list(m, jr_make_wrong(m) ? 2 : 1, owner));
    if (jr_make_percent(m, 20))
        jr_make_put(m, &o, "creationTimestamp",
                    jr_make_percent(m, 50) ? "null" : "\"2026-03-01T12:00:00Z\"");
    if (jr_make_percent(m, 10))
        jr_make_put(m, &o, "managedFields",
                    "[{\"manager\":\"m\",\"operation\":\"Update\",\"apiVersion\":\"batch/"
                    "v1\",\"fieldsType\":"
                    "\"FieldsV1\",\"fieldsV1\":{\"f:spec\":{}}}]");
    return jr_make_text(m, &o, false);
}

/* ---- containers ---- */

static const char *env(struct jr_making *m, size_t i)
{
    struct jr_made o = { .n = 0 };

    jr_make_put_str(m, &o, "name",
                    jr_make_wrong(m) ? "a=b" : TEXT(m, "VAR_%zu", jr_make_percent(m, 90) ? i : 0));
    if (jr_make_percent(m, 60))
        jr_make_put_str(m, &o, "value", "1");
    else
        jr_make_put(m, &o, "valueFrom", "{\"fieldRef\":{\"fieldPath\":\"metadata.name\"}}");
    return jr_make_text(m, &o, false);
}

static const char *port(struct jr_making *m, size_t i)
{
    static const char *const protocols[] = { "TCP", "UDP", "SCTP" };
    struct jr_made o = { .n = 0 };

    jr_make_put(m, &o, "containerPort", number(m, 1024, 2000));
    if (jr_make_percent(m, 40))
        jr_make_put_str(m, &o, "name", jr_make_wrong(m) ? bad_name(m) : TEXT(m, "p%zu", i));
    if (jr_make_percent(m, 40))
        jr_make_put(m, &o, "protocol", ONE_OF(m, protocols));
    return jr_make_text(m, &o, false);
}

static const char *quantities(struct jr_making *m, bool low)
{
    static const char *const small[] = { "\"100m\"", "\"0.05\"", "\"100500u\"", "\"1e-1\"", "0" };
    static const char *const large[] = { "\"1\"", "2", "\"1500m\"", "\"1.5\"" };
    static const char *const odd[] = { "\"-1\"", "\"1.2.3\"", "\"12Xi\"",
                                       "\"\"",   "\"1e400\"", "\"9999999999999999999999Ei\"",
                                       "true" };
    struct jr_made o = { .n = 0 };

    jr_make_put(m, &o, "cpu",
                jr_make_wrong(m) ? PICK(m, odd)
                : low            ? PICK(m, small)
                                 : PICK(m, large));
    if (jr_make_percent(m, 50))
        jr_make_put(m, &o, "memory", low ? "\"32Mi\"" : "\"1Gi\"");
    if (jr_make_wrong(m))
        jr_make_put(m, &o, "example.com/gpu", "\"1500m\"");
    return jr_make_text(m, &o, true);
}

static const char *resources(struct jr_making *m)
{
    struct jr_made o = { .n = 0 };

    if (jr_make_percent(m, 60))
        jr_make_put(m, &o, "requests", quantities(m, !jr_make_wrong(m)));
    if (jr_make_percent(m, 60))
        jr_make_put(m, &o, "limits", quantities(m, jr_make_wrong(m)));
    return jr_make_text(m, &o, false);
}

static const char *probe(struct jr_making *m)
{
    struct jr_made o = { .n = 0 };

    jr_make_put(m, &o, jr_make_percent(m, 50) ? "httpGet" : "grpc", "{\"port\":8080}");
    if (jr_make_percent(m, 30))
        jr_make_put(m, &o, "periodSeconds", number(m, 1, 60));
    return jr_make_text(m, &o, false);
}

static const char *mount(struct jr_making *m, size_t i)
{
    struct jr_made o = { .n = 0 };

    jr_make_put_str(m, &o, "name", jr_make_wrong(m) ? "nowhere" : "vol-0");
    jr_make_put_str(m, &o, "mountPath", jr_make_wrong(m) ? "" : TEXT(m, "/data/%zu", i));
    return jr_make_text(m, &o, false);
}

static const char *container(struct jr_making *m, size_t i, const char *prefix, bool volumes)
{
    static const char *const images[] = { "perl:5.34.0", "alpine", "r.io:5000/a/b:latest",
                                          "x@sha256:0", "busybox:1.36" };
    static const char *const pull[] = { "Always", "IfNotPresent", "Never" };
    struct jr_made o = { .n = 0 };

    if (!jr_make_wrong(m))
        jr_make_put_str(m, &o, "name",
                        jr_make_wrong(m) ? bad_name(m) : TEXT(m, "%s%zu", prefix, i));
    if (!jr_make_wrong(m))
        jr_make_put_str(m, &o, "image", PICK(m, images));
    if (jr_make_percent(m, 30))
        jr_make_put(m, &o, "command", "[\"sh\",\"-c\",\"exit 0\"]");
    if (jr_make_percent(m, 20))
        jr_make_put(m, &o, "imagePullPolicy", ONE_OF(m, pull));
    if (jr_make_percent(m, 25))
        jr_make_put(m, &o, "env", jr_make_list(m, 1 + jr_make_below(m, 3), env));
    if (jr_make_percent(m, 20))
        jr_make_put(m, &o, "ports", jr_make_list(m, 1 + jr_make_below(m, 2), port));
    if (jr_make_percent(m, 30))
        jr_make_put(m, &o, "resources", resources(m));
    if (prefix[0] == 'c' && jr_make_percent(m, 15))
        jr_make_put(m, &o, "livenessProbe", probe(m));
    if (prefix[0] == 'c' && jr_make_percent(m, 10))
        jr_make_put(m, &o, "lifecycle", "{\"preStop\":{\"httpGet\":{\"port\":81}}}");
    if (volumes)
        jr_make_put(m, &o, "volumeMounts", jr_make_list(m, 1 + jr_make_below(m, 2), mount));
    return jr_make_text(m, &o, false);
}

static const char *main_container(struct jr_making *m, size_t i)
{
    return container(m, i, "c", false);
}

static const char *mounting_container(struct jr_making *m, size_t i)
{
    return container(m, i, "c", true);
}

static const char *init_container(struct jr_making *m, size_t i)
{
    return container(m, i, "init", false);
}

/* ---- the template ---- */

static const char *volume(struct jr_making *m, size_t i)
{
    static const char *const sources[] = {
        "emptyDir",  "{}",
        "secret",    "{\"secretName\":\"s\"}",
        "configMap", "{\"name\":\"m\"}",
        "hostPath",  "{\"path\":\"/x\"}",
        "image",     "{\"reference\":\"r.io/v\"}",
        "projected", "{\"sources\":[{\"serviceAccountToken\":{\"path\":\"t\"}}]}"
    };
    size_t k = 2 * (size_t)jr_make_below(m, JR_ARRAY_SIZE(sources) / 2);
    struct jr_made o = { .n = 0 };

    jr_make_put_str(m, &o, "name", jr_make_wrong(m) ? bad_name(m) : TEXT(m, "vol-%zu", i));
    if (jr_make_percent(m, 85))
        jr_make_put(m, &o, sources[k], sources[k + 1]);
    return jr_make_text(m, &o, false);
}

static void put_pod_fields(struct jr_making *m, struct jr_made *o)
{
    static const char *const dns[] = { "ClusterFirst", "Default", "ClusterFirstWithHostNet" };

    if (jr_make_percent(m, 20))
        jr_make_put(m, o, "dnsPolicy", ONE_OF(m, dns));
    if (jr_make_percent(m, 20))
        jr_make_put(m, o, "terminationGracePeriodSeconds", number(m, 0, 60));
    if (jr_make_percent(m, 10))
        jr_make_put(m, o, "activeDeadlineSeconds", number(m, 1, 60));
    if (jr_make_percent(m, 15))
        jr_make_put(m, o, "nodeSelector", "{\"kubernetes.io/os\":\"linux\"}");
    if (jr_make_percent(m, 15))
        jr_make_put_str(m, o, "serviceAccountName", name(m));
    if (jr_make_percent(m, 10))
        jr_make_put_str(m, o, "priorityClassName", name(m));
    if (jr_make_percent(m, 10))
        jr_make_put_str(m, o, "hostname", name(m));
    if (jr_make_wrong(m))
        jr_make_put(m, o, "ephemeralContainers", "[{\"name\":\"debug\",\"image\":\"x\"}]");
    if (jr_make_percent(m, 5))
        jr_make_put(m, o, "overhead", "{\"cpu\":\"1500u\"}");
}

static const char *pod_spec(struct jr_making *m, bool never)
{
    static const char *const restart[] = { "Never", "OnFailure" };
    struct jr_made o = { .n = 0 };
    bool volumes = jr_make_percent(m, 30);

    if (!jr_make_wrong(m))
        jr_make_put(m, &o, "restartPolicy",
                    never && !jr_make_wrong(m) ? "\"Never\"" : ONE_OF(m, restart));
    if (!jr_make_wrong(m))
        jr_make_put(m, &o, "containers",
                    jr_make_list(m, 1 + jr_make_below(m, 3),
                                 volumes ? mounting_container : main_container));
    if (jr_make_percent(m, 20))
        jr_make_put(m, &o, "initContainers",
                    jr_make_list(m, 1 + jr_make_below(m, 2), init_container));
    if (volumes)
        jr_make_put(m, &o, "volumes", jr_make_list(m, 1 + jr_make_below(m, 3), volume));
    put_pod_fields(m, &o);
    return jr_make_text(m, &o, false);
}

static const char *template(struct jr_making *m, bool never, bool manual)
{
    struct jr_made o = { .n = 0 };
    struct jr_made meta = { .n = 0 };

    if (manual)
        jr_make_put(m, &meta, "labels", jr_make_wrong(m) ? "{\"app\":\"y\"}" : "{\"app\":\"x\"}");
    else if (jr_make_percent(m, 40))
        jr_make_put(m, &meta, "labels", labels(m));
    if (jr_make_percent(m, 20))
        jr_make_put(m, &meta, "annotations", labels(m));
    if (meta.n > 0 || jr_make_percent(m, 30))
        jr_make_put(m, &o, "metadata", jr_make_text(m, &meta, false));
    jr_make_put(m, &o, "spec", pod_spec(m, never));
    return jr_make_text(m, &o, false);
}

/* ---- policies ---- */

static const char *condition_pattern(struct jr_making *m, size_t i)
{
    static const char *const status[] = { "True", "False", "Unknown" };
    struct jr_made o = { .n = 0 };

    (void)i;
    jr_make_put_str(m, &o, "type", jr_make_wrong(m) ? bad_name(m) : "DisruptionTarget");
    if (jr_make_percent(m, 50))
        jr_make_put(m, &o, "status", ONE_OF(m, status));
    return jr_make_text(m, &o, false);
}

static const char *failure_rule(struct jr_making *m, size_t i)
{
    static const char *const actions[] = { "FailJob", "Ignore", "Count" };
    static const char *const values[] = { "[1,2,42]", "[137]" };
    static const char *const odd[] = { "[]", "[0]", "[2,1]", "[3,3]", "null" };
    struct jr_made o = { .n = 0 };
    struct jr_made codes = { .n = 0 };

    (void)i;
    jr_make_put(m, &o, "action", ONE_OF(m, actions));
    if (jr_make_percent(m, 50) || jr_make_wrong(m)) {
        jr_make_put_str(m, &codes, "operator", jr_make_wrong(m) ? "Within" : "In");
        jr_make_put(m, &codes, "values", jr_make_wrong(m) ? PICK(m, odd) : PICK(m, values));
        if (jr_make_wrong(m))
            jr_make_put_str(m, &codes, "containerName", "nobody");
        jr_make_put(m, &o, "onExitCodes", jr_make_text(m, &codes, false));
        if (!jr_make_wrong(m))
            return jr_make_text(m, &o, false);
    }
    if (!jr_make_wrong(m))
        jr_make_put(m, &o, "onPodConditions",
                    jr_make_list(m, 1 + jr_make_below(m, 2), condition_pattern));
    return jr_make_text(m, &o, false);
}

static const char *success_rule(struct jr_making *m, size_t i)
{
    static const char *const odd[] = { "1-2-3", "5-1", "99", "a", "1,,2", "-1", "2-2" };
    struct jr_made o = { .n = 0 };

    (void)i;
    if (jr_make_percent(m, 60))
        jr_make_put_str(m, &o, "succeededIndexes", jr_make_wrong(m) ? PICK(m, odd) : "0,1-2");
    else
        jr_make_put(m, &o, "succeededCount", number(m, 0, 3));
    return jr_make_text(m, &o, false);
}

static const char *policy(struct jr_making *m, const char *(*rule)(struct jr_making *m, size_t i))
{
    struct jr_made o = { .n = 0 };

    jr_make_put(
        m, &o, "rules",
        jr_make_list(m, jr_make_wrong(m) ? jr_make_below(m, 24) : 1 + jr_make_below(m, 3), rule));
    return jr_make_text(m, &o, false);
}

/* ---- the Job ---- */

static const char *selector(struct jr_making *m, bool manual)
{
    static const char *const odd[] = {
        "{}",
        "{\"matchLabels\":{\"a b\":\"c d\"}}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Near\"}]}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[]}]}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[\"x\"]}]}",
        "{\"matchLabels\":{\"app\":\"x\"}}"
    };
    static const char *const automatic[] = {
        "{}", "{\"matchExpressions\":[{\"key\":\"job-name\",\"operator\":\"Exists\"}]}"
    };

    if (jr_make_wrong(m))
        return PICK(m, odd);
    return manual ? "{\"matchLabels\":{\"app\":\"x\"}}" : PICK(m, automatic);
}

/** The fields that depend on the mode. */
static void put_indexed(struct jr_making *m, struct jr_made *o, bool indexed)
{
    bool per_index = indexed && jr_make_percent(m, 40);

    if (indexed) {
        jr_make_put_str(m, o, "completionMode", jr_make_wrong(m) ? "Sorted" : "Indexed");
        if (!jr_make_wrong(m))
            jr_make_put(m, o, "completions", number(m, 3, 20));
    } else if (jr_make_percent(m, 60)) {
        jr_make_put(m, o, "completions", number(m, 0, 20));
    }
    if (per_index || jr_make_wrong(m))
        jr_make_put(m, o, "backoffLimitPerIndex", number(m, 0, 3));
    if (per_index && jr_make_percent(m, 50))
        jr_make_put(m, o, "maxFailedIndexes", number(m, 0, 3));
    if ((indexed && jr_make_percent(m, 30)) || jr_make_wrong(m))
        jr_make_put(m, o, "successPolicy", policy(m, success_rule));
}

static void put_scalars(struct jr_making *m, struct jr_made *o)
{
    static const char *const managed[] = { "jobreeve.dev/controller",
                                           "kubernetes.io/job-controller" };

    if (jr_make_percent(m, 60))
        jr_make_put(m, o, "parallelism", number(m, 0, 20));
    if (jr_make_percent(m, 40))
        jr_make_put(m, o, "backoffLimit", number(m, 0, 10));
    if (jr_make_percent(m, 20))
        jr_make_put(m, o, "activeDeadlineSeconds", number(m, 0, 3600));
    if (jr_make_percent(m, 20))
        jr_make_put(m, o, "ttlSecondsAfterFinished", number(m, 0, 3600));
    if (jr_make_percent(m, 20))
        jr_make_put(m, o, "suspend", jr_make_percent(m, 50) ? "true" : "false");
    if (jr_make_percent(m, 20))
        jr_make_put(m, o, "managedBy", ONE_OF(m, managed));
    if (jr_make_percent(m, 15))
        jr_make_put(m, o, "scheduling", jr_gen_scheduling(m));
    if (m->g->unknown && jr_make_percent(m, 10))
        jr_make_put(m, o, "completions2", jr_make_any(m, 1));
}

static const char *spec(struct jr_making *m)
{
    static const char *const replacement[] = { "Failed", "TerminatingOrFailed" };
    struct jr_made o = { .n = 0 };
    bool failure_policy = jr_make_percent(m, 25), manual = jr_make_percent(m, 10);

    put_scalars(m, &o);
    put_indexed(m, &o, jr_make_percent(m, 40));
    if (failure_policy)
        jr_make_put(m, &o, "podFailurePolicy", policy(m, failure_rule));
    if (jr_make_percent(m, 20))
        jr_make_put(m, &o, "podReplacementPolicy",
                    failure_policy && !jr_make_wrong(m) ? "\"Failed\"" : ONE_OF(m, replacement));
    if (manual)
        jr_make_put(m, &o, "manualSelector", "true");
    if ((manual && !jr_make_wrong(m)) || (!manual && jr_make_percent(m, 10)))
        jr_make_put(m, &o, "selector", selector(m, manual));
    jr_make_put(m, &o, "template", template(m, failure_policy, manual));
    return jr_make_text(m, &o, false);
}

static const char *status(struct jr_making *m)
{
    static const char *const types[] = { "Complete", "Failed", "Suspended", "FailureTarget" };
    struct jr_made o = { .n = 0 };

    jr_make_put(m, &o, "active", TEXT(m, "%d", (int)jr_make_below(m, 4)));
    if (jr_make_percent(m, 30))
        jr_make_put(m, &o, "conditions",
                    TEXT(m, "[{\"type\":\"%s\",\"status\":\"True\"%s}]", PICK(m, types),
                         m->g->unknown ? ",\"xSince\":7" : ""));
    if (jr_make_percent(m, 30))
        jr_make_put(m, &o, "uncountedTerminatedPods", "{\"succeeded\":[\"u1\"]}");
    if (jr_make_percent(m, 30))
        jr_make_put(m, &o, "startTime", "\"2026-03-01T12:00:00Z\"");
    return jr_make_text(m, &o, false);
}

void jr_job_gen_init(struct jr_job_gen *g, uint64_t seed, enum jr_job_gen_kind kind)
{
    *g = (struct jr_job_gen){ .kind = kind, .unknown = true };
    (void)jr_rand_of_seed(&g->seed, seed);
}

enum jr_status jr_job_gen_next(struct jr_job_gen *g, struct jr_buf *out)
{
    struct jr_rand_seeded own;
    struct jr_making m = { .g = g, .r = jr_rand_of_seed(&own, g->seed.state) };
    struct jr_made o = { .n = 0 };

    g->seed.state++; /* the next Job's seed; each Job depends on its own alone */
    jr_arena_init(&m.arena, 0);
    jr_make_put_str(&m, &o, "apiVersion", "batch/v1");
    jr_make_put_str(&m, &o, "kind", "Job");
    jr_make_put(&m, &o, "metadata", metadata(&m));
    jr_make_put(&m, &o, "spec", spec(&m));
    if (jr_make_percent(&m, 20))
        jr_make_put(&m, &o, "status", status(&m));
    (void)jr_buf_adds(out, jr_make_text(&m, &o, false));
    jr_arena_done(&m.arena);
    return m.failed ? JR_NOMEM : out->failed;
}
