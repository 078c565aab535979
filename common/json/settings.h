/* SPDX-License-Identifier: Apache-2.0 */
/* A file of settings: values of a program's flags under their names, in YAML or JSON. The command
 * line wins over it. */
#ifndef JR_JSON_SETTINGS_H
#define JR_JSON_SETTINGS_H

#include "common/base/arena.h"
#include "common/base/flags.h"

/** What was read of the file, and where. */
struct jr_settings {
    const char *path;             /* borrowed */
    struct jr_arena texts;        /* strings and list values in the config point in here */
    unsigned lines[JR_FLAGS_MAX]; /* by row of the table, of values that count; 0: not from here */
};
/** Safe on a zeroed one. */
void jr_settings_done(struct jr_settings *s);

/** Reads the file at path and puts what it says into config, less what is in given: that is
 * validated all the same, but the command line's value stays. own: the flag that names the file,
 * which has no place in it. Flags are set by a boolean, a number (of counts, sizes, and 0), a
 * string as on the command line, or, of lists, an array of strings or an object of booleans, name
 * by name; null leaves a flag as it is. Errors: JR_USAGE with "PATH:LINE: NAME" in err->path (a
 * name that is no flag, a wrong type, a bad value); JR_IO, JR_SYNTAX, JR_LIMIT, JR_NOMEM. */
enum jr_status jr_settings_read(const struct jr_flags *f, const char *own, const char *path,
                                const struct jr_flags_given *given, void *config,
                                struct jr_settings *ret, struct jr_error *err) JR_MUST_USE;

/** For a later check that blames a flag by "--NAME" in err->path: where the value came from the
 * file, "PATH:LINE: NAME" takes its place. */
void jr_settings_blame(const struct jr_settings *s, const struct jr_flags *f, struct jr_error *err);

#endif
