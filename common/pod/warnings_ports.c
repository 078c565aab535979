/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings for ports that containers have in common. */
#include "common/pod/walk.h"
#include "common/pod/warning_parts.h"

/** A port of some container. */
struct port {
    const struct jr_field_path *path; /* in the arena */
    const char *shown;                /* the path, rendered */
    int64_t number;
    struct jr_str protocol;
    int64_t host_port;
    struct jr_str host_ip;
    struct jr_str name;
    size_t index; /* in the order of the containers */
};

/* How much of a port is compared: levels, each with what the one before has. */
enum level { SAME_PORT, SAME_HOST_PORT, SAME_HOST_IP, LEVELS };

/** Ports sorted by a level, equal ones in their order. Pairs that deserve a warning are found by
 * looking only at such pairs, since a Pod may have many ports. */
struct sorted {
    const struct port **v;
};
struct ports {
    struct port *v;
    size_t n;
    struct sorted by[LEVELS];
};

static int cmp_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int cmp_level(const struct port *a, const struct port *b, enum level level)
{
    int c = cmp_i64(a->number, b->number);

    if (c == 0)
        c = jr_str_cmp(a->protocol, b->protocol);
    if (c == 0 && level >= SAME_HOST_PORT)
        c = cmp_i64(a->host_port, b->host_port);
    if (c == 0 && level >= SAME_HOST_IP)
        c = jr_str_cmp(a->host_ip, b->host_ip);
    return c;
}

static int cmp_sorted(const void *a, const void *b, void *level)
{
    const struct port *x = *(const struct port *const *)a, *y = *(const struct port *const *)b;
    int c = cmp_level(x, y, *(const enum level *)level);

    return c != 0 ? c : (x->index > y->index) - (x->index < y->index);
}

static bool sort_ports(struct ports *p, struct jr_arena *arena)
{
    for (enum level level = SAME_PORT; level < LEVELS; level++) {
        const struct port **v = jr_arena_calloc(arena, p->n, sizeof(*v));

        if (v == NULL)
            return false;
        for (size_t i = 0; i < p->n; i++)
            v[i] = &p->v[i];
        qsort_r(v, p->n, sizeof(*v), cmp_sorted, &level);
        p->by[level].v = v;
    }
    return true;
}

/* ---- pairs ---- */

/** Ports that are equal at a level, from the first one on. */
struct run {
    const struct ports *ports;
    enum level level;
    const struct port *like;
    size_t at;
};

static struct run run_of(const struct ports *p, enum level level, const struct port *like)
{
    size_t lo = 0, hi = p->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (cmp_level(p->by[level].v[mid], like, level) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (struct run){ p, level, like, lo };
}

/** The port the run stands at, if it comes before index `end`; NULL at the end. */
static const struct port *run_peek(const struct run *r, size_t end)
{
    const struct port *p = r->at < r->ports->n ? r->ports->by[r->level].v[r->at] : NULL;

    return p != NULL && p->index < end && cmp_level(p, r->like, r->level) == 0 ? p : NULL;
}

static void warn_pair(struct jr_warnings *w, const struct port *p, const struct port *other)
{
    if (jr_str_eq(p->host_ip, other->host_ip) && p->host_port == other->host_port)
        jr_warnings_add(w, JR_WARNING_PORT_DUPLICATE, p->path, "duplicate port definition with %s",
                        other->shown);
    else if (p->host_port == 0 || other->host_port == 0)
        jr_warnings_add(w, JR_WARNING_PORT_OVERLAPPING, p->path,
                        "overlapping port definition with %s", other->shown);
    else
        jr_warnings_add(w, JR_WARNING_PORT_AMBIGUOUS, p->path,
                        "dangerously ambiguous port definition with %s", other->shown);
}

/** Warns of all ports before p in the runs, which have none in common, in their order. */
static void warn_runs(struct jr_warnings *w, const struct port *p, struct run *runs, size_t n)
{
    while (!jr_warn_full(w)) {
        const struct port *next = NULL;
        size_t from = 0;

        for (size_t i = 0; i < n; i++) {
            const struct port *other = run_peek(&runs[i], p->index);

            if (other != NULL && (next == NULL || other->index < next->index)) {
                next = other;
                from = i;
            }
        }
        if (next == NULL)
            return;
        warn_pair(w, p, next);
        runs[from].at++;
    }
}

static void warn_pairs(struct jr_warnings *w, const struct ports *ports, const struct port *p)
{
    struct port no_host = *p, no_ip = *p;
    struct run runs[3];
    size_t n = 0;

    no_host.host_port = 0;
    no_ip.host_ip = JR_S("");
    if (p->host_port == 0) {
        runs[n++] = run_of(ports, SAME_PORT, p);
    } else {
        runs[n++] = run_of(ports, SAME_HOST_PORT, &no_host);
        if (p->host_ip.n == 0) {
            runs[n++] = run_of(ports, SAME_HOST_PORT, p);
        } else {
            runs[n++] = run_of(ports, SAME_HOST_IP, &no_ip);
            runs[n++] = run_of(ports, SAME_HOST_IP, p);
        }
    }
    warn_runs(w, p, runs, n);
}

/* ---- names ---- */

static int cmp_names(const void *a, const void *b)
{
    const struct port *x = *(const struct port *const *)a, *y = *(const struct port *const *)b;
    int c = jr_str_cmp(x->name, y->name);

    return c != 0 ? c : (x->index > y->index) - (x->index < y->index);
}

/** first[i]: the first port with the name of port i. */
static void warn_names(struct jr_warnings *w, const struct ports *ports)
{
    const struct port **v = jr_arena_calloc(w->arena, ports->n, sizeof(*v));
    const struct port **first = jr_arena_calloc(w->arena, ports->n, sizeof(*first));

    if (v == NULL || first == NULL) {
        w->failed = JR_NOMEM;
        return;
    }
    for (size_t i = 0; i < ports->n; i++)
        v[i] = &ports->v[i];
    qsort(v, ports->n, sizeof(*v), cmp_names);
    for (size_t i = 0; i < ports->n; i++)
        first[v[i]->index] =
            i > 0 && jr_str_eq(v[i]->name, v[i - 1]->name) ? first[v[i - 1]->index] : v[i];
    for (size_t i = 0; i < ports->n && !jr_warn_full(w); i++) {
        const struct port *p = &ports->v[i];

        if (p->name.n > 0 && first[i] != p)
            jr_warnings_add(
                w, JR_WARNING_PORT_NAME_DUPLICATE, p->path,
                "duplicate port name %s with %s, services and probes that select ports by name "
                "will use %s",
                jr_warn_quote(w, p->name), first[i]->shown, first[i]->shown);
    }
}

/* ---- all ports ---- */

static size_t count_ports(const struct jr_node *pod)
{
    struct jr_container_walk c = { .pod = pod };
    size_t n = 0;

    while (jr_container_next(&c))
        n += jr_size(jr_get(c.container, "ports"));
    return n;
}

static void list_ports(struct jr_warnings *w, const struct jr_container_walk *c,
                       struct ports *ports)
{
    const struct jr_field_path list = JR_FIELD(&c->at, "ports");

    JR_WARN_EACH(p, jr_get(c->container, "ports"), &list, w) {
        struct port *to = &ports->v[ports->n];
        const struct jr_field_path *before = ports->n > 0 ? to[-1].path : NULL;

        *to = (struct port){
            .shown = jr_field_path_text(&p.path, w->arena).p,
            .number = jr_node_i64_or(jr_get(p.node, "containerPort"), 0),
            .protocol = jr_get_str(p.node, "protocol"),
            .host_port = jr_node_i64_or(jr_get(p.node, "hostPort"), 0),
            .host_ip = jr_get_str(p.node, "hostIP"),
            .name = jr_get_str(p.node, "name"),
            .index = ports->n++,
        };
        if (to->shown == NULL || !jr_field_path_keep(&p.path, before, w->arena, &to->path))
            w->failed = JR_NOMEM;
    }
}

static void warn_ip_alone(struct jr_warnings *w, const struct port *p)
{
    if (p->host_ip.n > 0 && p->host_port == 0)
        jr_warnings_add(w, JR_WARNING_HOST_IP_WITHOUT_PORT, p->path,
                        "hostIP set without hostPort: {Name:%.*s HostPort:0 ContainerPort:%lld "
                        "Protocol:%.*s HostIP:%.*s}",
                        JR_P(p->name), (long long)p->number, JR_P(p->protocol), JR_P(p->host_ip));
}

void jr_warn_ports(struct jr_warnings *w, const struct jr_node *pod)
{
    const size_t n = count_ports(pod);
    const struct jr_field_path spec = JR_WARN_POD(w);
    struct jr_container_walk c = { .pod = pod, .path = &spec };
    struct ports ports = { .n = 0 };

    if (n == 0)
        return;
    ports.v = jr_arena_calloc(w->arena, n, sizeof(*ports.v));
    while (ports.v != NULL && jr_container_next(&c))
        list_ports(w, &c, &ports);
    if (ports.v == NULL || !sort_ports(&ports, w->arena)) {
        w->failed = JR_NOMEM;
        return;
    }
    for (size_t i = 0; i < ports.n && !jr_warn_full(w); i++) {
        warn_ip_alone(w, &ports.v[i]);
        warn_pairs(w, &ports, &ports.v[i]);
    }
    if (jr_kube_has(w->version, JR_CHANGE_WARNS_OF_PORT_NAMES))
        warn_names(w, &ports);
}
