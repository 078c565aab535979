/* SPDX-License-Identifier: Apache-2.0 */
/* Test suites of JobPolicies: documents of the kind JobPolicyTest, read strictly. */
#ifndef JR_CLI_SUITE_H
#define JR_CLI_SUITE_H

#include "cli/stream.h"
#include "common/admission/kind.h"
#include "common/policy/policy.h"

#define JR_SUITE_KIND JR_POLICY_TEST_KIND

enum jr_suite_outcome { JR_OUTCOME_ALLOWED, JR_OUTCOME_WARNED, JR_OUTCOME_DENIED };
/** As in expect.outcome: "Allowed"; ended by NULL. */
extern const char *const jr_suite_outcomes[];

/** A write, and what must come of it. */
struct jr_suite_case {
    struct jr_str name;
    unsigned line;
    const struct jr_admission_kind *kind;
    struct jr_doc *object;
    struct jr_doc *old; /* NULL: a create */
    bool by_queue;      /* a queue asks */
    enum jr_suite_outcome outcome;
    bool has_messages; /* else they aren't compared */
    struct jr_strs messages;
    const struct jr_node *defaulted; /* what the object must have; NULL: not compared */
};

/** Texts and nodes are borrowed from the document. Zeroed, it is empty. */
struct jr_suite {
    struct jr_arena arena;
    struct jr_str file;
    const struct jr_node *policies; /* paths; NULL: what is beside the suite */
    const struct jr_node *namespaces;
    struct jr_time now; /* not set: by the clock */
    struct jr_suite_case *v;
    size_t n;
};

/** A thing that is wrong with a suite, or with an object in a file that it names. Borrowed for the
 * call. */
struct jr_suite_problem {
    struct jr_str file;
    const struct jr_positions *positions; /* of that file's document */
    size_t place;                         /* among them */
    struct jr_str field;                  /* n = 0: the message says it */
    struct jr_str message;
};
struct jr_suite_sink {
    void (*problem)(void *ctx, const struct jr_suite_problem *p);
    void *ctx;
};
/** Whether the objects in the files that a suite names are read. */
enum jr_suite_files { JR_SUITE_ALONE, JR_SUITE_WITH_FILES };

/** Reads a suite of `file`, and tells the sink each problem; false: there are some. */
bool jr_suite_read(struct jr_suite *s, struct jr_str file, const struct jr_manifest *m,
                   enum jr_suite_files files, const struct jr_suite_sink *sink);
void jr_suite_done(struct jr_suite *s);

#endif
