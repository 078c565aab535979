/* The flags that say which Kubernetes the rules are to agree with, for all commands that validate
 * or complete. Pure. */
#ifndef JR_CLI_PROFILE_FLAGS_H
#define JR_CLI_PROFILE_FLAGS_H

#include "common/base/flags.h"
#include "common/schema/profile.h"

/** A part of a command's config. */
struct jr_profile_flags {
    const char *version;       /* --kubernetes-version */
    struct jr_flag_list gates; /* --feature-gate */
};

/** What completion offers; NULL-terminated. */
extern const char *const jr_profile_flag_versions[];
extern const char *const jr_profile_flag_gates[];

/** The two rows of a flag table; `member` of `struct config` is a struct jr_profile_flags. */
#define JR_PROFILE_FLAG_ROWS(config, member)                                                      \
    { .name = "kubernetes-version",                                                               \
      .type = JR_FLAG_STR,                                                                        \
      .offset = offsetof(config, member) + offsetof(struct jr_profile_flags, version),            \
      .initial = "1.36",                                                                          \
      .choices = jr_profile_flag_versions,                                                        \
      .help = "The `version` of Kubernetes to agree with." },                                     \
    {                                                                                             \
        .name = "feature-gate", .type = JR_FLAG_LIST,                                             \
        .offset = offsetof(config, member) + offsetof(struct jr_profile_flags, gates),            \
        .choices = jr_profile_flag_gates,                                                         \
        .help = "A gate of the API server that differs from its default, as `Name=true|false`;\n" \
                "several with commas between, or the flag again."                                 \
    }

/** What the flags ask for. Errors: JR_USAGE, err->path is the flag, err->msg names the version or
 * the gate: unknown, or locked to its state. */
enum jr_status jr_profile_of_flags(const struct jr_profile_flags *flags, struct jr_profile *ret,
                                   struct jr_error *err) JR_MUST_USE;

#endif
