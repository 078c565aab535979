/* SPDX-License-Identifier: Apache-2.0 */
/* Versions that are asked at once, and their words. */
#include "cli/version_list.h"

struct jr_cli_profiles jr_cli_profiles_of_one(struct jr_profile profile)
{
    return (struct jr_cli_profiles){ .v = { profile }, .n = 1 };
}

struct jr_profile jr_profile_newest(void)
{
    return jr_profile_of(jr_kube_newest_patch(JR_KUBE_RELEASED));
}

struct jr_versions jr_versions_of(const struct jr_cli_profiles *profiles)
{
    struct jr_versions versions = { .n = profiles->n };

    for (size_t i = 0; i < profiles->n; i++)
        versions.v[i] = profiles->v[i].version;
    return versions;
}

unsigned jr_versions_all(const struct jr_versions *versions)
{
    return (1U << versions->n) - 1;
}

static bool is_newest_patch(struct jr_kube_version v)
{
    return jr_kube_version_cmp(v, jr_kube_newest_patch(v.minor)) == 0;
}

void jr_version_write(struct jr_kube_version v, struct jr_buf *out)
{
    char text[JR_KUBE_TEXT_MAX];

    if (is_newest_patch(v))
        (void)jr_buf_addf(out, "1.%u", v.minor);
    else
        (void)jr_buf_adds(out, jr_kube_version_text(v, text));
}

/** The last of the minor versions that follow on the first, each in its newest patch. */
static size_t end_of_range(const struct jr_versions *versions, unsigned which, size_t first)
{
    const struct jr_kube_version *v = versions->v;
    size_t i = first;

    while (i + 1 < versions->n && (which >> (i + 1) & 1) != 0 && v[i + 1].minor == v[i].minor + 1 &&
           is_newest_patch(v[i]) && is_newest_patch(v[i + 1]))
        i++;
    return i;
}

void jr_versions_write(const struct jr_versions *versions, unsigned which, struct jr_buf *out)
{
    bool first = true;

    for (size_t i = 0; i < versions->n; i++) {
        const size_t end = end_of_range(versions, which, i);

        if ((which >> i & 1) == 0)
            continue;
        (void)jr_buf_adds(out, first ? "" : ", ");
        first = false;
        jr_version_write(versions->v[i], out);
        if (end < i + 2)
            continue;
        (void)jr_buf_adds(out, " to ");
        jr_version_write(versions->v[end], out);
        i = end;
    }
}
