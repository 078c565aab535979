/* SPDX-License-Identifier: Apache-2.0 */
/* Columns and colors. */
#include "cli/status/page.h"

#include "common/base/memory.h"
#include "common/base/show.h"
#include "common/base/utf8.h"

void jr_page_add(const struct jr_page *page, enum jr_page_color color, struct jr_str s,
                 struct jr_buf *out)
{
    static const char *const codes[] = { [JR_PAGE_PLAIN] = "",
                                         [JR_PAGE_GREEN] = "\x1b[32m",
                                         [JR_PAGE_BLUE] = "\x1b[34m",
                                         [JR_PAGE_RED] = "\x1b[31m",
                                         [JR_PAGE_DIM] = "\x1b[2m" };

    if (!page->color || color == JR_PAGE_PLAIN || s.n == 0) {
        (void)jr_buf_add(out, s);
        return;
    }
    (void)jr_buf_adds(out, codes[color]);
    (void)jr_buf_add(out, s);
    (void)jr_buf_adds(out, "\x1b[0m");
}

size_t jr_page_columns(struct jr_str s)
{
    size_t n = 0;

    while (s.n > 0) {
        uint32_t c;
        bool bad;

        s = jr_str_from(s, jr_utf8_next(s, &c, &bad));
        n++;
    }
    return n;
}

/** The first n characters of s. */
static struct jr_str head(struct jr_str s, size_t n)
{
    struct jr_str rest = s;

    while (rest.n > 0 && n > 0) {
        uint32_t c;
        bool bad;

        rest = jr_str_from(rest, jr_utf8_next(rest, &c, &bad));
        n--;
    }
    return jr_str_head(s, s.n - rest.n);
}

void jr_page_cut(struct jr_str s, size_t columns, struct jr_buf *out)
{
    JR_BUF shown = { 0 };

    jr_buf_init(&shown, JR_BUF_BY_INPUT);
    /* Each character shows as at least one column: no more of them are looked at. */
    jr_show(columns > 0 ? head(s, columns + 1) : s, &shown);
    jr_must(shown.failed);
    if (columns == 0 || jr_page_columns(jr_buf_str(&shown)) <= columns) {
        (void)jr_buf_add(out, jr_buf_str(&shown));
        return;
    }
    (void)jr_buf_add(out, head(jr_buf_str(&shown), columns > 3 ? columns - 3 : 0));
    (void)jr_buf_adds(out, &"..."[columns > 3 ? 0 : 3 - columns]);
}

void jr_page_cell(struct jr_str s, size_t columns, struct jr_buf *out)
{
    const size_t before = out->n;

    jr_page_cut(s, columns, out);
    jr_must(out->failed);
    for (size_t n = jr_page_columns(jr_str_from(jr_buf_str(out), before)); n < columns; n++)
        (void)jr_buf_addc(out, ' ');
}
