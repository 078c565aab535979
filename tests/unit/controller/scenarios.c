/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the rows of a scenario file through the controller's library, with an API that answers as
 * each row says and a clock that stands at its moment. */
#include <stdio.h>

#include "tests/unit/controller/scenario_api.h"
#include "tests/unit/controller/scenario_rows.h"

#define FILE_MAX ((size_t)64 << 20)

static const struct {
    const char *kind;
    bool (*run)(const struct jr_node *row);
} kinds[] = {
    { "sync", scenario_sync }, { "handler", scenario_handler }, { "orphan", scenario_orphan },
    { "ttl", scenario_ttl },   { "unit", scenario_unit },
};

struct totals {
    size_t passed, failed;
    size_t left[JR_ARRAY_SIZE(kinds)]; /* not run, by kind */
    size_t unknown;
};

static enum jr_status read_file(const char *path, struct jr_buf *out)
{
    FILE *f = fopen(path, "rb");
    char part[65536];
    size_t n;

    if (f == NULL) {
        perror(path);
        return JR_IO;
    }
    while ((n = fread(part, 1, sizeof(part), f)) > 0)
        (void)jr_buf_add(out, (struct jr_str){ part, n });
    (void)fclose(f);
    return out->failed;
}

/** The part of the name before the slash, or the kind, is among the groups asked for. */
static bool chosen(const struct jr_node *row, char **groups, int n)
{
    struct jr_str name = jr_get_str(row, "name"), group = name;

    (void)jr_str_cut(&name, '/', &group);
    for (int i = 0; i < n; i++) {
        if (jr_str_is(group, groups[i]) || jr_str_is(jr_get_str(row, "kind"), groups[i]) ||
            jr_str_is(jr_get_str(row, "name"), groups[i]))
            return true;
    }
    return n == 0;
}

static void run_row(const struct jr_node *row, bool wanted, struct totals *t)
{
    struct jr_str kind = jr_get_str(row, "kind"), unknown = scenario_api_unknown(row);

    if (unknown.n > 0) {
        (void)printf("%.*s: unknown key \"%.*s\" in api\n", JR_P(jr_get_str(row, "name")),
                     JR_P(unknown));
        t->unknown++;
        return;
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++) {
        if (!jr_str_is(kind, kinds[i].kind))
            continue;
        if (!wanted)
            t->left[i]++;
        else if (kinds[i].run(row))
            t->passed++;
        else
            t->failed++;
        return;
    }
    (void)printf("%.*s: unknown kind \"%.*s\"\n", JR_P(jr_get_str(row, "name")), JR_P(kind));
    t->unknown++;
}

static int summary(const struct totals *t)
{
    const char *between = "not run: ";

    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++) {
        if (t->left[i] == 0)
            continue;
        (void)printf("%s%zu %s", between, t->left[i], kinds[i].kind);
        between = ", ";
    }
    if (between[0] == ',')
        (void)printf("\n");
    (void)printf("%zu passed, %zu failed\n", t->passed, t->failed + t->unknown);
    return t->failed + t->unknown > 0 || t->passed == 0;
}

int main(int argc, char **argv)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct totals t = { 0 };
    struct jr_error err = { 0 };
    struct jr_reader_opts opts = { .max_bytes = FILE_MAX };
    JR_BUF text = { 0 };

    jr_buf_init(&text, FILE_MAX);
    if (argc < 2) {
        (void)fprintf(stderr, "usage: %s FILE [GROUP...]\n", argv[0]);
        return 2;
    }
    if (read_file(argv[1], &text) != JR_OK)
        return 2;
    if (jr_doc_parse(jr_buf_str(&text), &opts, &doc, &err) != JR_OK) {
        (void)fprintf(stderr, "%s: %s\n", argv[1], err.msg);
        return 2;
    }
    for (const struct jr_node *row = jr_first(jr_doc_root(doc)); row != NULL; row = jr_next(row))
        run_row(row, chosen(row, argv + 2, argc - 2), &t);
    return summary(&t);
}
