/* SPDX-License-Identifier: Apache-2.0 */
/* --policy and the flags beside it: by which JobPolicies manifests are evaluated, and what is known
 * of the cluster that they are for. */
#ifndef JR_CLI_POLICY_INPUT_H
#define JR_CLI_POLICY_INPUT_H

#include "common/base/flags.h"
#include "common/policy/evaluate.h"
#include "common/policy/load.h"

/** The value of managedBy that is our own. */
#define JR_CLI_CONTROLLER "jobreeve.dev/controller"

/** A part of a command's config. */
struct jr_policy_flags {
    struct jr_flag_list files;            /* --policy */
    struct jr_flag_list namespace_labels; /* NAMESPACE:KEY=VALUE */
    struct jr_flag_list trusted;          /* --trusted-controllers */
    const char *now;                      /* NULL or "": by the clock */
    const char *pod_security;             /* --pod-security, LEVEL[:VERSION]; NULL or "": none */
};

/** The rows of a flag table; `member` of `struct config` is a struct jr_policy_flags. */
#define JR_POLICY_FLAG_ROWS(config, member)                                                        \
    { .name = "policy",                                                                            \
      .letter = 'p',                                                                               \
      .type = JR_FLAG_LIST,                                                                        \
      .offset = offsetof(config, member) + offsetof(struct jr_policy_flags, files),                \
      .initial = "",                                                                               \
      .help =                                                                                      \
          "Evaluate by the JobPolicies in these `files` or folders too. Other kinds in them are\n" \
          "passed over, but for Namespaces, whose labels policies select by, and\n"                \
          "ValidatingAdmissionPolicies, which are named." },                                       \
        { .name = "namespace-labels",                                                              \
          .type = JR_FLAG_LIST,                                                                    \
          .offset = offsetof(config, member) + offsetof(struct jr_policy_flags, namespace_labels), \
          .initial = "",                                                                           \
          .help = "With --policy: labels of Namespaces, as `NAMESPACE:KEY=VALUE`; NAMESPACE: for " \
                  "one\n"                                                                          \
                  "without labels." },                                                             \
        { .name = "trusted-controllers",                                                           \
          .type = JR_FLAG_LIST,                                                                    \
          .offset = offsetof(config, member) + offsetof(struct jr_policy_flags, trusted),          \
          .initial = JR_POLICY_TRUSTED_CONTROLLERS,                                                \
          .help = "With --policy: values of managedBy, as `names`, whose controllers run Jobs as " \
                  "the\n"                                                                          \
                  "built-in one does." },                                                          \
    {                                                                                              \
        .name = "now", .type = JR_FLAG_STR,                                                        \
        .offset = offsetof(config, member) + offsetof(struct jr_policy_flags, now),                \
        .help = "With --policy: the `time` to evaluate at, as 2026-12-31T00:00:00Z, for "          \
                "exceptions that end;\ndefault: now."                                              \
    }

/** The row of --pod-security, likewise. */
#define JR_POD_SECURITY_FLAG_ROW(config, member)                                                  \
    {                                                                                             \
        .name = "pod-security", .type = JR_FLAG_STR,                                              \
        .offset = offsetof(config, member) + offsetof(struct jr_policy_flags, pod_security),      \
        .help =                                                                                   \
            "Check Pod templates by Pod Security Standards, as `LEVEL[:VERSION]`: baseline, "     \
            "restricted or\n"                                                                     \
            "Namespace, what the Job's Namespace enforces; v1.36 or latest, which is the newest " \
            "known."                                                                              \
    }

/** A Namespace that is known; texts live in the loading's arena. */
struct jr_cli_namespace {
    struct jr_str name;
    struct jr_labels labels;
};

/** Zeroed there are no policies. */
struct jr_cli_policies {
    bool given;
    bool strict; /* set before the reading: what isn't evaluated is an error */
    bool quiet;  /* likewise: what is only worth saying is left out */
    struct jr_policy_loading loading;
    struct jr_policy_set set;
    struct jr_cli_namespace *namespaces;
    size_t n_namespaces, cap_namespaces;
    struct jr_strs trusted;
};

/** Begins without policies, which are added by the next two: `now` is when they are evaluated. The
 * default controllers are trusted. */
void jr_cli_policies_begin(struct jr_cli_policies *p, struct jr_time now);
/** Reads the policies of a file, and Namespaces. What is wrong with them is told in the end.
 * Errors: JR_IO, JR_LIMIT. */
enum jr_status jr_cli_policies_add(struct jr_cli_policies *p, const char *path,
                                   struct jr_error *err) JR_MUST_USE;
/** Once all are there. Appends to `problems` lines about them, fit for a terminal. Errors:
 * JR_INVALID: some can't be used, or there is none. */
enum jr_status jr_cli_policies_end(struct jr_cli_policies *p, struct jr_buf *problems,
                                   struct jr_error *err) JR_MUST_USE;
/** Takes these labels of a Namespace, a map of strings (NULL: none), in place of what was known. */
void jr_cli_policies_label(struct jr_cli_policies *p, struct jr_str namespace,
                           const struct jr_node *labels);

/** Reads what the flags name; `now`: the clock's. What is only worth saying is written to standard
 * error. Errors: JR_USAGE, err->path is the flag; JR_INVALID: policies that can't be used, which
 * were written there too; JR_IO. */
enum jr_status jr_cli_policies_read(struct jr_cli_policies *p, const struct jr_policy_flags *flags,
                                    struct jr_time now, struct jr_error *err) JR_MUST_USE;
void jr_cli_policies_done(struct jr_cli_policies *p);
/** Takes the labels of a Namespace's manifest, in place of what was known. Anything else is left
 * alone. */
void jr_cli_policies_learn(struct jr_cli_policies *p, const struct jr_node *object);
/** The same of all manifests in a text. Errors: as jr_stream_read. */
enum jr_status jr_cli_policies_learn_text(struct jr_cli_policies *p,
                                          struct jr_str text) JR_MUST_USE;
/** Returns the context of requests in that namespace, by nobody's queue; NULL: there are no
 * policies. p may be NULL; ret: room for it. */
const struct jr_policy_context *jr_cli_policies_context(const struct jr_cli_policies *p,
                                                        struct jr_str namespace,
                                                        struct jr_policy_context *ret);

#endif
