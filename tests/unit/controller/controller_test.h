/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this folder share. */
#ifndef JR_TESTS_CONTROLLER_TEST_H
#define JR_TESTS_CONTROLLER_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "controller/intake/handlers.h"

/** Fails with the name of the table's row. */
#define check(row, cond)                      \
    do {                                      \
        if (!(cond))                          \
            fail_msg("%s: %s", (row), #cond); \
    } while (0)
#define check_int(row, got, want)                                                \
    do {                                                                         \
        long long got_ = (long long)(got), want_ = (long long)(want);            \
        if (got_ != want_)                                                       \
            fail_msg("%s: %s is %lld, expected %lld", (row), #got, got_, want_); \
    } while (0)

#define ALL_NAMESPACES ((struct jr_str){ NULL, 0 })
#define AT_S(s) ((struct jr_mono){ (int64_t)(s)*JR_SEC })

/** A Pod of namespace "ns". Empty strings: not there. The caller owns the reference. */
struct pod_made {
    const char *name, *uid, *version;
    const char *owner_kind, *owner, *owner_uid;
    const char *label; /* value of the controller-uid label */
    const char *finalizer;
    const char *phase;
    const char *deleted; /* deletionTimestamp */
};
static inline struct jr_pod *make_pod(const struct pod_made *m)
{
    char text[2048], owner[512] = "", label[256] = "", finalizer[256] = "", deleted[128] = "";
    struct jr_pod *pod = NULL;
    struct jr_error err = { 0 };

    if (m->owner_uid != NULL)
        (void)snprintf(
            owner, sizeof(owner),
            ",\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"%s\",\"name\":\"%s\","
            "\"uid\":\"%s\",\"controller\":true}]",
            m->owner_kind == NULL ? "Job" : m->owner_kind, m->owner, m->owner_uid);
    if (m->label != NULL)
        (void)snprintf(label, sizeof(label), ",\"labels\":{\"" JR_LABEL_CONTROLLER_UID "\":\"%s\"}",
                       m->label);
    if (m->finalizer != NULL)
        (void)snprintf(finalizer, sizeof(finalizer), ",\"finalizers\":[\"%s\"]", m->finalizer);
    if (m->deleted != NULL)
        (void)snprintf(deleted, sizeof(deleted), ",\"deletionTimestamp\":\"%s\"", m->deleted);
    (void)snprintf(text, sizeof(text),
                   "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\","
                   "\"resourceVersion\":\"%s\"%s%s%s%s},\"status\":{\"phase\":\"%s\"}}",
                   m->name, m->uid == NULL ? m->name : m->uid,
                   m->version == NULL ? "1" : m->version, owner, label, finalizer, deleted,
                   m->phase == NULL ? "Running" : m->phase);
    if (jr_pod_decode(jr_str(text), &pod, &err) != JR_OK)
        fail_msg("pod %s: %s", m->name, err.msg);
    return pod;
}

/** A Job of namespace "ns" with a generated selector, or with app=LABEL where one is given. */
static inline struct jr_job *make_job(const char *name, const char *uid, const char *app,
                                      int parallelism)
{
    char text[2048];
    struct jr_job *job = NULL;
    struct jr_error err = { 0 };

    (void)snprintf(
        text, sizeof(text),
        "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"namespace\":\"ns\","
        "\"name\":\"%s\",\"uid\":\"%s\",\"resourceVersion\":\"5\",\"generation\":1},"
        "\"spec\":{\"parallelism\":%d,\"completions\":%d,\"backoffLimit\":6,"
        "\"completionMode\":\"NonIndexed\",\"selector\":{\"matchLabels\":{\"%s\":\"%s\"}},"
        "\"template\":{\"metadata\":{\"labels\":{\"%s\":\"%s\"}},\"spec\":{\"restartPolicy\":"
        "\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}",
        name, uid, parallelism, parallelism, app == NULL ? JR_LABEL_CONTROLLER_UID : "app",
        app == NULL ? uid : app, app == NULL ? JR_LABEL_CONTROLLER_UID : "app",
        app == NULL ? uid : app);
    if (jr_job_decode(jr_str(text), &job, &err) != JR_OK)
        fail_msg("job %s: %s", name, err.msg);
    return job;
}

/** Adds a Job to the cache by the text of its parts; meta begins with a comma where there is some.
 */
static inline void add_job_text(struct jr_state *s, const char *name, const char *uid,
                                const char *meta, const char *spec, const char *status)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    char text[1024];

    (void)snprintf(text, sizeof(text),
                   "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\"%s},"
                   "\"spec\":{%s},\"status\":{%s}}",
                   name, uid, meta, spec, status);
    assert_int_equal(jr_job_decode(jr_str(text), &job, NULL), JR_OK);
    jr_cache_apply(jr_store_cache(s->store, JR_STORE_JOBS), job, NULL, NULL);
}

#endif
