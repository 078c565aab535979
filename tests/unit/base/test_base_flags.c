/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines by table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/base/about.h"
#include "common/base/flags.h"
#include "common/base/flags_show.h"
#include "common/base/signals.h"

struct config {
    const char *name;
    const char *none;
    int64_t count;
    double rate;
    double free_rate;
    bool leader;
    int64_t wait_ms;
    int64_t size_bytes;
    int64_t room_bytes, odd_room_bytes;
    struct jr_flag_addr addr;
    struct jr_flag_list list;
    int mode;
};

static const char *const modes[] = { "slow", "fast", NULL };

static const struct jr_flag table[] = {
    { "name", JR_FLAG_STR, offsetof(struct config, name), .initial = "x", .help = "A `NAME`.",
      .letter = 'n' },
    { "none", JR_FLAG_STR, offsetof(struct config, none), .help = "Without a default." },
    { "count", JR_FLAG_INT, offsetof(struct config, count), .initial = "3", .help = "Count.",
      .min = -5, .max = 10 },
    { "rate", JR_FLAG_REAL, offsetof(struct config, rate), .initial = "0.5", .help = "Rate.",
      .min = -1, .max = 100 },
    { "free-rate", JR_FLAG_REAL, offsetof(struct config, free_rate), .help = "Rate." },
    { "leader", JR_FLAG_BOOL, offsetof(struct config, leader), .initial = "true",
      .help = "Leads." },
    { "wait", JR_FLAG_DURATION, offsetof(struct config, wait_ms), .initial = "10s", .help = "Wait.",
      .min = 1, .max = 60000 },
    { "room", JR_FLAG_BYTES, offsetof(struct config, room_bytes), .initial = "7Mi", .min = 1 << 20,
      .max = INT64_C(1) << 40, .help = "A bounded size." },
    { "odd-room", JR_FLAG_BYTES, offsetof(struct config, odd_room_bytes), .initial = "2Ki",
      .min = 1025, .max = 3072, .help = "Another one." },
    { "size", JR_FLAG_BYTES, offsetof(struct config, size_bytes), .initial = "7Mi",
      .help = "Size." },
    { "addr", JR_FLAG_ADDR, offsetof(struct config, addr), .initial = ":8081", .help = "Where." },
    { "list", JR_FLAG_LIST, offsetof(struct config, list),
      .initial = "0.0.0.0,::", .help = "Many,\non two lines." },
    { "mode", JR_FLAG_ENUM, offsetof(struct config, mode), .initial = "slow", .help = "Mode.",
      .choices = modes },
    { .name = NULL },
};
static const struct jr_flags flags = { .program = "prog",
                                       .summary = "Does things.",
                                       .table = table };
static const struct jr_flags flags_args = {
    .program = "prog", .summary = "Does things.", .args = "[FILE...]", .table = table
};

/* Up to eight arguments; a table row is NULL-terminated. */
struct line {
    char *argv[10];
    int argc;
};

static void line_of(struct line *l, const char *const *args)
{
    l->argv[0] = (char *)(uintptr_t) "prog";
    for (l->argc = 1; args[l->argc - 1] != NULL; l->argc++)
        l->argv[l->argc] = (char *)(uintptr_t)args[l->argc - 1];
    l->argv[l->argc] = NULL;
}

static enum jr_status parse(const char *const *args, struct config *c, struct jr_error *err)
{
    struct line l;

    line_of(&l, args);
    return jr_flags_parse(&flags, l.argc, l.argv, c, NULL, NULL, err);
}

static void test_defaults(void **state)
{
    struct config c;
    struct jr_error err;

    (void)state;
    memset(&c, 0xff, sizeof(c));
    assert_int_equal(parse((const char *[]){ NULL }, &c, &err), JR_OK);
    assert_string_equal(c.name, "x");
    assert_null(c.none);
    assert_int_equal(c.count, 3);
    assert_true(c.rate == 0.5);
    assert_true(c.free_rate == 0);
    assert_true(c.leader);
    assert_int_equal(c.wait_ms, 10000);
    assert_int_equal(c.size_bytes, 7 << 20);
    assert_int_equal(c.addr.port, 8081);
    assert_string_equal(c.addr.host, "");
    assert_false(c.addr.off);
    assert_int_equal(c.list.n, 2);
    assert_true(jr_str_is(c.list.v[1], "::"));
    assert_int_equal(c.mode, 0);
}

static void test_spellings(void **state)
{
    const char *const args[] = { "--name=a", "-count", "-4",   "--leader=false",
                                 "-wait=1m", "--mode", "fast", NULL };
    struct config c;
    struct jr_error err;

    (void)state;
    assert_int_equal(parse(args, &c, &err), JR_OK);
    assert_string_equal(c.name, "a");
    assert_int_equal(c.count, -4);
    assert_false(c.leader);
    assert_int_equal(c.wait_ms, 60000);
    assert_int_equal(c.mode, 1);

    assert_int_equal(
        parse((const char *[]){ "-n", "b", "--leader=F", "--leader", "--none=", NULL }, &c, &err),
        JR_OK);
    assert_string_equal(c.name, "b");
    assert_string_equal(c.none, "");
    assert_true(c.leader);
    assert_int_equal(
        parse((const char *[]){ "--rate", "-0.25", "--free-rate=1e+06", NULL }, &c, &err), JR_OK);
    assert_true(c.rate == -0.25);
    assert_true(c.free_rate == 1000000);
    assert_int_equal(parse((const char *[]){ "--name", "a=b", "-n=c=d", NULL }, &c, &err), JR_OK);
    assert_string_equal(c.name, "c=d");
}

static void test_lists(void **state)
{
    struct config c;
    struct jr_error err;

    (void)state;
    assert_int_equal(parse((const char *[]){ "--list=a,b", "--list", "c", NULL }, &c, &err), JR_OK);
    assert_int_equal(c.list.n, 3);
    assert_true(jr_str_is(c.list.v[0], "a"));
    assert_true(jr_str_is(c.list.v[2], "c"));
    assert_int_equal(parse((const char *[]){ "--list=", NULL }, &c, &err), JR_OK);
    assert_int_equal(c.list.n, 0);
}

static void test_addresses(void **state)
{
    static const struct {
        const char *in;
        bool ok, off;
        const char *host;
        unsigned port;
    } rows[] = {
        { "0", true, true, "", 0 },
        { "", true, true, "", 0 },
        { ":0", true, false, "", 0 },
        { ":8080", true, false, "", 8080 },
        { "127.0.0.1:65535", true, false, "127.0.0.1", 65535 },
        { "localhost:1", true, false, "localhost", 1 },
        { "[::1]:9", true, false, "::1", 9 },
        { "::1:9", false, false, "", 0 },
        { "[::1]", false, false, "", 0 },
        { "[]:9", false, false, "", 0 },
        { "[host]:9", false, false, "", 0 },
        { "8080", false, false, "", 0 },
        { ":65536", false, false, "", 0 },
        { ":", false, false, "", 0 },
        { ":-1", false, false, "", 0 },
        { "a:http", false, false, "", 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_flag_addr a = { .off = false };
        struct jr_error err;
        bool ok = jr_flag_addr_parse(jr_str(rows[i].in), &a, &err) == JR_OK;

        if (ok != rows[i].ok || (ok && (a.off != rows[i].off || a.port != rows[i].port ||
                                        strcmp(a.host, rows[i].host) != 0)))
            fail_msg("%s: ok %d, off %d, host %s, port %d", rows[i].in, ok, a.off, a.host, a.port);
    }
}

static void test_bytes(void **state)
{
    static const struct {
        const char *in;
        int64_t want; /* -1: refused */
    } rows[] = {
        { "0", 0 },         { "65536", 65536 },
        { "64Ki", 65536 },  { "7Mi", 7 << 20 },
        { "1Gi", 1 << 30 }, { "2k", 2000 },
        { "3M", 3000000 },  { "4G", 4000000000 },
        { "", -1 },         { "Ki", -1 },
        { "-1", -1 },       { "1.5Mi", -1 },
        { "1Ti", -1 },      { "9223372036854775807Ki", -1 },
        { " 1", -1 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        int64_t v = -1;

        if (jr_parse_bytes(jr_str(rows[i].in), &v) != JR_OK)
            v = -1;
        if (v != rows[i].want)
            fail_msg("%s: %lld", rows[i].in, (long long)v);
    }
}

static void test_faults(void **state)
{
    static const struct {
        const char *args[4];
        const char *path, *msg;
    } rows[] = {
        { { "--nmae=a" }, "--nmae", "no such flag" },
        { { "-x" }, "-x", "no such flag" },
        { { "--n=a" }, "--n", "no such flag" },
        { { "--help=1" }, "--help", "no such flag" },
        { { "--name" }, "--name", "expected a value (string)" },
        { { "--count", "abc" }, "--count", "expected a whole number, from -5 to 10, not \"abc\"" },
        { { "--count=11" }, "--count", "expected a whole number, from -5 to 10, not \"11\"" },
        { { "--count=" }, "--count", "expected a whole number, from -5 to 10, not \"\"" },
        { { "--rate=x" },
          "--rate",
          "expected a number such as 20 or 0.5, from -1 to 100, not \"x\"" },
        { { "--rate=100.5" },
          "--rate",
          "expected a number such as 20 or 0.5, from -1 to 100, not \"100.5\"" },
        { { "--free-rate=-0.5" },
          "--free-rate",
          "expected a number such as 20 or 0.5, 0 or more, not \"-0.5\"" },
        { { "--leader=maybe" }, "--leader", "expected true or false, not \"maybe\"" },
        { { "--leader", "false" }, "", "takes flags only, not \"false\"" },
        { { "--wait=0" },
          "--wait",
          "expected a duration such as 10s, 1m30s or 500ms, from 1ms to 60s, not \"0\"" },
        { { "--wait=10" },
          "--wait",
          "expected a duration such as 10s, 1m30s or 500ms, from 1ms to 60s, not \"10\"" },
        { { "--size=-1" },
          "--size",
          "expected a number of bytes, also with Ki, Mi or Gi behind it, 0 or more, not \"-1\"" },
        { { "--room=64Ki" },
          "--room",
          "expected a number of bytes, also with Ki, Mi or Gi behind it, from 1Mi to 1024Gi, not "
          "\"64Ki\"" },
        { { "--odd-room=1" },
          "--odd-room",
          "expected a number of bytes, also with Ki, Mi or Gi behind it, from 1025 to 3Ki, not "
          "\"1\"" },
        { { "-addr", "8080" },
          "--addr",
          "expected host:port, [ipv6]:port, :port or 0 for off, not \"8080\"" },
        { { "--list=a,,b" }, "--list", "expected values with single commas between" },
        { { "--mode=medium" }, "--mode", "expected one of slow, fast, not \"medium\"" },
        { { "file" }, "", "takes flags only, not \"file\"" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct config c;
        struct jr_error err = { .status = JR_OK };
        enum jr_status st = parse(rows[i].args, &c, &err);

        if (st != JR_USAGE || strcmp(err.path, rows[i].path) != 0 ||
            strcmp(err.msg, rows[i].msg) != 0)
            fail_msg("%s: %d, path %s, message %s", rows[i].args[0], st, err.path, err.msg);
    }
}

static void test_arguments(void **state)
{
    const char *const args[] = { "a", "--count=1", "-", "--", "--count=2", NULL };
    struct config c;
    struct jr_error err;
    struct line l;
    enum jr_flags_asked asked;
    int n;

    (void)state;
    line_of(&l, args);
    assert_int_equal(jr_flags_parse(&flags_args, l.argc, l.argv, &c, &asked, &n, &err), JR_OK);
    assert_int_equal(asked, JR_FLAGS_RUN);
    assert_int_equal(c.count, 1);
    assert_int_equal(n, 3);
    assert_string_equal(l.argv[1], "a");
    assert_string_equal(l.argv[2], "-");
    assert_string_equal(l.argv[3], "--count=2");
}

static void test_help(void **state)
{
    static const char *const asking[] = { "--help", "-help", "-h", NULL };
    struct config c;
    struct jr_error err;
    struct line l;
    enum jr_flags_asked asked;
    int n;
    JR_BUF out = { 0 };

    (void)state;
    for (size_t i = 0; asking[i] != NULL; i++) {
        line_of(&l, (const char *[]){ asking[i], "--nonsense", NULL });
        assert_int_equal(jr_flags_parse(&flags, l.argc, l.argv, &c, &asked, &n, &err), JR_OK);
        assert_int_equal(asked, JR_FLAGS_HELP);
    }
    line_of(&l, (const char *[]){ "--version", NULL });
    assert_int_equal(jr_flags_parse(&flags, l.argc, l.argv, &c, &asked, &n, &err), JR_OK);
    assert_int_equal(asked, JR_FLAGS_VERSION);

    jr_buf_init(&out, 1 << 16);
    assert_int_equal(jr_flags_help(&flags_args, &out), JR_OK);
    assert_non_null(strstr(out.p, "Usage: prog [flags] [FILE...]\n\nDoes things.\n"));
    assert_non_null(strstr(out.p, "  -n, --name NAME\n        A NAME. (default x)\n"));
    assert_non_null(strstr(out.p, "  --none string\n        Without a default.\n"));
    assert_non_null(strstr(out.p, "  --leader\n        Leads. (default true)\n"));
    assert_non_null(strstr(out.p, "  --list list\n        Many,\n        on two lines. (default"));
    assert_non_null(strstr(out.p, "  --mode slow|fast\n        Mode. (default slow)\n"));
}

static void about(struct jr_buf *out)
{
    jr_about_line(out, "library", "1.2");
}

static void test_version(void **state)
{
    struct jr_flags f = flags;
    const char *commit = jr_revision()[0] == 0 ? "unknown" : jr_revision();
    JR_BUF out = { 0 }, all = { 0 };
    char start[200];

    (void)state;
    (void)snprintf(start, sizeof(start), "prog " JR_VERSION "\ncommit: %s\nplatform: linux/",
                   commit);
    jr_buf_init(&out, 4096);
    assert_int_equal(jr_about(&f, &out), JR_OK);
    assert_true(jr_str_starts(jr_buf_str(&out), jr_str(start)));

    f.about = about;
    jr_buf_init(&all, 4096);
    assert_int_equal(jr_about(&f, &all), JR_OK);
    assert_true(jr_str_starts(jr_buf_str(&all), jr_buf_str(&out)));
    assert_string_equal(all.p + out.n, "library: 1.2\n");
}

/* A table whose default does not parse is found at once, not when the flag is used. */
static void test_bad_default(void **state)
{
    static const struct jr_flag bad[] = {
        { "count", JR_FLAG_INT, offsetof(struct config, count), .initial = "three", .help = "" },
        { .name = NULL },
    };
    const struct jr_flags f = { .program = "prog", .summary = "", .table = bad };
    struct config c;
    struct jr_error err;
    struct line l;

    (void)state;
    line_of(&l, (const char *[]){ NULL });
    assert_int_equal(jr_flags_parse(&f, l.argc, l.argv, &c, NULL, NULL, &err), JR_USAGE);
    assert_string_equal(err.path, "--count");
}

static void test_error_may_be_null(void **state)
{
    struct config c;

    (void)state;
    assert_int_equal(parse((const char *[]){ "--x", NULL }, &c, NULL), JR_USAGE);
    assert_int_equal(parse((const char *[]){ "--count=x", NULL }, &c, NULL), JR_USAGE);
}

/* What differs from the defaults, and nothing else, as it would be written. */
static void test_shown(void **state)
{
    static const struct {
        const char *args[9];
        const char *want;
    } rows[] = {
        { { NULL }, "" },
        { { "--name=x", "--count=3", "--wait=10000ms", "--list=0.0.0.0,::", "--mode=slow", NULL },
          "" },
        { { "--mode=fast", "--name=", "--leader=false", "--none=f", NULL },
          "--name= --none=f --leader=false --mode=fast" },
        { { "--wait=1500ms", "--size=1Ki", "--count=-5", NULL },
          "--count=-5 --wait=1500ms --size=1024" },
        { { "--wait=1m", "--addr=0", "--list=a,b", NULL }, "--wait=60s --addr=0 --list=a,b" },
        { { "--addr=[::1]:80", NULL }, "--addr=[::1]:80" },
        { { "--rate=5e-1", "--free-rate=0", NULL }, "" },
        { { "--rate=-0.25", "--free-rate=1e+06", NULL }, "--rate=-0.25 --free-rate=1000000" },
        { { "--addr=127.0.0.1:0", NULL }, "--addr=127.0.0.1:0" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        JR_BUF out = { 0 };
        struct config c;

        jr_buf_init(&out, 4096);
        assert_int_equal(parse(rows[i].args, &c, NULL), JR_OK);
        assert_int_equal(jr_flags_show(&flags, &c, &out), JR_OK);
        assert_string_equal(out.n == 0 ? "" : out.p, rows[i].want);
    }
}

static void test_commands(void **state)
{
    static const struct jr_flags start = { .program = "prog start",
                                           .summary = "Starts it. And more.",
                                           .table = table };
    static const struct jr_flags end = { .program = "prog end",
                                         .summary = "Ends it",
                                         .table = table };
    static const struct jr_flags *const commands[] = { &start, &end, NULL };
    const struct jr_flags with = {
        .program = "prog", .summary = "Does things.", .table = table, .commands = commands
    };
    static const struct {
        const char *args[3];
        const struct jr_flags *command; /* NULL: none */
        int left;
    } rows[] = {
        { { NULL }, NULL, 1 },
        { { "start", NULL }, &start, 1 },
        { { "end", "--count=2", NULL }, &end, 2 },
        { { "--count=2", "end", NULL }, NULL, 3 },
        { { "ends", NULL }, NULL, 2 },
    };
    const char want[] = "Usage: prog [flags]\n       prog COMMAND [flags]\n\nDoes things.\n\n"
                        "Commands:\n  start         Starts it.\n  end           Ends it\n"
                        "See prog COMMAND --help for its flags.\n\nFlags:\n  -n, --name NAME\n";
    struct jr_error err = { .status = JR_OK };
    struct config c;
    struct line l;
    JR_BUF out = { 0 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char **argv;

        line_of(&l, rows[i].args);
        argv = l.argv;
        assert_ptr_equal(jr_flags_command(&with, &l.argc, &argv),
                         rows[i].command == NULL ? &with : rows[i].command);
        assert_int_equal(l.argc, rows[i].left);
        assert_ptr_equal(argv, l.argv + (rows[i].command == NULL ? 0 : 1));
        line_of(&l, rows[i].args);
        argv = l.argv;
        assert_ptr_equal(jr_flags_command(&flags, &l.argc, &argv), &flags);
    }
    line_of(&l, rows[4].args);
    assert_int_equal(jr_flags_parse(&with, l.argc, l.argv, &c, NULL, NULL, &err), JR_USAGE);
    assert_string_equal(err.msg, "no command \"ends\"");
    line_of(&l, rows[3].args);
    assert_int_equal(jr_flags_parse(&with, l.argc, l.argv, &c, NULL, NULL, &err), JR_USAGE);
    assert_string_equal(err.msg, "the command \"end\" comes before all flags");
    jr_buf_init(&out, 10000);
    assert_int_equal(jr_flags_help(&with, &out), JR_OK);
    assert_true(jr_str_starts(jr_buf_str(&out), jr_str(want)));
}

static void test_signals(void **state)
{
    (void)state;
    assert_string_equal(jr_signal_text(15), "SIGTERM");
    assert_string_equal(jr_signal_text(2), "SIGINT");
    assert_string_equal(jr_signal_text(63), "another signal");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),    cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_lists),       cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_bytes),       cmocka_unit_test(test_faults),
        cmocka_unit_test(test_arguments),   cmocka_unit_test(test_help),
        cmocka_unit_test(test_commands),    cmocka_unit_test(test_version),
        cmocka_unit_test(test_bad_default), cmocka_unit_test(test_error_may_be_null),
        cmocka_unit_test(test_shown),       cmocka_unit_test(test_signals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
