/* The desk's program: `jobreeve COMMAND`. Commands are functions over streams that are handed in.
 */
#ifndef JR_CLI_CLI_H
#define JR_CLI_CLI_H

#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/flags.h"

/** Where a command reads and writes; all borrowed. */
struct jr_cli_io {
    FILE *in;
    FILE *out;
    FILE *err;
};

/** What a program's exit says. */
enum jr_cli_exit {
    JR_CLI_FINE = 0,
    JR_CLI_FAILED = 1, /* nothing wrong with the input or its use: memory, a full disk */
    JR_CLI_USAGE = 2,  /* wrong use or unreadable input */
};

/** Runs argv[1] with what follows it. Returns the exit code. */
int jr_cli_run(int argc, char **argv, const struct jr_cli_io *io);

/** One command. argv[0] is its name. */
struct jr_cli_command {
    const char *name;
    const char *summary;
    const struct jr_flags *flags; /* NULL: it takes none */
    int (*run)(int argc, char **argv, const struct jr_cli_io *io);
};
extern const struct jr_flags jr_cli_default_flags;
int jr_cli_default(int argc, char **argv, const struct jr_cli_io *io);

/** Parses a command's flags. Returns -1 to go on, else the exit code: help was asked for and is
 * printed, or the use is wrong and that is said. */
int jr_cli_flags(const struct jr_flags *f, int argc, char **argv, void *config, int *ret_args,
                 const struct jr_cli_io *io);
/** Says on io->err what is wrong; returns the exit code for it. */
int jr_cli_fail(const struct jr_flags *f, const struct jr_error *err, const struct jr_cli_io *io);
/** Writes a buffer to a stream. Errors: JR_IO, those of the buffer. */
enum jr_status jr_cli_put(FILE *to, const struct jr_buf *b, struct jr_error *err) JR_MUST_USE;

#endif
