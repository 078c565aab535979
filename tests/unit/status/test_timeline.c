/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of small Jobs as whole texts; of large and hostile ones, what holds of each. */
#include "cli/status/timeline.h"
#include "common/base/memory.h"
#include "tests/unit/kube/kube_test.h"

#define DAY "2026-03-01T"
#define STARTED "\"startTime\": \"" DAY "10:00:00Z\""
#define JOB(spec, status)                                                                 \
    "{\"metadata\": {\"name\": \"train\", \"namespace\": \"ml\", \"creationTimestamp\": " \
    "\"" DAY "10:00:00Z\"}, \"spec\": {" spec "\"template\": {}}, \"status\": {" status "}}"
#define INDEXED(n) "\"completionMode\": \"Indexed\", \"completions\": " n ", "

/* Pods are written one a line, their fields by spaces between them; "-", or nothing at the end: it
 * has none. Times are those of the day, or whole: NODE, when it got one; FROM, TO, of its
 * container, which runs if it has no CODE; CHANGED, when a condition did. REASON is that of a Pod
 * that failed. */
enum field { NAME, INDEX, MADE, NODE, FROM, TO, CODE, REASON, CHANGED, DELETED, GRACE, RESTARTS };

static void add_time(const char *name, struct jr_str at, struct jr_buf *out)
{
    if (at.n > 0)
        (void)jr_buf_addf(out, ", \"%s\": \"%s%.*s%s\"", name, at.n == 8 ? DAY : "", JR_P(at),
                          at.n == 8 ? "Z" : "");
}

static void add_container(const struct jr_str *f, struct jr_buf *out)
{
    if (f[FROM].n == 0)
        return;
    (void)jr_buf_adds(out, "}], \"containerStatuses\": [{\"name\": \"c\"");
    if (f[RESTARTS].n > 0)
        (void)jr_buf_addf(out, ", \"restartCount\": %.*s", JR_P(f[RESTARTS]));
    (void)jr_buf_addf(out, ", \"state\": {\"%s\": {\"exitCode\": %.*s",
                      f[CODE].n > 0 ? "terminated" : "running",
                      JR_P(f[CODE].n > 0 ? f[CODE] : JR_S("0")));
    add_time("startedAt", f[FROM], out);
    add_time("finishedAt", f[TO], out);
    (void)jr_buf_adds(out, "}}");
}

static struct jr_pod_view *pod_of(struct jr_str line)
{
    struct jr_str f[RESTARTS + 1] = { { NULL, 0 } };
    struct jr_error err = { .status = JR_OK };
    struct jr_pod_view *pod = NULL;
    const char *phase;
    JR_BUF b = { .max = JR_BUF_BY_INPUT };

    for (size_t i = 0; i <= RESTARTS && jr_str_cut(&line, ' ', &f[i]); i++)
        f[i] = jr_str_is(f[i], "-") ? (struct jr_str){ NULL, 0 } : f[i];
    phase = f[FROM].n > 0 ? "Running" : "Pending";
    if (f[CODE].n > 0 || f[REASON].n > 0)
        phase = jr_str_is(f[CODE], "0") ? "Succeeded" : "Failed";
    (void)jr_buf_addf(&b, "{\"metadata\": {\"name\": \"%.*s\"", JR_P(f[NAME]));
    if (f[INDEX].p != NULL)
        (void)jr_buf_addf(&b, ", \"annotations\": {\"" JR_COMPLETION_INDEX "\": \"%.*s\"}",
                          JR_P(f[INDEX]));
    if (f[GRACE].n > 0)
        (void)jr_buf_addf(&b, ", \"deletionGracePeriodSeconds\": %.*s", JR_P(f[GRACE]));
    add_time("creationTimestamp", f[MADE], &b);
    add_time("deletionTimestamp", f[DELETED], &b);
    (void)jr_buf_addf(&b,
                      "}, \"spec\": {\"nodeName\": \"%s\"}, \"status\": {\"phase\": \"%s\", "
                      "\"reason\": \"%.*s\", \"conditions\": [{\"type\": \"DisruptionTarget\"",
                      f[NODE].n > 0 ? "n" : "", phase, JR_P(f[REASON]));
    add_time("lastTransitionTime", f[CHANGED], &b);
    (void)jr_buf_adds(&b, "}, {\"type\": \"PodScheduled\", \"status\": ");
    (void)jr_buf_adds(&b, f[NODE].n > 0 ? "\"True\"" : "\"False\"");
    add_time("lastTransitionTime", f[NODE], &b);
    add_container(f, &b);
    (void)jr_buf_adds(&b, "}]}}");
    assert_ok(jr_pod_view_decode(jr_buf_str(&b), &pod, &err), &err);
    return pod;
}

static struct jr_timeline *timeline_of(const char *job_text, struct jr_str lines, size_t lines_max)
{
    JR_FREE struct jr_pod_view **pods = NULL;
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    struct jr_error err = { .status = JR_OK };
    struct jr_time now = { 0 };
    struct jr_timeline *t;
    struct jr_str line;
    size_t n = 0, cap = 0;

    assert_ok(jr_job_decode(jr_str(job_text), &job, &err), &err);
    assert_int_equal(jr_time_parse(JR_S(DAY "10:10:00Z"), &now), JR_OK);
    while (jr_str_cut(&lines, '\n', &line)) {
        pods = jr_xvec_room(pods, n, &cap, sizeof(*pods));
        pods[n++] = pod_of(line);
    }
    t = jr_timeline_new(job, (const struct jr_pod_view *const *)pods, n, now, lines_max);
    for (size_t i = 0; i < n; i++)
        jr_pod_view_unref(pods[i]);
    return t;
}

/* ---- what holds of each ---- */

/** Holds the spans to the timeline and to each other. */
static void check_model(const struct jr_timeline *t, size_t lines_max)
{
    assert_true(t->n <= lines_max && jr_time_cmp(t->from, t->to) <= 0);
    for (size_t i = 0; i < t->n; i++) {
        assert_true(t->lines[i].n_tries == 0 || t->lines[i].folded == 0);
        for (size_t k = 0; k < t->lines[i].n_tries; k++) {
            const struct jr_try *try = &t->lines[i].tries[k];
            struct jr_time at = try->spans[0].from;

            assert_true(try->n_spans > 0 && jr_time_cmp(at, t->from) >= 0);
            for (size_t s = 0; s < try->n_spans; s++) {
                assert_int_equal(try->spans[s].from.ns, at.ns);
                assert_true(jr_time_cmp(try->spans[s].to, at) >= 0);
                at = try->spans[s].to;
            }
            assert_true(jr_time_cmp(at, t->to) <= 0);
        }
    }
}

static void text_of(const struct jr_timeline *t, const struct jr_page *page, struct jr_buf *out)
{
    jr_timeline_text(t, page, out);
    assert_int_equal(out->failed, JR_OK);
}

static void check_widths(const struct jr_timeline *t)
{
    static const size_t widths[] = { 40, 41, 57, 80, 200, 400 };

    for (size_t i = 0; i < 2 * JR_ARRAY_SIZE(widths); i++) {
        const struct jr_page page = { .width = widths[i / 2], .drawing = i % 2 == 1 };
        struct jr_str rest, line;
        JR_BUF out = { .max = JR_BUF_BY_INPUT };

        text_of(t, &page, &out);
        for (size_t k = 0; k < out.n && !page.drawing; k++)
            assert_in_range(out.p[k], '\n', '~');
        rest = jr_buf_str(&out);
        while (jr_str_cut(&rest, '\n', &line)) {
            assert_in_range(jr_page_columns(line), 1, page.width);
            assert_false(jr_str_ends(line, JR_S(" ")));
        }
    }
}

static void check_html(const struct jr_timeline *t)
{
    static const char *const absent[] = { "<script", "http", "src=",        "@import",
                                          "<b>",     "\x1b", "\xe2\x80\xae" };
    JR_BUF out = { .max = JR_BUF_BY_INPUT };

    jr_timeline_html(t, JR_S("why <b>&\"'\n  \x1b[31mcause\xe2\x80\xae"), &out);
    for (size_t i = 0; i < JR_ARRAY_SIZE(absent); i++)
        assert_null(strstr(out.p, absent[i]));
    assert_has(out.p, "<pre>why &lt;b&gt;&amp;&quot;&#39;\n  \\x1b[31mcause\\u202e\n</pre>");
}

/** Holds what is true of every timeline. */
static void check(const struct jr_timeline *t, size_t lines_max)
{
    check_model(t, lines_max);
    check_widths(t);
    check_html(t);
}

/* ---- whole texts ---- */

static const struct {
    const char *name;
    const char *job;
    const char *pods;
    struct jr_page page;
    const char *text;
} cases[] = {
    { "three Pods",
      JOB("\"completions\": 3, ",
          STARTED ", \"completionTime\": \"" DAY "10:04:00Z\", \"conditions\": [{\"type\": "
                  "\"Complete\", \"status\": \"True\"}]"),
      "train-bbbbb - 10:00:00 10:00:01 10:00:02 10:02:00 0\n"
      "train-ccccc - 10:02:00 10:02:00 10:02:10 10:04:00 0\n"
      "train-aaaaa - 10:00:00 10:00:30 10:01:00 10:03:00 0\n",
      { .width = 80 },
      "job/train in namespace ml: 10:00:00 to 10:04:00 (4m)\n"
      "            10:00:00          10:01:20           10:02:40           10:04:00 UTC\n"
      "train-aaaaa ........::::::::###############################+                 ok\n"
      "train-bbbbb ###############################+                                 ok\n"
      "train-ccccc                                 ::#############################+ ok\n"
      ". waits for a node  : starts  # runs  + succeeded\n" },
    { "a retry, drawn",
      JOB("\"completions\": 1, ", STARTED),
      "train-aaaaa - 10:00:00 10:00:30 10:01:00 10:03:00 1\n"
      "train-bbbbb - 10:03:10 10:03:10 10:05:00 - - - - - - 3\n",
      { .width = 80, .drawing = true },
      "job/train in namespace ml: 10:00:00 to 10:10:00 (10m so far)\n"
      "            10:00:00             10:05:00              10:10:00 UTC\n"
      "train-aaaaa ··░░░█████████✗                                     exit 1\n"
      "train-bbbbb                 ░░░░░░░░░██████████████████████████ runs, 3 restarts\n"
      "· waits for a node  ░ starts  █ runs  ✗ failed\n" },
    { "tries of indexes",
      JOB(INDEXED("5"), STARTED ", \"completedIndexes\": \"2\", \"failedIndexes\": \"3\""),
      "train-1-a 1 10:00:00 10:01:00 10:01:10 10:02:00 137\n"
      "train-0-c 0 10:06:30 10:06:30 10:07:00\n"
      "train-0-a 0 10:00:00 10:00:30 10:01:00 10:03:00 1\n"
      "train-0-b 0 10:03:10 10:03:10 10:04:00 10:06:00 137\n",
      { .width = 80 },
      "job/train in namespace ml: 10:00:00 to 10:10:00 (10m so far)\n"
      "        10:00:00        10:03:20         10:06:40         10:10:00 UTC\n"
      "index 0 ..:::###########x :::::##########x   :::################## runs, 3 tries\n"
      "index 1 .....:####x                                                exit 137\n"
      "index 2 Pod is gone                                                ok\n"
      "index 3 Pod is gone                                                failed\n"
      "index 4 no Pod yet                                                 waits\n"
      ". waits for a node  : starts  # runs  x failed\n" },
    { "what has no container statuses, what has no node, what is being deleted",
      JOB("\"completions\": 2, ", STARTED),
      "train-aaaaa - 10:00:00 10:01:00 - - - Evicted 10:04:00\n"
      "train-bbbbb - 10:02:00\n"
      "train-ccccc - 10:02:00 10:03:00 10:03:00 - - - - 10:08:30 30\n",
      { .width = 80 },
      "job/train in namespace ml: 10:00:00 to 10:10:00 (10m so far)\n"
      "            10:00:00         10:03:20         10:06:40          10:10:00 UTC\n"
      "train-aaaaa ......:::::::::::::::::x                                     Evicted\n"
      "train-bbbbb             ................................................ waits\n"
      "train-ccccc             ......##############################~~~~~~~~~~~~ runs\n"
      ". waits for a node  : starts  # runs  ~ is being deleted  x failed\n" },
    { "narrow",
      JOB(INDEXED("9"), STARTED ", \"completedIndexes\": \"2-7\""),
      "a 0 10:00:00 10:00:30 10:01:00 10:03:00 1\nb 0 10:03:10 10:03:10 10:04:00 10:06:00 137\n",
      { .width = 40 },
      "job/train in namespace ml: 10:00:00\n"
      "to 10:10:00 (10m so far)\n"
      "index   10:00:00       10:10:00 UTC\n"
      "0       .:###x ::###x           exit 137\n"
      "1       no Pod yet              waits\n"
      "2-7 (6) 6 succeeded\n"
      "8       no Pod yet              waits\n"
      ". waits for a node  : starts  # runs\n"
      "x failed\n" },
    { "days",
      JOB("\"completions\": 1, ", "\"startTime\": \"2026-02-27T09:00:00Z\""),
      "train-a - 2026-02-27T09:00:00Z\n",
      { .width = 60 },
      "job/train in namespace ml: 2026-02-27 09:00:00\n"
      "to 2026-03-01 10:10:00 (49h10m so far)\n"
      "        02-27 09:00:00                  03-01 10:10:00 UTC\n"
      "train-a .............................................. waits\n"
      ". waits for a node\n" },
    { "no Pods",
      JOB("", ""),
      "",
      { .width = 80 },
      "job/train in namespace ml: 10:00:00 to 10:10:00 (10m so far)\n"
      "There are no Pods.\n" },
};

static void whole_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(cases); i++) {
        JR_CLEANUP(jr_timeline_freep)
        struct jr_timeline *t = timeline_of(cases[i].job, jr_str(cases[i].pods), 5);
        JR_BUF out = { .max = JR_BUF_BY_INPUT };

        print_message("%s\n", cases[i].name);
        text_of(t, &cases[i].page, &out);
        check(t, 5);
        assert_string_equal(out.p, cases[i].text);
    }
}

/** Colors, and what a page has. */
static void parts(void **state)
{
    static const char *const all[] = {
        "\x1b[34m##################\x1b[0m \x1b[34mruns, 3 tries\x1b[0m\n",
        "\x1b[31m####x\x1b[0m",
        "\x1b[2mPod is gone",
        "\x1b[32mok\x1b[0m\n",
        "\n<!DOCTYPE html>\n",
        "<title>job/train</title>",
        "prefers-color-scheme:dark",
        ">index 0<title>",
        "train-0-b runs from 2026-03-01T10:04:00Z to 2026-03-01T10:06:00Z (2m)</title>",
        ">137</text>",
        ">runs, 3 tries</text>",
        ">Pod is gone</text>",
        "<th scope=\"row\">index 1</th><td>exit 137</td><td>train-1-a: waits from 2026-",
        ", runs from 2026-03-01T10:01:10Z to 2026-03-01T10:02:00Z; exit 137</td>",
    };
    JR_CLEANUP(jr_timeline_freep)
    struct jr_timeline *t = timeline_of(cases[2].job, jr_str(cases[2].pods), 5);
    const struct jr_page page = { .width = 80, .color = true };
    JR_BUF out = { .max = JR_BUF_BY_INPUT };

    (void)state;
    text_of(t, &page, &out);
    jr_timeline_html(t, JR_S(""), &out);
    for (size_t i = 0; i < JR_ARRAY_SIZE(all); i++)
        assert_has(out.p, all[i]);
}

/** Five times of days have room for minutes only. */
static void axis_of_days(void **state)
{
    JR_CLEANUP(jr_timeline_freep)
    struct jr_timeline *t = timeline_of(cases[5].job, jr_str(cases[5].pods), 5);
    JR_BUF out = { .max = JR_BUF_BY_INPUT };

    (void)state;
    jr_timeline_html(t, JR_S(""), &out);
    assert_has(out.p, "text-anchor=\"start\">02-27 09:00</text>");
    assert_has(out.p, "text-anchor=\"end\">03-01 10:10</text>");
}

/* ---- folding ---- */

/** Holds the lines to what they are to be: "0-3 ok 4". */
static void check_lines(const struct jr_timeline *t, const char *lines)
{
    static const char *const states[] = { "waits", "runs", "ok", "failed" };
    JR_BUF out = { .max = JR_BUF_BY_INPUT };

    for (size_t i = 0; i < t->n; i++) {
        const struct jr_timeline_line *l = &t->lines[i];

        (void)jr_buf_addf(&out, "%s%lld", i > 0 ? ", " : "", (long long)l->first);
        if (l->last != l->first)
            (void)jr_buf_addf(&out, "-%lld", (long long)l->last);
        (void)jr_buf_addf(&out, " %s", states[l->state]);
        if (l->folded > 0)
            (void)jr_buf_addf(&out, " %zu", l->folded);
    }
    assert_string_equal(out.p, lines);
}

/* An index a character: s, F, R, P: it has one such Pod; r: one that failed and one that
 * succeeded; S, G: its Pods are gone, it is named as completed or failed; -: nothing. x: a Pod
 * without an index. */
static const struct {
    const char *indexes;
    size_t lines_max;
    const char *lines;
} folds[] = {
    { "ssSFR--", 7, "0 ok, 1 ok, 2 ok, 3 failed, 4 runs, 5 waits, 6 waits" },
    { "ssSFR--", 5, "0-2 ok 3, 3 failed, 4 runs, 5 waits, 6 waits" },
    { "ssSFR--", 4, "0-2 ok 3, 3 failed, 4 runs, 5-6 waits 2" },
    { "ssSFR--", 0, "0-2 ok 3, 3 failed, 4-6 waits 3" },
    { "ssrrs", 3, "0-4 ok 5" },
    { "RRPP--", 5, "0 runs, 1 runs, 2 waits, 3 waits, 4-5 waits 2" },
    { "RRPP--", 4, "0-1 runs 2, 2-5 waits 4" },
    { "GGGFRR", 3, "0-3 failed 4, 4-5 runs 2" },
    { "sRsRsRFRsR", 5, "0-8 ok 4, 1-9 runs 5, 6 failed" },
    { "sRsRsRFRsR", 7, "0 ok, 1-7 runs 4, 2-8 ok 3, 6 failed, 9 runs" },
    { "xxxx", 5, "-1 failed, -1 failed, -1 failed, -1 failed" },
    { "sxsxsxx", 3, "0-2 ok 3, -1 failed 4" },
};

/** Adds the line of a Pod of a kind that the list above has. */
static void add_pod(int kind, const char *index, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "train-%c %s 10:00:0%d 10:00:10", kind, index, kind == 's');
    if (kind == 'R')
        (void)jr_buf_adds(out, " 10:01:00");
    else if (kind != 'P')
        (void)jr_buf_addf(out, " 10:01:00 10:02:00 %d", kind == 's' ? 0 : 3);
    (void)jr_buf_addc(out, '\n');
}

static struct jr_timeline *folded_of(const char *indexes, size_t lines_max)
{
    static const char *const none[] = { "x", "99999999999", "-1", "" };
    size_t n = 0, without = 0;
    JR_BUF done = { .max = JR_BUF_BY_INPUT };
    JR_BUF failed = { .max = JR_BUF_BY_INPUT };
    JR_BUF pods = { .max = JR_BUF_BY_INPUT };
    JR_BUF job = { .max = JR_BUF_BY_INPUT };

    for (const char *c = indexes; *c != '\0'; c++) {
        char index[32];

        (void)snprintf(index, sizeof(index), "%zu", n);
        n += *c != 'x';
        if (*c == 'x')
            add_pod('F', none[without++ % JR_ARRAY_SIZE(none)], &pods);
        else if (*c == 'S' || *c == 'G')
            (void)jr_buf_addf(*c == 'S' ? &done : &failed, "%s,", index);
        else if (*c != '-')
            add_pod(*c == 'r' ? 's' : *c, index, &pods);
        if (*c == 'r')
            add_pod('F', index, &pods);
    }
    (void)jr_buf_addf(&job,
                      JOB(INDEXED("%zu"), STARTED ", \"completedIndexes\": \"%.*s\", "
                                                  "\"failedIndexes\": \"%.*s\""),
                      n, JR_P(jr_buf_str(&done)), JR_P(jr_buf_str(&failed)));
    return timeline_of(job.p, jr_buf_str(&pods), lines_max);
}

static void folding(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(folds); i++) {
        JR_CLEANUP(jr_timeline_freep)
        struct jr_timeline *t = folded_of(folds[i].indexes, folds[i].lines_max);

        check_lines(t, folds[i].lines);
        check(t, folds[i].lines_max < 3 ? 3 : folds[i].lines_max);
    }
}

/** The same of 10,000 indexes, whose Pods are all there, or two of them. */
static void many_indexes(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++) {
        JR_CLEANUP(jr_timeline_freep) struct jr_timeline *t = NULL;
        JR_BUF pods = { .max = JR_BUF_BY_INPUT };

        for (int i = 0; i < 10000; i++) {
            const int kind = i == 5000 ? 'R' : i == 9999 ? 'F' : 's';
            char index[16];

            (void)snprintf(index, sizeof(index), "%d", i);
            if (all == 1 || kind != 's')
                add_pod(kind, index, &pods);
        }
        t = timeline_of(
            JOB(INDEXED("10000"), STARTED ", \"completedIndexes\": \"0-4999,5001-9998\""),
            jr_buf_str(&pods), 40);
        check_lines(t, "0-4999 ok 5000, 5000 runs, 5001-9998 ok 4998, 9999 failed");
        check(t, 40);
    }
}

/** Nothing is made for each of 2^31 - 1 indexes. */
static void most_indexes(void **state)
{
    JR_CLEANUP(jr_timeline_freep)
    struct jr_timeline *t = timeline_of(JOB(INDEXED("2147483647"), STARTED
                                            ", \"completedIndexes\": \"1-1000000000\", "
                                            "\"failedIndexes\": \"0,1000000001-2000000000\""),
                                        JR_S("a 2147483646 10:00:00 10:00:01 10:00:02"), 5);

    (void)state;
    check_lines(t, "0 failed, 1-1000000000 ok 1000000000, 1000000001-2000000000 failed "
                   "1000000000, 2000000001-2147483645 waits 147483645, 2147483646 runs");
    check(t, 5);
}

/* ---- what nobody meant ---- */

#define FAR "9999-12-31T23:59:59Z"
#define OLD "0001-01-02T00:00:00Z"
#define LONG                                                                                 \
    "Lopadotemachoselachogaleokranioleipsanodrimhypotrimmatosilphiokarabomelitokatakechymen" \
    "okichlepikossyphophattoperisteralektryonoptekephalliokigklopeleiolagoiosiraiobaphetraga"

static const char *const hostile[] = {
    /* times in the wrong order */
    "a - 10:09:00 10:08:00 10:07:00 10:06:00 1\n"
    "b - " FAR " 10:00:00 " FAR " " OLD " 0 - - " OLD " 1\n"
    "c - " OLD " 23:00:00 " OLD " - - - " FAR " " FAR " 9223372036854775807\n"
    "d - " OLD " " OLD " " OLD " " OLD " 1 - - " FAR "\n",
    /* none, and numbers that can't be */
    "\n"
    " - - - - - - - - 10:05:00 -5 -7\n"
    " - - - 10:00:00 - -2147483648\n"
    " - 10:00:00 - 10:05:00 - - - - - - 2147483647\n",
    /* names, reasons and indexes */
    "\\u001b[31m\\u202e\\n<b>&\\\"'</b> 99999999999 10:00:00 10:00:00 10:01:00 10:02:00 "
    "2147483647\n"
    "x\\u0000y x 10:00:00 - - - - <b>\\u001b\\u202e" LONG LONG "\n" LONG LONG
    " -1 10:00:00 10:00:00 10:01:00\n"
    "a 1 10:00:00 - - - - 137\n",
};

static const char *const hostile_jobs[] = {
    JOB(INDEXED("3"), STARTED ", \"completedIndexes\": \"2,1,0-99,x,-,9-1\""),
    JOB(INDEXED("-3"), "\"startTime\": \"" FAR "\""),
    JOB("\"completionMode\": \"Indexed\", ", "\"completionTime\": \"" OLD "\""),
    JOB("", "\"completionTime\": \"" FAR "\", \"conditions\": [{\"type\": \"Failed\", "
            "\"status\": \"True\", \"lastTransitionTime\": \"" OLD "\"}]"),
    "{\"metadata\": {\"name\": \"<b>\\u001b\\u202e" LONG LONG "\", \"namespace\": \"<b>" LONG LONG
    "\"}}",
};

static void nobody_meant(void **state)
{
    const size_t jobs = JR_ARRAY_SIZE(hostile_jobs);

    (void)state;
    for (size_t i = 0; i < 3 * jobs * JR_ARRAY_SIZE(hostile); i++) {
        const size_t lines_max = 3 + i % 3;
        JR_CLEANUP(jr_timeline_freep)
        struct jr_timeline *t =
            timeline_of(hostile_jobs[i / 3 % jobs], jr_str(hostile[i / 3 / jobs]), lines_max);

        check(t, lines_max);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_texts),  cmocka_unit_test(parts),
        cmocka_unit_test(axis_of_days), cmocka_unit_test(folding),
        cmocka_unit_test(many_indexes), cmocka_unit_test(most_indexes),
        cmocka_unit_test(nobody_meant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
