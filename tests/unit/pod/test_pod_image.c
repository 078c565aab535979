/* SPDX-License-Identifier: Apache-2.0 */
/* Image references, completed as container runtimes complete them. */
#include "common/pod/image.h"
#include "tests/unit/pod/pod_test.h"

#define DIGEST "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void complete(void **state)
{
    static const struct {
        const char *reference, *full;
        bool latest;
    } rows[] = {
        { "nginx", "docker.io/library/nginx:latest", true },
        { "nginx:latest", "docker.io/library/nginx:latest", true },
        { "nginx:1.27", "docker.io/library/nginx:1.27", false },
        { "docker.io/nginx", "docker.io/library/nginx:latest", true },
        { "index.docker.io/library/nginx:1", "docker.io/library/nginx:1", false },
        { "team/app", "docker.io/team/app:latest", true },
        { "nginx@" DIGEST, "docker.io/library/nginx@" DIGEST, false },
        { "nginx:1@" DIGEST, "docker.io/library/nginx:1@" DIGEST, false },
        { "registry.example.com/app", "registry.example.com/app:latest", true },
        { "registry.example.com:5000/a/b/c:2", "registry.example.com:5000/a/b/c:2", false },
        { "localhost/app:1", "localhost/app:1", false },
        { "local/app:1", "docker.io/local/app:1", false },
        { "Registry.Example.com:443/app:1", "registry.example.com/app:1", false },
        { "registry.example.com:0443/app:1", "registry.example.com/app:1", false },
        { "registry.example.com:05000/app:1", "registry.example.com:5000/app:1", false },
        { "registry.example.com:00/app:1", "registry.example.com:0/app:1", false },
        { "[::1]:0443/app:1", "[::1]/app:1", false },
        { "DOCKER.IO:443/nginx:1", "docker.io/library/nginx:1", false },
        /* Without the capitals or the port these would be users of docker.io. */
        { "Team/app:1", "Team/app:1", false },
        { "registry:443/app:1", "registry:443/app:1", false },
        /* No references: a policy's glob must not miss them for that. */
        { "Nginx:latest", "docker.io/library/Nginx:latest", false },
        { "registry.example.com/app:", "registry.example.com/app:", false },
        { "", "docker.io/library/:latest", false },
        { "registry.example.com/", "registry.example.com/:latest", false },
    };
    JR_BUF full = { 0 };

    (void)state;
    jr_buf_init(&full, 4096);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        jr_buf_reset(&full);
        assert_int_equal(jr_image_write_full(jr_str(rows[i].reference), &full), JR_OK);
        assert_string_equal(full.p, rows[i].full);
        if (jr_image_is_latest(jr_str(rows[i].reference)) != rows[i].latest)
            fail_msg("%s: pulled always by default", rows[i].reference);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(complete) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
