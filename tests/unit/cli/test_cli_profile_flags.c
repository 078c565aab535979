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
static enum jr_status ask(const char *const *args, struct jr_profile *ret, struct jr_error *err)
{
    char *argv[5] = { (char *)(uintptr_t) "x" };
    struct config config;
    int argc = 1;
    enum jr_status st;

    for (; args[argc - 1] != NULL; argc++)
        argv[argc] = (char *)(uintptr_t)args[argc - 1];
    st = jr_flags_parse(&flags, argc, argv, &config, NULL, NULL, err);
    return st == JR_OK ? jr_profile_of_flags(&config.profile, ret, err) : st;
}

static void test_what_is_taken(void **state)
{
    static const struct {
        const char *args[4];
        bool workload, mutable_resources;
    } rows[] = {
        { { NULL }, false, true },
        { { "--kubernetes-version=1.36" }, false, true },
        { { "--kubernetes-version=v1.36" }, false, true },
        { { "--kubernetes-version", "v1.36.12" }, false, true },
        { { "--feature-gate=GenericWorkload=true" }, true, true },
        { { "--feature-gate=GenericWorkload=true,MutablePodResourcesForSuspendedJobs=false" },
          true,
          false },
        { { "--feature-gate=GenericWorkload=true",
            "--feature-gate=MutablePodResourcesForSuspendedJobs=false" },
          true,
          false },
        { { "--feature-gate=JobManagedBy=true" }, false, true }, /* locked, to this */
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_profile p = { 0 };
        struct jr_error err = { .status = JR_OK };

        if (ask(rows[i].args, &p, &err) != JR_OK)
            fail_msg("row %zu: %s: %s", i, err.path, err.msg);
        if (p.version.minor != 36 || p.gates[JR_GATE_GenericWorkload] != rows[i].workload ||
            p.gates[JR_GATE_MutablePodResourcesForSuspendedJobs] != rows[i].mutable_resources)
            fail_msg("row %zu: another profile", i);
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
          "expected a version of Kubernetes from 1.31 to 1.37, such as 1.37 or 1.37.2, not "
          "\"1.30\"" },
        { { "--kubernetes-version=" },
          "--kubernetes-version",
          "expected a version of Kubernetes from 1.31 to 1.37, such as 1.37 or 1.37.2, not "
          "\"\"" },
        { { "--kubernetes-version=1.36." },
          "--kubernetes-version",
          "expected a version of Kubernetes from 1.31 to 1.37, such as 1.37 or 1.37.2, not "
          "\"1.36.\"" },
        { { "--kubernetes-version=1.36.x" },
          "--kubernetes-version",
          "expected a version of Kubernetes from 1.31 to 1.37, such as 1.37 or 1.37.2, not "
          "\"1.36.x\"" },
        { { "--kubernetes-version=1.360" },
          "--kubernetes-version",
          "expected a version of Kubernetes from 1.31 to 1.37, such as 1.37 or 1.37.2, not "
          "\"1.360\"" },
        { { "--feature-gate=JobManagedBy=false" },
          "--feature-gate",
          "feature gate JobManagedBy is locked to true in Kubernetes 1.36" },
        { { "--feature-gate=Jobs=true" },
          "--feature-gate",
          "Kubernetes 1.36 has no feature gate \"Jobs\"" },
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
