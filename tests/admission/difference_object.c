/* SPDX-License-Identifier: Apache-2.0 */
#include "common/schema/quantity.h"
#include "tests/admission/difference.h"

/** Two objects while they are compared. */
struct objects {
    const char *what;
    struct jr_buf path;
    struct jr_buf *out;
    size_t n;
};

static void report(struct objects *o, const struct jr_node *upstream, const struct jr_node *ours)
{
    const struct jr_node *const sides[] = { upstream, ours };

    o->n++;
    (void)jr_buf_addf(o->out, "  %s%.*s:", o->what, JR_P(jr_buf_str(&o->path)));
    for (size_t i = 0; i < 2; i++) {
        JR_BUF text = { 0 };

        jr_buf_init(&text, (size_t)64 << 20);
        if (sides[i] == NULL)
            (void)jr_buf_adds(&text, "nothing");
        else if (jr_node_print(sides[i], &text) != JR_OK)
            o->out->failed = text.failed;
        (void)jr_buf_addf(o->out, "%s %.*s", i == 0 ? " upstream" : ", ours",
                          JR_P(jr_str_head(jr_buf_str(&text), 300)));
    }
    (void)jr_buf_addc(o->out, '\n');
}

/** What `omitempty` leaves out. */
static bool is_zero(const struct jr_node *n)
{
    switch (jr_node_kind(n)) {
    case JR_NULL:
    case JR_FALSE:
        return true;
    case JR_NUMBER:
        return jr_node_i64_or(n, 1) == 0;
    case JR_STRING:
        return jr_node_str(n).n == 0;
    case JR_ARRAY:
    case JR_OBJECT:
        return jr_size(n) == 0;
    case JR_TRUE:
        break;
    }
    return false;
}

static bool is_one_of(struct jr_str key, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (jr_str_is(key, names[i]))
            return true;
    }
    return false;
}

/** metadata of types before 1.34, whose creationTimestamp is written as null. */
static bool is_null_time(const struct jr_node *n)
{
    return jr_str_is(jr_key(n), "metadata") && jr_size(n) == 1 &&
           jr_str_is(jr_key(jr_first(n)), "creationTimestamp") &&
           jr_node_kind(jr_first(n)) == JR_NULL;
}

/** What Go's encoder writes for an absent field, where its type has no `omitempty`: required
 * strings, these objects and these numbers. Any other zero is a value that was given or defaulted
 * (backoffLimit: 0), which ours has to have too. */
static bool is_written_empty(const struct objects *o, const struct jr_node *n)
{
    static const char *const objects[] = { "metadata", "status" };
    static const char *const numbers[] = { "containerPort", "lun",     "maxSkew",
                                           "port",          "seconds", "weight" };

    if (strcmp(o->what, "defaulted") == 0 && jr_str_is(jr_key(n), "divisor"))
        return true; /* ours comes with the object that is stored */
    switch (jr_node_kind(n)) {
    case JR_NULL:
        return true;
    case JR_STRING:
        return jr_node_str(n).n == 0;
    case JR_OBJECT:
        return (jr_size(n) == 0 && is_one_of(jr_key(n), objects, JR_ARRAY_SIZE(objects))) ||
               is_null_time(n);
    case JR_NUMBER:
        return jr_node_i64_or(n, 1) == 0 && is_one_of(jr_key(n), numbers, JR_ARRAY_SIZE(numbers));
    case JR_FALSE:
    case JR_TRUE:
    case JR_ARRAY:
        break;
    }
    return false;
}

/** What Go's encoder leaves out where it was given, by `omitempty`: these are not pointers there.
 */
static bool is_left_out(const struct jr_node *n)
{
    static const char *const numbers[] = { "active", "failed", "succeeded" };

    return jr_node_kind(n) == JR_NUMBER
               ? is_zero(n) && is_one_of(jr_key(n), numbers, JR_ARRAY_SIZE(numbers))
               : jr_node_kind(n) != JR_FALSE && is_zero(n);
}

/** Decoding alone makes quantities canonical in Go; ours are in the object that is stored. */
static bool same_quantity(const struct objects *o, const struct jr_node *a, const struct jr_node *b)
{
    struct jr_quantity x, y;

    return strcmp(o->what, "defaulted") == 0 && jr_quantity_of(a, &x) == JR_OK &&
           jr_quantity_of(b, &y) == JR_OK && jr_quantity_cmp(&x, &y) == 0;
}

static void compare(struct objects *o, const struct jr_node *upstream, const struct jr_node *ours);

/** A server knows by the URL what an object without kind is. */
static bool is_type_meta(const struct objects *o, const struct jr_node *ours)
{
    return (ours == NULL || is_zero(ours)) && (jr_str_is(jr_buf_str(&o->path), ".kind") ||
                                               jr_str_is(jr_buf_str(&o->path), ".apiVersion"));
}

static void compare_members(struct objects *o, const struct jr_node *upstream,
                            const struct jr_node *ours)
{
    const struct jr_node *const sides[] = { upstream, ours };
    size_t n = o->path.n;

    for (size_t side = 0; side < 2; side++) {
        for (const struct jr_node *m = jr_first(sides[side]); m != NULL; m = jr_next(m)) {
            const struct jr_node *other = jr_getn(sides[1 - side], jr_key(m));

            (void)jr_buf_addf(&o->path, ".%.*s", JR_P(jr_key(m)));
            if (side == 0 && is_type_meta(o, other))
                ;
            else if (other != NULL && side == 0)
                compare(o, m, other);
            else if (other == NULL && !(side == 0 ? is_written_empty(o, m) : is_left_out(m)))
                report(o, side == 0 ? m : NULL, side == 0 ? NULL : m);
            o->path.n = n;
        }
    }
}

static void compare(struct objects *o, const struct jr_node *upstream, const struct jr_node *ours)
{
    const enum jr_kind a = jr_node_kind(upstream), b = jr_node_kind(ours);
    const struct jr_node *x, *y;
    size_t n = o->path.n, i = 0;

    if (a == JR_OBJECT && b == JR_OBJECT) {
        compare_members(o, upstream, ours);
    } else if (a == JR_ARRAY && b == JR_ARRAY && jr_size(upstream) == jr_size(ours)) {
        for (x = jr_first(upstream), y = jr_first(ours); x != NULL; x = jr_next(x), i++) {
            (void)jr_buf_addf(&o->path, "[%zu]", i);
            compare(o, x, y);
            o->path.n = n;
            y = jr_next(y);
        }
    } else if (!jr_node_equal(upstream, ours) && !same_quantity(o, upstream, ours) &&
               !((is_zero(upstream) || is_null_time(upstream)) && is_zero(ours) &&
                 (a == JR_NULL || b == JR_NULL))) {
        report(o, upstream, ours);
    }
}

void jr_object_difference(const char *what, const struct jr_node *upstream,
                          const struct jr_node *ours, struct jr_buf *out,
                          size_t *n) /* NOLINT(readability-non-const-parameter): is counted up */
{
    struct objects o = { .what = what, .out = out };

    jr_buf_init(&o.path, (size_t)1 << 20);
    if (upstream == NULL || ours == NULL) {
        if (upstream != ours)
            report(&o, upstream, ours);
    } else {
        compare(&o, upstream, ours);
    }
    if (o.path.failed != JR_OK)
        out->failed = o.path.failed;
    jr_buf_done(&o.path);
    *n += o.n;
}
