/* SPDX-License-Identifier: Apache-2.0 */
/* Policies, and objects that were there before them. */
#ifndef JR_UNIT_POLICY_AUDIT_SCENE_H
#define JR_UNIT_POLICY_AUDIT_SCENE_H

#include "common/admission/policy_audit.h"

#define POLICIES_MAX 4
#define TEXT_MAX ((size_t)1 << 18)
#define NOW "2026-12-01T00:00:00Z"

/* Parts of a policy's spec. */
#define MAX_10 "\"limits\":{\"parallelism\":{\"max\":10}}"
#define MATCH(what) "\"match\":{" what "}," MAX_10
#define POOL "\"namespaceSelector\":{\"matchLabels\":{\"pool\":\"gpu\"}}"
#define UNUSABLE "\"limits\":{\"parallelism\":{\"min\":9,\"max\":1}}"

/* Parts of a Job's spec. */
#define OVER "\"parallelism\":11,"
#define FINE "\"parallelism\":10,"

struct scene {
    struct jr_arena arena;
    struct jr_job_policy *policies[POLICIES_MAX];
    struct jr_policy_set set;
    struct jr_policy_context context;
    struct jr_profile profile;
    struct jr_policy_audit audit;
};

/** Policies a, b, ... of these specs, in the namespace team-a. */
void scene_init(struct scene *s, const char *const *specs, size_t n);
void scene_done(struct scene *s);
/** Of the namespace. */
enum labels { NO_LABELS, GPU, UNKNOWN };
void set_labels(struct scene *s, enum labels labels);

struct subject {
    bool cron_job;
    const char *namespace;
    const char *name;
    const char *meta; /* further members, with a comma before */
    const char *spec; /* of the Job, with a comma behind */
};

struct jr_doc *object_of(const struct subject *o);

/** Takes the tree over, which is gone when it returns: what the audit keeps is its own. */
void add(struct scene *s, bool cron_job, struct jr_doc *doc, bool excluded);
void add_job(struct scene *s, const char *spec);
/** want: checked, violating, skipped. */
void want_counts(const struct scene *s, const char *what, size_t i, const size_t *want);

#endif
