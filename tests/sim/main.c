/* SPDX-License-Identifier: Apache-2.0 */
/* sim: the whole controller in simulated worlds, one a seed. */
#include <stdio.h>
#include <sys/wait.h>

#include "common/base/flags.h"
#include "common/base/hash.h"
#include "common/base/num.h"
#include "tests/sim/minimise.h"

#define PROCESSES_MAX 64
#define ENOUGH_SEEDS 2000 /* from here on nothing may be missing among what happened */
#define RATED_SEEDS 1000  /* from here on excuses are held to their bounds */

struct config {
    const char *seeds;
    int64_t processes;
    bool trace;
    bool minimise;
    int64_t max_failures;
    struct jr_flag_list until;
    struct jr_flag_list leave_out;
    struct jr_flag_list keep;
};

static const struct jr_flag table[] = {
    { .name = "seeds",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, seeds),
      .initial = "1-1000",
      .help = "Which seeds, `A-B`." },
    { .name = "jobs",
      .type = JR_FLAG_INT,
      .offset = offsetof(struct config, processes),
      .initial = "1",
      .help = "In how many processes at a time.",
      .min = 1,
      .max = PROCESSES_MAX },
    { .name = "trace",
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, trace),
      .initial = "false",
      .help = "Print everything that happens, and no counts." },
    { .name = "minimise",
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, minimise),
      .initial = "true",
      .help = "Make a seed that fails small." },
    { .name = "max-failures",
      .type = JR_FLAG_INT,
      .offset = offsetof(struct config, max_failures),
      .initial = "3",
      .help = "End after so many seeds that fail, in each process; 0: never.",
      .min = 0,
      .max = INT32_MAX },
    { .name = "until",
      .type = JR_FLAG_LIST,
      .offset = offsetof(struct config, until),
      .help = "Whatever fails else, end after a seed that fails by this `INVARIANT`." },
    { .name = "leave-out",
      .type = JR_FLAG_LIST,
      .offset = offsetof(struct config, leave_out),
      .help = "What is not to happen, `KIND:NUMBERS`; kinds: job, action, fault, process, setup." },
    { .name = "keep",
      .type = JR_FLAG_LIST,
      .offset = offsetof(struct config, keep),
      .help = "Of a kind what alone is to happen, `KIND:NUMBERS`." },
    { .name = NULL },
};
static const struct jr_flags flags = {
    .program = "sim",
    .summary = "Runs the controller in simulated worlds. A seed says all that happens in one.",
    .table = table,
};

struct range {
    uint64_t from, to;
};

/* ---- one seed ---- */

static void print_replay(uint64_t seed, const struct sim_choice *c, const char *what)
{
    JR_BUF args = { 0 };

    jr_buf_init(&args, SIZE_MAX);
    if (sim_choice_write(c, &args) != JR_OK)
        return;
    (void)printf("  %s: build/release/bin/sim --seeds %llu-%llu --trace%.*s\n", what,
                 (unsigned long long)seed, (unsigned long long)seed, JR_P(jr_buf_str(&args)));
}

static void print_lines(const struct sim_report *r)
{
    size_t from = r->n_lines > SIM_LINES_KEPT ? r->n_lines - SIM_LINES_KEPT : 0;

    for (size_t i = from; i < r->n_lines; i++)
        (void)printf("    %s\n", r->lines[i % SIM_LINES_KEPT]);
}

static struct sim_report *run(uint64_t seed, const struct sim_choice *c, bool print)
{
    struct sim_report *r = calloc(1, sizeof(*r));

    if (r == NULL)
        abort();
    r->print = print;
    sim_world_run(seed, c, r);
    return r;
}

static void drop(struct sim_report *r)
{
    sim_report_done(r);
    free(r);
}

static void tell_failure(uint64_t seed, const struct sim_choice *given, const struct sim_report *r,
                         const struct config *config)
{
    struct sim_choice c = { 0 };

    (void)printf("seed %llu: %s: %s\n", (unsigned long long)seed, r->invariant, r->why);
    print_replay(seed, given, "replay");
    if (config->minimise && !config->trace && sim_choice_copy(given, &c) == JR_OK &&
        sim_minimise(seed, &c, r) == JR_OK) {
        struct sim_report *small = run(seed, &c, false);

        print_replay(seed, &c, "smallest");
        (void)printf("  %s: %s\n", small->invariant, small->why);
        print_lines(small);
        drop(small);
    } else if (!config->trace) {
        print_lines(r);
    }
    (void)fflush(stdout);
    sim_choice_done(&c);
}

/* ---- many ---- */

/** Whether no more seeds are to be run after this one. */
static bool is_enough(const struct config *config, const struct sim_report *r, uint64_t failed)
{
    for (size_t i = 0; i < config->until.n; i++) {
        if (r->failed && jr_str_is(config->until.v[i], r->invariant))
            return true;
    }
    return config->until.n == 0 && config->max_failures > 0 &&
           failed >= (uint64_t)config->max_failures;
}

static void run_seeds(const struct range *seeds, uint64_t first, uint64_t step,
                      const struct sim_choice *c, const struct config *config,
                      struct sim_counts *sum)
{
    bool enough = false;

    for (uint64_t s = seeds->from + first; s <= seeds->to && !enough; s += step) {
        struct sim_report *r = run(s, c, config->trace);

        sim_counts_add(sum, &r->counts);
        if (r->failed)
            tell_failure(s, c, r, config);
        enough = is_enough(config, r, sum->failed);
        drop(r);
    }
}

/** A process of its own, whose counts come through a pipe. The descriptor; -1: it can't be made. */
static int start_worker(const struct range *seeds, uint64_t i, const struct sim_choice *c,
                        const struct config *config)
{
    int ends[2];
    pid_t pid;

    if (pipe(ends) != 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        struct sim_counts sum = { 0 };

        run_seeds(seeds, i, (uint64_t)config->processes, c, config, &sum);
        (void)fflush(stdout);
        _exit(write(ends[1], &sum, sizeof(sum)) == (ssize_t)sizeof(sum) ? 0 : 1);
    }
    (void)close(ends[1]);
    if (pid > 0)
        return ends[0];
    (void)close(ends[0]);
    return -1;
}

/** Reads a worker's counts; false: it died. */
static bool read_counts(int fd, struct sim_counts *sum)
{
    struct sim_counts part;
    size_t n = 0;
    ssize_t got;

    while (n < sizeof(part) && (got = read(fd, (char *)&part + n, sizeof(part) - n)) > 0)
        n += (size_t)got;
    (void)close(fd);
    if (n == sizeof(part))
        sim_counts_add(sum, &part);
    return n == sizeof(part);
}

static bool run_workers(const struct range *seeds, const struct sim_choice *c,
                        const struct config *config, struct sim_counts *sum)
{
    int fds[PROCESSES_MAX];
    bool good = true;

    (void)fflush(stdout);
    for (int64_t i = 0; i < config->processes; i++)
        fds[i] = start_worker(seeds, (uint64_t)i, c, config);
    for (int64_t i = 0; i < config->processes; i++)
        good &= fds[i] >= 0 && read_counts(fds[i], sum);
    while (wait(NULL) > 0)
        continue;
    return good;
}

/* ---- the command ---- */

static enum jr_status read_list(const struct jr_flag_list *l, bool keep, struct sim_choice *c,
                                struct jr_error *err)
{
    enum sim_item kind = SIM_N_ITEMS;
    enum jr_status st = JR_OK;

    for (size_t i = 0; i < l->n && st == JR_OK; i++)
        st = sim_choice_parse(c, l->v[i], keep, &kind, err);
    return st;
}

static enum jr_status read_range(const char *text, struct range *ret, struct jr_error *err)
{
    struct jr_str rest = jr_str(text), from = { NULL, 0 };

    if (!jr_str_cut(&rest, '-', &from) || jr_parse_u64(from, &ret->from) != JR_OK)
        return jr_fail(err, JR_USAGE, "--seeds", "expected A-B");
    ret->to = ret->from;
    if (rest.n > 0 && jr_parse_u64(rest, &ret->to) != JR_OK)
        return jr_fail(err, JR_USAGE, "--seeds", "expected A-B");
    return JR_OK;
}

static int run_all(const struct config *config, const struct range *seeds,
                   const struct sim_choice *c)
{
    struct sim_counts sum = { 0 };
    bool all, few, good = true;

    if (config->trace) /* the controllers log between these lines */
        (void)setvbuf(stdout, NULL, _IOLBF, 0);
    if (config->processes > 1)
        good = run_workers(seeds, c, config, &sum);
    else
        run_seeds(seeds, 0, 1, c, config, &sum);
    all = config->trace || sim_counts_print(&sum);
    few = config->trace || sim_excuses_print(&sum);
    (void)printf("%llu seeds, %llu failed, %llu requests, %llu writes\n",
                 (unsigned long long)sum.seeds, (unsigned long long)sum.failed,
                 (unsigned long long)sum.requests, (unsigned long long)sum.writes);
    if (!good)
        (void)printf("a process died\n");
    if (!all && sum.seeds >= ENOUGH_SEEDS) {
        (void)printf("something of the above never happened\n");
        good = false;
    }
    if (!few && sum.seeds >= RATED_SEEDS) {
        (void)printf("more was excused than may be\n");
        good = false;
    }
    return good && sum.failed == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct config config;
    struct sim_choice c = { 0 };
    struct range seeds;
    struct jr_error err = { 0 };
    int args, code;

    jr_hash_replay((struct jr_hash_key){ 1, 2 }); /* one seed, one run: also what goes by a table */
    code = jr_flags_start(&flags, argc, argv, &config, &args);

    if (code >= 0)
        return code;
    if (read_range(config.seeds, &seeds, &err) != JR_OK ||
        read_list(&config.leave_out, false, &c, &err) != JR_OK ||
        read_list(&config.keep, true, &c, &err) != JR_OK) {
        (void)fprintf(stderr, "sim: %s\n", err.msg);
        code = 2;
    } else {
        code = run_all(&config, &seeds, &c);
    }
    sim_choice_done(&c);
    return code;
}
