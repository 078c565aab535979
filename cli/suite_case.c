/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a case of a suite through admission, and compares the result with what the case expects. */
#include "cli/suite_case.h"

#include "cli/apply.h"
#include "cli/version_list.h"
#include "common/base/memory.h"

#define VALUE_SHOWN ((size_t)200)

struct comparing {
    const struct jr_suite_case *c;
    const struct jr_admission_result *result;
    struct jr_arena *arena;
    struct jr_strs came; /* messages */
    struct jr_buf *faults;
};

static void begin_fault(struct comparing *k)
{
    if (k->faults->n > 0)
        (void)jr_buf_adds(k->faults, "; ");
}

/* ---- messages ---- */

static void add_message(struct comparing *k, struct jr_str text)
{
    k->came.v[k->came.n++] = jr_xarena_str(k->arena, text);
}

static void add_violations(struct comparing *k)
{
    for (size_t i = 0; i < k->result->errs.n; i++) {
        const struct jr_field_error *e = &k->result->errs.v[i];
        JR_BUF text = { 0 };

        jr_buf_init(&text, JR_BUF_BY_INPUT);
        (void)jr_buf_addf(&text, "%.*s: ", JR_P(e->field));
        jr_must(jr_field_error_write(e, &text));
        add_message(k, jr_buf_str(&text));
    }
}

/** Of what is denied the denials, else the warnings: a server sends no others. */
static void add_findings(struct comparing *k)
{
    const bool denied = k->result->denied_by_policy;

    for (size_t i = 0; i < k->result->policies.n; i++) {
        const struct jr_policy_finding *f = &k->result->policies.v[i];
        struct jr_str text;

        if (!(denied ? f->denies : f->warns))
            continue;
        jr_must(jr_policy_finding_text(f, k->arena, &text));
        add_message(k, text);
    }
}

static void gather_messages(struct comparing *k)
{
    const size_t n = k->result->errs.n + k->result->policies.n + 1;

    k->came.v = jr_xarena_calloc(k->arena, n, sizeof(*k->came.v));
    if (k->result->refused)
        add_message(k, k->result->status.message);
    else if (k->result->errs.n > 0)
        add_violations(k);
    else
        add_findings(k);
}

static void show_messages(const struct comparing *k, const char *before)
{
    for (size_t i = 0; i < k->came.n; i++) {
        (void)jr_buf_adds(k->faults, i == 0 ? before : "; ");
        (void)jr_buf_add(k->faults, k->came.v[i]);
    }
}

/** In any order; a text that is there twice must come twice. */
static void compare_messages(struct comparing *k)
{
    const struct jr_strs *want = &k->c->messages;
    bool *used = jr_xarena_calloc(k->arena, k->came.n, sizeof(*used));

    for (size_t i = 0; i < want->n; i++) {
        size_t at = 0;

        while (at < k->came.n && (used[at] || !jr_str_eq(want->v[i], k->came.v[at])))
            at++;
        if (at < k->came.n) {
            used[at] = true;
            continue;
        }
        begin_fault(k);
        (void)jr_buf_addf(k->faults, "expected the message: %.*s", JR_P(want->v[i]));
    }
    for (size_t at = 0; at < k->came.n; at++) {
        if (used[at])
            continue;
        begin_fault(k);
        (void)jr_buf_addf(k->faults, "came, not expected: %.*s", JR_P(k->came.v[at]));
    }
}

/* ---- the outcome ---- */

static enum jr_suite_outcome outcome_of(const struct jr_admission_result *result)
{
    if (jr_admission_denied(result))
        return JR_OUTCOME_DENIED;
    return result->policy_warnings > 0 ? JR_OUTCOME_WARNED : JR_OUTCOME_ALLOWED;
}

static void compare_outcome(struct comparing *k)
{
    const enum jr_suite_outcome came = outcome_of(k->result);
    const char *expected = jr_suite_outcomes[k->c->outcome];
    const bool undecided = k->result->policies.n_undecided > 0;

    if (undecided || (came == JR_OUTCOME_DENIED && !k->result->denied_by_policy &&
                      (k->c->outcome != came || !k->c->has_messages))) {
        begin_fault(k);
        (void)jr_buf_addf(k->faults, "expected %s by policies, came %s", expected,
                          undecided ? "no decision (namespaces has labels of Namespaces)"
                                    : "a refusal by the API server's own rules");
        show_messages(k, ": ");
    } else if (came != k->c->outcome) {
        begin_fault(k);
        (void)jr_buf_addf(k->faults, "expected %s, came %s", expected, jr_suite_outcomes[came]);
        show_messages(k, ": ");
    } else if (k->c->has_messages) {
        compare_messages(k);
    }
}

/* ---- defaults ---- */

static void add_value(struct comparing *k, const struct jr_node *n)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_must(jr_node_print(n, &text));
    (void)jr_buf_add(k->faults, jr_field_shown(jr_buf_str(&text), VALUE_SHOWN));
}

static void add_difference(struct comparing *k, const struct jr_node *want,
                           const struct jr_node *have, const struct jr_field_path *path)
{
    begin_fault(k);
    (void)jr_buf_addf(k->faults, "%.*s: expected ", JR_P(jr_field_path_text(path, k->arena)));
    add_value(k, want);
    if (have == NULL) {
        (void)jr_buf_adds(k->faults, ", is absent");
        return;
    }
    (void)jr_buf_adds(k->faults, ", came ");
    add_value(k, have);
}

static void compare_value(struct comparing *k, const struct jr_node *want,
                          const struct jr_node *have, const struct jr_field_path *path)
{
    const enum jr_kind kind = jr_node_kind(want);
    size_t i = 0;

    if (kind == JR_OBJECT && jr_node_kind(have) == JR_OBJECT) {
        for (const struct jr_node *n = jr_first(want); n != NULL; n = jr_next(n)) {
            const struct jr_str key = jr_key(n);
            const struct jr_field_path at = { .parent = path, .name = key };

            compare_value(k, n, jr_getn(have, key), &at);
        }
    } else if (kind == JR_ARRAY && jr_node_kind(have) == JR_ARRAY &&
               jr_size(want) == jr_size(have)) {
        const struct jr_node *h = jr_first(have);

        for (const struct jr_node *n = jr_first(want); n != NULL; n = jr_next(n), h = jr_next(h))
            compare_value(k, n, h, &JR_FIELD_AT(path, i++));
    } else if (have == NULL || !jr_node_equal(want, have)) {
        add_difference(k, want, have, path);
    }
}

/* ---- the case ---- */

static void add_error(struct jr_buf *faults, struct jr_error *err, enum jr_status st)
{
    char text[sizeof(err->path) + sizeof(err->msg) + 8];

    if (st == JR_INVALID)
        jr_error_in(err, "the old object");
    (void)jr_buf_adds(faults, jr_error_text(err, text, sizeof(text)));
}

void jr_suite_case_run(const struct jr_suite_case *c, struct jr_cli_policies *policies,
                       struct jr_arena *arena, struct jr_buf *faults, struct jr_suite_came *ret)
{
    const struct jr_profile profile = jr_profile_newest();
    struct jr_node *object = jr_doc_root(c->object);
    struct jr_error err = { .status = JR_OK };
    struct jr_admission_request r = {
        .kind = c->kind,
        .operation = c->old == NULL ? JR_ADMISSION_CREATE : JR_ADMISSION_UPDATE,
        .source = JR_ADMISSION_MANIFEST,
        .profile = &profile,
        .object = object,
        .old = c->old == NULL ? NULL : jr_doc_root(c->old),
        .uid = JR_S(JR_ADMISSION_UID),
    };
    struct comparing k = { .c = c, .result = &ret->result, .arena = arena, .faults = faults };
    enum jr_status st;

    r.policies = jr_cli_policies_context(
        policies, jr_get_str(jr_get(object, "metadata"), "namespace"), &ret->context);
    ret->context.by_queue = c->by_queue;
    jr_admission_result_init(&ret->result, arena);
    st = jr_need(jr_cli_admit(&r, &ret->result, &err));
    if (st != JR_OK) {
        add_error(faults, &err, st);
        return;
    }
    gather_messages(&k);
    compare_outcome(&k);
    if (c->defaulted != NULL)
        compare_value(&k, c->defaulted, object, NULL);
    jr_must(faults->failed);
}
