/* Warnings that the API server gives for a Pod template that it accepts (k8s.io/kubernetes
 * pkg/api/pod). */
#ifndef JR_POD_WARNINGS_H
#define JR_POD_WARNINGS_H

#include "common/api/field_error.h"
#include "common/base/arena.h"
#include "common/json/doc.h"

/** The list while it grows; texts and list live in the arena (borrowed). Zero-initialised but for
 * that. Past 1,000 warnings further ones are dropped. */
struct jr_warnings {
    struct jr_arena *arena;
    struct jr_strs list;
    size_t cap;
    enum jr_status failed; /* no memory */
    const char *at;        /* path of the template, set by jr_pod_template_warnings */
};
/** Adds text, which is kept, not copied; NULL stands for no memory. */
void jr_warn_text(struct jr_warnings *w, const char *text);
/** jr_warn_text() of a formatted text. */
#define JR_WARN(w, ...) jr_warn_text(w, jr_arena_printf((w)->arena, __VA_ARGS__))

/** Adds the warnings about a defaulted PodTemplateSpec at path ("spec.template"). */
void jr_pod_template_warnings(const struct jr_node *template, const char *path,
                              struct jr_warnings *w);

#endif
