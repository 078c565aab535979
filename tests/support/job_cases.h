/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of admission out of a seed: creates, updates and status updates, as rows of the admission
 * vectors without what is expected. First each fault of the tables once, on a valid Job of its own;
 * then at random: generated Jobs, some faults at once, changes of all kinds, any status. */
#ifndef JR_SUPPORT_JOB_CASES_H
#define JR_SUPPORT_JOB_CASES_H

#include "tests/support/faults.h"
#include "tests/support/job_gen.h"

/** The smallest valid Job, as its author sends it, with a uid: metadata pi, default; one container
 * "c" of image x:1; restartPolicy Never. */
extern const char jr_case_smallest_job[];

/** Plain data; equal seeds and tables give equal cases. */
struct jr_case_gen {
    const struct jr_fault_tables *tables;
    struct jr_rand_seeded seed;
    size_t next;               /* number of the next case */
    const char *server;        /* a namespace: only what requests to an API server can say there: no
                                  prepared objects, old objects that could be stored. NULL: all */
    const char *gates;         /* of that server: in each case. NULL: the default ones */
    struct jr_profile profile; /* by which objects are stored */
};
void jr_case_gen_init(struct jr_case_gen *g, const struct jr_fault_tables *tables, uint64_t seed);
/** Cases for an API server of that version: Jobs in that namespace; gates (may be NULL) as its flag
 * says them, "Name=true,Other=false". Texts are borrowed. Errors: JR_USAGE. */
enum jr_status jr_case_gen_ask(struct jr_case_gen *g, struct jr_kube_version version,
                               const char *server, const char *gates,
                               struct jr_error *err) JR_MUST_USE;
/** The next case: id, name, op, gates, prepared, old, job. Errors: JR_NOMEM. */
enum jr_status jr_case_next(struct jr_case_gen *g, struct jr_doc **ret) JR_MUST_USE;

/** One row of the tables on base, which is a valid Job as its author sends it, with a uid; an old
 * object is stored by that profile. */
enum jr_status jr_case_of_fault(const struct jr_fault *f, const struct jr_node *base,
                                const struct jr_profile *profile, struct jr_doc **ret) JR_MUST_USE;

#endif
