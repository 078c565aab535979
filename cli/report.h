/* SPDX-License-Identifier: Apache-2.0 */
/* What check has found: all output is written from it. Pure. */
#ifndef JR_CLI_REPORT_H
#define JR_CLI_REPORT_H

#include "cli/version_list.h"
#include "common/base/arena.h"

enum jr_level { JR_LEVEL_ERROR, JR_LEVEL_WARNING, JR_LEVEL_NOTE };

/** The type of what policies find: their message names the field behind the policy. */
#define JR_POLICY_VIOLATION "PolicyViolation"
/** The type of what says that policies can't be evaluated. */
#define JR_UNDECIDED "Undecided"

/** One finding; absent texts are {NULL, 0}. */
struct jr_finding {
    enum jr_level level;
    unsigned line;   /* from 1 */
    unsigned column; /* from 1, in characters */
    /* FieldValueInvalid and the other reasons of causes; BadRequest (a wrong JSON type),
     * UnknownField, DuplicateField, NoKindMatch, Warning, NotValidated, PolicyViolation, Undecided
     */
    struct jr_str type;
    struct jr_str field; /* spec.template.spec.containers[0].name, within the object */
    struct jr_str value; /* as the API server renders it: "\"x\"", -1 */
    struct jr_str detail;
    struct jr_str message; /* the API server's words: of a cause, of a warning, of a 400 */
    struct jr_str rule;    /* parallelism-negative */
    struct jr_str hint;    /* our words: did you mean "completions"? */
    struct jr_str source;  /* the line of the text, or the part of it around the column */
    unsigned caret;        /* characters of source before the column */
    bool refuses;          /* an error, and not for --warnings-as-errors alone */
    unsigned versions;     /* those of the report that find it */
    struct jr_str only;    /* "1.32, 1.33": those versions, where not all find it */
};

/** The refusal as a whole, as an API server answers it. */
struct jr_answer {
    int code;             /* 400, 422 */
    struct jr_str reason; /* BadRequest, Invalid */
    struct jr_str message;
    unsigned versions; /* those of the report that answer so */
};

/** An object that was validated. */
struct jr_checked {
    struct jr_str file;
    size_t document;    /* in the file, from 1 */
    struct jr_str path; /* of the object in its document: items[0]; empty: it is the document */
    unsigned line;
    unsigned column;
    struct jr_str api_version;
    struct jr_str kind;
    struct jr_str namespace; /* default where there is none */
    struct jr_str name;
    struct jr_str generate_name;
    const char *operation; /* create, update, status */
    struct jr_finding *v;
    size_t n;
    size_t cap;
    struct {
        struct jr_answer *v; /* the newest version's first; n = 0: all accept it */
        size_t n;
        size_t cap;
    } answers;
};

/** What could not be read or validated. */
struct jr_unreadable {
    struct jr_str file;
    unsigned line; /* 0: not known */
    unsigned column;
    struct jr_str message;
};

/** Everything lives in the arena. Once `failed` is set (JR_LIMIT) it is not complete. */
struct jr_report {
    struct jr_arena arena;
    const char *command;         /* that reports: "jobreeve check" */
    struct jr_versions versions; /* that were asked */
    struct {
        struct jr_checked *v;
        size_t n;
        size_t cap;
    } objects;
    struct {
        struct jr_unreadable *v;
        size_t n;
        size_t cap;
    } unreadable;
    size_t files;
    bool compared;        /* with existing objects: the summary says how many are updates */
    size_t others;        /* objects of kinds that are not validated */
    size_t not_evaluated; /* policies of other kinds */
    size_t excepted;      /* objects to which an exception of a policy applied */
    size_t unmatched;     /* objects that no policy matches */
    size_t errors;
    size_t warnings;
    enum jr_status failed;
};

/** max_bytes bounds what it may hold. */
void jr_report_init(struct jr_report *r, size_t max_bytes);
void jr_report_done(struct jr_report *r);
/** A new object, zeroed but for its texts, which are copied from what is given. NULL without room
 * (r->failed). Valid until the next one. */
struct jr_checked *jr_report_object(struct jr_report *r, const struct jr_checked *like);
/** Adds a finding to the last object and counts it. Texts are borrowed: they must live in the
 * arena, or as long as the report. */
void jr_report_find(struct jr_report *r, const struct jr_finding *f);
/** Adds an answer to the last object, or its versions to the same one that is there. Texts are
 * borrowed likewise. */
void jr_report_answer(struct jr_report *r, const struct jr_answer *answer);
/** The last object's findings of several versions, each as of one version, the newest's first:
 * those that are equal become one of all these versions. The order stays: the newest version's,
 * in it what others alone find. */
void jr_report_merge(struct jr_report *r);
/** Adds what could not be read; texts are copied. */
void jr_report_unreadable(struct jr_report *r, struct jr_str file, unsigned line, unsigned column,
                          struct jr_str message);
/** Its arena has given nothing: past its bound it is not complete; else the process ends. */
void jr_report_full(struct jr_report *r);
/** A copy in the arena; {NULL, 0} stays that. */
struct jr_str jr_report_keep(struct jr_report *r, struct jr_str s);
/** Appends "field: message (hint)", in front of it the versions where not all find it; messages
 * that begin with the field don't get it twice. */
void jr_finding_write(const struct jr_finding *f, struct jr_buf *out);
/** Appends "would be refused by 1.32, 1.33: " or "in 1.33: "; nothing where all versions find it.
 */
void jr_finding_write_versions(const struct jr_finding *f, struct jr_buf *out);
/** Whether the message says already which field it is about, or there is none. */
bool jr_finding_says_field(const struct jr_finding *f);
const char *jr_level_name(enum jr_level level); /* error, warning, note */
/** 0: nothing found, 1: errors, 2: something unreadable. */
int jr_report_exit_code(const struct jr_report *r);

#endif
