/* SPDX-License-Identifier: Apache-2.0 */
/* A running jobreeve-webhook, and clients for it, for tests. */
#ifndef JR_TEST_WEBHOOK_PROCESS_H
#define JR_TEST_WEBHOOK_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#include <openssl/ssl.h>

#include "tests/unit/webhook/pki.h"

/* Conditions are waited for this long before a test gives up; no test asserts how long something
 * took. */
#define PATIENCE_S 60
/** Seconds by a clock that nobody sets. */
time_t process_seconds(void);

struct process {
    struct pki pki;
    pid_t pid;
    char log[PKI_PATH_MAX]; /* its standard error */
    char out[PKI_PATH_MAX]; /* its standard output */
    int port;
    int health_port;
    int metrics_port;
};

/** Starts it on free ports of 127.0.0.1 with a new certificate and further arguments
 * (NULL-terminated, or NULL), and waits until it serves. Any failure ends the test. */
void process_start(struct process *p, const char *const *args);
/** Starts it with a command line of these arguments only, and waits for its end. Returns the exit
 * code; its log is in p. process_end must follow. */
int process_try(struct process *p, const char *const *args);
/** The same, with at most so many open files (RLIMIT_NOFILE, both limits); 0: as many as here. */
int process_try_within(struct process *p, rlim_t files, const char *const *args);
void process_signal(const struct process *p, int signo);
/** Waits for the end, returns the exit code, -signo if it was killed. */
int process_wait(struct process *p);
/** For JR_CLEANUP and the end of a test: kills what still runs, removes the files. */
void process_end(struct process *p);
/** SIGTERM, exit code 0 asserted, process_end. */
void process_stop(struct process *p);
/** Whether its log has a line with all of these texts (NULL-terminated). */
bool process_logged(const struct process *p, const char *const *texts);
/** Waits for that line. */
void process_await_log(const struct process *p, const char *const *texts);

/* ---- whole requests, by libcurl ---- */

struct reply {
    long status; /* 0: no answer, the connection failed or was closed */
    char *body;
    char *headers;
    bool closed; /* the answer said Connection: close */
};
struct ask_http {
    const char *method;       /* NULL: POST with a body, GET without */
    const char *path;         /* with the query */
    const char *content_type; /* NULL: application/json; "": none */
    const char *body;         /* NULL: none */
    size_t n;                 /* of the body; 0: as strlen says */
    bool chunked;
    const char *header; /* one more, or NULL */
};
/** Asks the webhook, by HTTPS with the certificate checked. */
void http_ask(const struct process *p, const struct ask_http *a, struct reply *ret);
/** GET from a plain listener. */
void http_get(int port, const char *path, struct reply *ret);
void reply_done(struct reply *r);
/** The value of the metric whose line starts with `series` (name and labels); -1 if there is none.
 */
double metric(const struct process *p, const char *series);
/** Waits until it is at least `least`. */
void await_metric(const struct process *p, const char *series, double least);

/* ---- connections by hand ---- */

struct wire {
    int fd;
    SSL_CTX *ctx;
    SSL *ssl; /* NULL: not yet */
};
/** Connects, without a handshake. */
void wire_open(const struct process *p, struct wire *w);
/** The same from 127.0.1.`last`, as another client; 0: from any address. */
void wire_open_from(const struct process *p, unsigned last, struct wire *w);
/** The handshake; versions as TLS1_2_VERSION, 0 for any. False: it failed. */
bool wire_handshake(struct wire *w, int max_version);
/** Writes the handshake's first message, to be sent by hand. Returns its length. */
size_t wire_hello(struct wire *w, unsigned char *hello, size_t cap);
/** The rest of the handshake, when it has been sent. False: it failed. */
bool wire_go_on(struct wire *w);
/** False: the other side is gone. */
bool wire_send(struct wire *w, const char *p, size_t n);
/** Reads until the end or `cap` - 1 bytes; NUL-terminates. Returns the length. */
size_t wire_read_all(struct wire *w, char *buf, size_t cap);
/** Reads once, at least one byte; 0: the end. */
size_t wire_read(struct wire *w, char *buf, size_t cap);
/** As recv, below TLS, again where it was interrupted. */
ssize_t wire_recv(const struct wire *w, void *buf, size_t cap);
/** Waits until the other side closes the connection; what it sends before is dropped. Fails the
 * test if it doesn't. */
void wire_await_end(struct wire *w);
void wire_done(struct wire *w);

/** The line and the headers of a POST with a JSON body of n bytes; target: the path, with the
 * query. `more`: further header lines, each with its CRLF, or "". Returns the length. */
size_t wire_head(char *buf, size_t cap, const char *target, const char *more, size_t n);
/** The same with the body behind it. */
size_t wire_request(char *buf, size_t cap, const char *target, const char *more, const char *body);

#endif
