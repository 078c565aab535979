/* SPDX-License-Identifier: Apache-2.0 */
/* Files of settings: what they set, what is refused, and where it stood. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/json/settings.h"
#include "tests/support/failalloc.h"

struct config {
    const char *config;
    const char *name;
    const char *other;
    int64_t count;
    double rate;
    bool leader;
    int64_t wait_ms;
    int64_t size_bytes;
    struct jr_flag_addr addr;
    struct jr_flag_list list;
    int mode;
};

static const char *const modes[] = { "slow", "fast", NULL };
#define AT(member) offsetof(struct config, member)
static const struct jr_flag table[] = {
    { "config", JR_FLAG_STR, AT(config), .help = "The file." },
    { "name", JR_FLAG_STR, AT(name), .initial = "x", .help = "Name." },
    { "other-name", JR_FLAG_STR, AT(other), .help = "Name." },
    { "count", JR_FLAG_INT, AT(count), .initial = "3", .help = "Count.", .min = -5, .max = 10 },
    { "rate", JR_FLAG_REAL, AT(rate), .initial = "0", .help = "Rate.", .max = 100 },
    { "leader-elect", JR_FLAG_BOOL, AT(leader), .initial = "true", .help = "Leads." },
    { "wait", JR_FLAG_DURATION, AT(wait_ms), .initial = "10s", .help = "Wait.", .max = 60000 },
    { "size", JR_FLAG_BYTES, AT(size_bytes), .initial = "7Mi", .help = "Size." },
    { "addr", JR_FLAG_ADDR, AT(addr), .initial = ":8081", .help = "Where." },
    { "list", JR_FLAG_LIST, AT(list), .initial = "a,b", .help = "Many." },
    { "mode", JR_FLAG_ENUM, AT(mode), .initial = "slow", .help = "Mode.", .choices = modes },
    { .name = NULL },
};
static const struct jr_flags flags = { .program = "prog",
                                       .summary = "Does things.",
                                       .table = table };

struct world {
    char path[64];
    struct config config;
    struct jr_settings settings;
    struct jr_error err;
};

/** Reads text beside these arguments. */
static enum jr_status load(struct world *w, const char *text, char **argv, int argc)
{
    struct jr_flags_given given;
    int fd;

    *w = (struct world){ .path = "/tmp/jr_settings_XXXXXX" };
    fd = mkstemp(w->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(close(fd), 0);
    assert_int_equal(jr_flags_start_given(&flags, argc, argv, &w->config, &given), -1);
    return jr_settings_read(&flags, "config", w->path, &given, &w->config, &w->settings, &w->err);
}

static enum jr_status load_alone(struct world *w, const char *text)
{
    char program[] = "prog", *argv[] = { program, NULL };

    return load(w, text, argv, 1);
}

static void done(struct world *w)
{
    jr_settings_done(&w->settings);
    assert_int_equal(unlink(w->path), 0);
}

static void assert_list(const struct jr_flag_list *l, const char *a, const char *b)
{
    assert_int_equal(l->n, b == NULL ? 1 : 2);
    assert_true(jr_str_is(l->v[0], a));
    if (b != NULL)
        assert_true(jr_str_is(l->v[1], b));
}

static void test_yaml(void **state)
{
    struct world w;

    (void)state;
    assert_int_equal(load_alone(&w, "# settings\n"
                                    "name: yes1\n"
                                    "count: -2\n"
                                    "rate: 0.5\n"
                                    "leader-elect: no\n"
                                    "wait: 1m\n"
                                    "size: 64Ki\n"
                                    "addr: 0\n"
                                    "other-name:\n"
                                    "list:\n- c\n- d\n"
                                    "mode: fast\n"),
                     JR_OK);
    assert_string_equal(w.config.name, "yes1");
    assert_null(w.config.other);
    assert_int_equal(w.config.count, -2);
    assert_true(w.config.rate == 0.5);
    assert_false(w.config.leader);
    assert_int_equal(w.config.wait_ms, 60000);
    assert_int_equal(w.config.size_bytes, 65536);
    assert_true(w.config.addr.off);
    assert_list(&w.config.list, "c", "d");
    assert_int_equal(w.config.mode, 1);
    done(&w);
}

static void test_json(void **state)
{
    struct world w;

    (void)state;
    assert_int_equal(load_alone(&w, "{\"list\":{\"One\":true,\"Two\":false},\"size\":5,\n"
                                    "\"addr\":\"[::1]:9\",\"wait\":\"500ms\"}"),
                     JR_OK);
    assert_list(&w.config.list, "One=true", "Two=false");
    assert_int_equal(w.config.size_bytes, 5);
    assert_int_equal(w.config.addr.port, 9);
    assert_int_equal(w.config.wait_ms, 500);
    assert_string_equal(w.config.name, "x");
    done(&w);
    assert_int_equal(load_alone(&w, ""), JR_OK);
    assert_list(&w.config.list, "a", "b");
    done(&w);
    assert_int_equal(load_alone(&w, "list: \"c,d\""), JR_OK);
    assert_list(&w.config.list, "c", "d");
    done(&w);
    assert_int_equal(load_alone(&w, "list: []"), JR_OK);
    assert_int_equal(w.config.list.n, 0);
    done(&w);
}

/** What the command line says stays, also where it says the default. */
static void test_command_line_wins(void **state)
{
    char program[] = "prog", count[] = "--count=3", list[] = "--list=q", mode[] = "--mode",
         slow[] = "slow", *argv[] = { program, count, list, mode, slow, NULL };
    struct world w;

    (void)state;
    assert_int_equal(load(&w, "count: 7\nlist: [c, d]\nmode: fast\nname: yes1\n", argv, 5), JR_OK);
    assert_int_equal(w.config.count, 3);
    assert_list(&w.config.list, "q", NULL);
    assert_int_equal(w.config.mode, 0);
    assert_string_equal(w.config.name, "yes1");
    done(&w);
    /* It is no excuse for a bad file. */
    assert_int_equal(load(&w, "name: yes1\ncount: 70\n", argv, 5), JR_USAGE);
    assert_non_null(strstr(w.err.path, ":2: count"));
    done(&w);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text;
        const char *where; /* behind the path */
        const char *words;
    } rows[] = {
        { "name: yes1\ncuont: 3\n", ":2: cuont", "no such setting" },
        { "\n\nleaderElect: true\n", ":3: leaderElect", "leader-elect is meant" },
        { "config: other.yaml\n", ":1: config", "no place" },
        { "count: 11\n", ":1: count", "from -5 to 10" },
        { "count: 1.5\n", ":1: count", "whole number" },
        { "count: \"3\"\n", ":1: count", "expected a number" },
        { "rate: \"0.5\"\n", ":1: rate", "expected a number" },
        { "rate: 100.5\n", ":1: rate", "from 0 to 100" },
        { "rate: .inf\n", "", "no number .inf" },
        { "name: 3\n", ":1: name", "expected a string" },
        { "name: [a]\n", ":1: name", "expected a string" },
        { "leader-elect: \"true\"\n", ":1: leader-elect", "expected true or false" },
        { "leader-elect: 1\n", ":1: leader-elect", "expected true or false" },
        { "wait: 10\n", ":1: wait", "duration" },
        { "wait: {}\n", ":1: wait", "such as 10s" },
        { "addr: 8081\n", ":1: addr", "host:port" },
        { "mode: 1\n", ":1: mode", "expected a string" },
        { "mode: medium\n", ":1: mode", "one of slow, fast" },
        { "list: 3\n", ":1: list", "list of strings" },
        { "list:\n  - a\n  - 3\n", ": list", "strings in the list" },
        { "list: [\"\"]\n", ":1: list", "no empty strings" },
        { "list: {a: 1}\n", ":1: list", "true or false for each name" },
        { "name: yes1\n---\nname: z\n", "", "more than one document" },
        { "- name\n", "", "names and values" },
        { "name: yes1\nname: z\n", "", "line 2, column 1: duplicate key" },
        { "name: [\n", "", "line 2" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;

        if (load_alone(&w, rows[i].text) == JR_OK)
            fail_msg("taken: %s", rows[i].text);
        if (!jr_str_starts(jr_str(w.err.path), jr_str(w.path)) ||
            strstr(w.err.path, rows[i].where) == NULL || strstr(w.err.msg, rows[i].words) == NULL)
            fail_msg("%s: %s: %s", rows[i].text, w.err.path, w.err.msg);
        done(&w);
    }
}

static void test_no_file(void **state)
{
    struct jr_flags_given given = { { 0 } };
    struct jr_settings settings;
    struct config config;
    struct jr_error err = { 0 };

    (void)state;
    assert_int_equal(
        jr_settings_read(&flags, "config", "/nowhere/at.all", &given, &config, &settings, &err),
        JR_IO);
    assert_string_equal(err.path, "/nowhere/at.all");
    jr_settings_done(&settings);
}

/** A later check blames the place that the value came from. */
static void test_blame(void **state)
{
    char program[] = "prog", count[] = "--count=3", *argv[] = { program, count, NULL };
    char want[80];
    struct world w;

    (void)state;
    assert_int_equal(load(&w, "count: 7\nname: yes1\n", argv, 2), JR_OK);
    (void)snprintf(w.err.path, sizeof(w.err.path), "--name");
    jr_settings_blame(&w.settings, &flags, &w.err);
    (void)snprintf(want, sizeof(want), "%s:2: name", w.path);
    assert_string_equal(w.err.path, want);
    (void)snprintf(w.err.path, sizeof(w.err.path), "--count");
    jr_settings_blame(&w.settings, &flags, &w.err);
    assert_string_equal(w.err.path, "--count");
    done(&w);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (long n = 1;; n++) {
        struct world w;
        struct jr_flags_given given = { { 0 } };
        enum jr_status st;

        assert_int_equal(load_alone(&w, "name: yes1\nlist: [c, d]\nwait: 1m\n"), JR_OK);
        jr_settings_done(&w.settings);
        jr_failalloc_arm(n);
        st = jr_settings_read(&flags, "config", w.path, &given, &w.config, &w.settings, &w.err);
        jr_failalloc_disarm();
        done(&w);
        if (!jr_failalloc_hit()) {
            assert_int_equal(st, JR_OK);
            return;
        }
        assert_int_equal(st, JR_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_yaml),      cmocka_unit_test(test_json),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_command_line_wins),
        cmocka_unit_test(test_no_file),   cmocka_unit_test(test_blame),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
