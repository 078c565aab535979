/* SPDX-License-Identifier: Apache-2.0 */
/* A scene of JobPolicies, and reviews of Jobs that they are asked about. */
#ifndef JR_UNIT_WEBHOOK_POLICY_SCENE_H
#define JR_UNIT_WEBHOOK_POLICY_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/policy/load.h"
#include "tests/unit/webhook/ask.h"

/* As the validating side sees a create. */
#define UID "8d1f6c1e-0b6a-4a53-9c1d-2f7a90b1c0de"
#define STORED(SPEC) STORED_META("", SPEC)
#define STORED_META(META, SPEC)                                                                   \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\","                \
    "\"namespace\":\"ns\",\"uid\":\"" UID "\"" META "},\"spec\":{" SPEC                           \
    "\"selector\":{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"" UID "\"}},"        \
    "\"template\":{\"metadata\":{\"labels\":{\"batch.kubernetes.io/controller-uid\":\"" UID "\"," \
    "\"batch.kubernetes.io/job-name\":\"pi\",\"controller-uid\":\"" UID "\","                     \
    "\"job-name\":\"pi\"}},\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{"               \
    "\"name\":\"c\",\"image\":\"i:1\"}]}}}}"

#define HEAD "apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\n"
/** Policies as the server has them. */
struct scene {
    struct jr_policy_loading loading;
    struct jr_policy_set set;
    struct jr_review_policies policies;
    struct jr_profiles profiles;
    struct jr_review_settings settings;
};

static inline void scene_init(struct scene *s, const char *yaml)
{
    const struct jr_profile described = jr_profile_default();

    jr_policy_loading_init(&s->loading, (struct jr_time){ 1 });
    assert_int_equal(jr_policy_load(&s->loading, JR_S("p.yaml"), jr_str(yaml)), JR_OK);
    assert_int_equal(jr_policy_loaded(&s->loading, &s->set), JR_OK);
    for (size_t i = 0; i < s->loading.n_problems; i++) {
        if (!s->loading.problems[i].warning)
            fail_msg("%.*s", JR_P(s->loading.problems[i].message));
    }
    s->policies = (struct jr_review_policies){ .set = &s->set, .findings_cost = 65536 };
    s->profiles = jr_profiles_of(&described);
    s->settings = (struct jr_review_settings){ .profiles = &s->profiles,
                                               .controller_name = ASK_CONTROLLER,
                                               .policies = &s->policies };
    assert_int_equal(jr_time_parse(JR_S("2026-06-01T00:00:00Z"), &s->settings.now), JR_OK);
}

static inline void scene_done(struct scene *s)
{
    jr_policy_loading_done(&s->loading);
}
#define SCENE JR_CLEANUP(scene_done) struct scene
#define ANSWER JR_CLEANUP(answer_done) struct answer

static inline void ask_pieces(const struct scene *s, enum jr_endpoint e, const struct pieces *p,
                              struct answer *ret)
{
    JR_FREE char *body = review_of(p);

    ask_by(e, jr_str(body), &s->settings, ret);
}

static inline void ask_create(const struct scene *s, enum jr_endpoint e, const char *object,
                              struct answer *ret)
{
    JR_FREE char *body = create_review(e, object, false);

    ask_by(e, jr_str(body), &s->settings, ret);
}

/** The audit annotation, and its text as it is expected; NULL: there is none. */
static inline void want_note(const struct answer *a, const char *key, const char *text)
{
    const struct jr_str is = jr_get_str(jr_get(a->response, "auditAnnotations"), key);

    if (text == NULL)
        assert_null(is.p);
    else if (!jr_str_is(is, text))
        fail_msg("%s: %.*s", key, JR_P(is));
}

#endif
