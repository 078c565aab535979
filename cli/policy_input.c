/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JobPolicies, Namespaces and their labels from files and flags. */
#include "cli/policy_input.h"

#include <stdio.h>

#include "cli/manifest_file.h"
#include "cli/stream.h"
#include "common/base/memory.h"
#include "common/base/show.h"

#define FLAG "--policy"
#define LABELS_FLAG "--namespace-labels"
#define POD_SECURITY_FLAG "--pod-security"
#define POD_SECURITY_NAME "flag.pod-security"

/* ---- namespaces ---- */

static struct jr_cli_namespace *need_namespace(struct jr_cli_policies *p, struct jr_str name)
{
    for (size_t i = 0; i < p->n_namespaces; i++) {
        if (jr_str_eq(p->namespaces[i].name, name))
            return &p->namespaces[i];
    }
    p->namespaces =
        jr_xvec_room(p->namespaces, p->n_namespaces, &p->cap_namespaces, sizeof(*p->namespaces));
    p->namespaces[p->n_namespaces] =
        (struct jr_cli_namespace){ .name = jr_xarena_str(&p->loading.arena, name) };
    return &p->namespaces[p->n_namespaces++];
}

/** One more, or another value. */
static void set_label(struct jr_cli_policies *p, struct jr_cli_namespace *n, struct jr_str key,
                      struct jr_str value)
{
    struct jr_arena *arena = &p->loading.arena;
    struct jr_label *v = jr_xarena_calloc(arena, n->labels.n + 1, sizeof(*v));
    size_t at = 0;

    if (n->labels.n > 0)
        memcpy(v, n->labels.v, n->labels.n * sizeof(*v));
    while (at < n->labels.n && !jr_str_eq(v[at].key, key))
        at++;
    v[at] = (struct jr_label){ jr_xarena_str(arena, key), jr_xarena_str(arena, value) };
    n->labels.n += at == n->labels.n;
    n->labels.v = v;
}

/** Sets what an API server sets in each Namespace, whatever the manifest says. */
static void set_name(struct jr_cli_policies *p, struct jr_cli_namespace *n)
{
    set_label(p, n, JR_S("kubernetes.io/metadata.name"), n->name);
}

void jr_cli_policies_label(struct jr_cli_policies *p, struct jr_str namespace,
                           const struct jr_node *labels)
{
    struct jr_cli_namespace *n = need_namespace(p, namespace);

    n->labels = (struct jr_labels){ NULL, 0 };
    for (const struct jr_node *l = jr_first(labels); l != NULL; l = jr_next(l))
        set_label(p, n, jr_key(l), jr_node_str(l));
    set_name(p, n);
}

void jr_cli_policies_learn(struct jr_cli_policies *p, const struct jr_node *object)
{
    const struct jr_node *meta = jr_get(object, "metadata");
    const struct jr_str name = jr_get_str(meta, "name");

    if (p->given && jr_str_is(jr_get_str(object, "kind"), "Namespace") &&
        jr_str_is(jr_get_str(object, "apiVersion"), "v1") && name.n > 0)
        jr_cli_policies_label(p, name, jr_get(meta, "labels"));
}

/** NAMESPACE:KEY=VALUE, or NAMESPACE: */
static enum jr_status read_label(struct jr_cli_policies *p, struct jr_str text,
                                 struct jr_error *err)
{
    struct jr_str rest = text, name, key;
    struct jr_cli_namespace *n;

    if (jr_str_find(text, ':') <= 0 || !jr_str_cut(&rest, ':', &name) ||
        (rest.n > 0 && jr_str_find(rest, '=') <= 0))
        return jr_fail(err, JR_USAGE, LABELS_FLAG, "expected NAMESPACE:KEY=VALUE, not \"%.*s\"",
                       JR_P(text));
    n = need_namespace(p, name);
    if (rest.n > 0 && jr_str_cut(&rest, '=', &key))
        set_label(p, n, key, rest);
    set_name(p, n);
    return JR_OK;
}

/* ---- files ---- */

struct reading {
    struct jr_cli_policies *p;
    struct jr_error *err;
    enum jr_status failed;
};

static enum jr_status learn(void *ctx, const struct jr_manifest *m, struct jr_error *err)
{
    (void)err;
    jr_cli_policies_learn(ctx, m->node);
    return JR_OK;
}

enum jr_status jr_cli_policies_learn_text(struct jr_cli_policies *p, struct jr_str text)
{
    const struct jr_yaml_limits limits = { .max_bytes = JR_STREAM_MAX_BYTES, .dup = JR_DUP_LAST };
    const struct jr_stream_sink sink = { .object = learn, .ctx = p };

    return jr_stream_read(text, &limits, &sink, NULL);
}

enum jr_status jr_cli_policies_add(struct jr_cli_policies *p, const char *path,
                                   struct jr_error *err)
{
    JR_BUF text = { 0 };
    enum jr_status st;

    jr_buf_init(&text, JR_STREAM_MAX_BYTES);
    st = jr_input_read(path, &text, err);
    if (st != JR_OK)
        return st;
    jr_must(jr_policy_load(&p->loading, jr_str(path), jr_buf_str(&text)));
    /* What can't be read is told of by the loading. */
    st = jr_cli_policies_learn_text(p, jr_buf_str(&text));
    return st == JR_IO ? st : JR_OK;
}

static void read_file(void *ctx, const char *path)
{
    struct reading *r = ctx;

    if (r->failed == JR_OK)
        r->failed = jr_cli_policies_add(r->p, path, r->err);
}

static void add_fault(void *ctx, const char *path, const char *why)
{
    struct reading *r = ctx;

    if (r->failed == JR_OK)
        r->failed = jr_fail(r->err, JR_IO, path, "%s", why);
}

static void show_problems(const struct jr_policy_loading *l, bool quiet, struct jr_buf *out)
{
    for (size_t i = 0; i < l->n_problems; i++) {
        JR_BUF text = { 0 };

        if (quiet && l->problems[i].warning)
            continue;
        jr_buf_init(&text, JR_BUF_BY_INPUT);
        jr_policy_problem_write(&l->problems[i], &text);
        jr_must(text.failed);
        (void)jr_buf_adds(out, l->problems[i].warning ? "warning: " : "");
        jr_show(jr_buf_str(&text), out);
        (void)jr_buf_addc(out, '\n');
    }
}

void jr_cli_policies_begin(struct jr_cli_policies *p, struct jr_time now)
{
    jr_policy_loading_init(&p->loading, now);
    p->loading.passes_over = true;
    p->loading.strict = p->strict;
    p->given = true;
    p->trusted.v = jr_xarena_calloc(&p->loading.arena, 1, sizeof(*p->trusted.v));
    p->trusted.v[p->trusted.n++] = JR_S(JR_POLICY_TRUSTED_CONTROLLERS);
}

enum jr_status jr_cli_policies_end(struct jr_cli_policies *p, struct jr_buf *problems,
                                   struct jr_error *err)
{
    jr_must(jr_policy_loaded(&p->loading, &p->set));
    show_problems(&p->loading, p->quiet, problems);
    if (p->loading.errors > 0)
        return jr_fail(err, JR_INVALID, NULL, "%zu error%s in the policies", p->loading.errors,
                       p->loading.errors == 1 ? "" : "s");
    if (p->set.n == 0)
        return jr_fail(err, JR_INVALID, NULL, "expected JobPolicies, there is none");
    return JR_OK;
}

static enum jr_status read_files(struct jr_cli_policies *p, const struct jr_flag_list *files,
                                 struct jr_error *err)
{
    struct reading r = { p, err, JR_OK };
    const struct jr_files_sink sink = { read_file, add_fault, &r };
    JR_BUF problems = { 0 };

    for (size_t i = 0; i < files->n && r.failed == JR_OK; i++) {
        JR_FREE char *path = jr_xstrndup(files->v[i]);

        jr_files_walk(path, &sink);
    }
    if (r.failed != JR_OK)
        return r.failed;
    jr_buf_init(&problems, JR_BUF_BY_INPUT);
    r.failed = jr_cli_policies_end(p, &problems, err);
    (void)jr_buf_print(&problems, stderr);
    if (r.failed != JR_OK)
        jr_error_in(err, FLAG);
    return r.failed;
}

static struct jr_strs copy_list(struct jr_cli_policies *p, const struct jr_flag_list *l)
{
    struct jr_strs copy = { jr_xarena_calloc(&p->loading.arena, l->n, sizeof(*copy.v)), 0 };

    for (; copy.n < l->n; copy.n++)
        copy.v[copy.n] = l->v[copy.n];
    return copy;
}

/** Adds a policy that says what the flag says. */
static enum jr_status add_pod_security(struct jr_cli_policies *p, const char *flag,
                                       struct jr_error *err)
{
    struct jr_str version = jr_str(flag), level = { NULL, 0 };
    struct jr_pod_security s = { JR_POD_PRIVILEGED, JR_POD_SECURITY_LATEST };
    JR_BUF text = { 0 };
    bool is_namespace;

    (void)jr_str_cut(&version, ':', &level);
    is_namespace = jr_str_is(level, "Namespace");
    if ((!is_namespace &&
         (!jr_pod_security_level_read(level, &s.level) || s.level == JR_POD_PRIVILEGED)) ||
        (version.n > 0 && (is_namespace || !jr_pod_security_version_read(version, &s.minor))))
        return jr_fail(err, JR_USAGE, POD_SECURITY_FLAG,
                       "expected baseline, restricted or Namespace, and of the first two a version "
                       "as restricted:v1.36, not \"%s\"",
                       flag);
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_must(jr_buf_addf(&text,
                        "{apiVersion: " JR_POLICY_API_VERSION ", kind: " JR_POLICY_KIND
                        ", metadata: {name: " POD_SECURITY_NAME
                        "}, spec: {podSecurity: {level: %.*s%s%.*s}}}",
                        JR_P(level), version.n > 0 ? ", version: " : "", JR_P(version)));
    jr_must(jr_policy_load(&p->loading, JR_S(POD_SECURITY_FLAG), jr_buf_str(&text)));
    return JR_OK;
}

static bool is_given(const char *flag)
{
    return flag != NULL && *flag != '\0';
}

enum jr_status jr_cli_policies_read(struct jr_cli_policies *p, const struct jr_policy_flags *flags,
                                    struct jr_time now, struct jr_error *err)
{
    const bool others = flags->namespace_labels.n > 0 || is_given(flags->now);
    enum jr_status st = JR_OK;

    if (flags->files.n == 0 && !is_given(flags->pod_security))
        return others ? jr_fail(err, JR_USAGE, FLAG, "expected beside --namespace-labels and --now")
                      : JR_OK;
    if (is_given(flags->now) && jr_time_parse(jr_str(flags->now), &now) != JR_OK)
        return jr_fail(err, JR_USAGE, "--now",
                       "expected a time as 2026-12-31T00:00:00Z, not \"%s\"", flags->now);
    jr_cli_policies_begin(p, now);
    p->trusted = copy_list(p, &flags->trusted);
    if (is_given(flags->pod_security))
        st = add_pod_security(p, flags->pod_security, err);
    if (st == JR_OK)
        st = read_files(p, &flags->files, err);
    for (size_t i = 0; i < flags->namespace_labels.n && st == JR_OK; i++)
        st = read_label(p, flags->namespace_labels.v[i], err);
    return st;
}

void jr_cli_policies_done(struct jr_cli_policies *p)
{
    if (p->given)
        jr_policy_loading_done(&p->loading);
    free(p->namespaces);
}

const struct jr_policy_context *jr_cli_policies_context(const struct jr_cli_policies *p,
                                                        struct jr_str namespace,
                                                        struct jr_policy_context *ret)
{
    if (p == NULL || !p->given)
        return NULL;
    *ret = (struct jr_policy_context){
        .set = &p->set,
        .namespace = namespace.n == 0 ? JR_S("default") : namespace,
        .offline = true,
        .now = p->loading.now,
        .controller = JR_S(JR_CLI_CONTROLLER),
        .trusted = p->trusted,
    };
    for (size_t i = 0; i < p->n_namespaces; i++) {
        if (jr_str_eq(p->namespaces[i].name, ret->namespace)) {
            ret->namespace_known = true;
            ret->namespace_labels = p->namespaces[i].labels;
        }
    }
    return ret;
}
