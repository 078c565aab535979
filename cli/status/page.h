/* SPDX-License-Identifier: Apache-2.0 */
/* What a page of text is written for: a terminal of a width, with its marks, or a file. */
#ifndef JR_CLI_STATUS_PAGE_H
#define JR_CLI_STATUS_PAGE_H

#include "common/base/buf.h"

struct jr_page {
    size_t width; /* columns, at least 40 */
    bool color;   /* ANSI colors */
    bool drawing; /* box drawing and blocks, else ASCII */
};

enum jr_page_color {
    JR_PAGE_PLAIN,
    JR_PAGE_GREEN, /* done */
    JR_PAGE_BLUE,  /* runs */
    JR_PAGE_RED,   /* failed, or needs a hand */
    JR_PAGE_DIM,   /* waits */
};

/** Appends s in a color, where the page has colors; s is ours, or was shown by jr_show. */
void jr_page_add(const struct jr_page *page, enum jr_page_color color, struct jr_str s,
                 struct jr_buf *out);
/** Appends s of others as jr_show does it, cut at so many columns; 0: whole. */
void jr_page_cut(struct jr_str s, size_t columns, struct jr_buf *out);
/** As jr_page_cut, and fills up with spaces to so many columns. */
void jr_page_cell(struct jr_str s, size_t columns, struct jr_buf *out);

/** How many columns s takes: one for each character. */
size_t jr_page_columns(struct jr_str s);

#endif
