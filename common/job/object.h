/* SPDX-License-Identifier: Apache-2.0 */
/* An object that is admitted: a Job or a CronJob, as a tree and as a struct. */
#ifndef JR_JOB_OBJECT_H
#define JR_JOB_OBJECT_H

#include "common/api/job.h"
#include "common/json/doc.h"
#include "common/schema/schema.h"

struct jr_object {
    const struct jr_node *root;   /* NULL: nothing is open */
    struct jr_job *job;           /* of a Job; else NULL */
    struct jr_cron_job *cron_job; /* of a CronJob; else NULL */
    struct jr_arena arena;        /* where the struct lies */
    struct jr_doc *doc;           /* to be freed with it; NULL: the tree is the caller's */
};

/** Opens a tree, which is borrowed: strings of the struct lie in it. type: jr_schema_job or
 * jr_schema_cron_job; minor: as of jr_schema_decode_tree. Errors: JR_TYPE with the field path and
 * Go's words (an API server answers 400), JR_NOMEM. */
enum jr_status jr_object_open(const struct jr_schema_type *type, const struct jr_node *root,
                              unsigned minor, struct jr_object *ret,
                              struct jr_error *err) JR_MUST_USE;
/** The same errors for a tree that needs no struct. */
enum jr_status jr_object_check(const struct jr_schema_type *type, const struct jr_node *root,
                               unsigned minor, struct jr_error *err) JR_MUST_USE;
void jr_object_done(struct jr_object *o);
/** As jr_path, from the object's root. */
static inline const struct jr_node *jr_object_node(const struct jr_object *o, const char *path)
{
    return jr_path(o->root, path);
}

#define JR_OBJECT_OPEN JR_CLEANUP(jr_object_done) struct jr_object

#endif
