/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the tables of common/schema, what the kinds reach, each type once, a line a field:
 *   schema-dump         TYPE FIELD GO-TYPE [merge[:KEY]] [always] [number:N], TYPE inline number:N:
 *                       as Kubernetes 1.36 has them in Go, and the field's number in protobuf, in
 *                       the words of tests/bench/upstream/cmd/schema
 *   schema-dump MINOR   TYPE FIELD TYPE-OF-IT [LIST-TYPE[:KEYS]] [merge[:KEY]]: as 1.MINOR has them
 *                       in OpenAPI, in the words of tests/bench/upstream/cmd/openapi
 *   schema-dump gates   TYPE FIELD gate NAME: the rows behind gates, as 1.37 has them
 *   schema-dump states MINOR
 *                       NAME on|off locked|unlocked [needs OTHER...], or NAME unknown: the gates of
 *                       1.MINOR */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/num.h"
#include "common/schema/profile.h"
#include "common/schema/schema.h"

#define TYPES_MAX 512

#define GO_MINOR 36
/* The only Kubernetes with the one version of the API group scheduling.k8s.io, and the first with
 * the other. */
#define V1ALPHA2_MINOR 36
#define V1BETA1_MINOR 37

/* Types that were reached; those from `done` on have to be printed. */
struct dump {
    unsigned minor;
    bool openapi; /* these words, and not Go's */
    bool gates;   /* these alone */
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
    [JR_SCHEMA_STRUCT] = "struct", /* these two have a type of their own */
    [JR_SCHEMA_LIST] = "list",
};

static void print_go_type(const struct jr_schema_field *f)
{
    const char *name = f->micro                              ? "v1.MicroTime"
                       : f->go_type == NULL && f->of == NULL ? go_types[f->kind]
                                                             : f->go_type;
    bool list = f->kind == JR_SCHEMA_STRINGS || f->kind == JR_SCHEMA_LIST;

    printf("%s%s%s", f->pointer ? "*" : "", list ? "[]" : "",
           f->of == NULL ? name : f->of->go_type);
}

/* OpenAPI has neither pointers nor types of strings. */
static void print_openapi_type(const struct jr_schema_field *f)
{
    static const char *const lists[] = {
        [JR_SCHEMA_LIST_ATOMIC] = "atomic",
        [JR_SCHEMA_LIST_SET] = "set",
        [JR_SCHEMA_LIST_MAP] = "map:",
    };
    bool list = f->kind == JR_SCHEMA_STRINGS || f->kind == JR_SCHEMA_LIST;
    const char *name = f->kind == JR_SCHEMA_QUANTITIES ? "map[string]resource.Quantity"
                       : f->of != NULL                 ? f->of->go_type
                                                       : go_types[f->kind];

    printf("%s%s", list ? "[]" : "", name);
    if (list || f->kind == JR_SCHEMA_INT32S || f->kind == JR_SCHEMA_INT64S)
        printf(" %s%s", lists[f->list], f->list == JR_SCHEMA_LIST_MAP ? f->keys : "");
}

static void print_field(const struct dump *d, const struct jr_schema_field *f)
{
    if (d->openapi)
        print_openapi_type(f);
    else
        print_go_type(f);
    if (f->merge)
        printf(" merge%s%.*s", f->keys == NULL ? "" : ":", JR_P(jr_schema_merge_key(f)));
    if (f->always && !d->openapi)
        printf(" always");
    if (f->number != 0 && !d->openapi)
        printf(" number:%u", f->number);
    (void)putchar('\n');
}

static void print_gate(const struct jr_schema_type *type, const struct jr_schema_field *f)
{
    static const char *const names[] = {
#define X(name, states) [JR_GATE_##name] = #name,
        JR_GATE_MAP(X)
#undef X
    };

    if (f->gated)
        printf("%s %s gate %s\n", type->go_type, f->name, names[f->gate]);
}

static void print_fields(struct dump *d, const struct jr_schema_type *type)
{
    if (type->embedded_number != 0 && !d->openapi && !d->gates)
        printf("%s inline number:%u\n", type->go_type, type->embedded_number);
    for (const struct jr_schema_type *t = type; t != NULL; t = t->embedded) {
        for (const struct jr_schema_field *f = t->fields; f->name != NULL; f++) {
            if (!jr_schema_known(f, d->minor))
                continue;
            if (d->gates) {
                print_gate(type, f);
            } else {
                printf("%s %s ", type->go_type, f->name);
                print_field(d, f);
            }
            if (f->of != NULL)
                reach(d, f->of);
        }
    }
}

/** What a gate can't be on without, in that version. */
static const struct {
    const char *name;
    const char *states;
} gates[] = {
#define X(name, states) { #name, states },
    JR_GATE_MAP(X)
#undef X
};

/** '.' of what is no gate. */
static char state_of(const char *name, unsigned minor)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(gates); i++) {
        if (strcmp(gates[i].name, name) == 0)
            return gates[i].states[minor - JR_KUBE_OLDEST];
    }
    return '.';
}

/** Without what is on for good. */
static void print_needs(const char *gate, unsigned minor)
{
    static const struct {
        const char *gate;
        const char *needs;
        unsigned since;
    } dependencies[] = {
#define X(gate, needs, since) { #gate, #needs, since },
        JR_GATE_DEPENDENCIES(X)
#undef X
    };
    const char *before = " needs";

    for (size_t i = 0; i < JR_ARRAY_SIZE(dependencies); i++) {
        if (minor < dependencies[i].since || strcmp(gate, dependencies[i].gate) != 0 ||
            state_of(dependencies[i].needs, minor) == 'G')
            continue;
        printf("%s %s", before, dependencies[i].needs);
        before = "";
    }
}

static void print_states(unsigned minor)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(gates); i++) {
        const char state = gates[i].states[minor - JR_KUBE_OLDEST];

        if (state == '.' || state == 'G') {
            printf("%s unknown\n", gates[i].name);
            continue;
        }
        printf("%s %s", gates[i].name,
               state == '-'   ? "off unlocked"
               : state == '+' ? "on unlocked"
                              : "on locked");
        print_needs(gates[i].name, minor);
        puts("");
    }
}

int main(int argc, char **argv)
{
    struct dump d = { .minor = GO_MINOR, .openapi = argc > 1 };
    int64_t minor = JR_KUBE_NEWEST;

    if (argc == 3 && strcmp(argv[1], "states") == 0) {
        if (jr_parse_i64(jr_str(argv[2]), JR_KUBE_OLDEST, JR_KUBE_NEWEST, &minor) != JR_OK)
            return 2;
        print_states((unsigned)minor);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    if (argc > 1) {
        d.gates = strcmp(argv[1], "gates") == 0;
        if (!d.gates &&
            jr_parse_i64(jr_str(argv[1]), JR_KUBE_OLDEST, JR_KUBE_NEWEST, &minor) != JR_OK)
            return 2;
        d.minor = (unsigned)minor;
    }
    for (size_t i = 0; jr_schema_kinds[i] != NULL; i++) {
        const struct jr_str type = jr_str(jr_schema_kinds[i]->go_type);

        if ((d.minor == V1ALPHA2_MINOR || !jr_str_starts(type, JR_S("v1alpha2."))) &&
            (d.minor >= V1BETA1_MINOR || !jr_str_starts(type, JR_S("v1beta1."))))
            reach(&d, jr_schema_kinds[i]);
    }
    while (d.done < d.n)
        print_fields(&d, d.types[d.done++]);
    return fflush(stdout) == 0 ? 0 : 1;
}
