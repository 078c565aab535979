/* SPDX-License-Identifier: Apache-2.0 */
/* bench-lists: each kind of list in each form, with 100 and with 30,000 members; reviews also by
 * other versions of Kubernetes, with random members alone: a key's order knows no version.
 *   bench-lists [-n N]... [-v VERSION]... [-c] [NAME]
 *   -n N   so many members (again for more)
 *   -v V   only by this version, as --kubernetes-version has it (again for more)
 *   -c     count comparisons of texts instead of time: exact, and the same on any machine
 *   NAME   only kinds with it in their names
 *   bench-lists -p FORM -n N NAME   prints the AdmissionReview of that name instead
 * Exits with 1 where a form costs more than LIMIT times what random members do, or a random member
 * more than GROWTH times what it does in the first size (COUNTED_GROWTH in comparisons): a loop in
 * a loop is the same in each form.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/hash.h"
#include "common/base/num.h"
#include "tests/bench/lists/lists.h"

#define LIMIT 3.0
#define GROWTH 8.0         /* sorting, and caches that are too small, are in it */
#define COUNTED_GROWTH 3.0 /* sorting alone is */
#define KINDS_MAX 200
#define ATTEMPTS 3 /* at a row that looks like too much */
#define ROUNDS 5
#define ENOUGH_NS 20000000.0 /* of one measurement */
#define SIZES_MAX 8
#define VERSIONS_MAX 8

/* The described one first; "auto": before it is known, by all of them. */
static const char *const versions[] = { "1.36", "1.31", "1.32", "1.33", "1.37", JR_VERSION_AUTO };

/* ---- counting ---- */

static size_t comparisons;

size_t lists_comparisons(void)
{
    return comparisons;
}

/* The C library's own stand behind these in every call of ours. */
int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;

    comparisons++;
    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    }
    return 0;
}

int strcmp(const char *a, const char *b)
{
    comparisons++;
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
    comparisons++;
    for (; n > 0; n--, a++, b++) {
        if (*a != *b || *a == '\0')
            return (unsigned char)*a - (unsigned char)*b;
    }
    return 0;
}

void lists_die(const char *kind, const char *what)
{
    (void)fprintf(stderr, "bench-lists: %s: %s\n", kind, what);
    exit(2); /* NOLINT(concurrency-mt-unsafe): one thread */
}

/* ---- versions ---- */

static struct jr_profiles profiles;

const struct jr_profiles *lists_profiles(void)
{
    return &profiles;
}

static void use_version(const char *version)
{
    const struct jr_flag_list none = { 0 };
    struct jr_error err = { .status = JR_OK };
    bool is_auto;

    if (jr_profiles_of_flags(version, &none, &profiles, &is_auto, &err) != JR_OK)
        lists_die(version, err.msg);
}

/* ---- measuring ---- */

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/** The shortest of some rounds: what else the machine does only ever adds. */
static double time_of(const struct kind *k, void *prepared)
{
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        const double began = now_ns();
        double took = 0;
        unsigned times = 0;

        while (times == 0 || (took < ENOUGH_NS && times < 1000)) {
            k->work(prepared);
            times++;
            took = now_ns() - began;
        }
        took /= times;
        if (round == 0 || took < best)
            best = took;
        if (took > 10 * ENOUGH_NS)
            break;
    }
    return best;
}

static double cost_of(const struct kind *k, void *prepared, bool count)
{
    const size_t before = comparisons;

    if (!count)
        return time_of(k, prepared) / 1e6;
    k->work(prepared);
    return (double)(comparisons - before);
}

/** What is measured at present. */
struct round {
    const char *version;
    const struct members *members; /* by form */
    enum form end;                 /* the first form that isn't measured */
    bool count;
    const char *name; /* of the kinds, NULL: all */
};

/** Measures each form, and keeps the least that each has cost so far. */
static void measure_forms(const struct kind *k, const struct round *r, bool again,
                          double cost[static FORMS])
{
    for (enum form f = RANDOM; f < r->end; f++) {
        void *prepared = k->prepare(k, &r->members[f]);
        const double now = cost_of(k, prepared, r->count);

        k->done(prepared);
        if (!again || now < cost[f])
            cost[f] = now;
    }
}

/** first: what a random member costs in the first size, 0 while that is this one. */
static bool is_good(const struct round *r, const double cost[static FORMS], double each,
                    double first)
{
    const double n = (double)r->members->n;

    for (enum form f = RANDOM + 1; f < r->end; f++) {
        /* comparisons: next to none is next to nothing, however many times as many it is */
        if (cost[f] > LIMIT * cost[RANDOM] + (r->count ? 4.0 * n : 0))
            return false;
    }
    return first <= 0 || each / first <= (r->count ? COUNTED_GROWTH : GROWTH);
}

/** *first as above; set where it is 0. What looks like too much is measured again, as what else the
 * machine does only ever adds. */
static bool measure(const struct kind *k, const struct round *r, double *first)
{
    double cost[FORMS] = { 0 }, each = 0, growth;
    const double n = (double)r->members->n;
    bool good = false;

    for (int attempt = 0; attempt < ATTEMPTS && !good; attempt++) {
        measure_forms(k, r, attempt > 0, cost);
        each = (cost[RANDOM] + (r->count ? n : 0)) / n;
        good = is_good(r, cost, each, *first);
    }
    if (*first <= 0)
        *first = each;
    growth = each / *first;
    (void)printf(r->count ? "%-36s %-5s %8zu %11.0f" : "%-36s %-5s %8zu %11.3f", k->name,
                 r->version, r->members->n, cost[0]);
    for (enum form f = SORTED; f < FORMS; f++) {
        if (f < r->end)
            (void)printf(" %9.2f", cost[f] / (cost[RANDOM] > 0 ? cost[RANDOM] : 1));
        else
            (void)printf(" %9s", "");
    }
    (void)printf(" %9.2f%s\n", growth, good ? "" : "  too much");
    (void)fflush(stdout);
    return good;
}

static bool measure_kinds(const struct kind *kinds, size_t n, const struct round *r, double *first)
{
    bool good = true;

    for (size_t i = 0; i < n; i++) {
        if (r->name == NULL || strstr(kinds[i].name, r->name) != NULL)
            good = measure(&kinds[i], r, &first[i]) && good;
    }
    return good;
}

struct sizes {
    size_t v[SIZES_MAX];
    size_t n;
};

/** One version, all sizes. The first one asked for also has all forms, and what isn't a review. */
static bool measure_version(const struct sizes *sizes, const struct round *asked, bool first_one)
{
    double first[2][KINDS_MAX] = { { 0 } };
    bool good = true;

    use_version(asked->version);
    for (size_t s = 0; s < sizes->n; s++) {
        struct members members[FORMS];
        struct round r = *asked;

        r.members = members;
        r.end = first_one ? FORMS : RANDOM + 1;
        for (enum form f = RANDOM; f < r.end; f++)
            members[f] = members_make(f, sizes->v[s]);
        good = measure_kinds(review_kinds, n_review_kinds, &r, first[0]) && good;
        r.version = "";
        if (first_one)
            good = measure_kinds(object_kinds, n_object_kinds, &r, first[1]) && good;
        for (enum form f = RANDOM; f < r.end; f++)
            members_free(&members[f]);
    }
    return good;
}

static void print_head(bool count)
{
    (void)printf("%-36s %-5s %8s %11s", "list", "for", "members",
                 count ? "comparisons" : "random, ms");
    for (enum form f = SORTED; f < FORMS; f++)
        (void)printf(" %9s", form_names[f]);
    (void)printf(" %9s\n", "growth");
}

/** Prints a review, for who sends it to a webhook. */
static int print(const char *form, size_t n, const char *name)
{
    for (enum form f = RANDOM; f < FORMS; f++) {
        for (size_t i = 0; strcmp(form, form_names[f]) == 0 && i < n_review_kinds; i++) {
            struct members m;
            struct jr_buf b;

            if (name == NULL || strcmp(review_kinds[i].name, name) != 0)
                continue;
            m = members_make(f, n);
            b = review_text(&review_kinds[i], &m);
            (void)fwrite(b.p, 1, b.n, stdout);
            jr_buf_done(&b);
            members_free(&m);
            return 0;
        }
    }
    lists_die("usage", "no such form, or no such list");
}

int main(int argc, char **argv)
{
    struct sizes sizes = { { 100, 30000 }, 0 };
    const char *asked[VERSIONS_MAX], *const *vs = versions, *form = NULL;
    size_t n_asked = 0, n_versions = JR_ARRAY_SIZE(versions);
    struct round r = { .count = false };
    bool good = true;
    int64_t n;
    int opt;

    if (n_review_kinds > KINDS_MAX || n_object_kinds > KINDS_MAX)
        lists_die("usage", "more kinds than KINDS_MAX");
    jr_hash_replay((struct jr_hash_key){ 3, 4 }); /* the same counts in each run */
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    while ((opt = getopt(argc, argv, "n:v:cp:")) != -1) {
        if (opt == 'n' && sizes.n < SIZES_MAX &&
            jr_parse_i64(jr_str(optarg), 1, 10000000, &n) == JR_OK)
            sizes.v[sizes.n++] = (size_t)n;
        else if (opt == 'v' && n_asked < VERSIONS_MAX)
            asked[n_asked++] = optarg;
        else if (opt == 'c')
            r.count = true;
        else if (opt == 'p')
            form = optarg;
        else
            lists_die("usage", "bench-lists [-n N]... [-v VERSION]... [-c] [NAME]");
    }
    if (form != NULL)
        return print(form, sizes.v[0], argv[optind]);
    if (sizes.n == 0)
        sizes.n = 2;
    if (n_asked > 0) {
        vs = asked;
        n_versions = n_asked;
    }
    r.name = argv[optind];
    print_head(r.count);
    for (size_t i = 0; i < n_versions; i++) {
        r.version = vs[i];
        good = measure_version(&sizes, &r, i == 0) && good;
    }
    return good ? 0 : 1;
}
