/* SPDX-License-Identifier: Apache-2.0 */
/* Policies out of files: what is put in force, and that nothing is where one is wrong. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/policy/watch/policy_files.h"
#include "tests/unit/policy/policy_test.h"

#define HEAD "apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\n"
#define POLICY(name, max) \
    HEAD "metadata: {name: " name "}\nspec:\n  limits:\n    parallelism: {max: " max "}\n"
#define SELECTS(name)                                                      \
    HEAD "metadata: {name: " name                                          \
         "}\nspec:\n  match: {namespaceSelector: {matchLabels: {a: b}}}\n" \
         "  limits:\n    parallelism: {max: 5}\n"

struct world {
    char dir[64];
    char paths[2][80];
    FILE *log_file;
    struct jr_log *log;
    struct jr_policy_store *store;
    struct jr_policy_files *files;
    bool changed;
    struct jr_error err;
};

/** text NULL: there is no such file. */
static void write_file(const struct world *w, size_t i, const char *text)
{
    FILE *f;

    (void)unlink(w->paths[i]);
    if (text == NULL)
        return;
    f = fopen(w->paths[i], "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    struct jr_flag_list list = { .n = 2 };

    if (w == NULL)
        return -1;
    *state = w;
    (void)snprintf(w->dir, sizeof(w->dir), "/tmp/jr-policies-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(w->paths[i], sizeof(w->paths[i]), "%s/%zu.yaml", w->dir, i);
        list.v[i] = jr_str(w->paths[i]);
    }
    w->log_file = tmpfile();
    assert_non_null(w->log_file);
    assert_int_equal(
        jr_log_new(fileno(w->log_file), JR_LOG_DEBUG, JR_LOG_JSON, NULL, &jr_clock_system, &w->log),
        JR_OK);
    w->store = jr_policy_store_new();
    w->files = jr_policy_files_new(&list, w->store, w->log);
    list = (struct jr_flag_list){ 0 }; /* they were copied */
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    jr_policy_files_free(w->files);
    jr_policy_store_free(w->store);
    jr_log_free(w->log);
    (void)fclose(w->log_file);
    write_file(w, 0, NULL);
    write_file(w, 1, NULL);
    (void)rmdir(w->dir);
    free(w);
    return 0;
}

static enum jr_status load(struct world *w)
{
    w->err = (struct jr_error){ 0 };
    return jr_policy_files_load(w->files, jr_time_s(1772366400), &w->changed, &w->err);
}

static void must_load(struct world *w, bool changed)
{
    w->changed = !changed;
    if (load(w) != JR_OK)
        fail_msg("%s: %s", w->err.path, w->err.msg);
    assert_int_equal(w->changed, changed);
}

/** The names of what is in force; a file's policies have no generation. */
#define want(w, names) assert_in_force((w)->store, names)

static int64_t max_of(struct world *w, const char *name)
{
    const struct jr_job_policy *p = jr_policy_store_find(w->store, JR_POLICY_OF_FILE, jr_str(name));

    assert_non_null(p);
    return p->rules.limits.v[0]->max.v;
}

/* ---- loading ---- */

static void test_load(void **state)
{
    struct world *w = *state;

    write_file(w, 0, POLICY("b", "5") "---\n" POLICY("a", "6"));
    write_file(w, 1, POLICY("c", "7"));
    assert_string_equal(jr_policy_files_paths(w->files)[0], w->paths[0]);
    assert_string_equal(jr_policy_files_paths(w->files)[1], w->paths[1]);
    must_load(w, true);
    want(w, "a@0 b@0 c@0");
    assert_int_equal(max_of(w, "b"), 5);
    jr_policy_files_free(w->files);
    w->files = NULL;
    want(w, "a@0 b@0 c@0");
    jr_policy_files_free(NULL);
}

static void test_no_policy_in_it(void **state)
{
    struct world *w = *state;

    write_file(w, 0, "");
    write_file(w, 1, "---\n");
    must_load(w, true);
    want(w, "");
    must_load(w, false);
}

static void test_reload(void **state)
{
    struct world *w = *state;
    SNAPSHOT *before = NULL, *after = NULL;

    write_file(w, 0, POLICY("a", "5") "---\n" POLICY("b", "5"));
    write_file(w, 1, POLICY("c", "5"));
    must_load(w, true);
    before = jr_policy_store_get(w->store);
    write_file(w, 1, POLICY("c", "5")); /* another file, the same text */
    must_load(w, false);
    after = jr_policy_store_get(w->store);
    assert_ptr_equal(before, after);
    write_file(w, 0, POLICY("b", "6") "---\n" POLICY("d", "7"));
    must_load(w, true);
    want(w, "b@0 c@0 d@0");
    assert_int_equal(max_of(w, "b"), 6);
    assert_int_equal(max_of(w, "d"), 7);
    write_file(w, 0, "");
    must_load(w, true);
    want(w, "c@0");
    must_load(w, false);
}

/** A policy may move from one file to another. */
static void test_moved(void **state)
{
    struct world *w = *state;

    write_file(w, 0, POLICY("a", "5") "---\n" POLICY("b", "5"));
    write_file(w, 1, "");
    must_load(w, true);
    write_file(w, 0, POLICY("b", "5"));
    write_file(w, 1, POLICY("a", "6"));
    must_load(w, true);
    want(w, "a@0 b@0");
    assert_int_equal(max_of(w, "a"), 6);
}

static void test_the_api_s_stay(void **state)
{
    struct world *w = *state;

    jr_policy_store_put(w->store, JR_POLICY_OF_API,
                        policy_of("a", 3, "{\"limits\":{\"parallelism\":{\"max\":1}}}"));
    jr_policy_store_publish(w->store);
    write_file(w, 0, POLICY("a", "5"));
    write_file(w, 1, "");
    must_load(w, true);
    want(w, "a@0");
    write_file(w, 0, "");
    must_load(w, true);
    want(w, "a@3");
}

static void test_selects_namespaces(void **state)
{
    struct world *w = *state;

    write_file(w, 0, POLICY("a", "5"));
    write_file(w, 1, "");
    assert_false(jr_policy_files_select_namespaces(w->files));
    must_load(w, true);
    assert_false(jr_policy_files_select_namespaces(w->files));
    write_file(w, 1, SELECTS("s") "---\n" POLICY("t", "5"));
    must_load(w, true);
    assert_true(jr_policy_files_select_namespaces(w->files));
    must_load(w, false);
    assert_true(jr_policy_files_select_namespaces(w->files));
    write_file(w, 0, "{"); /* nothing of it is taken */
    write_file(w, 1, "");
    assert_int_equal(load(w), JR_INVALID);
    assert_true(jr_policy_files_select_namespaces(w->files));
    write_file(w, 0, POLICY("a", "5"));
    must_load(w, true);
    assert_false(jr_policy_files_select_namespaces(w->files));
}

/* ---- what is wrong ---- */

/** All that was logged since; the caller ends the buffer. */
static void logged(struct world *w, struct jr_buf *out)
{
    char part[4096];
    size_t n;

    jr_buf_init(out, SIZE_MAX);
    rewind(w->log_file);
    while ((n = fread(part, 1, sizeof(part), w->log_file)) > 0)
        assert_int_equal(jr_buf_add(out, (struct jr_str){ part, n }), JR_OK);
    assert_int_equal(jr_buf_add(out, (struct jr_str){ "", 1 }), JR_OK);
    assert_int_equal(ftruncate(fileno(w->log_file), 0), 0);
    rewind(w->log_file);
}

struct fault {
    const char *name;
    const char *texts[2];
    size_t in;          /* the file that is wrong */
    const char *log[3]; /* what lines of the log have, behind the file */
};

static const struct fault faults[] = {
    { "a fault in a field",
      { POLICY("a", "-1"), POLICY("c", "6") },
      0,
      { "\"line\":6,\"column\":24,\"policy\":\"a\",\"field\":\"spec.limits.parallelism.max\"" } },
    { "two faults, one behind what is fine",
      { POLICY("a", "6"), POLICY("b", "-1") "---\n" POLICY("c", "6") "---\n" POLICY("d", "-2") },
      1,
      { "\"line\":6,\"column\":24,\"policy\":\"b\"",
        "\"line\":20,\"column\":24,\"policy\":\"d\"" } },
    { "no YAML", { POLICY("a", "6"), "a: [" }, 1, { "\"line\":" } },
    { "something else",
      { "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n", POLICY("a", "6") },
      0,
      { "\"line\":1,\"column\":1," } },
    { "one name in both",
      { POLICY("a", "6"), POLICY("b", "6") "---\n" POLICY("a", "6") },
      1,
      { "\"line\":10,\"column\":18,\"policy\":\"a\",\"field\":\"metadata.name\"" } },
};

static size_t lines_of(const char *text)
{
    size_t n = 0;

    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

static void check_fault(struct world *w, const struct fault *f)
{
    char part[512];
    size_t i = 0;
    JR_BUF log = { 0 };

    write_file(w, 0, f->texts[0]);
    write_file(w, 1, f->texts[1]);
    w->changed = false;
    if (load(w) != JR_INVALID || !w->changed)
        fail_msg("%s is loaded", f->name);
    assert_in_force(w->store, "a@0 b@0");
    assert_int_equal(max_of(w, "a"), 5);
    logged(w, &log);
    for (; i < JR_ARRAY_SIZE(f->log) && f->log[i] != NULL; i++) {
        (void)snprintf(part, sizeof(part), "\"file\":\"%s\",%s", w->paths[f->in], f->log[i]);
        if (strstr(log.p, part) == NULL)
            fail_msg("%s: no %s in\n%s", f->name, part, log.p);
    }
    if (lines_of(log.p) != i || strstr(log.p, "\"level\":\"error\"") == NULL)
        fail_msg("%s: %s", f->name, log.p);
    if (!jr_str_is(jr_str(w->err.path), w->paths[f->in]))
        fail_msg("%s: the error is of \"%s\": %s", f->name, w->err.path, w->err.msg);
}

static void test_faults(void **state)
{
    struct world *w = *state;
    JR_BUF log = { 0 };

    write_file(w, 0, POLICY("a", "5"));
    write_file(w, 1, POLICY("b", "5"));
    must_load(w, true);
    logged(w, &log);
    assert_string_equal(log.p, "");
    for (size_t i = 0; i < JR_ARRAY_SIZE(faults); i++)
        check_fault(w, &faults[i]);
    /* As it was before: that is what is in force. */
    write_file(w, 0, POLICY("a", "5"));
    write_file(w, 1, POLICY("b", "5"));
    must_load(w, false);
    write_file(w, 1, POLICY("c", "5"));
    must_load(w, true);
    want(w, "a@0 c@0");
}

static void test_faults_at_the_start(void **state)
{
    struct world *w = *state;

    write_file(w, 0, POLICY("a", "5"));
    write_file(w, 1, POLICY("b", "-5"));
    assert_int_equal(load(w), JR_INVALID);
    want(w, "");
    assert_int_equal(load(w), JR_INVALID); /* it still is */
    write_file(w, 1, POLICY("b", "5"));
    must_load(w, true);
    want(w, "a@0 b@0");
}

/** What is only worth saying is said, and loaded. */
static void test_warnings(void **state)
{
    struct world *w = *state;
    JR_BUF log = { 0 };

    write_file(w, 0, "");
    write_file(w, 1,
               HEAD "metadata: {name: a}\nspec:\n  defaults: {ttlSecondsAfterFinished: 5}\n"
                    "  limits:\n    parallelism: {max: 5}\n");
    must_load(w, true);
    want(w, "a@0");
    logged(w, &log);
    if (lines_of(log.p) != 1 || strstr(log.p, "\"level\":\"warn\"") == NULL ||
        strstr(log.p, w->paths[1]) == NULL)
        fail_msg("%s", log.p);
}

static void test_unreadable(void **state)
{
    struct world *w = *state;

    write_file(w, 0, POLICY("a", "5"));
    assert_int_equal(load(w), JR_IO);
    assert_string_equal(w->err.path, w->paths[1]);
    want(w, "");
    write_file(w, 1, POLICY("b", "5"));
    must_load(w, true);
    want(w, "a@0 b@0");
    write_file(w, 0, NULL);
    write_file(w, 1, POLICY("c", "5"));
    assert_int_equal(load(w), JR_IO);
    assert_string_equal(w->err.path, w->paths[0]);
    want(w, "a@0 b@0");
    assert_int_equal(mkdir(w->paths[0], 0700), 0);
    assert_int_equal(load(w), JR_IO);
    assert_int_equal(rmdir(w->paths[0]), 0);
    write_file(w, 0, POLICY("a", "5"));
    must_load(w, true);
    want(w, "a@0 c@0");
}

/** Without a log, and without files. */
static void test_nothing(void **state)
{
    struct world *w = *state;
    struct jr_flag_list none = { .n = 0 };
    struct jr_policy_files *f = jr_policy_files_new(&none, w->store, NULL);

    assert_int_equal(jr_policy_files_load(f, jr_time_s(1), &w->changed, &w->err), JR_OK);
    assert_false(jr_policy_files_select_namespaces(f));
    want(w, "");
    jr_policy_files_free(f);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_load),           T(test_no_policy_in_it),
        T(test_reload),         T(test_moved),
        T(test_the_api_s_stay), T(test_selects_namespaces),
        T(test_faults),         T(test_faults_at_the_start),
        T(test_warnings),       T(test_unreadable),
        T(test_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
