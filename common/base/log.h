/* SPDX-License-Identifier: Apache-2.0 */
/* One JSON object per line on stderr. Only shells log; libraries return errors. */
#ifndef JR_BASE_LOG_H
#define JR_BASE_LOG_H

#include "common/base/clock.h"
#include "common/base/error.h"

enum jr_log_level { JR_LOG_DEBUG, JR_LOG_INFO, JR_LOG_WARN, JR_LOG_ERROR };
enum jr_log_format { JR_LOG_JSON, JR_LOG_TEXT };

/** Their names, for flags: in that order, NULL-terminated. */
extern const char *const jr_log_levels[];
extern const char *const jr_log_formats[];

/** One typed pair of a log line. */
struct jr_kv {
    const char *key;
    enum { JR_KV_STR, JR_KV_INT, JR_KV_BOOL, JR_KV_ERR } kind;
    struct jr_str s;
    int64_t i;
    const struct jr_error *err;
};
#define JR_STR(k, v) ((struct jr_kv){ .key = (k), .kind = JR_KV_STR, .s = (v) })
#define JR_CSTR(k, v) ((struct jr_kv){ .key = (k), .kind = JR_KV_STR, .s = jr_str(v) })
#define JR_INT(k, v) ((struct jr_kv){ .key = (k), .kind = JR_KV_INT, .i = (int64_t)(v) })
#define JR_FLAG(k, v) ((struct jr_kv){ .key = (k), .kind = JR_KV_BOOL, .i = (v) ? 1 : 0 })
/** Key "err", the text of jr_error_text. */
#define JR_ERR(e) ((struct jr_kv){ .key = "err", .kind = JR_KV_ERR, .err = (e) })

/** An object, as all lines name one: "namespace" and "name" are struct jr_str, `kind` the API's
 * word
 * ("Job"). Of an object of no namespace JR_NAMED. */
#define JR_OBJECT(kind_, namespace_, name_) \
    JR_STR("namespace", namespace_), JR_STR("name", name_), JR_CSTR("kind", kind_)
#define JR_NAMED(kind_, name_) JR_STR("name", name_), JR_CSTR("kind", kind_)

/** A logger is a value: where to, from which level on, with which clock. Writing is one write(2)
 * per line and safe from several threads. Of equal (level, msg) lines more than 20 in 10 s are
 * folded: a line with that message says how many (`folded`) and which objects they were about
 * (`objects`, by the pairs of JR_OBJECT), when the period is over or the room for their names is
 * full. */
struct jr_log;
/** Writes to fd (borrowed). component goes into each line as "component"; borrowed, NULL for none.
 */
enum jr_status jr_log_new(int fd, enum jr_log_level min, enum jr_log_format format,
                          const char *component, const struct jr_clock *clock,
                          struct jr_log **ret) JR_MUST_USE;
void jr_log_free(struct jr_log *log);
JR_DEFINE_CLEANUP(struct jr_log *, jr_log_free)
/** log may be NULL: nothing is written then. msg is a constant text, lower case, no values in it.
 * Line:
 *  {"ts":"2026-03-01T12:00:00.000000Z","level":"info","component":"webhook","msg":"serving","address":"..."}
 */
void jr_log_write(struct jr_log *log, enum jr_log_level level, const char *msg,
                  const struct jr_kv *kv, size_t n);
/** Writes what was folded in periods that are over. Any line does that too: it is for times in
 * which there is none, about every 10 s. log may be NULL. */
void jr_log_tick(struct jr_log *log);
/** Writes a line that somebody has asked for: whatever the level, and never folded. */
void jr_log_answer(struct jr_log *log, const char *msg, const struct jr_kv *kv, size_t n);

#define JR_LOG_(log, level, msg, ...)                                    \
    jr_log_write(log, level, msg, (const struct jr_kv[]){ __VA_ARGS__ }, \
                 sizeof((const struct jr_kv[]){ __VA_ARGS__ }) / sizeof(struct jr_kv))
/** jr_info(log, "serving", JR_CSTR("address", a)); at least one pair, the key "" pair is skipped.
 */
#define jr_debug(log, msg, ...) JR_LOG_(log, JR_LOG_DEBUG, msg, __VA_ARGS__)
#define jr_info(log, msg, ...) JR_LOG_(log, JR_LOG_INFO, msg, __VA_ARGS__)
#define jr_warn(log, msg, ...) JR_LOG_(log, JR_LOG_WARN, msg, __VA_ARGS__)
#define jr_err(log, msg, ...) JR_LOG_(log, JR_LOG_ERROR, msg, __VA_ARGS__)
#define jr_answer(log, msg, ...)                                   \
    jr_log_answer(log, msg, (const struct jr_kv[]){ __VA_ARGS__ }, \
                  sizeof((const struct jr_kv[]){ __VA_ARGS__ }) / sizeof(struct jr_kv))
/** For a line without pairs: jr_info(log, "stopping", JR_NONE). */
#define JR_NONE ((struct jr_kv){ .key = "", .kind = JR_KV_BOOL })

#endif
