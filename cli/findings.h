/* SPDX-License-Identifier: Apache-2.0 */
/* Turning results of admission into findings with their places in the text, for check.c. Pure. */
#ifndef JR_CLI_FINDINGS_H
#define JR_CLI_FINDINGS_H

#include "cli/check.h"
#include "cli/stream.h"

#define JR_COLUMNS_STEP ((size_t)1024)

/** A text on its way through. */
struct jr_checking {
    struct jr_report *report;
    const struct jr_check_options *options;
    bool strict; /* unknown and duplicate fields are errors */
    struct jr_str file;
    struct jr_str text;
    size_t *lines; /* offsets of the lines' starts, made when the first is wanted */
    size_t n_lines;
    struct jr_columns {
        unsigned line;
        size_t
            *v; /* where each JR_COLUMNS_STEP-th character of the line begins, as far as is known */
        size_t n;
        size_t cap;
    } columns; /* of the line that was shown last */
    struct {
        size_t *v; /* keys of the document that are there twice: their places */
        size_t n;
        size_t cap;
    } duplicates;
    const struct jr_manifest *object; /* at hand */
    const struct jr_profile *profile; /* by which it is checked */
    unsigned versions;                /* of the report: whose findings are added */
};

/** Adds a finding at a place of the document at hand; level and texts are f's, line, column and
 * source line are filled in. Texts are borrowed for the report's life. */
void jr_finding_add(struct jr_checking *c, size_t place, struct jr_finding f);
/** Adds errors about fields of the document at hand. */
void jr_findings_errors(struct jr_checking *c, const struct jr_errlist *errs);
/** Adds the warnings from the `from`-th on. */
void jr_findings_warnings(struct jr_checking *c, const struct jr_warnings *warnings, size_t from);
/** The violations and warnings that admission comes to, or the refusal. */
void jr_findings_of(struct jr_checking *c, const struct jr_admission_result *result);
/** Fields that are unknown or there twice, the first hundred of each as an API server tells them.
 * *ret_text: what a strict server answers, NULL if there are none. */
void jr_findings_strict(struct jr_checking *c, const struct jr_schema_type *schema,
                        const char **ret_text);
/** Notes the fields that the manifest at hand has and `made`, what admission made of it, hasn't: an
 * API server drops them, as a feature gate is off. The first hundred. */
void jr_findings_dropped(struct jr_checking *c, const struct jr_schema_type *schema,
                         const struct jr_node *made);
/** Fields of the Pod template at `template` that are not validated. */
void jr_findings_unvalidated(struct jr_checking *c, const struct jr_field_path *template);

#endif
