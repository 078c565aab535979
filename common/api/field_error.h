/* SPDX-License-Identifier: Apache-2.0 */
/* Field errors of validation: type, path, value, detail, in upstream's order and words
 * (k8s.io/apimachinery field.Error). */
#ifndef JR_API_FIELD_ERROR_H
#define JR_API_FIELD_ERROR_H

#include "common/api/meta.h"
#include "common/base/deadline.h"
#include "common/json/field_path.h"
#include "common/schema/kube_version.h"

#define JR_FIELD_ERROR_MAP(X)                                       \
    X(REQUIRED, "FieldValueRequired", "Required value")             \
    X(INVALID, "FieldValueInvalid", "Invalid value")                \
    X(FORBIDDEN, "FieldValueForbidden", "Forbidden")                \
    X(NOT_SUPPORTED, "FieldValueNotSupported", "Unsupported value") \
    X(DUPLICATE, "FieldValueDuplicate", "Duplicate value")          \
    X(TOO_MANY, "FieldValueTooMany", "Too many")                    \
    X(TOO_LONG, "FieldValueTooLong", "Too long")                    \
    X(NOT_FOUND, "FieldValueNotFound", "Not found")                 \
    X(TYPE_INVALID, "FieldValueTypeInvalid", "Invalid value")       \
    X(INTERNAL, "InternalError", "Internal error")

enum jr_field_error_type {
#define X(name, reason, words) JR_FE_##name,
    JR_FIELD_ERROR_MAP(X)
#undef X
};

struct jr_field_error {
    enum jr_field_error_type type;
    const struct jr_field_path *path; /* kept in the list's arena */
    struct jr_str field;              /* the path, rendered */
    struct jr_str value; /* rendered: "\"x\"" for strings, 5 for numbers; {NULL, 0} = not shown */
    struct jr_str detail;
    const char *rule; /* id of the rule that found it, NULL for errors of other origin */
};

/** A list in an arena (borrowed). `failed` sticks: JR_NOMEM, JR_LIMIT past 10,000 errors or
 * max_bytes of text (then the first ones are there, one at least), or JR_TIMEOUT where validation
 * had a deadline: then nothing is known. */
struct jr_errlist {
    struct jr_arena *arena;
    struct jr_field_error *v;
    size_t n;
    size_t cap;
    size_t bytes;           /* of fields, values and details */
    size_t max_bytes;       /* 0: no bound */
    size_t max_value_bytes; /* of a field, a detail, and a string shown as a value; 0: no bound */
    struct jr_deadline *deadline;   /* borrowed; NULL: there is all the time */
    struct jr_kube_version version; /* whose rules these are, and whose words; at first 1.36.0 */
    enum jr_status failed;
};
void jr_errlist_init(struct jr_errlist *l, struct jr_arena *arena);
/** A buffer for words about values, which become a detail: with the list's bound, what goes beyond
 * it is cut. */
struct jr_buf jr_errlist_words(const struct jr_errlist *l);
/** Whether validation goes on: nothing has failed, and the time isn't over. Asked by each loop over
 * what the object lists. */
static inline bool jr_errlist_going(struct jr_errlist *l)
{
    if (l->failed == JR_OK && jr_deadline_step(l->deadline))
        l->failed = JR_TIMEOUT;
    return l->failed == JR_OK;
}
/** Adds an error. value: rendered text or {NULL, 0} where none is shown; it and the detail are
 * copied. */
void jr_errlist_add(struct jr_errlist *l, enum jr_field_error_type type,
                    const struct jr_field_path *path, struct jr_str value, const char *detail_fmt,
                    ...) JR_PRINTF(5, 6);
/** Of errors with equal texts only the first stays. */
void jr_errlist_once(struct jr_errlist *l);
/** Of the first n errors those go that one behind them takes the place of: of the same rule, at the
 * same field. */
void jr_errlist_supersede(struct jr_errlist *l, size_t n);
/** Renders values for jr_errlist_add, into the list's arena: strings quoted as Go's %q does in
 * field.Error, integers plain. Of strings above 8 KiB only the beginning is shown, with "..."
 * behind.
 */
struct jr_str jr_errlist_quote(struct jr_errlist *l, struct jr_str s);
struct jr_str jr_errlist_int(struct jr_errlist *l, int64_t v);
/** What is shown of a long string: so many bytes at most (0: all), whole characters. */
struct jr_str jr_field_shown(struct jr_str s, size_t max_bytes);
/** Appends s as Go's %q. */
enum jr_status jr_field_quote(struct jr_str s, struct jr_buf *out) JR_MUST_USE;
const char *jr_field_error_reason(enum jr_field_error_type type); /* FieldValueInvalid */
const char *jr_field_error_words(enum jr_field_error_type type);  /* Invalid value */
/** "Invalid value: -1: must be ...", without the field. */
enum jr_status jr_field_error_write(const struct jr_field_error *e, struct jr_buf *out) JR_MUST_USE;
/** The Status of a refusal: 422, Invalid, message `Job.batch "NAME" is invalid: E` or `[E1, E2]`
 * with equal texts once, causes with repeats. Strings go into the list's arena. */
enum jr_status jr_errlist_status(const struct jr_errlist *l, struct jr_str group,
                                 struct jr_str kind, struct jr_str name,
                                 struct jr_api_status *ret) JR_MUST_USE;

#endif
