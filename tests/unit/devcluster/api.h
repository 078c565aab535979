/* SPDX-License-Identifier: Apache-2.0 */
/* A client of the devcluster's store, in process: requests in tables, answers looked at by JSON
 * Pointer. */
#ifndef JR_TEST_DEVSTORE_API_H
#define JR_TEST_DEVSTORE_API_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "common/json/doc.h"
#include "common/json/patch.h"
#include "devcluster/apiserver/store.h"

#define MERGE "application/merge-patch+json"
#define STRATEGIC "application/strategic-merge-patch+json"
#define JSON_PATCH "application/json-patch+json"
#define TABLE "application/json;as=Table;v=v1;g=meta.k8s.io"

#define PODS "/api/v1/namespaces/default/pods"
#define MAPS "/api/v1/namespaces/default/configmaps"
#define JOBS "/apis/batch/v1/namespaces/default/jobs"

/** The spec of a Pod and of a Job that are good. */
#define POD_SPEC "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}"
#define JOB_TEMPLATE                                                                 \
    "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":" \
    "\"c\",\"image\":\"x\"}]}}"

struct api {
    struct jr_rand_seeded seed;
    struct jr_dev_store *store;
    struct jr_time now;
    const char *accept;
    uint64_t as_of; /* of streams that are opened */
    /* The last answer. */
    int status;
    struct jr_buf text;
    struct jr_doc *doc;     /* NULL if it is no JSON */
    struct jr_buf warnings; /* one a line */
    bool wrote;
    /* Of the last answer that was an object. */
    char uid[64];
    char version[32];
    char token[512]; /* of the last list */
};

/** history 0: the default. */
void api_begin(struct api *a, size_t history);
void api_end(struct api *a);
/** Sends and takes the answer; {uid}, {rv} and {continue} in path and body are those of the last
 * answer that had them. Fails the test where a webhook or a stream is what comes. */
int api_call(struct api *a, const char *method, const char *path, const char *body,
             const char *type);
/** The value at a pointer in the last answer as text: strings bare, the rest as JSON, "-" where
 * there is none. Valid until the next call. */
const char *api_get(struct api *a, const char *pointer);
/** The same in any tree. */
const char *api_get_in(const struct jr_node *root, const char *pointer);
void api_tick(struct api *a);
void api_advance(struct api *a, int64_t seconds);

struct step {
    const char *method; /* "tick": jr_dev_tick */
    const char *path;
    const char *body;
    const char *type; /* Content-Type; NULL: JSON */
    int want;         /* status */
    const char *have; /* "/metadata/generation=2 /status/phase=Pending": values without blanks */
};
/** Runs the steps in order on one store; name is in the words of a failure. */
void api_steps(struct api *a, const char *name, const struct step *steps, size_t n);
#define API_STEPS(a, name, steps) api_steps(a, name, steps, JR_ARRAY_SIZE(steps))

/** A stream. */
struct stream {
    struct api *api;
    struct jr_dev_op *op;
    struct jr_buf frames;
    bool ended;
};
void stream_open(struct stream *s, struct api *a, const char *path);
/** Reads what is there up to a revision (0: all); gives it as "ADDED a 7\nMODIFIED a 8\n": type,
 * name, resourceVersion. */
const char *stream_read(struct stream *s, uint64_t revision, size_t max_bytes);
void stream_close(struct stream *s);

/** Reads a file of tests/vectors/wire. */
void read_wire(const char *name, struct jr_buf *out);

#define API_TEST(fn) cmocka_unit_test_setup_teardown(fn, api_setup, api_teardown)
int api_setup(void **state);
int api_teardown(void **state);

#endif
