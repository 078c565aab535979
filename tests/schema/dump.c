/* Prints the tables of common/schema, a line a field: TYPE FIELD GO-TYPE [merge[:KEY]]. What the
 * kinds reach, each type once. tests/bench/upstream/cmd/schema prints Kubernetes' own types in the
 * same words.
 */
#include <stdio.h>

#include "common/schema/schema.h"

#define TYPES_MAX 512

/* Types that were reached; those from `done` on have to be printed. */
struct dump {
    const struct jr_schema_type *types[TYPES_MAX];
    size_t n, done;
};

static void reach(struct dump *d, const struct jr_schema_type *type)
{
    for (size_t i = 0; i < d->n; i++) {
        if (d->types[i] == type)
            return;
    }
    if (d->n == TYPES_MAX)
        abort();
    d->types[d->n++] = type;
}

/* In Go's words, but for what a field of its own says: STRING, STRINGS, STRUCT and LIST. */
static const char *const go_types[] = {
    [JR_SCHEMA_ANY] = "any",
    [JR_SCHEMA_STRING] = "string",
    [JR_SCHEMA_INT32] = "int32",
    [JR_SCHEMA_INT64] = "int64",
    [JR_SCHEMA_BOOL] = "bool",
    [JR_SCHEMA_TIME] = "v1.Time",
    [JR_SCHEMA_STRINGS] = "string",
    [JR_SCHEMA_INT32S] = "[]int32",
    [JR_SCHEMA_INT64S] = "[]int64",
    [JR_SCHEMA_STRING_MAP] = "map[string]string",
    [JR_SCHEMA_QUANTITY] = "resource.Quantity",
    [JR_SCHEMA_QUANTITIES] = "v1.ResourceList",
    [JR_SCHEMA_INT_OR_STRING] = "intstr.IntOrString",
};

static void print_type(const struct jr_schema_field *f)
{
    const char *name = f->go_type == NULL && f->of == NULL ? go_types[f->kind] : f->go_type;
    bool list = f->kind == JR_SCHEMA_STRINGS || f->kind == JR_SCHEMA_LIST;

    printf("%s%s%s", f->pointer ? "*" : "", list ? "[]" : "",
           f->of == NULL ? name : f->of->go_type);
}

static void print_fields(struct dump *d, const struct jr_schema_type *type)
{
    for (const struct jr_schema_type *t = type; t != NULL; t = t->embedded) {
        for (const struct jr_schema_field *f = t->fields; f->name != NULL; f++) {
            printf("%s %s ", type->go_type, f->name);
            print_type(f);
            if (f->merge)
                printf(" merge%s%s", f->merge_key == NULL ? "" : ":",
                       f->merge_key == NULL ? "" : f->merge_key);
            (void)putchar('\n');
            if (f->of != NULL)
                reach(d, f->of);
        }
    }
}

int main(void)
{
    struct dump d = { .n = 0 };

    for (size_t i = 0; jr_schema_kinds[i] != NULL; i++)
        reach(&d, jr_schema_kinds[i]);
    while (d.done < d.n)
        print_fields(&d, d.types[d.done++]);
    return fflush(stdout) == 0 ? 0 : 1;
}
