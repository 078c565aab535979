/* SPDX-License-Identifier: Apache-2.0 */
/* kubectl apply: where a manifest goes, and what it comes to beside the object that is stored. */
#ifndef JR_CLI_APPLY_H
#define JR_CLI_APPLY_H

#include "cli/stream.h"
#include "common/admission/admission.h"
#include "common/base/flags_check.h"
#include "common/rules/names.h"

/** The row of a flag table for -n; `member` of `struct config` is a const char *, which
 * jr_flags_check() sees. */
#define JR_NAMESPACE_FLAG_ROW(config, member)                                               \
    {                                                                                       \
        .name = "namespace", .letter = 'n', .type = JR_FLAG_STR,                            \
        .offset = offsetof(config, member), .check = jr_name_check_namespace,               \
        .help = "The `namespace` of objects that name none, as with kubectl; else default." \
    }

/** Puts a Job or CronJob that names no namespace into that one; NULL: leaves it. */
void jr_cli_set_namespace(const struct jr_manifest *m, const char *namespace);

/** Admits as jr_admit does. On update a manifest (no uid, no resourceVersion) becomes beforehand
 * the object that `kubectl apply` would have the API server store over r->old: the manifest changes
 * what it says and what was said before, and nothing else. Before was the annotation
 * kubectl.kubernetes.io/last-applied-configuration of r->old or, where r->old is a manifest without
 * it, r->old itself, which becomes what a server stores of it. Without either nothing is removed,
 * as kubectl does it after a warning. A manifest with an element without its merge key, which
 * kubectl refuses, stays as it is written, and is refused for that. */
enum jr_status jr_cli_admit(const struct jr_admission_request *r, struct jr_admission_result *ret,
                            struct jr_error *err) JR_MUST_USE;

#endif
