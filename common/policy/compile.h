/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of compilation, inside of this folder. Each adds faults to errs, and goes on. */
#ifndef JR_POLICY_COMPILE_H
#define JR_POLICY_COMPILE_H

#include "common/policy/policy.h"

struct jr_policy_compiler {
    struct jr_job_policy *policy;
    const struct jr_node *object; /* the document */
    struct jr_time now;
    struct jr_errlist *errs;
    struct jr_warnings *warnings;
    bool excepting; /* what is compiled is an exception's */
};

/* copy.c: into the policy's arena. Without memory errs->failed says so, and the copy is empty. */
struct jr_str jr_policy_copy(struct jr_policy_compiler *c, struct jr_str s);
void *jr_policy_calloc(struct jr_policy_compiler *c, size_t count, size_t size);
/** Reads a quantity into the policy's memory. NULL: it is none, or c->errs says that there is no
 * memory. */
struct jr_quantity *jr_policy_read_quantity(struct jr_policy_compiler *c,
                                            const struct jr_node *node);
/** The strings of a list. */
struct jr_strs jr_policy_copy_strs(struct jr_policy_compiler *c, const struct jr_node *list);
/** A map of strings. */
struct jr_labels jr_policy_copy_map(struct jr_policy_compiler *c, const struct jr_node *map);
/** A label selector; node NULL: not set. */
struct jr_selector jr_policy_copy_selector(struct jr_policy_compiler *c,
                                           const struct jr_node *node);

/* compile_limits.c */
/** Compiles spec.limits of a policy, or an exception's. */
void jr_policy_compile_limits(struct jr_policy_compiler *c, const struct jr_node *limits,
                              const struct jr_field_path *path, struct jr_policy_rules *ret);
/** What the field itself may be: a number's range, an enum's values. */
void jr_policy_check_int(struct jr_policy_compiler *c, enum jr_limited_field field, int64_t v,
                         const struct jr_field_path *path);
void jr_policy_check_text(struct jr_policy_compiler *c, enum jr_limited_field field,
                          struct jr_str s, const struct jr_field_path *path);
/** The limit on the field; NULL: there is none. */
const struct jr_limit *jr_policy_limit_of(const struct jr_policy_rules *rules,
                                          enum jr_limited_field field);

/** Adds a limit to the rules: its name, where it stands in the policy's document, and the path of
 * what it is about, which leads somewhere. NULL: no memory. */
struct jr_limit *jr_policy_add_limit(struct jr_policy_compiler *c, struct jr_policy_rules *ret,
                                     const char *name, const struct jr_field_path *path,
                                     enum jr_limit_root root, const char *of);
/** Adds another place, below the same root, that the rule of `like` is about. */
void jr_policy_add_place(struct jr_policy_compiler *c, struct jr_policy_rules *ret,
                         const struct jr_limit *like, const char *of);
/** Refuses what is no map, or has more entries than max. False: it is none. */
bool jr_policy_check_map(struct jr_policy_compiler *c, const struct jr_node *map, size_t max,
                         const struct jr_field_path *path);

/* compile_constraint.c */
/** Parts that a constraint may have; bits. */
enum {
    JR_SAYS_REQUIRED = 1u << 0,
    JR_SAYS_VALUES = 1u << 1,
    JR_SAYS_EXCLUDED = 1u << 2,
    JR_SAYS_RANGE = 1u << 3,
};
/** Refuses a text that is none of the values of the Go type, if that is an enum; NULL: it is none.
 * glob: the text may be one that matches a value. */
void jr_policy_check_word(struct jr_policy_compiler *c, const char *go_type, struct jr_str s,
                          bool glob, const struct jr_field_path *path);
/** Tells what may be said of a limit's values. */
unsigned jr_policy_sayable(const struct jr_limit *l);
/** Compiles what is required of the values at l->of; says: what may be said of them here. Nothing
 * at all is a fault. */
void jr_policy_compile_constraint(struct jr_policy_compiler *c, const struct jr_node *node,
                                  const struct jr_field_path *path, unsigned says,
                                  struct jr_limit *l);
/** The same of an entry of a map, of whose members the definition knows no names. */
void jr_policy_compile_entry(struct jr_policy_compiler *c, const struct jr_node *node,
                             const struct jr_field_path *path, unsigned says, struct jr_limit *l);

/* compile_pod_limits.c */
/** Compiles images, requests, limits and tolerations of spec.limits.template. */
void jr_policy_compile_pod_limits(struct jr_policy_compiler *c, const struct jr_node *template,
                                  const struct jr_field_path *path, struct jr_policy_rules *ret);

/* compile_cron_limits.c */
/** Compiles spec.limits.cronJob. */
void jr_policy_compile_cron_limits(struct jr_policy_compiler *c, const struct jr_node *limits,
                                   const struct jr_field_path *path, struct jr_policy_rules *ret);

/* compile_pod_security.c: spec.podSecurity. */
void jr_policy_compile_pod_security(struct jr_policy_compiler *c, const struct jr_node *node,
                                    const struct jr_field_path *path);

/* compile_budget.c */
/** Whether a container can ask for the resource, or for some that a glob matches. */
bool jr_policy_is_resource(struct jr_policy_compiler *c, struct jr_str name);
/** Compiles spec.budget of a policy, or an exception's. */
void jr_policy_compile_budget(struct jr_policy_compiler *c, const struct jr_node *budget,
                              const struct jr_field_path *path, struct jr_policy_rules *ret);

/** Warns where a list or a map of resources has devices, and none of their other names. */
void jr_policy_warn_of_devices(struct jr_policy_compiler *c, const struct jr_node *names,
                               const struct jr_field_path *path);

/* compile_exceptions.c */
/** Compiles spec.exceptions, once the policy's own rules are there. */
void jr_policy_compile_exceptions(struct jr_policy_compiler *c, const struct jr_node *list,
                                  const struct jr_field_path *path);

/* compile_defaults.c: spec.defaults, once the rules are there. */
void jr_policy_compile_defaults(struct jr_policy_compiler *c, const struct jr_node *defaults,
                                const struct jr_field_path *path);

/* compile_sense.c */
/** Warns of rules that can't bind, or that no Job meets, once all is compiled without a fault. */
void jr_policy_warn_of_sense(struct jr_policy_compiler *c, const struct jr_field_path *spec);

/** Adds a fault where the list or object has more items than the definition allows. */
void jr_policy_check_count(struct jr_policy_compiler *c, const struct jr_node *node, size_t most,
                           const struct jr_field_path *path);
/** Whether the selector looks at the label. */
bool jr_policy_selects_on(const struct jr_selector *s, struct jr_str key);

/** Adds a fault; value: rendered, or JR_NO_VALUE. */
#define JR_POLICY_FAULT(c_, type_, path_, value_, ...) \
    jr_errlist_add((c_)->errs, JR_FE_##type_, (path_), (value_), __VA_ARGS__)

#endif
