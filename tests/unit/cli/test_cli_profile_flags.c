/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/profile_flags.h"

struct config {
    bool before;
    struct jr_profile_flags profile;
};

static const struct jr_flag table[] = {
    JR_PROFILE_FLAG_ROWS(struct config, profile),
    { .name = NULL },
};
static const struct jr_flags flags = { .program = "x", .summary = "", .table = table };

/* argv as main() gets it; at most three flags. */
static enum jr_status parse(const char *const *args, struct config *config, struct jr_error *err)
{
    char *argv[5] = { (char *)(uintptr_t) "x" };
    int argc = 1;

    for (; args[argc - 1] != NULL; argc++)
        argv[argc] = (char *)(uintptr_t)args[argc - 1];
    return jr_flags_parse(&flags, argc, argv, config, NULL, NULL, err);
}

static enum jr_status ask(const char *const *args, struct jr_profile *ret, struct jr_error *err)
{
    struct config config;
    enum jr_status st = parse(args, &config, err);

    return st == JR_OK ? jr_profile_of_flags(&config.profile, ret, err) : st;
}

static enum jr_status ask_several(const char *const *args, struct jr_cli_profiles *ret,
                                  struct jr_error *err)
{
    struct config config;
    enum jr_status st = parse(args, &config, err);

    return st == JR_OK ? jr_cli_profiles_of_flags(&config.profile, ret, err) : st;
}

/* Instead of a patch. */
#define NEWEST 1000U

static void test_what_is_taken(void **state)
{
    static const struct {
        const char *args[4];
        unsigned minor, patch;
        bool workload, mutable_resources;
    } rows[] = {
        { { NULL }, 37, NEWEST, false, true },
        { { "--kubernetes-version=1.36" }, 36, NEWEST, false, true },
        { { "--kubernetes-version=v1.36" }, 36, NEWEST, false, true },
        { { "--kubernetes-version", "v1.36.12" }, 36, 12, false, true },
        { { "--kubernetes-version=1.35" }, 35, NEWEST, false, false },
        { { "--feature-gate=GenericWorkload=true" }, 37, NEWEST, true, true },
        { { "--feature-gate=GenericWorkload=true,MutablePodResourcesForSuspendedJobs=false" },
          37,
          NEWEST,
          true,
          false },
        { { "--feature-gate=GenericWorkload=true",
            "--feature-gate=MutablePodResourcesForSuspendedJobs=false" },
          37,
          NEWEST,
          true,
          false },
        { { "--feature-gate=JobManagedBy=true" }, 37, NEWEST, false, true }, /* locked, to this */
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const unsigned patch =
            rows[i].patch == NEWEST ? jr_kube_newest_patch(rows[i].minor).patch : rows[i].patch;
        struct jr_profile p = { 0 };
        struct jr_error err = { .status = JR_OK };

        if (ask(rows[i].args, &p, &err) != JR_OK)
            fail_msg("row %zu: %s: %s", i, err.path, err.msg);
        if (p.version.minor != rows[i].minor || p.version.patch != patch ||
            p.gates[JR_GATE_GenericWorkload] != rows[i].workload ||
            p.gates[JR_GATE_MutablePodResourcesForSuspendedJobs] != rows[i].mutable_resources)
            fail_msg("row %zu: another profile", i);
    }
}

/* The oldest first; gates where they are known. */
static void test_several(void **state)
{
    static const struct {
        const char *args[4];
        const char *words;
        const char *workload; /* on in these */
    } rows[] = {
        { { NULL }, "1.37", "" },
        { { "--kubernetes-version=1.37,1.32" }, "1.32, 1.37", "" },
        { { "--kubernetes-version=1.35", "--kubernetes-version=v1.33,1.34" }, "1.33 to 1.35", "" },
        { { "--kubernetes-version=1.36,v1.36.0,1.35,1.37" }, "1.35, 1.36.0, 1.36, 1.37", "" },
        { { "--kubernetes-version=1.34,1.37,1.36,1.35",
            "--feature-gate=GenericWorkload=true,JobManagedBy=true" },
          "1.34 to 1.37",
          "1.35 to 1.37" },
        /* locked from 1.35 on */
        { { "--kubernetes-version=1.34,1.35", "--feature-gate=JobManagedBy=false" },
          "1.34, 1.35",
          "" },
        /* what needs another gate is asked with it where both are known */
        { { "--kubernetes-version=1.34,1.35,1.36",
            "--feature-gate=WorkloadWithJob=true,GenericWorkload=true" },
          "1.34 to 1.36",
          "1.35, 1.36" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_cli_profiles p = { .n = 0 };
        struct jr_versions versions;
        struct jr_error err = { .status = JR_OK };
        unsigned workload = 0;
        JR_BUF all = { 0 };
        JR_BUF some = { 0 };

        if (ask_several(rows[i].args, &p, &err) != JR_OK)
            fail_msg("row %zu: %s: %s", i, err.path, err.msg);
        jr_buf_init(&all, 1000);
        jr_buf_init(&some, 1000);
        for (size_t k = 0; k < p.n; k++)
            workload |= (unsigned)p.v[k].gates[JR_GATE_GenericWorkload] << k;
        versions = jr_versions_of(&p);
        jr_versions_write(&versions, jr_versions_all(&versions), &all);
        jr_versions_write(&versions, workload, &some);
        if (!jr_str_is(jr_buf_str(&all), rows[i].words) ||
            !jr_str_is(jr_buf_str(&some), rows[i].workload))
            fail_msg("row %zu: %.*s; GenericWorkload in %.*s", i, JR_P(jr_buf_str(&all)),
                     JR_P(jr_buf_str(&some)));
    }
}

static void test_several_that_are_refused(void **state)
{
    static const struct {
        const char *args[4];
        const char *path, *msg;
    } rows[] = {
        { { "--kubernetes-version=1.36,1.30" },
          "--kubernetes-version",
          "expected a version of Kubernetes from 1.31 to 1.37, such as 1.37 or 1.37.2, or the "
          "preview 1.38, not "
          "\"1.30\"" },
        { { "--kubernetes-version=1.36.1,1.35", "--kubernetes-version=v1.36.1" },
          "--kubernetes-version",
          "1.36.1 is there twice" },
        { { "--kubernetes-version=1.36.1,1.36.2,1.36.3,1.36.4,1.36.5,1.36.6,1.36.7,1.36.8,1.36.9",
            "--kubernetes-version=1.37.1,1.37.2,1.37.3,1.37.4,1.37.5,1.37.6,1.37.7,1.37.8" },
          "--kubernetes-version",
          "expected at most 16 versions" },
        { { "--kubernetes-version=1.34,1.35", "--feature-gate=Jobs=true" },
          "--feature-gate",
          "Kubernetes 1.35 has no feature gate \"Jobs\" that concerns Jobs" },
        { { "--kubernetes-version=1.35,1.36", "--feature-gate=JobManagedBy=false" },
          "--feature-gate",
          "feature gate JobManagedBy is locked to true in Kubernetes 1.36" },
        { { "--kubernetes-version=1.35,1.36", "--feature-gate=GenericWorkload=1" },
          "--feature-gate",
          "expected Name=true or Name=false, not \"GenericWorkload=1\"" },
        { { "--kubernetes-version=1.35,1.36", "--feature-gate=WorkloadWithJob=true" },
          "--feature-gate",
          "in Kubernetes 1.36 WorkloadWithJob is enabled, but depends on GenericWorkload, which is "
          "disabled" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_cli_profiles p = { .n = 7 };
        struct jr_error err = { .status = JR_OK };
        enum jr_status st = ask_several(rows[i].args, &p, &err);

        if (st != JR_USAGE || strcmp(err.path, rows[i].path) != 0 ||
            strcmp(err.msg, rows[i].msg) != 0 || p.n != 7)
            fail_msg("row %zu: %d, path %s, message %s", i, st, err.path, err.msg);
    }
}

static void test_what_is_refused(void **state)
{
    static const struct {
        const char *args[4];
        const char *path, *msg;
    } rows[] = {
        { { "--kubernetes-version=1.30" },
          "--kubernetes-version",
          "expected a version of Kubernetes from 1.31 to 1.37, such as 1.37 or 1.37.2, or the "
          "preview 1.38, not "
          "\"1.30\"" },
        { { "--kubernetes-version=" },
          "--kubernetes-version",
          "expected a version of Kubernetes from 1.31 to 1.37, such as 1.37 or 1.37.2, or the "
          "preview 1.38, not "
          "\"\"" },
        { { "--kubernetes-version=1.36." },
          "--kubernetes-version",
          "expected a version of Kubernetes from 1.31 to 1.37, such as 1.37 or 1.37.2, or the "
          "preview 1.38, not "
          "\"1.36.\"" },
        { { "--kubernetes-version=1.36.x" },
          "--kubernetes-version",
          "expected a version of Kubernetes from 1.31 to 1.37, such as 1.37 or 1.37.2, or the "
          "preview 1.38, not "
          "\"1.36.x\"" },
        { { "--kubernetes-version=1.360" },
          "--kubernetes-version",
          "expected a version of Kubernetes from 1.31 to 1.37, such as 1.37 or 1.37.2, or the "
          "preview 1.38, not "
          "\"1.360\"" },
        { { "--kubernetes-version=1.36,1.37" },
          "--kubernetes-version",
          "expected one version, not 2: jobreeve check takes several" },
        { { "--kubernetes-version=1.36", "--kubernetes-version=1.35" },
          "--kubernetes-version",
          "expected one version, not 2: jobreeve check takes several" },
        { { "--feature-gate=JobManagedBy=false" },
          "--feature-gate",
          "feature gate JobManagedBy is locked to true in Kubernetes 1.37" },
        { { "--feature-gate=Jobs=true" },
          "--feature-gate",
          "Kubernetes 1.37 has no feature gate \"Jobs\" that concerns Jobs" },
        { { "--feature-gate=GangScheduling" },
          "--feature-gate",
          "expected Name=true or Name=false, not \"GangScheduling\"" },
        { { "--feature-gate=GangScheduling=yes" },
          "--feature-gate",
          "expected Name=true or Name=false, not \"GangScheduling=yes\"" },
        { { "--feature-gate==true" },
          "--feature-gate",
          "expected Name=true or Name=false, not \"=true\"" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_profile p = { .version.minor = 7 };
        struct jr_error err = { .status = JR_OK };
        enum jr_status st = ask(rows[i].args, &p, &err);

        if (st != JR_USAGE || strcmp(err.path, rows[i].path) != 0 ||
            strcmp(err.msg, rows[i].msg) != 0 || p.version.minor != 7)
            fail_msg("%s: %d, path %s, message %s", rows[i].args[0], st, err.path, err.msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_taken),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_several_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
