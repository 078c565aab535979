/* SPDX-License-Identifier: Apache-2.0 */
/* The flags that say which Kubernetes the rules are to agree with, for all commands that validate
 * or complete. Pure. */
#ifndef JR_CLI_PROFILE_FLAGS_H
#define JR_CLI_PROFILE_FLAGS_H

#include "cli/version_list.h"
#include "common/base/flags.h"

/** A part of a command's config. */
struct jr_profile_flags {
    struct jr_flag_list versions; /* --kubernetes-version */
    struct jr_flag_list gates;    /* --feature-gate */
};

/** What completion offers; NULL-terminated. */
extern const char *const jr_profile_flag_versions[];
extern const char *const jr_profile_flag_gates[];

/** The two rows of a flag table; `member` of `struct config` is a struct jr_profile_flags. */
#define JR_PROFILE_FLAG_ROWS_OF(config, member, help_on_versions)                                 \
    { .name = "kubernetes-version",                                                               \
      .type = JR_FLAG_LIST,                                                                       \
      .offset = offsetof(config, member) + offsetof(struct jr_profile_flags, versions),           \
      .initial = "1.37",                                                                          \
      .choices = jr_profile_flag_versions,                                                        \
      .help = (help_on_versions) },                                                               \
    {                                                                                             \
        .name = "feature-gate", .type = JR_FLAG_LIST,                                             \
        .offset = offsetof(config, member) + offsetof(struct jr_profile_flags, gates),            \
        .choices = jr_profile_flag_gates,                                                         \
        .help = "A gate of the API server that differs from its default, as `Name=true|false`;\n" \
                "several with commas between, or the flag again."                                 \
    }
/** For a command that takes one version. */
#define JR_PROFILE_FLAG_ROWS(config, member) \
    JR_PROFILE_FLAG_ROWS_OF(config, member, "The `version` of Kubernetes to agree with.")
/** For a command that takes several. */
#define JR_PROFILES_FLAG_ROWS(config, member)                                                      \
    JR_PROFILE_FLAG_ROWS_OF(                                                                       \
        config, member,                                                                            \
        "The `version` of Kubernetes to agree with, or several: with commas between, or the flag " \
        "again.\nA finding that not all of them have says which.")

/** What the flags ask for, of one version. Errors: JR_USAGE, err->path is the flag, err->msg names
 * the version or the gate: unknown, or locked to its state. */
enum jr_status jr_profile_of_flags(const struct jr_profile_flags *flags, struct jr_profile *ret,
                                   struct jr_error *err) JR_MUST_USE;
/** The same of several versions. A gate that some of them don't know, or have locked to another
 * state, is left as it is there. */
enum jr_status jr_cli_profiles_of_flags(const struct jr_profile_flags *flags,
                                        struct jr_cli_profiles *ret,
                                        struct jr_error *err) JR_MUST_USE;

#endif
