/* SPDX-License-Identifier: Apache-2.0 */
/* bench-lists: each kind of list in each form, with 100 and with 100,000 members.
 *   bench-lists [-n N]... [-c] [NAME]
 *   -n N   so many members (again for more)
 *   -c     count comparisons of texts instead of time: exact, and the same on any machine
 *   NAME   only kinds with it in their names
 *   bench-lists -p FORM -n N NAME   prints the AdmissionReview of that name instead
 * Exits with 1 where a form costs more than LIMIT times what random members do, or a random member
 * more than GROWTH times what it does in the first size: a loop in a loop is the same in each form.
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
#define GROWTH 8.0 /* sorting, and caches that are too small, are in it */
#define KINDS_MAX 200
#define ROUNDS 5
#define ENOUGH_NS 20000000.0 /* of one measurement */
#define SIZES_MAX 8

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

/** *first: what a random member costs in the first size, 0 while that is this one. */
static bool measure(const struct kind *k, const struct members *members, bool count, double *first)
{
    double cost[FORMS], each, growth;
    bool good = true;

    for (enum form f = RANDOM; f < FORMS; f++) {
        void *prepared = k->prepare(k, &members[f]);

        cost[f] = cost_of(k, prepared, count);
        k->done(prepared);
        /* comparisons: next to none is next to nothing, however many times as many it is */
        if (f != RANDOM && cost[f] > LIMIT * cost[RANDOM] + (count ? 4.0 * (double)members->n : 0))
            good = false;
    }
    each = (cost[RANDOM] + (count ? (double)members->n : 0)) / (double)members->n;
    if (*first <= 0)
        *first = each;
    growth = each / *first;
    good = good && growth <= GROWTH;
    (void)printf(count ? "%-34s %8zu %11.0f" : "%-34s %8zu %11.3f", k->name, members->n, cost[0]);
    for (enum form f = SORTED; f < FORMS; f++)
        (void)printf(" %9.2f", cost[f] / (cost[RANDOM] > 0 ? cost[RANDOM] : 1));
    (void)printf(" %9.2f%s\n", growth, good ? "" : "  too much");
    (void)fflush(stdout);
    return good;
}

static bool measure_all(const size_t *sizes, size_t n_sizes, bool count, const char *name)
{
    const struct {
        const struct kind *v;
        size_t n;
    } tables[] = { { review_kinds, n_review_kinds }, { object_kinds, n_object_kinds } };
    double first[KINDS_MAX] = { 0 };
    bool good = true;

    if (n_review_kinds + n_object_kinds > KINDS_MAX)
        lists_die("usage", "more kinds than KINDS_MAX");

    (void)printf("%-34s %8s %11s", "list", "members", count ? "comparisons" : "random, ms");
    for (enum form f = SORTED; f < FORMS; f++)
        (void)printf(" %9s", form_names[f]);
    (void)printf(" %9s\n", "growth");
    for (size_t s = 0; s < n_sizes; s++) {
        struct members members[FORMS];
        double *each = first;

        for (enum form f = RANDOM; f < FORMS; f++)
            members[f] = members_make(f, sizes[s]);
        for (size_t t = 0; t < JR_ARRAY_SIZE(tables); t++) {
            for (size_t i = 0; i < tables[t].n; i++, each++) {
                if (name == NULL || strstr(tables[t].v[i].name, name) != NULL)
                    good = measure(&tables[t].v[i], members, count, each) && good;
            }
        }
        for (enum form f = RANDOM; f < FORMS; f++)
            members_free(&members[f]);
    }
    return good;
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
    size_t sizes[SIZES_MAX] = { 100, 100000 }, n_sizes = 0;
    const char *form = NULL;
    bool count = false;
    int64_t n;
    int opt;

    jr_hash_replay((struct jr_hash_key){ 3, 4 }); /* the same counts in each run */
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    while ((opt = getopt(argc, argv, "n:cp:")) != -1) {
        if (opt == 'n' && n_sizes < SIZES_MAX &&
            jr_parse_i64(jr_str(optarg), 1, 10000000, &n) == JR_OK)
            sizes[n_sizes++] = (size_t)n;
        else if (opt == 'c')
            count = true;
        else if (opt == 'p')
            form = optarg;
        else
            lists_die("usage", "bench-lists [-n N]... [-c] [NAME]");
    }
    if (form != NULL)
        return print(form, sizes[0], argv[optind]);
    return measure_all(sizes, n_sizes == 0 ? 2 : n_sizes, count, argv[optind]) ? 0 : 1;
}
