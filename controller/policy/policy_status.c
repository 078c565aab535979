/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the patch of a JobPolicy's status. */
#include "controller/policy/policy_status.h"

#include "common/base/utf8.h"
#include "common/json/write.h"

#define TYPE "Accepted"
/* Of the condition, as metav1 allows. */
#define MESSAGE_MAX ((size_t)32768)
/* Of each of the worst: an object has a hundred fields, and ten of these are in each status. */
#define WORST_MESSAGE_MAX ((size_t)1024)

static const struct jr_node *find_condition(const struct jr_node *conditions)
{
    for (const struct jr_node *c = jr_first(conditions); c != NULL; c = jr_next(c)) {
        if (jr_str_is(jr_get_str(c, "type"), TYPE))
            return c;
    }
    return NULL;
}

static struct jr_str reason(bool accepted)
{
    return accepted ? JR_S("Accepted") : JR_S("Invalid");
}

/** Whether the condition says already what it is to say. */
static bool is_said(const struct jr_policy_status *s, const struct jr_node *object)
{
    const struct jr_node *status = jr_get(object, "status");
    const struct jr_node *c = find_condition(jr_get(status, "conditions"));
    const bool accepted = s->policy->unusable.n == 0;

    return jr_node_i64_or(jr_get(status, "observedGeneration"), -1) == s->policy->generation &&
           jr_str_is(jr_get_str(c, "status"), accepted ? "True" : "False") &&
           jr_str_eq(jr_get_str(c, "reason"), reason(accepted)) &&
           jr_str_eq(jr_get_str(c, "message"), jr_utf8_head(s->policy->unusable, MESSAGE_MAX));
}

/** Whether the status says already when the next exception ends. */
static bool is_end_said(const struct jr_policy_status *s, const struct jr_node *object)
{
    const struct jr_time end = jr_policy_next_end(s->policy, s->now);
    const struct jr_str said = jr_node_str(jr_path(object, "status.nextExceptionEnd"));
    char text[JR_TIME_MAX];

    return jr_time_set(end) ? jr_str_is(said, jr_time_format(end, text)) : said.n == 0;
}

static void write_end(const struct jr_policy_status *s, struct jr_writer *w)
{
    const struct jr_time end = jr_policy_next_end(s->policy, s->now);

    jr_w_key(w, "nextExceptionEnd");
    if (jr_time_set(end))
        jr_w_time(w, end);
    else
        jr_w_null(w);
}

static void write_condition(const struct jr_policy_status *s, const struct jr_node *was,
                            struct jr_writer *w)
{
    const bool accepted = s->policy->unusable.n == 0;
    const char *status = accepted ? "True" : "False";

    jr_w_object(w);
    jr_w_kstr(w, "type", JR_S(TYPE));
    jr_w_kstr(w, "status", jr_str(status));
    jr_w_ki64(w, "observedGeneration", s->policy->generation);
    jr_w_key(w, "lastTransitionTime");
    if (jr_str_is(jr_get_str(was, "status"), status) && jr_get_str(was, "lastTransitionTime").n > 0)
        jr_w_str(w, jr_get_str(was, "lastTransitionTime"));
    else
        jr_w_time(w, s->now);
    jr_w_kstr(w, "reason", reason(accepted));
    jr_w_kstr(w, "message", jr_utf8_head(s->policy->unusable, MESSAGE_MAX));
    jr_w_object_end(w);
}

/** Those of others first, as they are. */
static void write_conditions(const struct jr_policy_status *s, const struct jr_node *conditions,
                             struct jr_writer *w)
{
    jr_w_karray(w, "conditions");
    for (const struct jr_node *c = jr_first(conditions); c != NULL; c = jr_next(c)) {
        JR_BUF text = { 0 };

        if (jr_str_is(jr_get_str(c, "type"), TYPE))
            continue;
        jr_buf_init(&text, JR_BUF_BY_INPUT);
        if (jr_node_print(c, &text) != JR_OK)
            w->out->failed = JR_NOMEM;
        jr_w_raw(w, jr_buf_str(&text));
    }
    write_condition(s, find_condition(conditions), w);
    jr_w_array_end(w);
}

static void write_audit(const struct jr_policy_status *s, struct jr_writer *w)
{
    jr_w_kobject(w, "audit");
    jr_w_key(w, "time");
    jr_w_time(w, s->now);
    jr_policy_tally_write(s->tally, WORST_MESSAGE_MAX, w);
    jr_w_object_end(w);
}

void jr_policy_status_patch(const struct jr_policy_status *s, const struct jr_node *object,
                            struct jr_buf *out)
{
    const struct jr_node *meta = jr_get(object, "metadata");
    struct jr_writer w = jr_writer_on(out);

    if (jr_node_i64_or(jr_get(meta, "generation"), 0) != s->policy->generation ||
        (s->tally == NULL && is_said(s, object) && is_end_said(s, object)))
        return;
    jr_w_object(&w);
    jr_w_kobject(&w, "metadata");
    jr_w_kstr(&w, "resourceVersion", jr_get_str(meta, "resourceVersion"));
    jr_w_object_end(&w);
    jr_w_kobject(&w, "status");
    jr_w_ki64(&w, "observedGeneration", s->policy->generation);
    write_conditions(s, jr_path(object, "status.conditions"), &w);
    if (!is_end_said(s, object))
        write_end(s, &w);
    if (s->tally != NULL)
        write_audit(s, &w);
    jr_w_object_end(&w);
    jr_w_object_end(&w);
}
