/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of dumps. */
#include "cli/evidence_file.h"

#include "cli/manifest_file.h"
#include "cli/stream.h"
#include "common/base/memory.h"
#include "common/base/show.h"

/* A dump with 10,000 Pods has about as many. */
#define DUMP_NODES_MAX ((size_t)16 << 20)

struct reading {
    struct jr_evidence *evidence;
    struct jr_time now; /* of the dump */
    struct jr_buf text; /* of an object */
};

static void reading_done(struct reading *r)
{
    jr_buf_done(&r->text);
}

/** Takes in what jobreeve dump says of itself. */
static void take_head(struct reading *r, const struct jr_node *list)
{
    const struct jr_node *a = jr_path(list, "metadata.annotations");
    struct jr_str kinds = jr_get_str(a, JR_DUMP_KINDS), kind;

    if (jr_time_parse_served(jr_get_str(a, JR_DUMP_TIME), &r->now) != JR_OK)
        r->now = (struct jr_time){ 0 };
    while (jr_str_cut(&kinds, ',', &kind))
        jr_evidence_note_seen(r->evidence, kind);
}

static enum jr_status take(void *ctx, const struct jr_manifest *m, struct jr_error *err)
{
    struct reading *r = ctx;
    struct jr_error why;
    char text[sizeof(why.path) + sizeof(why.msg) + 8];

    (void)err;
    if (m->is_list) {
        take_head(r, m->node);
        return JR_OK;
    }
    jr_buf_reset(&r->text);
    jr_must(jr_node_print(m->node, &r->text));
    if (jr_evidence_add(r->evidence, NULL, jr_buf_str(&r->text), &why) != JR_OK)
        jr_show_error("%.*s %.*s is left out: %s", JR_P(m->kind),
                      JR_P(jr_get_str(jr_get(m->node, "metadata"), "name")),
                      jr_error_text(&why, text, sizeof(text)));
    return JR_OK;
}

enum jr_status jr_evidence_read(struct jr_evidence *ev, const char *path, struct jr_time *ret_now,
                                struct jr_error *err)
{
    const struct jr_yaml_limits limits = { .max_bytes = JR_STREAM_MAX_BYTES,
                                           .max_nodes = DUMP_NODES_MAX,
                                           .dup = JR_DUP_LAST };
    JR_CLEANUP(reading_done) struct reading r = { .evidence = ev };
    const struct jr_stream_sink sink = { .object = take, .ctx = &r };
    char text[sizeof(err->path) + sizeof(err->msg) + 8];
    JR_BUF file = { 0 };
    enum jr_status st;

    jr_buf_init(&file, JR_STREAM_MAX_BYTES);
    jr_buf_init(&r.text, JR_BUF_BY_INPUT);
    st = jr_input_read(path, &file, err);
    if (st == JR_OK)
        st = jr_stream_read(jr_buf_str(&file), &limits, &sink, err);
    *ret_now = r.now;
    if (st != JR_OK && strcmp(err->path, path) != 0)
        return jr_fail(err, st, path, "%s", jr_error_text(err, text, sizeof(text)));
    return st;
}
