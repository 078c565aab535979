/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes and the error record that every fallible function fills. */
#ifndef JR_BASE_ERROR_H
#define JR_BASE_ERROR_H

#include <stdbool.h>

#include "common/base/cleanup.h"
#include "common/base/str.h"

#define JR_STATUS_MAP(X)               \
    X(OK, "ok")                        \
    X(NOMEM, "out of memory")          \
    X(SYNTAX, "malformed")             \
    X(TYPE, "wrong type")              \
    X(RANGE, "out of range")           \
    X(INVALID, "invalid")              \
    X(LIMIT, "limit exceeded")         \
    X(NOTFOUND, "not found")           \
    X(EXISTS, "already exists")        \
    X(CONFLICT, "conflict")            \
    X(DENIED, "denied")                \
    X(EXPIRED, "expired")              \
    X(TIMEOUT, "timed out")            \
    X(CANCELLED, "cancelled")          \
    X(IO, "input/output error")        \
    X(REMOTE, "refused by the server") \
    X(USAGE, "wrong use")              \
    X(UNSUPPORTED, "unsupported")

enum jr_status {
#define X(name, text) JR_##name,
    JR_STATUS_MAP(X)
#undef X
};

/** What went wrong. Inline storage: reporting cannot itself fail. Longer text is cut, and ends in
 * "...". */
struct jr_error {
    enum jr_status status;
    int http;       /* HTTP status behind it, 0 if none */
    char path[256]; /* field path, file, flag or object: spec.template.spec.containers[0].name; may
                       be empty */
    char msg[512];
    unsigned line, column; /* in a text, from 1; 0: none */
    unsigned at;           /* where in msg the words begin, behind "line 3, column 7: " */
};

/** The status's words, "out of memory". */
const char *jr_status_text(enum jr_status st);

/** Fills err (may be NULL) and returns st. path may be NULL. */
enum jr_status jr_fail(struct jr_error *err, enum jr_status st, const char *path, const char *fmt,
                       ...) JR_PRINTF(4, 5);

/** As jr_fail, with the HTTP status that was answered. */
enum jr_status jr_fail_http(struct jr_error *err, enum jr_status st, int http, const char *fmt, ...)
    JR_PRINTF(4, 5);

/** As jr_fail(err, JR_IO, path, ...), with the words of errnum appended after ": ". */
enum jr_status jr_fail_errno(struct jr_error *err, int errnum, const char *path, const char *fmt,
                             ...) JR_PRINTF(4, 5);

/** Puts context before the message: "reading the certificate: ...". Returns err->status; err may be
 * NULL, then st is returned. */
enum jr_status jr_wrap(struct jr_error *err, enum jr_status st, const char *fmt, ...)
    JR_PRINTF(3, 4);

/** Puts the place in a text before the message, "line 3, column 7: ...", and into err. Returns
 * err->status; err may be NULL, then st is returned. */
enum jr_status jr_error_at(struct jr_error *err, enum jr_status st, size_t line, size_t column);

/** Puts prefix before err->path, with '.' between unless path is empty or starts with '['. */
void jr_error_in(struct jr_error *err, const char *prefix);

/** "path: msg" or "msg", or the status's words, into buf (always terminated). Returns buf. */
const char *jr_error_text(const struct jr_error *err, char *buf, size_t cap);

#endif
