/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of single fields as rows, and their one interpreter. */
#ifndef JR_POD_FIELD_RULES_H
#define JR_POD_FIELD_RULES_H

#include "common/rules/check.h"

struct jr_pod_check;
/** Validates a field's value, which may be NULL; path is its own. */
typedef void jr_pod_check_fn(struct jr_pod_check *p, const struct jr_node *node,
                             const struct jr_field_path *path);
/** Validates a part of the PodSpec, p->spec, whose path it is. */
typedef void jr_pod_part_fn(struct jr_pod_check *p, const struct jr_field_path *path);

enum jr_field_how {
    JR_HOW_SET,    /* not absent and not null */
    JR_HOW_TEXT,   /* not absent and not "" */
    JR_HOW_LIST,   /* not absent and not empty */
    JR_HOW_NAME,   /* `required` as a text, and of a syntax */
    JR_HOW_SYNTAX, /* of a syntax, "" where it is absent */
    JR_HOW_RANGE,  /* from min to max, 0 where it is absent */
    JR_HOW_ENUM,   /* `required` as a text, and out of a closed set */
    JR_HOW_CHOICE, /* out of a closed set, which the error lists */
    JR_HOW_KNOWN,  /* out of a closed set, which the rule's words tell */
    JR_HOW_RULES,  /* by rules of its own */
    JR_HOW_CALL,   /* by a function */
    JR_HOW_EACH,   /* each element by a function */
    JR_HOW_PART    /* a part of the PodSpec */
};
/** When. */
enum jr_field_when {
    JR_ALWAYS,
    JR_IF_SET,  /* not absent and not null; a number */
    JR_IF_TEXT, /* not absent and not "" */
};

/** A row, of the object itself where it has no name; the last one has no function either. */
struct jr_field_rule {
    const char *name;
    enum jr_field_how how;
    enum jr_field_when when;
    enum jr_rule rule;
    enum jr_rule required;
    jr_name_fn *syntax;
    int64_t min;
    int64_t max;
    const char *const *values;         /* ended by NULL */
    const struct jr_field_rule *rules; /* of the value */
    jr_pod_check_fn *check;
    jr_pod_part_fn *part;
};
#define JR_ROW(name_, how_, ...)                           \
    {                                                      \
        .name = (name_), .how = JR_HOW_##how_, __VA_ARGS__ \
    }
#define JR_REQUIRED(name_, how_, rule_) JR_ROW(name_, how_, .rule = JR_RULE_##rule_)
#define JR_NAME(name_, required_, rule_, syntax_)                                 \
    JR_ROW(name_, NAME, .required = JR_RULE_##required_, .rule = JR_RULE_##rule_, \
           .syntax = (syntax_))
#define JR_SYNTAX(when_, name_, rule_, syntax_) \
    JR_ROW(name_, SYNTAX, .when = (when_), .rule = JR_RULE_##rule_, .syntax = (syntax_))
#define JR_RANGE(when_, name_, rule_, min_, max_) \
    JR_ROW(name_, RANGE, .when = (when_), .rule = JR_RULE_##rule_, .min = (min_), .max = (max_))
#define JR_ENUM(when_, name_, required_, rule_, values_)                                           \
    JR_ROW(name_, ENUM, .when = (when_), .required = JR_RULE_##required_, .rule = JR_RULE_##rule_, \
           .values = (values_))
#define JR_CHOICE(when_, name_, rule_, values_) \
    JR_ROW(name_, CHOICE, .when = (when_), .rule = JR_RULE_##rule_, .values = (values_))
#define JR_KNOWN(when_, name_, rule_, values_) \
    JR_ROW(name_, KNOWN, .when = (when_), .rule = JR_RULE_##rule_, .values = (values_))
#define JR_CALL(when_, name_, check_) JR_ROW(name_, CALL, .when = (when_), .check = (check_))
#define JR_RULES_OF(name_, rules_) JR_ROW(name_, RULES, .when = JR_IF_SET, .rules = (rules_))
#define JR_EACH_BY(name_, check_) JR_ROW(name_, EACH, .check = (check_))
#define JR_OBJECT_BY(check_) JR_ROW(NULL, CALL, .check = (check_))
#define JR_PART(part_) JR_ROW(NULL, PART, .part = (part_))
#define JR_RULES(...) ((const struct jr_field_rule[]){ __VA_ARGS__, { .name = NULL } })

/** Validates the object at path by all rows, in their order. */
void jr_pod_check_fields(struct jr_pod_check *p, const struct jr_field_rule *rules,
                         const struct jr_node *object, const struct jr_field_path *path);

#endif
