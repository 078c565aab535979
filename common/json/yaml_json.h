/* SPDX-License-Identifier: Apache-2.0 */
/* JSON where YAML may stand: one value after another, read by the strict reader. libyaml would take
 * most of it, but not tabs, and not as strictly. */
#ifndef JR_JSON_YAML_JSON_H
#define JR_JSON_YAML_JSON_H

#include "common/json/yaml.h"

struct jr_yaml_sink {
    enum jr_status (*fn)(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                         struct jr_error *err);
    void *ctx;
};

bool jr_yaml_looks_json(struct jr_str text);
/** Whether all of text is JSON values; *ret_at: how far it is. Errors: JR_SYNTAX, JR_LIMIT. */
enum jr_status jr_yaml_check_json(struct jr_str text, const struct jr_yaml_limits *limits,
                                  size_t *ret_at, struct jr_error *err) JR_MUST_USE;
/** Reads what passed jr_yaml_check_json. */
enum jr_status jr_yaml_read_json(struct jr_str text, const struct jr_yaml_limits *limits,
                                 const struct jr_yaml_sink *sink, struct jr_error *err) JR_MUST_USE;

#endif
