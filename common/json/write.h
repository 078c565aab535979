/* SPDX-License-Identifier: Apache-2.0 */
/* Writing JSON straight into a buffer, without a tree: request bodies, patches, reviews. */
#ifndef JR_JSON_WRITE_H
#define JR_JSON_WRITE_H

#include "common/base/buf.h"
#include "common/base/num.h"
#include "common/base/time.h"

/** Commas are put where they belong; nesting is the caller's. Failures stick to the buffer
 * (buf->failed). */
struct jr_writer {
    struct jr_buf *out;
    bool comma;
};

static inline struct jr_writer jr_writer_on(struct jr_buf *out)
{
    return (struct jr_writer){ out, false };
}
void jr_w_object(struct jr_writer *w);
void jr_w_object_end(struct jr_writer *w);
void jr_w_array(struct jr_writer *w);
void jr_w_array_end(struct jr_writer *w);
/** A key; the value follows. */
void jr_w_key(struct jr_writer *w, const char *key);
void jr_w_keyn(struct jr_writer *w, struct jr_str key);
/** A key and the beginning of its value. */
void jr_w_kobject(struct jr_writer *w, const char *key);
void jr_w_karray(struct jr_writer *w, const char *key);
/** A string, escaped; bytes that are no UTF-8 become U+FFFD. */
void jr_w_str(struct jr_writer *w, struct jr_str v);
void jr_w_i64(struct jr_writer *w, int64_t v);
void jr_w_bool(struct jr_writer *w, bool v);
void jr_w_null(struct jr_writer *w);
/** Source text of a value, verbatim. */
void jr_w_raw(struct jr_writer *w, struct jr_str json);
/** RFC 3339 with seconds, or null if unset. */
void jr_w_time(struct jr_writer *w, struct jr_time t);
/* Key and value at once; the opt_ ones write nothing when unset (str: when n is 0). */
void jr_w_kstr(struct jr_writer *w, const char *key, struct jr_str v);
void jr_w_opt_kstr(struct jr_writer *w, const char *key, struct jr_str v);
void jr_w_ki64(struct jr_writer *w, const char *key, int64_t v);
void jr_w_kbool(struct jr_writer *w, const char *key, bool v);
void jr_w_opt_ki32(struct jr_writer *w, const char *key, struct jr_opt_i32 v);
void jr_w_opt_ktime(struct jr_writer *w, const char *key, struct jr_time t);

/** Appends s as a quoted JSON string. */
enum jr_status jr_json_quote(struct jr_str s, struct jr_buf *out) JR_MUST_USE;

#endif
