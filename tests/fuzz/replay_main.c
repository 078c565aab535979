/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target on the files of its corpus, for builds without libFuzzer: replay
 * DIR-or-FILE...
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void die(const char *what, const char *path)
{
    (void)fprintf(stderr, "replay: %s %s\n", what, path);
    abort();
}

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t n = 0, cap = 0;

    if (f == NULL)
        die("can't open", path);
    for (;;) {
        size_t got;

        if (n == cap) {
            uint8_t *more;

            cap = cap == 0 ? 4096 : cap * 2;
            more = realloc(data, cap);
            if (more == NULL)
                die("no memory for", path);
            data = more;
        }
        got = fread(data + n, 1, cap - n, f);
        n += got;
        if (got == 0)
            break;
    }
    if (ferror(f))
        die("can't read", path);
    (void)fclose(f);
    /* Of just that length: so that a read past the end is seen. */
    if (n > 0) {
        uint8_t *exact = realloc(data, n);

        data = exact == NULL ? data : exact;
    }
    (void)LLVMFuzzerTestOneInput(data, n);
    free(data);
}

static int is_file(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static size_t replay(const char *path)
{
    struct dirent **names;
    int n = scandir(path, &names, is_file, alphasort);

    if (n < 0) {
        replay_file(path);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        char *name;

        if (asprintf(&name, "%s/%s", path, names[i]->d_name) < 0)
            die("no memory for", path);
        replay_file(name);
        free(name);
        free(names[i]);
    }
    free(names);
    return (size_t)n;
}

int main(int argc, char **argv)
{
    size_t count = 0;

    for (int i = 1; i < argc; i++)
        count += replay(argv[i]);
    (void)printf("%zu inputs replayed\n", count);
    return count == 0 ? 1 : 0;
}
