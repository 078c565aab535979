/* SPDX-License-Identifier: Apache-2.0 */
/* "VERSION NL TEMPLATE": a Pod template that nobody validated, by both levels. What violates
 * baseline violates restricted, and texts are bounded. */
#include <stdlib.h>

#include "common/podsecurity/pod_security.h"
#include "tests/fuzz/fuzz.h"

static size_t check(enum jr_pod_security_level level, unsigned minor,
                    const struct jr_node *template, struct jr_arena *arena)
{
    const struct jr_pod_security s = { level, minor };
    struct jr_pod_security_faults faults;

    MUST(jr_pod_security_check(&s, template, arena, &faults) == JR_OK);
    MUST(faults.n <= JR_POD_SECURITY_FAULTS);
    for (size_t i = 0; i < faults.n; i++) {
        MUST(faults.v[i].check != NULL && faults.v[i].reason.n > 0 && faults.v[i].detail.n > 0);
        MUST(faults.v[i].detail.n <= JR_POD_SECURITY_DETAIL_MAX);
    }
    return faults.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str text = view_of(data, size), version;
    struct jr_doc *doc = NULL;
    unsigned minor;
    JR_ARENA arena = { 0 };

    if (!jr_str_cut(&text, '\n', &version) || !jr_pod_security_version_read(version, &minor) ||
        jr_doc_parse(text, &JR_READER_STRICT, &doc, NULL) != JR_OK)
        return 0;
    DOC *own = doc;
    jr_arena_init(&arena, 0);
    MUST(check(JR_POD_PRIVILEGED, minor, jr_doc_root_const(own), &arena) == 0);
    /* On Windows restricted has no checks in place of two of baseline's, upstream too. */
    if (check(JR_POD_BASELINE, minor, jr_doc_root_const(own), &arena) > 0 &&
        !jr_str_is(jr_get_str(jr_path(jr_doc_root(own), "spec.os"), "name"), "windows"))
        MUST(check(JR_POD_RESTRICTED, minor, jr_doc_root_const(own), &arena) > 0);
    return 0;
}
