/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that webhooks are asked about: one step at a time, the test plays the webhook. */
#ifndef JR_TEST_DEVSTORE_FLIGHT_H
#define JR_TEST_DEVSTORE_FLIGHT_H

#include "tests/unit/devcluster/api.h"

#define CONFIGS "/apis/admissionregistration.k8s.io/v1/"
#define MUTATING CONFIGS "mutatingwebhookconfigurations"
#define VALIDATING CONFIGS "validatingwebhookconfigurations"

#define RULE(operations, resources)                                                        \
    "{\"operations\":[" operations "],\"apiGroups\":[\"batch\"],\"apiVersions\":[\"v1\"]," \
    "\"resources\":[" resources "]}"
#define ALL_JOBS RULE("\"*\"", "\"jobs\",\"jobs/status\"")

/* A request that is under way. */
struct flight {
    struct api *api;
    struct jr_dev_op *op;
    enum jr_dev_next next;
    struct jr_doc *review;
};

/** Makes a configuration with one webhook; `more` begins with a comma. */
void configure(struct api *a, const char *path, const char *name, const char *rules,
               const char *more);
void begin(struct flight *f, struct api *a, const char *method, const char *path, const char *body,
           const char *type);
void answer_raw(struct flight *f, const struct jr_dev_webhook_result *r);
/** Answers with the members of a response behind uid; patch may be NULL. */
void answer(struct flight *f, const char *response, const char *patch);
void allow(struct flight *f);
/** What the webhook is asked, at a pointer. */
const char *asked(struct flight *f, const char *pointer);
/** The end: status, and words of the body. */
void end(struct flight *f, int status, const char *words);

#endif
