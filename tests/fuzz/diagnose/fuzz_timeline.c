/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps: the Pods of each Job over time, as text that fits its page and as a page that runs
 * nothing. */
#include "cli/status/timeline.h"
#include "common/diagnose/evidence.h"
#include "tests/fuzz/fuzz.h"

#define ITEMS_MAX 200
#define PODS_MAX 200
#define LINES_MAX 12
#define WHY JR_S("why")

static struct jr_evidence *evidence_of(const struct jr_node *items)
{
    struct jr_evidence *ev = jr_evidence_new();
    size_t n = 0;
    JR_BUF text = { 0 };

    jr_buf_init(&text, MAX_TEXT);
    for (const struct jr_node *i = jr_first(items); i != NULL && n < ITEMS_MAX; i = jr_next(i)) {
        must_print(i, &text);
        n += jr_evidence_add(ev, NULL, jr_buf_str(&text), NULL) == JR_OK;
    }
    jr_evidence_seal(ev);
    return ev;
}

static void check_model(const struct jr_timeline *t)
{
    MUST(t->n <= LINES_MAX && jr_time_cmp(t->from, t->to) <= 0);
    for (size_t i = 0; i < t->n; i++) {
        for (size_t k = 0; k < t->lines[i].n_tries; k++) {
            const struct jr_try *try = &t->lines[i].tries[k];

            for (size_t s = 0; s < try->n_spans; s++) {
                MUST(jr_time_cmp(try->spans[s].from, try->spans[s].to) <= 0);
                MUST(jr_time_cmp(try->spans[s].from, t->from) >= 0);
                MUST(jr_time_cmp(try->spans[s].to, t->to) <= 0);
            }
        }
    }
}

static void check_text(const struct jr_timeline *t, const struct jr_page *page)
{
    struct jr_str rest, line;
    JR_BUF out = { 0 };

    jr_buf_init(&out, JR_BUF_BY_INPUT);
    jr_timeline_text(t, page, &out);
    MUST(out.failed == JR_OK);
    rest = jr_buf_str(&out);
    while (jr_str_cut(&rest, '\n', &line))
        MUST(page->color || jr_page_columns(line) <= page->width);
}

static void check_html(const struct jr_timeline *t)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, JR_BUF_BY_INPUT);
    jr_timeline_html(t, WHY, &out);
    MUST(out.failed == JR_OK && out.n > 0);
    MUST(memmem(out.p, out.n, "<script", 7) == NULL);
    MUST(memmem(out.p, out.n, "\x1b", 1) == NULL);
}

static void draw(const struct jr_evidence *ev, const struct jr_job *job, struct jr_time now)
{
    static const struct jr_page pages[] = { { .width = 40 },
                                            { .width = 80, .drawing = true, .color = true },
                                            { .width = 200, .drawing = true } };
    const struct jr_pod_view *pods[PODS_MAX], *pod;
    JR_CLEANUP(jr_timeline_freep) struct jr_timeline *t = NULL;
    size_t n = 0, at = 0;

    while (n < PODS_MAX && (pod = jr_evidence_each_pod(ev, job->meta.uid, &at)) != NULL)
        pods[n++] = pod;
    t = jr_timeline_new(job, pods, n, now, LINES_MAX);
    check_model(t);
    for (size_t i = 0; i < JR_ARRAY_SIZE(pages); i++)
        check_text(t, &pages[i]);
    check_html(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct jr_reader_opts opts = { .dup = JR_DUP_LAST, .max_bytes = (size_t)1 << 20 };
    JR_CLEANUP(jr_evidence_freep) struct jr_evidence *ev = NULL;
    const struct jr_job *job;
    DOC *doc = NULL;
    size_t at = 0;

    if (jr_doc_parse(view_of(data, size), &opts, &doc, NULL) != JR_OK)
        return 0;
    ev = evidence_of(jr_get(jr_doc_root(doc), "items"));
    while ((job = jr_evidence_each_job(ev, &at)) != NULL)
        draw(ev, job, jr_evidence_newest(ev));
    return 0;
}
