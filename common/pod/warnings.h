/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings that the API server gives for a Pod template that it accepts (k8s.io/kubernetes
 * pkg/api/pod). */
#ifndef JR_POD_WARNINGS_H
#define JR_POD_WARNINGS_H

#include "common/api/field_error.h"
#include "common/base/arena.h"
#include "common/json/doc.h"
#include "common/pod/map_warnings.h"
#include "common/schema/profile.h"

/** A warning's id, and the field that it is about; path NULL: none. */
struct jr_warning_about {
    enum jr_warning id;
    const struct jr_field_path *path;
};

/** The list while it grows; texts and list live in the arena (borrowed). Zero-initialised but for
 * that. Past 1,000 warnings further ones are dropped. */
struct jr_warnings {
    struct jr_arena *arena;
    struct jr_strs list;
    struct jr_warning_about *about; /* of each, in the arena */
    size_t cap;
    enum jr_status failed; /* no memory */
    /* Set by jr_pod_template_warnings: */
    const struct jr_field_path *at; /* the template */
    struct jr_kube_version version; /* whose warnings these are */
};
/** Adds "path: words"; path NULL: words alone. */
void jr_warnings_add(struct jr_warnings *w, enum jr_warning id, const struct jr_field_path *path,
                     const char *fmt, ...) JR_PRINTF(4, 5);
/** Returns a warning's id as reports name it, by map_warnings.h: "env-hidden". */
const char *jr_warning_id(enum jr_warning id);

/** Adds the warnings about a defaulted PodTemplateSpec at path ("spec.template"). */
void jr_pod_template_warnings(const struct jr_node *template, const struct jr_field_path *path,
                              const struct jr_profile *profile, struct jr_warnings *w);

#endif
