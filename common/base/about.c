/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of --version that every program has. */
#include "common/base/about.h"

/** The machine in Go's words, GOOS/GOARCH, by which images and releases are named. */
#if defined(__x86_64__)
#define ARCH "amd64"
#elif defined(__aarch64__)
#define ARCH "arm64"
#elif defined(__arm__)
#define ARCH "arm"
#elif defined(__i386__)
#define ARCH "386"
#elif defined(__riscv)
#define ARCH "riscv64"
#elif defined(__powerpc64__)
#define ARCH "ppc64le"
#elif defined(__s390x__)
#define ARCH "s390x"
#else
#define ARCH "unknown"
#endif

const char *jr_revision(void)
{
    return JR_REVISION;
}

void jr_about_line(struct jr_buf *out, const char *key, const char *value)
{
    (void)jr_buf_addf(out, "%s: %s\n", key, value);
}

enum jr_status jr_about(const struct jr_flags *f, struct jr_buf *out)
{
    const char *revision = jr_revision();

    (void)jr_buf_addf(out, "%s %s\n", f->program, JR_VERSION);
    jr_about_line(out, "commit", revision[0] == '\0' ? "unknown" : revision);
    jr_about_line(out, "platform", "linux/" ARCH);
    if (f->about != NULL)
        f->about(out);
    return out->failed;
}
