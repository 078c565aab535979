/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/known.h"

#include <string.h>

/* Three retries, the last one after 2 to 4 s; what the server asks for comes on top. */
#define AGAIN_NS (5 * JR_SEC)

enum sim_told sim_told_by(const char *path)
{
    struct jr_str s = jr_str(path);
    ptrdiff_t query = jr_str_find(s, '?');

    if (query >= 0)
        s = jr_str_head(s, (size_t)query);
    if (jr_str_ends(s, JR_S("/pods")))
        return SIM_TOLD_PODS;
    if (jr_str_ends(s, JR_S("/workloads")))
        return SIM_TOLD_WORKLOADS;
    return jr_str_ends(s, JR_S("/jobs")) ? SIM_TOLD_JOBS : SIM_TOLD_NOTHING;
}

void sim_known_told(struct sim_known *k, enum sim_told what, uint64_t revision, int64_t now_ns)
{
    if (what == SIM_TOLD_NOTHING || revision <= k->told[what].now)
        return;
    if (now_ns > k->told[what].at_ns)
        k->told[what].before = k->told[what].now;
    if (k->first[what] == 0)
        k->first[what] = revision;
    k->told[what].now = revision;
    k->told[what].at_ns = now_ns;
}

void sim_known_back(struct sim_known *k)
{
    if (k->told[SIM_TOLD_JOBS].now > k->most_jobs)
        k->most_jobs = k->told[SIM_TOLD_JOBS].now;
    memset(k->told, 0, sizeof(k->told));
    k->hand = (struct sim_hand){ 0 };
}

/** What was told at this very moment may have come too late. */
static uint64_t up_to(const struct sim_known *k, enum sim_told what, int64_t now_ns)
{
    return now_ns > k->told[what].at_ns ? k->told[what].now : k->told[what].before;
}

struct sim_hand sim_known_at(const struct sim_known *k, int64_t now_ns)
{
    return (struct sim_hand){ .pods = up_to(k, SIM_TOLD_PODS, now_ns),
                              .jobs = up_to(k, SIM_TOLD_JOBS, now_ns),
                              .workloads = up_to(k, SIM_TOLD_WORKLOADS, now_ns),
                              .back = k->told[SIM_TOLD_JOBS].now < k->most_jobs };
}

struct sim_hand sim_known_begin(struct sim_known *k, int64_t now_ns)
{
    if (k->open++ == 0 && now_ns > k->busy_until_ns)
        k->hand = sim_known_at(k, now_ns);
    return k->hand;
}

void sim_known_end(struct sim_known *k, bool again, int retry_after_s, int64_t now_ns)
{
    int64_t until = now_ns + (int64_t)retry_after_s * JR_SEC * 5 / 4 + AGAIN_NS;

    k->open--;
    if (!again) /* the sync goes on in the same moment */
        until = now_ns;
    if (until > k->busy_until_ns)
        k->busy_until_ns = until;
}

void sim_known_stood(struct sim_known *k, int64_t from_ns, int64_t until_ns)
{
    if (k->busy_until_ns > from_ns)
        k->busy_until_ns += until_ns - from_ns;
}
