/* SPDX-License-Identifier: Apache-2.0 */
/* Two families of an exposition that may have a hundred thousand lines. */
#include "common/schema/feature_metrics.h"

#include "common/schema/kube_server.h"

#define BUILD_INFO JR_S("kubernetes_build_info{")
#define FEATURE_ENABLED JR_S("kubernetes_feature_enabled{")

/** Takes `name="value"` and a comma behind it off the front of *s. Values of interest have no
 * escapes; others are only passed. */
static bool take_label(struct jr_str *s, struct jr_str *ret_name, struct jr_str *ret_value)
{
    const ptrdiff_t equals = jr_str_find(*s, '=');
    size_t end;

    if (equals <= 0)
        return false;
    *ret_name = jr_str_head(*s, (size_t)equals);
    *s = jr_str_from(*s, (size_t)equals + 1);
    if (!jr_str_starts(*s, JR_S("\"")))
        return false;
    for (end = 1; end < s->n && s->p[end] != '"'; end++)
        end += s->p[end] == '\\';
    if (end >= s->n)
        return false;
    *ret_value = jr_str_head(jr_str_from(*s, 1), end - 1);
    *s = jr_str_from(*s, end + 1);
    if (jr_str_starts(*s, JR_S(",")))
        *s = jr_str_from(*s, 1);
    return true;
}

/** The value of that label, and what stands behind the labels. */
static bool read_sample(struct jr_str s, const char *label, struct jr_str *ret_value,
                        struct jr_str *ret_rest)
{
    struct jr_str name, value;
    bool found = false;

    while (take_label(&s, &name, &value)) {
        if (jr_str_is(name, label)) {
            *ret_value = value;
            found = true;
        }
    }
    if (!found || !jr_str_starts(s, JR_S("}")))
        return false;
    *ret_rest = jr_str_trim(jr_str_from(s, 1));
    return true;
}

static void take_line(struct jr_feature_metrics *m)
{
    const struct jr_str line = { m->line, m->line_n };
    struct jr_str value, rest;

    if (jr_str_starts(line, BUILD_INFO)) {
        if (read_sample(jr_str_from(line, BUILD_INFO.n), "git_version", &value, &rest))
            (void)jr_kube_git_version(value, &m->version);
    } else if (jr_str_starts(line, FEATURE_ENABLED)) {
        if (!read_sample(jr_str_from(line, FEATURE_ENABLED.n), "name", &value, &rest) ||
            (!jr_str_is(rest, "0") && !jr_str_is(rest, "1")))
            return;
        m->n++;
        jr_gates_see(&m->gates, value, jr_str_is(rest, "1"));
    }
}

void jr_feature_metrics_feed(struct jr_feature_metrics *m, struct jr_str chunk)
{
    while (chunk.n > 0) {
        const ptrdiff_t end = jr_str_find(chunk, '\n');
        const struct jr_str piece = end < 0 ? chunk : jr_str_head(chunk, (size_t)end);

        if (m->line_n + piece.n <= sizeof(m->line)) {
            if (piece.n > 0)
                memcpy(m->line + m->line_n, piece.p, piece.n);
            m->line_n += piece.n;
        } else {
            m->line_n = sizeof(m->line) + 1;
        }
        if (end < 0)
            return;
        if (m->line_n <= sizeof(m->line))
            take_line(m);
        m->line_n = 0;
        chunk = jr_str_from(chunk, piece.n + 1);
    }
}
