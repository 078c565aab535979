/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of Kubernetes. */
#include "common/schema/kube_version.h"

#include <stdio.h>

#include "common/base/about.h"
#include "common/base/num.h"
#include "common/schema/releases.h"

static const unsigned newest_patches[JR_KUBE_MINORS] = {
#define X(minor, patch) [(minor)-JR_KUBE_OLDEST] = (patch),
    JR_KUBE_RELEASES(X)
#undef X
};

/* The first patch of each minor version that has the change. */
static const unsigned first_patches[JR_CHANGE_COUNT][JR_KUBE_MINORS] = {
#define X(name, ...) { __VA_ARGS__ },
    JR_KUBE_CHANGE_MAP(X)
#undef X
};

struct jr_kube_version jr_kube_newest_patch(unsigned minor)
{
    return (struct jr_kube_version){ minor, newest_patches[minor - JR_KUBE_OLDEST] };
}

static enum jr_status refuse(struct jr_str s, struct jr_error *err)
{
    return jr_fail(err, JR_INVALID, NULL,
                   "expected a version of Kubernetes from 1.%d to 1.%d, such as 1.%d or 1.%d.%u, "
                   "or the preview 1.%d, not \"%.*s\"",
                   JR_KUBE_OLDEST, JR_KUBE_RELEASED, JR_KUBE_RELEASED, JR_KUBE_RELEASED,
                   jr_kube_newest_patch(JR_KUBE_RELEASED).patch, JR_KUBE_NEWEST, JR_P(s));
}

enum jr_status jr_kube_version_parse(struct jr_str s, struct jr_kube_version *ret,
                                     struct jr_error *err)
{
    struct jr_str rest = jr_str_starts(s, JR_S("v")) ? jr_str_from(s, 1) : s;
    int64_t minor, patch;
    ptrdiff_t dot;

    if (!jr_str_starts(rest, JR_S("1.")))
        return refuse(s, err);
    rest = jr_str_from(rest, 2);
    dot = jr_str_find(rest, '.');
    if (jr_parse_i64(dot < 0 ? rest : jr_str_head(rest, (size_t)dot), JR_KUBE_OLDEST,
                     JR_KUBE_NEWEST, &minor) != JR_OK)
        return refuse(s, err);
    *ret = jr_kube_newest_patch((unsigned)minor);
    if (dot < 0)
        return JR_OK;
    if (jr_parse_i64(jr_str_from(rest, (size_t)dot + 1), 0, JR_NEVER - 1, &patch) != JR_OK)
        return refuse(s, err);
    ret->patch = (unsigned)patch;
    return JR_OK;
}

const char *jr_kube_version_text(struct jr_kube_version v, char text[static JR_KUBE_TEXT_MAX])
{
    (void)snprintf(text, JR_KUBE_TEXT_MAX, "1.%u.%u", v.minor, v.patch);
    return text;
}

void jr_kube_about(struct jr_buf *out)
{
    char text[JR_KUBE_TEXT_MAX];

    jr_about_line(out, "kubernetes",
                  jr_kube_version_text(jr_kube_newest_patch(JR_KUBE_RELEASED), text));
}

int jr_kube_version_cmp(struct jr_kube_version a, struct jr_kube_version b)
{
    if (a.minor != b.minor)
        return a.minor < b.minor ? -1 : 1;
    return a.patch == b.patch ? 0 : a.patch < b.patch ? -1 : 1;
}

struct jr_kube_version jr_kube_nearest(struct jr_kube_version v)
{
    if (v.minor < JR_KUBE_OLDEST)
        return (struct jr_kube_version){ JR_KUBE_OLDEST, 0 };
    return v.minor > JR_KUBE_NEWEST ? jr_kube_newest_patch(JR_KUBE_NEWEST) : v;
}

bool jr_kube_has(struct jr_kube_version v, enum jr_kube_change change)
{
    v = jr_kube_nearest(v);
    return v.patch >= first_patches[change][v.minor - JR_KUBE_OLDEST];
}
