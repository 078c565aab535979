/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of validation, each with its id, the kind of error and the API server's words. */
#ifndef JR_RULES_RULES_H
#define JR_RULES_RULES_H

#include "common/api/field_error.h"
#include "common/json/doc.h"
#include "common/rules/map_containers.h"
#include "common/rules/map_cron_job.h"
#include "common/rules/map_job.h"
#include "common/rules/map_pod.h"
#include "common/rules/map_template.h"
#include "common/rules/map_volumes.h"
#include "common/rules/names.h"
#include "common/schema/schema.h"

/* What differs between the versions of Kubernetes stands beside the rules: in JR_RULE_WORDS_*(V),
 * V(ID, since, until, TYPE, "detail"), what a rule says from 1.since to 1.until; in
 * JR_RULE_RANGES_*(R), R(ID, since, until), which versions have it. */
#define JR_RULE_MAP(X)        \
    JR_RULE_MAP_META(X)       \
    JR_RULE_MAP_SELECTOR(X)   \
    JR_RULE_MAP_SPEC(X)       \
    JR_RULE_MAP_POLICY(X)     \
    JR_RULE_MAP_SCHEDULING(X) \
    JR_RULE_MAP_DELEGATION(X) \
    JR_RULE_MAP_TEMPLATE(X)   \
    JR_RULE_MAP_UPDATE(X)     \
    JR_RULE_MAP_STATUS(X)     \
    JR_RULE_MAP_CONTAINERS(X) \
    JR_RULE_MAP_VOLUMES(X)    \
    JR_RULE_MAP_POD(X)        \
    JR_RULE_MAP_CRON_JOB(X)

enum jr_rule {
#define X(name, id, type, detail) JR_RULE_##name,
    JR_RULE_MAP(X)
#undef X
        JR_RULE_COUNT
};

/** Whether the version has the rule. All functions below add nothing where the list's version
 * hasn't. */
bool jr_rule_exists(enum jr_rule rule, struct jr_kube_version version);

/** No value is shown. */
#define JR_NO_VALUE ((struct jr_str){ NULL, 0 })

/** Adds the rule's error at path. value as for jr_errlist_add. */
void jr_rule_violated(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                      struct jr_str value);
/** The same without a value, and with values of several kinds: a string, an integer, a string that
 * is of a type of its own in Go, a tree's node, and a field of a type as Go's encoder writes it. */
void jr_violation(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path);
void jr_violation_text(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                       struct jr_str s);
void jr_violation_int(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                      int64_t v);
void jr_violation_enum(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                       struct jr_str s);
void jr_violation_json(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                       const struct jr_node *node);
void jr_violation_shown(struct jr_errlist *errs, enum jr_rule rule,
                        const struct jr_field_path *path, const struct jr_schema_type *type,
                        const char *name, const struct jr_node *node);
/** The same with words of its own. */
void jr_rule_violatedf(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                       struct jr_str value, const char *fmt, ...) JR_PRINTF(5, 6);
/** The same with words that may hold anything, NUL too. */
void jr_rule_violated_text(struct jr_errlist *errs, enum jr_rule rule,
                           const struct jr_field_path *path, struct jr_str value,
                           struct jr_str words);
/** One error for each fault of the text, which is the value. */
void jr_rule_faults(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                    struct jr_str text, const struct jr_name_errors *faults);
/** One error for each fault that a syntax finds in the text, which is the value. */
typedef struct jr_name_errors jr_name_fn(struct jr_str s);
void jr_validate_name(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                      struct jr_str s, jr_name_fn *syntax);
/** A value as upstream renders anything but strings and numbers: as JSON; long ones are cut. */
struct jr_str jr_rule_json(struct jr_errlist *errs, const struct jr_node *node);
/** The same of the type's field `name`, as jr_schema_show writes it. */
struct jr_str jr_rule_shown(struct jr_errlist *errs, const struct jr_schema_type *type,
                            const char *name, const struct jr_node *node);
/** A string of a type of its own in Go: as JSON. */
struct jr_str jr_rule_json_str(struct jr_errlist *errs, struct jr_str s);
/** A time; one that isn't set is null. */
struct jr_str jr_rule_time(struct jr_errlist *errs, struct jr_time t);

#endif
