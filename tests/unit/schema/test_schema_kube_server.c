/* SPDX-License-Identifier: Apache-2.0 */
/* What API servers say of themselves, and which of them there are. */
#include "tests/support/doc.h"

#include "common/schema/kube_server.h"

static struct jr_kube_server server(unsigned minor, unsigned patch, unsigned emulated)
{
    return (struct jr_kube_server){ { minor, patch }, emulated };
}

static struct jr_mono after(int64_t minutes)
{
    return (struct jr_mono){ minutes * 60 * JR_SEC };
}

static void test_read(void **state)
{
#define OF(minor, git) "{\"major\":\"1\",\"minor\":\"" minor "\",\"gitVersion\":\"" git "\"}"
#define EMULATING(minor, git, more) \
    "{\"major\":\"1\",\"minor\":\"" minor "\"," more ",\"gitVersion\":\"" git "\"}"
    static const struct {
        const char *name, *text;
        unsigned minor, patch, emulated;
    } rows[] = {
        { "upstream", OF("36", "v1.36.2"), 36, 2, 36 },
        { "GKE", OF("33", "v1.33.5-gke.1162000"), 33, 5, 33 },
        { "GKE, minor", OF("33+", "v1.33.5-gke.1162000"), 33, 5, 33 },
        { "EKS", OF("32+", "v1.32.9-eks-113cf36"), 32, 9, 32 },
        { "AKS", OF("34", "v1.34.1"), 34, 1, 34 },
        { "k3s", OF("31", "v1.31.4+k3s1"), 31, 4, 31 },
        { "rke2", OF("34", "v1.34.2+rke2r1"), 34, 2, 34 },
        { "OpenShift", OF("33", "v1.33.5"), 33, 5, 33 },
        { "a release candidate", OF("35", "v1.35.0-rc.1"), 35, 0, 35 },
        { "a build of its own", OF("", "v1.36.0-alpha.1.23+0abc"), 36, 0, 36 },
        { "neither major nor minor", "{\"gitVersion\":\"v1.36.1\"}", 36, 1, 36 },
        { "without v", OF("36", "1.36.1"), 36, 1, 36 },
        { "older than known", OF("27", "v1.27.16"), 27, 16, 27 },
        { "newer than known", OF("41", "v1.41.0"), 41, 0, 41 },
        { "a patch beyond all", OF("36", "v1.36.99999999999"), 36, JR_NEVER - 1, 36 },
        { "emulation",
          EMULATING("36", "v1.36.1", "\"emulationMajor\":\"1\",\"emulationMinor\":\"35\""), 36, 1,
          35 },
        { "of itself",
          EMULATING("36", "v1.36.1", "\"emulationMajor\":\"1\",\"emulationMinor\":\"36\""), 36, 1,
          36 },
        { "an empty emulation", EMULATING("36", "v1.36.1", "\"emulationMinor\":\"\""), 36, 1, 36 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = doc_of(jr_str(rows[i].text));
        struct jr_kube_server s = server(0, 0, 0);
        struct jr_error err = { .status = JR_OK };

        if (jr_kube_server_read(jr_doc_root_const(doc), &s, &err) != JR_OK)
            fail_msg("%s: %s", rows[i].name, err.msg);
        if (s.version.minor != rows[i].minor || s.version.patch != rows[i].patch ||
            s.emulated != rows[i].emulated)
            fail_msg("%s: 1.%u.%u, emulating 1.%u", rows[i].name, s.version.minor, s.version.patch,
                     s.emulated);
    }
}

static void test_malformed(void **state)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        { "{}", "gitVersion is \"\", not v1.MINOR.PATCH" },
        { "[]", "gitVersion is \"\"" },
        { "{\"gitVersion\":7}", "gitVersion is \"\"" },
        { "{\"gitVersion\":\"v1.36\"}", "gitVersion is \"v1.36\"" },
        { "{\"gitVersion\":\"v1.36.\"}", "gitVersion is \"v1.36.\"" },
        { "{\"gitVersion\":\"v1.36.x\"}", "gitVersion is \"v1.36.x\"" },
        { "{\"gitVersion\":\"v1.36.1x\"}", "gitVersion is \"v1.36.1x\"" },
        { "{\"gitVersion\":\"v2.0.1\"}", "gitVersion is \"v2.0.1\"" },
        { "{\"gitVersion\":\"v0.0.0-master+$Format:%H$\"}", "gitVersion is \"v0.0.0-master" },
        { OF("35", "v1.36.1"), "minor is \"35\", and gitVersion is \"v1.36.1\"" },
        { OF("36-", "v1.36.1"), "minor is \"36-\"" },
        { OF("many", "v1.36.1"), "minor is \"many\"" },
        { "{\"major\":\"2\",\"minor\":\"36\",\"gitVersion\":\"v1.36.1\"}",
          "major is \"2\", not 1" },
        { EMULATING("36", "v1.36.1", "\"emulationMajor\":\"1\",\"emulationMinor\":\"37\""),
          "1.36 can't emulate \"1.37\"" },
        { EMULATING("36", "v1.36.1", "\"emulationMajor\":\"2\",\"emulationMinor\":\"36\""),
          "can't emulate \"2.36\"" },
        { EMULATING("36", "v1.36.1", "\"emulationMinor\":\"x\""), "can't emulate" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = doc_of(jr_str(rows[i].text));
        struct jr_kube_server s = server(7, 7, 7);
        struct jr_error err = { .status = JR_OK };

        if (jr_kube_server_read(jr_doc_root_const(doc), &s, &err) != JR_INVALID ||
            strstr(err.msg, rows[i].words) == NULL)
            fail_msg("%s: \"%s\"", rows[i].text, err.msg);
        assert_int_equal(s.version.minor, 7);
    }
}

static void test_upgrade(void **state)
{
    const struct jr_kube_server old = server(35, 4, 35), new = server(36, 2, 36);
    struct jr_kube_range r = { .n = 0 };

    (void)state;
    assert_true(jr_kube_range_see(&r, &old, after(0)));
    assert_false(jr_kube_range_see(&r, &old, after(1)));
    assert_true(jr_kube_range_see(&r, &new, after(2)));
    for (int64_t i = 3; i < 9; i++)
        assert_false(jr_kube_range_see(&r, i % 2 == 0 ? &new : &old, after(i)));
    assert_int_equal(r.n, 2);
    assert_int_equal(jr_kube_server_cmp(&r.v[0].server, &old), 0);
    assert_int_equal(jr_kube_server_cmp(&r.v[1].server, &new), 0);
    /* The old one was seen at 7 for the last time. */
    for (int64_t i = 9; i < 67; i++) {
        assert_false(jr_kube_range_see(&r, &new, after(i)));
        assert_false(jr_kube_range_forget(&r, after(i)));
    }
    assert_false(jr_kube_range_see(&r, &new, after(67)));
    assert_true(jr_kube_range_forget(&r, after(67)));
    assert_int_equal(r.n, 1);
    assert_int_equal(jr_kube_server_cmp(&r.v[0].server, &new), 0);
}

static void test_silence_misses_nobody(void **state)
{
    const struct jr_kube_server old = server(35, 4, 35), new = server(36, 2, 36);
    struct jr_kube_range r = { .n = 0 };

    (void)state;
    assert_true(jr_kube_range_see(&r, &old, after(0)));
    assert_true(jr_kube_range_see(&r, &new, after(1)));
    /* For two hours there is no answer. */
    assert_false(jr_kube_range_see(&r, &new, after(121)));
    assert_false(jr_kube_range_forget(&r, after(121)));
    assert_int_equal(r.n, 2);
    for (int64_t i = 122; i < 180; i++)
        assert_false(jr_kube_range_see(&r, &new, after(i)));
    assert_true(jr_kube_range_forget(&r, after(180)));
    assert_int_equal(r.n, 1);
}

static void test_bound(void **state)
{
    struct jr_kube_range r = { .n = 0 };

    (void)state;
    /* Seen in the order of odd patches, then of even ones: 1 is the one seen first. */
    for (unsigned i = 0; i < JR_KUBE_RANGE_MAX; i++) {
        const struct jr_kube_server s = server(36, (i * 2 + 1) % (JR_KUBE_RANGE_MAX + 1), 36);

        assert_true(jr_kube_range_see(&r, &s, after(i % 4)));
    }
    assert_int_equal(r.n, JR_KUBE_RANGE_MAX);
    assert_false(jr_kube_range_see(&r, &r.v[0].server, after(4)));
    {
        const struct jr_kube_server more = server(37, 0, 36);

        assert_true(jr_kube_range_see(&r, &more, after(4)));
    }
    assert_int_equal(r.n, JR_KUBE_RANGE_MAX);
    for (size_t i = 1; i < r.n; i++)
        assert_true(jr_kube_server_cmp(&r.v[i - 1].server, &r.v[i].server) < 0);
    assert_int_equal(r.v[r.n - 1].server.version.minor, 37);
    for (size_t i = 0; i < r.n; i++)
        assert_true(r.v[i].server.version.minor == 37 || r.v[i].server.version.patch != 1 ||
                    r.v[i].last.ns == after(4).ns);
}

/** More gates than there is room for: the newest ones are known, those of others go first that were
 * seen first. */
static void test_gates_bound(void **state)
{
    const struct jr_kube_server old = server(35, 4, 35), new = server(36, 2, 36);
    struct jr_kube_range r = { .n = 0 };

    (void)state;
    assert_true(jr_kube_range_see(&r, &old, after(0)));
    for (unsigned i = 0; i < 3 * JR_KUBE_RANGE_MAX; i++) {
        struct jr_gates_seen gates = { 0 };
        bool found = false;

        for (unsigned k = 0; k < 5; k++)
            gates.states[k] = (i >> k & 1) != 0 ? JR_GATE_SEEN_ON : JR_GATE_SEEN_OFF;
        (void)jr_kube_range_see(&r, &new, after(i + 1));
        assert_true(jr_kube_range_see_gates(&r, new.version, &gates, after(i + 1)));
        assert_false(jr_kube_range_see_gates(&r, new.version, &gates, after(i + 1)));
        assert_true(r.n <= JR_KUBE_RANGE_MAX);
        for (size_t k = 0; k < r.n; k++)
            found = found || memcmp(&r.v[k].gates, &gates, sizeof(gates)) == 0;
        assert_true(found);
        for (size_t k = 1; k < r.n; k++)
            assert_true(jr_kube_server_cmp(&r.v[k - 1].server, &r.v[k].server) <= 0);
    }
    assert_int_equal(r.n, JR_KUBE_RANGE_MAX);
    assert_int_equal(jr_kube_server_cmp(&r.v[0].server, &new), 0);
}

static void test_all(void **state)
{
    const struct jr_kube_range r = jr_kube_range_of_all();

    (void)state;
    assert_int_equal(r.n, JR_KUBE_MINORS);
    for (size_t i = 0; i < r.n; i++) {
        assert_int_equal(r.v[i].server.version.minor, JR_KUBE_OLDEST + i);
        assert_true(jr_kube_server_known(&r.v[i].server));
    }
    assert_false(jr_kube_server_known(&(struct jr_kube_server){ { 30, 9 }, 30 }));
    assert_false(jr_kube_server_known(&(struct jr_kube_server){ { 39, 0 }, 38 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),    cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_upgrade), cmocka_unit_test(test_silence_misses_nobody),
        cmocka_unit_test(test_bound),   cmocka_unit_test(test_gates_bound),
        cmocka_unit_test(test_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
