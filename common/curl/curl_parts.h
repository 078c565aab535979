/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the curl transport share. Not for others. */
#ifndef JR_CURL_CURL_PARTS_H
#define JR_CURL_CURL_PARTS_H

#include <curl/curl.h>
#include <sys/queue.h>

#include "common/base/memory.h"
#include "common/curl/curl.h"
#include "common/kube/liveness.h"

/** How many shared connections there are at most where each takes one request at a time. */
#define JR_CURL_CONNECTIONS_MAX 16

/** A multi handle with connections of its own, driven by the loop. */
struct curl_pool {
    LIST_ENTRY(curl_pool) link; /* among the retired ones */
    struct jr_curl *owner;
    CURLM *multi;
    struct jr_timer *timer;
    LIST_HEAD(, curl_sock) socks;
    bool shared; /* its connections take many requests */
    unsigned n;  /* calls that are in it */
    struct jr_liveness life;
    struct jr_timer
        *liveness_timer; /* looks whether a shared one still answers, while calls are in it */
};
LIST_HEAD(curl_pools, curl_pool);

/** What TLS goes by, as PEM texts; NULL where there is none. Easy handles borrow the texts, so each
 * of their calls holds a reference. */
struct curl_certs {
    unsigned refs;
    char *ca, *cert, *key;
};

/** Where these texts are read again; NULL: they never change. */
struct curl_cert_files {
    char *ca, *cert, *key;
    struct jr_mono read_at;
    bool stale;    /* a connection failed: read again before the next one */
    bool bad;      /* what is there now can't be used */
    char why[512]; /* and why not, as it was logged */
};

/** Where requests go and how: read from the configuration once. */
struct curl_target {
    char *base; /* scheme://host:port/prefix, to put paths behind */
    char *
        host_header; /* "Host: ...", where base names the certificate's host and not the server's */
    struct curl_slist *connect_to;
    char *server; /* for messages */
    char *proxy;  /* NULL: by the environment; "": none */
    char *username, *password;
    char *user_agent;
    struct curl_slist *impersonate; /* headers */
    bool insecure;
};

struct curl_token {
    char *text; /* NULL: none */
    char *file; /* NULL: text never changes */
    struct jr_mono read_at;
    bool stale; /* a 401 came: read again before the next request */
    bool bad;   /* the file could not be used, which was logged */
};

/** The Date header of the last answer, and what it says. */
struct curl_date {
    char text[40];
    struct jr_time time;
};

TAILQ_HEAD(curl_calls, jr_call);

struct jr_curl {
    struct jr_loop *loop;
    struct curl_target target;
    struct curl_token token;
    struct curl_cert_files files;
    struct curl_certs *certs;
    struct jr_log *log;
    struct jr_error last_error;    /* of the last call that ended without an answer; JR_OK: none */
    enum jr_curl_fault last_fault; /* of the last call that ended */
    struct curl_pool *shared;      /* HTTP/2, many requests to a connection */
    struct curl_pools retired;     /* they get no new requests */
    struct jr_timer *sweep;        /* some of those have no call any more */
    struct curl_pool *dedicated;   /* HTTP/1.1: a connection to a request; one given up is closed */
    struct curl_calls live;
    struct curl_calls waiting; /* for their turn on the shared connections */
    bool multiplexes;          /* by its last answer, the server speaks HTTP/2 */
    struct curl_date date;
    struct jr_timer *turn;  /* some of those that wait may go */
    struct jr_timer *nudge; /* calls have no connection yet */
    struct curl_calls idle; /* easy handles to be used again */
    struct curl_calls full; /* by link_full: bytes have come that on_chunk has not seen */
    unsigned n_idle;
};

struct jr_call {
    TAILQ_ENTRY(jr_call) link; /* live, waiting or idle */
    TAILQ_ENTRY(jr_call) link_full;
    struct jr_curl *owner;
    struct curl_certs *certs;
    CURL *easy;
    struct curl_pool *pool; /* whose multi handle it is in; NULL: none */
    bool waiting;
    bool stream; /* its handle is for this one call */
    struct jr_http_handler h;
    bool (*may_send)(void *ctx);
    void *may_send_ctx;
    struct curl_slist *headers;
    char *body;
    bool repeatable; /* libcurl may send it again on another connection */
    unsigned nudges; /* looks at it while it had no connection yet, up to 2 */
    bool sent;       /* handed to a connection: it may have happened */
    bool full;       /* in the list of that name */
    bool in_handler; /* a handler runs now: the call's memory is needed after it */
    bool over;       /* cancelled, or ended: no handler runs any more */
    bool retired;    /* its connection was given up */
    enum jr_curl_fault fault;
    struct jr_buf in; /* bytes of the body */
    size_t body_max;
    struct jr_mono began, sent_at;
    struct jr_mono last_byte; /* of the body; before one came, sent_at */
    int64_t idle_ns;
    struct jr_timer *deadline, *silence;
    char words[CURL_ERROR_SIZE];
};

/** To be true of what libcurl refuses only where there is no memory. */
static inline void jr_curl_must(bool ok)
{
    if (!ok)
        jr_out_of_memory();
}

/** The same of what it refuses for other reasons too, which the process then ends with. */
static inline void jr_curl_must_multi(CURLMcode code)
{
    if (code != CURLM_OK && code != CURLM_OUT_OF_MEMORY)
        jr_end_process(curl_multi_strerror(code));
    jr_curl_must(code == CURLM_OK);
}

/* target.c */
enum jr_status jr_curl_target_init(struct curl_target *t, const struct jr_kube_config *config,
                                   const char *user_agent, struct jr_error *err);
void jr_curl_target_done(struct curl_target *t);
/** Sets all that stays the same from request to request. certs outlives the handle. */
enum jr_status jr_curl_target_apply(const struct curl_target *t, const struct curl_certs *certs,
                                    CURL *easy, struct jr_error *err);
enum jr_status jr_curl_token_init(struct curl_token *k, const struct jr_kube_config *config,
                                  struct jr_mono now, struct jr_error *err);
/** Reads the token's file again where it is time. A file that can't be used is named once. */
void jr_curl_token_refresh(struct curl_token *k, struct jr_log *log, struct jr_mono now);
void jr_curl_token_done(struct curl_token *k);

/* certs.c */
/** Takes the configuration's texts, and notes where they came from. */
void jr_curl_certs_init(struct jr_curl *c, const struct jr_kube_config *config);
/** Reads the files again where it is time. New texts that can be used are for all calls and
 * connections from now on; else the last good ones stay. */
void jr_curl_certs_refresh(struct jr_curl *c);
void jr_curl_certs_done(struct jr_curl *c);
struct curl_certs *jr_curl_certs_ref(struct curl_certs *certs);
/** NULL-safe. */
void jr_curl_certs_unref(struct curl_certs *certs);

/* socket.c */
struct curl_pool *jr_curl_pool_new(struct jr_curl *owner, bool shared);
/** Ends its connections. No call is in it. NULL-safe. */
void jr_curl_pool_free(struct curl_pool *pool);

/* retire.c */
/** Replaces a pool, c->shared or c->dedicated: what is under way goes on, new requests get new
 * connections. */
void jr_curl_retire_pool(struct jr_curl *c, struct curl_pool **pool);
/** The shared pool for new requests: another one than before where that one isn't trusted. */
struct curl_pool *jr_curl_trusted(struct jr_curl *c);
/** Called when a deadline has passed (on_deadline in curl.c), of a request that was sent then:
 * retires the pools that are as old, so that new requests get new connections; ends soon, from the
 * loop, the streams and requests whose connection has brought nothing since. */
void jr_curl_retire(struct jr_curl *c, struct jr_mono sent);
/** Counts a call that has come into the pool (by = 1), or left it (by = -1). */
void jr_curl_pool_count(struct curl_pool *pool, int by);
void jr_curl_retired_free(struct jr_curl *c);

/* handle.c */
/** Sets a handle up, which shows that libcurl has all options, and keeps it as idle. */
enum jr_status jr_curl_call_try(struct jr_curl *c, struct jr_error *err);
/** An idle call, or a new one. */
struct jr_call *jr_curl_call_take(struct jr_curl *c, bool stream);
/** Sets all of a request but its timers. */
void jr_curl_call_prepare(struct jr_call *call, const struct jr_http_request *req,
                          const struct jr_http_handler *h);
/** Ends what belongs to one request: the call is on no list then. */
void jr_curl_call_clear(struct jr_call *call);
/** Gives a cleared call back for other requests. */
void jr_curl_call_release(struct jr_call *call);
void jr_curl_call_free(struct jr_call *call);
/** Frees the idle ones. */
void jr_curl_calls_drop(struct jr_curl *c);
/** The status of the answer's head, 0 before it came. */
long jr_curl_status(const struct jr_call *call);

/* curl.c */
/** Asks the server for something small, on a connection of this pool. */
void jr_curl_probe(struct curl_pool *pool);
/** Has a call end soon as by its deadline, from the loop. retired: it says nothing of others. */
void jr_curl_end_soon(struct jr_call *call, bool retired);
/** Hands on what libcurl has brought: bytes, then ends. To be called whenever libcurl has worked.
 */
void jr_curl_pump(struct jr_curl *c);

#endif
