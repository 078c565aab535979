/* SPDX-License-Identifier: Apache-2.0 */
/* What patches of a template have in common that say where its Pods may run. */
#ifndef JR_TEST_POD_PLACE_PATCHES_H
#define JR_TEST_POD_PLACE_PATCHES_H

#define SPEC(x) "{'spec':{" x "}}"
#define TERM(x)                                                                                \
    "{'spec':{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'" \
    "nodeSelectorTerms':[{" x "}]}}}}}"
#define POD_TERM(x)                                                                             \
    "{'spec':{'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{" x \
    "}]}}}}"
#define SPREAD(x) "{'spec':{'topologySpreadConstraints':[{" x "}]}}"
#define TOLERATION(x) "{'spec':{'tolerations':[{" x "}]}}"

#endif
