/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

#include "common/base/buf.h"
#include "common/base/flags.h"
#include "common/base/log.h"
#include "tests/support/failalloc.h"
#include "tests/unit/base/want.h"

#define TS "2026-03-01T12:00:00"
#define HEAD "{\"ts\":\"" TS ".000000Z\",\"level\":\"info\",\"component\":\"webhook\",\"msg\":\"m\""

struct world {
    struct jr_clock_virtual v;
    struct jr_log *log;
    int fd; /* a file in memory */
    struct jr_buf text;
};

static void open_log(struct world *w, enum jr_log_level min, enum jr_log_format format,
                     const char *component)
{
    struct jr_clock clock = jr_clock_of_virtual(&w->v);

    jr_log_free(w->log);
    w->log = NULL;
    assert_int_equal(jr_log_new(w->fd, min, format, component, &clock, &w->log), JR_OK);
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return -1;
    w->v.wall = jr_time_s(1772366400);
    w->fd = memfd_create("log", MFD_CLOEXEC);
    jr_buf_init(&w->text, SIZE_MAX);
    *state = w;
    open_log(w, JR_LOG_INFO, JR_LOG_JSON, "webhook");
    return w->fd < 0 ? -1 : 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    jr_log_free(w->log);
    jr_buf_done(&w->text);
    jr_closep(&w->fd);
    free(w);
    return 0;
}

/** What was written since the last call. */
static const char *written(struct world *w)
{
    char part[4096];
    ssize_t n;

    jr_buf_reset(&w->text);
    assert_int_equal(lseek(w->fd, 0, SEEK_SET), 0);
    while ((n = read(w->fd, part, sizeof(part))) > 0)
        assert_int_equal(jr_buf_add(&w->text, (struct jr_str){ part, (size_t)n }), JR_OK);
    assert_int_equal(n, 0);
    assert_int_equal(ftruncate(w->fd, 0), 0);
    assert_int_equal(lseek(w->fd, 0, SEEK_SET), 0);
    return w->text.n == 0 ? "" : w->text.p;
}

static void json_line(void **state)
{
    struct world *w = *state;
    struct jr_error err;

    w->v.wall.ns += 123456789;
    (void)jr_fail(&err, JR_INVALID, "spec", "is \"bad\"");
    jr_info(w->log, "serving", JR_CSTR("address", "[::]:8443"), JR_INT("n", -7),
            JR_INT("least", INT64_MIN), JR_FLAG("ready", true), JR_FLAG("tls", false),
            JR_STR("absent", ((struct jr_str){ NULL, 0 })), JR_ERR(&err));
    WANT_STR("line", written(w),
             "{\"ts\":\"" TS ".123456Z\",\"level\":\"info\",\"component\":\"webhook\","
             "\"msg\":\"serving\",\"address\":\"[::]:8443\",\"n\":-7,"
             "\"least\":-9223372036854775808,\"ready\":true,\"tls\":false,\"absent\":\"\","
             "\"err\":\"spec: is \\\"bad\\\"\"}\n");
}

static void text_line(void **state)
{
    struct world *w = *state;

    open_log(w, JR_LOG_DEBUG, JR_LOG_TEXT, "webhook");
    jr_info(w->log, "serving", JR_CSTR("address", "a\nb"), JR_INT("n", 3), JR_FLAG("ok", true));
    WANT_STR("with component", written(w),
             TS "Z INFO webhook: serving address=\"a\\nb\" n=3 ok=true\n");
    open_log(w, JR_LOG_DEBUG, JR_LOG_TEXT, NULL);
    jr_warn(w->log, "stopping", JR_NONE);
    WANT_STR("without", written(w), TS "Z WARN stopping\n");
}

static void levels(void **state)
{
    struct world *w = *state;

    open_log(w, JR_LOG_WARN, JR_LOG_TEXT, NULL);
    jr_debug(w->log, "m", JR_NONE);
    jr_info(w->log, "m", JR_NONE);
    jr_warn(w->log, "m", JR_NONE);
    jr_err(w->log, "m", JR_NONE);
    WANT_STR("levels", written(w), TS "Z WARN m\n" TS "Z ERROR m\n");
    jr_info(NULL, "m", JR_NONE);
    jr_log_free(NULL);
}

static void escapes(void **state)
{
    static const struct {
        const char *name;
        struct jr_str s;
        const char *want;
    } rows[] = {
        { "plain", { "a b/c", 5 }, "a b/c" },
        { "quote", { "a\"b", 3 }, "a\\\"b" },
        { "backslash", { "a\\b", 3 }, "a\\\\b" },
        { "short escapes", { "\b\f\n\r\t", 5 }, "\\b\\f\\n\\r\\t" },
        { "control", { "\x01\x1b\x1f", 3 }, "\\u0001\\u001b\\u001f" },
        { "zero", { "a\0b", 3 }, "a\\u0000b" },
        { "delete", { "\x7f", 1 }, "\\u007f" },
        { "a C1 control sequence", { "\xc2\x9b", 2 }, "\\u009b" },
        { "marks of direction", { "\xe2\x80\xae\xd8\x9c", 5 }, "\\u202e\\u061c" },
        { "a tag", { "\xf3\xa0\x81\x81", 4 }, "\\udb40\\udc41" },
        { "characters",
          { "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9 },
          "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
        { "stray byte",
          { "a\xff"
            "b",
            3 },
          "a\xef\xbf\xbd"
          "b" },
        { "cut character", { "a\xe2\x82", 3 }, "a\xef\xbf\xbd\xef\xbf\xbd" },
        { "surrogate", { "\xed\xa0\x80", 3 }, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
    };
    struct world *w = *state;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char want[256];

        (void)snprintf(want, sizeof(want), HEAD ",\"k\":\"%s\"}\n", rows[i].want);
        jr_info(w->log, "m", JR_STR("k", rows[i].s));
        WANT_STR(rows[i].name, written(w), want);
    }
}

/* A line with values of n bytes stays within 8 KiB, ends as it should, and keeps the pairs behind a
 * long one. */
static void long_values_are_cut(void **state)
{
    struct world *w = *state;
    char *big = calloc(1, 20001);

    assert_non_null(big);
    for (size_t n = 3900; n < 20000; n += n < 4300 ? 1 : 501) {
        const char *line, *p;

        w->v.mono.ns += 11 * JR_SEC;
        for (size_t i = 0; i < n; i++)
            big[i] = "x\n\"\xff"[i % 4];
        jr_info(w->log, "m", JR_STR("a", ((struct jr_str){ big, n })), JR_CSTR("b", "kept"),
                JR_STR("c", ((struct jr_str){ big, n })), JR_STR("d", ((struct jr_str){ big, n })),
                JR_STR("e", ((struct jr_str){ big, n })), JR_INT("f", 1));
        line = written(w);
        assert_in_range(w->text.n, 4000, 8192);
        assert_string_equal(line + w->text.n - 2, "}\n");
        assert_non_null(strstr(line, ",\"b\":\"kept\",\"c\":\""));
        p = strstr(line, "...\"");
        assert_non_null(p);
        /* what stands before the dots is no half of an escape */
        assert_true(p[-1] == 'x' || p[-1] == 'n' || p[-1] == '"' || p[-1] == (char)0xbd);
    }
    free(big);
}

static void long_messages_and_keys(void **state)
{
    struct world *w = *state;
    char big[9001];
    const char *line;

    memset(big, 'k', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    jr_info(w->log, big, JR_CSTR("a", big), JR_CSTR(big, "v"), JR_INT("z", 1));
    line = written(w);
    assert_in_range(w->text.n, 4000, 8192);
    assert_string_equal(line + w->text.n - 2, "}\n");
}

static void folds_repeats(void **state)
{
    struct world *w = *state;

    open_log(w, JR_LOG_INFO, JR_LOG_TEXT, NULL);
    for (int i = 0; i < 50; i++)
        jr_info(w->log, "storm", JR_INT("i", i));
    jr_warn(w->log, "storm", JR_NONE); /* another level, another message */
    assert_non_null(strstr(written(w), " storm i=19\n" TS "Z WARN storm\n"));
    w->v.mono.ns += 10 * JR_SEC - 1;
    jr_info(w->log, "storm", JR_NONE);
    WANT_STR("still in the period", written(w), "");
    w->v.mono.ns += 1;
    jr_info(w->log, "storm", JR_INT("i", 51));
    jr_info(w->log, "storm", JR_INT("i", 52));
    WANT_STR("next period", written(w),
             TS "Z INFO storm folded=31\n" TS "Z INFO storm i=51\n" TS "Z INFO storm i=52\n");
}

static void calm_messages_are_never_folded(void **state)
{
    struct world *w = *state;
    size_t lines = 0;
    const char *p;

    for (int i = 0; i < 100; i++) {
        w->v.mono.ns += JR_SEC;
        jr_info(w->log, "m", JR_NONE);
    }
    for (p = written(w); (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    assert_int_equal(lines, 100);
    assert_null(strstr(w->text.p, "folded"));
}

/* Who asks gets every line, also where the log is quiet. */
static void answers_are_never_folded(void **state)
{
    struct world *w = *state;

    open_log(w, JR_LOG_ERROR, JR_LOG_TEXT, NULL);
    for (int i = 0; i < 50; i++)
        jr_answer(w->log, "reason", JR_INT("i", i));
    assert_non_null(strstr(written(w), "INFO reason i=0\n"));
    assert_non_null(strstr(w->text.p, "INFO reason i=49\n"));
}

/** One of `n` Jobs, j-0 on. */
static void deny(struct world *w, int i)
{
    char name[64];

    (void)snprintf(name, sizeof(name), "j-%d", i);
    jr_info(w->log, "denied", JR_INT("code", 403), JR_OBJECT("Job", JR_S("team"), jr_str(name)));
}

/** Whether the name is told, in a line of its own or among those that were folded. */
static bool told(const char *text, int i)
{
    char whole[64], listed[64];

    (void)snprintf(whole, sizeof(whole), "\"name\":\"j-%d\"", i);
    (void)snprintf(listed, sizeof(listed), "team/j-%d", i);
    if (strstr(text, whole) != NULL)
        return true;
    for (const char *p = text; (p = strstr(p, listed)) != NULL; p++) {
        if (p[strlen(listed)] == ' ' || p[strlen(listed)] == '"')
            return true;
    }
    return false;
}

/* Finding: of 60 Jobs that a quota stopped, 40 were named nowhere. */
static void folded_objects_are_named(void **state)
{
    struct world *w = *state;
    const char *text;

    for (int round = 0; round < 3; round++) /* each again and again: named once */
        for (int i = 0; i < 60; i++)
            deny(w, i);
    w->v.mono.ns += 10 * JR_SEC;
    jr_log_tick(w->log);
    text = written(w);
    for (int i = 0; i < 60; i++) {
        if (!told(text, i))
            fail_msg("j-%d is not named in %s", i, text);
    }
    assert_non_null(
        strstr(text, "\"msg\":\"denied\",\"folded\":160,\"objects\":\"team/j-20 team/j-21 "));
    assert_null(strstr(strstr(text, "team/j-20 ") + 1, "team/j-20 "));
    jr_log_tick(w->log);
    WANT_STR("told once", written(w), "");
}

/* However many there are, a period has a bounded number of lines, and the count is exact. */
static void folded_objects_are_bounded(void **state)
{
    struct world *w = *state;
    int64_t folded = 0;
    size_t lines = 0;
    const char *p;

    for (int i = 0; i < 20000; i++)
        deny(w, i);
    w->v.mono.ns += 10 * JR_SEC;
    jr_log_tick(w->log);
    p = written(w);
    for (int i = 0; i < 1000; i++)
        assert_true(told(p, i));
    for (const char *q = p; (q = strstr(q, "\"folded\":")) != NULL; q++) {
        int64_t n = 0;

        for (const char *d = q + 9; *d >= '0' && *d <= '9'; d++)
            n = 10 * n + (*d - '0');
        folded += n;
    }
    for (const char *q = p; (q = strchr(q, '\n')) != NULL; q++)
        lines++;
    assert_int_equal(folded, 20000 - 20);
    assert_in_range(lines, 21, 20 + 16);
}

static void folded_objects_of_any_name(void **state)
{
    struct world *w = *state;
    char *big = malloc(10000);

    assert_non_null(big);
    memset(big, 'x', 10000);
    for (int i = 0; i < 40; i++) {
        big[0] = (char)('a' + i % 26);
        jr_info(w->log, "denied",
                JR_OBJECT("Job", ((struct jr_str){ NULL, 0 }), ((struct jr_str){ big, 10000 })));
        jr_info(w->log, "denied", JR_OBJECT("Job", JR_S("n"), ((struct jr_str){ NULL, 0 })));
    }
    jr_log_free(w->log);
    w->log = NULL;
    assert_non_null(strstr(written(w), "\"objects\":\""));
    free(big);
}

/* More messages than the table holds: what was folded is reported when an entry is given away, or
 * at the end. */
static void folded_counts_are_not_lost(void **state)
{
    struct world *w = *state;
    char msg[32];

    open_log(w, JR_LOG_INFO, JR_LOG_TEXT, NULL);
    for (int i = 0; i < 25; i++)
        jr_info(w->log, "first", JR_NONE);
    for (int i = 0; i < 100; i++) {
        w->v.mono.ns++;
        (void)snprintf(msg, sizeof(msg), "message %d", i);
        jr_info(w->log, msg, JR_NONE);
    }
    assert_non_null(strstr(written(w), TS "Z INFO first folded=5\n" TS "Z INFO message"));
    for (int i = 0; i < 23; i++)
        jr_info(w->log, "last", JR_NONE);
    (void)written(w);
    jr_log_free(w->log);
    w->log = NULL;
    WANT_STR("at the end", written(w), TS "Z INFO last folded=3\n");
}

static void level_names(void **state)
{
    static const struct {
        const char *s;
        enum jr_status st;
        int want;
    } rows[] = {
        { "debug", JR_OK, JR_LOG_DEBUG }, { "info", JR_OK, JR_LOG_INFO },
        { "warn", JR_OK, JR_LOG_WARN },   { "error", JR_OK, JR_LOG_ERROR },
        { "Info", JR_USAGE, 0 },          { "", JR_USAGE, 0 },
        { "infos", JR_USAGE, 0 },
    };

    static const struct jr_flag flag = { "log-level", JR_FLAG_ENUM, 0, .choices = jr_log_levels };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        int level = JR_LOG_WARN;

        WANT_INT(rows[i].s, jr_flag_set(&flag, rows[i].s, true, &level, NULL), rows[i].st);
        WANT_INT(rows[i].s, level, rows[i].st == JR_OK ? rows[i].want : JR_LOG_WARN);
    }
}

#define THREADS 4
#define LINES 300

static void *write_many(void *arg)
{
    struct jr_log *log = arg;
    char msg[32];

    for (int i = 0; i < LINES; i++) {
        (void)snprintf(msg, sizeof(msg), "message %d", i % 100);
        jr_info(log, msg, JR_CSTR("k", "0123456789012345678901234567890123456789"));
    }
    return NULL;
}

static void threads(void **state)
{
    struct world *w = *state;
    pthread_t t[THREADS];
    const char *p, *end;

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, write_many, w->log), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(t[i], NULL), 0);
    for (p = written(w); (end = strchr(p, '\n')) != NULL; p = end + 1) {
        assert_memory_equal(p, "{\"ts\":", 6);
        assert_true(end[-1] == '}');
    }
    assert_int_equal(*p, '\0');
}

static void a_dead_descriptor_is_no_fault(void **state)
{
    struct world *w = *state;
    struct jr_clock clock = jr_clock_of_virtual(&w->v);
    struct jr_log *log = NULL;

    assert_int_equal(jr_log_new(-1, JR_LOG_INFO, JR_LOG_JSON, NULL, &clock, &log), JR_OK);
    jr_info(log, "m", JR_NONE);
    jr_log_free(log);
    log = NULL;
    jr_failalloc_arm(1);
    assert_int_equal(jr_log_new(2, JR_LOG_INFO, JR_LOG_JSON, NULL, &clock, &log), JR_NOMEM);
    jr_failalloc_disarm();
    assert_null(log);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(json_line),
        T(text_line),
        T(levels),
        T(escapes),
        T(long_values_are_cut),
        T(long_messages_and_keys),
        T(folds_repeats),
        T(calm_messages_are_never_folded),
        T(answers_are_never_folded),
        T(folded_counts_are_not_lost),
        T(folded_objects_are_named),
        T(folded_objects_are_bounded),
        T(folded_objects_of_any_name),
        T(level_names),
        T(threads),
        T(a_dead_descriptor_is_no_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
