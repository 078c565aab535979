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

void jr_dev_cell_since(struct jr_time t, struct jr_time now, struct jr_writer *w)
{
    char text[JR_DEV_DURATION_MAX];

    if (!jr_time_set(t))
        jr_w_str(w, JR_S("<unknown>"));
    else
        jr_w_str(w, jr_str(jr_dev_duration(jr_time_diff(now, t), text)));
}

void jr_dev_cell_name(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_w_str(w, c->object->meta.name);
}

void jr_dev_cell_age(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_dev_cell_since(c->object->meta.creation_timestamp, c->now, w);
}

void jr_dev_cell_containers(const struct jr_node *pod_spec, const char *member, struct jr_writer *w)
{
    JR_BUF list = { 0 };

    jr_buf_init(&list, (size_t)1 << 20);
    for (const struct jr_node *n = jr_first(jr_get(pod_spec, "containers")); n != NULL;
         n = jr_next(n)) {
        if (list.n > 0)
            (void)jr_buf_addc(&list, ',');
        (void)jr_buf_add(&list, jr_get_str(n, member));
    }
    jr_w_str(w, jr_buf_str(&list));
}

static void cell_of_path(const struct jr_dev_cell *c, const struct jr_dev_column *col,
                         struct jr_writer *w)
{
    const struct jr_node *n = jr_path(c->root, col->path);
    JR_BUF text = { 0 };

    if (jr_unset(n)) {
        jr_w_str(w, JR_S("<none>"));
        return;
    }
    jr_buf_init(&text, (size_t)1 << 20);
    if (jr_node_print(n, &text) == JR_OK)
        jr_w_raw(w, jr_buf_str(&text));
    else
        jr_w_null(w);
}

/* ---- tables ---- */

static void write_columns(const struct jr_dev_table *t, struct jr_writer *w)
{
    jr_w_array(w);
    for (const struct jr_dev_column *c = t->columns; c->name != NULL; c++) {
        jr_w_object(w);
        jr_w_kstr(w, "name", jr_str(c->name));
        jr_w_kstr(w, "type", jr_str(c->type));
        jr_w_kstr(w, "format", jr_str(c->format));
        jr_w_kstr(w, "description", JR_S(""));
        jr_w_ki64(w, "priority", c->priority);
        jr_w_object_end(w);
    }
    jr_w_array_end(w);
}

enum jr_status jr_dev_table_head(const struct jr_dev_resource *res, struct jr_str meta,
                                 bool columns, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S("Table"));
    jr_w_kstr(&w, "apiVersion", JR_S("meta.k8s.io/v1"));
    jr_w_key(&w, "metadata");
    jr_w_raw(&w, meta);
    jr_w_key(&w, "columnDefinitions");
    if (columns)
        write_columns(res->table, &w);
    else
        jr_w_null(&w);
    jr_w_key(&w, "rows");
    return jr_buf_addc(out, '[');
}

enum jr_status jr_dev_table_begin(const struct jr_dev_resource *res, struct jr_str resource_version,
                                  bool columns, struct jr_buf *out)
{
    char meta[64];

    (void)snprintf(meta, sizeof(meta), "{\"resourceVersion\":\"%.*s\"}", JR_P(resource_version));
    return jr_dev_table_head(res, resource_version.n == 0 ? JR_S("{}") : jr_str(meta), columns,
                             out);
}

enum jr_status jr_dev_table_row(const struct jr_dev_object *o, uint64_t revision,
                                struct jr_str include, struct jr_time now, struct jr_buf *out)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_writer w = jr_writer_on(out);
    struct jr_dev_cell cell = { .object = o, .now = now };
    enum jr_status st = jr_dev_object_open(o, &doc);

    if (st != JR_OK)
        return st;
    cell.root = jr_doc_root(doc);
    jr_w_object(&w);
    jr_w_key(&w, "cells");
    jr_w_array(&w);
    for (const struct jr_dev_column *c = o->res->table->columns; c->name != NULL; c++) {
        if (c->cell != NULL)
            c->cell(&cell, &w);
        else
            cell_of_path(&cell, c, &w);
    }
    jr_w_array_end(&w);
    if (!jr_str_is(include, "None")) {
        jr_w_key(&w, "object");
        st = jr_dev_object_write(
            o, jr_str_is(include, "Object") ? JR_DEV_FORM_OBJECT : JR_DEV_FORM_PARTIAL, revision,
            out);
    }
    w.comma = true;
    jr_w_object_end(&w);
    return st == JR_OK ? out->failed : st;
}
