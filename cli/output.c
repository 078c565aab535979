/* SPDX-License-Identifier: Apache-2.0 */
/* The formats by their names. */
#include "cli/output.h"
#include "common/base/memory.h"
#include "common/base/show.h"

static const char *const names[] = {
#define X(id, name) name,
    JR_OUTPUT_MAP(X)
#undef X
};

const char *jr_output_name(enum jr_output_format format)
{
    return names[format];
}

enum jr_output_format jr_output_find(struct jr_str name)
{
    size_t i = 0;

    while (i < JR_ARRAY_SIZE(names) && !jr_str_is(name, names[i]))
        i++;
    return (enum jr_output_format)i;
}

/** A format made of JSON: its strings are the only place where a hidden character can be. */
static void write_json(const struct jr_report *r,
                       void (*format)(const struct jr_report *r, struct jr_buf *out),
                       struct jr_buf *out)
{
    JR_BUF json = { 0 };

    jr_buf_init(&json, out->max);
    format(r, &json);
    if (json.failed != JR_OK)
        out->failed = json.failed;
    jr_show_json(jr_buf_str(&json), out);
}

void jr_output_json_versions(struct jr_writer *w, const struct jr_versions *versions,
                             unsigned which)
{
    jr_w_array(w);
    for (size_t i = 0; i < versions->n; i++) {
        JR_BUF text = { 0 };

        if ((which >> i & 1) == 0)
            continue;
        jr_buf_init(&text, JR_KUBE_TEXT_MAX);
        jr_version_write(versions->v[i], &text);
        jr_must(text.failed);
        jr_w_str(w, jr_buf_str(&text));
    }
    jr_w_array_end(w);
}

enum jr_status jr_output_write(const struct jr_report *r, enum jr_output_format format,
                               const struct jr_output_style *style, struct jr_buf *out)
{
    switch (format) {
    case JR_OUTPUT_TEXT:
        jr_output_text(r, style, out);
        break;
    case JR_OUTPUT_JSON:
        write_json(r, jr_output_json, out);
        break;
    case JR_OUTPUT_SARIF:
        write_json(r, jr_output_sarif, out);
        break;
    case JR_OUTPUT_JUNIT:
        jr_output_junit(r, out);
        break;
    case JR_OUTPUT_GITHUB:
        jr_output_github(r, out);
        break;
    case JR_OUTPUT_COUNT:
        break;
    }
    return jr_need(out->failed);
}
