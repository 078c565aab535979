/* Prints the tables of common/schema, a line a field: TYPE FIELD GO-TYPE [merge[:KEY]]. What the
 * kinds reach, each type once. tests/bench/upstream/cmd/schema prints Kubernetes' own types in the
 * same words.
 */
#include <stdio.h>

#include "common/schema/schema.h"

#define TYPES_MAX 512

static const struct jr_schema_type *const kinds[] = {
    &jr_schema_job,
    &jr_schema_cron_job,
    &jr_schema_pod,
    &jr_schema_namespace,
    &jr_schema_node,
    &jr_schema_event,
    &jr_schema_config_map,
    &jr_schema_secret,
    &jr_schema_service_account,
    &jr_schema_lease,
    &jr_schema_mutating_webhook_configuration,
    &jr_schema_validating_webhook_configuration,
    &jr_schema_workload,
    &jr_schema_pod_group,
};

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

static void print_type(const struct jr_schema_field *f)
{
    const char *named = f->go_type == NULL ? "string" : f->go_type;

    switch (f->kind) {
    case JR_SCHEMA_ANY:
        fputs("any", stdout);
        break;
    case JR_SCHEMA_STRING:
        fputs(named, stdout);
        break;
    case JR_SCHEMA_INT32:
        fputs("int32", stdout);
        break;
    case JR_SCHEMA_INT64:
        fputs("int64", stdout);
        break;
    case JR_SCHEMA_BOOL:
        fputs("bool", stdout);
        break;
    case JR_SCHEMA_TIME:
        fputs("v1.Time", stdout);
        break;
    case JR_SCHEMA_STRINGS:
        printf("[]%s", named);
        break;
    case JR_SCHEMA_INT32S:
        fputs("[]int32", stdout);
        break;
    case JR_SCHEMA_INT64S:
        fputs("[]int64", stdout);
        break;
    case JR_SCHEMA_STRING_MAP:
        fputs("map[string]string", stdout);
        break;
    case JR_SCHEMA_QUANTITY:
        fputs("resource.Quantity", stdout);
        break;
    case JR_SCHEMA_QUANTITIES:
        fputs("v1.ResourceList", stdout);
        break;
    case JR_SCHEMA_INT_OR_STRING:
        fputs("intstr.IntOrString", stdout);
        break;
    case JR_SCHEMA_STRUCT:
        fputs(f->of->go_type, stdout);
        break;
    case JR_SCHEMA_LIST:
        printf("[]%s", f->of->go_type);
        break;
    }
}

static void print_fields(struct dump *d, const struct jr_schema_type *type)
{
    for (const struct jr_schema_type *t = type; t != NULL; t = t->embedded) {
        for (const struct jr_schema_field *f = t->fields; f->name != NULL; f++) {
            printf("%s %s %s", type->go_type, f->name, f->pointer ? "*" : "");
            print_type(f);
            if (f->merge)
                printf(" merge%s%s", f->merge_key == NULL ? "" : ":",
                       f->merge_key == NULL ? "" : f->merge_key);
            putchar('\n');
            if (f->of != NULL)
                reach(d, f->of);
        }
    }
}

int main(void)
{
    struct dump d = { .n = 0 };

    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++)
        reach(&d, kinds[i]);
    while (d.done < d.n)
        print_fields(&d, d.types[d.done++]);
    return fflush(stdout) == 0 ? 0 : 1;
}
