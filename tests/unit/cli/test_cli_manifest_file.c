/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/manifest_file.h"

struct tree {
    char dir[64];
    struct jr_buf seen; /* paths below dir, a line each; faults with their reason */
};

static int drop(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static void tree_done(struct tree *t)
{
    jr_buf_done(&t->seen);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread */
    assert_int_equal(nftw(t->dir, drop, 8, FTW_DEPTH | FTW_PHYS), 0);
}

#define TREE JR_CLEANUP(tree_done) struct tree

static void tree_init(struct tree *t)
{
    *t = (struct tree){ .dir = "/tmp/jobreeve-files.XXXXXX" };
    assert_non_null(mkdtemp(t->dir));
    jr_buf_init(&t->seen, 100000);
}

static const char *in(const struct tree *t, const char *name, char path[static PATH_MAX])
{
    (void)snprintf(path, PATH_MAX, "%s%s%s", t->dir, name[0] == '\0' ? "" : "/", name);
    return path;
}

static void make(const struct tree *t, const char *name)
{
    char path[PATH_MAX];

    assert_int_equal(jr_file_make(in(t, name, path), jr_str(name), NULL), JR_OK);
}

static void make_dir(const struct tree *t, const char *name)
{
    char path[PATH_MAX];

    assert_int_equal(mkdir(in(t, name, path), 0700), 0);
}

static void make_link(const struct tree *t, const char *to, const char *name)
{
    char path[PATH_MAX];

    assert_int_equal(symlink(to, in(t, name, path)), 0);
}

static void see(void *ctx, const char *path)
{
    struct tree *t = ctx;

    (void)jr_buf_addf(&t->seen, "%s\n", path + strlen(t->dir));
}

static void see_fault(void *ctx, const char *path, const char *why)
{
    struct tree *t = ctx;

    (void)jr_buf_addf(&t->seen, "%s: %s\n", path + strlen(t->dir), why);
}

static void want_walk(struct tree *t, const char *name, const char *want)
{
    const struct jr_files_sink sink = { see, see_fault, t };
    char path[PATH_MAX];

    jr_buf_reset(&t->seen);
    jr_files_walk(in(t, name, path), &sink);
    if (!jr_str_is(jr_buf_str(&t->seen), want))
        fail_msg("%s: have\n%s\nwant\n%s", name, t->seen.p, want);
}

static void test_a_walk_is_sorted_and_takes_manifests(void **state)
{
    TREE t = { .dir = "" };

    (void)state;
    tree_init(&t);
    make(&t, "b.yaml");
    make(&t, "a.json");
    make(&t, "c.yml");
    make(&t, "d.txt");
    make(&t, ".hidden.yaml");
    make_dir(&t, "bb");
    make(&t, "bb/x.yaml");
    make_dir(&t, ".git");
    make(&t, ".git/x.yaml");
    make_dir(&t, "dir.yaml");
    want_walk(&t, "", "/a.json\n/b.yaml\n/bb/x.yaml\n/c.yml\n");
    want_walk(&t, "d.txt", "/d.txt\n"); /* by its name: whatever it is called */
    want_walk(&t, "none", "/none\n");   /* opening it will fail */
    want_walk(&t, "dir.yaml", "/dir.yaml: no *.yaml, *.yml or *.json in it\n");
}

static void test_links(void **state)
{
    char path[PATH_MAX];
    TREE t = { .dir = "" };

    (void)state;
    tree_init(&t);
    make_dir(&t, "d");
    make(&t, "d/real.yaml");
    make_link(&t, "..", "d/up");              /* to a folder above */
    make_link(&t, "real.yaml", "d/link.yml"); /* to a file */
    make_link(&t, "self.json", "d/self.json");
    make_link(&t, "nowhere", "d/dangling.yaml");
    make_link(&t, "nowhere", "d/dangling");
    make_link(&t, "d", "to-d");
    assert_int_equal(mkfifo(in(&t, "d/fifo.yaml", path), 0600), 0);
    want_walk(&t, "d",
              "/d/dangling.yaml: can't follow the link: No such file or directory\n"
              "/d/link.yml\n/d/real.yaml\n"
              "/d/self.json: can't follow the link: Too many levels of symbolic links\n");
    want_walk(&t, "to-d/",
              "/to-d/dangling.yaml: can't follow the link: No such file or directory\n"
              "/to-d/link.yml\n/to-d/real.yaml\n"
              "/to-d/self.json: can't follow the link: Too many levels of symbolic links\n");
}

static void test_reading_and_writing(void **state)
{
    char path[PATH_MAX];
    struct jr_error err = { .status = JR_OK };
    TREE t = { .dir = "" };
    JR_BUF text = { 0 };

    (void)state;
    tree_init(&t);
    jr_buf_init(&text, 8);
    assert_int_equal(jr_input_read(in(&t, "none", path), &text, &err), JR_IO);
    assert_string_equal(err.path, path);
    assert_int_equal(jr_input_read(t.dir, &text, &err), JR_IO); /* a folder */
    assert_int_equal(jr_file_make(in(&t, "no/file", path), JR_S("x"), &err), JR_IO);
    assert_int_equal(jr_file_make(in(&t, "f", path), JR_S("12345678"), &err), JR_OK);
    assert_int_equal(jr_input_read(path, &text, &err), JR_OK);
    assert_string_equal(text.p, "12345678");
    jr_buf_reset(&text);
    assert_int_equal(jr_file_make(path, JR_S("123456789"), &err), JR_OK);
    assert_int_equal(jr_input_read(path, &text, &err), JR_LIMIT);
    assert_string_equal(err.msg, "more than 8 bytes");
    jr_buf_reset(&text);
    assert_int_equal(jr_file_make(path, JR_S("1"), &err), JR_OK);
    assert_int_equal(jr_input_read(path, &text, &err), JR_OK);
    assert_string_equal(text.p, "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_walk_is_sorted_and_takes_manifests),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_reading_and_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
