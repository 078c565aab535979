/* Paths of fields, as text. */
#include "common/schema/path.h"

static void render(const struct jr_schema_path *p, bool json, struct jr_buf *out)
{
    if (p == NULL)
        return;
    render(p->parent, json, out);
    if (p->element) {
        if (json)
            (void)jr_buf_addf(out, "[%zu]", p->index);
        return;
    }
    if (out->n > 0)
        (void)jr_buf_addc(out, '.');
    if (p->via != NULL && !json)
        (void)jr_buf_addf(out, "%s.", p->via->name);
    (void)jr_buf_add(out, p->key);
}

void jr_schema_path_json(const struct jr_schema_path *path, struct jr_buf *out)
{
    render(path, true, out);
}

void jr_schema_path_go(const struct jr_schema_path *path, struct jr_buf *out)
{
    render(path, false, out);
}
