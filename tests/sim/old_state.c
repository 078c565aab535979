/* SPDX-License-Identifier: Apache-2.0 */
/* Servers that have fallen behind: how old what they serve is, where the protocol lets it be old,
 * and where they go wrong. */
#include "tests/sim/network_parts.h"

#include "common/base/memory.h"

#define VERSION "resourceVersion="
#define AGE_MAX 30 /* versions */
#define LAG_NS (5 * JR_SEC)

uint64_t sim_number_at(const char *path, const char *key)
{
    const char *at = strstr(path, key);
    uint64_t n = 0;

    for (at = at == NULL ? "" : at + strlen(key); *at >= '0' && *at <= '9'; at++)
        n = n * 10 + (uint64_t)(*at - '0');
    return n;
}

uint64_t sim_version_asked(const struct sim_call *c)
{
    return sim_number_at(c->about.path, "&" VERSION);
}

static struct sim_dice dice_of(const struct sim_call *c)
{
    return sim_dice(c->net->o.climate->seed, SIM_DICE_STREAM, c->about.number);
}

/** The address with a number in it changed; NULL: it has no such parameter. */
static const char *with_number(struct sim_call *c, const char *path, const char *key, uint64_t n)
{
    const char *at = strstr(path, key);

    if (at == NULL)
        return NULL;
    at += strlen(key);
    return jr_xarena_text(c->call->arena, "%.*s%llu%s", (int)(at - path), path,
                          (unsigned long long)n, at + strspn(at, "0123456789"))
        .p;
}

/** A list that may be old is, as an API server that has fallen behind answers it: however it says
 * so, by version 0 or by one that it has seen, wherever that stands. */
static const char *old_list(struct sim_call *c, const char *path, uint64_t age)
{
    const struct jr_dev_store *s = c->net->o.store;
    uint64_t asked = sim_number_at(path, VERSION), revision = s->revision;

    if (with_number(c, path, VERSION, 0) == NULL ||
        strstr(path, "resourceVersionMatch=Exact") != NULL || strstr(path, "continue=") != NULL)
        return path;
    if (revision > s->compacted + age && revision - age >= asked)
        revision -= age;
    return jr_xarena_text(c->call->arena, "%s&resourceVersionMatch=Exact",
                          with_number(c, path, VERSION, revision))
        .p;
}

const char *sim_path_of(struct sim_call *c)
{
    const struct jr_dev_store *s = c->net->o.store;
    struct sim_dice d = dice_of(c);
    uint64_t age = sim_below(&d, AGE_MAX), from = sim_version_asked(c);
    const char *path = c->about.path;

    if (c->about.verb == SIM_VERB_LIST) {
        path = old_list(c, path, age);
        if (c->net->o.climate->page > 0 && strstr(path, "limit=500") != NULL)
            path = with_number(c, path, "limit=", c->net->o.climate->page);
    } else if (c->fate.fault == SIM_FAULT_STREAM_BACK && from > s->compacted + age) {
        path = with_number(c, path, "&" VERSION, from - age);
    }
    return path;
}

/** Whether the protocol lets the initial events of a watch be those of an older state: of a
 * WatchList that names a version, and of a watch from version 0. Without a version they are
 * consistent. */
static bool may_be_old(const char *path)
{
    const char *at = strstr(path, "&" VERSION);

    if (at == NULL)
        return false;
    at += strlen("&" VERSION);
    return strstr(path, "sendInitialEvents=true") != NULL
               ? *at >= '0' && *at <= '9'
               : *at == '0' && sim_number_at(path, VERSION) == 0;
}

/** Halfway between the version that a watch goes back to and the one that it was asked from: what
 * comes after that comes later. */
static uint64_t halfway_back(const struct sim_call *c, uint64_t age)
{
    uint64_t from = sim_version_asked(c);

    return c->fate.fault == SIM_FAULT_STREAM_BACK && from > c->net->o.store->compacted + age
               ? from - age / 2
               : 0;
}

/** A server that is wrong about its state goes back no further than to what its client could know
 * to be old: to the first list of the client's life, and to his last write whose version he wasn't
 * told, since there was no answer or the object went with it. And it says all of it at once: how
 * old a list is its end says. What was before that only the promise of a consistent list can tell.
 * 0: it isn't wrong, or can't be. */
static uint64_t oldest_state(const struct sim_call *c)
{
    uint64_t gone = c->net->gone[c->about.process];

    if (c->fate.fault != SIM_FAULT_OLD_STATE || c->oldest == 0 ||
        strstr(c->about.path, "sendInitialEvents=true") == NULL)
        return 0;
    return c->oldest > gone ? c->oldest : gone;
}

uint64_t sim_state_of(struct sim_call *c)
{
    const struct jr_dev_store *s = c->net->o.store;
    struct sim_dice d = dice_of(c);
    uint64_t age = sim_below(&d, AGE_MAX), least = sim_version_asked(c);
    uint64_t state = halfway_back(c, age);

    if (state == 0) {
        if (!may_be_old(c->about.path) && (least = oldest_state(c)) == 0)
            return 0;
        if (age == 0 || s->revision < s->compacted + age + 1 || s->revision - age < least)
            return 0;
        state = s->revision - age;
        sim_rule(c->net->o.report, SIM_RULE_OLD_STATE);
    }
    if (c->fate.lag_ns < LAG_NS)
        c->fate.lag_ns = LAG_NS;
    return state;
}
