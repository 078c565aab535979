/* SPDX-License-Identifier: Apache-2.0 */
/* Faults on purpose, by rules; the hold. */
#include "devcluster/faults.h"

#include <stdio.h>

#include "common/base/memory.h"
#include "common/json/write.h"

#define MAX_RULES 32
#define TEXT_MAX 128

struct rule {
    char user_agent[TEXT_MAX];
    char method[16];
    char path[TEXT_MAX];
    int64_t every;
    int64_t times;
    struct jr_dev_fault fault;
    int64_t seen;
    int64_t taken;
};

struct jr_dev_faults {
    struct rule rules[MAX_RULES];
    size_t n;
    struct {
        bool set;
        char user_agent[TEXT_MAX];
        int64_t after;
        bool answer;
        int64_t writes;
    } hold;
};

static const struct {
    const char *name;
    enum jr_dev_fault_action action;
} actions[] = {
    { "status", JR_DEV_FAULT_STATUS },
    { "drop", JR_DEV_FAULT_DROP },
    { "lost", JR_DEV_FAULT_LOST },
    { "delay", JR_DEV_FAULT_DELAY },
};

struct jr_dev_faults *jr_dev_faults_new(void)
{
    return jr_xcalloc(1, sizeof(struct jr_dev_faults));
}

void jr_dev_faults_free(struct jr_dev_faults *f)
{
    free(f);
}

static enum jr_status text(const struct jr_node *o, const char *key, char *ret, size_t cap,
                           struct jr_error *err)
{
    const struct jr_node *n = jr_get(o, key);
    struct jr_str s = jr_node_str(n);

    if (jr_unset(n)) {
        ret[0] = '\0';
        return JR_OK;
    }
    if (s.p == NULL || s.n >= cap)
        return jr_fail(err, JR_INVALID, key, "expected a string of less than %zu bytes", cap);
    (void)snprintf(ret, cap, "%.*s", JR_P(s));
    return JR_OK;
}

/** Refuses a member that isn't one of these (NULL ends them): what is misspelt would have no
 * effect. */
static enum jr_status only(const struct jr_node *o, const char *const *keys, struct jr_error *err)
{
    char key[TEXT_MAX];
    size_t i;

    for (const struct jr_node *m = jr_first(o); m != NULL; m = jr_next(m)) {
        for (i = 0; keys[i] != NULL && !jr_str_is(jr_key(m), keys[i]); i++)
            ;
        if (keys[i] != NULL)
            continue;
        (void)snprintf(key, sizeof(key), "%.*s", JR_P(jr_key(m)));
        return jr_fail(err, JR_INVALID, key, "there is no such member");
    }
    return JR_OK;
}

static enum jr_status number(const struct jr_node *o, const char *key, int64_t fallback,
                             int64_t max, int64_t *ret, struct jr_error *err)
{
    const struct jr_node *n = jr_get(o, key);

    *ret = fallback;
    if (jr_unset(n))
        return JR_OK;
    if (jr_node_i64(n, ret) != JR_OK || *ret < 0 || *ret > max)
        return jr_fail(err, JR_INVALID, key, "expected an integer from 0 to %lld", (long long)max);
    return JR_OK;
}

static enum jr_status action(const struct jr_node *o, struct jr_dev_fault *ret,
                             struct jr_error *err)
{
    struct jr_str name = jr_get_str(o, "action");

    for (size_t i = 0; i < JR_ARRAY_SIZE(actions); i++) {
        if (jr_str_is(name, actions[i].name)) {
            ret->action = actions[i].action;
            return JR_OK;
        }
    }
    return jr_fail(err, JR_INVALID, "action", "expected status, drop, lost or delay");
}

static enum jr_status rule_read(const struct jr_node *o, struct rule *ret, struct jr_error *err)
{
    static const char *const keys[] = { "userAgent", "method", "path",   "every",
                                        "times",     "status", "action", "delayMilliseconds",
                                        NULL };
    struct rule r = { .every = 1 };
    int64_t status = 0;
    enum jr_status st = only(o, keys, err);

    if (st == JR_OK)
        st = text(o, "userAgent", r.user_agent, sizeof(r.user_agent), err);
    if (st == JR_OK)
        st = text(o, "method", r.method, sizeof(r.method), err);
    if (st == JR_OK)
        st = text(o, "path", r.path, sizeof(r.path), err);
    if (st == JR_OK)
        st = number(o, "every", 1, INT32_MAX, &r.every, err);
    if (st == JR_OK)
        st = number(o, "times", 0, INT32_MAX, &r.times, err);
    if (st == JR_OK)
        st = number(o, "status", 0, 599, &status, err);
    if (st == JR_OK)
        st = number(o, "delayMilliseconds", 0, 600000, &r.fault.delay_ms, err);
    if (st == JR_OK)
        st = action(o, &r.fault, err);
    if (st == JR_OK && r.fault.action == JR_DEV_FAULT_STATUS && status < 400)
        st = jr_fail(err, JR_INVALID, "status", "expected an HTTP status from 400 to 599");
    if (st == JR_OK && r.fault.action == JR_DEV_FAULT_DELAY && r.fault.delay_ms == 0)
        st = jr_fail(err, JR_INVALID, "delayMilliseconds", "expected an integer from 1 to 600000");
    if (st != JR_OK)
        return st;
    if (r.every == 0)
        r.every = 1;
    r.fault.status = (int)status;
    *ret = r;
    return JR_OK;
}

enum jr_status jr_dev_faults_set(struct jr_dev_faults *f, const struct jr_node *config,
                                 struct jr_error *err)
{
    static const char *const keys[] = { "rules", NULL };
    struct rule rules[MAX_RULES];
    size_t n = 0;
    char at[32];
    enum jr_status st = only(config, keys, err);

    if (st != JR_OK)
        return st;
    if (jr_get(config, "rules") != NULL && jr_node_kind(jr_get(config, "rules")) != JR_ARRAY)
        return jr_fail(err, JR_INVALID, "rules", "expected a list");
    for (const struct jr_node *o = jr_first(jr_get(config, "rules")); o != NULL; o = jr_next(o)) {
        if (n == MAX_RULES)
            return jr_fail(err, JR_LIMIT, "rules", "at most %d", MAX_RULES);
        st = rule_read(o, &rules[n], err);
        if (st != JR_OK) {
            (void)snprintf(at, sizeof(at), "rules[%zu]", n);
            jr_error_in(err, at);
            return st;
        }
        n++;
    }
    memcpy(f->rules, rules, n * sizeof(rules[0]));
    f->n = n;
    return JR_OK;
}

void jr_dev_faults_clear(struct jr_dev_faults *f)
{
    f->n = 0;
}

static bool contains(struct jr_str s, struct jr_str part)
{
    return part.n == 0 || memmem(s.p, s.n, part.p, part.n) != NULL;
}

static bool takes(struct rule *r, struct jr_str user_agent, struct jr_str method,
                  struct jr_str path)
{
    if (!jr_str_starts(user_agent, jr_str(r->user_agent)) ||
        (r->method[0] != '\0' && !jr_str_is(method, r->method)) || !contains(path, jr_str(r->path)))
        return false;
    r->seen++;
    if (r->seen % r->every != 0 || (r->times > 0 && r->taken >= r->times))
        return false;
    r->taken++;
    return true;
}

struct jr_dev_fault jr_dev_faults_next(struct jr_dev_faults *f, struct jr_str user_agent,
                                       struct jr_str method, struct jr_str path)
{
    for (size_t i = 0; i < f->n; i++) {
        if (takes(&f->rules[i], user_agent, method, path))
            return f->rules[i].fault;
    }
    return (struct jr_dev_fault){ .action = JR_DEV_FAULT_NONE };
}

enum jr_status jr_dev_hold_set(struct jr_dev_faults *f, const struct jr_node *config,
                               struct jr_error *err)
{
    static const char *const keys[] = { "userAgent", "afterWrites", "answer", NULL };
    char user_agent[TEXT_MAX];
    int64_t after;
    enum jr_status st = only(config, keys, err);

    if (st == JR_OK)
        st = text(config, "userAgent", user_agent, sizeof(user_agent), err);
    if (st == JR_OK)
        st = number(config, "afterWrites", 0, INT32_MAX, &after, err);
    if (st == JR_OK && user_agent[0] == '\0')
        st = jr_fail(err, JR_INVALID, "userAgent", "expected the start of a User-Agent");
    if (st != JR_OK)
        return st;
    f->hold.set = true;
    memcpy(f->hold.user_agent, user_agent, sizeof(user_agent));
    f->hold.after = after;
    f->hold.answer = jr_node_bool_or(jr_get(config, "answer"), false);
    f->hold.writes = 0;
    return JR_OK;
}

void jr_dev_hold_clear(struct jr_dev_faults *f)
{
    f->hold.set = false;
}

bool jr_dev_hold_on(const struct jr_dev_faults *f, struct jr_str user_agent)
{
    return f->hold.set && f->hold.writes >= f->hold.after &&
           jr_str_starts(user_agent, jr_str(f->hold.user_agent));
}

void jr_dev_hold_wrote(struct jr_dev_faults *f, struct jr_str user_agent, struct jr_str path,
                       bool *ret_answer)
{
    *ret_answer = true;
    if (contains(path, JR_S("/events")) || contains(path, JR_S("/leases")))
        return;
    if (!f->hold.set || !jr_str_starts(user_agent, jr_str(f->hold.user_agent)))
        return;
    f->hold.writes++;
    if (f->hold.writes >= f->hold.after)
        *ret_answer = f->hold.answer;
}

void jr_dev_faults_write(const struct jr_dev_faults *f, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_kbool(&w, "held", f->hold.set && f->hold.writes >= f->hold.after);
    jr_w_ki64(&w, "writes", f->hold.writes);
    jr_w_key(&w, "rules");
    jr_w_array(&w);
    for (size_t i = 0; i < f->n; i++) {
        jr_w_object(&w);
        jr_w_ki64(&w, "seen", f->rules[i].seen);
        jr_w_ki64(&w, "taken", f->rules[i].taken);
        jr_w_object_end(&w);
    }
    jr_w_array_end(&w);
    jr_w_object_end(&w);
    jr_must(out->failed);
}
