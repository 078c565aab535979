/* SPDX-License-Identifier: Apache-2.0 */
/* Reading YAML: what a document in the making consists of, its anchors and scalars. */
#ifndef JR_JSON_YAML_READER_H
#define JR_JSON_YAML_READER_H

#include <yaml.h>

#include "common/json/positions.h"
#include "common/json/tree.h"
#include "common/json/yaml_scalar.h"

struct jr_yaml_anchor {
    uint64_t hash;
    char *name;
    cJSON *tree; /* NULL: still being read */
};

/* A member of a mapping that is still open. */
struct jr_yaml_entry {
    cJSON *node;
    size_t order;
    yaml_mark_t mark;
    enum jr_scalar_kind kind; /* of the key: numbers one, booleans one */
    bool merged;              /* by "<<" */
};

struct jr_yaml_reader {
    yaml_parser_t parser;
    struct jr_yaml_limits limits;
    struct jr_error *err;
    struct jr_positions *pos; /* NULL while what is read has no place of its own */
    struct jr_yaml_anchor *anchors;
    size_t n_anchors;
    size_t cap_anchors;
    struct jr_yaml_entry *entries; /* of all open mappings, outermost first */
    size_t n_entries;
    size_t cap_entries;
    cJSON *kept;         /* what is in the tree no more, but may have an anchor; by `next` */
    size_t nodes;        /* of the document */
    size_t copied;       /* bytes of text that aliases have repeated in the stream */
    size_t copied_nodes; /* values likewise */
    struct jr_str text;
    size_t source_at;    /* the place of the last mark that was looked up, */
    size_t source_index; /* and how many characters are before */
    bool template;       /* "{{" is in the text */
    bool slashes;        /* "\/" is in it */
};

static inline struct jr_str jr_yaml_name(const yaml_char_t *name)
{
    return jr_str((const char *)name);
}

/* A scalar as it is written. */
static inline struct jr_str jr_yaml_text(const yaml_event_t *ev)
{
    return (struct jr_str){ (const char *)ev->data.scalar.value, ev->data.scalar.length };
}

/** Fails with "line 3, column 7: ...". */
enum jr_status jr_yaml_fail(struct jr_yaml_reader *r, yaml_mark_t mark, enum jr_status st,
                            const char *fmt, ...) JR_PRINTF(4, 5);
enum jr_status jr_yaml_no_memory(struct jr_yaml_reader *r);
/** Takes t over until the document's end. */
void jr_yaml_keep(struct jr_yaml_reader *r, cJSON *t);
/** Ends a document: anchors, entries, what was kept. */
void jr_yaml_forget(struct jr_yaml_reader *r);
/** Counts new values; JR_LIMIT. */
enum jr_status jr_yaml_count(struct jr_yaml_reader *r, yaml_mark_t mark, size_t nodes);

/** Counts what an alias repeats, over all documents of the stream; JR_LIMIT. */
enum jr_status jr_yaml_count_copy(struct jr_yaml_reader *r, yaml_mark_t mark,
                                  struct jr_tree_size size);

/** Registers an anchor, if there is one (name NULL: none); *ret is its number, or SIZE_MAX. */
enum jr_status jr_yaml_add_anchor(struct jr_yaml_reader *r, yaml_mark_t mark,
                                  const yaml_char_t *name, size_t *ret);
/** Says what an anchor stands for, once that is whole. */
void jr_yaml_set_anchor(struct jr_yaml_reader *r, size_t anchor, cJSON *t);
/** What the alias in ev stands for; borrowed. */
enum jr_status jr_yaml_find_anchor(struct jr_yaml_reader *r, const yaml_event_t *ev,
                                   const cJSON **ret);
/** A deep copy of what is there already, counted. */
enum jr_status jr_yaml_copy(struct jr_yaml_reader *r, yaml_mark_t mark, const cJSON *src,
                            unsigned depth, cJSON **ret);
/** The value of an alias. */
enum jr_status jr_yaml_alias(struct jr_yaml_reader *r, const yaml_event_t *ev, unsigned depth,
                             cJSON **ret);

/** Takes away the byte order marks that documents begin with: the text is in *copy then, if there
 * are any but the first. False without memory. */
bool jr_yaml_drop_marks(struct jr_str *text, char **copy);
/** Looks for separators that kubectl doesn't take, and too many directives. Errors: JR_SYNTAX,
 * JR_LIMIT. */
enum jr_status jr_yaml_check_lines(struct jr_str text, struct jr_error *err) JR_MUST_USE;
/** Where the value itself begins, behind its anchor and tag. */
yaml_mark_t jr_yaml_value_mark(struct jr_yaml_reader *r, const yaml_event_t *ev);
/** Refuses an escape that Go's reader doesn't know. Errors: JR_SYNTAX. */
enum jr_status jr_yaml_check_escapes(struct jr_yaml_reader *r, const yaml_event_t *ev) JR_MUST_USE;
/** Makes a scalar that is !!binary the text that it stands for. Errors: JR_INVALID, JR_NOMEM. */
enum jr_status jr_yaml_decode_binary(struct jr_yaml_reader *r, yaml_event_t *ev) JR_MUST_USE;

/** What the scalar in ev is. */
enum jr_status jr_yaml_resolve(struct jr_yaml_reader *r, const yaml_event_t *ev,
                               struct jr_scalar *ret);
/** The scalar in ev as a node, neither counted nor anchored. */
enum jr_status jr_yaml_new_scalar(struct jr_yaml_reader *r, const yaml_event_t *ev, cJSON **ret);
/** As jr_yaml_new_scalar, counted and anchored. */
enum jr_status jr_yaml_scalar(struct jr_yaml_reader *r, const yaml_event_t *ev, cJSON **ret);

#endif
