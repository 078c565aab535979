/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/job_gen_scheduling.h"

static const char *policy(struct jr_making *m)
{
    static const char *const odd[] = { "{}",
                                       "{\"basic\":{},\"gang\":{}}",
                                       "{\"gang\":{\"minCount\":0}}",
                                       "{\"gang\":{\"minCount\":1}}",
                                       "{\"gang\":{\"minCount\":2}}",
                                       "{\"gang\":{\"minCount\":-3}}",
                                       "{\"gang\":{\"minCount\":2147483647}}",
                                       "null" };

    if (jr_make_wrong(m))
        return PICK(m, odd);
    if (jr_make_percent(m, 30))
        return "{\"basic\":{}}";
    return "{\"gang\":{}}"; /* a minCount may be above the parallelism */
}

static const char *constraints(struct jr_making *m)
{
    static const char *const odd[] = { "{}", "{\"topology\":[]}", "{\"topology\":[{\"key\":\"\"}]}",
                                       "{\"topology\":[{\"key\":\"a b\"}]}",
                                       "{\"topology\":[{\"key\":\"a\"},{\"key\":\"a\"}]}" };

    return jr_make_wrong(m) ? PICK(m, odd)
                            : "{\"topology\":[{\"key\":\"topology.kubernetes.io/rack\"}]}";
}

static const char *disruption(struct jr_making *m)
{
    static const char *const odd[] = { "{}", "{\"single\":{},\"all\":{}}", "{\"all\":{}}", "null" };

    return jr_make_wrong(m) ? PICK(m, odd) : "{\"single\":{}}";
}

static const char *claim(struct jr_making *m, size_t i)
{
    static const char *const odd[] = { "", "a", "A", "a.b", "-" };
    struct jr_made o = { .n = 0 };

    jr_make_put_str(m, &o, "name", jr_make_wrong(m) ? PICK(m, odd) : TEXT(m, "c%d", (int)i));
    if (jr_make_percent(m, 50) != jr_make_wrong(m))
        jr_make_put_str(m, &o, "resourceClaimName", jr_make_wrong(m) ? PICK(m, odd) : "claim");
    if (o.n == 1 || jr_make_wrong(m))
        jr_make_put_str(m, &o, "resourceClaimTemplateName",
                        jr_make_wrong(m) ? PICK(m, odd) : "t.x");
    return jr_make_text(m, &o, false);
}

const char *jr_gen_scheduling(struct jr_making *m)
{
    struct jr_made o = { .n = 0 };

    if (jr_make_percent(m, 70))
        jr_make_put(m, &o, "schedulingPolicy", policy(m));
    if (jr_make_percent(m, 30))
        jr_make_put(m, &o, "schedulingConstraints", constraints(m));
    if (jr_make_percent(m, 30))
        jr_make_put(m, &o, "disruptionMode", disruption(m));
    if (jr_make_percent(m, 30))
        jr_make_put(m, &o, "resourceClaims",
                    jr_make_list(m,
                                 jr_make_wrong(m) ? jr_make_below(m, 7) : 1 + jr_make_below(m, 3),
                                 claim));
    return jr_make_text(m, &o, false);
}
