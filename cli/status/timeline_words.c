/* SPDX-License-Identifier: Apache-2.0 */
/* Labels and notes of timelines. */
#include "cli/status/timeline_words.h"

int64_t jr_timeline_seconds(struct jr_time from, struct jr_time to)
{
    return jr_time_diff(jr_time_trunc_s(to), jr_time_trunc_s(from)) / JR_SEC;
}

void jr_timeline_label(const struct jr_timeline_line *line, enum jr_label_form form, size_t columns,
                       struct jr_buf *out)
{
    const long long first = line->first, last = line->last;

    if (first < 0 && line->folded > 0)
        (void)jr_buf_addf(out, "%zu Pods", line->folded);
    else if (first < 0)
        jr_page_cut(line->tries[0].pod, columns, out);
    else if (line->folded == 0)
        (void)jr_buf_addf(out, "%s%lld", form == JR_LABEL_WORDS ? "index " : "", first);
    else
        (void)jr_buf_addf(out, "%s%lld-%lld", form == JR_LABEL_WORDS ? "indexes " : "", first,
                          last);
    if (first >= 0 && line->folded > 0 && form != JR_LABEL_SHORT)
        (void)jr_buf_addf(out, " (%zu)", line->folded);
}

static bool is_number(struct jr_str s)
{
    s = jr_str_from(s, s.n > 1 && s.p[0] == '-' ? 1 : 0);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    }
    return s.n > 0;
}

static const char *state_words(const struct jr_timeline *t, enum jr_try_state state, bool many)
{
    switch (state) {
    case JR_TRY_SUCCEEDED:
        return many ? "succeeded" : "ok";
    case JR_TRY_FAILED:
        return "failed";
    case JR_TRY_RUNS:
        return many ? "run" : "runs";
    case JR_TRY_WAITS:
        break;
    }
    if (t->ended)
        return "not done";
    return many ? "wait" : "waits";
}

void jr_timeline_end(const struct jr_timeline *t, const struct jr_try *try, size_t columns,
                     struct jr_buf *out)
{
    const char *words = is_number(try->mark) ? "exit " : "";

    if (try->mark.n == 0)
        (void)jr_buf_adds(out, state_words(t, try->state, false));
    (void)jr_buf_adds(out, words);
    jr_page_cut(try->mark, columns > strlen(words) ? columns - strlen(words) : columns, out);
}

/** Appends a number to the note if the note still has so many columns then. */
static void append_count(int64_t n, const char *one, const char *many, size_t columns,
                         struct jr_buf *note)
{
    const size_t before = note->n;

    (void)jr_buf_addf(note, ", %lld %s", (long long)n, n == 1 ? one : many);
    jr_must(note->failed);
    if (columns > 0 && jr_page_columns(jr_buf_str(note)) > columns)
        note->p[note->n = before] = '\0';
}

void jr_timeline_note(const struct jr_timeline *t, const struct jr_timeline_line *line,
                      size_t columns, struct jr_buf *out)
{
    int64_t restarts = 0;
    JR_BUF note = { 0 };

    jr_buf_init(&note, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < line->n_tries; i++)
        restarts += line->tries[i].restarts;
    if (line->folded > 0)
        (void)jr_buf_addf(&note, "%zu %s", line->folded, state_words(t, line->state, true));
    else if (line->n_tries == 0)
        (void)jr_buf_adds(&note, state_words(t, line->state, false));
    else
        jr_timeline_end(t, &line->tries[line->n_tries - 1], columns, &note);
    if (line->n_tries > 1)
        append_count((int64_t)line->n_tries, "try", "tries", columns, &note);
    if (restarts > 0)
        append_count(restarts, "restart", "restarts", columns, &note);
    (void)jr_buf_add(out, jr_buf_str(&note));
}

const char *jr_timeline_no_bar(const struct jr_timeline *t, const struct jr_timeline_line *line)
{
    if (line->state == JR_TRY_SUCCEEDED || line->state == JR_TRY_FAILED)
        return "Pod is gone";
    return t->ended ? "no Pod" : "no Pod yet";
}
