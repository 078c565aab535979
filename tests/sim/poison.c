/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to what the store answers, on its way: events that come twice, and objects that can
 * hardly be read. */
#include "tests/sim/network_parts.h"

#include <stdio.h>

void sim_body_repeat(struct jr_buf *out)
{
    struct jr_str rest = jr_buf_str(out), line;
    JR_BUF twice = { 0 };

    jr_buf_init(&twice, SIZE_MAX);
    while (rest.n > 0) {
        ptrdiff_t end = jr_str_find(rest, '\n');

        line = end < 0 ? rest : jr_str_head(rest, (size_t)end + 1);
        rest = jr_str_from(rest, line.n);
        (void)jr_buf_add(&twice, line);
        if (end >= 0)
            (void)jr_buf_add(&twice, line);
    }
    jr_buf_reset(out);
    if (jr_buf_add(out, jr_buf_str(&twice)) != JR_OK)
        abort();
}

/** Objects as an API server may serve them: no client may suffer from one beside what it asked for.
 * They are nobody's, and match nothing. */
static const char *const poisons[] = {
    "\"labels\":{\"a\\u0000b\":\"c\"}",
    "\"annotations\":{\"a\":\"\xff\xfe\"}",
    "\"deletionTimestamp\":\"9999-12-31T23:59:59Z\",\"deletionGracePeriodSeconds\":0",
    "\"labels\":7",
    "\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":",
};
#define POISON_DEPTH 150

/** head: members before the metadata. */
static void add_poison(struct sim_dice *d, bool job, const char *head, uint64_t version,
                       struct jr_buf *out)
{
    const size_t kind = (size_t)sim_below(d, JR_ARRAY_SIZE(poisons));

    (void)jr_buf_addf(out,
                      "{%s\"metadata\":{\"name\":\"poison\",\"namespace\":\"default\",\"uid\":"
                      "\"7065\",\"resourceVersion\":\"%llu\",%s",
                      head, (unsigned long long)version, poisons[kind]);
    if (kind == JR_ARRAY_SIZE(poisons) - 1) {
        for (int i = 0; i < POISON_DEPTH; i++)
            (void)jr_buf_adds(out, "{\"f:a\":");
        (void)jr_buf_adds(out, "{}");
        for (int i = 0; i < POISON_DEPTH; i++)
            (void)jr_buf_addc(out, '}');
        (void)jr_buf_adds(out, "}]");
    }
    (void)jr_buf_adds(out, job ? "},\"spec\":{\"managedBy\":\"example.com/nobody\"}}"
                               : "},\"spec\":{\"containers\":[]}}");
}

/** One that stands is the same one all the time. */
static struct sim_dice poison_dice(const struct sim_call *c)
{
    const struct sim_climate *climate = c->net->o.climate;

    return sim_dice(climate->seed, SIM_DICE_POISON, climate->poisoned ? 1 : c->about.number + 2);
}

static void replace(struct jr_buf *out, const struct jr_buf *by)
{
    jr_buf_reset(out);
    if (jr_buf_add(out, jr_buf_str(by)) != JR_OK)
        abort();
}

static void add_event(const struct sim_call *c, uint64_t version, struct jr_buf *out)
{
    const bool job = sim_told_by(c->about.path) == SIM_TOLD_JOBS;
    struct sim_dice d = poison_dice(c);

    (void)jr_buf_adds(out, "{\"type\":\"ADDED\",\"object\":");
    add_poison(&d, job,
               job ? "\"kind\":\"Job\",\"apiVersion\":\"batch/v1\","
                   : "\"kind\":\"Pod\",\"apiVersion\":\"v1\",",
               version, out);
    if (jr_buf_adds(out, "}\n") != JR_OK)
        abort();
}

static void add_event_first(const struct sim_call *c, uint64_t version, struct jr_buf *out)
{
    JR_BUF all = { 0 };

    jr_buf_init(&all, SIZE_MAX);
    add_event(c, version, &all);
    (void)jr_buf_add(&all, jr_buf_str(out));
    replace(out, &all);
}

static bool has_initial_events(const struct sim_call *c)
{
    return strstr(c->about.path, "sendInitialEvents=true") != NULL;
}

bool sim_is_poisoned(const struct sim_call *c, bool first)
{
    bool whole = c->about.verb == SIM_VERB_LIST ? strstr(c->about.path, "continue=") == NULL
                                                : first && has_initial_events(c);

    if (sim_told_by(c->about.path) == SIM_TOLD_NOTHING || c->about.process == 0)
        return false; /* the kubelet is not what is tried */
    return (c->net->o.climate->poisoned && whole) ||
           (c->fate.fault == SIM_FAULT_POISON && !c->net->calm);
}

void sim_poison_stream(const struct sim_call *c, uint64_t from, uint64_t version,
                       struct jr_buf *out)
{
    char text[64];

    (void)snprintf(text, sizeof(text), "\"resourceVersion\":\"%llu\"", (unsigned long long)version);
    if (from == 0 && has_initial_events(c))
        add_event_first(c, version, out);
    else if (version > from && (out->n == 0 || memmem(out->p, out->n, text, strlen(text)) == NULL))
        add_event(c, version, out);
}

void sim_poison_list(const struct sim_call *c, struct jr_buf *out)
{
    static const char items[] = "\"items\":[";
    const char *at = out->n == 0 ? NULL : memmem(out->p, out->n, items, sizeof(items) - 1);
    size_t head = at == NULL ? 0 : (size_t)(at - out->p) + sizeof(items) - 1;
    struct sim_dice d = poison_dice(c);
    JR_BUF all = { 0 };

    if (at == NULL)
        abort();
    jr_buf_init(&all, SIZE_MAX);
    (void)jr_buf_add(&all, jr_str_head(jr_buf_str(out), head));
    add_poison(&d, sim_told_by(c->about.path) == SIM_TOLD_JOBS, "",
               jr_dev_revision(c->net->o.store), &all);
    if (out->p[head] != ']')
        (void)jr_buf_addc(&all, ',');
    (void)jr_buf_add(&all, jr_str_from(jr_buf_str(out), head));
    replace(out, &all);
}
