/* Turning verdicts into findings with their places in the text, for check.c. Pure. */
#ifndef JR_CLI_FINDINGS_H
#define JR_CLI_FINDINGS_H

#include "cli/check.h"
#include "cli/stream.h"

/** A key that is there twice. */
struct jr_duplicate {
    struct jr_str path; /* in the document */
    size_t item;        /* length of the part that names an item of a List: items[3] */
    size_t order;       /* in the text */
};

/** A text on its way through. */
struct jr_checking {
    struct jr_report *report;
    const struct jr_check_options *options;
    struct jr_str file;
    struct jr_str text;
    size_t *lines; /* offsets of the lines' starts, made when the first is wanted */
    size_t n_lines;
    struct {
        struct jr_duplicate *v; /* of the document, by item; paths are in the report's arena */
        size_t n;
        size_t cap;
    } duplicates;
    const struct jr_stream_object *object; /* at hand */
};

/** Adds a finding at a path of the object at hand; level and texts are f's, place and source line
 * are filled in. Texts are borrowed for the report's life. */
void jr_finding_add(struct jr_checking *c, struct jr_str path, struct jr_finding f);
/** The field errors and warnings of a verdict, or the one of a refusal. */
void jr_findings_of(struct jr_checking *c, const struct jr_judgement *verdict);
/** Length of the part at the front of a path that names an item of a List, maybe of a List in it:
 * items[3].items[0]. */
size_t jr_item_path(struct jr_str path);
/** Fields that are unknown or there twice, the first hundred of each as an API server tells them.
 * *ret_text: what a strict server answers, NULL if there are none. */
void jr_findings_strict(struct jr_checking *c, const struct jr_schema_type *schema,
                        const char **ret_text);
/** Fields of the Pod template at `template` that are not judged. */
void jr_findings_unjudged(struct jr_checking *c, const char *template);

#endif
