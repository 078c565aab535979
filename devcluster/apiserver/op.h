/* SPDX-License-Identifier: Apache-2.0 */
/* An operation: one request, from its head to its answer. What the parts of the store share. */
#ifndef JR_DEVCLUSTER_APISERVER_OP_H
#define JR_DEVCLUSTER_APISERVER_OP_H

#include "devcluster/apiserver/state.h"

enum jr_dev_verb {
    JR_DEV_GET,
    JR_DEV_LIST,
    JR_DEV_WATCH,
    JR_DEV_CREATE,
    JR_DEV_UPDATE,
    JR_DEV_PATCH,
    JR_DEV_DELETE,
    JR_DEV_DELETE_COLLECTION
};

enum jr_dev_patch_type { JR_DEV_PATCH_JSON, JR_DEV_PATCH_MERGE, JR_DEV_PATCH_STRATEGIC };
enum jr_dev_format { JR_DEV_FORMAT_OBJECT, JR_DEV_FORMAT_PARTIAL, JR_DEV_FORMAT_TABLE };
enum jr_dev_validation { JR_DEV_VALIDATE_WARN, JR_DEV_VALIDATE_STRICT, JR_DEV_VALIDATE_IGNORE };

/** A query parameter. */
struct jr_dev_param {
    struct jr_str key;
    struct jr_str value;
};

/** metav1.DeleteOptions. */
struct jr_dev_delete_options {
    struct jr_opt_i64 grace_s;
    struct jr_opt_bool orphan; /* orphanDependents */
    struct jr_str policy;      /* Orphan, Background, Foreground; p = NULL: none */
    struct jr_str uid;         /* preconditions; p = NULL: none */
    struct jr_str resource_version;
    struct jr_strs dry_run; /* of the body */
    struct jr_str kind;
};

struct jr_dev_hook;  /* admission.h */
struct jr_dev_watch; /* watch.c */

/** What a kind of write does between the webhooks: the steps of an operation, as below. */
struct jr_dev_write {
    const char *operation; /* of a review: CREATE, UPDATE, DELETE */
    /* From the request and the current state to what mutating webhooks see. Called again when the
     * state has changed meanwhile. */
    bool (*start)(struct jr_dev_op *op);
    /* After a mutating webhook's patch; NULL: nothing. */
    bool (*patched)(struct jr_dev_op *op);
    /* Up to what validating webhooks see; NULL: nothing. */
    bool (*validate)(struct jr_dev_op *op);
    /* Sets op->stale where the state has changed: then all begins again with start. */
    bool (*commit)(struct jr_dev_op *op);
};

struct jr_dev_op {
    struct jr_dev_store *store;
    struct jr_arena arena;
    struct jr_time now;
    /* The request. */
    enum jr_dev_verb verb;
    const struct jr_dev_resource *res;
    struct jr_str namespace;
    struct jr_str name;
    struct jr_str sub; /* status, binding, finalize, log; n = 0: the object itself */
    struct jr_str user;
    uint64_t as_of; /* see struct jr_dev_request */
    struct jr_dev_param *params;
    size_t n_params;
    enum jr_dev_format format;
    bool headed;              /* a Table has shown its columns */
    const char *content_type; /* without parameters */
    bool dry_run;
    enum jr_dev_validation validation;
    enum jr_dev_patch_type patch_type;
    struct jr_dev_delete_options del;
    /* Writes. */
    const struct jr_dev_write *write;
    bool mutated; /* the mutating webhooks have answered */
    unsigned tries;
    bool stale;
    struct jr_doc *input; /* the body */
    struct jr_doc *doc;   /* the object in the making */
    /* A Job without labels shares those of its template; what is generated shows in both then. */
    bool shares_labels;
    struct jr_dev_object *old;
    struct jr_doc *old_doc;
    struct jr_dev_hook *hook; /* under way, and those that follow */
    struct jr_dev_webhook call;
    struct jr_buf review;
    char review_uid[JR_DEV_UID_MAX];
    /* The answer. */
    struct jr_dev_answer answer;
    const char **warnings;
    size_t warnings_cap;
    bool wrote;
    struct jr_dev_watch *watch;
};

/* The steps of an operation return whether it goes on; false: a refusal is in the answer. */

/** A text in the operation's arena. */
const char *jr_dev_printf(struct jr_dev_op *op, const char *fmt, ...) JR_PRINTF(2, 3);

/* request.c */

/** Splits the path and the query, finds the resource and the verb; *ret_special: the path is none
 * of a resource (discovery), given back without query. */
bool jr_dev_request_parse(struct jr_dev_op *op, const struct jr_dev_request *req,
                          struct jr_str *ret_special) JR_MUST_USE;
/** A parameter's value, {NULL, 0} if it isn't there. */
struct jr_str jr_dev_param(const struct jr_dev_op *op, const char *key);
/** False where it is absent, "0" or "false". */
bool jr_dev_param_bool(const struct jr_dev_op *op, const char *key);
/** A parameter that is an integer; absent, *ret stays. 400. */
bool jr_dev_param_i64(struct jr_dev_op *op, const char *key, int64_t min, int64_t max,
                      int64_t *ret) JR_MUST_USE;
/** The parameter resourceVersion of a GET or a watch; absent or empty, *ret stays. 500. */
bool jr_dev_param_version(struct jr_dev_op *op, uint64_t *ret) JR_MUST_USE;
/** Takes a value of dryRun. 422. */
bool jr_dev_dry_run(struct jr_dev_op *op, struct jr_str value) JR_MUST_USE;
/** Chooses the answer's format by the Accept header. */
bool jr_dev_negotiate(struct jr_dev_op *op, const char *accept) JR_MUST_USE;

/* answer.c */

/** Begins an answer of JSON. */
struct jr_buf *jr_dev_answer_json(struct jr_dev_op *op, int status);
/** Fills the answer with a Status as it is. */
void jr_dev_answer_status(struct jr_dev_op *op, int code, const struct jr_api_status *status);
/* Refusals: all return false. */
/** Fills the answer with a Status of failure and this message. */
bool jr_dev_refuse_status(struct jr_dev_op *op, struct jr_api_status status, const char *message);
/** The same, with a message as of jr_dev_printf. */
#define jr_dev_refuse(op, status, ...) \
    jr_dev_refuse_status(op, status, jr_dev_printf(op, __VA_ARGS__))
/** The same from a code, a reason and a message, without details. */
#define jr_dev_refusef(op, code_, reason_, ...)                                               \
    jr_dev_refuse(op, ((struct jr_api_status){ .code = (code_), .reason = jr_str(reason_) }), \
                  __VA_ARGS__)
/** The same about an object, with details {name, group, kind: plural}. */
bool jr_dev_refuse_object(struct jr_dev_op *op, int code, const char *reason,
                          const struct jr_dev_resource *res, struct jr_str name,
                          const char *message);
/** What http libraries answer: with empty details. */
bool jr_dev_refuse_generic(struct jr_dev_op *op, int code, const char *reason, const char *message);
/** 404 and 405 where a path or a method is none. What real API servers serve and this one doesn't
 * is named. */
bool jr_dev_refuse_path(struct jr_dev_op *op, struct jr_str path);
bool jr_dev_refuse_method(struct jr_dev_op *op);
bool jr_dev_refuse_not_found(struct jr_dev_op *op, const struct jr_dev_resource *res,
                             struct jr_str name);
bool jr_dev_refuse_conflict(struct jr_dev_op *op, struct jr_str name, const char *why);
/** 409 "the object has been modified". */
bool jr_dev_refuse_modified(struct jr_dev_op *op, struct jr_str name);
/** 422 by a list of errors. */
struct jr_errlist;
bool jr_dev_refuse_invalid(struct jr_dev_op *op, const struct jr_errlist *errs, const char *group,
                           const char *kind, struct jr_str name);
/** 422 of options, with one error. */
bool jr_dev_refuse_option_as(struct jr_dev_op *op, const char *kind, const char *field,
                             const char *reason, const char *message);
#define jr_dev_refuse_option(op, kind, field, reason, ...) \
    jr_dev_refuse_option_as(op, kind, field, reason, jr_dev_printf(op, __VA_ARGS__))
/** 413 */
bool jr_dev_refuse_too_long(struct jr_dev_op *op);
/** A Warning header: text is quoted. */
void jr_dev_warn(struct jr_dev_op *op, struct jr_str text);
/** Answers with an object, in the format that was asked for; revision: another than its own, if not
 * 0. */
void jr_dev_answer_object(struct jr_dev_op *op, int status, const struct jr_dev_object *o,
                          uint64_t revision);
/** Appends an object in that format; of a Table only the operation's first one has the columns.
 * Failures stick to out. */
void jr_dev_write_object(struct jr_dev_op *op, const struct jr_dev_object *o, uint64_t revision,
                         struct jr_buf *out);
/** Answers with a tree, as if it was stored, with this resourceVersion (n = 0: none). */
void jr_dev_answer_tree(struct jr_dev_op *op, int status, const struct jr_node *root);

/* body.c */

/** Parses a body of JSON or YAML, or of protobuf, which is of that type; NULL: it may not be. */
bool jr_dev_body_parse(struct jr_dev_op *op, struct jr_str body, const struct jr_schema_type *type,
                       struct jr_doc **ret) JR_MUST_USE;
/** An object out of a body: kind, apiVersion, namespace and types are checked; duplicate fields and
 * unknown ones are answered for by fieldValidation. */
bool jr_dev_body_object(struct jr_dev_op *op, struct jr_str body, struct jr_doc **ret) JR_MUST_USE;
/** What decoding does to an object: types are checked, unknown fields and nulls dropped, defaults
 * set. */
bool jr_dev_decoded(struct jr_dev_op *op, struct jr_doc *doc) JR_MUST_USE;
/** Strict decoding errors as warnings, where fieldValidation says so; else *ret is their text where
 * they refuse the request, NULL where they don't. */
struct jr_strict_errors;
void jr_dev_strict_report(struct jr_dev_op *op, const struct jr_strict_errors *strict,
                          const char **ret);

/* Verbs. */
bool jr_dev_get(struct jr_dev_op *op) JR_MUST_USE;
bool jr_dev_list(struct jr_dev_op *op) JR_MUST_USE;
bool jr_dev_log(struct jr_dev_op *op) JR_MUST_USE;
bool jr_dev_watch_begin(struct jr_dev_op *op) JR_MUST_USE;
void jr_dev_watch_free(struct jr_dev_watch *w);
bool jr_dev_create_begin(struct jr_dev_op *op, struct jr_str body) JR_MUST_USE;
bool jr_dev_update_begin(struct jr_dev_op *op, struct jr_str body) JR_MUST_USE;
bool jr_dev_patch_begin(struct jr_dev_op *op, struct jr_str body) JR_MUST_USE;
bool jr_dev_delete_begin(struct jr_dev_op *op, struct jr_str body) JR_MUST_USE;
bool jr_dev_bind(struct jr_dev_op *op, struct jr_str body) JR_MUST_USE;
bool jr_dev_delete_collection(struct jr_dev_op *op, struct jr_str body) JR_MUST_USE;
/** /api, /apis, /version, /openapi and so on. */
bool jr_dev_discover(struct jr_dev_op *op, const struct jr_dev_request *req, struct jr_str path);

#endif
