/* SPDX-License-Identifier: Apache-2.0 */
/* API servers by their versions. */
#include "common/schema/kube_server.h"

#include "common/base/num.h"

#define MINOR_MAX 9999
#define EXPECTED "expected an API server's version: "

_Static_assert(JR_KUBE_MINORS <= JR_KUBE_RANGE_MAX, "all known versions are a range");

/** How many of the first bytes are digits. */
static size_t digits(struct jr_str s)
{
    size_t n = 0;

    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    return n;
}

/** Takes a number off the front of *s. */
static bool take_number(struct jr_str *s, unsigned max, unsigned *ret)
{
    const size_t n = digits(*s);
    int64_t v;

    if (jr_parse_i64(jr_str_head(*s, n), 0, INT64_MAX, &v) != JR_OK)
        return false;
    *ret = v > max ? max : (unsigned)v;
    *s = jr_str_from(*s, n);
    return true;
}

/** "33", or "33+". */
static bool read_minor(struct jr_str s, unsigned *ret)
{
    return take_number(&s, MINOR_MAX, ret) && (s.n == 0 || jr_str_is(s, "+"));
}

/** "v1.33.5", and what a vendor has put behind: "-gke.1162000", "+k3s1", "-rc.1". */
bool jr_kube_git_version(struct jr_str s, struct jr_kube_version *ret)
{
    struct jr_kube_version v;

    if (jr_str_starts(s, JR_S("v")))
        s = jr_str_from(s, 1);
    if (!jr_str_starts(s, JR_S("1.")))
        return false;
    s = jr_str_from(s, 2);
    if (!take_number(&s, MINOR_MAX, &v.minor) || !jr_str_starts(s, JR_S(".")))
        return false;
    s = jr_str_from(s, 1);
    /* No known change is as late as that: see JR_NEVER. */
    if (!take_number(&s, JR_NEVER - 1, &v.patch) ||
        (s.n > 0 && s.p[0] != '-' && s.p[0] != '+' && s.p[0] != '.'))
        return false;
    *ret = v;
    return true;
}

static enum jr_status read_emulated(const struct jr_node *answer, struct jr_kube_server *s,
                                    struct jr_error *err)
{
    const struct jr_str major = jr_get_str(answer, "emulationMajor");
    const struct jr_str minor = jr_get_str(answer, "emulationMinor");

    s->emulated = s->version.minor;
    if (minor.n == 0)
        return JR_OK;
    if ((major.n > 0 && !jr_str_is(major, "1")) || !read_minor(minor, &s->emulated) ||
        s->emulated > s->version.minor)
        return jr_fail(
            err, JR_INVALID, NULL, EXPECTED "1.%u can't emulate \"%.*s.%.*s\" (emulationMinor)",
            s->version.minor, JR_P(jr_str_head(major, 40)), JR_P(jr_str_head(minor, 40)));
    return JR_OK;
}

enum jr_status jr_kube_server_read(const struct jr_node *answer, struct jr_kube_server *ret,
                                   struct jr_error *err)
{
    const struct jr_str major = jr_get_str(answer, "major"), minor = jr_get_str(answer, "minor");
    const struct jr_str git = jr_get_str(answer, "gitVersion");
    struct jr_kube_server s;
    unsigned said;

    if (!jr_kube_git_version(git, &s.version))
        return jr_fail(err, JR_INVALID, NULL, EXPECTED "gitVersion is \"%.*s\", not v1.MINOR.PATCH",
                       JR_P(jr_str_head(git, 80)));
    /* Builds without the version's flags leave these two empty. */
    if (major.n > 0 && !jr_str_is(major, "1"))
        return jr_fail(err, JR_INVALID, NULL, EXPECTED "major is \"%.*s\", not 1",
                       JR_P(jr_str_head(major, 40)));
    if (minor.n > 0 && (!read_minor(minor, &said) || said != s.version.minor))
        return jr_fail(err, JR_INVALID, NULL,
                       EXPECTED "minor is \"%.*s\", and gitVersion is \"%.*s\"",
                       JR_P(jr_str_head(minor, 40)), JR_P(jr_str_head(git, 80)));
    if (read_emulated(answer, &s, err) != JR_OK)
        return JR_INVALID;
    *ret = s;
    return JR_OK;
}

int jr_kube_server_cmp(const struct jr_kube_server *a, const struct jr_kube_server *b)
{
    const int by_version = jr_kube_version_cmp(a->version, b->version);

    if (by_version != 0 || a->emulated == b->emulated)
        return by_version;
    return a->emulated < b->emulated ? -1 : 1;
}

bool jr_kube_server_known(const struct jr_kube_server *s)
{
    return s->version.minor >= JR_KUBE_OLDEST && s->version.minor <= JR_KUBE_NEWEST;
}

static void remove_at(struct jr_kube_range *r, size_t at)
{
    memmove(&r->v[at], &r->v[at + 1], (r->n - at - 1) * sizeof(r->v[0]));
    r->n--;
}

static size_t seen_first(const struct jr_kube_range *r)
{
    size_t first = 0;

    for (size_t i = 1; i < r->n; i++) {
        const int64_t later = r->v[i].last.ns - r->v[first].last.ns;

        if (later < 0 || (later == 0 && r->v[i].gates_last.ns < r->v[first].gates_last.ns))
            first = i;
    }
    return first;
}

/** Inserts what was seen, and returns where it is now: room is made if there is none. */
static size_t insert_at(struct jr_kube_range *r, size_t at, struct jr_kube_seen seen)
{
    if (r->n == JR_KUBE_RANGE_MAX) {
        const size_t first = seen_first(r);

        remove_at(r, first);
        at -= first < at;
    }
    memmove(&r->v[at + 1], &r->v[at], (r->n - at) * sizeof(r->v[0]));
    r->v[at] = seen;
    r->n++;
    return at;
}

/** While no server answers, none is missed. */
static void pass_over_gap(struct jr_kube_range *r, struct jr_mono now)
{
    int64_t quiet = INT64_MAX;

    for (size_t i = 0; i < r->n; i++) {
        if (now.ns - r->v[i].last.ns < quiet)
            quiet = now.ns - r->v[i].last.ns;
    }
    for (size_t i = 0; quiet >= JR_KUBE_GAP_NS && i < r->n; i++) {
        r->v[i].last.ns += quiet;
        r->v[i].gates_last.ns += quiet;
    }
}

bool jr_kube_range_see(struct jr_kube_range *r, const struct jr_kube_server *server,
                       struct jr_mono now)
{
    bool known = false;
    size_t at = 0;

    pass_over_gap(r, now);
    for (size_t i = 0; i < r->n; i++) {
        const int cmp = jr_kube_server_cmp(&r->v[i].server, server);

        if (cmp == 0)
            r->v[i].last = now;
        known = known || cmp == 0;
        at += cmp < 0;
    }
    if (!known)
        (void)insert_at(r, at, (struct jr_kube_seen){ .server = *server, .last = now });
    return !known;
}

/** Whether servers like that one have said other gates for so long that none has these any more. */
static bool has_stale_gates(const struct jr_kube_range *r, const struct jr_kube_seen *seen)
{
    for (size_t i = 0; i < r->n; i++) {
        if (jr_kube_server_cmp(&r->v[i].server, &seen->server) == 0 &&
            r->v[i].gates_last.ns - seen->gates_last.ns >= JR_KUBE_RANGE_NS)
            return true;
    }
    return false;
}

bool jr_kube_range_forget(struct jr_kube_range *r, struct jr_mono now)
{
    const size_t before = r->n;

    for (size_t i = r->n; i > 0; i--) {
        if (now.ns - r->v[i - 1].last.ns >= JR_KUBE_RANGE_NS || has_stale_gates(r, &r->v[i - 1]))
            remove_at(r, i - 1);
    }
    return r->n != before;
}

bool jr_kube_range_see_gates(struct jr_kube_range *r, struct jr_kube_version version,
                             const struct jr_gates_seen *gates, struct jr_mono now)
{
    bool changed = false;
    size_t end;

    for (size_t at = 0; at < r->n; at = end) { /* one server's entries, which are neighbours */
        const struct jr_kube_seen first = r->v[at];

        for (end = at; end < r->n && jr_kube_server_cmp(&r->v[end].server, &first.server) == 0;)
            end++;
        if (jr_kube_version_cmp(first.server.version, version) != 0)
            continue;
        while (at < end && r->v[at].has_gates &&
               memcmp(&r->v[at].gates, gates, sizeof(*gates)) != 0)
            at++;
        if (at == end) {
            at = insert_at(r, end,
                           (struct jr_kube_seen){ .server = first.server, .last = first.last });
            end = at + 1;
        }
        changed = changed || !r->v[at].has_gates;
        r->v[at].gates = *gates;
        r->v[at].has_gates = true;
        r->v[at].gates_last = now;
    }
    return changed;
}

struct jr_kube_range jr_kube_range_of_all(void)
{
    struct jr_kube_range r = { .n = 0 };

    for (unsigned minor = JR_KUBE_OLDEST; minor <= JR_KUBE_NEWEST; minor++)
        r.v[r.n++].server = (struct jr_kube_server){ jr_kube_newest_patch(minor), minor };
    return r;
}
