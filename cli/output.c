#include "cli/output.h"

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

enum jr_status jr_output_write(const struct jr_report *r, enum jr_output_format format,
                               const struct jr_output_style *style, struct jr_buf *out)
{
    switch (format) {
    case JR_OUTPUT_TEXT:
        jr_output_text(r, style, out);
        break;
    case JR_OUTPUT_JSON:
        jr_output_json(r, out);
        break;
    case JR_OUTPUT_SARIF:
        jr_output_sarif(r, out);
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
    return out->failed;
}
