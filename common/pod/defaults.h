/* The defaults of a Pod template, as tables. */
#ifndef JR_POD_DEFAULTS_H
#define JR_POD_DEFAULTS_H

#include "common/json/doc.h"

/** Completes a PodSpec inside a template; what a Pod alone gets (requests from limits,
 * enableServiceLinks) stays out. Members of the wrong type are left alone. Errors: JR_NOMEM. */
enum jr_status jr_pod_spec_default(struct jr_node *spec) JR_MUST_USE;
#endif
