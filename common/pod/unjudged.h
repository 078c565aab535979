/* The fields of a Pod template that are not judged: what an API server checks there is left to it.
 */
#ifndef JR_POD_UNJUDGED_H
#define JR_POD_UNJUDGED_H

/** Patterns of paths within a PodTemplateSpec, ended by NULL: names with dots between, "[*]" for
 * each element ("spec.containers[*].lifecycle"). What lies below a path is meant too. */
extern const char *const jr_pod_unjudged[];

#endif
