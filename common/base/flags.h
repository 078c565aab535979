/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines by table: one row per flag, into one struct. */
#ifndef JR_BASE_FLAGS_H
#define JR_BASE_FLAGS_H

#include <stdint.h>

#include "common/base/buf.h"

/** What a flag's value is, and the type of the field it is stored in. */
enum jr_flag_type {
    JR_FLAG_STR,      /* const char *, borrowed from argv or the table; NULL without a default */
    JR_FLAG_INT,      /* int64_t */
    JR_FLAG_REAL,     /* double, finite: 20, 0.5, 1e+06 */
    JR_FLAG_BOOL,     /* bool: --name, --name=false, with Go's spellings */
    JR_FLAG_DURATION, /* int64_t, milliseconds: 10s, 1m30s, 500ms, 0 */
    JR_FLAG_BYTES,    /* int64_t, bytes: 65536, 64Ki, 7Mi, 1G */
    JR_FLAG_ADDR,     /* struct jr_flag_addr: host:port, [::1]:port, :port, or 0 for off */
    JR_FLAG_LIST,     /* struct jr_flag_list: a,b,c; given again it goes on */
    JR_FLAG_ENUM,     /* int: the index in `choices` */
};

struct jr_flag_addr {
    bool off;      /* the value was 0 or empty */
    char host[64]; /* without brackets; "" = all addresses */
    uint16_t port; /* 0 = a free one */
};

#define JR_FLAG_LIST_MAX 64
struct jr_flag_list {
    struct jr_str v[JR_FLAG_LIST_MAX]; /* borrowed from argv or the table, never empty */
    size_t n;
};

/** One flag. */
struct jr_flag {
    const char *name; /* without dashes */
    enum jr_flag_type type;
    size_t offset;       /* of the field in the config struct */
    const char *initial; /* as it would be written; NULL: the field is zeroed */
    const char *help;    /* a sentence or two; where the value is named in `back quotes`, help shows
                            that name */
    int64_t min, max;    /* of INT, REAL, DURATION (ms) and BYTES; both 0: any that is not
                            negative */
    const char *const *choices; /* of ENUM, NULL-terminated; of others: what completion offers */
    char letter;                /* a short form, -f; 0: none */
    bool whole;                 /* of LIST: a text is one value, with its commas */
    /* Of STR and LIST: sees each text, flag being "--name"; NULL: any will do. Errors: JR_USAGE. */
    enum jr_status (*check)(const char *flag, struct jr_str v, struct jr_error *err);
};

struct jr_flags {
    const char *program;         /* as it is called, "jobreeve-webhook" or "jobreeve default" */
    const char *summary;         /* for --help */
    const char *args;            /* what is taken besides flags, "[FILE...]"; NULL: nothing is */
    const struct jr_flag *table; /* ended by { .name = NULL } */
    /* Commands, each with a program of two words, "jobreeve-webhook remove", and flags of its own;
     * ended by NULL. NULL: there are none. */
    const struct jr_flags *const *commands;
    /* Appends to what --version prints, by jr_about_line; NULL: nothing. */
    void (*about)(struct jr_buf *out);
};

#define JR_FLAGS_MAX 256 /* rows of a table */
/** Which rows were given on the command line: a bit each. */
struct jr_flags_given {
    unsigned char bits[JR_FLAGS_MAX / 8];
};
bool jr_flags_is_given(const struct jr_flags_given *g, size_t row);

enum jr_flags_asked { JR_FLAGS_RUN, JR_FLAGS_HELP, JR_FLAGS_VERSION };

/** Fills config, a struct as the table says, with the defaults and then with argv[1..]. Written
 * -name or --name, the value after '=' or in the next argument; "--" ends the flags. What is no
 * flag is moved to the front, argv[1..*ret_args], in its order. The last of two equal flags wins.
 * --help and --version (-h) are always there and end the reading. Errors: JR_USAGE, err->path names
 * the flag ("--port"), err->msg says what was expected; the caller exits with 2. */
enum jr_status jr_flags_parse(const struct jr_flags *f, int argc, char **argv, void *config,
                              enum jr_flags_asked *ret_asked, int *ret_args,
                              struct jr_error *err) JR_MUST_USE;
/** Sets one flag's field in config from its text, which is borrowed where the type says so. first:
 * a list starts anew. Errors: JR_USAGE, err->msg says what was expected; err->path stays. */
enum jr_status jr_flag_set(const struct jr_flag *f, const char *text, bool first, void *config,
                           struct jr_error *err) JR_MUST_USE;
/** Appends the text of --help: usage, every flag with its default. */
enum jr_status jr_flags_help(const struct jr_flags *f, struct jr_buf *out) JR_MUST_USE;

/** The name of a flag's value: what stands in `back quotes` in its help, or its type's word. */
struct jr_str jr_flag_value_word(const struct jr_flag *f);
/** Bytes of the flag's field in the configuration. */
size_t jr_flag_size(const struct jr_flag *f);

/** For main(): which command argv[1] names, which is taken off argv then; f: none. */
const struct jr_flags *jr_flags_command(const struct jr_flags *f, int *argc, char ***argv);

/** For main(): parses, and where that is all there is to do does it: help and version on stdout, an
 * error on stderr with a hint at --help. Returns -1 to go on, else the exit code: 0, or 2 for a
 * wrong use. */
int jr_flags_start(const struct jr_flags *f, int argc, char **argv, void *config,
                   int *ret_args) JR_MUST_USE;
/** The same for a program that takes flags only, and a file of settings: *ret tells which of them
 * the file does not count for. */
int jr_flags_start_given(const struct jr_flags *f, int argc, char **argv, void *config,
                         struct jr_flags_given *ret) JR_MUST_USE;
/** Says on stderr what is wrong with the settings. Returns the exit code, 2. */
int jr_flags_wrong(const struct jr_flags *f, const struct jr_error *err) JR_MUST_USE;

/** The parser of JR_FLAG_ADDR, for other settings. Errors: JR_USAGE. */
enum jr_status jr_flag_addr_parse(struct jr_str s, struct jr_flag_addr *ret,
                                  struct jr_error *err) JR_MUST_USE;
/** The parser of JR_FLAG_BYTES. Errors: JR_SYNTAX, JR_RANGE. */
enum jr_status jr_parse_bytes(struct jr_str s, int64_t *ret) JR_MUST_USE;

#endif
