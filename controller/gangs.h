/* The cache of Workloads and PodGroups, and the informers that fill it: gang scheduling's side of
 * the shell. There only where the gate is on and the API server serves them. */
#ifndef JR_CONTROLLER_GANGS_H
#define JR_CONTROLLER_GANGS_H

#include "common/api/workload.h"
#include "common/kube/informer.h"
#include "controller/unreadable.h"

enum jr_gang_kind { JR_GANG_WORKLOAD, JR_GANG_POD_GROUP };

/** Objects with a reference each. */
struct jr_gang_list {
    struct jr_gang_object **v;
    size_t n;
    size_t cap;
};
/** Gives the references back; safe on a zeroed list. */
void jr_gang_list_done(struct jr_gang_list *l);

struct jr_gangs;
enum jr_status jr_gangs_new(struct jr_gangs **ret) JR_MUST_USE;
void jr_gangs_free(struct jr_gangs *g);

/** Puts the object in its place, with a reference. An older one than what is there is passed over:
 * what this process wrote may be known before the watch tells it. */
enum jr_status jr_gangs_put(struct jr_gangs *g, enum jr_gang_kind kind,
                            const struct jr_gang_object *o) JR_MUST_USE;
void jr_gangs_remove(struct jr_gangs *g, enum jr_gang_kind kind, const struct jr_gang_object *o);
/** A relist of a namespace ({NULL, 0}: all): begin, put what is there, sweep the rest. */
void jr_gangs_begin(struct jr_gangs *g, enum jr_gang_kind kind, struct jr_str namespace);
void jr_gangs_sweep(struct jr_gangs *g, enum jr_gang_kind kind, struct jr_str namespace);

/** Appends the objects of a namespace that refer to `to`: Workloads to a Job (controllerRef of kind
 * Job), PodGroups to a Workload. */
enum jr_status jr_gangs_find(const struct jr_gangs *g, enum jr_gang_kind kind,
                             struct jr_str namespace, struct jr_str to,
                             struct jr_gang_list *out) JR_MUST_USE;

/** An informer's handler that fills the cache. */
struct jr_gang_feed {
    struct jr_gangs *gangs;
    enum jr_gang_kind kind;
    struct jr_str namespace; /* {NULL, 0}: all */
    struct jr_unreadables *unreadables;
    struct jr_log *log;
    void (*on_listed)(void *ctx);
    void (*on_broken)(void *ctx, const struct jr_error *err); /* no memory */
    void *ctx;
};
struct jr_informer_handler jr_gang_feed_handler(struct jr_gang_feed *f);

#endif
