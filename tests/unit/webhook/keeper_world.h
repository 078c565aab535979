/* SPDX-License-Identifier: Apache-2.0 */
/* A world of keepers and of replicas that serve what these make, against the devcluster's API
 * server in virtual time. From the first moment on at which all is well no caller is ever without
 * the CA of what a replica serves: that is checked at each write. */
#ifndef JR_TESTS_KEEPER_WORLD_H
#define JR_TESTS_KEEPER_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/json/doc.h"
#include "devcluster/apiserver/store.h"
#include "tests/support/scripted_api.h"
#include "webhook/certs/cert_keeper.h"
#include "webhook/certs/cert_reader.h"

#define REPLICAS 3
#define DAY (INT64_C(86400) * JR_SEC)
#define HOUR_MS INT64_C(3600000)
#define SECRETS "/api/v1/namespaces/ns/secrets"
#define SECRET SECRETS "/own"
#define ADMISSION "/apis/admissionregistration.k8s.io/v1/"
#define MUTATING ADMISSION "mutatingwebhookconfigurations"
#define VALIDATING ADMISSION "validatingwebhookconfigurations"

struct world;
/** A keeper and a replica of the webhook, which have nothing to do with each other. */
struct replica {
    struct world *w;
    struct jr_replicas *asker;
    struct jr_cert_keeper *keeper;
    struct jr_cert_reader *reader;
    char *serving;
    unsigned told;
    unsigned good_rounds, bad_rounds; /* of the keeper */
    char why[sizeof(struct jr_error)];
    char why_not_read[sizeof(struct jr_error)];
    struct jr_cert_keeper_seen seen;
};

struct world {
    struct jr_clock_virtual clock;
    struct jr_rand_seeded seed;
    struct jr_env env;
    struct jr_scripted_api *scripted;
    struct jr_dev_store *store;
    struct jr_buf answer;
    struct replica replicas[REPLICAS];
    unsigned fail_percent;   /* of requests that come to nothing, or whose answer is lost */
    int64_t server_ahead_ns; /* of our clock */
    size_t endpoints;        /* of the Service, where no handshake can begin; 0: the replicas' */
    bool no_slices;          /* EndpointSlices may not be read */
    bool none_answer;        /* to a handshake */
    const char *secret_fate; /* of what is written: "forgotten", "emptied", "refused"; NULL: kept */
    const char *refuse_patch; /* of the configurations: 422, with these words; NULL: not */
    bool started;             /* there was a moment when all was well: it has to last */
};

int keeper_world_setup(void **state);
int keeper_world_teardown(void **state);

/** A request of the test's own, or of a replica. Appends the answer's body. */
int request(struct world *w, const char *method, const char *path, const char *type,
            struct jr_str body, struct jr_buf *out);
/** How often it was sent. */
unsigned sent(const struct world *w, const char *method, const char *path);
/** What a configuration lets its callers trust; "" where it says nothing. From malloc. */
char *trusted_by(struct world *w, const char *kind);
/** Whether one of the bundle's CAs has signed it. */
bool verifies(const char *serving, const char *bundle);
size_t cas(const char *bundle);
/** What every replica serves is trusted by every configuration. */
bool all_is_well(struct world *w);
/** An object as it is. */
struct jr_doc *get(struct world *w, const char *path);
/** Who makes handshakes with the replicas. */
struct jr_handshaker shaker_of(struct world *w);
/** Makes a configuration of two webhooks; ca: another member of the first one's clientConfig;
 * policy: a failurePolicy that its annotation wants raised, or NULL. */
void configure(struct world *w, const char *path, const char *kind, const char *ca,
               const char *policy);

void start_keeper(struct world *w, size_t i, int64_t poll_ms, const char *const *names,
                  size_t n_names);
void stop_keeper(struct world *w, size_t i);
void start_reader(struct world *w, size_t i, int64_t poll_ms);
/** Both. */
void start(struct world *w, size_t i, int64_t poll_ms);
/** Lets so much time go by. */
void pass(struct world *w, int64_t ns);
/** All begin at one moment, and come to rest. */
void begin(struct world *w, int64_t poll_ms);
void same_for_all(const struct world *w);

#endif
