/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/admission/lines.h"

#define UUID_CHARS ((size_t)36)
#define LINE_MAX_BYTES ((size_t)64 << 20)

struct jr_lines jr_lines_on(FILE *file, const char *name)
{
    struct jr_lines l = { .file = file, .name = name };

    jr_buf_init(&l.line, LINE_MAX_BYTES);
    return l;
}

void jr_lines_done(struct jr_lines *l)
{
    jr_buf_done(&l->line);
}

/** Without the newline; *ret_end: the file ends here. */
static enum jr_status read_line(struct jr_lines *l, bool *ret_end, struct jr_error *err)
{
    char chunk[16384];
    struct jr_str part = { chunk, 0 };
    bool whole = false;

    jr_buf_reset(&l->line);
    while (!whole && fgets(chunk, sizeof(chunk), l->file) != NULL) {
        part.n = strlen(chunk);
        whole = jr_str_ends(part, JR_S("\n"));
        (void)jr_buf_add(&l->line, jr_str_head(part, part.n - whole));
    }
    l->number++;
    *ret_end = !whole;
    if (ferror(l->file))
        return jr_fail(err, JR_IO, l->name, "cannot read");
    if (l->line.failed != JR_OK)
        return jr_fail(err, l->line.failed, l->name, "line %zu", l->number);
    return JR_OK;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/** Whether p, of at least UUID_CHARS bytes, begins with a UUID. */
static bool is_uuid(const char *p)
{
    for (size_t i = 0; i < UUID_CHARS; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? p[i] != '-' : !is_hex(p[i]))
            return false;
    }
    return true;
}

static void blank_uids(struct jr_buf *line)
{
    static const char blank[] = "00000000-0000-0000-0000-000000000000";

    for (size_t i = 0; i + UUID_CHARS <= line->n; i++) {
        if (is_uuid(line->p + i))
            memcpy(line->p + i, blank, UUID_CHARS);
    }
}

enum jr_status jr_lines_next(struct jr_lines *l, struct jr_doc **ret, struct jr_error *err)
{
    const struct jr_reader_opts opts = { .max_bytes = LINE_MAX_BYTES, .dup = JR_DUP_LAST };
    bool end = false;
    enum jr_status st;

    *ret = NULL;
    do {
        st = read_line(l, &end, err);
        if (st != JR_OK)
            return st;
    } while (l->line.n == 0 && !end);
    if (l->line.n == 0)
        return JR_OK;
    if (l->blank_uids)
        blank_uids(&l->line);
    st = jr_doc_parse(jr_buf_str(&l->line), &opts, ret, err);
    return st == JR_OK ? JR_OK : jr_wrap(err, st, "%s, line %zu", l->name, l->number);
}
