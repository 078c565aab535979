/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: their frame, and the cells that several kinds have. */
#include "devcluster/apiserver/table.h"

#include <inttypes.h>
#include <stdio.h>

#define YEAR_DAYS INT64_C(365)

/* ---- cells ---- */

/* "3h20m", or "3h" where there is nothing of the smaller unit. */
static const char *two_units(int64_t big, char big_unit, int64_t small, char small_unit,
                             char out[JR_DEV_DURATION_MAX])
{
    int n = snprintf(out, JR_DEV_DURATION_MAX, "%" PRId64 "%c", big, big_unit);

    if (small != 0 && n > 0)
        (void)snprintf(out + n, JR_DEV_DURATION_MAX - (size_t)n, "%" PRId64 "%c", small,
                       small_unit);
    return out;
}

const char *jr_dev_duration(int64_t ns, char out[JR_DEV_DURATION_MAX])
{
    int64_t seconds = ns / JR_SEC, minutes = seconds / 60, hours = minutes / 60, days = hours / 24;

    if (seconds < -1) {
        (void)snprintf(out, JR_DEV_DURATION_MAX, "<invalid>");
        return out;
    }
    if (seconds < 120)
        return two_units(seconds < 0 ? 0 : seconds, 's', 0, 's', out);
    if (minutes < 180)
        return two_units(minutes, 'm', minutes < 10 ? seconds % 60 : 0, 's', out);
    if (hours < 48)
        return two_units(hours, 'h', hours < 8 ? minutes % 60 : 0, 'm', out);
    if (days < YEAR_DAYS * 2)
        return two_units(days, 'd', days < 8 ? hours % 24 : 0, 'h', out);
    return two_units(days / YEAR_DAYS, 'y', days < YEAR_DAYS * 8 ? days % YEAR_DAYS : 0, 'd', out);
}

struct jr_time jr_dev_time_of(const struct jr_node *n)
{
    struct jr_time t = { 0 };

    if (jr_time_parse(jr_node_str(n), &t) != JR_OK)
        return (struct jr_time){ 0 };
    return t;
}

const struct jr_node *jr_dev_of_type(const struct jr_node *list, const char *type)
{
    const struct jr_node *n = jr_first(list);

    while (n != NULL && !jr_str_is(jr_get_str(n, "type"), type))
        n = jr_next(n);
    return n;
}

void jr_dev_write_since(struct jr_time t, struct jr_time now, struct jr_writer *w)
{
    char text[JR_DEV_DURATION_MAX];

    jr_w_str(w, jr_time_set(t) ? jr_str(jr_dev_duration(jr_time_diff(now, t), text))
                               : JR_S("<unknown>"));
}

void jr_dev_cell_since(const struct jr_dev_cell *c, const char *path, struct jr_writer *w)
{
    jr_dev_write_since(jr_dev_time_of(jr_path(c->root, path)), c->now, w);
}

void jr_dev_cell_name(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    (void)arg;
    jr_w_str(w, c->object->meta.name);
}

void jr_dev_cell_count(const struct jr_dev_cell *c, const char *path, struct jr_writer *w)
{
    jr_w_i64(w, (int64_t)jr_size(jr_path(c->root, path)));
}

void jr_dev_cell_text(const struct jr_dev_cell *c, const char *path, struct jr_writer *w)
{
    struct jr_str v = jr_node_str(jr_path(c->root, path));

    jr_w_str(w, v.n == 0 ? JR_S("<none>") : v);
}

static void cell_value(const struct jr_dev_cell *c, const char *path, struct jr_writer *w)
{
    const struct jr_node *n = jr_path(c->root, path);
    JR_BUF text = { 0 };

    if (jr_unset(n)) {
        jr_w_str(w, JR_S("<none>"));
        return;
    }
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_must(jr_node_print(n, &text));
    jr_w_raw(w, jr_buf_str(&text));
}

/* ---- tables ---- */

static void write_columns(const struct jr_dev_column *c, struct jr_writer *w)
{
    jr_w_array(w);
    for (; c->name != NULL; c++) {
        jr_w_object(w);
        jr_w_kstr(w, "name", jr_str(c->name));
        jr_w_kstr(w, "type", c->type == NULL ? JR_S("string") : jr_str(c->type));
        jr_w_kstr(w, "format", c->cell == jr_dev_cell_name ? JR_S("name") : JR_S(""));
        jr_w_kstr(w, "description", JR_S(""));
        jr_w_ki64(w, "priority", c->wide ? 1 : 0);
        jr_w_object_end(w);
    }
    jr_w_array_end(w);
}

void jr_dev_table_columns(const struct jr_dev_resource *res, bool columns, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    (void)jr_buf_adds(out, ",\"columnDefinitions\":");
    if (columns)
        write_columns(res->columns, &w);
    else
        jr_w_null(&w);
    (void)jr_buf_adds(out, ",\"rows\":[");
}

void jr_dev_table_begin(const struct jr_dev_resource *res, uint64_t version, bool columns,
                        struct jr_buf *out)
{
    (void)jr_buf_adds(out, JR_DEV_TABLE_HEAD);
    if (version == 0)
        (void)jr_buf_adds(out, "{}");
    else
        (void)jr_buf_addf(out, "{\"resourceVersion\":\"%" PRIu64 "\"}", version);
    jr_dev_table_columns(res, columns, out);
}

void jr_dev_table_row(const struct jr_dev_object *o, uint64_t revision, struct jr_str include,
                      struct jr_time now, struct jr_buf *out)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = jr_dev_object_open(o);
    struct jr_writer w = jr_writer_on(out);
    const struct jr_dev_cell cell = { .object = o, .root = jr_doc_root(doc), .now = now };

    jr_w_object(&w);
    jr_w_key(&w, "cells");
    jr_w_array(&w);
    for (const struct jr_dev_column *c = o->res->columns; c->name != NULL; c++)
        (c->cell == NULL ? cell_value : c->cell)(&cell, c->arg, &w);
    jr_w_array_end(&w);
    if (!jr_str_is(include, "None")) {
        jr_w_key(&w, "object");
        jr_dev_object_write(o,
                            jr_str_is(include, "Object") ? JR_DEV_FORM_OBJECT : JR_DEV_FORM_PARTIAL,
                            revision, out);
    }
    w.comma = true;
    jr_w_object_end(&w);
}
